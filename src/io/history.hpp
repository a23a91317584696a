// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// history.csv: a row of numbers every n steps; and tables of diagnostics in the same format, also with words.

#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "io/kept_rows.hpp"

namespace meander::io {

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
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace meander::io
