// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The halos of levels that step together do not depend on which members have been updated while messages are under
// way: the order of work of host_levels.cpp, with updates that leave nothing of a state.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>

#include "mesh/local_steps.hpp"
#include "mesh/patch_mesh.hpp"
#include "tests/mesh/inert_solver.hpp"
#include "tests/mesh/mpi/distributed_trees.hpp"

namespace meander::mesh {
namespace {

constexpr int p = 9, h = 3;

// Level 1, whose middle leaf is refined down to level 3.
template <int D>
Spacetree<D> nest() {
  return refined_where(Spacetree<D>::uniform(test::cube<D>(), 1), 3, [](const Cell<D>& cell) {
    return std::ranges::all_of(cell.at, [&](int i) { return 2 * i + 1 == ipow<int>(3, cell.level); });
  });
}

enum class Content { state, ruined };

// Sets the interiors of the members that `chosen` accepts.
template <int D, class Chosen>
void set(const LevelExchange<D>& group, const solvers::PatchLayout& layout, Content content,
         const Chosen& chosen) {
  for (const auto& member : group.members()) {
    if (!chosen(member)) continue;
    const auto& patch = group.patch(member);
    for_volumes<D>(layout, patch, 0, [&](const Index<D>& i, const Point<D>& x) {
      for (int u = 0; u < layout.unknowns; ++u) {
        double value = u;
        for (std::size_t a = 0; a < D; ++a) value += static_cast<double>(a + 1) * std::sin(9 * x[a] + u);
        patch.q[layout.at(u, i)] = content == Content::state ? value : 1e300;
      }
    });
  }
}

template <int D>
std::vector<std::vector<double>> slots(const LevelExchange<D>& group, const solvers::PatchLayout& layout) {
  std::vector<std::vector<double>> all;
  for (const auto& member : group.members())
    all.emplace_back(group.patch(member).q, group.patch(member).q + layout.slot_size());
  return all;
}

template <int D>
void expect_same_halos(const DistributedTree<D>& tree, int first, int last) {
  const InertSolver solver(D, h, solvers::HaloShape::faces, solvers::Prolongation::centred);
  Boundaries<D> boundaries;
  boundaries.fill(&boundary::outflow);
  PatchMesh<D> mesh(tree, solver, p, boundaries, nullptr, gpu::host_memory());
  const auto& layout = mesh.layout();
  LevelExchange<D>& group = mesh.local_steps().exchange(first, last);
  ThreadTeam team(1);
  const auto all = [](const auto&) { return true; };
  // What nobody writes stays a NaN, and so does what is made of it.
  for (const auto& member : group.members())
    std::fill_n(group.patch(member).q, layout.slot_size(), std::numeric_limits<double>::quiet_NaN());
  set(group, layout, Content::state, all);
  group.send(team);
  group.fill_local(0, team);
  group.finish_fill(0, team);
  const auto expected = slots(group, layout);

  for (const auto& member : group.members())
    std::fill_n(group.patch(member).q, layout.slot_size(), std::numeric_limits<double>::quiet_NaN());
  set(group, layout, Content::ruined, [&](const auto& member) { return !group.is_border(member.patch); });
  set(group, layout, Content::state, [&](const auto& member) { return group.is_border(member.patch); });
  group.send(team);
  set(group, layout, Content::state, all);
  group.fill_local(0, team);
  auto found = slots(group, layout);
  set(group, layout, Content::ruined, [&](const auto& member) { return !group.waits(member.patch); });
  group.finish_fill(0, team);
  set(group, layout, Content::state, [&](const auto& member) { return !group.waits(member.patch); });
  const auto later = slots(group, layout);
  std::size_t different = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (group.waits(group.members()[i].patch)) found[i] = later[i];
    different += std::memcmp(found[i].data(), expected[i].data(), found[i].size() * sizeof(double)) != 0;
  }
  EXPECT_EQ(different, 0u) << D << "D, levels " << first << " to " << last
                           << (tree.is_placed() ? ", cut for each level, with leaves " : ", leaves ")
                           << ::testing::PrintToString(tree.size());
}

TEST(LevelExchange, HasHalosThatNoUpdateMeanwhileChanges) {
  test::Random random(3);
  for (int round = 0; round < 15; ++round) {
    const auto tree3 = test::distributed_at_random(nest<3>(), round, random);
    const auto tree2 = test::distributed_at_random(nest<2>(), round, random);
    for (const auto& [first, last] : {std::pair(1, 2), {1, 3}, {2, 3}}) {
      expect_same_halos<3>(tree3, first, last);
      expect_same_halos<2>(tree2, first, last);
    }
  }
}

}  // namespace
}  // namespace meander::mesh
