// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What a run writes, and when: plot files with their index, and rows of history.csv.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "io/history.hpp"
#include "io/plot_file.hpp"
#include "io/plot_series.hpp"
#include "simulation/simulation.hpp"

namespace meander::simulation {

// All functions are collective unless they say otherwise, and a failure of one rank is thrown by all. History
// and series are the root's; plot files are written by all.
class Output {
 public:
  // Files go into `directory`, which exists. The simulation outlives this.
  Output(Simulation& simulation, std::string directory);

  // The first plot and the first row.
  void start();
  // Goes on from a checkpoint whose state save() has added to. If the run `continues` in the directory of the
  // one before, history and series are cut back to the checkpoint and plots numbered on; if not, as start().
  void resume(const io::CheckpointState& checkpoint, bool continues);
  // Adds what resume() needs; after all that was due at this step. Not collective.
  void save(io::CheckpointState& checkpoint) const;

  // The time the next step must not pass: of the next plot, or the end of the run. Not collective.
  double next_stop() const;
  // After every step: what is due.
  void after_step();
  // The last plot and the last row, unless just written.
  void finish();
  // The failing state, under a name of its own outside the series; returns the path.
  std::string write_failed_state();

  int plots() const { return plot_number_; }

 private:
  bool has_totals() const;
  std::vector<io::Column> columns() const;
  void plot();
  void write(const std::string& path);
  void row();
  void schedule_next_plot();
  void on_root(const std::function<void()>& body) const;

  Simulation& simulation_;
  std::string directory_;
  io::PlotSeries series_;
  std::unique_ptr<io::History> history_;
  std::vector<double> plot_times_;  // still to come, ascending
  double next_plot_;
  int plots_by_interval_ = 0, plot_number_ = 0, last_plot_step_ = -1, last_row_step_ = -1;
};

}  // namespace meander::simulation
