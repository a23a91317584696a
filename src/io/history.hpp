// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// history.csv: one row of numbers a step, or every n steps.

#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace meander::io {

struct Column {
  std::string name, unit;
};

class History {
 public:
  // Creates the file with its header, "time [time],mass [density length^3],steps": name and unit. Throws
  // Failure.
  History(std::string path, std::span<const Column> columns);

  // One value a column, with 17 digits, so that it reads back to the same bits. On the disk's way when it
  // returns: a run that dies leaves all rows before. Throws Failure.
  void row(std::span<const double> values);

 private:
  void write(const std::string& line);

  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  std::size_t columns_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace meander::io
