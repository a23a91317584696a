// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The outputs in the run that the input asks for ([[output.slice]] and its like), their schedules and files.

#include <span>
#include <string>
#include <vector>

#include "io/plot_file.hpp"
#include "io/row_files.hpp"
#include "simulation/outputs/sampled.hpp"
#include "simulation/outputs/schedule.hpp"
#include "simulation/simulation.hpp"

namespace meander::simulation {

// All functions are collective unless they say otherwise.
class RequestedOutputs {
 public:
  // Files go into `directory`. The simulation must outlive this object.
  RequestedOutputs(Simulation& simulation, const std::string& directory);

  // The files with rows; and the rows for the state at present, one entry for each file, empty where none is due.
  std::vector<io::RowFile> row_files() const;
  // The names of all such files, whatever the input asks for.
  static std::vector<io::RowFileNames> all_row_files();

  // The time that the next step must not pass. Not collective.
  double next_stop() const;

  // Write images of the state at present, and return the rows due: of the first state; and after every step, where the
  // images of the last step are written in any case. A failure of the root is thrown on all ranks.
  std::vector<io::Row> start();
  std::vector<io::Row> after_step(bool is_last);
  // Writes those images of the last step that are not in their lists of files. Throws as after_step().
  void finish();

  // Bytes of the values in a file of images of the state at present, on the root.
  double image_bytes(const RequestedOutput& request) const;

  // Numbers in a row of a file with rows: the fields of a probe, the points of a line.
  std::size_t numbers_of_row(const RequestedOutput& request) const;

  // Restarts in the directory of a checkpoint at `time`, in two calls by the root: the first reads the lists of files, the
  // second cuts them (PlotSeries). Throw as PlotSeries.
  void check_resume(double time);
  void resume();

 private:
  struct Entry {
    RequestedOutput request;
    std::vector<OutputField> fields;
    OutputSchedule schedule;
    io::PlotSeries series;  // of the root
    SphereCells sphere;     // of spheres
    Points points;          // of lines and probes

    std::size_t row_files() const;
  };
  // Calls body(state) with the state at present. Halos are filled if a field of `entries` reads them.
  template <class Body>
  void with_state(std::span<const Entry* const> entries, const Body& body) const;
  std::vector<io::Row> write(const std::vector<bool>& due);
  Image image_of(const Entry& entry, const SampledState& state) const;
  void write_image(Entry& entry, const SampledState& state);
  std::vector<io::Row> rows(const Entry& entry, const SampledState& state) const;

  Simulation& simulation_;
  std::string directory_;
  LeafGrid grid_;
  std::vector<Entry> entries_;
};

}  // namespace meander::simulation
