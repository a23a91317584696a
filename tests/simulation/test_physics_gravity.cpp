// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// External gravity: free fall, which is exact, and atmospheres at rest between walls and about a mass.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "simulation/config/input_tables.hpp"
#include "simulation/scenario_tools/exact_scenario.hpp"
#include "tests/reference/exact_riemann.hpp"
#include "tests/simulation/physics_run.hpp"

namespace meander::simulation {
namespace {

constexpr double gas_gamma = 1.4;

// Gas at rest in a potential, of temperature p / rho = 1 at potential 0: isothermal, or isentropic.
class Atmosphere final : public ExactScenario {
 public:
  using Potential = std::function<double(const double* x)>;
  Atmosphere(Potential potential, bool isothermal)
      : potential_(std::move(potential)), isothermal_(isothermal) {}

  void exact(const double* x, double, double* q) const override {
    const double potential = potential_(x), share = (gas_gamma - 1) / gas_gamma;
    const double temperature = isothermal_ ? 1 : 1 - share * potential;
    const double density =
        isothermal_ ? std::exp(-potential) : std::pow(temperature, 1 / (gas_gamma - 1));
    const int dim = setup().dim;
    q[0] = density;
    std::fill(q + 1, q + 1 + dim, 0.0);
    q[1 + dim] = density * temperature / (gas_gamma - 1);
  }

 private:
  Potential potential_;
  bool isothermal_;
};

Config with_scenario(Config config, std::shared_ptr<Scenario> scenario) {
  io::KeyTable keys("scenario");
  scenario->describe(keys);
  scenario->set_up(keys, setup_of(config));
  config.scenario = std::move(scenario);
  return config;
}

// Mean and largest speed, and the mean deviation of the density from that at the start.
struct Rest {
  double mean_speed = 0, largest_speed = 0, density = 0;
};

Rest rest_of(Simulation& simulation) {
  const Scenario& scenario = *simulation.config().scenario;
  Rest rest;
  double domain = 0;
  for_volumes(simulation, [&](const Volume& volume) {
    const int dim = simulation.config().domain.dimensions;
    const double size = std::pow(volume.dx, dim);
    double square = 0, start[5];
    for (int a = 1; a <= dim; ++a) square += volume.q[a] * volume.q[a];
    const double speed = std::sqrt(square) / volume.q[0];
    scenario.initial(volume.x, volume.dx, start);
    domain += size;
    rest.mean_speed += speed * size;
    rest.largest_speed = std::max(rest.largest_speed, speed);
    rest.density += std::abs(volume.q[0] - start[0]) * size;
  });
  rest.mean_speed /= domain;
  rest.density /= domain;
  return rest;
}

class FreeFall : public testing::TestWithParam<std::tuple<int, std::string, std::string>> {};
INSTANTIATE_TEST_SUITE_P(Cases, FreeFall,
                         testing::Combine(testing::Values(2, 3), testing::Values("rusanov", "muscl"),
                                          testing::Values("global", "local")));

// On three levels. Velocities are g t, the work done is the kinetic energy, and nothing else changes.
TEST_P(FreeFall, OfUniformGasIsExact) {
  const auto& [dim, scheme, stepping] = GetParam();
  const Config config = physics_input(fmt::format(
      "[domain]\ndimensions = {}\n[mesh]\npatch-size = 6\nmin-level = 1\nmax-level = {}\nbuffer = 0\n"
      "regrid-every = 2\n[[refinement]]\nkind = \"ball\"\nradius = 0.1\nspeed = 0.5\n"
      "[solver]\nscheme = \"{}\"\nriemann = \"hllc\"\n[scenario]\nname = \"uniform\"\ndensity = 1.3\n"
      "[gravity]\nexternal = \"uniform\"\nacceleration = [{}]\n[time]\nend = 0.4\nstepping = \"{}\"\n",
      dim, dim == 3 ? 2 : 3, scheme == "muscl" ? "muscl" : "godunov",
      dim == 3 ? "0.7, -2.0, 1.1" : "0.7, -2.0", stepping));
  const auto simulation = run(config);
  const double g[3] = {0.7, -2.0, 1.1}, t = simulation->time();
  EXPECT_EQ(t, 0.4);
  EXPECT_GT(simulation->step(), 5);
  double worst = 0;
  for_volumes(*simulation, [&](const Volume& volume) {
    double kinetic = 0;
    for (int a = 0; a < dim; ++a) {
      worst = std::max(worst, std::abs(volume.q[1 + a] / volume.q[0] - g[a] * t));
      kinetic += 0.5 * 1.3 * g[a] * g[a] * t * t;
    }
    worst = std::max(worst, std::abs(volume.q[0] - 1.3));
    worst = std::max(worst, std::abs(volume.q[1 + dim] - 2.5 - kinetic));
  });
  std::printf("%dD %s %s: largest error %.2e\n", dim, scheme.c_str(), stepping.c_str(), worst);
  EXPECT_LE(worst, 2e-13);
}

// One scale height of isothermal gas. Times in units of that of sound across it.
Config atmosphere(int level, const std::string& more = "") {
  const Config config = physics_input(fmt::format(
      "[domain]\ndimensions = 2\ncells = [1, 3]\nupper = [0.33333333333333333, 1.0]\n"
      "[boundary]\nx = \"periodic\"\ny = \"reflecting\"\n[mesh]\npatch-size = 9\nmin-level = {}\n"
      "[solver]\nscheme = \"muscl\"\nriemann = \"hllc\"\n[scenario]\nname = \"uniform\"\n"
      "[gravity]\nexternal = \"uniform\"\nacceleration = [0.0, -1.0]\n[time]\nend = 10.0\n{}",
      level, more));
  return with_scenario(config, std::make_shared<Atmosphere>([](const double* x) { return x[1]; }, true));
}

TEST(IsothermalAtmosphere, StaysAtRestToSecondOrder) {
  Rest coarse;
  for (const int level : {1, 2, 3}) {
    const auto simulation = make_simulation(atmosphere(level), available_processors());
    double crossing = 1 / std::sqrt(gas_gamma);
    std::vector<Rest> at;
    for (const double t : {2 * crossing, 5 * crossing, 8 * crossing}) {
      while (simulation->time() < t) simulation->advance(t);
      at.push_back(rest_of(*simulation));
      std::printf("level %d, t = %.2f: speeds %.3e (mean) %.3e (largest), density %.3e\n", level, t,
                  at.back().mean_speed, at.back().largest_speed, at.back().density);
    }
    if (level > 1)
      std::printf("orders %.2f %.2f %.2f\n", reference::order_of(coarse.mean_speed, at.back().mean_speed, 3),
                  reference::order_of(coarse.largest_speed, at.back().largest_speed, 3),
                  reference::order_of(coarse.density, at.back().density, 3));
    coarse = at.back();
  }
}

}  // namespace
}  // namespace meander::simulation
