// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The directory that a run writes to, new or that of a checkpoint. The root locks it (directory_lock.hpp); files of other
// directories are read without a lock.
//
// A checkpoint is called chk_NNNNNN.hdf5, with the step in at least six digits. write_checkpoint() writes
// it as chk_NNNNNN.hdf5.part and renames it when it is complete (files.hpp). One that a restart from an earlier
// checkpoint has set aside is called chk_NNNNNN.hdf5.replaced, and counts as none.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "io/directory_lock.hpp"
#include "parallel/communicator.hpp"

namespace meander::io {

// A directory for a new run, which must be new or empty. Errors are thrown on all ranks.
class NewDirectory {
 public:
  // The root creates the directory and its missing parents, and locks it. Throws InputError if it is not empty, in use,
  // or cannot be created or written; created directories are then removed. Collective.
  explicit NewDirectory(std::string path, const parallel::Communicator& communicator = {});
  // Removes the lock, and those created directories that are still empty: a run that fails before its first file leaves no
  // trace.
  ~NewDirectory() { leave(); }
  NewDirectory(const NewDirectory&) = delete;
  NewDirectory& operator=(const NewDirectory&) = delete;

  const std::string& path() const { return path_; }
  // Path of a file in it.
  std::string file(const std::string& name) const { return (std::filesystem::path(path_) / name).string(); }

 private:
  void create();
  void leave() noexcept;

  std::string path_;
  std::vector<std::string> created_;  // outermost first
  std::optional<DirectoryLock> lock_;
};

// A directory whose files a restart continues. Locked before its checkpoints are read: the run that wrote
// them could replace them meanwhile.
class ContinuedDirectory {
 public:
  // path empty: none. Throws as DirectoryLock, on all ranks, except Impossible. Collective.
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
  std::optional<DirectoryLock> lock_;
  std::string why_impossible_;
};

// The regular files in a directory, sorted by name. Throws Failure if it cannot be read.
std::vector<std::filesystem::path> regular_files(const std::string& directory);

// The following functions are called by one rank.

// Steps of the complete checkpoints, ascending. Throws Failure if the directory cannot be read.
std::vector<std::int64_t> checkpoint_steps(const std::string& directory);

// Path of the checkpoint of the latest step; empty if there is none. Throws Failure if the directory cannot
// be read.
std::string newest_checkpoint(const std::string& directory);

// The name of a checkpoint that is set aside.
std::string replaced_name(const std::string& path);

// Sets aside the checkpoints of later steps than `step`: afterwards, whatever happens, none of them is the newest. Replaces
// files that were set aside under the same name before. The directory is flushed to the disk. Returns the former paths.
// Throws Failure.
std::vector<std::string> set_aside_later_checkpoints(const std::string& directory, std::int64_t step);

// Removes the files that a killed run left half written: checkpoints, plots, failing states, series, history,
// summary and input, by their exact names with ".part". Files of any other name stay. No other run writes
// into the directory at the same time. Returns the paths of the removed files. Throws Failure if the
// directory cannot be read or a file cannot be removed.
std::vector<std::string> remove_half_written_files(const std::string& directory);

}  // namespace meander::io
