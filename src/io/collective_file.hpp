// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// An HDF5 file written by all ranks: the root creates its layout, all ranks write their rows, the root
// renames it.
//
// HDF5's MPI driver is not used: with HDF5 1.10 a failed write crashes or hangs.

#include <functional>
#include <optional>
#include <string>

#include "io/atomic_file.hpp"
#include "io/hdf5.hpp"
#include "io/parallel_file.hpp"

namespace meander::io {

class CollectiveFile {
 public:
  // Creates the file under a temporary name and reserves all its space on the disk. create() is called on the
  // root alone. Without flush_and_rename() the destructor removes the file. All functions throw Failure
  // (several ranks: parallel::AgreedFailure). Collective.
  CollectiveFile(const std::string& path, const parallel::Communicator& communicator, int user_block,
                 const std::function<void(hdf5::Writer&)>& create);

  ParallelFile& rows() { return *rows_; }
  // Calls finish() on the root alone, then flushes the file and renames it, replacing an older file.
  // Collective.
  void flush_and_rename(const std::function<void(RawFile&)>& finish = {});

 private:
  const parallel::Communicator& communicator_;
  std::optional<TemporaryFile> temporary_;  // the root's
  std::optional<ParallelFile> rows_;
};

}  // namespace meander::io
