// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Blast waves: Sedov's similarity solution, and the symmetry of a centred blast.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "tests/reference/sedov_similarity.hpp"
#include "tests/simulation/physics_run.hpp"

namespace meander::simulation {
namespace {

class SedovRun : public testing::TestWithParam<std::tuple<int, std::string>> {};
INSTANTIATE_TEST_SUITE_P(Cases, SedovRun,
                         testing::Combine(testing::Values(2, 3), testing::Values("rusanov", "hllc")));

TEST_P(SedovRun, ShockFollowsTheSimilaritySolution) {
  const int dim = std::get<0>(GetParam());
  const std::string riemann = std::get<1>(GetParam());
  const Config config = dim == 2 ? shipped_input("sedov-2d", {"mesh.max-level=3", "scenario.radius=0.02",
                                                              "time.end=0.1", "solver.riemann=" + riemann})
                                 : shipped_input("sedov-3d", {"time.end=0.01", "solver.riemann=" + riemann});
  const auto simulation = run(config);
  const reference::SedovSimilarity similarity(dim, 1.4);
  const double exact = similarity.shock_radius(1, 1, config.time.end),
               found = measured(*simulation, "shock_radius");
  std::printf("shock radius %.5f, similarity solution %.5f: %+.2f %%\n", found, exact,
              100 * (found / exact - 1));
  EXPECT_NEAR(found / exact, 1, 0.03);
}

TEST(SedovWithDualEnergy, ShockFollowsTheSimilaritySolution) {
  const Config config = shipped_input(
      "sedov-2d", {"mesh.max-level=3", "scenario.radius=0.02", "time.end=0.1", "solver.dual-energy=true"});
  const auto simulation = run(config);
  const double exact = reference::SedovSimilarity(2, 1.4).shock_radius(1, 1, config.time.end);
  EXPECT_NEAR(measured(*simulation, "shock_radius") / exact, 1, 0.03);
}

// Reflections and exchanges of axes map the blast onto itself, on an adaptive mesh too.
TEST_P(SedovRun, CentredBlastStaysSymmetric) {
  const int dim = std::get<0>(GetParam());
  const std::string riemann = std::get<1>(GetParam());
  const Config config = physics_input(
      fmt::format("[domain]\ndimensions = {}\nlower = [{}]\nupper = [{}]\n[boundary]\nall = \"outflow\"\n"
                  "[mesh]\npatch-size = {}\nmin-level = 1\nmax-level = {}\nregrid-every = 4\n"
                  "[[refinement]]\nkind = \"jump\"\nvariable = \"pressure\"\nrefine = 0.3\n"
                  "[solver]\nscheme = \"muscl\"\nlimiter = \"mc\"\nriemann = \"{}\"\n"
                  "[scenario]\nname = \"sedov\"\npressure = 1e-3\nradius = 0.1\n",
                  dim, dim == 3 ? "-1, -1, -1" : "-1, -1", dim == 3 ? "1, 1, 1" : "1, 1", dim == 3 ? 6 : 7,
                  dim == 3 ? 2 : 3, riemann));
  const auto simulation = run(config, dim == 3 ? 60 : 200);
  using Place = std::array<long, 4>;
  std::map<Place, std::array<double, 5>> state;
  std::array<double, 5> scale{};
  for_volumes(*simulation, [&](const Volume& v) {
    Place place{std::lround(v.x[0] * 1e7), std::lround(v.x[1] * 1e7), std::lround(v.x[2] * 1e7),
                std::lround(v.dx * 1e7)};
    auto& q = state[place];
    std::copy(v.q, v.q + 5, q.begin());
    for (std::size_t u = 0; u < 5; ++u) scale[u] = std::max(scale[u], std::abs(q[u]));
  });
  double worst = 0;
  std::size_t missing = 0;
  const auto compare = [&](const std::array<double, 5>& q, const Place& image, const auto& mapped) {
    const auto other = state.find(image);
    if (other == state.end()) {
      ++missing;
      return;
    }
    for (int u = 0; u < dim + 2; ++u) {
      const auto k = static_cast<std::size_t>(u);
      worst = std::max(worst, std::abs(mapped(u, other->second) - q[k]) / scale[k]);
    }
  };
  for (const auto& [place, q] : state) {
    for (int axis = 0; axis < dim; ++axis) {
      Place mirrored = place;
      mirrored[static_cast<std::size_t>(axis)] *= -1;
      compare(q, mirrored, [&](int u, const auto& image) {
        return (u == axis + 1 ? -1.0 : 1.0) * image[static_cast<std::size_t>(u)];
      });
      const int next = (axis + 1) % dim;
      Place swapped = place;
      std::swap(swapped[static_cast<std::size_t>(axis)], swapped[static_cast<std::size_t>(next)]);
      compare(q, swapped, [&](int u, const auto& image) {
        return image[static_cast<std::size_t>(u == axis + 1 ? next + 1 : u == next + 1 ? axis + 1 : u)];
      });
    }
  }
  std::printf("largest asymmetry %.2e of the largest value, %zu volumes\n", worst, state.size());
  EXPECT_EQ(missing, 0u);
  EXPECT_LE(worst, 1e-12);
}

}  // namespace
}  // namespace meander::simulation
