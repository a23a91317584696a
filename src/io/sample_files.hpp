// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Text files with rows of numbers at times of their own, beside history.csv: lines of comments (#), then the
// time and the values of a row, separated by spaces. numpy.loadtxt and the readers of other codes take them.

#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "io/kept_rows.hpp"

namespace meander::io {

struct SampleFile {
  std::string name;    // relative to the output directory, possibly in a folder there
  std::string header;  // lines without "#", each ended by a newline
};

// A row of each file: numbers with 17 digits, the time first; empty: none is due.
using SampleRows = std::vector<std::vector<std::string>>;

// The files of a run, written by one process. Rows are collected and written at most once a minute, so that
// hundreds of files cost little on a parallel file system; flush() before a checkpoint, from which a killed
// run restarts.
class SampleFiles {
 public:
  // Creates the files and their folders. Throws Failure, also if a file exists.
  SampleFiles(const std::string& directory, std::span<const SampleFile> files);

  // The rows that a run keeps which restarts at time `last`. Throws as KeptRows.
  static KeptRows kept(const std::string& directory, const SampleFile& file, double last);
  // Continues the files after these rows: cuts them, or creates them and their folders. Throws Failure.
  explicit SampleFiles(std::span<const KeptRows> kept);

  // One entry for each file. Throws Failure.
  void add(const SampleRows& rows);
  // Everything added has left the buffers of the process on return. Throws Failure.
  void flush();

 private:
  std::vector<std::string> paths_, pending_;
  std::chrono::steady_clock::time_point flushed_ = std::chrono::steady_clock::now();
};

}  // namespace meander::io
