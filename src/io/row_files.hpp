// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Text files with rows: history.csv and tables of diagnostics, whose rows are in the file at once, and samples, of which
// there may be hundreds.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace meander::io {

enum class RowFormat : std::uint8_t {
  table,   // a line with the names of the columns, "step,time,mass", then rows "1,0.5,2"
  samples  // lines of comments (#), then rows "0.5 2"
};

// The rows that a restart keeps. They are found in one call and the file is cut in another, so that a restart can check
// all of its files before it changes the first.
class KeptRows {
 public:
  // Reads the rows up to `last` inclusive; their first cell is the step (table) or the time (samples), ascending. A
  // file that does not exist or ends within its header has none. The last line is dropped if it is no complete row,
  // since a run may have been killed while writing it, and so are blank lines at the end. `header`: complete lines.
  // Throws InputError that names the file if it has another header, and the line if it is no row; and Failure.
  KeptRows(std::string path, std::string header, RowFormat format, double last);

  const std::string& path() const { return path_; }
  const std::string& header() const { return header_; }
  // The first cell of the last row; none: there is no row.
  std::optional<double> last() const { return last_; }

  // Cuts the file after these rows, or creates it with its header, on the disk. Its folder exists. Throws Failure.
  void cut() const;

 private:
  std::string path_, header_;
  std::uintmax_t bytes_ = 0;  // of header and rows; 0: the header has to be written
  std::optional<double> last_;
};

// The header of a file with rows by step and time (table) or by time (samples); empty: it begins otherwise, or ends
// within its header. Throws InputError if it cannot be read.
std::string header_in(const std::string& path, RowFormat format);

// history.csv: a row of numbers every n steps; and tables of diagnostics in the same format, also with words.
struct Column {
  std::string name, unit;
};

class History {
 public:
  // Creates the file with its header of names and units, "time [time],mass [kg],steps". Throws Failure.
  History(std::string path, std::span<const Column> columns);

  // The rows that a run keeps which restarts after step `last`. The first column must be "step". Throws as KeptRows.
  static KeptRows kept(std::string path, std::span<const Column> columns, std::int64_t last);
  // Continues the file after these rows: cuts or creates it. Throws Failure.
  explicit History(const KeptRows& kept);
  // Both at once.
  History(std::string path, std::span<const Column> columns, std::int64_t last)
      : History(kept(std::move(path), columns, last)) {}

  // Writes one value for each column with 17 digits, which read back to the same bits. The row has left the
  // buffers of the process on return, so that a killed run keeps all its rows. Throws Failure.
  void row(std::span<const double> values);
  // As above; cells other than the first may be words without commas, quotes and line ends.
  void row(std::span<const std::string> cells);
  // Flushes the rows since the last call to the disk. Throws Failure.
  void flush_to_disk();
  // A number as a cell.
  static std::string cell(double value);

 private:
  void open(const char* mode);
  void write(const std::string& line);

  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  std::size_t columns_;
  bool has_new_rows_ = false;  // since the last flush_to_disk()
  std::unique_ptr<std::FILE, Close> file_;
};

// A file with rows at times of their own, in one of the two formats.
struct RowFile {
  // In the format of history.csv, with columns "step" and "time" before these. Cells are numbers or words.
  struct Table {
    std::vector<std::string> columns;
  };
  // Lines of comments (#), then rows of the time and of numbers, separated by spaces. numpy.loadtxt and the readers of
  // other codes take them.
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

// Written by one process. Samples are collected and written at most once a minute, so that hundreds of files cost little
// on a parallel file system; flush() before a checkpoint, from which a killed run restarts.
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
  // Everything added is on the disk on return. Throws Failure.
  void flush_to_disk();

 private:
  // Of each file.
  std::vector<std::optional<History>> tables_;  // none: its rows are samples
  std::vector<std::string> paths_, pending_;    // pending_: samples to be written
  std::vector<bool> has_new_samples_;           // written since the last flush_to_disk()
  std::chrono::steady_clock::time_point flushed_ = std::chrono::steady_clock::now();
};

}  // namespace meander::io
