// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Sod's shock tube against the exact solution of the Riemann problem: the order of accuracy that a reader
// expects of first order, minmod and MC at a discontinuity.

#include <fmt/format.h>

#include "tests/reference/exact_riemann.hpp"
#include "tests/simulation/physics_run.hpp"

namespace meander::simulation {
namespace {

const reference::ExactRiemann& exact() {
  static const reference::ExactRiemann solution({1, 0, 1}, {0.125, 0, 0.1}, 1.4);
  return solution;
}

// A tube of 27 p volumes along `axis`, thin across.
double l1_error(int dim, int axis, int p, const std::string& solver) {
  std::string upper, cells;
  for (int a = 0; a < dim; ++a) {
    upper += fmt::format("{}{}", a == 0 ? "" : ", ", a == axis ? 1.0 : 1.0 / 27);
    cells += fmt::format("{}{}", a == 0 ? "" : ", ", a == axis ? 27 : 1);
  }
  const Config config = physics_input(
      fmt::format("[domain]\ndimensions = {}\nupper = [{}]\ncells = [{}]\n[boundary]\nall = \"periodic\"\n{} "
                  "= \"outflow\"\n"
                  "[mesh]\npatch-size = {}\n[solver]\n{}\n[scenario]\nname = \"sod\"\naxis = \"{}\"\n",
                  dim, upper, cells, "xyz"[axis], p, solver, "xyz"[axis]));
  const auto simulation = run(config);
  EXPECT_EQ(simulation->time(), 0.2);
  const int n = 27 * p;
  std::vector<double> density(static_cast<std::size_t>(n), 0.0);
  for_volumes(*simulation, [&](const Volume& volume) {
    auto& there = density[static_cast<std::size_t>(volume.x[axis] * n)];
    // The tube stays one-dimensional to the bit.
    if (there != 0) {
      EXPECT_EQ(there, volume.q[0]);
    }
    there = volume.q[0];
  });
  return reference::density_l1_error(exact(), density, 0, 1, 0.5, 0.2);
}

struct SodCase {
  std::string name, solver;
  double order;
};
class Sod : public testing::TestWithParam<SodCase> {};
INSTANTIATE_TEST_SUITE_P(Schemes, Sod,
                         testing::Values(SodCase{"rusanov", "scheme = \"rusanov\"", 0.5},
                                         SodCase{"minmod", "scheme = \"muscl\"\nlimiter = \"minmod\"", 0.7},
                                         SodCase{"mc", "scheme = \"muscl\"\nlimiter = \"mc\"", 0.85}),
                         [](const auto& tested) { return tested.param.name; });

TEST_P(Sod, ConvergesToTheExactSolution) {
  const double coarse = l1_error(2, 0, 3, GetParam().solver), middle = l1_error(2, 0, 9, GetParam().solver),
               fine = l1_error(2, 0, 27, GetParam().solver);
  const double first = reference::order_of(coarse, middle, 3), second = reference::order_of(middle, fine, 3);
  std::printf("L1 errors %.3e %.3e %.3e, orders %.3f %.3f\n", coarse, middle, fine, first, second);
  EXPECT_GE(first, GetParam().order);
  EXPECT_GE(second, GetParam().order);
}

TEST_P(Sod, HasTheSameErrorAlongEveryAxis) {
  const double along_x = l1_error(2, 0, 5, GetParam().solver);
  EXPECT_NEAR(l1_error(2, 1, 5, GetParam().solver) / along_x, 1, 1e-10);
  for (int axis = 0; axis < 3; ++axis)
    EXPECT_NEAR(l1_error(3, axis, 5, GetParam().solver) / along_x, 1, 1e-10) << axis;
}

}  // namespace
}  // namespace meander::simulation
