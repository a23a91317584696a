// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Every shipped input runs some steps on a coarser mesh and is compared with reference figures and with its physics:
// exact solutions, known masses, conservation, symmetry.

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <numbers>
#include <set>

#include "base/exact_sum.hpp"
#include "physics/ccz4/unknowns.hpp"
#include "tests/simulation/mpi/outcome.hpp"
#include "tests/simulation/physics_run.hpp"

namespace meander::simulation {
namespace {

struct InputCase {
  std::string name;
  std::vector<std::string> settings;
  int steps;
  double time, density_squared;  // after those steps; the integral of rho^2
};

const std::vector<InputCase> quick = {
    {"accretion-2d", {"mesh.max-level=4"}, 40, -25.8775543758, 11.1112342156},
    {"accretion-3d-fine", {"mesh.max-level=4"}, 20, -28.6062951293, 37.0371205936},
    {"binary-stars",
     {"mesh.max-level=2", "mesh.patch-size=6", "scenario.samples-per-axis=2"},
     10,
     0.127732190061,
     5.63390873454},
    {"dust-collapse",
     {"mesh.max-level=3", "scenario.constants.radius=0.2"},
     2,
     0.024996151312,
     0.0323998471391},
    {"double-blast", {"mesh.max-level=5"}, 40, 0.000125470655923, 0.0123935539796},
    {"double-mach", {"mesh.max-level=3"}, 40, 0.00952692841296, 30.68721069},
    {"accretion-two-seeds", {"mesh.max-level=3"}, 20, -28.6062951293, 37.037180005},
    {"bondi", {"mesh.max-level=2", "mesh.patch-size=6"}, 2, 0.0192155487248, 132.407858108},
    {"evrard", {"mesh.patch-size=6", "scenario.samples-per-axis=2"}, 2, 0.0274420694199, 0.0392852059495},
    {"gauge-wave", {}, 10, 0.0448392450035, 0.0278086634082},
    {"gresho", {"mesh.max-level=2"}, 40, 0.0284987144638, 1.00000000737},
    {"head-on", {"mesh.max-level=2", "mesh.patch-size=4"}, 1, 0.1, 38443359.3754},
    {"head-on-octant", {"mesh.max-level=1", "mesh.patch-size=4"}, 1, 0.1, 4251528.00009},
    {"hydrostatic", {}, 40, 0.0278234340593, 0.4323273404},
    {"jeans", {}, 40, 0.0329208633529, 1.00000000756},
    {"kelvin-helmholtz", {"mesh.max-level=3"}, 40, 0.0790132838313, 4.96493891735},
    {"linear-wave", {}, 10, 0.0462962962963, 0.0277777777778},
    {"noh-2d", {"mesh.max-level=3"}, 40, 0.0340523276099, 1.14536617368},
    {"pancake", {}, 40, -5.72824084716, 0.111162731725},
    {"qc0", {"mesh.max-level=2", "mesh.patch-size=4"}, 1, 0.1, 17006112.0001},
    {"rayleigh-taylor", {"mesh.max-level=3"}, 40, 0.0412152502306, 1.8699735881},
    {"riemann-2d", {"mesh.max-level=3"}, 40, 0.0188227984125, 0.204617111907},
    {"sedov-2d", {"mesh.max-level=3"}, 40, 0.00145955255522, 1.00212078292},
    {"sedov-3d", {"mesh.max-level=2"}, 20, 0.00251303168811, 1.00050017514},
    {"shock-bubble", {"mesh.max-level=4"}, 40, 0.0749998965604, 15.3856281527},
    {"sod", {}, 40, 0.00686168773812, 0.0560857272182},
    {"spinning-puncture", {"mesh.max-level=1", "mesh.patch-size=6"}, 1, 0.1, 157464000},
    {"vortex", {}, 40, 0.0261654233787, 3.96881058929},
};
const std::vector<InputCase> slow = {
    {"accretion-3d", {"mesh.max-level=3"}, 40, -25.8775543758, 37.0371187434},
    {"binary", {"mesh.max-level=2", "mesh.patch-size=9"}, 2, 0.555555555556, 10077696.4112},
    {"kerr-schild", {}, 5, 0.0537135886556, 35.439342972},
    {"puncture", {"mesh.max-level=1"}, 5, 0.5, 114791256},
    {"uniform", {"mesh.max-level=2"}, 10, 0.0139771690295, 1},
};

// A physical property of an input, checked on the run after its steps and on the totals before them.
using Demand = std::function<void(Simulation&, const std::vector<double>& before)>;

// The first unknown's integral is `mass` to `tolerance`, and has changed by rounding only.
Demand mass_is(double mass, double tolerance) {
  return [=](Simulation& simulation, const std::vector<double>& before) {
    const double after = simulation.totals()[0];
    std::printf("mass %.15g\n", after);
    EXPECT_NEAR(after, mass, tolerance * mass);
    EXPECT_NEAR(after, before[0], 1e-13 * mass);
  };
}

// The first unknown's integral has grown by `inflow` of the time, to `tolerance` of that.
Demand mass_enters(const std::function<double(double)>& inflow, double tolerance) {
  return [=](Simulation& simulation, const std::vector<double>& before) {
    const double entered = simulation.totals()[0] - before[0], expected = inflow(simulation.time());
    std::printf("mass that entered %.12g, expected %.12g\n", entered, expected);
    EXPECT_NEAR(entered, expected, tolerance * expected);
  };
}

// All integrals have changed by rounding only.
Demand everything_is_conserved() {
  return [](Simulation& simulation, const std::vector<double>& before) {
    const std::vector<double> after = simulation.totals();
    for (std::size_t u = 0; u < after.size(); ++u)
      EXPECT_NEAR(after[u], before[u], 1e-13 * std::max(1.0, std::abs(before[u]))) << u;
  };
}

// The mean |Q_u - exact| over the domain is at most `error`. The exact solution is the boundary data of the
// scenario.
Demand solution_is_exact(std::size_t u, double error) {
  return [=](Simulation& simulation, const std::vector<double>&) {
    const int dim = simulation.config().domain.dimensions;
    double sum = 0, volume_of_all = 0;
    for_volumes(simulation, [&](const Volume& v) {
      double exact[solvers::most_unknowns];
      simulation.config().scenario->boundary(v.x, v.dx, simulation.time(), exact);
      const double volume = std::pow(v.dx, dim);
      sum += std::abs(v.q[u] - exact[u]) * volume;
      volume_of_all += volume;
    });
    std::printf("mean error of unknown %zu: %.3g\n", u, sum / volume_of_all);
    EXPECT_LE(sum / volume_of_all, error);
  };
}

// The integral of Q_u times `weight` of the position vanishes, for weights that are odd under a symmetry of
// the run.
Demand vanishes(std::size_t u, const std::vector<std::function<double(const double*)>>& weights) {
  return [=](Simulation& simulation, const std::vector<double>&) {
    const int dim = simulation.config().domain.dimensions;
    for (const auto& weight : weights) {
      double sum = 0, magnitude = 0;
      for_volumes(simulation, [&](const Volume& v) {
        const double part = v.q[u] * weight(v.x) * std::pow(v.dx, dim);
        sum += part;
        magnitude += std::abs(part);
      });
      EXPECT_LE(std::abs(sum), 1e-11 * magnitude);
      EXPECT_GT(magnitude, 0);
    }
  };
}
double x_of(const double* x) {
  return x[0];
}
double y_of(const double* x) {
  return x[1];
}
double z_of(const double* x) {
  return x[2];
}
double off_diagonal(const double* x) {
  return x[0] - x[1];
}

const std::multimap<std::string, Demand>& demands() {
  constexpr std::size_t lapse = ccz4::at::a;
  static const std::multimap<std::string, Demand> table = {
      // The mean density is 1: the seed is compensated.
      {"accretion-2d", mass_is(100.0 / 9, 1e-8)},
      {"accretion-2d", vanishes(0, {x_of, y_of, off_diagonal})},
      {"accretion-3d", mass_is(1000.0 / 27, 1e-8)},
      {"accretion-3d", vanishes(0, {x_of, y_of, z_of})},
      {"accretion-3d-fine", mass_is(1000.0 / 27, 1e-8)},
      {"accretion-3d-fine", vanishes(0, {x_of, y_of, z_of})},
      // Two equal holes: half a turn about z changes nothing, nor does a mirror at z = 0.
      {"binary", vanishes(lapse, {x_of, y_of, z_of})},
      {"head-on", vanishes(lapse, {x_of, y_of, z_of})},
      {"puncture", vanishes(lapse, {x_of, y_of, z_of})},
      {"qc0", vanishes(lapse, {x_of, y_of})},  // the half above z = 0
      {"spinning-puncture", vanishes(lapse, {x_of, y_of, z_of})},
      {"rayleigh-taylor", mass_is(1.125, 1e-13)},
      {"riemann-2d", vanishes(0, {off_diagonal})},  // configuration 3 is its own mirror image
      {"sedov-2d", mass_is(1, 1e-13)},
      {"sedov-2d", everything_is_conserved()},
      {"sedov-2d", vanishes(0, {x_of, y_of, off_diagonal})},
      {"sedov-3d", mass_is(1, 1e-13)},
      {"sedov-3d", everything_is_conserved()},
      {"sedov-3d", vanishes(0, {x_of, y_of, z_of})},
      {"gauge-wave", solution_is_exact(lapse, 1e-7)},
      {"bondi", vanishes(0, {off_diagonal})},
      {"double-blast", mass_is(1.0 / 81, 1e-13)},
      // From the left, and from above left of the shock.
      {"double-mach", mass_enters(
                          [](double t) {
                            return 66 * std::cos(std::numbers::pi / 6) * t +
                                   33 / std::sqrt(3) * (t + 10 * t * t);
                          },
                          1e-3)},
      {"gresho", everything_is_conserved()},
      {"gresho", solution_is_exact(0, 1e-4)},
      {"gresho", vanishes(0, {x_of, y_of, off_diagonal})},
      {"hydrostatic", mass_is(1 - std::exp(-1.0), 1e-8)},
      {"hydrostatic", solution_is_exact(0, 1e-6)},
      {"jeans", mass_is(1, 1e-12)},
      {"jeans", solution_is_exact(0, 5e-8)},
      {"accretion-two-seeds", mass_is(1000.0 / 27, 1e-8)},
      {"accretion-two-seeds", vanishes(0, {x_of, y_of, z_of})},
      {"pancake", mass_is(1.0 / 9, 1e-8)},
      {"pancake", solution_is_exact(0, 1e-5)},
      {"kelvin-helmholtz", mass_is(3, 1e-13)},
      {"kerr-schild", solution_is_exact(lapse, 1e-9)},
      {"linear-wave", solution_is_exact(3, 1e-13)},
      {"sod", mass_is((1.0 + 0.125) / 2 / 9, 1e-13)},
      {"noh-2d", vanishes(0, {off_diagonal})},
      {"shock-bubble",
       mass_enters([](double t) { return 1.78 * 1.37636397 * 0.33360656 * t; }, 1e-8)},  // of the shocked gas
      {"uniform", everything_is_conserved()},
      {"uniform", solution_is_exact(0, 1e-14)},
      {"vortex", everything_is_conserved()},
      {"vortex", solution_is_exact(0, 1e-4)},
  };
  return table;
}

class ShippedInput : public testing::TestWithParam<InputCase> {};
std::string input_name(const testing::TestParamInfo<InputCase>& tested) {
  std::string name = tested.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Quick, ShippedInput, testing::ValuesIn(quick), input_name);
INSTANTIATE_TEST_SUITE_P(Long, ShippedInput, testing::ValuesIn(slow), input_name);

TEST_P(ShippedInput, RunsAndGivesItsFigures) {
  const InputCase& shipped = GetParam();
  const Config config = shipped_input(shipped.name, shipped.settings);
  const auto simulation = make_simulation(config, available_processors());
  const std::vector<double> before = simulation->totals();
  while (simulation->step() < shipped.steps) simulation->advance(config.time.end);
  EXPECT_EQ(simulation->step(), shipped.steps);
  const int dim = simulation->config().domain.dimensions;
  ExactSum squares;
  for_volumes(*simulation, [&](const Volume& v) { squares.add(v.q[0] * v.q[0] * std::pow(v.dx, dim)); });
  std::printf("%s: {%.12g, %.12g}\n", shipped.name.c_str(), simulation->time(), squares.value());
  EXPECT_NEAR(simulation->time(), shipped.time, 1e-8 * std::abs(shipped.time));
  EXPECT_NEAR(squares.value(), shipped.density_squared, 1e-8 * shipped.density_squared);
  const auto [first, last] = demands().equal_range(shipped.name);
  for (auto demand = first; demand != last; ++demand) demand->second(*simulation, before);
}

// Blocks of an emulated device have one thread, which makes CCZ4 slow.
class ShippedInputOnADeviceLong : public testing::TestWithParam<InputCase> {};
std::vector<InputCase> quick_on_a_device() {
  std::vector<InputCase> cases = quick;
  // Self-gravity is refused there.
  std::erase_if(cases, [](const InputCase& one) {
    return one.name == "jeans" || one.name == "pancake" || one.name == "dust-collapse" ||
           one.name == "evrard" || one.name == "binary-stars" || one.name == "accretion-two-seeds";
  });
  return cases;
}
INSTANTIATE_TEST_SUITE_P(Quick, ShippedInputOnADeviceLong, testing::ValuesIn(quick_on_a_device()),
                         input_name);
INSTANTIATE_TEST_SUITE_P(Slow, ShippedInputOnADeviceLong, testing::ValuesIn(slow), input_name);

TEST_P(ShippedInputOnADeviceLong, HasTheSameBits) {
  const InputCase& shipped = GetParam();
  std::vector<std::string> settings = shipped.settings;
  settings.insert(settings.end(), {"mesh.regrid-every=2"});
  const auto outcome = [&] {
    const Config config = shipped_input(shipped.name, settings);
    const auto simulation = make_simulation(config, available_processors());
    const int steps = simulation->solver().traits().conservative ? 4 : 1;
    while (simulation->step() < steps) simulation->advance(config.time.end);
    return outcome_of(*simulation);
  };
  const Outcome on_host = outcome();
  settings.insert(settings.end(), {"offload.device=host", "gpu-memory.patches=device"});
  expect_same(outcome(), on_host, shipped.name);
}

TEST(ShippedInputsQuick, AreAllTestedAndLoadAsTheyAre) {
  std::set<std::string> tested;
  for (const auto& list : {quick, slow}) {
    for (const InputCase& shipped : list) tested.insert(shipped.name);
  }
  for (const auto& entry : std::filesystem::directory_iterator(MEANDER_SOURCE_DIR "/inputs")) {
    if (entry.path().extension() != ".toml") continue;
    const std::string name = entry.path().stem().string();
    EXPECT_EQ(tested.count(name), 1u) << name;
    EXPECT_NO_THROW(shipped_input(name)) << name;
  }
}

}  // namespace
}  // namespace meander::simulation
