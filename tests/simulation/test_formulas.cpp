// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// States by formulas: equal to built-in scenarios, exact solutions, regions, boundaries with a state, criteria, and what
// is refused.
#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <numbers>
#include <sstream>

#include "base/error.hpp"
#include "simulation/report/input_reference.hpp"
#include "simulation/scenario_tools/field_formulas.hpp"
#include "tests/reference/exact_riemann.hpp"
#include "tests/simulation/physics_run.hpp"
#include "tests/simulation/vortex_input.hpp"

namespace meander::simulation {
namespace {

// A shipped input with another table [scenario].
Config with_scenario(const std::string& name, const std::string& scenario,
                     const std::vector<std::string>& settings = {}) {
  std::ifstream file(std::string(MEANDER_SOURCE_DIR) + "/inputs/" + name + ".toml");
  std::stringstream text;
  text << file.rdbuf();
  std::string input = text.str();
  const auto begin = input.find("[scenario]"), end = input.find("[time]");
  input.replace(begin, end - begin, "[scenario]\nname = \"formulas\"\n" + scenario + "\n");
  return physics_input(input, settings);
}

// The largest difference of an unknown between two runs with the same mesh.
double difference(Simulation& a, Simulation& b) {
  std::vector<Volume> volumes;
  for_volumes(a, [&](const Volume& volume) { volumes.push_back(volume); });
  double largest = 0;
  std::size_t next = 0;
  const int unknowns = a.view().layout.unknowns;
  for_volumes(b, [&](const Volume& volume) {
    const Volume& other = volumes.at(next++);
    EXPECT_EQ(volume.x[0], other.x[0]);
    for (int u = 0; u < unknowns; ++u) largest = std::max(largest, std::abs(volume.q[u] - other.q[u]));
  });
  EXPECT_EQ(next, volumes.size());
  return largest;
}

TEST(FormulaScenarioQuick, OfAShockTubeHasTheBitsOfTheBuiltInOne) {
  const auto built_in = run(shipped_input("sod"), 30);
  const auto formulas =
      run(with_scenario("sod",
                        "fields = {density = \"if(x < 0.5, 1, 0.125)\", pressure = \"x < 0.5 ? 1 : 0.1\"}"),
          30);
  EXPECT_EQ(difference(*built_in, *formulas), 0);
}

TEST(FormulaScenarioQuick, OfAVortexIsTheReference) {
  const reference::Vortex vortex{.radius = 0.15};
  const auto simulation = make_simulation(shipped_input("vortex"), 2);
  const Config of_tests = physics_input(
      "[domain]\ndimensions = 2\nlower = [-1, -1]\nupper = [1, 1]\n[mesh]\n"
      "patch-size = 9\n" +
      vortex_scenario(vortex));
  double exact[4], found[4];
  for_volumes(*simulation, [&](const Volume& v) {
    vortex.mean(v.x[0], v.x[1], v.dx, 0, exact);
    of_tests.scenario->initial(v.x, v.dx, found);
    for (int u = 0; u < 4; ++u) {
      EXPECT_NEAR(v.q[u], exact[u], 1e-14);
      EXPECT_NEAR(found[u], exact[u], 1e-14);
    }
    for (const double t : {0.6, 1.0, 3.1}) {  // also across the borders of the periodic box
      vortex.mean(v.x[0], v.x[1], v.dx, t, exact);
      simulation->config().scenario->boundary(v.x, v.dx, t, found);
      for (int u = 0; u < 4; ++u) EXPECT_NEAR(found[u], exact[u], 1e-13) << t;
    }
  });
  while (simulation->step() < 20) simulation->advance(2);
  double l1 = 0, square = 0, largest = 0;
  for_volumes(*simulation, [&](const Volume& v) {
    vortex.mean(v.x[0], v.x[1], v.dx, simulation->time(), exact);
    for (int u = 0; u < 4; ++u) {
      const double error = std::abs(v.q[u] - exact[u]);
      l1 += error * v.dx * v.dx / 4;
      square += error * error * v.dx * v.dx / 4;
      largest = std::max(largest, error);
    }
  });
  EXPECT_GT(l1, 1e-4);
  EXPECT_NEAR(measured(*simulation, "error_l1"), l1, 1e-10 * l1);
  EXPECT_NEAR(measured(*simulation, "error_l2"), std::sqrt(square), 1e-10 * std::sqrt(square));
  EXPECT_NEAR(measured(*simulation, "error_linf"), largest, 1e-10 * largest);
}

TEST(FormulaScenarioQuick, OfAVortexThatIsTooStrongIsRefused) {
  try {
    shipped_input("vortex", {"scenario.constants.swirl=5"});
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("scenario.fields.density: must be finite, but is nan at (x, y) = ("),
              std::string::npos)
        << text;
  }
}

TEST(FormulaScenario, OfFourStatesHasTheErrorsOfTheBuiltInOne) {
  const auto quadrant = [](const char* corner, const char* left, const char* both, const char* below) {
    return fmt::format("\"if(y > 0.8, if(x > 0.8, {}, {}), if(x > 0.8, {}, {}))\"", corner, left, below,
                       both);
  };
  const std::string states =
      fmt::format("fields = {{density = {}, velocity-x = {}, velocity-y = {}, pressure = {}}}",
                  quadrant("1.5", "0.5323", "0.138", "0.5323"), quadrant("0", "1.206", "1.206", "0"),
                  quadrant("0", "0", "1.206", "1.206"), quadrant("1.5", "0.3", "0.029", "0.3"));
  const std::vector<std::string> settings = {"mesh.max-level=3"};
  const auto built_in = run(shipped_input("riemann-2d", settings), 40);
  const auto formulas = run(with_scenario("riemann-2d", states, settings), 40);
  const auto squares = [](Simulation& simulation) {
    double sum = 0;
    for_volumes(simulation, [&](const Volume& v) { sum += v.q[0] * v.q[0] * v.dx * v.dx; });
    return sum;
  };
  EXPECT_NEAR(squares(*formulas), squares(*built_in), 0.01 * squares(*built_in));
  EXPECT_NEAR(formulas->totals()[0], built_in->totals()[0], 0.01 * built_in->totals()[0]);
}

// Derivatives of the metric by differences of the formula.
TEST(FormulaScenario, OfAGaugeWaveHasTheErrorsOfTheBuiltInOne) {
  const std::string wave = R"toml(
[scenario.constants]
A = 0.1
[scenario.expressions]
phase = "2 * pi * (x - t)"
wave = "1 - A * sin(phase)"
[scenario.fields]
lapse = "sqrt(wave)"
metric-xx = "wave"
curvature-xx = "-pi * A * cos(phase) / sqrt(wave)"
[scenario.exact]
lapse = "sqrt(wave)"
)toml";
  const auto built_in = run(shipped_input("gauge-wave"), 30);
  const auto formulas = run(with_scenario("gauge-wave", wave), 30);
  EXPECT_LT(difference(*built_in, *formulas), 1e-9);
  for (const char* error : {"error_l2", "error_linf"}) {
    const double expected = measured(*built_in, error);
    EXPECT_GT(expected, 1e-6);
    EXPECT_NEAR(measured(*formulas, error), expected, 0.01 * expected) << error;
  }
}

