// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The lock of a run on its output directory: the file meander.lock, which names host, process and time.
//
// The file appears complete under its name (link() after writing), which is atomic on network file systems,
// too. Its owner holds flock() on it as long as the process lives, so that the lock of a dead process is
// recognised on the same machine, and wherever it was if flock() is refused. The lock of another machine is
// never broken, except that of an earlier start of the same Slurm job: file systems do not tell whether their
// flock() reaches other machines.

#include <cstdint>
#include <string>

#include "base/error.hpp"
#include "io/files.hpp"

namespace meander::io {

// The text of meander.lock: a process, by marks that tell whether it still lives.
struct LockRecord {
  std::string host, boot;     // boot: the id of this start of the machine
  std::int64_t process = 0;   // its id
  std::int64_t start = 0;     // its start, in clock ticks since boot; 0: unknown
  bool has_flock = false;     // the process holds flock() on the file
  std::string since;          // date and time, UTC
  std::string job;            // of Slurm; empty: none
  std::int64_t restarts = 0;  // number of times that Slurm has started the job again

  static LockRecord of_this_process();
  static LockRecord parse(const std::string& text);  // missing or invalid lines leave the defaults
  std::string text() const;
  // "node17, process 4242, since 2026-11-22 10:00:00 UTC"
  std::string holder() const;
};

enum class Life : std::uint8_t { alive, dead, unknown };

// Whether the process of `record` lives, seen from the process `self`. kernel_says_dead: the kernel has
// released the lock that the process held; false: there are no such locks.
Life life_of(const LockRecord& record, const LockRecord& self, bool kernel_says_dead);

class DirectoryLock {
 public:
  static constexpr const char* file_name = "meander.lock";

  // The file cannot be created in the directory.
  struct Impossible : InputError {
    using InputError::InputError;
  };
  // none: as on a file system without flock(), for tests.
  enum class KernelLocks : std::uint8_t { used, none };

  // Throws InputError that names the holder, or tells how to remove the lock if it cannot be seen whether its
  // holder lives; Impossible.
  explicit DirectoryLock(const std::string& directory, KernelLocks kernel = KernelLocks::used);
  // Removes the file.
  ~DirectoryLock();
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;

  // A note on the dead holder that the lock was taken from; empty: there was none.
  const std::string& note() const { return note_; }

 private:
  bool link_to_name(const std::string& temporary) const;
  bool take_over(const std::string& temporary);  // false: try again

  std::string directory_, path_;
  KernelLocks kernel_;
  Descriptor descriptor_;  // of the file with our record
  std::string note_;
};

}  // namespace meander::io
