// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/host_address_space.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "base/process.hpp"
#include "gpu/misuse.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace meander::gpu {

namespace {

constexpr std::size_t page = 4096;
// Address space is free. With a range larger than the capacity, fragmentation of addresses does not limit
// allocation, as on a device that maps pages.
constexpr std::size_t addresses_a_byte = 4;

char* reserve(std::size_t bytes, int protection) {
  void* pointer = mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pointer == MAP_FAILED)
    throw DeviceError("the emulated device cannot reserve its addresses: " + std::string(strerror(errno)),
                      true);
  return static_cast<char*>(pointer);
}

#ifdef NDEBUG
constexpr std::size_t poisoned = 1 << 16;  // a kernel that reads fresh memory usually reads its first bytes
#else
constexpr std::size_t poisoned = std::numeric_limits<std::size_t>::max();
#endif

void poison(char* bytes, std::size_t count) {
  constexpr std::uint64_t signalling_nan = 0x7ff4dead7ff4dead;
  for (std::size_t i = 0; i + sizeof signalling_nan <= std::min(count, poisoned); i += sizeof signalling_nan)
    std::memcpy(bytes + i, &signalling_nan, sizeof signalling_nan);
}

std::size_t in_pages(std::size_t bytes) {
  return (bytes + page - 1) / page * page;
}

// The red zone: the rest of a block's last page. The page that follows is protected. AddressSanitizer reports the access
// itself, other builds an overwritten zone when the block is released.
constexpr unsigned char zone_byte = 0xfb;

#if defined(__SANITIZE_ADDRESS__)
void forbid(const char* from, std::size_t bytes) {
  __asan_poison_memory_region(from, bytes);
}
void permit(const char* from, std::size_t bytes) {
  __asan_unpoison_memory_region(from, bytes);
}
#else
void forbid(const char*, std::size_t) {}
void permit(const char*, std::size_t) {}
#endif

void make_zone(char* block, std::size_t bytes) {
  std::memset(block + bytes, zone_byte, in_pages(bytes) - bytes);
  forbid(block + bytes, in_pages(bytes) - bytes);
}

// Permits access to all pages of the block.
bool zone_intact(const char* block, std::size_t bytes) {
  permit(block, in_pages(bytes));
  return std::all_of(block + bytes, block + in_pages(bytes),
                     [](char byte) { return static_cast<unsigned char>(byte) == zone_byte; });
}

}  // namespace

HostAddressSpace::HostAddressSpace(std::size_t capacity)
    : capacity_(capacity), range_(span(capacity) * addresses_a_byte + page) {
  addresses_ = reserve(range_, PROT_NONE);
  try {
    bytes_ = reserve(range_, PROT_NONE);
  } catch (...) {
    munmap(addresses_, range_);
    throw;
  }
  free_[page] = range_ - page;
}

HostAddressSpace::~HostAddressSpace() {
  for (const auto& [address, block] : blocks_) {
    if (block.space != Space::device) {
      std::free(reinterpret_cast<void*>(address));
    } else {
      permit(bytes_ + (address - reinterpret_cast<std::uintptr_t>(addresses_)), in_pages(block.bytes));
    }
  }
  munmap(addresses_, range_);
  munmap(bytes_, range_);
}

// Each block is followed by a protected page; the first page of the range is protected, too.
std::size_t HostAddressSpace::span(std::size_t bytes) const {
  return in_pages(bytes) + page;
}

std::size_t HostAddressSpace::in_use() const {
  const std::lock_guard lock(mutex_);
  return in_use_;
}

void* HostAddressSpace::allocate(Space space, std::size_t bytes) {
  // Linux overcommits: it would grant memory that does not exist.
  if (bytes > (std::size_t{1} << 28) && static_cast<double>(bytes) > available_memory()) return nullptr;
  if (space != Space::device) {
    void* pointer = std::aligned_alloc(page, (bytes + page - 1) / page * page);
    if (pointer == nullptr) return nullptr;
    const std::lock_guard lock(mutex_);
    blocks_[reinterpret_cast<std::uintptr_t>(pointer)] = {bytes, space, Side::host};
    return pointer;
  }
  const std::lock_guard lock(mutex_);
  if (bytes > capacity_ - in_use_) return nullptr;
  const std::size_t wanted = span(bytes);
  const auto found =
      std::find_if(free_.begin(), free_.end(), [&](const auto& range) { return range.second >= wanted; });
  if (found == free_.end()) return nullptr;
  const auto [offset, length] = *found;
  if (mprotect(bytes_ + offset, in_pages(bytes), PROT_READ | PROT_WRITE) != 0) return nullptr;
  free_.erase(found);
  if (length > wanted) free_[offset + wanted] = length - wanted;
  in_use_ += bytes;
  blocks_[reinterpret_cast<std::uintptr_t>(addresses_ + offset)] = {bytes, space, Side::device};
  poison(bytes_ + offset, bytes);
  make_zone(bytes_ + offset, bytes);
  return addresses_ + offset;
}

bool HostAddressSpace::deallocate(Space space, void* pointer) {
  const std::lock_guard lock(mutex_);
  const auto found = blocks_.find(reinterpret_cast<std::uintptr_t>(pointer));
  if (found == blocks_.end() || found->second.space != space) return false;
  const std::size_t bytes = found->second.bytes;
  blocks_.erase(found);
  if (space != Space::device) {
    std::free(pointer);
    return true;
  }
  in_use_ -= bytes;
  auto offset = static_cast<std::size_t>(static_cast<char*>(pointer) - addresses_);
  std::size_t length = span(bytes);
  if (!zone_intact(bytes_ + offset, bytes)) report_misuse({Misuse::overrun, pointer, bytes, 0, {space, 0}});
  madvise(bytes_ + offset, length, MADV_DONTNEED);
  mprotect(bytes_ + offset, length, PROT_NONE);
  auto next = free_.lower_bound(offset);
  if (next != free_.end() && offset + length == next->first) {
    length += next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == offset) {
      before->second += length;
      return true;
    }
  }
  free_[offset] = length;
  return true;
}

bool HostAddressSpace::is_device(const void* pointer) const {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const auto begin = reinterpret_cast<std::uintptr_t>(addresses_);
  return address >= begin && address < begin + range_;
}

std::optional<HostAddressSpace::Place> HostAddressSpace::find(const void* pointer, std::size_t bytes) const {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const std::lock_guard lock(mutex_);
  auto found = blocks_.upper_bound(address);
  if (found == blocks_.begin()) return std::nullopt;
  --found;
  const auto& [begin, block] = *found;
  if (address - begin > block.bytes || bytes > block.bytes - (address - begin)) return std::nullopt;
  void* where = block.space == Space::device
                    ? bytes_ + (address - reinterpret_cast<std::uintptr_t>(addresses_))
                    : const_cast<void*>(pointer);
  return Place{where, block.space, reinterpret_cast<void*>(begin), block.bytes};
}

void HostAddressSpace::restrict_access(void* pointer, std::size_t usable, std::size_t bytes,
                                       Contents contents) const noexcept {
  const auto place = find(pointer, bytes);
  if (!place) return;
  auto* const from = static_cast<char*>(place->address);
  permit(from, usable);
  if (contents == Contents::undefined) poison(from, usable);
  forbid(from + usable, bytes - usable);
}

Side HostAddressSpace::move_to(void* block, Side side) {
  const std::lock_guard lock(mutex_);
  const auto found = blocks_.find(reinterpret_cast<std::uintptr_t>(block));
  if (found == blocks_.end()) return side;
  return std::exchange(found->second.side, side);
}

}  // namespace meander::gpu
