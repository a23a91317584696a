// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "page_counters.hpp"

#ifdef MEANDER_CUPTI

#include <cupti.h>

#include <atomic>
#include <cstdlib>

namespace meander::bench {
namespace {

std::atomic<std::int64_t> cpu_faults{0}, gpu_faults{0}, bytes_to_device{0}, bytes_to_host{0};

constexpr std::size_t buffer_bytes = std::size_t{1} << 20, alignment = 8;

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(alignment, buffer_bytes));
  *size = *buffer == nullptr ? 0 : buffer_bytes;
  *records = 0;  // no limit but the buffer
}

// Records of later toolkits begin as this one does.
void count(const CUpti_ActivityUnifiedMemoryCounter2& record) {
  const auto value = static_cast<std::int64_t>(record.value);
  switch (record.counterKind) {
    case CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD:
      bytes_to_device += value;
      break;
    case CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH:
      bytes_to_host += value;
      break;
    case CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_CPU_PAGE_FAULT_COUNT:
      cpu_faults += value;
      break;
    case CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_GPU_PAGE_FAULT:
      gpu_faults += value;
      break;
    default:
      break;
  }
}

void CUPTIAPI take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t valid) {
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
    if (record->kind == CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER)
      count(*reinterpret_cast<const CUpti_ActivityUnifiedMemoryCounter2*>(record));
  }
  std::free(buffer);
}

std::string reason(CUptiResult result) {
  const char* text = nullptr;
  if (cuptiGetResultString(result, &text) != CUPTI_SUCCESS || text == nullptr) return "unknown CUPTI error";
  return std::string("CUPTI error ") + text;
}

}  // namespace

PageCounters::PageCounters(int device) {
  CUpti_ActivityUnifiedMemoryCounterConfig counters[4] = {};
  const CUpti_ActivityUnifiedMemoryCounterKind kinds[] = {
      CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD,
      CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH,
      CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_CPU_PAGE_FAULT_COUNT,
      CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_GPU_PAGE_FAULT};
  for (int i = 0; i < 4; ++i) {
    counters[i].scope = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_SCOPE_PROCESS_SINGLE_DEVICE;
    counters[i].kind = kinds[i];
    counters[i].deviceId = static_cast<std::uint32_t>(device);
    counters[i].enable = 1;
  }
  CUptiResult result = cuptiActivityRegisterCallbacks(give_buffer, take_buffer);
  if (result == CUPTI_SUCCESS) result = cuptiActivityConfigureUnifiedMemoryCounter(counters, 4);
  if (result == CUPTI_SUCCESS) result = cuptiActivityEnable(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER);
  if (result != CUPTI_SUCCESS) why_not_ = reason(result);
}

PageCounters::~PageCounters() {
  if (why_not_.empty()) cuptiActivityDisable(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER);
}

PageCounts PageCounters::take() {
  if (why_not_.empty()) cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  return {cpu_faults.exchange(0), gpu_faults.exchange(0), bytes_to_device.exchange(0),
          bytes_to_host.exchange(0)};
}

}  // namespace meander::bench

#else

namespace meander::bench {

PageCounters::PageCounters(int) : why_not_("built without CUPTI") {}
PageCounters::~PageCounters() = default;
PageCounts PageCounters::take() {
  return {};
}

}  // namespace meander::bench

#endif
