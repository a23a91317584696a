// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// CCZ4: orders of accuracy on exact waves, bounded noise, black holes at rest.

#include <fmt/format.h>

#include <numeric>

#include "physics/ccz4/unknowns.hpp"
#include "simulation/module.hpp"
#include "tests/reference/exact_riemann.hpp"
#include "tests/simulation/physics_run.hpp"

namespace meander::simulation {
namespace {

// `cells` base cells of 3 volumes each across the wave; thin along the other axes.
std::string wave_input(const std::string& scenario, const std::string& scheme, int cells, double end,
                       double amplitude) {
  const double width = 1.0 / cells;
  return fmt::format(
      "[domain]\nlower = [-0.5, 0, 0]\nupper = [0.5, {}, {}]\ncells = [{}, 1, 1]\n[mesh]\npatch-size = 3\n"
      "[solver]\nequation = \"ccz4\"\nscheme = \"{}\"\nslicing = \"harmonic\"\ns = 0\ncfl = 0.5\n"
      "[scenario]\nname = \"{}\"\namplitude = {}\n[time]\nend = {}\n",
      width, width, cells, scheme, scenario, amplitude, end);
}

// Root mean square error relative to the exact solution, over all volumes and the given unknowns.
double error_of(Simulation& simulation, const std::vector<int>& unknowns) {
  double sum = 0, volumes = 0;
  for_volumes(simulation, [&](const Volume& volume) {
    double exact[ccz4::unknowns];
    simulation.config().scenario->boundary(volume.x, volume.dx, simulation.time(), exact);
    for (const int n : unknowns) sum += (volume.q[n] - exact[n]) * (volume.q[n] - exact[n]);
    volumes += 1;
  });
  return std::sqrt(sum / volumes);
}

double wave_error(const std::string& scenario, const std::string& scheme, int cells, double end,
                  double amplitude, const std::vector<int>& unknowns) {
  const auto simulation = run(physics_input(wave_input(scenario, scheme, cells, end, amplitude)));
  return error_of(*simulation, unknowns);
}

std::vector<int> all_unknowns() {
  std::vector<int> all(ccz4::unknowns);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

void expect_order(const std::string& scenario, const std::string& scheme, double end, double amplitude,
                  const std::vector<int>& unknowns, double least) {
  double before = 0;
  for (const int cells : {9, 18, 36}) {
    const double error = wave_error(scenario, scheme, cells, end, amplitude, unknowns);
    const double order = before > 0 ? reference::order_of(before, error, 2) : 0;
    std::printf("%s %s: %d volumes, error %.4e, order %.3f\n", scenario.c_str(), scheme.c_str(), 3 * cells,
                error, order);
    if (before > 0) {
      EXPECT_GE(order, least) << 3 * cells << " volumes";
    }
    before = error;
  }
}

TEST(GaugeWaveRun, IsOfFirstOrderWithRusanov) {
  expect_order("gauge-wave", "rusanov", 0.1, 0.1, all_unknowns(), 0.9);
}
TEST(GaugeWaveRunQuick, IsOfFourthOrder) {
  expect_order("gauge-wave", "fourth-order", 0.5, 0.1, all_unknowns(), 3.8);
}
TEST(LinearWaveRun, IsOfFourthOrder) {
  expect_order("linear-wave", "fourth-order", 0.5, 1e-8, all_unknowns(), 3.8);
}

TEST(GaugeWaveRunQuick, StartsAtAnyTime) {
  for (const std::string scenario : {"gauge-wave", "linear-wave"}) {
    const auto simulation = make_simulation(
        physics_input(wave_input(scenario, "fourth-order", 9, 1, 0.1), {"time.start=0.25"}), 2);
    EXPECT_EQ(error_of(*simulation, all_unknowns()), 0) << scenario;
  }
}

// Along the diagonal, with the exact solution beyond the domain: its time of every stage counts.
TEST(GaugeWaveRun, IsOfFourthOrderAlongTheDiagonalBetweenGivenBoundaries) {
  double before = 0;
  for (const int cells : {4, 8}) {
    const double width = 1.0 / cells;
    const auto simulation = run(physics_input(fmt::format(
        "[domain]\nupper = [1, 1, {}]\ncells = [{}, {}, 1]\n[boundary]\nx = \"scenario\"\ny = \"scenario\"\n"
        "[mesh]\npatch-size = 5\n[solver]\nequation = \"ccz4\"\nslicing = \"harmonic\"\ns = 0\ncfl = 0.5\n"
        "[scenario]\nname = \"gauge-wave\"\ndirection = \"diagonal\"\nwidth = 0.70710678118654752\n"
        "amplitude = 0.1\n[time]\nend = 0.1\n",
        width, cells, cells)));
    const double error = error_of(*simulation, all_unknowns());
    std::printf("diagonal: %d volumes, error %.4e, order %.3f\n", 5 * cells, error,
                before > 0 ? reference::order_of(before, error, 2) : 0);
    if (before > 0) {
      EXPECT_GE(reference::order_of(before, error, 2), 3.7);
    }
    before = error;
  }
}

struct Extremes {
  double lapse_min = 1, lapse_max = 1;
  double amplitude() const { return 0.5 * (lapse_max - lapse_min); }
};
Extremes extremes_of(Simulation& simulation) {
  Extremes extremes;
  for_volumes(simulation, [&](const Volume& volume) {
    extremes.lapse_min = std::min(extremes.lapse_min, volume.q[ccz4::at::a]);
    extremes.lapse_max = std::max(extremes.lapse_max, volume.q[ccz4::at::a]);
  });
  return extremes;
}

// On 27 volumes the wave lags the exact one, by half a wavelength at the end. With the default damping and
// dissipation it neither grows nor decays, and the constraint violation stays at its value of half time.
TEST(GaugeWaveRun, StaysAWaveForAHundredCrossingTimes) {
  const Config config = physics_input(wave_input("gauge-wave", "fourth-order", 9, 100, 0.1));
  const auto simulation = make_simulation(config, available_processors());
  const double amplitude = extremes_of(*simulation).amplitude();
  double half = 0;
  for (const double t : {50.0, 100.0}) {
    while (simulation->time() < t) simulation->advance(t);
    double hamiltonian = 0;
    for (const Measure& measure : simulation->measures())
      hamiltonian = measure.name == "hamiltonian_linf" ? measure.value : hamiltonian;
    const Extremes extremes = extremes_of(*simulation);
    std::printf("27 volumes, t = %g: lapse %.4f to %.4f, Hamiltonian %.3e, L2 error %.3e\n", t,
                extremes.lapse_min, extremes.lapse_max, hamiltonian, measured(*simulation, "error_l2"));
    EXPECT_NEAR(extremes.amplitude() / amplitude, 1.0, 0.1);
    EXPECT_GT(hamiltonian, 0);
    EXPECT_LE(hamiltonian, t > 50 ? 1.5 * half : 0.2);
    half = hamiltonian;
  }
  EXPECT_EQ(simulation->treated_volumes().floored, 0);
}

double largest_deviation(Simulation& simulation) {
  double largest = 0;
  for_volumes(simulation, [&](const Volume& volume) {
    double exact[ccz4::unknowns];
    simulation.config().scenario->boundary(volume.x, volume.dx, 0, exact);
    for (int n = 0; n < ccz4::unknowns; ++n) largest = std::max(largest, std::abs(volume.q[n] - exact[n]));
  });
  return largest;
}

// Coordinates drift with the noise's mean, linearly; nothing grows faster than t^2.
TEST(RobustStability, NoiseGrowsNoFasterThanTimeSquaredForTenCrossingTimes) {
  for (const int cells : {3, 6}) {
    const double noise = 1e-10 * 9.0 / (cells * cells);
    const Config config = physics_input(fmt::format(
        "[domain]\nlower = [-0.5, 0, 0]\nupper = [0.5, {}, {}]\ncells = [{}, 1, 1]\n[mesh]\npatch-size = 6\n"
        "[solver]\nequation = \"ccz4\"\nslicing = \"harmonic\"\ns = 0\ncfl = 0.8\n"
        "[scenario]\nname = \"minkowski\"\nnoise = {}\n[time]\nend = 10\n",
        1.0 / cells, 1.0 / cells, cells, noise));
    const auto simulation = make_simulation(config, available_processors());
    while (simulation->time() < 5) simulation->advance(5);
    const double half = largest_deviation(*simulation);
    while (simulation->time() < 10) simulation->advance(10);
    const double whole = largest_deviation(*simulation);
    std::printf("%d volumes: noise %.2e became %.2e at t = 5 and %.2e at t = 10\n", 6 * cells, noise, half,
                whole);
    EXPECT_LE(whole, 4.5 * half);
    EXPECT_LE(whole, 1000 * noise);
  }
}

// Where the shift obeys its driver too, no unknown is left to push the others for ever: noise stays bounded,
// and decays. f off 0.75, where two speeds meet in flat space.
TEST(RobustStability, NoiseStaysBoundedWithTheGammaDriver) {
  for (const int cells : {3, 6, 9}) {
    const double noise = 1e-10 * 9.0 / (cells * cells);
    const Config config = physics_input(fmt::format(
        "[domain]\nlower = [-0.5, 0, 0]\nupper = [0.5, {}, {}]\ncells = [{}, 1, 1]\n[mesh]\npatch-size = 6\n"
        "[solver]\nequation = \"ccz4\"\nf = 0.7\ncfl = 0.8\n"
        "[scenario]\nname = \"minkowski\"\nnoise = {}\n[time]\nend = 10\n",
        1.0 / cells, 1.0 / cells, cells, noise));
    const auto simulation = make_simulation(config, available_processors());
    double early = 0;
    for (int t = 1; t <= 10; ++t) {
      while (simulation->time() < t) simulation->advance(t);
      const double deviation = measured(*simulation, "error_linf");
      std::printf("%d volumes, noise %.2e, t = %d: %.2e\n", 6 * cells, noise, t, deviation);
      EXPECT_LE(deviation, 20 * noise);
      early = std::max(early, t <= 2 ? deviation : 0.0);
      if (t > 2) {
        EXPECT_LE(deviation, 1.2 * early);
      }
    }
  }
}

// Resolution jumps included: what drifts is the error of the scheme.
double kerr_drift(int patch_size, int max_level) {
  const auto simulation = run(physics_input(fmt::format(
      "[domain]\nlower = [4, 0, 1]\nupper = [7, 3, 4]\ncells = [2, 2, 2]\n[boundary]\nall = \"scenario\"\n"
      "[mesh]\npatch-size = {}\nmin-level = 1\nmax-level = {}\nbuffer = 0\n"
      "[[refinement]]\nkind = \"box\"\nlower = [4.2, 0.2, 1.2]\nupper = [4.4, 0.4, 1.4]\n"
      "[solver]\nequation = \"ccz4\"\ns = 0\ncfl = 0.8\n"
      "[scenario]\nname = \"kerr-schild\"\nspin = 0.9\n[time]\nend = 0.15\n",
      patch_size, max_level)));
  return largest_deviation(*simulation);
}

TEST(KerrSchildRun, StaysAtRestUpToTheErrorOfTheScheme) {
  for (const int max_level : {1, 2}) {
    const double coarse = kerr_drift(9, max_level), fine = kerr_drift(13, max_level);
    const double order = reference::order_of(coarse, fine, 13.0 / 9);
    std::printf("%d levels: largest drift %.3e and %.3e, order %.2f\n", max_level, coarse, fine, order);
    EXPECT_GE(order, 3.4);
  }
}

}  // namespace
}  // namespace meander::simulation
