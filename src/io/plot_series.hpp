// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// plot.vtkhdf.series: the plot files of a run and their times, for ParaView. Rewritten whole with each.

#include <string>
#include <utility>
#include <vector>

namespace meander::io {

class PlotSeries {
 public:
  explicit PlotSeries(std::string directory) : directory_(std::move(directory)) {}

  // Names and times of the files in the series at `path`. Throws InputError if it is not what add() writes,
  // and Failure.
  static std::vector<std::pair<std::string, double>> read(const std::string& path);

  // Takes up the series that an earlier part of the run has left in the directory, without the plots of later
  // times than `time`, and rewrites it so. Without such a file it starts anew. Throws InputError if the file
  // is not what add() writes, and Failure.
  void resume(double time);
  // `name`: of a file in the directory. Throws Failure.
  void add(const std::string& name, double time);

  const std::vector<std::pair<std::string, double>>& files() const { return files_; }

 private:
  std::string path() const;
  void write() const;

  std::string directory_;
  std::vector<std::pair<std::string, double>> files_;
};

}  // namespace meander::io
