// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Dual energy in whole runs: the exact adiabat of a cold expansion, where the total energy alone fails, and no change
// where the gas is hot.

#include <fmt/format.h>

#include "physics/euler/module.hpp"
#include "physics/euler/scenarios/gas_state.hpp"
#include "tests/simulation/mpi/cases.hpp"
#include "tests/simulation/physics_run.hpp"

namespace meander::simulation {
namespace {

// Uniform expansion from the origin: u = x / (1 + t), rho = (1 + t)^-d, p = K rho^gamma. A Mach number of 1000 at x = 1
// and t = 0.
class Expansion final : public Scenario {
 public:
  static constexpr double gamma = 5.0 / 3, entropy = 1e-6 / gamma;
  static double density(int dim, double t) { return std::pow(1 + t, -dim); }

  explicit Expansion(int dim) : dim_(dim) {}
  void describe(io::KeyTable&) override {}
  void set_up(const io::KeyTable&, const ProblemSetup&) override {}
  void initial(const double* x, double dx, double* q) const override { boundary(x, dx, 0, q); }
  void boundary(const double* x, double, double t, double* q) const override {
    euler::GasState gas{.density = density(dim_, t)};
    gas.pressure = entropy * std::pow(gas.density, gamma);
    for (int a = 0; a < dim_; ++a) gas.velocity[a] = x[a] / (1 + t);
    euler::set_unknowns(gas, dim_, gamma, q);
  }