Config wave_input(int level, const std::string& more = "", const std::vector<std::string>& settings = {}) {
  return physics_input(fmt::format(R"toml(
[domain]
dimensions = 2
[boundary]
all = "periodic"
[mesh]
patch-size = 9
min-level = {}
[solver]
scheme = "muscl"
[scenario]
name = "formulas"
samples-per-axis = 3
fields = {{density = "1 + 0.3 * sin(2 * pi * (x + y))", velocity-x = 1, velocity-y = "0.5", pressure = 2}}
exact = {{density = "1 + 0.3 * sin(2 * pi * (x + y - 1.5 * t))"}}
[time]
end = 0.2
{})toml",
                                   level, more),
                       settings);
}

TEST(FormulaScenarioQuick, ComparesWithAnExactSolution) {
  double errors[2][3];
  for (const int level : {1, 2}) {
    const auto simulation = run(wave_input(level));
    // The columns, by hand: the exact mean of the wave over a volume.
    double l1 = 0, square = 0, largest = 0;
    for_volumes(*simulation, [&](const Volume& v) {
      const double half = std::numbers::pi * v.dx, mean = std::pow(std::sin(half) / half, 2);
      const double density = 1 + 0.3 * mean * std::sin(2 * std::numbers::pi * (v.x[0] + v.x[1] - 0.3));
      const double exact[] = {density, density, 0.5 * density, 2 / 0.4 + 0.5 * 1.25 * density};
      for (int u = 0; u < 4; ++u) {
        const double error = std::abs(v.q[u] - exact[u]);
        l1 += error * v.dx * v.dx;
        square += error * error * v.dx * v.dx;
        largest = std::max(largest, error);
      }
    });
    double* const of_level = errors[level - 1];
    of_level[0] = measured(*simulation, "error_l1");
    of_level[1] = measured(*simulation, "error_l2");
    of_level[2] = measured(*simulation, "error_linf");
    EXPECT_NEAR(of_level[0], l1, 1e-4 * l1);
    EXPECT_NEAR(of_level[1], std::sqrt(square), 1e-4 * std::sqrt(square));
    EXPECT_NEAR(of_level[2], largest, 1e-4 * largest);
  }
  const double order = reference::order_of(errors[0][0], errors[1][0], 3);
  std::printf("L1 errors %.3e %.3e, order %.3f\n", errors[0][0], errors[1][0], order);
  EXPECT_GE(order, 1.9);
}

