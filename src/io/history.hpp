// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// history.csv: one row of numbers a step, or every n steps.

#include <cstdint>
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

  // Continues the file of a run that is taken up again after step `last`: rows of later steps go, as does a
  // last line that is not whole; the file is replaced by what stays, or created if there is none. The first
  // column is "step". Throws InputError if the file has other columns, and Failure.
  History(std::string path, std::span<const Column> columns, std::int64_t last);

  // One value a column, with 17 digits, so that it reads back to the same bits. On the disk's way when it
  // returns: a run that dies leaves all rows before. Throws Failure.
  void row(std::span<const double> values);

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
