// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// An HDF5 file of all ranks: the root lays it out, all ranks write their rows, the root gives it its name.
//
// HDF5's own driver for MPI is not used, since HDF5 1.10 crashes or hangs when a write fails.

#include <functional>
#include <optional>
#include <string>

#include "io/atomic_file.hpp"
#include "io/hdf5.hpp"
#include "io/parallel_file.hpp"

namespace meander::io {

class CollectiveFile {
 public:
  // Creates the file under a temporary name, with all its space on the disk. create() is called on the root
  // alone. Without flush_and_rename() the file is removed again. Throws Failure (several ranks:
  // parallel::AgreedFailure), as all that follows. Collective.
  CollectiveFile(const std::string& path, const parallel::Communicator& communicator, int user_block,
                 const std::function<void(hdf5::Writer&)>& create);

  ParallelFile& rows() { return *rows_; }
  // Gives the file its name when `finish`, called on the root alone, has returned. Flushed and renamed; in
  // place of an older file. Collective.
  void flush_and_rename(const std::function<void(RawFile&)>& finish = {});

 private:
  const parallel::Communicator& communicator_;
  std::optional<TemporaryFile> temporary_;  // the root's
  std::optional<ParallelFile> rows_;
};

}  // namespace meander::io