 private:
  int dim_;
};

struct Deviation {
  double entropy = 0, density = 0;  // largest relative errors
  double floored = 0;               // share of the volume updates
};

// The expansion of the square or cube from 0.5 to 1.5, with a refined ball in it.
Deviation expand(int dim, const std::string& solver) {
  const std::string corner = dim == 2 ? "0.5, 0.5" : "0.5, 0.5, 0.5",
                    far = dim == 2 ? "1.5, 1.5" : "1.5, 1.5, 1.5";
  const double end = dim == 2 ? 1 : 0.3;
  Config config = physics_input(fmt::format(
      "[domain]\ndimensions = {}\nlower = [{}]\nupper = [{}]\n[boundary]\nall = \"scenario\"\n"
      "[mesh]\npatch-size = 6\nmin-level = 1\nmax-level = 2\n[[refinement]]\nkind = \"ball\"\nradius = 0.15\n"
      "[solver]\ngamma = 1.6666666666666667\npressure-floor = 1e-12\n{}\n[scenario]\nname = "
      "\"uniform\"\n[time]\nend = {}\n",
      dim, corner, far, solver, end));
  config.scenario = std::make_shared<Expansion>(dim);
  const auto simulation = run(config);
  const auto& derived = simulation->solver().derived();
  const auto entropy =
      std::find_if(derived.begin(), derived.end(), [](const auto& d) { return d.name == "entropy"; });
  Deviation result;
  for_volumes(*simulation, [&](const Volume& volume) {
    const auto relative = [](double found, double exact) { return std::abs(found / exact - 1); };
    result.entropy =
        std::max(result.entropy,
                 relative(entropy->value(simulation->solver().parameters(), volume.q), Expansion::entropy));
    result.density = std::max(result.density, relative(volume.q[0], Expansion::density(dim, end)));
  });
  result.floored = static_cast<double>(simulation->treated_volumes().floored) /
                   static_cast<double>(simulation->volume_updates());
  std::printf("%dD, %s: entropy off by %.1e, density by %.1e, floored %.1e\n", dim,
              solver.substr(0, solver.find('\n')).c_str(), result.entropy, result.density, result.floored);
  return result;
}

class ColdExpansion : public testing::TestWithParam<std::tuple<int, std::string>> {};
INSTANTIATE_TEST_SUITE_P(Cases, ColdExpansion,
                         testing::Combine(testing::Values(2, 3),
                                          testing::Values("scheme = \"rusanov\"", "scheme = \"muscl\"",
                                                          "scheme = \"muscl\"\nriemann = \"hllc\"")));

TEST_P(ColdExpansion, FollowsTheExactAdiabatWithDualEnergy) {
  const auto& [dim, scheme] = GetParam();
  const bool first_order = scheme.find("muscl") == std::string::npos;
  const Deviation with = expand(dim, scheme + "\ndual-energy = true");
  EXPECT_LE(with.entropy, 1e-9);  // the boundary's entropy follows from its energy, to 1e-10
  EXPECT_LE(with.density, first_order ? 0.2 : 0.02);
  EXPECT_EQ(with.floored, 0);
}

TEST(ColdExpansionByTotalEnergyAlone, LosesTheAdiabat) {
  EXPECT_GT(expand(2, "scheme = \"muscl\"").entropy, 0.5);
}

// The thermal energy of means contains that of velocities which differ within a volume: the pressure would be up to 8e8 times as
// large in the first gas, and up to 31 times in the second one, which is at rest in places.
TEST(ColdGasByFormulas, HasItsPressureAndEntropy) {
  for (const char* velocity : {"1 + 0.5 * sin(2 * pi * x)", "1e-4 * sin(2 * pi * x)"}) {
    for (const int samples : {1, 2, 3}) {
      const auto simulation = make_simulation(
          physics_input(fmt::format(
              "[domain]\ndimensions = 2\n[boundary]\nall = \"periodic\"\n[mesh]\npatch-size = 9\nmin-level = "
              "1\n"
              "[solver]\ndual-energy = true\ngamma = 1.6666666666666667\n[scenario]\nname = \"formulas\"\n"
              "samples-per-axis = {}\nfields = {{density = 2, velocity-x = \"{}\", pressure = 1e-12}}\n",
              samples, velocity)),
          2);
      const solvers::Solver& solver = simulation->solver();
      const auto pressure =
          std::ranges::find(solver.derived(), std::string("pressure"), &solvers::Derived::name);
      for_volumes(*simulation, [&](const Volume& v) {
        EXPECT_NEAR(v.q[4] * std::pow(2.0, 2.0 / 3) / 1e-12, 1, 1e-13);
        EXPECT_NEAR(pressure->value(solver.parameters(), v.q) / 1e-12, 1, 1e-12);
      });
    }
  }
}

// The entropy of thin gas is 1e18 times that of dense gas; as that of a mixture it would be an energy of 1e12.
TEST(ColdContact, GainsNoMoreThanATenthOfItsEnergy) {
  const Config config = physics_input(
      "[domain]\ndimensions = 2\n[boundary]\nall = \"periodic\"\n[mesh]\npatch-size = 9\nmin-level = 2\n"
      "[solver]\nscheme = \"muscl\"\nriemann = \"hllc\"\ngamma = 10\ndual-energy = true\n[scenario]\nname = "
      "\"formulas\"\n"
      "fields = {density = \"hypot(x - 0.5, y - 0.5) < 0.2 ? 1 : 1e-2\", velocity-x = 300, velocity-y = 100, "
      "pressure = 1}\n"
      "[time]\nend = 0.001\n");
  const auto simulation = make_simulation(config, available_processors());
  const double before = simulation->totals()[3];
  while (simulation->time() < config.time.end && simulation->step() < 400)
    simulation->advance(config.time.end);
  std::printf("%d steps: energy over that at the start %.4f\n", simulation->step(),
              simulation->totals()[3] / before);
  EXPECT_EQ(simulation->time(), config.time.end);
  EXPECT_NEAR(simulation->totals()[3] / before, 1, 0.1);
}

// Density, momentum and energy of gas that is hot everywhere, on a mesh that changes.
TEST(HotRun, IsBitwiseUnchangedByDualEnergy) {
  for (const char* name : {"sod", "riemann"}) {
    const RankCase tested = case_called(name);
    std::vector<double> state[2];
    for (const bool dual : {false, true}) {
      const auto simulation =
          run(config_of(tested, {fmt::format("solver.dual-energy={}", dual)}), tested.steps);
      const int unknowns = simulation->config().domain.dimensions + 2;
      for_volumes(*simulation, [&](const Volume& volume) {
        state[dual].insert(state[dual].end(), volume.q, volume.q + unknowns);
      });
    }
    EXPECT_EQ(state[0], state[1]) << name;
  }
}

}  // namespace
}  // namespace meander::simulation
