// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/mesh/inert_solver.hpp"
#include "tests/solvers/patches.hpp"

namespace meander::mesh {
namespace {

struct Case {
  int p, h;
  solvers::HaloShape shape;
};

class HaloExchange : public testing::TestWithParam<Case> {};

template <int D>
Domain<D> box(bool periodic) {
  Domain<D> domain;
  domain.base_level = 2;
  domain.base_cells.fill(4);
  domain.base_cells[0] = 6;
  domain.lower.fill(-0.5);
  domain.base_width = 0.25;
  domain.periodic.fill(periodic);
  return domain;
}

enum class Filled { shape, whole };  // halos of the solver's shape, or whole halos of every second leaf

// The largest error in the filled halo volumes, with interiors from `exact`.
template <int D, class Exact>
double largest_error(const Case& c, bool periodic, solvers::Prolongation prolongation, const Exact& exact,
                     Filled filled = Filled::shape) {
  const InertSolver solver(D, c.h, c.shape, prolongation);
  ThreadTeam team(2);
  std::mt19937 random(7);
  Boundaries<D> boundaries;
  boundaries.fill(periodic ? &mesh::boundary::periodic : &mesh::boundary::given);
  PatchMesh<D> mesh(
      DistributedTree<D>::uniform(box<D>(periodic), 2, {}), solver, c.p, boundaries,
      [&](int, const double* x, double, double, double* q) {
        Point<D> point;
        std::copy(x, x + D, point.begin());
        for (int u = 0; u < 2; ++u) q[u] = exact(u, point);
      },
      gpu::host_memory());
  for (int round = 0; round < 4; ++round) adapt_at_random(mesh, 4, random, team);
  EXPECT_GT(std::ranges::max(mesh.levels()), std::ranges::min(mesh.levels()) + 1)
      << "the mesh is not adaptive enough";
  for (const auto& patch : mesh.patches()) {
    std::fill_n(patch.q, mesh.layout().slot_size(), std::numeric_limits<double>::quiet_NaN());
  }
  fill_interior(mesh, exact);
  std::vector<char> marked(mesh.size(), 1);
  if (filled == Filled::shape) {
    mesh.fill_halos(0, team);
  } else {
    for (std::size_t leaf = 0; leaf < mesh.size(); leaf += 2) marked[leaf] = 0;
    mesh.fill_whole_halos(marked, 0, team);
  }
  double error = 0;
  for (std::size_t leaf = 0; leaf < mesh.size(); ++leaf) {
    if (marked[leaf] == 0) continue;
    const auto& patch = mesh.patches()[leaf];
    for_volumes<D>(mesh.layout(), patch, c.h, [&](const Index<D>& i, const Point<D>& x) {
      if (filled == Filled::shape && !solvers::test::is_read(mesh.layout(), c.shape, i)) return;
      for (int u = 0; u < 2; ++u) {
        const double difference = std::abs(patch.q[mesh.layout().at(u, i)] - exact(u, x));
        error =
            std::isnan(difference) ? std::numeric_limits<double>::infinity() : std::max(error, difference);
      }
    });
  }
  return error;
}

// Copies, limited slopes and means preserve linear data, so that any wrong index is detected.
TEST_P(HaloExchange, IsExactForLinearDataAcrossLevels) {
  const auto linear = [](int u, const auto& x) {
    double value = 1.0 + u;
    for (std::size_t a = 0; a < x.size(); ++a) value += (0.3 + static_cast<double>(a) - 0.7 * u) * x[a];
    return value;
  };
  EXPECT_LT(largest_error<2>(GetParam(), false, solvers::Prolongation::limited_linear, linear), 1e-13);
  EXPECT_LT(largest_error<3>(GetParam(), false, solvers::Prolongation::limited_linear, linear), 1e-13);
}

// Point values: centred stencils of 2 h nodes, which read coarse slots with their halos, preserve degree 2 h
// - 1 across any levels in every volume of the halo shape. A wrong index or a stale halo is detected.
TEST_P(HaloExchange, IsExactForPolynomialsOfPointValues) {
  const int degree = 2 * std::min(GetParam().h, 3) - 1;
  const auto polynomial = [&](int u, const auto& x) {
    double value = 1.0 + u;
    for (std::size_t a = 0; a < x.size(); ++a) {
      double power = 0.4 + static_cast<double>(a) - 0.7 * u, sum = 0;
      for (int m = 0; m <= degree; ++m, power *= 0.8 * x[a]) sum += power;
      value *= 1 + sum;
    }
    return value;
  };
  if (GetParam().p < 3 * GetParam().h) GTEST_SKIP() << "not on adaptive meshes";
  EXPECT_LT(largest_error<2>(GetParam(), false, solvers::Prolongation::centred, polynomial), 1e-12);
  EXPECT_LT(largest_error<3>(GetParam(), false, solvers::Prolongation::centred, polynomial), 1e-11);
  EXPECT_LT(largest_error<2>(GetParam(), false, solvers::Prolongation::centred, polynomial, Filled::whole),
            1e-12);
  EXPECT_LT(largest_error<3>(GetParam(), false, solvers::Prolongation::centred, polynomial, Filled::whole),
            1e-11);
}

// Constants are preserved bitwise across any levels: uniform flow must stay uniform.
TEST_P(HaloExchange, KeepsConstantsBitwise) {
  const auto constant = [](int u, const auto&) { return 0.1 + u / 3.0; };
  for (const auto prolongation : {solvers::Prolongation::constant, solvers::Prolongation::limited_linear,
                                  solvers::Prolongation::centred}) {
    EXPECT_EQ(largest_error<2>(GetParam(), true, prolongation, constant), 0.0);
    EXPECT_EQ(largest_error<3>(GetParam(), true, prolongation, constant), 0.0);
  }
}

// The error for a smooth periodic function is of second order in the coarsest width, also across the border.
TEST_P(HaloExchange, WrapsAroundPeriodicBorders) {
  const auto wave = [](int, const auto& x) {
    double value = std::sin(2 * M_PI * x[0] / 1.5);
    for (std::size_t a = 1; a < x.size(); ++a) value += std::cos(2 * M_PI * x[a]);
    return value;
  };
  // The second derivative is at most 4 pi^2 an axis; the coarsest width is 0.25 / p, and minmod clips
  // extrema.
  const double width = 0.25 / GetParam().p, bound = 1.5 * 4 * M_PI * M_PI * width * width;
  EXPECT_LT(largest_error<2>(GetParam(), true, solvers::Prolongation::limited_linear, wave), 2 * bound);
  EXPECT_LT(largest_error<3>(GetParam(), true, solvers::Prolongation::limited_linear, wave), 3 * bound);
}

std::string name_of(const testing::TestParamInfo<Case>& tested) {
  const auto& [p, h, shape] = tested.param;
  return "p" + std::to_string(p) + "h" + std::to_string(h) + "shape" +
         std::to_string(static_cast<int>(shape));
}
INSTANTIATE_TEST_SUITE_P(Quick, HaloExchange,
                         testing::Values(Case{4, 1, solvers::HaloShape::faces},
                                         Case{6, 2, solvers::HaloShape::edges}),
                         name_of);
INSTANTIATE_TEST_SUITE_P(
    PatchesAndHalos, HaloExchange,
    testing::Values(Case{3, 1, solvers::HaloShape::faces}, Case{5, 1, solvers::HaloShape::full},
                    Case{7, 2, solvers::HaloShape::edges}, Case{8, 2, solvers::HaloShape::full},
                    Case{9, 3, solvers::HaloShape::faces}, Case{9, 3, solvers::HaloShape::full},
                    Case{10, 3, solvers::HaloShape::full}, Case{11, 3, solvers::HaloShape::faces},
                    Case{12, 4, solvers::HaloShape::edges}, Case{9, 3, solvers::HaloShape::edges}),
    name_of);

// Outflow repeats the last volume. Reflection mirrors, with opposite sign of the normal component.
template <int D>
void check_boundaries() {
  const InertSolver solver(D, 2, solvers::HaloShape::full, solvers::Prolongation::constant);
  Boundaries<D> boundaries;
  boundaries.fill(&mesh::boundary::outflow);
  boundaries[0] = &mesh::boundary::reflecting;
  ThreadTeam team(1);
  PatchMesh<D> mesh(DistributedTree<D>::uniform(box<D>(false), 2, {}), solver, 6, boundaries, {},
                    gpu::host_memory());
  const auto function = [](int u, const Point<D>& x) { return std::exp(x[0]) + x[1] + u; };
  fill_interior(mesh, function);
  mesh.fill_halos(0, team);
  const double left = -0.5, right = 1.0, low = -0.5, high = 0.5;
  for (const auto& patch : mesh.patches()) {
    for_volumes<D>(mesh.layout(), patch, 2, [&](const Index<D>& i, Point<D> x) {
      double sign = 1;
      if (x[0] < left) {
        x[0] = 2 * left - x[0];
        sign = -1;
      }
      x[0] = std::min(x[0], right - patch.dx / 2);
      x[1] = std::clamp(x[1], low + patch.dx / 2, high - patch.dx / 2);
      EXPECT_NEAR(patch.q[mesh.layout().at(0, i)], function(0, x), 1e-13);
      EXPECT_NEAR(patch.q[mesh.layout().at(1, i)], sign * function(1, x), 1e-13);
    });
  }
}

TEST(BoundaryConditions, OutflowAndReflection2D) {
  check_boundaries<2>();
}
TEST(BoundaryConditions, OutflowAndReflection3D) {
  check_boundaries<3>();
}

}  // namespace
}  // namespace meander::mesh
