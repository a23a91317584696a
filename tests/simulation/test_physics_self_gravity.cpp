// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Gravity of the gas itself (gravity.method = "poisson"): waves against the dispersion relation of Jeans (1902),
// omega^2 = c^2 k^2 - 4 pi G rho, conservation, and gas at rest.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "simulation/outputs/fields.hpp"
#include "tests/simulation/physics_run.hpp"

namespace meander::simulation {
namespace {

// A wave in a periodic box of density 1 and speed of sound 1, along x (oblique: along the diagonal). `jeans`: 4 pi G over
// c^2 k^2.
struct Wave {
  double jeans;
  int dim = 2;
  bool oblique = false;
  std::string refinement = "";
  double amplitude = 1e-4;
  std::string stepping = "global";

  double k() const { return 2 * pi * (oblique ? std::sqrt(dim) : 1.0); }
  double rate() const { return k() * std::sqrt(std::abs(1 - jeans)); }  // omega, or that of growth
  std::string phase() const { return !oblique ? "x" : dim == 2 ? "(x + y)" : "(x + y + z)"; }
};

// A standing wave, or the growing mode.
Config wave_input(const Wave& wave, int patch, int level, const std::string& more_gravity = "") {
  const double speed =
      wave.jeans > 1 ? -wave.rate() / wave.k() / (wave.oblique ? std::sqrt(wave.dim) : 1.0) : 0.0;
  std::string velocity;
  for (int a = 0; a < (wave.oblique ? wave.dim : 1); ++a)
    velocity += fmt::format("velocity-{} = \"{} * amplitude * sin(phase)\"\n", "xyz"[a], speed);
  return physics_input(fmt::format(
      "[domain]\ndimensions = {}\n[boundary]\nall = \"periodic\"\n"
      "[mesh]\npatch-size = {}\nmin-level = {}\nmax-level = {}\nbuffer = 0\n{}"
      "[solver]\nscheme = \"muscl\"\nriemann = \"hllc\"\ngamma = 1.4\n"
      "[scenario]\nname = \"formulas\"\nconstants = {{amplitude = {}}}\n"
      "expressions = {{phase = \"2 * pi * {}\", wave = \"amplitude * cos(phase)\"}}\n"
      "[scenario.fields]\ndensity = \"1 + wave\"\npressure = \"1 / gamma + wave\"\n{}"
      "[gravity]\nmethod = \"poisson\"\nconstant = {}\n{}[time]\nend = 100\nstepping = \"{}\"\n",
      wave.dim, patch, level, wave.refinement.empty() ? level : level + 1, wave.refinement, wave.amplitude,
      wave.phase(), velocity, wave.jeans * wave.k() * wave.k() / (4 * pi), more_gravity, wave.stepping));
}

// The amplitude of the wave in the density.
double amplitude(Simulation& simulation, const Wave& wave) {
  double sum = 0;
  for_volumes(simulation, [&](const Volume& v) {
    const double phase = wave.oblique ? v.x[0] + v.x[1] + v.x[2] : v.x[0];
    sum += 2 * (v.q[0] - 1) * std::cos(2 * pi * phase) * std::pow(v.dx, wave.dim);
  });
  return sum;
}

// The relative error of omega, from the phase when it should be 5 pi / 2.
double error_of_omega(const Wave& wave, int patch, int level) {
  const auto simulation = make_simulation(wave_input(wave, patch, level), available_processors());
  const double start = amplitude(*simulation, wave), period = 2 * pi / wave.rate();
  advance_to(*simulation, period);
  const double after_one = amplitude(*simulation, wave);
  advance_to(*simulation, 1.25 * period);
  const double error = std::asin(amplitude(*simulation, wave) / after_one) / (2.5 * pi);
  std::printf("%dD%s p %d level %d: error of omega %.5f, left of the amplitude %.4f\n", wave.dim,
              wave.oblique ? " oblique" : "", patch, level, error, after_one / start);
  return error;
}

TEST(JeansWave, OscillatesAtItsFrequency) {
  const Wave along{.jeans = 0.5}, oblique{.jeans = 0.5, .oblique = true},
      in_3d{.jeans = 0.5, .dim = 3, .oblique = true};
  const double coarse = std::abs(error_of_omega(along, 7, 1)), fine = std::abs(error_of_omega(along, 7, 2));
  EXPECT_LE(fine, 0.005);  // 63 volumes
  EXPECT_LE(fine, 0.28 * coarse);
  EXPECT_LE(std::abs(error_of_omega(oblique, 7, 2)), 0.005);
  EXPECT_LE(std::abs(error_of_omega(in_3d, 9, 1)), 0.02);  // 27 volumes
}

const std::string box = "[[refinement]]\nkind = \"box\"\nlower = [0.3, 0.2]\nupper = [0.7, 0.6]\n";

TEST(JeansWave, OscillatesAtItsFrequencyAcrossJumps) {
  // The longest wave of the box, which jumps excite, oscillates, too.
  for (const std::string stepping : {"global", "local"}) {
    const Wave wave{.jeans = 0.25, .oblique = true, .refinement = box, .stepping = stepping};
    EXPECT_LE(std::abs(error_of_omega(wave, 7, 2)), 0.005);
  }
}

double error_of_growth(const Wave& wave, int patch, int level) {
  const auto simulation = make_simulation(wave_input(wave, patch, level), available_processors());
  const double start = amplitude(*simulation, wave), times = 4;  // of growth by e
  advance_to(*simulation, times / wave.rate());
  const double error = std::log(amplitude(*simulation, wave) / start) / times - 1;
  std::printf("%dD p %d level %d: error of the growth rate %.5f\n", wave.dim, patch, level, error);
  return error;
}

TEST(JeansInstability, GrowsAtItsRate) {
  const Wave along{.jeans = 2}, in_3d{.jeans = 2, .dim = 3, .oblique = true};
  EXPECT_LE(std::abs(error_of_growth(along, 10, 1)), 0.02);  // 30 volumes
  EXPECT_LE(std::abs(error_of_growth(in_3d, 10, 1)), 0.02);
  for (const std::string stepping : {"global", "local"}) {
    const Wave across{.jeans = 2, .oblique = true, .refinement = box, .stepping = stepping};
    EXPECT_LE(std::abs(error_of_growth(across, 10, 1)), 0.02);
  }
}

// Clumps that fall onto each other on meshes that follow them.
Config clumps(int dim, const std::string& boundary, double tolerance = 1e-3,
              const std::string& more_gravity = "", const std::vector<std::string>& settings = {}) {
  return physics_input(
      fmt::format("[domain]\ndimensions = {}\n[boundary]\nall = \"{}\"\n"
                  "[mesh]\npatch-size = {}\nmin-level = {}\nmax-level = {}\nbuffer = 0\nregrid-every = 2\n"
                  "[[refinement]]\nkind = \"jump\"\nvariable = \"density\"\nrefine = 0.15\n"
                  "[solver]\nscheme = \"muscl\"\nriemann = \"hllc\"\n"
                  "[scenario]\nname = \"formulas\"\n[scenario.expressions]\n"
                  "a = \"exp(-((x - 0.31)^2 + (y - 0.42)^2{}) / 0.06^2)\"\nb = \"exp(-((x - 0.64)^2 + (y - "
                  "0.55)^2{}) / 0.09^2)\"\n"
                  "[scenario.fields]\ndensity = \"0.1 + 4 * a + 2 * b\"\nvelocity-x = 0.5\nvelocity-y = "
                  "\"0.2 - 0.3 * a\"\n"
                  "pressure = \"0.1 + a + b\"\n"
                  "[gravity]\nmethod = \"poisson\"\ntolerance = {}\n{}[time]\nend = 100\n",
                  dim, boundary, dim == 3 ? 6 : 9, dim == 3 ? 1 : 2, dim == 3 ? 2 : 4,
                  dim == 3 ? " + (z - 0.4)^2" : "", dim == 3 ? " + (z - 0.6)^2" : "", tolerance,
                  more_gravity),
      settings);
}

class SelfGravityConservation : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Dimensions, SelfGravityConservation, testing::Values(2, 3));

TEST_P(SelfGravityConservation, OfMassAndMomentumHoldsOnChangingMeshes) {
  const int dim = GetParam(), steps = dim == 3 ? 60 : 300;
  const auto simulation = make_simulation(clumps(dim, "periodic"), available_processors());
  const std::vector<double> before = simulation->totals();
  double largest_mean = 0;
  while (simulation->step() < steps) {
    simulation->advance(100);
    largest_mean = std::max(largest_mean, column(*simulation, "mean_acceleration"));
  }
  const std::vector<double> after = simulation->totals();
  std::printf("%dD t = %.3f: mass %.1e, momentum %.1e, subtracted acceleration up to %.1e\n", dim,
              simulation->time(), after[0] / before[0] - 1, after[1] - before[1], largest_mean);
  EXPECT_NEAR(after[0], before[0], 1e-13 * before[0]);
  for (std::size_t a = 1; a <= static_cast<std::size_t>(dim); ++a)
    EXPECT_NEAR(after[a], before[a], 1e-13 * before[0]);
  EXPECT_GT(largest_mean, 1e-12);  // without its removal, momentum would drift
  EXPECT_GT(simulation->leaves().per_level.back(), 0);
}

// Each solution starts from the last one, continued in time.
TEST(SelfGravityCycles, AreOneAStepOnAMeshThatStays) {
  for (const int dim : {2, 3}) {
    const Wave wave{.jeans = 2, .dim = dim, .refinement = dim == 2 ? box : ""};
    const auto simulation =
        make_simulation(wave_input(wave, dim == 2 ? 9 : 10, dim == 2 ? 2 : 1), available_processors());
    EXPECT_GE(column(*simulation, "gravity_cycles"), 3);  // from nothing
    int second_cycles = 0;
    double largest = 0;
    while (simulation->step() < 60) {
      simulation->advance(100);
      largest = std::max(largest, column(*simulation, "gravity_residual"));
      if (simulation->step() > 2 && column(*simulation, "gravity_cycles") > 1) ++second_cycles;
    }
    std::printf("%dD t = %.3f: largest residual %.1e, steps with more than one cycle %d\n", dim,
                simulation->time(), largest, second_cycles);
    EXPECT_EQ(second_cycles, 0);
    EXPECT_LE(largest, 1e-3);
  }
}

// What changes in a very short step is the error of the solution, over next to no time.
TEST(SelfGravityCycles, AreOneAfterAStepOfAnyLength) {
  for (const std::string stepping : {"global", "local"}) {
    const Wave wave{.jeans = 2, .refinement = box, .stepping = stepping};
    const auto simulation = make_simulation(wave_input(wave, 9, 2), available_processors());
    for (int n = 0; n < 4; ++n) simulation->advance(100);
    simulation->advance(simulation->time() * (1 + 1e-15));
    EXPECT_LT(simulation->last_dt(), 1e-14);
    for (int n = 0; n < 4; ++n) {
      simulation->advance(100);
      EXPECT_EQ(column(*simulation, "gravity_cycles"), 1) << stepping;
      EXPECT_LE(column(*simulation, "gravity_residual"), 1e-3) << stepping;
    }
  }
}

TEST(SelfGravityCycles, EndTheRunWhereTheyDoNotSuffice) {
  const Config config =
      wave_input({.jeans = 2, .refinement = box}, 9, 3, "tolerance = 1e-12\n");  // below rounding
  EXPECT_THROW(
      try { make_simulation(config, 2); } catch (const StateFailure& failure) {
        EXPECT_TRUE(
            std::string(failure.what()).find("after 20 cycles of the Poisson solver its residual is ") !=
            std::string::npos)
            << failure.what();
        EXPECT_TRUE(std::string(failure.what()).find("it is largest in the leaf of level ") !=
                    std::string::npos)
            << failure.what();
        throw;
      },
      StateFailure);
}

// The gas of solutions up to the tolerance is that of converged ones, also while leaves come and go.
TEST(SelfGravityCycles, AreEnough) {
  const auto densities = [](double tolerance) {
    const auto simulation = make_simulation(clumps(2, "periodic", tolerance), available_processors());
    int cycles = 0;
    while (simulation->time() < 0.1) {
      simulation->advance(0.1);
      cycles += static_cast<int>(column(*simulation, "gravity_cycles"));
    }
    std::vector<double> found;
    for_volumes(*simulation, [&](const Volume& v) { found.push_back(v.q[0]); });
    std::printf("tolerance %.0e: %d steps, %d cycles\n", tolerance, simulation->step(), cycles);
    return found;
  };
  const std::vector<double> found = densities(1e-3), converged = densities(1e-11);
  ASSERT_EQ(found.size(), converged.size());
  double most = 0;
  for (std::size_t i = 0; i < found.size(); ++i) most = std::max(most, std::abs(found[i] / converged[i] - 1));
  std::printf("largest relative difference of the density %.1e\n", most);
  EXPECT_LE(most, 1e-6);
  EXPECT_GT(most, 0);
}

// Energy of gas and potential.
double energy(Simulation& simulation, bool is_conserved) {
  return simulation.totals().back() + column(simulation, "potential_energy") -
         (is_conserved ? column(simulation, "regrid_energy") : 0);
}

TEST_P(SelfGravityConservation, OfEnergyHoldsBetweenRegrids) {
  const int dim = GetParam(), steps = dim == 3 ? 60 : 500;
  const auto drift = [&](const std::string& choice) {
    const bool is_conserved = choice == "conserved";
    const auto simulation = make_simulation(
        clumps(dim, "periodic", 1e-3, fmt::format("energy = \"{}\"\n", choice)), available_processors());
    const double before = energy(*simulation, is_conserved);
    double largest = 0, factor = 0, least = 0, most = -1e300;  // of the potential energy
    while (simulation->step() < steps) {
      simulation->advance(100);
      largest = std::max(largest, std::abs(energy(*simulation, is_conserved) - before));
      const double potential = column(*simulation, "potential_energy");
      least = std::min(least, potential);
      most = std::max(most, potential);
      if (is_conserved && simulation->step() > 2)
        factor = std::max(factor, std::abs(column(*simulation, "energy_factor")));
    }
    std::printf(
        "%dD %s, t = %.3f: energy drifts by %.1e, potential energy changes by %.1e, by regrids %.1e, factor "
        "up to %.1e\n",
        dim, choice.c_str(), simulation->time(), largest, most - least,
        is_conserved ? column(*simulation, "regrid_energy") : 0, factor);
    EXPECT_LE(factor, 0.05);
    return largest / (most - least);
  };
  EXPECT_LE(drift("conserved"), 1e-12);
  EXPECT_GT(drift("kicks"), 1e-6);
}

// On a fixed mesh without jumps.
TEST(SelfGravityEnergy, IsConservedToSecondOrderByKicks) {
  const auto drift = [](int level) {
    Wave wave{.jeans = 2, .amplitude = 0.1};
    Config config = wave_input(wave, 9, level, "energy = \"kicks\"\n");
    const auto simulation = make_simulation(config, available_processors());
    const double gas = simulation->totals()[3], potential = column(*simulation, "potential_energy");
    advance_to(*simulation, 1.0 / wave.rate());
    const double of_potential = column(*simulation, "potential_energy") - potential;
    const double both = simulation->totals()[3] - gas + of_potential;
    std::printf("level %d: potential energy %.3e, drift %.3e of it\n", level, of_potential,
                both / of_potential);
    return std::abs(both / of_potential);
  };
  const double coarse = drift(1), fine = drift(2);
  EXPECT_LE(fine, 0.01);
  EXPECT_LE(fine, coarse / 6);  // volumes a third as wide
}

// Conservation holds when all levels have ended their steps.
TEST_P(SelfGravityConservation, HoldsWithLocalSteps) {
  const int dim = GetParam(), steps = dim == 3 ? 6 : 60;
  std::vector<std::string> settings = {"time.stepping=local", "mesh.regrid-every=1", "mesh.buffer=1"};
  if (dim == 3)
    settings.insert(settings.end(), {"mesh.min-level=2", "mesh.max-level=3", "refinement[0].refine=0.35"});
  const auto simulation =
      make_simulation(clumps(dim, "periodic", 1e-3, "", settings), available_processors());
  const std::vector<double> before = simulation->totals();
  const double energy_before = energy(*simulation, true);
  double drift = 0, least = 0, most = -1e300, factor = 0;
  while (simulation->step() < steps) {
    simulation->advance(100);
    drift = std::max(drift, std::abs(energy(*simulation, true) - energy_before));
    const double potential = column(*simulation, "potential_energy");
    least = std::min(least, potential);
    most = std::max(most, potential);
    if (simulation->step() > 2) factor = std::max(factor, std::abs(column(*simulation, "energy_factor")));
  }
  const std::vector<double> after = simulation->totals();
  const auto& counts = *simulation->local_steps();
  std::printf(
      "%dD t = %.3f: mass %.1e, momentum %.1e, energy %.1e of the change of the potential, factor up to "
      "%.1e; "
      "%.2f times fewer updates\n",
      dim, simulation->time(), after[0] / before[0] - 1, after[1] - before[1], drift / (most - least), factor,
      static_cast<double>(counts.global_updates) / static_cast<double>(counts.updates));
  EXPECT_NEAR(after[0], before[0], 1e-13 * before[0]);
  for (std::size_t a = 1; a <= static_cast<std::size_t>(dim); ++a)
    EXPECT_NEAR(after[a], before[a], 1e-13 * before[0]);
  EXPECT_LE(drift, 1e-12 * (most - least) + 1e-15 * std::abs(energy_before));
  EXPECT_LE(factor, 0.05);
  EXPECT_GE(static_cast<double>(counts.global_updates), 1.1 * static_cast<double>(counts.updates));
}

// A clump that moves through levels and pulls itself together.
TEST(SelfGravityLocalSteps, DifferFromGlobalOnesBySecondOrder) {
  const auto densities = [](const std::string& stepping, int patch) {
    const Config config = physics_input(
        "[domain]\ndimensions = 2\n[mesh]\nmin-level = 1\nmax-level = 3\nbuffer = 0\n"
        "[[refinement]]\nkind = \"ball\"\ncentre = [0.4, 0.45]\nradius = 0.2\nlevel = 2\n"
        "[[refinement]]\nkind = \"ball\"\ncentre = [0.4, 0.45]\nradius = 0.03\n"
        "[solver]\nscheme = \"muscl\"\nriemann = \"hllc\"\nlimiter = \"van-leer\"\n"
        "[scenario]\nname = \"formulas\"\n[scenario.fields]\n"
        "density = \"1 + exp(-((x - 0.41)^2 + (y - 0.44)^2) / 0.15^2)\"\nvelocity-x = 0.5\npressure = 1\n"
        "[gravity]\nmethod = \"poisson\"\nconstant = 3\nenergy = \"kicks\"\n[time]\nend = 0.1\n",
        {"time.stepping=" + stepping, fmt::format("mesh.patch-size={}", patch)});
    const auto simulation = run(config);
    if (simulation->local_steps()) {
      EXPECT_GE(static_cast<double>(simulation->local_steps()->global_updates),
                1.8 * static_cast<double>(simulation->local_steps()->updates));
    }
    std::vector<double> found;
    for_volumes(*simulation, [&](const Volume& v) { found.push_back(v.q[0]); });
    return found;
  };
  double last = 0;
  for (const int patch : {6, 12, 24}) {
    const std::vector<double> local = densities("local", patch), global = densities("global", patch);
    double sum = 0, most = 0;
    for (std::size_t i = 0; i < local.size(); ++i) {
      sum += std::abs(local[i] - global[i]);
      most = std::max(most, std::abs(local[i] - global[i]));
    }
    sum /= static_cast<double>(local.size());
    std::printf("p %d: differences of the density %.2e, at most %.2e\n", patch, sum, most);
    if (last > 0) {
      EXPECT_LE(sum, last / 3.5);
    }
    last = sum;
  }
}

TEST(SelfGravity, GivesItsAccelerationToOutput) {
  const Config config = clumps(2, "periodic");
  const auto simulation = make_simulation(config, 1);
  while (simulation->step() < 3) simulation->advance(100);
  const StateView view = simulation->view();
  const std::vector<std::string> names = {"potential", "acceleration"};
  const auto fields = output_fields(*config.solver, names);
  ASSERT_EQ(fields[1].components.size(), 2u);
  const VolumeReader reader(view, *config.solver,
                            {fields[0].components[0], fields[1].components[0], fields[1].components[1]});
  const int p = view.layout.p;
  const auto volumes = static_cast<std::size_t>(p * p);
  std::vector<double> potential(volumes), x(volumes), y(volumes);
  const double mean = column(*simulation, "mean_acceleration");
  double most = 0, largest = 0;
  for (std::size_t leaf = 0; leaf < view.patches.size(); ++leaf) {
    reader.read_leaf(0, leaf, potential);
    reader.read_leaf(1, leaf, x);
    reader.read_leaf(2, leaf, y);
    for (int j = 1; j < p - 1; ++j) {
      for (int i = 1; i < p - 1; ++i) {
        const auto at = static_cast<std::size_t>(j * p + i), row = static_cast<std::size_t>(p);
        const double width = 2 * view.patches[leaf].dx;
        most = std::max({most, std::abs(x[at] + (potential[at + 1] - potential[at - 1]) / width),
                         std::abs(y[at] + (potential[at + row] - potential[at - row]) / width)});
        largest = std::max({largest, std::abs(x[at]), std::abs(y[at])});
      }
    }
  }
  EXPECT_LE(most, mean + 1e-12 * largest);
  EXPECT_GT(largest, 1e3 * mean);
}

TEST(SelfGravity, LeavesUniformGasUntouched) {
  Config config = physics_input(
      "[domain]\ndimensions = 2\n[mesh]\npatch-size = 7\nmin-level = 1\nmax-level = 3\nbuffer = 0\n"
      "[[refinement]]\nkind = \"ball\"\nradius = 0.1\nspeed = 0.5\n[solver]\nscheme = \"muscl\"\n"
      "[scenario]\nname = \"uniform\"\ndensity = 0.7\nvelocity = [0.3, -0.4]\n[gravity]\nmethod = "
      "\"poisson\"\nconstant = 7\n"
      "[time]\nend = 10\n");
  const auto simulation = run(config, 30);
  EXPECT_EQ(column(*simulation, "gravity_cycles"), 0);
  for_volumes(*simulation, [](const Volume& v) {
    EXPECT_NEAR(v.q[0], 0.7, 1e-15);
    EXPECT_NEAR(v.q[1], 0.7 * 0.3, 1e-15);
    EXPECT_NEAR(v.q[2], -0.7 * 0.4, 1e-15);
  });
}

// Between mirrors, gas has the gravity of its mirror images: as in the periodic box of twice the size.
TEST(SelfGravity, BetweenMirrorsIsThatOfTheWholeBox) {
  const auto of_density = [](const std::string& domain, const std::string& boundary, int cells) {
    Config config = physics_input(fmt::format(
        "[domain]\ndimensions = 2\n{}cells = [{}, {}]\n[boundary]\nall = \"{}\"\n[mesh]\npatch-size = 6\n"
        "[solver]\nscheme = \"muscl\"\nriemann = \"hllc\"\n[scenario]\nname = \"formulas\"\n"
        "fields = {{density = \"1 + exp(-(x^2 + 2 * y^2) / 0.05)\", pressure = 1}}\n"
        "[gravity]\nmethod = \"poisson\"\ntolerance = 1e-11\n[time]\nend = 10\n",
        domain, cells, cells, boundary));
    std::vector<double> found;
    const auto simulation = run(config, 20);
    std::vector<std::pair<std::pair<double, double>, double>> volumes;
    for_volumes(*simulation, [&](const Volume& v) {
      if (v.x[0] > 0 && v.x[1] > 0) volumes.push_back({{v.x[0], v.x[1]}, v.q[0]});
    });
    std::ranges::sort(volumes);
    for (const auto& [x, density] : volumes) found.push_back(density);
    return found;
  };
  const auto quarter = of_density("lower = [0.0, 0.0]\nupper = [1.0, 1.0]\n", "reflecting", 4),
             whole = of_density("lower = [-1.0, -1.0]\nupper = [1.0, 1.0]\n", "periodic", 8);
  ASSERT_EQ(quarter.size(), whole.size());
  double most = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) most = std::max(most, std::abs(quarter[i] - whole[i]));
  std::printf("largest difference of the density %.1e\n", most);
  EXPECT_LE(most, 1e-9);
}

}  // namespace
}  // namespace meander::simulation
