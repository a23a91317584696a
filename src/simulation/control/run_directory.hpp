// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The directory that a run writes to. The root locks it (io/directory_lock.hpp); files of other directories
// are read without a lock.

#include <optional>
#include <string>

#include "io/directory_lock.hpp"
#include "io/output_directory.hpp"
#include "parallel/communicator.hpp"

namespace meander::simulation {

// A directory for a new run, created by the root. Throws as io::OutputDirectory, on all ranks. Collective.
class NewDirectory {
 public:
  NewDirectory(const std::string& path, const parallel::Communicator& communicator);
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::optional<io::OutputDirectory> directory_;
};

// A directory whose files a restart continues. Locked before its checkpoints are read: the run that wrote
// them could replace them meanwhile.
class ContinuedDirectory {
 public:
  // path empty: none. Throws as io::DirectoryLock, on all ranks, except Impossible. Collective.
  ContinuedDirectory(const std::string& path, const parallel::Communicator& communicator);
  // Call when it is known that the restart is possible: throws if the directory could not be locked, and
  // removes half-written files. Collective.
  void prepare();

 private:
  std::string path_;
  const parallel::Communicator& communicator_;
  std::optional<io::DirectoryLock> lock_;
  std::string why_impossible_;
};

}  // namespace meander::simulation
