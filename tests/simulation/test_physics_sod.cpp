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

// Where a volume begins on all meshes, and the middle of one.
constexpr double between_volumes = 14.0 / 27, cut_volume = 0.5;

// A tube of 27 p volumes along `axis`, thin across, with the diaphragm at `position`.
std::vector<double> density_along(int dim, int axis, int p, const std::string& solver, double position) {
  std::string upper, cells;
  for (int a = 0; a < dim; ++a) {
    upper += fmt::format("{}{}", a == 0 ? "" : ", ", a == axis ? 1.0 : 1.0 / 27);
    cells += fmt::format("{}{}", a == 0 ? "" : ", ", a == axis ? 27 : 1);
  }
  const Config config = physics_input(fmt::format(
      "[domain]\ndimensions = {}\nupper = [{}]\ncells = [{}]\n[boundary]\nall = \"periodic\"\n{} "
      "= \"outflow\"\n"
      "[mesh]\npatch-size = {}\n[solver]\n{}\n[scenario]\nname = \"sod\"\naxis = \"{}\"\nposition = {}\n",
      dim, upper, cells, "xyz"[axis], p, solver, "xyz"[axis], position));
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
  return density;
}

double l1_error(int dim, int axis, int p, const std::string& solver, double position) {
  return reference::density_l1_error(exact(), density_along(dim, axis, p, solver, position), 0, 1, position,
                                     0.2);
}

// Volumes whose density lies between the two sides of the contact, less a tenth of the jump at either.
int contact_width(const std::string& solver) {
  const std::vector<double> density = density_along(2, 0, 9, solver, between_volumes);
  constexpr double left = 0.42632, right = 0.26557;  // of the contact (Toro 2009, table 4.3)
  const double margin = 0.1 * (left - right);
  const auto n = static_cast<double>(density.size());
  int width = 0;
  for (std::size_t i = 0; i < density.size(); ++i) {
    const double x = (static_cast<double>(i) + 0.5) / n - between_volumes;
    const bool near = x > 0.1 && x < 0.26;  // the contact is at 0.185, the shock at 0.35
    width += near && density[i] > right + margin && density[i] < left - margin;
  }
  return width;
}

TEST(SodContactQuick, SpansFewerVolumesWithHllcThanWithRusanov) {
  for (const auto& [scheme, least] : {std::pair{std::string("scheme = \"godunov\""), 2},
                                      {std::string("scheme = \"muscl\"\nlimiter = \"mc\""), 0}}) {
    const int rusanov = contact_width(scheme), hllc = contact_width(scheme + "\nriemann = \"hllc\"");
    std::printf("%s: the contact spans %d volumes with rusanov, %d with hllc\n", scheme.c_str(), rusanov,
                hllc);
    EXPECT_LT(hllc, rusanov - least);
  }
}

// A jump of density at rest, at one pressure: HLLC changes no bit of it, Rusanov smears it.
TEST(SodContactQuick, AtRestIsKeptExactlyByHllc) {
  for (const char* scheme : {"godunov", "muscl"}) {
    for (const bool exact : {true, false}) {
      const Config config = physics_input(fmt::format(
          "[domain]\ndimensions = 2\nupper = [1, {}]\ncells = [27, 1]\n[boundary]\nall = \"outflow\"\n"
          "[mesh]\npatch-size = 6\n[solver]\nscheme = \"{}\"\nriemann = \"{}\"\n[scenario]\nname = \"sod\"\n"
          "position = {}\nleft-density = 1.0\nright-density = 0.1\nleft-pressure = 1.0\nright-pressure = "
          "1.0\n",
          1.0 / 27, scheme, exact ? "hllc" : "rusanov", between_volumes));
      const auto simulation = run(config, 50);
      std::int64_t changed = 0;
      for_volumes(*simulation, [&](const Volume& volume) {
        double start[4];
        config.scenario->initial(volume.x, volume.dx, start);
        for (int n = 0; n < 4; ++n) changed += volume.q[n] != start[n];
      });
      EXPECT_EQ(changed == 0, exact) << scheme << ' ' << changed;
    }
  }
}

struct SodCase {
  std::string name, solver;
  double order, position;
};
class SodQuick : public testing::TestWithParam<SodCase> {};

constexpr const char* rusanov = "scheme = \"rusanov\"";
constexpr const char* van_leer = "scheme = \"muscl\"\nlimiter = \"van-leer\"";
constexpr const char* hllc = "scheme = \"godunov\"\nriemann = \"hllc\"";
constexpr const char* hllc_mc = "scheme = \"muscl\"\nlimiter = \"mc\"\nriemann = \"hllc\"";
constexpr const char* minmod = "scheme = \"muscl\"\nlimiter = \"minmod\"";
constexpr const char* mc = "scheme = \"muscl\"\nlimiter = \"mc\"";
INSTANTIATE_TEST_SUITE_P(Schemes, SodQuick,
                         testing::Values(SodCase{"rusanov", rusanov, 0.5, between_volumes},
                                         SodCase{"minmod", minmod, 0.7, between_volumes},
                                         SodCase{"mc", mc, 0.85, between_volumes},
                                         SodCase{"van_leer", van_leer, 0.8, between_volumes},
                                         SodCase{"hllc", hllc, 0.5, between_volumes},
                                         SodCase{"hllc_mc", hllc_mc, 0.85, between_volumes},
                                         SodCase{"rusanov_cut", rusanov, 0.5, cut_volume},
                                         SodCase{"minmod_cut", minmod, 0.7, cut_volume},
                                         SodCase{"mc_cut", mc, 0.85, cut_volume}),
                         [](const auto& tested) { return tested.param.name; });

TEST_P(SodQuick, ConvergesToTheExactSolution) {
  const auto& [name, solver, order, position] = GetParam();
  const double coarse = l1_error(2, 0, 3, solver, position), middle = l1_error(2, 0, 9, solver, position),
               fine = l1_error(2, 0, 27, solver, position);
  const double first = reference::order_of(coarse, middle, 3), second = reference::order_of(middle, fine, 3);
  std::printf("L1 errors %.3e %.3e %.3e, orders %.3f %.3f\n", coarse, middle, fine, first, second);
  // A diaphragm that cuts a volume is smeared at the start, on each mesh by another amount: only the order
  // over both steps means something then.
  if (position == cut_volume) {
    EXPECT_GE(reference::order_of(coarse, fine, 9), order);
  } else {
    EXPECT_GE(first, order);
    EXPECT_GE(second, order);
  }
}

TEST_P(SodQuick, HasTheSameErrorAlongEveryAxis) {
  const auto& [name, solver, order, position] = GetParam();
  const double flat = l1_error(2, 0, 5, solver, position), solid = l1_error(3, 0, 5, solver, position);
  EXPECT_NEAR(l1_error(2, 1, 5, solver, position) / flat, 1, 1e-10);
  for (int axis = 1; axis < 3; ++axis) EXPECT_NEAR(l1_error(3, axis, 5, solver, position) / solid, 1, 1e-10);
  // Steps are shorter in 3D.
  EXPECT_NEAR(solid / flat, 1, 0.03);
}

}  // namespace
}  // namespace meander::simulation
