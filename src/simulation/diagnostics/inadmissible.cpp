// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/diagnostics/inadmissible.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "base/assert.hpp"
#include "base/error.hpp"
#include "base/join.hpp"
#include "base/log.hpp"
#include "simulation/simulation.hpp"

namespace meander::simulation {

namespace {

// State and position of the first inadmissible volume of a patch, or of its last volume if all are
// admissible.
void find_inadmissible(const solvers::Solver& solver, const solvers::PatchLayout& layout, const double* slot,
                       std::vector<double>& state, int at[3]) {
  for (int k = 0; k < (layout.dim == 3 ? layout.p : 1); ++k) {
    for (int j = 0; j < layout.p; ++j) {
      for (int i = 0; i < layout.p; ++i) {
        for (int u = 0; u < layout.unknowns; ++u)
          state[static_cast<std::size_t>(u)] = slot[layout.at(u, i, j, k)];
        at[0] = i, at[1] = j, at[2] = k;
        if (!solver.admissible(state.data())) return;
      }
    }
  }
}

}  // namespace

std::string describe_inadmissible(const StateView& view, const solvers::Solver& solver, std::size_t leaf,
                                  int step) {
  const auto& patch = view.patches[leaf];
  std::vector<double> state(static_cast<std::size_t>(view.layout.unknowns)), centre, place;
  int at[3] = {0, 0, 0};
  find_inadmissible(solver, view.layout, patch.q, state, at);
  for (int a = 0; a < view.layout.dim; ++a) {
    centre.push_back(patch.lower[a] + patch.dx * view.layout.p / 2);
    place.push_back(patch.lower[a] + (at[a] + 0.5) * patch.dx);
  }
  std::vector<std::string> variables;
  const auto& derived = solver.derived();
  for (std::size_t k = 0; k < derived.size(); ++k) {
    if (k >= state.size() && derived[k].name != "pressure" && derived[k].name != "det_g") continue;
    variables.push_back(
        fmt::format("{} = {:.9g}", derived[k].name, derived[k].value(solver.parameters(), state.data())));
  }
  return fmt::format(
      "the state is not admissible at step {}, t = {:.9g}: patch centre ({}), level {}, volume at "
      "({}): {}",
      step, view.t, join(centre, ", ", 9), view.levels[leaf], join(place, ", ", 9), join(variables, ", "));
}

void throw_inadmissible(const StateView& view, const solvers::Solver& solver, std::int64_t leaf, int step,
                        const std::string& remedy) {
  const auto place =
      leaf < 0 ? std::numeric_limits<std::int64_t>::max() : view.numbers[static_cast<std::size_t>(leaf)];
  const bool tells = view.communicator.min(place) == place && leaf >= 0;
  std::string message;
  try {
    view.communicator.agree([&] {
      if (tells) throw Failure(describe_inadmissible(view, solver, static_cast<std::size_t>(leaf), step));
    });
  } catch (const Failure& failure) {
    message = failure.what();
  }
  if (!remedy.empty()) message += "; what may help: " + remedy;
  throw StateFailure(message);
}

namespace {

std::string describe(const StateView& view, const solvers::Bound& bound,
                     const solvers::Status::Breached& breached, int step) {
  const auto leaf = static_cast<std::size_t>(breached.leaf);
  const solvers::PatchTask& patch = view.patches[leaf];
  const int p = view.layout.p;
  int volume = breached.breach.volume;
  std::vector<double> centre, place;
  for (int a = 0; a < view.layout.dim; ++a, volume /= p) {
    centre.push_back(patch.lower[a] + patch.dx * p / 2);
    place.push_back(patch.lower[a] + (volume % p + 0.5) * patch.dx);
  }
  return fmt::format(
      "step {}, t = {:.9g}: {} = {:.9g} {}: volume at ({}), patch centre ({}), level {}; "
      "further ones are counted, but not reported",
      step, view.t, bound.quantity, breached.breach.value, bound.meaning, join(place, ", ", 9),
      join(centre, ", ", 9), view.levels[leaf]);
}

// The text of the one rank where it is not empty, on all ranks. Collective.
std::string said_by_one(const parallel::Communicator& communicator, const std::string& own) {
  if (communicator.size() == 1) return own;
  try {
    communicator.agree([&] {
      if (!own.empty()) throw Failure(own);
    });
  } catch (const Failure& said) {
    return said.what();
  }
  return own;
}

}  // namespace

void BoundaryWatch::note(double t, const std::string& what) {
  const std::lock_guard lock(mutex_);
  std::pair<double, std::string> noted(t, what);
  if (!noted_ || noted < *noted_) noted_ = std::move(noted);
}

std::string BoundaryWatch::first(const parallel::Communicator& communicator) const {
  try {
    communicator.agree([&] {
      if (noted_) throw Failure(noted_->second);
    });
  } catch (const Failure& said) {
    return said.what();
  }
  return "";
}

void BoundsWatch::look(const StateView& view, const solvers::Solver& solver, const solvers::Status& status,
                       int step) {
  if (!bounds_) bounds_ = solver.bounds();
  const std::size_t count = bounds_->size();
  MEANDER_ASSERT(count <= told_.size());
  if (std::count(told_.begin(), told_.end(), true) == static_cast<std::ptrdiff_t>(count)) return;
  // The first leaf along the curve with a breach has the greatest number here.
  const parallel::Communicator& communicator = view.communicator;
  std::array<std::int64_t, solvers::most_bounds> own{};
  for (std::size_t i = 0; i < count; ++i) {
    const auto leaf = status.breached[i].leaf;
    if (!told_[i] && leaf >= 0)
      own[i] = std::numeric_limits<std::int64_t>::max() - view.numbers[static_cast<std::size_t>(leaf)];
  }
  auto first = own;
  communicator.max(std::span<std::int64_t>(first));
  for (std::size_t i = 0; i < count; ++i) {
    if (first[i] == 0) continue;
    const std::string said = said_by_one(
        communicator, own[i] == first[i] ? describe(view, (*bounds_)[i], status.breached[i], step) : "");
    told_[i] = true;
    if (communicator.is_root()) log::warning(said);
  }
}

}  // namespace meander::simulation
