// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// One file written by all ranks at once, each its own rows.
//
// Not through MPI-IO: on a full disk Open MPI 4.1's MPI_File_write_at_all says that all went well on all
// ranks, and the next call hangs. A rank's rows of a dataset are one contiguous piece, so that plain writes
// of some megabytes are what a collective buffer would end as.

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

  // Opens a file that exists. `shown`: what failures call it. Throws Failure (several ranks:
  // parallel::AgreedFailure), as all that follows. Collective.
  ParallelFile(const std::string& path, const std::string& shown, const parallel::Communicator& communicator);

  // A table at `offset` has rows of `row_bytes` each; this rank's are [first, first + rows), and may be none.
  // fill() is called once a row, ascending, and rows are held in memory a few megabytes at a time.
  // Collective.
  void write_rows(std::int64_t offset, std::int64_t row_bytes, std::int64_t first, std::int64_t rows,
                  const Fill& fill);
  // All that any rank has written, to the disk. Collective.
  void flush();

  // This rank's alone.
  RawFile& raw() { return *file_; }

 private:
  const parallel::Communicator& communicator_;
  std::unique_ptr<RawFile> file_;
};

}  // namespace meander::io
