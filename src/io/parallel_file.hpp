// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A file written by all ranks at once, each rank its own rows.
//
// MPI-IO is not used: on a full disk MPI_File_write_at_all of Open MPI 4.1 reports success on all ranks, and
// the next call hangs. The rows of a rank in a dataset are contiguous, so that plain writes of some megabytes
// are as large as those of a collective buffer.

#include <cstdint>
#include <functional>
#include <string>

#include "io/raw_file.hpp"
#include "parallel/communicator.hpp"

namespace meander::io {

class ParallelFile {
 public:
  // Sets the bytes of a row, counted from this rank's first.
  using Fill = std::function<void(std::int64_t row, std::byte* bytes)>;

  // Opens an existing file. `shown`: its name in messages. All functions throw Failure (several ranks:
  // parallel::AgreedFailure). Collective.
  ParallelFile(const std::string& path, const std::string& shown, const parallel::Communicator& communicator);

  // Writes rows [first, first + rows) of the table at `offset`; a row has `row_bytes` bytes, and a rank may
  // have no rows. fill() is called once for each row, ascending. A few megabytes of rows are in memory at a
  // time. Collective.
  void write_rows(std::int64_t offset, std::int64_t row_bytes, std::int64_t first, std::int64_t rows,
                  const Fill& fill);
  // Flushes the writes of all ranks to the disk. Collective.
  void flush();

  // Not collective.
  RawFile& raw() { return *file_; }

 private:
  const parallel::Communicator& communicator_;
  std::unique_ptr<RawFile> file_;
};

}  // namespace meander::io