// Means of a peak, against its integral: orders 2, 4, 6, 8 of Gauss points.
TEST(FormulaScenarioQuick, TakesMeansByGaussPoints) {
  for (int samples = 1; samples <= 4; ++samples) {
    double errors[2];
    for (const int level : {0, 1}) {
      const Config config =
          physics_input(fmt::format("[domain]\ndimensions = 3\n[mesh]\npatch-size = 3\nmin-level = "
                                    "{}\n[scenario]\nname = \"formulas\"\n"
                                    "samples-per-axis = {}\n"
                                    "fields = {{density = \"1 + exp(x) * cos(y) * z^2\", velocity-z = \"x\", "
                                    "pressure = \"1 + x * y\"}}\n",
                                    level, samples));
      const auto simulation = make_simulation(config, 2);
      const double exact = 1 + (std::exp(1.0) - 1) * std::sin(1.0) / 3;
      errors[level] = std::abs(simulation->totals()[0] - exact);
    }
    const double order = std::log(errors[0] / errors[1]) / std::log(3.0);
    std::printf("%d samples: errors %.2e %.2e, order %.2f\n", samples, errors[0], errors[1], order);
    if (errors[1] > 1e-14) {
      EXPECT_NEAR(order, 2 * samples, 0.1);
    }
    if (samples == 4) {
      EXPECT_LT(errors[0], 1e-11);
    }
  }
}

TEST(FormulaScenarioQuick, HasRegionsOfWhichTheLastHolds) {
  const Config config = physics_input(R"toml(
[domain]
dimensions = 3
[mesh]
patch-size = 9
min-level = 2
[scenario]
name = "formulas"
samples-per-axis = 3
constants = {heavy = 3}
fields = {density = 1, pressure = 1}
region = [{shape = "box", lower = [0.0, 0.0, 0.0], upper = [0.2222222222222222, 1.0, 1.0], density = "heavy"},
  {shape = "ball", centre = [0.5, 0.5, 0.5], radius = 0.2, density = 2},
  {shape = "ellipsoid", centre = [0.5, 0.5, 0.5], radii = [0.1, 0.1, 0.05], density = 5},
  {shape = "cylinder", centre = [0.8, 0.8, 0.5], radius = 0.1, length = 0.5, axis = "z", density = 4},
  {shape = "half-space", centre = [0.0, 0.037037037037037035, 0.0], normal = [0.0, 1.0, 0.0], density = 7}]
)toml");
  const auto simulation = make_simulation(config, 2);
  const auto at = [&](double x, double y, double z) {
    double density = 0;
    for_volumes(*simulation, [&](const Volume& v) {
      if (std::abs(v.x[0] - x) < 0.5 * v.dx && std::abs(v.x[1] - y) < 0.5 * v.dx &&
          std::abs(v.x[2] - z) < 0.5 * v.dx)
        density = v.q[0];
    });
    return density;
  };
  EXPECT_EQ(at(0.1, 0.5, 0.5), 3);
  EXPECT_EQ(at(0.5, 0.65, 0.5), 2);
  EXPECT_EQ(at(0.5, 0.5, 0.5), 5);
  EXPECT_EQ(at(0.5, 0.5, 0.6), 2);  // above the flat ellipsoid
  EXPECT_EQ(at(0.8, 0.8, 0.7), 4);
  EXPECT_EQ(at(0.8, 0.8, 0.8), 1);  // beyond the end of the cylinder
  EXPECT_EQ(at(0.1, 0.01, 0.5), 7);
  EXPECT_EQ(at(0.7, 0.3, 0.1), 1);
  // Masses beside the boxes: 0.2 and its shapes, whose borders are sampled.
  const double ball = 4 * std::numbers::pi / 3 * std::pow(0.2, 3),
               flat = 4 * std::numbers::pi / 3 * 0.1 * 0.1 * 0.05, rod = std::numbers::pi * 0.01 * 0.5;
  const double mass = 1 + 2 * 2.0 / 9 * 26.0 / 27 + 6.0 / 27 + ball + 3 * flat + 3 * rod;
  EXPECT_NEAR(simulation->totals()[0], mass, 1e-3);
}

