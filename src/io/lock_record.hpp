// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The text of meander.lock: a process, by marks that tell whether it still lives.

#include <cstdint>
#include <string>

namespace meander::io {

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

}  // namespace meander::io
