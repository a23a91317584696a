// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What a SUNMemoryHelper on memory resources (adaptors/sun_memory_helper.hpp) shares with its clones: the resources,
// and the blocks that are allocated from them. Functions throw; the helper turns exceptions into codes.

#include <sundials/sundials_config.h>
#include <sundials/sundials_memory.h>
#if SUNDIALS_VERSION_MAJOR >= 7
#include <sundials/sundials_errors.h>
#endif

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "adaptors/memory.hpp"

namespace meander::gpu {

// Codes of failed operations: those of SUNDIALS 7, and numbers of our own before, where SUNDIALS has none.
namespace sun_error {
#if SUNDIALS_VERSION_MAJOR >= 7
inline constexpr int success = SUN_SUCCESS, generic = SUN_ERR_GENERIC, out_of_memory = SUN_ERR_MALLOC_FAIL,
                     device_failure = SUN_ERR_EXT_FAIL, unsupported = SUN_ERR_ARG_INCOMPATIBLE,
                     out_of_range = SUN_ERR_ARG_OUTOFRANGE, corrupt = SUN_ERR_ARG_CORRUPT,
                     live_memory = SUN_ERR_DESTROY_FAIL;
#else
inline constexpr int success = 0, generic = -1, out_of_memory = -2, device_failure = -3, unsupported = -4,
                     out_of_range = -5, corrupt = -6, live_memory = -7;
#endif
}  // namespace sun_error

struct SunMemoryFailure : Failure {
  int code;  // of sun_error
  SunMemoryFailure(int error, const std::string& words) : Failure(words), code(error) {}
};

// Resources by memory type; allocation of a type without resource fails. All must outlive the helper and its
// clones.
struct SunMemoryResources {
  Device* device = nullptr;           // of the resources and of all copies; may be null if only `host` is set
  Resource* host = &host_memory();    // SUNMEMTYPE_HOST, in Space::host
  Resource* pinned = nullptr;         // SUNMEMTYPE_PINNED, in Space::pinned
  Resource* device_memory = nullptr;  // SUNMEMTYPE_DEVICE, in Space::device
  Resource* managed = nullptr;        // SUNMEMTYPE_UVM, in Space::managed
  // For vectors with queues that are no gpu::Queue; NVECTOR_CUDA passes a cudaStream_t*. Waits for all work
  // of that queue, or of all queues if it is null. Operations wait by it, and have ended when they return.
  void (*wait_for)(void* queue) noexcept = nullptr;
};

// Sizes in bytes.
struct SunMemoryStatistics {
  unsigned long allocations = 0, deallocations = 0;
  std::size_t bytes = 0, peak_bytes = 0;
};
using SunMemoryCounts = std::array<SunMemoryStatistics, 4>;  // by memory type

// Thread-safe.
class SunMemoryFamily {
 public:
  // Throws SunMemoryFailure if the resources do not fit.
  explicit SunMemoryFamily(const SunMemoryResources& resources)
      : resources_(resources),
        by_type_{resources.host, resources.pinned, resources.device_memory, resources.managed} {
    for (int type = 0; type < 4; ++type) check(by_type_[index(type)], spaces[index(type)]);
  }
  ~SunMemoryFamily() {
    if (!own_queue_.synchronous()) resources_.device->destroy_queue(own_queue_);
  }
  SunMemoryFamily(const SunMemoryFamily&) = delete;
  SunMemoryFamily& operator=(const SunMemoryFamily&) = delete;

  // Null for 0 bytes. Throws SunMemoryFailure, and what Resource::allocate throws.
  void* allocate(SUNMemoryType type, std::size_t bytes, void* queue,
                 const std::shared_ptr<SunMemoryCounts>& counts) {
    Resource* const resource = by_type_[index(type)];
    if (resource == nullptr)
      throw SunMemoryFailure(sun_error::unsupported,
                             std::string("the helper has no resource of ") + name(type) + " memory");
    if (bytes == 0) return nullptr;
    const Queue used = own_queue(queue);
    void* const pointer = resource->allocate(used, bytes, alignment);
    if (pointer == nullptr) throw OutOfMemory(bytes, resource->stats().live_bytes, resource->place());
    try {
      add(type, pointer, {bytes, counts});
    } catch (...) {
      resource->deallocate(used, pointer, bytes, alignment);
      throw;
    }
    return pointer;
  }

  // Requires memory of a helper of the family. Throws and changes nothing otherwise.
  void deallocate(SUNMemoryType type, void* pointer, void* queue) {
    const Queue used = own_queue(queue);
    const std::vector<Event> copies = used.synchronous() ? submitted_copies() : std::vector<Event>();
    const Block block = remove(type, pointer);  // nothing throws from here on
    if (resources_.wait_for != nullptr) resources_.wait_for(queue);
    for (const Event& copy : copies) resources_.device->settle(copy);
    by_type_[index(type)]->deallocate(used, pointer, block.bytes, alignment);
  }

  // Whether a copy may go on after the call.
  enum class End : std::uint8_t { on_return, in_queue };
  // Throws SunMemoryFailure, DeviceError.
  void copy(SUNMemory target, SUNMemory source, std::size_t bytes, void* queue, End end) {
    if (bytes == 0) return;
    const Memory to = view(target, bytes), from = view(source, bytes);
    if (resources_.wait_for != nullptr) resources_.wait_for(queue);
    const Queue used = own_queue(queue);
    if (used.synchronous()) {
      copy_synchronously(to, from, bytes);
      return;
    }
    gpu::copy(resources_.device, used, to, from, bytes);
    if (end == End::on_return) {
      resources_.device->wait(resources_.device->record(used));
    } else {
      note_copy(used);
    }
  }

