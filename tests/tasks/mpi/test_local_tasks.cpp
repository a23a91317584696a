// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The order in which tasks of local time steps are done changes no bit, on any number of ranks and threads.

#include <gtest/gtest.h>

#include <limits>

#include "physics/euler/solver.hpp"
#include "tasks/step.hpp"
#include "tests/tasks/leaves.hpp"
#include "tests/tasks/mpi/many_ranks.hpp"
#include "tests/tasks/nested_gas.hpp"
#include "tests/tasks/wave_solver.hpp"

namespace meander::tasks {
namespace {

struct TaskOutcome {
  std::vector<std::vector<double>> interiors;  // of own leaves
  std::vector<std::int64_t> steps;             // of levels
  bool failed = false;
  std::array<double, solvers::Status::most_levels> crossing{};
};

struct TaskCase {
  int p;
  std::string scheme;  // of the Euler equations, or "waves": four stages
  std::vector<int> ratios;
  bool has_broken_enclave = false;  // the state of a coarse leaf that no finer halo reads is inadmissible
  // The coarsest level. With point values, all leaves of level 1 are read by finer halos.
  int coarsest() const { return scheme == "waves" ? 2 : 1; }
};

template <int D>
std::unique_ptr<solvers::Solver> solver_of(const TaskCase& c) {
  if (c.scheme == "waves") return std::make_unique<WaveSolver<D>>();
  return euler::make_solver(D, {}, {.scheme = c.scheme});
}

template <int D>
TaskOutcome outcome(const TaskCase& c, const parallel::Communicator& communicator, int threads,
                    std::uint64_t seed) {
  const auto solver = solver_of<D>(c);
  ThreadTeam team(threads);
  const auto mesh =
      nested_mesh<D>(*solver, c.p, mesh::boundary::outflow, team, communicator, nullptr, c.coarsest());
  if (c.has_broken_enclave) {
    for (const auto& patch : mesh->patches()) {
      if (std::all_of(patch.lower, patch.lower + D, [](double x) { return x == 0; }))
        patch.q[mesh->layout().at(0, Index<D>{})] = std::numeric_limits<double>::quiet_NaN();
    }
  }
  const auto leaves = leaves_by_level(*mesh, c.coarsest());
  const double dt = 0.05 / (std::pow(3, c.coarsest() + 2) * c.p * D) * c.ratios[0] * c.ratios[1];
  const LocalStepRule rule{2, leaves, [&](std::size_t level, double, double) {
                             double limit = dt;
                             for (std::size_t l = 0; l < level; ++l) limit /= c.ratios[l];
                             return limit;
                           }};
  const auto traversal = std::make_unique<Step<D>>(*mesh, *solver, team);
  Step<D>& levels = *traversal;
  levels.shuffle_tasks(seed);
  TaskOutcome found;
  for (int step = 0; step < 2 && !found.failed; ++step) {
    const solvers::Status status = levels.advance(step * dt, dt, (step + 1) * dt, c.ratios, rule);
    found.failed = status.failed;
    found.crossing = status.crossing;
  }
  found.interiors = interiors_of(*mesh);
  found.steps = levels.counts().steps;
  return found;
}

template <int D>
void expect_same_bits(const TaskCase& c) {
  const TaskOutcome expected = outcome<D>(c, {}, 1, 0);
  EXPECT_EQ(expected.failed, c.has_broken_enclave);
  // Threads and seeds; 0: by deadline.
  for (const auto& [threads, seed] :
       std::vector<std::pair<int, std::uint64_t>>{{1, 0}, {1, 1}, {2, 2}, {4, 0}, {4, 3}}) {
    const TaskOutcome found = outcome<D>(c, world(), threads, seed);
    EXPECT_EQ(found.failed, expected.failed);
    EXPECT_EQ(found.steps, expected.steps) << "seed " << seed;
    EXPECT_TRUE(c.has_broken_enclave || found.crossing == expected.crossing);
    expect_same_leaves(expected.interiors, found.interiors,
                       std::to_string(D) + "D, " + c.scheme + ", " + std::to_string(threads) +
                           " threads, seed " + std::to_string(seed));
  }
}

TEST(LocalTasks, HaveTheSameBitsInAnyOrder) {
  expect_same_bits<2>({6, "muscl", {3, 3}});
  expect_same_bits<2>({4, "godunov", {2, 3}});
  expect_same_bits<2>({4, "godunov", {3, 1}});
  expect_same_bits<3>({3, "godunov", {3, 3}});
  for (const auto& ratios : {std::vector{3, 3}, {1, 3}, {2, 1}}) expect_same_bits<2>({9, "waves", ratios});
}

// Otherwise the step in which a run stops would depend on the time at which ranks wait.
TEST(LocalTasks, FailInTheSameTickInAnyOrder) {
  for (const TaskCase& broken : {TaskCase{4, "godunov", {3, 3}, true}, {9, "waves", {3, 3}, true}}) {
    expect_same_bits<2>(broken);
    const TaskOutcome found = outcome<2>(broken, world(), 2, 1);
    std::vector<std::int64_t> steps(static_cast<std::size_t>(broken.coarsest()), 0);
    steps.insert(steps.end(), {1, 3, 9});
    EXPECT_EQ(found.steps, steps) << "it ends the step of its level";
  }
}

}  // namespace
}  // namespace meander::tasks
