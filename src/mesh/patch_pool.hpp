// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Patch storage of a rank: a pool of equal slots, one for each patch with its halo. Slots keep their address
// while they are held. Not thread-safe: slots are acquired and released between sweeps only.

#include <cstddef>
#include <span>
#include <vector>

#include "gpu/resource.hpp"

namespace meander::mesh {

class PatchPool {
 public:
  // Slots of `slot_doubles` doubles each (a multiple of 8), 64-byte aligned, from `memory`, which outlives
  // the pool.
  PatchPool(gpu::Resource& memory, std::size_t slot_doubles);
  ~PatchPool();
  PatchPool(const PatchPool&) = delete;
  PatchPool& operator=(const PatchPool&) = delete;

  // Raises the capacity to at least `slots` slots. Throws gpu::OutOfMemory; held slots are unchanged then.
  void reserve(std::size_t slots);
  // The free slot with the lowest number; its content is undefined. Grows by one chunk if there is none.
  int acquire();
  void release(int slot);

  double* operator[](int slot) const { return slots_[static_cast<std::size_t>(slot)]; }
  std::size_t slot_doubles() const { return slot_doubles_; }
  std::size_t capacity() const { return slots_.size(); }
  std::size_t held() const { return held_; }
  gpu::Place place() const { return memory_.place(); }

  // Frees memory until at most `slack` times the held slots (and a chunk) remain. Slots move: returns the new
  // number of each held slot, by old number; -1 for other slots. Empty if no slot moved.
  std::vector<int> shrink(double slack);

 private:
  struct ChunkOfSlots {
    double* memory;
    std::size_t slots;
  };
  void add_chunk(std::size_t slots);

  gpu::Resource& memory_;
  std::size_t slot_doubles_;
  std::vector<ChunkOfSlots> chunks_;
  std::vector<double*> slots_;
  std::vector<char> in_use_;
  std::size_t held_ = 0, first_free_ = 0;
};

}  // namespace meander::mesh
