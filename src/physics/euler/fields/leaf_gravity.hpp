// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Work of self-gravity on the leaves of a rank, where they are: host_gravity.hpp, device_gravity.hpp. The kinds of work are those of solvers::PotentialWork, and its bits are the same.

#include <cstddef>
#include <span>

#include "base/thread_team.hpp"
#include "solvers/field_batch.hpp"

namespace meander::euler {

class LeafGravity {
 public:
  using Work = solvers::PotentialWork;

  LeafGravity() = default;
  virtual ~LeafGravity() = default;
  LeafGravity(const LeafGravity&) = delete;
  LeafGravity& operator=(const LeafGravity&) = delete;

  // Work on all leaves that its levels include; `name`, for traces, a literal.
  virtual void run(const char* name, const Work& work, ThreadTeam& team) = 0;
  // Work of a kind that gives `count` numbers a leaf, which it returns: [leaf][number]; undefined for leaves that are left as they are.
  // Valid until the next call.
  virtual std::span<const double> numbers(const char* name, const Work& work, int count,
                                          ThreadTeam& team) = 0;
  // Kicks the states of the leaves of a level of the tree that finer halos read in local steps. list_copies(), before the first
  // kick of local steps on this mesh, makes the tables for it; throws gpu::OutOfMemory.
  virtual void list_copies() {}
  virtual void kick_copies(int level, const Work& work, ThreadTeam& team) = 0;

  // [axis][volume] of a leaf, before the mean is subtracted. Any thread may call it.
  virtual const double* acceleration(std::size_t leaf) const = 0;
  // Where the leaves are.
  virtual std::size_t bytes() const = 0;
};

}  // namespace meander::euler
