// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// An HDF5 file written by all ranks: the root creates its layout, all ranks write their rows, the root
// renames it.
//
// HDF5's MPI driver is not used: with HDF5 1.10 a failed write crashes or hangs. Nor is MPI-IO: on a full disk
// MPI_File_write_at_all of Open MPI 4.1 reports success on all ranks, and the next call hangs. The rows of a rank in a
// dataset are contiguous, so that plain writes of some megabytes are as large as those of a collective buffer.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "io/files.hpp"
#include "io/hdf5.hpp"
#include "parallel/communicator.hpp"

namespace meander::io {

class CollectiveFile {
 public:
  // Creates the file under a temporary name and reserves all its space on the disk. create() is called on the
  // root alone. Without flush_and_rename() the destructor removes the file. All functions throw Failure
  // (several ranks: parallel::AgreedFailure). Collective.
  CollectiveFile(const std::string& path, const parallel::Communicator& communicator, int user_block,
                 const std::function<void(hdf5::Writer&)>& create);

  // Sets the bytes of a row, counted from this rank's first.
  using Fill = std::function<void(std::int64_t row, std::byte* bytes)>;
  // Writes rows [first, first + rows) of the table at `offset`; a row has `row_bytes` bytes, and a rank may
  // have no rows. fill() is called once for each row, ascending. A few megabytes of rows are in memory at a
  // time. Collective.
  void write_rows(std::int64_t offset, std::int64_t row_bytes, std::int64_t first, std::int64_t rows,
                  const Fill& fill);
  // Flushes the writes of all ranks to the disk. Collective.
  void flush();
  // Calls finish() on the root alone, then flushes the file and renames it, replacing an older file.
  // Collective.
  void flush_and_rename(const std::function<void(RawFile&)>& finish = {});

  // Not collective.
  RawFile& raw() { return *file_; }

 private:
  const parallel::Communicator& communicator_;
  std::optional<TemporaryFile> temporary_;  // the root's
  std::optional<RawFile> file_;
};

}  // namespace meander::io