const std::string formula_wind = R"toml(
[domain]
dimensions = 2
upper = [1.0, 0.3333333333333333]
cells = [3, 1]
[boundary]
x-lower = {kind = "inflow", density = "1 + a * sin(20 * (t - x / 3))", velocity-x = 3, pressure = 1}
x-upper = "outflow"
y = "periodic"
[mesh]
patch-size = 9
min-level = 2
[solver]
scheme = "muscl"
[scenario]
name = "formulas"
constants = {a = 0.2}
fields = {density = "1 - a * sin(20 * x / 3)", velocity-x = 3, pressure = 1}
exact = {density = "1 + a * sin(20 * (t - x / 3))"}
[time]
end = 0.3
)toml";

TEST(FormulaBoundaryQuick, GivesAWindThatChangesInTime) {
  double errors[2];
  for (const int level : {2, 3}) {
    const auto simulation = run(physics_input(formula_wind, {fmt::format("mesh.min-level={}", level)}));
    errors[level - 2] = measured(*simulation, "error_l1");
  }
  const double order = reference::order_of(errors[0], errors[1], 3);
  std::printf("L1 errors %.3e %.3e, order %.3f\n", errors[0], errors[1], order);
  EXPECT_GE(order, 1.8);
}

TEST(FormulaBoundaryQuick, KeepsAUniformWindUniform) {
  const auto simulation = run(physics_input(formula_wind, {"scenario.constants.a=0"}), 40);
  for_volumes(*simulation, [](const Volume& v) {
    EXPECT_NEAR(v.q[0], 1, 1e-14);
    EXPECT_NEAR(v.q[1], 3, 1e-13);
  });
}

// Gas in a box open at its sides, drawn in by a low pressure, or pushed out by a high one.
double mass_after(const std::string& boundary, double pressure) {
  const Config config = physics_input(fmt::format(
      "[domain]\ndimensions = 2\n[boundary]\nall = \"{}\"\n[mesh]\npatch-size = 9\nmin-level = 1\n"
      "[solver]\nscheme = \"muscl\"\n[scenario]\nname = \"formulas\"\nfields = {{density = 1, velocity-x = "
      "\"{} * (x - "
      "0.5)\", velocity-y = \"{} * (y - 0.5)\", pressure = 1}}\n[time]\nend = 0.2\n",
      boundary, pressure, pressure));
  const auto simulation = make_simulation(config, 2);
  double mass = simulation->totals()[0];
  while (simulation->time() < config.time.end) {
    simulation->advance(config.time.end);
    const double before = std::exchange(mass, simulation->totals()[0]);
    if (boundary == "diode") {
      EXPECT_LE(mass, before + 1e-15);
    }
  }
  return mass;
}

// Halos feel gravity as the gas that they mirror.
TEST(DiodeQuick, IsAWallForGasThatGravityPushesIn) {
  for (const std::string scheme : {"rusanov", "muscl"}) {
    const auto simulation = run(physics_input(fmt::format(
        "[domain]\ndimensions = 2\n[boundary]\nall = \"reflecting\"\nx-lower = \"diode\"\n"
        "[mesh]\npatch-size = 9\nmin-level = 1\n[solver]\nscheme = \"{}\"\n[scenario]\nname = \"formulas\"\n"
        "fields = {{density = 1, velocity-x = \"x\", pressure = 1}}\n"
        "[gravity]\nexternal = \"uniform\"\nacceleration = [1.0, 0.0]\n[time]\nend = 0.02\n",
        scheme)));
    EXPECT_NEAR(simulation->totals()[0], 1, 1e-14) << scheme;
  }
}

