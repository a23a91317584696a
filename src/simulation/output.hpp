// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The output of a run and its schedule: plot files with their index, rows of history.csv, the files of diagnostics with
// rows at times of their own, and what the input asks for in addition (outputs/requested_outputs.hpp).

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/checkpoint_file.hpp"
#include "io/plot_file.hpp"
#include "io/row_files.hpp"
#include "simulation/outputs/requested_outputs.hpp"
#include "simulation/outputs/schedule.hpp"
#include "simulation/simulation.hpp"

namespace meander::simulation {

// The counters of a run's output, which a checkpoint holds and a restart in the same directory continues.
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

// A diagnostic ends the run. State and files are intact.
struct StoppedByDiagnostic : parallel::AgreedFailure {
  using parallel::AgreedFailure::AgreedFailure;
};

// All functions are collective unless they say otherwise; a failure of one rank is thrown on all ranks. The
// root writes history, series and the files of diagnostics, all ranks write plot files.
class Output {
 public:
  // Files go into `directory`, which exists. The simulation must outlive this object.
  Output(Simulation& simulation, std::string directory);

  // Writes the first plot and the first row.
  void start();
  // Restarts in the directory of a checkpoint whose state save() has added to, in two calls. The first reads and checks
  // history, files of diagnostics and series, and changes nothing; it warns of missing rows of history. `path`: the
  // checkpoint, for messages. Throws InputError (several ranks: AgreedInputError).
  void check_resume(const io::CheckpointState& checkpoint, const std::string& path);
  // The second truncates these files to the checkpoint's step, and files of diagnostics that this run does not write,
  // too. The numbering of plots continues.
  void resume();
  // Adds the counters that check_resume() needs, and flushes all rows so far to the disk. Call after all output due at this
  // step.
  void save(io::CheckpointState& checkpoint);

  // The time that the next step must not pass: that of the next output, or the end of the run. Not collective.
  double next_stop() const;
  // Writes what is due. Call after every step. Throws StoppedByDiagnostic after everything is written.
  void after_step();
  // Writes the last plot, row and images of the run, unless they are written. Returns whether it has written a plot or a
  // row, which a checkpoint of this step then lacks.
  bool finish();
  // Writes the failing state to failed_NNNNNN.vtkhdf, which the series does not list. Returns the path.
  std::string write_failed_state();

 private:
  // The columns of history.csv and their values at present.
  std::vector<Measure> history() const;
  std::vector<io::Column> columns() const;
  void plot();
  void write(const std::string& path);
  void row();
  std::vector<io::RowFile> row_files() const;
  void on_root(const std::function<void()>& body) const;
  // `requested`: the rows due in files of requested outputs.
  void write_rows(std::vector<io::Row> requested);

  // What a restart keeps of its files.
  struct Kept {
    io::KeptRows history;
    io::KeptRowFiles files;
  };

  Simulation& simulation_;
  std::string directory_;
  io::PlotSeries series_;
  std::optional<Kept> kept_;  // from check_resume() to resume(), of the root
  std::unique_ptr<io::History> history_;
  std::unique_ptr<io::RowFiles> files_;  // of diagnostics, then of requested outputs
  OutputSchedule plots_;
  RequestedOutputs requested_;
  OutputCounters counters_;
};

}  // namespace meander::simulation
