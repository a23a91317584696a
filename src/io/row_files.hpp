// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The files of a run with rows at times of their own, beside history.csv, in one of two formats: tables (history.hpp), whose
// rows are in the file at once, and samples (sample_files.hpp), of which there may be hundreds.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "io/history.hpp"
#include "io/sample_files.hpp"

namespace meander::io {

struct RowFile {
  // In the format of history.csv, with columns "step" and "time" before these. Cells are numbers or words.
  struct Table {
    std::vector<std::string> columns;
  };
  // Lines of comments, then rows of the time and of numbers.
  struct Samples {
    std::string header;  // lines without "#", each ended by a newline
  };
  std::string name;  // relative to the output directory; of samples possibly in a folder there
  std::variant<Table, Samples> format;
};

// The cells of a row without step and time, numbers by History::cell(). Empty: no row is due.
using Row = std::vector<std::string>;

struct StepAndTime {
  std::int64_t step = 0;
  double time = 0;
};

// Names of files with rows in a folder of the output directory.
struct RowFileNames {
  RowFormat format;
  std::string folder;   // empty: the directory itself
  std::string pattern;  // an extended regular expression of POSIX for the whole name
};

// The rows that a run keeps which restarts after `last`: of its files, and of others in the directory with names in
// `others`, which parts of the run with another input have written. Throws as KeptRows.
struct KeptRowFiles {
  KeptRowFiles(const std::string& directory, std::span<const RowFile> files, const StepAndTime& last,
               std::span<const RowFileNames> others = {});
  std::vector<KeptRows> of_run, of_others;
};

// Written by one process.
class RowFiles {
 public:
  // Creates the files and their folders. Throws Failure, also if a file of samples exists.
  RowFiles(const std::string& directory, std::span<const RowFile> files);

  // Continues the files after the rows that are kept: cuts all that exist, and creates those of the run that do not.
  // `files`: those of `kept`. Throws Failure.
  RowFiles(std::span<const RowFile> files, const KeptRowFiles& kept);

  // One entry for each file. Throws Failure.
  void add(const StepAndTime& at, std::span<const Row> rows);
  // Everything added has left the buffers of the process on return. Throws Failure.
  void flush();

 private:
  std::vector<std::optional<History>> tables_;  // of each file; none: its rows are samples
  std::optional<SampleFiles> samples_;
};

}  // namespace meander::io
