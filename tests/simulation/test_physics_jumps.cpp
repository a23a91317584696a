// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Fourth-order CCZ4 at resolution jumps: noise in flat space must not grow, measured by rates and not by end values;
// waves that cross jumps keep their order. scripts/verify has longer runs and other meshes.

#include <fmt/format.h>

#include <array>
#include <map>

#include "physics/ccz4/unknowns.hpp"
#include "simulation/module.hpp"
#include "tests/reference/exact_riemann.hpp"
#include "tests/simulation/physics_run.hpp"

namespace meander::simulation {
namespace {

constexpr double noise = 1e-8;
constexpr double first_fit = 2, last_fit = 10;  // times between which rates are fitted
constexpr std::array constraints = {"hamiltonian_l2",    "momentum_l2",       "connection_l2",
                                    "ordering_lapse_l2", "ordering_shift_l2", "ordering_metric_l2",
                                    "ordering_phi_l2"};

// A row of cells, all periodic, whose middle one is refined or not. `noise` is the amplitude of random
// numbers in every unknown of every volume, whatever its width: the unrefined run starts from the same
// numbers outside of the middle cell, and from fewer in it.
std::string noise_input(double dissipation, bool refined) {
  return fmt::format(
      "[domain]\nlower = [-4.5, -1.5, -1.5]\nupper = [4.5, 1.5, 1.5]\ncells = [3, 1, 1]\n"
      "[mesh]\npatch-size = 9\nmax-level = {}\nbuffer = 0\n"
      "[[refinement]]\nkind = \"box\"\nlower = [-0.5, -0.5, -0.5]\nupper = [0.5, 0.5, 0.5]\n"
      "[solver]\nequation = \"ccz4\"\nf = 0.7\ncfl = 1.5\ndissipation = {}\n"
      "[scenario]\nname = \"minkowski\"\nnoise = {}\n[time]\nend = {}\n",
      refined ? 2 : 1, dissipation, noise, last_fit);
}

// At times 0.5, 1, 1.5, ...: norms by name.
using Series = std::map<std::string, std::vector<double>>;
constexpr double sample_every = 0.5;

// Ends early where the state is not admissible any more.
Series noise_run(const std::string& input) {
  const Config config = physics_input(input);
  const auto simulation = make_simulation(config, available_processors());
  Series series;
  try {
    for (double t = sample_every; t <= last_fit; t += sample_every) {
      while (simulation->time() < t) simulation->advance(t);
      for (const Measure& measure : simulation->measures()) series[measure.name].push_back(measure.value);
      series["deviation"].push_back(measured(*simulation, "error_linf"));
    }
  } catch (const std::exception& failure) {
    ADD_FAILURE() << failure.what();
  }
  return series;
}

// Exponent per unit time between first_fit and last_fit, by least squares; infinite if the run did not get
// there.
double rate(const std::vector<double>& values) {
  const auto first = static_cast<std::size_t>(first_fit / sample_every) - 1;
  const auto count = static_cast<std::size_t>((last_fit - first_fit) / sample_every) + 1;
  if (values.size() < first + count) return INFINITY;
  double products = 0, squares = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double t = sample_every * (static_cast<double>(i) - 0.5 * static_cast<double>(count - 1));
    products += t * std::log(values[first + i]);
    squares += t * t;
  }
  return products / squares;
}

double value_at(const std::vector<double>& values, double t) {
  const auto i = static_cast<std::size_t>(std::lround(t / sample_every)) - 1;
  return i < values.size() ? values[i] : INFINITY;
}

// With one-sided interpolation the constraints grow at 0.4 to 0.7 here. The ordering constraints, which the
// default solver.ordering damps at rate 1, fall to rounding without a jump and to what interpolation leaves
// of the others with one, so that only the others are held against the unrefined run.
class FlatSpaceWithAJump : public testing::TestWithParam<double> {};

TEST_P(FlatSpaceWithAJump, NoiseGrowsNoFasterThanWithoutIt) {
  Series refined = noise_run(noise_input(GetParam(), true));
  Series unrefined = noise_run(noise_input(GetParam(), false));
  for (const std::string name : constraints) {
    const double with = rate(refined[name]), without = rate(unrefined[name]);
    std::printf("dissipation %g, %s: %.2e at t = 2, %.2e at t = 10, rate %+.3f; unrefined %+.3f\n",
                GetParam(), name.c_str(), value_at(refined[name], 2), value_at(refined[name], 10), with,
                without);
    const bool is_damped = name.starts_with("ordering");
    EXPECT_LE(with, is_damped ? -0.2 : without + 0.05) << name;
    EXPECT_LE(with, -0.05) << name;
    EXPECT_LT(value_at(refined[name], 10), value_at(refined[name], 2)) << name;
  }
  // At one time the largest of 59 unknowns in some volume may be almost twice that of another mesh.
  double largest = 0, largest_unrefined = 0;
  for (double t = first_fit; t <= last_fit; t += sample_every) {
    const double with = value_at(refined["deviation"], t), without = value_at(unrefined["deviation"], t);
    std::printf("dissipation %g, t = %g: largest deviation %.2e, unrefined %.2e\n", GetParam(), t, with,
                without);
    EXPECT_LE(with, 2 * without) << "t = " << t;
    largest = std::max(largest, with);
    largest_unrefined = std::max(largest_unrefined, without);
  }
  EXPECT_LE(largest, 1.5 * largest_unrefined);
}

INSTANTIATE_TEST_SUITE_P(Dissipation, FlatSpaceWithAJump, testing::Values(0.2, 0.3),
                         [](const auto& of) { return of.param == 0.2 ? "Default" : "Shipped"; });

// `cells` base cells across the wave, the middle third of them refined.
double wave_error(const std::string& scenario, int cells, double amplitude, const std::string& stepping) {
  const double width = 1.0 / cells;
  const auto simulation = run(physics_input(
      fmt::format("[domain]\nlower = [-0.5, 0, 0]\nupper = [0.5, {0}, {0}]\ncells = [{1}, 1, 1]\n"
                  "[mesh]\npatch-size = 9\nmax-level = {2}\nbuffer = 0\n"
                  "[[refinement]]\nkind = \"box\"\nlower = [-0.1, 0, 0]\nupper = [0.1, {0}, {0}]\n"
                  "[solver]\nequation = \"ccz4\"\nslicing = \"harmonic\"\ns = 0\ncfl = 1.0\n"
                  "[scenario]\nname = \"{3}\"\namplitude = {4}\n[time]\nend = 0.1\n",
                  width, cells, cells > 3 ? 3 : 2, scenario, amplitude),
      {"time.stepping=" + stepping}));
  const std::int64_t refined = cells / 3, volumes = 9 * 9 * 9;
  EXPECT_EQ(simulation->leaves().total, refined * (2 + 27));
  if (const auto report = simulation->local_steps()) {
    // Every refined cell touches coarse leaves, and has a shadow.
    const std::int64_t coarse = simulation->step(), fine = report->steps.back();
    EXPECT_GE(fine, 2.7 * static_cast<double>(coarse))
        << "only the last step, a shorter one, has another ratio";
    EXPECT_EQ(simulation->volume_updates(), refined * (2 * coarse + 27 * fine) * volumes);
    EXPECT_EQ(report->shadow_volume_updates, refined * coarse * volumes);
  }
  return measured(*simulation, "error_l2");
}

// `most`: the maximum coarse error. With one-sided interpolation at jumps the order is the same or
// larger, the errors are not. Local steps have the errors of global ones.
void expect_fourth_order(const std::string& scenario, double amplitude, double most) {
  double of_global[2] = {0, 0};
  for (const std::string stepping : {"global", "local"}) {
    double errors[2];
    for (const int finer : {0, 1}) {
      errors[finer] = wave_error(scenario, 3 + 3 * finer, amplitude, stepping);
      if (stepping == "global") of_global[finer] = errors[finer];
      EXPECT_LE(errors[finer], 1.01 * of_global[finer]) << stepping;
    }
    const double order = reference::order_of(errors[0], errors[1], 2);
    std::printf("%s, middle refined, %s steps: errors %.3e and %.3e, order %.2f\n", scenario.c_str(),
                stepping.c_str(), errors[0], errors[1], order);
    EXPECT_LE(errors[0], most);
    EXPECT_GE(order, 3.8);
  }
}

TEST(WavesAcrossJumps, GaugeWaveIsOfFourthOrder) {
  expect_fourth_order("gauge-wave", 0.1, 7e-5);
}
TEST(WavesAcrossJumps, LinearWaveIsOfFourthOrder) {
  expect_fourth_order("linear-wave", 1e-8, 3e-12);
}

// A Gaussian pulse of the linear wave is as exact as the sine, also where it leaves at one side of the domain
// and enters at the other.
TEST(LinearWaveRun, PulseIsOfFourthOrderAcrossThePeriodicBoundary) {
  const auto error = [](int cells) {
    const auto simulation = run(
        physics_input(fmt::format("[domain]\nlower = [-0.5, 0, 0]\nupper = [0.5, {0}, {0}]\ncells = [{1}, 1, "
                                  "1]\n[mesh]\npatch-size = 6\n"
                                  "[solver]\nequation = \"ccz4\"\nslicing = \"harmonic\"\ns = 0\ncfl = 1.0\n"
                                  "[scenario]\nname = \"linear-wave\"\nprofile = \"pulse\"\nsigma = "
                                  "0.0625\ncentre = 0.4\n[time]\nend = 0.2\n",
                                  1.0 / cells, cells)));
    return measured(*simulation, "error_l2");
  };
  const double coarse = error(12), fine = error(24);
  std::printf("pulse: errors %.3e and %.3e, order %.2f\n", coarse, fine,
              reference::order_of(coarse, fine, 2));
  EXPECT_GE(reference::order_of(coarse, fine, 2), 3.7);
}

}  // namespace
}  // namespace meander::simulation
