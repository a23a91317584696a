// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// plot.vtkhdf.series: the plot files of a run and their times, for ParaView. Rewritten with every plot.

#include <string>
#include <utility>
#include <vector>

namespace meander::io {

class PlotSeries {
 public:
  explicit PlotSeries(std::string directory) : directory_(std::move(directory)) {}

  // Names and times of the files in the series at `path`. Throws InputError if add() did not write the file,
  // and Failure.
  static std::vector<std::pair<std::string, double>> read(const std::string& path);

  // Continues the series of an earlier part of the run in the directory, in two calls. keep_until() drops plots of later
  // times than `time`, and leaves the file as it is; cut() rewrites it. Without such a file the series is empty. Throws
  // InputError if add() did not write the file, and Failure.
  void keep_until(double time);
  void cut() const;
  // Both at once.
  void resume(double time);
  // Adds a plot file. `name`: relative to the directory. Throws Failure.
  void add(const std::string& name, double time);

 private:
  std::string path() const;
  void write() const;

  std::string directory_;
  std::vector<std::pair<std::string, double>> files_;
};

}  // namespace meander::io
