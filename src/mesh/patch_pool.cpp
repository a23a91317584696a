// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/patch_pool.hpp"

#include <algorithm>
#include <cstring>

#include "base/assert.hpp"

namespace meander::mesh {

namespace {
constexpr std::size_t alignment = 64;
// Large enough for the slots of a batch to be contiguous, small enough to free memory after coarsening.
constexpr std::size_t largest_chunk = 32;
}  // namespace

PatchPool::PatchPool(gpu::Resource& memory, std::size_t slot_doubles)
    : memory_(memory), slot_doubles_(slot_doubles) {
  MEANDER_ASSERT(slot_doubles % 8 == 0);
}

PatchPool::~PatchPool() {
  for (const ChunkOfSlots& chunk : chunks_) {
    memory_.deallocate_sync(chunk.memory, chunk.slots * slot_doubles_ * sizeof(double), alignment);
  }
}

void PatchPool::add_chunk(std::size_t slots) {
  auto* memory =
      static_cast<double*>(memory_.allocate_sync(slots * slot_doubles_ * sizeof(double), alignment));
  chunks_.push_back({memory, slots});
  for (std::size_t i = 0; i < slots; ++i) {
    slots_.push_back(memory + i * slot_doubles_);
    in_use_.push_back(0);
  }
}

void PatchPool::reserve(std::size_t slots) {
  if (slots <= capacity()) return;  // available() reads files of the system, which takes 40 us
  // Linux overcommits memory and kills the process that uses it: check before the allocation.
  const std::size_t missing = (slots - capacity()) * slot_doubles_ * sizeof(double);
  if (missing > memory_.available()) {
    throw gpu::OutOfMemory(missing, capacity() * slot_doubles_ * sizeof(double), memory_.place());
  }
  const std::size_t chunk = std::clamp<std::size_t>(slots / 16, 1, largest_chunk);
  while (slots > capacity()) add_chunk(std::min(slots - capacity(), chunk));
}

int PatchPool::acquire() {
  if (held_ == capacity()) add_chunk(std::clamp<std::size_t>(capacity() / 32, 1, largest_chunk));
  while (in_use_[first_free_]) ++first_free_;
  in_use_[first_free_] = 1;
  ++held_;
  return static_cast<int>(first_free_);
}

void PatchPool::release(int slot) {
  const auto i = static_cast<std::size_t>(slot);
  MEANDER_ASSERT(i < capacity() && in_use_[i]);
  in_use_[i] = 0;
  --held_;
  first_free_ = std::min(first_free_, i);
}

std::vector<int> PatchPool::shrink(double slack) {
  const auto keep = static_cast<std::size_t>(slack * static_cast<double>(held_));
  // Only whole chunks are freed, the last first.
  std::size_t remaining = capacity(), chunks = chunks_.size();
  while (chunks > 0 && remaining - chunks_[chunks - 1].slots >= held_ && remaining > keep) {
    remaining -= chunks_[--chunks].slots;
  }
  if (chunks == chunks_.size()) return {};
  std::vector<int> moved(capacity(), -1);
  std::size_t free = 0;
  for (std::size_t i = 0; i < remaining; ++i) {
    if (in_use_[i]) moved[i] = static_cast<int>(i);
  }
  for (std::size_t i = remaining; i < capacity(); ++i) {
    if (!in_use_[i]) continue;
    while (in_use_[free]) ++free;
    std::memcpy(slots_[free], slots_[i], slot_doubles_ * sizeof(double));
    in_use_[free] = 1;
    moved[i] = static_cast<int>(free);
  }
  for (std::size_t c = chunks; c < chunks_.size(); ++c) {
    memory_.deallocate_sync(chunks_[c].memory, chunks_[c].slots * slot_doubles_ * sizeof(double), alignment);
  }
  chunks_.resize(chunks);
  slots_.resize(remaining);
  in_use_.resize(remaining);
  first_free_ = 0;
  return moved;
}

}  // namespace meander::mesh
