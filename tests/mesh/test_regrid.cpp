// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>

#include "tests/mesh/inert_solver.hpp"

namespace meander::mesh {
namespace {

template <int D>
Domain<D> cube() {
  Domain<D> domain;
  domain.base_level = 0;
  domain.base_cells.fill(1);
  domain.base_width = 1.0;
  domain.periodic.fill(true);
  return domain;
}

template <int D>
PatchMesh<D> mesh_of(const InertSolver& solver, int p, int level) {
  Boundaries<D> boundaries;
  boundaries.fill(&mesh::boundary::periodic);
  return PatchMesh<D>(DistributedTree<D>::uniform(cube<D>(), level, {}), solver, p, boundaries, {},
                      gpu::host_memory());
}

// A mesh of the cube with `function` beyond the domain.
template <int D, class Function>
PatchMesh<D> mesh_beside(const Function& function, const solvers::Solver& solver, int p, int level) {
  Boundaries<D> boundaries;
  boundaries.fill(&mesh::boundary::given);
  Domain<D> domain = cube<D>();
  domain.periodic.fill(false);
  return PatchMesh<D>(
      DistributedTree<D>::uniform(domain, level, {}), solver, p, boundaries,
      [function](int, const double* x, double, double, double* q) {
        Point<D> point;
        std::copy(x, x + D, point.begin());
        for (int u = 0; u < 2; ++u) q[u] = function(u, point);
      },
      gpu::host_memory());
}

template <int D>
double total(const PatchMesh<D>& mesh, int unknown) {
  long double sum = 0;
  for (const auto& patch : mesh.patches()) {
    for_volumes<D>(mesh.layout(), patch, 0, [&](const Index<D>& i, const Point<D>&) {
      sum += patch.q[mesh.layout().at(unknown, i)] * std::pow(static_cast<long double>(patch.dx), D);
    });
  }
  return static_cast<double>(sum);
}

class Regrid : public testing::TestWithParam<int> {};

template <int D>
void keeps_totals(int p) {
  const InertSolver solver(D, 1, solvers::HaloShape::faces, solvers::Prolongation::limited_linear);
  auto mesh = mesh_of<D>(solver, p, 1);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> noise(0.5, 1.5);
  fill_interior(mesh, [&](int, const Point<D>&) { return noise(random); });
  const double before[2] = {total(mesh, 0), total(mesh, 1)};
  ThreadTeam team(2);
  std::size_t changes = 0, shrinks = 0;
  for (int round = 0; round < 20; ++round) {
    const std::size_t size = mesh.size();
    changes += adapt_at_random(mesh, 3, random, team) ? 1 : 0;
    shrinks += mesh.size() < size ? 1 : 0;
    for (int u = 0; u < 2; ++u)
      EXPECT_NEAR(total(mesh, u), before[u], 1e-13 * before[u]) << "round " << round;
    const double slots = static_cast<double>(mesh.size()) * static_cast<double>(mesh.layout().slot_size());
    EXPECT_LE(static_cast<double>(mesh.bytes().state),
              1.1 * slots * sizeof(double) + 32 * 8.0 * static_cast<double>(mesh.layout().slot_size()));
  }
  EXPECT_GT(changes, 6u);
  EXPECT_GT(shrinks, 0u) << "nothing was ever coarsened";
}

TEST_P(Regrid, KeepsTotals2D) {
  keeps_totals<2>(GetParam());
}
TEST_P(Regrid, KeepsTotals3D) {
  keeps_totals<3>(GetParam());
}

template <int D>
void keeps_linear_data(int p) {
  const InertSolver solver(D, 1, solvers::HaloShape::faces, solvers::Prolongation::limited_linear);
  const auto linear = [](int u, const Point<D>& x) { return 1 + x[0] - 2 * x[1] + u * x[D - 1]; };
  auto mesh = mesh_beside<D>(linear, solver, p, 1);
  fill_interior(mesh, linear);
  std::mt19937 random(5);
  ThreadTeam team(1);
  for (int round = 0; round < 6; ++round) adapt_at_random(mesh, 3, random, team);
  for (const auto& patch : mesh.patches()) {
    for_volumes<D>(mesh.layout(), patch, 0, [&](const Index<D>& i, const Point<D>& x) {
      for (int u = 0; u < 2; ++u) ASSERT_NEAR(patch.q[mesh.layout().at(u, i)], linear(u, x), 1e-13);
    });
  }
}

TEST_P(Regrid, KeepsLinearData2D) {
  keeps_linear_data<2>(GetParam());
}
TEST_P(Regrid, KeepsLinearData3D) {
  keeps_linear_data<3>(GetParam());
}

// Refinement followed by coarsening restores the leaves, and the state up to round-off.
TEST_P(Regrid, RefineThenCoarsenIsTheIdentity) {
  const InertSolver solver(2, 1, solvers::HaloShape::faces, solvers::Prolongation::limited_linear);
  auto mesh = mesh_of<2>(solver, GetParam(), 2);
  const auto function = [](int u, const Point<2>& x) { return std::sin(7 * x[0] + u) * std::cos(5 * x[1]); };
  fill_interior(mesh, function);
  ThreadTeam team(1);
  const std::size_t leaves = mesh.size();
  mesh.fill_halos(0, team);
  ASSERT_TRUE(mesh.adapt(std::vector<Adapt>(leaves, Adapt::refine), 0, 3, 0, team));
  ASSERT_EQ(mesh.size(), 9 * leaves);
  ASSERT_TRUE(mesh.adapt(std::vector<Adapt>(mesh.size(), Adapt::coarsen), 2, 3, 0, team));
  ASSERT_EQ(mesh.size(), leaves);
  for (const auto& patch : mesh.patches()) {
    for_volumes<2>(mesh.layout(), patch, 0, [&](const Index<2>& i, const Point<2>& x) {
      for (int u = 0; u < 2; ++u) ASSERT_NEAR(patch.q[mesh.layout().at(u, i)], function(u, x), 1e-14);
    });
  }
}

// Point values are prolonged from whole slots, across borders of leaves and of the domain: new leaves
// preserve polynomials of the degree of the stencils, wherever a leaf is refined.
template <int D>
double largest_error_of_new_leaves(int p, int h) {
  const InertSolver solver(D, h, solvers::HaloShape::faces, solvers::Prolongation::centred);
  const auto polynomial = [&](int u, const Point<D>& x) {
    double value = 1.0 + u;
    for (const double y : x) {
      double power = 1, sum = 0;
      for (int m = 0; m < 2 * h; ++m, power *= 0.8 * (y - 0.3)) sum += power;
      value *= sum;
    }
    return value;
  };
  ThreadTeam team(2);
  std::mt19937 random(3);
  auto mesh = mesh_beside<D>(polynomial, solver, p, 1);
  fill_interior(mesh, polynomial);
  double error = 0;
  for (int round = 0; round < 4; ++round) {
    if (!adapt_at_random(mesh, 3, random, team)) continue;
    for (const auto& patch : mesh.patches()) {
      for_volumes<D>(mesh.layout(), patch, 0, [&](const Index<D>& i, const Point<D>& x) {
        for (int u = 0; u < 2; ++u)
          error = std::max(error, std::abs(patch.q[mesh.layout().at(u, i)] - polynomial(u, x)));
      });
    }
  }
  EXPECT_GT(std::ranges::max(mesh.levels()), 2) << "nothing was refined beside coarser leaves";
  return error;
}

TEST(RegridOfPointValues, KeepsPolynomials) {
  EXPECT_LT(largest_error_of_new_leaves<2>(9, 3), 1e-11);
  EXPECT_LT(largest_error_of_new_leaves<2>(6, 2), 1e-11);
  EXPECT_LT(largest_error_of_new_leaves<3>(10, 3), 1e-11);
}

INSTANTIATE_TEST_SUITE_P(PatchSizesQuick, Regrid, testing::Values(4));
INSTANTIATE_TEST_SUITE_P(PatchSizes, Regrid, testing::Values(3, 5, 9));

// Adaptation is bitwise identical for every number of threads.
TEST(Regrid, DoesNotDependOnThreads) {
  const InertSolver solver(3, 1, solvers::HaloShape::faces, solvers::Prolongation::limited_linear);
  std::vector<double> reference;
  for (const int threads : {1, 2, 3}) {
    auto mesh = mesh_of<3>(solver, 4, 1);
    fill_interior(mesh,
                  [](int u, const Point<3>& x) { return std::sin(9 * x[0] + u) * x[1] + std::exp(x[2]); });
    std::mt19937 random(11);
    ThreadTeam team(threads);
    for (int round = 0; round < 4; ++round) adapt_at_random(mesh, 3, random, team);
    std::vector<double> state;
    for (const auto& patch : mesh.patches()) {
      for_volumes<3>(mesh.layout(), patch, 0, [&](const Index<3>& i, const Point<3>&) {
        for (int u = 0; u < 2; ++u) state.push_back(patch.q[mesh.layout().at(u, i)]);
      });
    }
    if (threads == 1) reference = state;
    EXPECT_TRUE(state == reference) << threads << " threads";
  }
}

}  // namespace
}  // namespace meander::mesh
