// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// A contact (equal pressure and velocity) that passes resolution jumps takes no density beyond those on its two sides, as on
// a uniform mesh. With HLLC: Rusanov's fluxes overshoot with mc and van-leer on uniform meshes, too.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "tests/simulation/physics_run.hpp"

namespace meander::simulation {
namespace {

struct Contact {
  int dim;
  std::string axis, solver;
  int patch_size;
  double left, right;  // densities
  double position;
};

Config contact_input(const Contact& contact) {
  // Three base cells along every axis, of which the middle one is refined.
  const int along = contact.axis == "x" ? 0 : contact.axis == "y" ? 1 : 2;
  const auto vector = [&](double at_axis, double at_others) {
    std::string text;
    for (int a = 0; a < contact.dim; ++a)
      text += fmt::format("{}{}", a == 0 ? "" : ", ", a == along ? at_axis : at_others);
    return "[" + text + "]";
  };
  return physics_input(fmt::format(
      "[domain]\ndimensions = {}\nlower = {}\nupper = {}\ncells = {}\n"
      "[boundary]\nall = \"periodic\"\n{} = \"outflow\"\n"
      "[mesh]\npatch-size = {}\nmax-level = 2\nbuffer = 0\n"
      "[[refinement]]\nkind = \"box\"\nlower = {}\nupper = {}\n"
      "[solver]\nscheme = \"muscl\"\n{}\n"
      "[scenario]\nname = \"sod\"\naxis = \"{}\"\nposition = {}\nleft-density = {}\nright-density = {}\n"
      "left-velocity = 1.0\nright-velocity = 1.0\nleft-pressure = 1.0\nright-pressure = 1.0\n[time]\nend = "
      "2.0\n",
      contact.dim, vector(0, 0), vector(3, 3), vector(3, 3), contact.axis, contact.patch_size,
      vector(1.1, 1.1), vector(1.9, 1.9), contact.solver, contact.axis, contact.position, contact.left,
      contact.right));
}

// The least and the largest density of a run, relative to those of the initial data.
std::array<double, 2> extrema(const Contact& contact) {
  const Config config = contact_input(contact);
  const auto simulation = make_simulation(config, available_processors());
  double least = contact.left, most = contact.right;
  int finest = 0;
  while (simulation->time() < config.time.end) {
    simulation->advance(config.time.end);
    for_volumes(*simulation, [&](const Volume& volume) {
      least = std::min(least, volume.q[0]);
      most = std::max(most, volume.q[0]);
    });
    for (const int level : simulation->view().levels) finest = std::max(finest, level);
  }
  EXPECT_EQ(finest, 2);
  const auto [low, high] = std::minmax(contact.left, contact.right);
  std::printf(
      "%dD along %s, %s, p = %d, %g : %g: below by %.1e of the lower density, above by %.1e of the upper "
      "one\n",
      contact.dim, contact.axis.c_str(), contact.solver.c_str(), contact.patch_size, contact.left,
      contact.right, 1 - least / low, most / high - 1);
  return {least / low, most / high};
}

class ContactAcrossJumps : public testing::TestWithParam<std::tuple<int, std::string>> {};
INSTANTIATE_TEST_SUITE_P(Limiters, ContactAcrossJumps,
                         testing::Combine(testing::Values(2, 3),
                                          testing::Values("mc", "minmod", "van-leer")));

TEST_P(ContactAcrossJumps, StaysWithinItsDensities) {
  const auto& [dim, limiter] = GetParam();
  const std::string solver = fmt::format("riemann = \"hllc\"\nlimiter = \"{}\"", limiter);
  for (const auto& [left, right] : {std::pair(3.0, 1.0), {1.0, 3.0}, {1000.0, 1.0}, {1.0, 1000.0}}) {
    for (const int p : {9, 7}) {
      if (dim == 3 && (p == 9) != (left > right)) continue;
      // Smeared where it enters the refined cell, and in the next volumes to it from the beginning.
      for (const double position : {0.45, 0.87}) {
        if (dim == 3 && position > 0.5) continue;
        const auto [least, most] = extrema({dim,
                                            dim == 3 ? "z"
                                            : p == 9 ? "x"
                                                     : "y",
                                            solver, p, left, right, position});
        EXPECT_GE(least, 1 - 1e-12);
        EXPECT_LE(most, 1 + 1e-12);
      }
    }
  }
}

// With minmod, Rusanov's fluxes keep the densities on uniform meshes, too.
TEST(ContactByRusanov, StaysWithinItsDensities) {
  for (const auto& [left, right] : {std::pair(3.0, 1.0), {1000.0, 1.0}}) {
    const auto [least, most] =
        extrema({2, "x", "riemann = \"rusanov\"\nlimiter = \"minmod\"", 9, left, right, 0.45});
    EXPECT_GE(least, 1 - 1e-12);
    EXPECT_LE(most, 1 + 1e-12);
  }
}

}  // namespace
}  // namespace meander::simulation
