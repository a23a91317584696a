// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The directory that a run writes to. The root locks it (io/directory_lock.hpp); files of other directories
// are read without a lock.

#include <cstdint>
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
  // Call when it is known that the restart is possible: throws if the directory could not be locked. Collective.
  void require_lock() const;
  // Call immediately before the first change of a file: removes half-written files, and sets aside the checkpoints of
  // later steps than `step`, the one of the restart. A run that is killed before its first checkpoint then continues
  // from `step` again, and not from a state that files cut to `step` do not belong to. Throws AgreedFailure (one rank:
  // Failure). Collective.
  void take_over(std::int64_t step) const;

 private:
  std::string path_;
  const parallel::Communicator& communicator_;
  std::optional<io::DirectoryLock> lock_;
  std::string why_impossible_;
};

}  // namespace meander::simulation
