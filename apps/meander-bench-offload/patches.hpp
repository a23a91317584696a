// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Patches without a mesh for the benchmark. Their state is constant, so that updates do not change it.

#include <algorithm>
#include <vector>

#include "offload/task_pool.hpp"
#include "physics/ccz4/unknowns.hpp"
#include "solvers/solver.hpp"

namespace meander::bench {

// Initialises a slot: gas at rest, or flat spacetime for layouts of ten or more unknowns.
inline void fill(const solvers::PatchLayout& layout, double* q) {
  namespace ccz4 = ccz4::at;
  const bool gas = layout.unknowns < 10;
  for (int unknown = 0; unknown < layout.unknowns; ++unknown) {
    double value = gas ? (unknown == 0 ? 1 : unknown == layout.unknowns - 1 ? 2.5 : 0) : 0;
    if (!gas) {
      for (const int one : {ccz4::g, ccz4::g + 3, ccz4::g + 5, ccz4::a, ccz4::phi})
        value = unknown == one ? 1 : value;
    }
    std::fill_n(q + unknown * layout.unknown_stride(), layout.unknown_stride(), value);
  }
}

// Slots with stage blocks, and tasks, of `count` patches.
class Patches {
 public:
  Patches(const solvers::PatchLayout& layout, int stage_blocks, int count)
      : memory_(size(layout, stage_blocks) * static_cast<std::size_t>(count)),
        tasks_(static_cast<std::size_t>(count)),
        status_(tasks_.size()) {
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      tasks_[i].q = memory_.data() + i * size(layout, stage_blocks);
      if (stage_blocks > 0) tasks_[i].stages = tasks_[i].q + layout.slot_size();
      fill(layout, tasks_[i].q);
      tasks_[i].dx = 0.01;
    }
  }
  int count() const { return static_cast<int>(tasks_.size()); }
  void put_into(offload::TaskPool& pool) {
    for (std::size_t i = 0; i < tasks_.size(); ++i) pool.put({&tasks_[i], &status_[i], 0});
  }

 private:
  static std::size_t size(const solvers::PatchLayout& layout, int stage_blocks) {
    return static_cast<std::size_t>(layout.slot_size() + stage_blocks * layout.stage_block_size());
  }

  std::vector<double> memory_;
  std::vector<solvers::PatchTask> tasks_;
  std::vector<solvers::PatchStatus> status_;
};

}  // namespace meander::bench
