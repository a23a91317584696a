// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "settings.hpp"
#include "streams.hpp"

namespace cuda_emulator {
namespace {

// Of the process, and never destroyed: kernels run until its end.
struct Memory {
  std::map<std::uint64_t, MemoryBlock> blocks;
  std::vector<std::uint64_t> used, next;  // a device
  std::uint64_t next_of_host = HOST_ARENA, most = 0;
  Shadow* shadow_of_devices = nullptr;
  Shadow* shadow_of_host = nullptr;
  long allocations = 0;
};
Memory& memory() {
  static auto& all = *new Memory;
  return all;
}
Shadow* const& devices_shadow = memory().shadow_of_devices;
Shadow* const& host_shadow = memory().shadow_of_host;

constexpr std::uint64_t page = 4096;
std::uint64_t round_up(std::uint64_t n, std::uint64_t to) {
  return (n + to - 1) / to * to;
}

// Gives whole pages back to the system: they read as zeros.
template <class T>
void discard(T* begin, T* end) {
  const auto from = round_up(reinterpret_cast<std::uint64_t>(begin), page);
  const auto to = reinterpret_cast<std::uint64_t>(end) / page * page;
  if (to > from) madvise(reinterpret_cast<void*>(from), to - from, MADV_DONTNEED);
}

const char* name(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::device:
      return "device";
    case MemoryKind::pool:
      return "pool";
    case MemoryKind::pinned:
      return "pinned";
    case MemoryKind::managed:
      break;
  }
  return "managed";
}

bool on_device(MemoryKind kind) {
  return kind == MemoryKind::device || kind == MemoryKind::pool;
}

}  // namespace

void* reserve(std::uint64_t at, std::uint64_t size, int protection) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (at ? MAP_FIXED_NOREPLACE : 0);
  void* const found = mmap(reinterpret_cast<void*>(at), size, protection, flags, -1, 0);
  if (found == MAP_FAILED || (at && found != reinterpret_cast<void*>(at)))
    give_up(fmt::format("no {} bytes of addresses: {}", size, std::strerror(errno)));
  return found;
}

void reserve_memory() {
  Memory& m = memory();
  const auto devices = static_cast<std::uint64_t>(settings().devices);
  const std::uint64_t all = addresses_per_device * devices;
  reserve(DEVICE_ARENA, all, PROT_NONE);
  reserve(DEVICE_ARENA + DEVICE_ALIAS, all, PROT_READ | PROT_WRITE);
  reserve(HOST_ARENA, HOST_ARENA_SIZE, PROT_READ | PROT_WRITE);
  if (settings().checks) {
    m.shadow_of_devices = static_cast<Shadow*>(reserve(0, all / 4 * sizeof(Shadow), PROT_READ | PROT_WRITE));
    m.shadow_of_host =
        static_cast<Shadow*>(reserve(0, HOST_ARENA_SIZE / 4 * sizeof(Shadow), PROT_READ | PROT_WRITE));
  }
  m.used.resize(devices, 0);
  for (std::uint64_t d = 0; d < devices; ++d)
    m.next.push_back(DEVICE_ARENA + addresses_per_device * d + 0x10000);
}

std::uint8_t* bytes_of(std::uint64_t at) {
  return reinterpret_cast<std::uint8_t*>(is_device_address(at) ? at + DEVICE_ALIAS : at);
}

Shadow* shadow(std::uint64_t at) {
  if (at - DEVICE_ARENA < addresses_per_device * static_cast<std::uint64_t>(settings().devices))
    return devices_shadow + (at - DEVICE_ARENA) / 4;
  return is_host_address(at) ? host_shadow + (at - HOST_ARENA) / 4 : nullptr;
}

void mark(std::uint64_t at, std::uint64_t size, bool allocated, bool written, std::uint64_t operation) {
  Shadow* const first = settings().checks ? shadow(at) : nullptr;
  if (!first) return;
  Shadow* const last = first + (size + 3) / 4;
  if (!allocated && size > 65536) {
    // The rest of the first and the last page by hand.
    const auto begin = round_up(reinterpret_cast<std::uint64_t>(first), page);
    const auto end = reinterpret_cast<std::uint64_t>(last) / page * page;
    for (Shadow* s = first; s < last && reinterpret_cast<std::uint64_t>(s) < begin; ++s) *s = {};
    for (Shadow* s = last - 1; s >= first && reinterpret_cast<std::uint64_t>(s + 1) > end; --s) *s = {};
    discard(first, last);
    return;
  }
  std::fill(first, last, Shadow{operation ? pack_id(operation, 0, 0, 0) : 0, 0, allocated, written, 0, 0});
}

MemoryBlock* find_block(std::uint64_t at) {
  auto found = memory().blocks.upper_bound(at);
  if (found == memory().blocks.begin()) return nullptr;
  --found;
  return at < found->second.at + found->second.size ? &found->second : nullptr;
}

MemoryBlock* block_at(std::uint64_t at) {
  const auto found = memory().blocks.find(at);
  return found == memory().blocks.end() ? nullptr : &found->second;
}

cudaError_t take(void** out, std::size_t bytes, MemoryKind kind, int device) {
  Memory& m = memory();
  *out = nullptr;
  if (bytes == 0) return cudaSuccess;
  const long number = ++m.allocations, failing = settings().failing_malloc;
  if (failing > 0 && number >= failing && number < failing + settings().failing_mallocs)
    return cudaErrorMemoryAllocation;
  const auto d = static_cast<std::size_t>(device);
  if (on_device(kind) && static_cast<double>(m.used[d]) + static_cast<double>(bytes) > settings().memory)
    return cudaErrorMemoryAllocation;
  std::uint64_t& next = on_device(kind) ? m.next[d] : m.next_of_host;
  const std::uint64_t end =
      on_device(kind) ? DEVICE_ARENA + addresses_per_device * (d + 1) : HOST_ARENA + HOST_ARENA_SIZE;
  if (bytes > end - next || round_up(bytes, 512) + 512 > end - next) {
    if (!on_device(kind)) return cudaErrorMemoryAllocation;
    give_up("addresses of a device are used up");
  }
  const std::uint64_t at = next;
  next += round_up(bytes, 512) + 512;
  if (on_device(kind)) {
    m.used[d] += bytes;
    m.most = std::max(m.most, m.used[d]);
  }
  m.blocks[at] = {at, bytes, kind, device};
  *out = reinterpret_cast<void*>(at);
  std::memset(bytes_of(at), 0xff, bytes);  // NaN
  return cudaSuccess;
}

void give(std::uint64_t at) {
  Memory& m = memory();
  const MemoryBlock block = m.blocks[at];
  if (on_device(block.kind)) m.used[static_cast<std::size_t>(block.device)] -= block.size;
  m.blocks.erase(at);
  std::uint8_t* const bytes = bytes_of(at);
  std::memset(bytes, 0xfe, std::min<std::uint64_t>(block.size, 2 * page));
  discard(bytes, bytes + block.size);
}

std::uint64_t allocated_bytes(int device) {
  return memory().used[static_cast<std::size_t>(device)];
}

std::uint64_t most_allocated_bytes() {
  return memory().most;
}

std::string leftovers() {
  std::string text;
  for (const auto& [at, block] : memory().blocks)
    text += fmt::format(" {} bytes ({})", block.size, name(block.kind));
  return text;
}

std::string place(std::uint64_t at) {
  const std::lock_guard lock(runtime_mutex());
  const MemoryBlock* const block = find_block(at);
  return block ? fmt::format("{} bytes ({}), offset {}", block->size, name(block->kind), at - block->at)
               : "no allocation";
}

}  // namespace cuda_emulator
