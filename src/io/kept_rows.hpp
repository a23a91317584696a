// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The rows of a text file that a restart keeps. They are found in one call and the file is cut in another, so that a
// restart can check all of its files before it changes the first.

#include <cstdint>
#include <optional>
#include <string>

namespace meander::io {

enum class RowFormat : std::uint8_t {
  table,   // a line with the names of the columns, "step,time,mass", then rows "1,0.5,2"
  samples  // lines of comments (#), then rows "0.5 2"
};

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

  // Cuts the file after these rows, or creates it with its header. Its folder exists. Throws Failure.
  void cut() const;

 private:
  std::string path_, header_;
  std::uintmax_t bytes_ = 0;  // of header and rows; 0: the header has to be written
  std::optional<double> last_;
};

// The header of a file with rows by step and time (table) or by time (samples); empty: it begins otherwise, or ends
// within its header. Throws InputError if it cannot be read.
std::string header_in(const std::string& path, RowFormat format);

}  // namespace meander::io
