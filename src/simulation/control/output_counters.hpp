// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The counters of a run's output, which a checkpoint holds and a restart in the same directory continues.

#include <string>

#include "io/checkpoint_file.hpp"

namespace meander::simulation {

struct OutputCounters {
  int next_plot = 0;
  int last_plot_step = -1, last_row_step = -1;  // -1: none
  bool last_row_is_final = false;               // written only because the run has ended
  int row_before_final = -1;                    // step of the row before that; -1: none, or not known

  // Those that save() has added. Throws InputError that names the checkpoint, `path`, if one is out of its range.
  static OutputCounters of(const io::CheckpointState& checkpoint, const std::string& path);
  void save(io::CheckpointState& checkpoint) const;

  // Forgets the final row.
  void drop_final_row();
};

}  // namespace meander::simulation