TEST(DiodeQuick, LetsGasLeaveAndNoneEnter) {
  EXPECT_GT(mass_after("outflow", -1), 1.1);  // drawn in
  EXPECT_LT(mass_after("diode", -1), 1);      // drawn in, bounces back and leaves
  EXPECT_LT(mass_after("diode", 1), 0.9);
  EXPECT_EQ(mass_after("diode", 1), mass_after("outflow", 1));
}

TEST(FormulaCriterionQuick, RefinesWhereItsFormulaIsPositive) {
  const auto simulation = make_simulation(
      wave_input(1, "[[refinement]]\nkind = \"formula\"\nformula = \"0.15 - hypot(x - 0.2 - t, y - 0.5)\"\n",
                 {"mesh.max-level=3", "mesh.buffer=0", "mesh.regrid-every=1"}),
      2);
  const auto levels_match = [&](double centre) {
    for_volumes(*simulation, [&](const Volume& v) {
      const bool inside = std::hypot(v.x[0] - centre, v.x[1] - 0.5) < 0.14;
      if (inside) {
        EXPECT_NEAR(v.dx, 1.0 / 243, 1e-12) << v.x[0] << ' ' << v.x[1];
      }
      if (std::hypot(v.x[0] - centre, v.x[1] - 0.5) > 0.5) {
        EXPECT_GT(v.dx, 1.0 / 100);
      }
    });
  };
  levels_match(0.2);
  while (simulation->time() < 0.2) simulation->advance(0.2);
  levels_match(0.4);
}

TEST(FormulaCriterionQuick, HoldsInTheRegionOfWhere) {
  const auto finest_at = [](const std::string& where) {
    const auto simulation = make_simulation(
        wave_input(1, "[[refinement]]\nkind = \"jump\"\nvariable = \"density\"\nrefine = 0.001\n" + where,
                   {"mesh.max-level=2", "mesh.buffer=0"}),
        2);
    double least_x = 1;
    int fine = 0;
    for_volumes(*simulation, [&](const Volume& v) {
      if (v.dx > 1.0 / 80) return;
      ++fine;
      least_x = std::min(least_x, v.x[0]);
    });
    return std::pair(fine, least_x);
  };
  const auto [everywhere, left] = finest_at("");
  const auto [limited, first] = finest_at("where = \"x - 0.7\"\n");
  EXPECT_EQ(everywhere, 81 * 81);
  EXPECT_LT(left, 0.01);
  EXPECT_EQ(limited, 27 * 81);
  EXPECT_GT(first, 2.0 / 3);
}

