// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// External gravity: free fall, which is exact, atmospheres at rest between walls, infall onto a mass, and the sum with the
// radial field of accretion.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "tests/reference/exact_riemann.hpp"
#include "tests/simulation/physics_run.hpp"

namespace meander::simulation {
namespace {

constexpr double fall[3] = {0.7, -2.0, 1.1};

// Uniform gas on three levels (3D: two), in motion relative to a moving refined ball. Largest errors of velocity, and of
// density and thermal energy.
struct FallErrors {
  double velocity = 0, thermal = 0;
};

FallErrors fall_freely(int dim, const std::string& kind, const std::string& stepping, double cfl = 0.4) {
  const bool balanced = kind == "balanced";
  const std::string& scheme = balanced ? "muscl" : kind;
  const Config config = physics_input(fmt::format(
      "[domain]\ndimensions = {}\n[boundary]\nall = \"periodic\"\n"
      "[mesh]\npatch-size = 6\nmin-level = 1\nmax-level = {}\nbuffer = 0\nregrid-every = 2\n"
      "[[refinement]]\nkind = \"ball\"\nradius = 0.1\nspeed = 0.5\n"
      "[solver]\nscheme = \"{}\"\nriemann = \"hllc\"\ncfl = {}\n[scenario]\nname = \"uniform\"\ndensity = "
      "1.3\n"
      "[gravity]\nexternal = \"uniform\"\nacceleration = [{}]\nwell-balanced = {}\n"
      "[time]\nend = 0.4\nstepping = \"{}\"\n",
      dim, dim == 3 ? 2 : 3, scheme, cfl, dim == 3 ? "0.7, -2.0, 1.1" : "0.7, -2.0", balanced, stepping));
  const auto simulation = run(config);
  EXPECT_EQ(simulation->time(), 0.4);
  EXPECT_GT(simulation->step(), 5);
  FallErrors errors;
  for_volumes(*simulation, [&](const Volume& volume) {
    double kinetic = 0;
    for (int a = 0; a < dim; ++a) {
      const double momentum = volume.q[1 + a];
      errors.velocity = std::max(errors.velocity, std::abs(momentum / volume.q[0] - fall[a] * 0.4));
      kinetic += 0.5 * momentum * momentum / volume.q[0];
    }
    errors.thermal = std::max(
        {errors.thermal, std::abs(volume.q[0] - 1.3), std::abs(volume.q[1 + dim] - kinetic - 1 / 0.4)});
  });
  return errors;
}

class FreeFall : public testing::TestWithParam<std::tuple<int, std::string>> {};
INSTANTIATE_TEST_SUITE_P(Cases, FreeFall,
                         testing::Combine(testing::Values(2, 3),
                                          testing::Values("godunov", "muscl", "balanced")));

TEST_P(FreeFall, OfUniformGasIsExactWithGlobalSteps) {
  const auto& [dim, scheme] = GetParam();
  const FallErrors errors = fall_freely(dim, scheme, "global");
  std::printf("%dD %s: largest error of velocity %.1e, of density and thermal energy %.1e\n", dim,
              scheme.c_str(), errors.velocity, errors.thermal);
  EXPECT_LE(errors.velocity, 2e-14);
  EXPECT_LE(errors.thermal, 2e-14);
}

// Halos of fine leaves between two times of a coarse one are linear in time, but kinetic energy is quadratic.
TEST_P(FreeFall, OfUniformGasIsOfSecondOrderInTimeWithLocalSteps) {
  const auto& [dim, scheme] = GetParam();
  const FallErrors coarse = fall_freely(dim, scheme, "local"), fine = fall_freely(dim, scheme, "local", 0.1);
  const double orders[2] = {reference::order_of(coarse.velocity, fine.velocity, 4),
                            reference::order_of(coarse.thermal, fine.thermal, 4)};
  std::printf("%dD %s, local steps: errors %.1e %.1e to %.1e %.1e, orders %.2f %.2f\n", dim, scheme.c_str(),
              coarse.velocity, coarse.thermal, fine.velocity, fine.thermal, orders[0], orders[1]);
  EXPECT_LE(coarse.velocity, 1e-4);
  EXPECT_GE(orders[0], 1.8);
  EXPECT_GE(orders[1], 1.8);
}

struct Speeds {
  double mean = 0, largest = 0;
};

Speeds speeds_of(Simulation& simulation) {
  Speeds speeds;
  double domain = 0;
  for_volumes(simulation, [&](const Volume& volume) {
    const double size = volume.dx * volume.dx;
    const double speed = std::hypot(volume.q[1], volume.q[2]) / volume.q[0];
    domain += size;
    speeds.mean += speed * size;
    speeds.largest = std::max(speeds.largest, speed);
  });
  speeds.mean /= domain;
  return speeds;
}

// One scale height of gas at rest, between walls or between layers that do not change.
Config atmosphere(int level, bool isothermal, const std::string& boundary, bool balanced = false) {
  const std::string density = isothermal ? "exp(-y)" : "(1 - (gamma - 1) / gamma * y)^(1 / (gamma - 1))";
  const std::string pressure = isothermal ? "exp(-y)" : "(1 - (gamma - 1) / gamma * y)^(gamma / (gamma - 1))";
  return physics_input(
      fmt::format("[domain]\ndimensions = 2\ncells = [1, 3]\nupper = [0.33333333333333333, 1.0]\n"
                  "[boundary]\nx = \"periodic\"\ny = \"{}\"\n[mesh]\npatch-size = 6\nmin-level = {}\n"
                  "[solver]\nscheme = \"muscl\"\nriemann = \"hllc\"\n"
                  "[scenario]\nname = \"formulas\"\nfields = {{density = \"{}\", pressure = \"{}\"}}\n"
                  "[gravity]\nexternal = \"uniform\"\nacceleration = [0.0, -1.0]\nwell-balanced = {}\n"
                  "[time]\nend = 8.45\n",
                  boundary, level, density, pressure, balanced));
}

class Atmosphere : public testing::TestWithParam<std::tuple<bool, std::string>> {};
INSTANTIATE_TEST_SUITE_P(Cases, Atmosphere,
                         testing::Combine(testing::Bool(), testing::Values("reflecting", "scenario")));

// Over 10 times in which sound crosses it: speeds do not grow from the first half of that time to the second. At a wall the pressure has a kink, where limiters take no slope: the largest speed, in the volumes there, is of first order.
TEST_P(Atmosphere, StaysAtRestToSecondOrder) {
  const auto& [isothermal, boundary] = GetParam();
  const double end = 10 / std::sqrt(1.4);
  Speeds coarse;
  for (const int level : {1, 2, 3}) {
    const auto simulation = make_simulation(atmosphere(level, isothermal, boundary), available_processors());
    Speeds halves[2];
    while (simulation->time() < end) {
      simulation->advance(end);
      Speeds& most = halves[simulation->time() > end / 2];
      const Speeds now = speeds_of(*simulation);
      most = {std::max(most.mean, now.mean), std::max(most.largest, now.largest)};
    }
    const Speeds& last = halves[1];
    std::printf("%s, %s, level %d: mean %.2e then %.2e, largest %.2e then %.2e\n",
                isothermal ? "isothermal" : "isentropic", boundary.c_str(), level, halves[0].mean, last.mean,
                halves[0].largest, last.largest);
    EXPECT_LE(last.mean, 1.1 * halves[0].mean);
    EXPECT_LE(last.largest, 1.1 * halves[0].largest);
    if (level > 1) {
      const double mean = reference::order_of(coarse.mean, last.mean, 3),
                   largest = reference::order_of(coarse.largest, last.largest, 3);
      std::printf("orders %.2f (mean) %.2f (largest)\n", mean, largest);
      EXPECT_GE(mean, 1.9);
      EXPECT_GE(largest, boundary == "scenario" ? 1.9 : 0.95);
    }
    coarse = last;
  }
}

// ---- well-balanced

// A box of gas at rest, over three levels (3D: two) whose mesh changes, away from walls, where slopes of the halo's mirror
// image would refine the pressure, or on a uniform mesh.
struct Rest {
  const char* name;
  const char* gravity;
  const char *density, *pressure;
  bool adaptive;
};
const Rest rests[] = {
    {"linear", "external = \"uniform\"\nacceleration = [0.5, -1{}]\n", "1.5", "3 + 1.5 * (0.5 * x - y)",
     true},
    // p = rho^2 is in discrete equilibrium, too: its differences are those of the trapezoidal rule.
    {"polytrope", "external = \"uniform\"\nacceleration = [0, -1{}]\n", "2 - y / 2", "(2 - y / 2)^2", false},
    {"bowl", "external = \"formula\"\nacceleration-x = \"-2 * x - y\"\nacceleration-y = \"-4 * y - x\"\n",
     "1", "9 - x^2 - 2 * y^2 - x * y", false},
};

Config at_rest(const Rest& rest, int dim, const std::string& boundary, const std::string& stepping) {
  const std::string gravity = fmt::format(fmt::runtime(rest.gravity), dim == 3 ? ", 0" : "");
  return physics_input(
      fmt::format("[domain]\ndimensions = {}\n[boundary]\nall = \"{}\"\n"
                  "[mesh]\npatch-size = 6\nmin-level = {}\nmax-level = {}\nbuffer = 0\nregrid-every = 2\n{}"
                  "[solver]\nscheme = \"muscl\"\nriemann = \"hllc\"\n"
                  "[scenario]\nname = \"formulas\"\nfields = {{density = \"{}\", pressure = \"{}\"}}\n"
                  "[gravity]\n{}well-balanced = true\n[time]\nend = 1.2\nstepping = \"{}\"\n",
                  dim, boundary, rest.adaptive ? 2 : 1, rest.adaptive ? 4 - (dim == 3) : 1,
                  rest.adaptive ? "[[refinement]]\nkind = \"ball\"\nradius = 0.05\nspeed = 0.2\n" : "",
                  rest.density, rest.pressure, gravity, stepping));
}

class WellBalanced : public testing::TestWithParam<std::tuple<Rest, int, std::string, std::string>> {};
INSTANTIATE_TEST_SUITE_P(Cases, WellBalanced,
                         testing::Combine(testing::ValuesIn(rests), testing::Values(2, 3),
                                          testing::Values("reflecting", "scenario"),
                                          testing::Values("global", "local")));

// Rounding errors alone move gas that is in discrete equilibrium, and do not grow as an instability would.
TEST_P(WellBalanced, KeepsGasAtRestToRounding) {
  const auto& [rest, dim, boundary, stepping] = GetParam();
  const auto simulation = run(at_rest(rest, dim, boundary, stepping), dim == 3 ? 20 : 300);
  double largest = 0;
  for_volumes(*simulation, [&, dim = dim](const Volume& volume) {
    for (int a = 0; a < dim; ++a) largest = std::max(largest, std::abs(volume.q[1 + a]) / volume.q[0]);
  });
  std::printf("%s %dD %s %s, t = %.2f: largest speed %.1e\n", rest.name, dim, boundary.c_str(),
              stepping.c_str(), simulation->time(), largest);
  EXPECT_GT(simulation->step(), 10);
  EXPECT_LE(largest, 1e-12);
}

// Not in discrete equilibrium, and between walls: much closer to rest than without, and of second order at the walls, too.
TEST(WellBalancedAtmosphere, IsOfSecondOrderAtWalls) {
  Speeds coarse;
  for (const int level : {1, 2, 3}) {
    Speeds speeds[2];
    for (const bool balanced : {false, true}) {
      Config config = atmosphere(level, true, "reflecting", balanced);
      config.time.end = 2;
      speeds[balanced] = speeds_of(*run(config));
    }
    std::printf("level %d: mean %.2e, well-balanced %.2e; largest %.2e, %.2e\n", level, speeds[0].mean,
                speeds[1].mean, speeds[0].largest, speeds[1].largest);
    EXPECT_LE(speeds[1].mean, speeds[0].mean / 3);
    EXPECT_LE(speeds[1].largest, speeds[0].largest / 3);
    if (level > 1) {
      EXPECT_GE(reference::order_of(coarse.mean, speeds[1].mean, 3), 1.8);
      EXPECT_GE(reference::order_of(coarse.largest, speeds[1].largest, 3), 1.8);
    }
    coarse = speeds[1];
  }
}

// A sound wave upward through the linear atmosphere is as large as the push that it starts with, however small that is.
TEST(WellBalancedAtmosphere, CarriesWavesOfAnyAmplitude) {
  const auto largest = [](double amplitude) {
    Rest pushed = rests[0];
    const std::string pressure =
        fmt::format("3 + 1.5 * (0.5 * x - y) + {} * exp(-100 * (y - 0.4)^2)", amplitude);
    pushed.pressure = pressure.c_str();
    Config config = at_rest(pushed, 2, "scenario", "global");
    config.time.end = 0.15;
    return speeds_of(*run(config)).largest / amplitude;
  };
  const double strong = largest(1e-4), weak = largest(1e-9);
  std::printf("speed over amplitude %.5f and %.5f\n", strong, weak);
  EXPECT_GT(strong, 0.05);
  EXPECT_NEAR(weak, strong, 1e-3 * strong);
}

// ---- formulas

// The whole state after steps with regrids, as uniform gravity and as formulas.
TEST(GravityByFormula, HasTheBitsOfUniformGravity) {
  const auto states = [](const std::string& gravity, const std::string& stepping) {
    Rest rest = rests[0];
    rest.gravity = gravity.c_str();
    Config config = at_rest(rest, 2, "reflecting", stepping);
    std::map<std::array<double, 3>, std::vector<double>> found;
    const auto simulation = run(config, 40);
    for_volumes(*simulation, [&](const Volume& volume) {
      found[{volume.x[0], volume.x[1], volume.dx}] = {volume.q, volume.q + 4};
    });
    EXPECT_GT(simulation->leaves().per_level[4], 0);
    return found;
  };
  for (const std::string stepping : {"global", "local"}) {
    EXPECT_EQ(states("external = \"uniform\"\nacceleration = [0.25, -1.5]\n", stepping),
              states("external = \"formula\"\nacceleration-x = 0.25\nacceleration-y = -1.5\n", stepping));
  }
}

// Gas at rest falls onto a mass in the middle of a box.
Config infalling_gas(int dim, const std::string& more, const std::vector<std::string>& settings = {}) {
  return physics_input(
      fmt::format("[domain]\ndimensions = {}\nlower = [{}]\nupper = [{}]\n[boundary]\nall = \"reflecting\"\n"
                  "[mesh]\npatch-size = {}\nmin-level = 1\nmax-level = {}\nbuffer = 0\nregrid-every = 2\n"
                  "[[refinement]]\nkind = \"ball\"\nradius = 0.2\nspeed = 1.0\n[solver]\nscheme = "
                  "\"muscl\"\nriemann = "
                  "\"hllc\"\n"
                  "[scenario]\nname = \"uniform\"\npressure = 0.2\n"
                  "[gravity]\nexternal = \"point\"\nmass = 0.5\nsoftening = 0.1\n[time]\nend = 10\n{}",
                  dim, dim == 3 ? "-1, -1, -1" : "-1, -1", dim == 3 ? "1, 1, 1" : "1, 1", dim == 3 ? 8 : 9,
                  dim == 3 ? 2 : 3, more),
      settings);
}

// A mass by formulas: as the built-in one but for rounding.
TEST(GravityByFormula, IsThatOfAMass) {
  const auto densities = [](const std::vector<std::string>& settings) {
    const auto simulation = run(infalling_gas(2, "", settings), 60);
    std::map<std::pair<double, double>, double> found;
    for_volumes(*simulation, [&](const Volume& volume) { found[{volume.x[0], volume.x[1]}] = volume.q[0]; });
    return found;
  };
  const auto built_in = densities({}),
             formula = densities({"gravity.external=formula", "gravity.mass=0", "gravity.softening=0",
                                  "gravity.acceleration-x=\"-0.5 * x / (x^2 + y^2 + 0.01)\"",
                                  "gravity.acceleration-y=\"-0.5 * y / (x^2 + y^2 + 0.01)\""});
  ASSERT_EQ(built_in.size(), formula.size());
  double most = 0;
  for (const auto& [x, density] : built_in)
    most = std::max(most, std::abs(density - formula.at(x)) / density);
  std::printf("largest relative difference of density %.1e\n", most);
  EXPECT_LE(most, 1e-11);
}

// Largest differences of the state from its mirror images and from that with two axes exchanged.
struct Asymmetry {
  double mirror = 0, exchange = 0, largest = 0;
};

Asymmetry asymmetry_of(Simulation& simulation, int dim) {
  using Place = std::array<long, 4>;
  const auto place = [](const double* x, double dx) {
    Place at{};
    for (std::size_t a = 0; a < 3; ++a) at[a] = std::lround(2 * x[a] / dx);
    at[3] = std::lround(1 / dx);
    return at;
  };
  std::map<Place, Volume> volumes;
  for_volumes(simulation, [&](const Volume& volume) { volumes[place(volume.x, volume.dx)] = volume; });
  Asymmetry found;
  const auto compare = [&](const Volume& image, double& most) {
    const auto other = volumes.find(place(image.x, image.dx));
    ASSERT_NE(other, volumes.end());
    for (int u = 0; u < dim + 2; ++u) most = std::max(most, std::abs(image.q[u] - other->second.q[u]));
  };
  for (const auto& [at, volume] : volumes) {
    for (int u = 0; u < dim + 2; ++u) found.largest = std::max(found.largest, std::abs(volume.q[u]));
    for (int a = 0; a < dim; ++a) {
      Volume mirrored = volume;
      mirrored.x[a] *= -1;
      mirrored.q[1 + a] *= -1;
      compare(mirrored, found.mirror);
      Volume exchanged = volume;
      const int b = (a + 1) % dim;
      std::swap(exchanged.x[a], exchanged.x[b]);
      std::swap(exchanged.q[1 + a], exchanged.q[1 + b]);
      compare(exchanged, found.exchange);
    }
  }
  return found;
}

class Infall : public testing::TestWithParam<std::tuple<int, std::string>> {};
INSTANTIATE_TEST_SUITE_P(Cases, Infall,
                         testing::Combine(testing::Values(2, 3), testing::Values("global", "local")));

TEST_P(Infall, OntoAMassKeepsItsSymmetries) {
  const auto& [dim, stepping] = GetParam();
  const auto simulation = run(infalling_gas(dim, "stepping = \"" + stepping + "\"\n"), dim == 3 ? 12 : 60);
  const Asymmetry found = asymmetry_of(*simulation, dim);
  std::printf("%dD %s, t = %.2f: mirrors %.1e, exchanged axes %.1e of %.2f\n", dim, stepping.c_str(),
              simulation->time(), found.mirror, found.exchange, found.largest);
  EXPECT_GT(found.largest, 2);
  EXPECT_LE(found.mirror, 1e-12 * found.largest);
  EXPECT_LE(found.exchange, 1e-12 * found.largest);
}

// Density against that of global steps, on the same mesh and at the same time.
TEST(InfallOntoAMass, IsAlikeWithGlobalAndLocalSteps) {
  const auto densities = [](const std::string& stepping) {
    Config config = infalling_gas(2, "stepping = \"" + stepping + "\"\n");
    config.time.end = 0.3;
    const auto simulation = run(config);
    std::map<std::pair<double, double>, double> found;
    for_volumes(*simulation, [&](const Volume& volume) { found[{volume.x[0], volume.x[1]}] = volume.q[0]; });
    return found;
  };
  const auto global = densities("global"), local = densities("local");
  double most = 0, excess = 0;
  int compared = 0;
  for (const auto& [x, density] : global) {
    excess = std::max(excess, density - 1);
    if (const auto other = local.find(x); other != local.end()) {
      most = std::max(most, std::abs(density - other->second));
      ++compared;
    }
  }
  std::printf("density of local steps against global ones: %.1e of %.2f, %d volumes\n", most, excess,
              compared);
  EXPECT_GT(compared, 1000);
  EXPECT_GT(excess, 0.3);
  EXPECT_LE(most, 0.01 * excess);
}

// Momentum of each volume after one short step of an accretion run.
std::map<std::array<double, 3>, std::array<double, 3>> momenta(const std::string& gravity) {
  const Config config = physics_input(
      "[domain]\ndimensions = 3\nlower = [-1, -1, -1]\nupper = [1, 1, 1]\n[boundary]\nall = \"scenario\"\n"
      "[mesh]\npatch-size = 6\nmin-level = 1\n[solver]\nscheme = \"muscl\"\ngamma = 1.6666666666666667\n"
      "[scenario]\nname = \"accretion\"\nradius = 0.3\nstart-scale-factor = 0.5\npressure = 1e-12\n"
      "[time]\nmax-dt = 1e-6\n[gravity]\n" +
      gravity);
  const auto simulation = run(config, 1);
  std::map<std::array<double, 3>, std::array<double, 3>> found;
  for_volumes(*simulation, [&](const Volume& volume) {
    found[{volume.x[0], volume.x[1], volume.x[2]}] = {volume.q[1], volume.q[2], volume.q[3]};
  });
  return found;
}

TEST(AccretionWithExternalGravity, FeelsTheSum) {
  const std::string uniform = "external = \"uniform\"\nacceleration = [0.5, -0.25, 1.0]\n";
  const std::string mass = "external = \"point\"\nmass = 0.7\ncentre = [0.2, 0.1, -0.4]\nsoftening = 0.1\n";
  const auto none = momenta("method = \"none\"\n"), radial = momenta("");
  for (const std::string& external : {uniform, mass}) {
    const auto both = momenta(external), alone = momenta("method = \"none\"\n" + external);
    double worst = 0, least = 1, of_radial = 0;
    for (const auto& [x, momentum] : both) {
      for (std::size_t a = 0; a < 3; ++a) {
        const double first = radial.at(x)[a] - none.at(x)[a], second = alone.at(x)[a] - none.at(x)[a];
        worst = std::max(worst, std::abs(momentum[a] - none.at(x)[a] - first - second));
        of_radial = std::max(of_radial, std::abs(first));
        least = std::min(least, std::abs(second));
      }
    }
    std::printf("difference %.1e of %.1e\n", worst, of_radial);
    EXPECT_GT(of_radial, 1e-9);
    EXPECT_GT(least, 0);
    EXPECT_LE(worst, 1e-4 * of_radial);
  }
}

}  // namespace
}  // namespace meander::simulation
