// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// After a step, an observer has seen the interior of every leaf as it is: with flux correction, batches, floors and
// local time steps.

#include <gtest/gtest.h>

#include <atomic>

#include "physics/euler/solver.hpp"
#include "tasks/step.hpp"
#include "tests/tasks/nested_gas.hpp"

namespace meander::tasks {
namespace {

template <int D>
std::vector<double> interior(const solvers::PatchTask& patch, const solvers::PatchLayout& layout) {
  std::vector<double> values;
  for (int u = 0; u < layout.unknowns; ++u) {
    for (int v = 0; v < layout.volumes(); ++v) {
      Index<D> i{};
      for (int a = 0, rest = v; a < D; ++a, rest /= layout.p) i[a] = rest % layout.p;
      values.push_back(patch.q[layout.at(u, i)]);
    }
  }
  return values;
}

// Keeps what it sees.
template <int D>
class Witness final : public LeafObserver {
 public:
  void start(std::size_t leaves, const solvers::PatchLayout& layout) override {
    layout_ = layout;
    ++starts;
    seen.assign(leaves, {});
    times = std::vector<std::atomic<int>>(leaves);
  }
  void observe(std::size_t leaf, const solvers::PatchTask& patch) override {
    seen[leaf] = interior<D>(patch, layout_);
    ++times[leaf];
  }
  void expect_present_state(const mesh::PatchMesh<D>& mesh) const {
    ASSERT_EQ(seen.size(), mesh.size());
    for (std::size_t leaf = 0; leaf < mesh.size(); ++leaf)
      EXPECT_EQ(seen[leaf], interior<D>(mesh.patches()[leaf], mesh.layout())) << "leaf " << leaf;
  }

  int starts = 0;
  std::vector<std::vector<double>> seen;
  std::vector<std::atomic<int>> times;

 private:
  solvers::PatchLayout layout_;
};

template <int D>
void check_global_steps(const GasCase& c, bool device) {
  const auto solver = euler::make_solver(D, {}, {.scheme = c.scheme, .riemann = c.riemann});
  ThreadTeam team(2);
  const auto mesh = nested_mesh<D>(*solver, c.p, mesh::boundary::outflow, team);
  const auto engine = device ? engine_of_small_batches() : nullptr;
  Witness<D> witness;
  LeafObservers observers;
  observers.add(witness);
  Step<D> traversal(*mesh, *solver, team, engine.get(), &observers);
  traversal.inspect();
  witness.expect_present_state(*mesh);
  const double dt = 0.1 / (27 * c.p * D);
  for (int step = 0; step < 2; ++step) {
    for (auto& times : witness.times) times = 0;
    ASSERT_FALSE(traversal.advance(step * dt, dt, (step + 1) * dt, Halos::deferred).failed);
    witness.expect_present_state(*mesh);
    for (const auto& times : witness.times) EXPECT_EQ(times, 1);
  }
  EXPECT_EQ(witness.starts, 1);
  // Other leaves, then floors.
  std::vector<mesh::Adapt> flags(mesh->size(), mesh::Adapt::keep);
  flags.front() = mesh::Adapt::refine;
  ASSERT_TRUE(mesh->adapt(flags, 1, 3, 2 * dt, team));
  traversal.enforce_floors();
  EXPECT_EQ(witness.starts, 2);
  witness.expect_present_state(*mesh);
}

TEST(LeafObserver, SeesTheStateAfterAStep) {
  for (const GasCase& c : gas_cases) {
    for (const bool device : {false, true}) {
      check_global_steps<2>(c, device);
      if (c.p < 7) check_global_steps<3>(c, device);
    }
  }
}

template <int D>
void check_local_steps(const GasCase& c) {
  const auto solver = euler::make_solver(D, {}, {.scheme = c.scheme, .riemann = c.riemann});
  ThreadTeam team(2);
  const auto mesh = nested_mesh<D>(*solver, c.p, mesh::boundary::outflow, team);
  Witness<D> witness;
  LeafObservers observers;
  observers.add(witness);
  Step<D> traversal(*mesh, *solver, team, nullptr, &observers);
  std::vector<std::int64_t> leaves(3, 0);
  for (const int level : mesh->levels()) ++leaves[static_cast<std::size_t>(level - 1)];
  const double dt = 0.1 / (9 * c.p * D);
  const auto limit = [dt](std::size_t level, double, double) { return dt / (level == 2 ? 3 : 1); };
  const LocalStepRule rule{2, leaves, limit};
  const std::vector<int> ratios = {1, 3};
  ASSERT_FALSE(traversal.advance(0, dt, dt, ratios, rule).failed);
  witness.expect_present_state(*mesh);
}

TEST(LeafObserver, SeesTheStateAfterALocalStep) {
  for (const GasCase& c : gas_cases) {
    check_local_steps<2>(c);
    if (c.p < 7) check_local_steps<3>(c);
  }
}

// A second mesh with as many leaves is another one.
TEST(LeafObserver, StartsAnewOnAnotherMesh) {
  const auto solver = euler::make_solver(2, {}, {.scheme = "godunov"});
  ThreadTeam team(1);
  Witness<2> witness;
  for (int run = 1; run <= 2; ++run) {
    const auto mesh = nested_mesh<2>(*solver, 3, mesh::boundary::outflow, team);
    LeafObservers observers;
    observers.add(witness);
    Step<2> traversal(*mesh, *solver, team, nullptr, &observers);
    traversal.inspect();
    EXPECT_EQ(witness.starts, run);
  }
}

}  // namespace
}  // namespace meander::tasks