std::string complaint(const std::string& text) {
  try {
    physics_input(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

TEST(FormulaScenarioQuick, RefusesWhatItCannotMean) {
  const std::string head = "[domain]\ndimensions = 2\n[scenario]\nname = \"formulas\"\n";
  const struct {
    const char* text;
    const char* complaint;
  } cases[] = {
      {"", "test.toml:3:1: scenario.fields: is required: a table of formulas of x, y"},
      {"fields = {density = 1}", "test.toml:5:10: scenario.fields: needs a formula for pressure\n"},
      {"fields = {density = 1, pressure = 1, velocity-z = 1}", "unknown field; did you mean 'velocity-x'?"},
      {"fields = {density = 1, pressure = 1, momentum-x = 1}", "unknown field"},
      {"fields = {density = \"z\", pressure = 1}", "unknown name 'z': the domain has 2 dimensions"},
      {"fields = {density = true, pressure = 1}", "density must be a formula, which is a string or a number"},
      {"fields = {density = -1, pressure = 1}", "must be positive, but is -1 at (x, y) = ("},
      {"fields = {density = 1, pressure = \"x - 0.5\"}",
       "scenario.fields.pressure: must be positive, but is -"},
      {"fields = {density = 1, pressure = \"1 / (x - x)\"}", "must be finite, but is inf at (x, y) = ("},
      {"fields = {density = 1, pressure = \"sqrt(-x)\"}", "must be finite, but is nan at (x, y) = ("},
      {"constants = {x = 1}\nfields = {density = 1, pressure = 1}",
       "scenario.constants.x: has a meaning already"},
      {"constants = {a = \"b\", b = 1}\nfields = {density = 1, pressure = 1}",
       "unknown name 'b': the table defines it later"},
      {"constants = {a = \"x\"}\nfields = {density = 1, pressure = 1}",
       "unknown name 'x': constants depend neither on position nor on time"},
      {"fields = {density = \"pressure\", pressure = 1}",
       "unknown name 'pressure': formulas know position and time, not the state"},
      {"fields = {density = 1, pressure = 1}\nexact = {density = \"1 / (x - x)\"}",
       "scenario.exact.density: must be finite, but is inf at (x, y)"},
      {"constants = {a = \"1 / 0\"}\nfields = {density = 1, pressure = 1}", "must be finite, but is inf"},
      {"fields = {density = 1, pressure = 1}\nexact = {denity = 1}", "did you mean 'density'?"},
      {"fields = {density = 1, pressure = 1}\nsamples-per-axis = 5", "must be between 1 and 4"},
      {"fields = {density = 1, pressure = 1}\nregion = [{density = 1}]",
       "scenario.region[0].shape: is required"},
      {"fields = {density = 1, pressure = 1}\nregion = [{shape = \"bal\"}]", "did you mean 'ball'?"},
      {"fields = {density = 1, pressure = 1}\nregion = [{shape = \"ball\", radius = 1, density = 1}]",
       "scenario.region[0].centre: is required for shape = \"ball\""},
      {"fields = {density = 1, pressure = 1}\nregion = [{shape = \"ball\", radius = 1, centre = [1.0], "
       "density = 1}]",
       "scenario.region[0].centre"},
      {"fields = {density = 1, pressure = 1}\nregion = [{shape = \"ball\", radius = 1, centre = [1.0, 0.0], "
       "axis = "
       "\"x\", density = 1}]",
       "scenario.region[0].axis: has no meaning for shape = \"ball\""},
      {"fields = {density = 1, pressure = 1}\nregion = [{shape = \"ball\", radius = 1, centre = [1.0, 0.0]}]",
       "the region has no formula"},
      {"fields = {density = 1, pressure = 1}\nregion = [{shape = \"ball\", radius = 1, centre = [1.0, 0.0], "
       "lapse = 1}]",
       "scenario.region[0].lapse: is no field of this equation"},
      {"fields = {density = 1, pressure = 1}\nregion = [{shape = \"ball\", radius = 1, centre = [1.0, 0.0], "
       "density = "
       "\"sn(x)\"}]",
       "scenario.region[0].density: column 1 of the formula: unknown function 'sn'; did you mean 'sin'?"},
      {"fields = {density = 1, pressure = 1}\nregion = {shape = \"ball\"}", "must be a list of tables"},
      {"fields = {density = 1, pressure = 1}\nregion = [1]", "must be tables, but one is the integer 1"},
      {"fields = [1]", "must be a table of formulas, but is a list"},
  };
  for (const auto& one : cases) {
    const std::string text = complaint(head + one.text + "\n");
    EXPECT_NE(text.find(one.complaint), std::string::npos) << one.text << "\n" << text;
    EXPECT_TRUE(text.starts_with("test.toml:")) << text;
  }
}

TEST(FormulaBoundaryQuick, RefusesWhatItCannotMean) {
  const std::string tail =
      "\n[domain]\ndimensions = 2\n[scenario]\nname = \"formulas\"\nfields = {density = 1, pressure = 1}\n";
  const struct {
    const char* text;
    const char* complaint;
  } cases[] = {
      {"all = \"inflow\"", "test.toml:2:7: boundary.all: 'inflow' needs a formula for density"},
      {"x = {density = 1}", "test.toml:2:5: boundary.x: a table here needs the key kind"},
      {"x = {kind = \"outflow\", density = 1}",
       "boundary.x: 'outflow' takes no state: write x = \"outflow\""},
      {"x = {kind = \"infow\"}", "did you mean 'inflow'?"},
      {"x = {kind = 1}", "boundary.x: must be a word or table, but is the integer 1"},
      {"x = {kind = \"inflow\", density = 1, presure = 1}",
       "boundary.x.presure: unknown field; did you mean 'pressure'?"},
      {"x = {kind = \"inflow\", density = \"1 +\", pressure = 1}",
       "boundary.x.density: column 4 of the formula: the formula is not complete"},
      {"x-lower = {kind = \"inflow\", density = \"x\", pressure = 1}\nx-upper = \"outflow\"",
       "test.toml:2:39: boundary.x-lower.density: must be positive, but is -"},
      {"z-lower = {kind = \"inflow\", density = 1, pressure = 1}", "the domain has 2 dimensions"},
      {"x-lower = {kind = \"inflow\", density = 1, pressure = 1}",
       "the x axis is periodic on its upper side only"},
  };
  for (const auto& one : cases) {
    const std::string text = complaint(fmt::format("[boundary]\n{}{}", one.text, tail));
    EXPECT_NE(text.find(one.complaint), std::string::npos) << one.text << "\n" << text;
  }
}

TEST(FormulaCriterionQuick, KnowsNoState) {
  const std::string text = complaint(
      "[domain]\ndimensions = 2\n[mesh]\npatch-size = 9\nmax-level = 1\n[scenario]\nname = "
      "\"formulas\"\nfields = "
      "{density = 1, pressure = 1}\n[[refinement]]\nkind = \"formula\"\nformula = \"density - 1\"\n");
  EXPECT_NE(text.find("unknown name 'density': formulas know position and time, not the state"),
            std::string::npos)
      << text;
}

// Volumes beyond the domain hold what initial data by the same formulas would.
TEST(FormulaBoundaryQuick, TakesTheSamplesOfTheInitialData) {
  for (int samples = 1; samples <= 4; ++samples) {
    const Config config = physics_input(formula_wind, {fmt::format("scenario.samples-per-axis={}", samples),
                                                       "boundary.x-lower.density=1 - a * sin(20 * x / 3)"});
    const double x[] = {-0.05, 0.05, 0};
    double initial[4], beyond[4];
    config.scenario->initial(x, 0.1, initial);
    config.domain.state_beyond[0]->unknowns(x, 0.1, 0, beyond);
    for (int n = 0; n < 4; ++n) EXPECT_EQ(beyond[n], initial[n]);
  }
}

TEST(FormulaScenarioQuick, TakesFormulasOfTheCommandLineWithoutQuotes) {
  for (const char* formula : {"a * t + 1", "if(x == 1, 2, 1)", "x >= 0.5 ? 1 : 2", ".5 + x", "1e3 * a",
                              "-a + 3", "(a + x)^2", "min(1, 2)"}) {
    for (const char* key :
         {"boundary.x-lower.density", "scenario.fields.density", "scenario.exact.density"}) {
      const Config config = physics_input(formula_wind, {fmt::format("{}={}", key, formula)});
      EXPECT_NE(config.resolved.find(fmt::format("density = \"{}\"", formula)), std::string::npos) << key;
    }
  }
}

TEST(FormulaBoundaryQuick, StopsAtTheFirstTimeWithoutAState) {
  const Config config =
      physics_input(formula_wind, {"boundary.x-lower.pressure=1 - 10 * t", "mesh.min-level=1"});
  const auto simulation = make_simulation(config, 2);
  try {
    while (simulation->time() < config.time.end) simulation->advance(config.time.end);
    ADD_FAILURE();
  } catch (const StateFailure& failure) {
    const std::string text = failure.what();
    EXPECT_NE(text.find("boundary.x-lower.pressure: must be positive, but is -"), std::string::npos) << text;
    EXPECT_NE(text.find("at (x, y) = (-0.0"), std::string::npos) << text;
    EXPECT_NE(text.find("t = 0.1"), std::string::npos) << text;
  }
}

TEST(FormulaScenarioQuick, WarnsOnceOfAnExactSolutionThatEnds) {
  testing::internal::CaptureStderr();
  const auto simulation =
      run(physics_input(formula_wind, {"scenario.exact.density=sqrt(0.05 - t)", "mesh.min-level=1"}));
  for (int row = 0; row < 3; ++row) EXPECT_TRUE(std::isnan(measured(*simulation, "error_l1")));
  const std::string said = testing::internal::GetCapturedStderr();
  const auto first = said.find("scenario.exact.density: must be finite, but is ");
  EXPECT_NE(first, std::string::npos) << said;
  EXPECT_EQ(said.find("must be finite", first + 40), std::string::npos) << said;
}

// The resolved input is that of a checkpoint: read again, it is the same run.
TEST(FormulaScenarioQuick, ResolvedInputReadsBack) {
  const Config config = physics_input(
      formula_wind, {"scenario.region=[{shape=\"ball\", centre=[0.5, 0.1], radius=0.05, density=\"2\"}]"});
  const Config again = physics_input(config.resolved);
  EXPECT_EQ(again.resolved.substr(again.resolved.find('\n')),
            config.resolved.substr(config.resolved.find('\n')));
  const auto a = run(config, 5), b = run(again, 5);
  EXPECT_EQ(difference(*a, *b), 0);
}

}  // namespace
}  // namespace meander::simulation
