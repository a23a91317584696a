// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Messages about inadmissible states, and about states near to that.

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "simulation/scenario.hpp"
#include "solvers/status.hpp"

namespace meander::simulation {

// Position and state of the first inadmissible volume of patch `leaf`.
std::string describe_inadmissible(const StateView& view, const solvers::Solver& solver, std::size_t leaf,
                                  int step);

// Throws StateFailure on all ranks about the first inadmissible leaf along the curve, which must exist.
// `leaf`: this rank's first inadmissible leaf, or -1. remedy: Module::remedy. Collective.
[[noreturn]] void throw_inadmissible(const StateView& view, const solvers::Solver& solver, std::int64_t leaf,
                                     int step, const std::string& remedy);

// Warns of states that exceeded a bound of the solver and were corrected, before states occur that cannot be
// corrected.
class BoundsWatch {
 public:
  // Logs on the root the first breach in `status` of each of solver.bounds(), once in the lifetime of this
  // object: quantity, value, volume, patch, level, step and time. Collective.
  void look(const StateView& view, const solvers::Solver& solver, const solvers::Status& status, int step);

 private:
  std::optional<std::vector<solvers::Bound>> bounds_;
  std::array<bool, solvers::most_bounds> told_{};
};

// Keeps the first inadmissible state beyond a boundary, which threads find while they fill halos, until all ranks can
// stop together.
class BoundaryWatch {
 public:
  // May be called by several threads at once.
  void note(double t, const std::string& what);
  // What the lowest rank with such a state has noted of the earliest time; empty: none has. Collective.
  std::string first(const parallel::Communicator& communicator) const;

 private:
  std::mutex mutex_;
  std::optional<std::pair<double, std::string>> noted_;
};

}  // namespace meander::simulation