  SunMemoryStatistics statistics(const SunMemoryCounts& counts, SUNMemoryType type) const {
    const std::lock_guard lock(mutex_);
    return counts[index(type)];
  }

  // A helper more, or less. leave() returns true if it was the last one and memory is still allocated.
  void join() {
    const std::lock_guard lock(mutex_);
    ++helpers_;
  }
  bool leave() {
    const std::lock_guard lock(mutex_);
    const auto empty = [](const Blocks& blocks) { return blocks.empty(); };
    return --helpers_ == 0 && !std::all_of(blocks_.begin(), blocks_.end(), empty);
  }

 private:
  struct Block {
    std::size_t bytes;
    std::shared_ptr<SunMemoryCounts> counts;  // of the helper that allocated it
  };
  using Blocks = std::unordered_map<void*, Block>;

  static constexpr std::size_t alignment = 64;
  static constexpr Space spaces[] = {Space::host, Space::pinned, Space::device, Space::managed};

  static std::size_t index(int type) {
    if (type < SUNMEMTYPE_HOST || type > SUNMEMTYPE_UVM)
      throw SunMemoryFailure(sun_error::out_of_range, "unknown memory type " + std::to_string(type));
    return static_cast<std::size_t>(type);
  }
  static const char* name(SUNMemoryType type) { return gpu::name(spaces[index(type)]); }

  void check(const Resource* resource, Space space) const {
    if (resource == nullptr) return;
    if (resource->place().space != space)
      throw SunMemoryFailure(sun_error::unsupported,
                             std::string("a resource is not of ") + gpu::name(space) + " memory");
    if (space == Space::host) return;
    if (resources_.device == nullptr || resource->place().device != resources_.device->properties().number)
      throw SunMemoryFailure(sun_error::unsupported, "a resource is of another device than the helper");
  }

  // The queue to submit to; none if the argument is null or belongs to the caller.
  Queue own_queue(void* queue) const {
    if (queue == nullptr || resources_.wait_for != nullptr) return {};
    return *static_cast<const Queue*>(queue);
  }

  void add(SUNMemoryType type, void* pointer, const Block& block) {
    const std::lock_guard lock(mutex_);
    blocks_[index(type)].emplace(pointer, block);
    SunMemoryStatistics& counts = (*block.counts)[index(type)];
    ++counts.allocations;
    counts.bytes += block.bytes;
    counts.peak_bytes = std::max(counts.peak_bytes, counts.bytes);
  }

  Block remove(SUNMemoryType type, void* pointer) {
    const std::lock_guard lock(mutex_);
    Blocks& blocks = blocks_[index(type)];
    const auto found = blocks.find(pointer);
    if (found == blocks.end())
      throw SunMemoryFailure(sun_error::corrupt,
                             std::string("deallocation of memory that is not allocated as ") + name(type) +
                                 " memory of this helper or a clone");
    Block block = std::move(found->second);
    blocks.erase(found);
    SunMemoryStatistics& counts = (*block.counts)[index(type)];
    ++counts.deallocations;
    counts.bytes -= block.bytes;
    return block;
  }

  // The memory as the side of a copy of that many bytes. The size of wrapped memory is unknown.
  Memory view(SUNMemory memory, std::size_t bytes) const {
    if (memory == nullptr || memory->ptr == nullptr)
      throw SunMemoryFailure(sun_error::corrupt, "copy from or to null");
    const std::size_t type = index(memory->type);
    if (spaces[type] != Space::host && resources_.device == nullptr)
      throw SunMemoryFailure(sun_error::unsupported, std::string("copy of ") + name(memory->type) +
                                                         " memory by a helper without a device");
    {
      const std::lock_guard lock(mutex_);
      const auto found = blocks_[type].find(memory->ptr);
      if (found != blocks_[type].end() && bytes > found->second.bytes)
        throw SunMemoryFailure(sun_error::out_of_range, "copy of " + std::to_string(bytes) +
                                                            " bytes from or to memory of " +
                                                            std::to_string(found->second.bytes));
    }
    const bool on_host = spaces[type] == Space::host;
    return Memory::wrap(memory->ptr, bytes,
                        {spaces[type], on_host ? 0 : resources_.device->properties().number});
  }

  // gpu::copy would create a queue for each copy.
  void copy_synchronously(const Memory& to, const Memory& from, std::size_t bytes) {
    const auto on_device = [](const Memory& memory) {
      return memory.place().space == Space::device || memory.place().space == Space::managed;
    };
    if (!on_device(to) && !on_device(from)) {
      gpu::copy(nullptr, {}, to, from, bytes);
      return;
    }
    const std::lock_guard lock(copy_mutex_);
    if (own_queue_.synchronous()) own_queue_ = resources_.device->create_queue();
    gpu::copy(resources_.device, own_queue_, to, from, bytes);
    resources_.device->synchronize(own_queue_);
  }

  void note_copy(Queue queue) {
    const Event last = mark(queue);
    const std::lock_guard lock(mutex_);
    for (Event& copy : copies_) {
      if (copy.queue != last.queue) continue;
      copy.ticket = std::max(copy.ticket, last.ticket);
      return;
    }
    copies_.push_back(last);
  }

  std::vector<Event> submitted_copies() const {
    const std::lock_guard lock(mutex_);
    return copies_;
  }

  const SunMemoryResources resources_;
  const std::array<Resource*, 4> by_type_;
  mutable std::mutex mutex_;  // protects blocks_, all counts, copies_ and helpers_
  std::array<Blocks, 4> blocks_;
  std::vector<Event> copies_;  // of each queue, the last copy
  int helpers_ = 0;
  std::mutex copy_mutex_;
  Queue own_queue_;  // for copies without a queue
};

}  // namespace meander::gpu
