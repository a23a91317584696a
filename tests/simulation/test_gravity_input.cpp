// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The input table [gravity]: what it gives to the solver, and what it refuses.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>

#include "physics/euler/gravity.hpp"
#include "simulation/config/config.hpp"
#include "simulation/config/field_names.hpp"
#include "simulation/equation.hpp"
#include "simulation/scenario.hpp"
#include "tests/simulation/physics_run.hpp"

namespace meander::simulation {
namespace {

using Kind = euler::ExternalGravity::Kind;

// Ten lines; the table [gravity] begins in line 11.
std::string gas_with(const std::string& scenario, const std::string& gravity) {
  return fmt::format(
      "[domain]\ndimensions = 2\n[boundary]\nall = \"periodic\"\n[mesh]\npatch-size = 9\n[solver]\n"
      "gamma = 1.6666666666666667\n[scenario]\nname = \"{}\"\n{}",
      scenario, gravity);
}

// Of a solver as runs have it, whose kernels get step data if there is gravity.
euler::FixedGravity gravity_of(const Config& config) {
  const auto solver = config.equation->make_solver(config.domain.dimensions);
  const auto* gravity = static_cast<const euler::Gravity*>(solver->step_data());
  EXPECT_EQ(solver->step_bytes().empty(), gravity->external.kind == Kind::none);
  return *gravity;
}

struct Refused {
  std::string gravity, message;
};
// With the scenario uniform: messages without the excerpt of the input.
const Refused refusals[] = {
    {"[gravity]\nsoftning = 1\n", "test.toml:12:1: gravity.softning: unknown key; did you mean 'softening'?"},
    {"[[gravity]]\n", "test.toml:11:3: gravity: must be a table, written [gravity]"},
    {"[gravity]\nmethod = \"radial\"\n",
     "test.toml:12:10: gravity.method: \"radial\" exists for scenario.name = \"accretion\" only, but that is "
     "\"uniform\""},
    {"[gravity]\nexternal = \"points\"\n",
     "test.toml:12:12: gravity.external: 'points' is none of the choices; did you mean 'point'? allowed: "
     "none, "
     "uniform, "
     "point, formula"},
    {"[gravity]\nexternal = \"formula\"\n",
     "test.toml:12:12: gravity.external: \"formula\" requires gravity.acceleration-x, gravity.acceleration-y "
     "or "
     "both, in 3D also gravity.acceleration-z"},
    {"[gravity]\nexternal = \"formula\"\nacceleration-z = 1\n",
     "test.toml:13:18: gravity.acceleration-z: the domain has 2 dimensions"},
    {"[gravity]\nexternal = \"formula\"\nacceleration-x = \"t\"\n",
     "test.toml:13:18: gravity.acceleration-x: must not depend on t: the external acceleration does not "
     "change"},
    {"[gravity]\nexternal = \"formula\"\nacceleration-y = \"1 / (x - x)\"\n",
     "test.toml:13:18: gravity.acceleration-y: must be finite, but is inf at (x, y) = (0.05555555555555555, "
     "0.05555555555555555), t = 0"},
    {"[gravity]\nexternal = \"formula\"\nacceleration-y = 1\nmass = 1\n",
     "test.toml:14:8: gravity.mass: has no meaning for external = \"formula\""},
    {"[gravity]\nexternal = \"uniform\"\nacceleration = [1, 2]\nacceleration-y = 1\n",
     "test.toml:14:18: gravity.acceleration-y: has no meaning for external = \"uniform\""},
    {"[gravity]\nwell-balanced = true\n",
     "test.toml:12:17: gravity.well-balanced: requires external gravity, but external is \"none\""},
    {"[gravity]\nexternal = \"uniform\"\nacceleration = [1, 2]\nwell-balanced = true\n",
     "test.toml:14:17: gravity.well-balanced: requires solver.scheme = \"muscl\", but that is \"godunov\""},
    {"[gravity]\nexternal = \"point\"\n",
     "test.toml:12:12: gravity.external: \"point\" requires a positive gravity.mass"},
    {"[gravity]\nexternal = \"point\"\nmass = 0\n",
     "test.toml:13:8: gravity.mass: \"point\" requires a positive gravity.mass"},
    {"[gravity]\nexternal = \"point\"\nmass = -1\n",
     "test.toml:13:8: gravity.mass: must be at least 0 [length^3 / time^2], but is -1"},
    {"[gravity]\nexternal = \"point\"\nmass = 1\n",
     "test.toml:12:12: gravity.external: (0.5, 0.5) is the centre of a volume of width 0.111111111, where "
     "the "
     "data are not "
     "finite; (0.444444444, 0.5) and (0.555555556, 0.5) are not, nor is the middle of a domain with an even "
     "number of "
     "volumes (mesh.patch-size)"},
    {"[gravity]\nexternal = \"point\"\nmass = 1\nsoftening = 1e-9\ncentre = [0.5, 0.27777777777777778]\n",
     "test.toml:15:10: gravity.centre: (0.5, 0.277777778) is the centre of a volume of width 0.111111111, "
     "where the data "
     "are not finite; (0.444444444, 0.277777778) and (0.555555556, 0.277777778) are not, nor is the middle "
     "of a domain "
     "with an even number of volumes (mesh.patch-size)"},
    {"[gravity]\nexternal = \"point\"\nmass = 1\ncentre = [0.4, 0.5, 0.5]\n",
     "test.toml:14:10: gravity.centre: must have 2 numbers in 2D, but has 3"},
    {"[gravity]\nexternal = \"uniform\"\n",
     "test.toml:12:12: gravity.external: \"uniform\" requires gravity.acceleration"},
    {"[gravity]\nexternal = \"uniform\"\nacceleration = [1]\n",
     "test.toml:13:16: gravity.acceleration: must have 2 numbers in 2D, but has 1"},
    {"[gravity]\nexternal = \"uniform\"\nacceleration = [1, inf]\n",
     "test.toml:13:20: gravity.acceleration: must be a finite number, but is inf"},
    {"[gravity]\nexternal = \"uniform\"\nacceleration = [1, 2]\nmass = 3\n",
     "test.toml:14:8: gravity.mass: has no meaning for external = \"uniform\""},
    {"[gravity]\nexternal = \"uniform\"\nacceleration = [1, 2]\ncentre = [1, 2]\n",
     "test.toml:14:10: gravity.centre: has no meaning for external = \"uniform\""},
    {"[gravity]\nexternal = \"point\"\nmass = 1\nsoftening = 1\nacceleration = [1, 2]\n",
     "test.toml:15:16: gravity.acceleration: has no meaning for external = \"point\""},
    {"[gravity]\nacceleration = [1, 2]\n",
     "test.toml:12:16: gravity.acceleration: has no meaning for external = \"none\""},
    {"[gravity]\nmethod = \"poisson\"\nconstant = 0\n",
     "test.toml:13:12: gravity.constant: must be greater than 0 [length^3 / (mass time^2)], but is 0"},
    {"[gravity]\nmethod = \"poisson\"\ntolerance = 1e-20\n",
     "test.toml:13:13: gravity.tolerance: must be between 1e-12 and 1, but is 1e-20"},
    {"[gravity]\nconstant = 2\n", "test.toml:12:12: gravity.constant: has no meaning for method = \"none\""},
    {"[gravity]\nmethod = \"poisson\"\nwell-balanced = true\nexternal = \"uniform\"\nacceleration = [1, 2]\n",
     "test.toml:13:17: gravity.well-balanced: does not exist for method = \"poisson\""},
    {"[gravity]\nmethod = \"poisson\"\n[offload]\ndevice = \"host\"\n",
     "test.toml:12:10: gravity.method: \"poisson\" does not exist for batches on a device: with "
     "offload.device = "
     "\"host\" it requires gpu-memory.patches = \"device\""},
    {"gravity = false\n",
     "test.toml:11:1: scenario.gravity: unknown key; allowed here: name, density, velocity, pressure, noise, "
     "random-seed"},
};

TEST(GravityInput, RefusesInvalidValuesWithOneMessage) {
  for (const auto& [gravity, expected] : refusals) {
    const std::string found = refusal(gas_with("uniform", gravity));
    EXPECT_EQ(found.substr(0, found.find('\n')), expected);
    EXPECT_EQ(std::ranges::count(found, '\n'), 2) << "the line and a caret: " << found;
  }
}

TEST(GravityInput, RefusesMeshesThatMultigridDoesNotSolve) {
  const auto said = [](const std::vector<std::string>& settings) {
    const std::string found = refusal(gas_with("uniform", "[gravity]\nmethod = \"poisson\"\n"), settings);
    return found.substr(0, found.find('\n'));
  };
  EXPECT_EQ(
      said({"domain.cells=[100, 100]", "mesh.patch-size=9"}),
      "test.toml:12:10: gravity.method: \"poisson\" solves a grid of 810000 volumes, 900 along an axis, on "
      "each rank, "
      "and at most 2097152 and 512 are possible: choose fewer domain.cells and a larger mesh.min-level");
  EXPECT_EQ(said({"domain.cells=[81, 81]", "mesh.patch-size=9"}), "accepted");
}

TEST(GravityInput, RefusesBoundariesWithoutAPotential) {
  const auto said = [](const std::string& scenario, const std::vector<std::string>& settings,
                       const std::string& more = "") {
    const std::string found =
        refusal(gas_with(scenario, "[gravity]\nmethod = \"poisson\"\n" + more), settings);
    return found.substr(0, found.find('\n'));
  };
  const std::string mixed =
      "test.toml:12:10: gravity.method: \"poisson\" does not exist on domains that are open along one axis "
      "and "
      "closed along another: x-lower is \"outflow\", but ";
  EXPECT_EQ(said("uniform", {"boundary.x=outflow"}), mixed + "y is periodic");
  EXPECT_EQ(said("uniform", {"boundary.x=outflow", "boundary.y=reflecting"}),
            mixed + "both faces of y are mirrors");
  EXPECT_EQ(said("uniform", {"boundary.y=reflecting"}), "accepted");
  EXPECT_EQ(said("uniform", {"boundary.all=outflow"}), "accepted");
  EXPECT_EQ(said("uniform", {"boundary.all=outflow", "boundary.x-lower=reflecting"}), "accepted");
  EXPECT_EQ(said("uniform", {"boundary.all=outflow", "gravity.multipole-order=5"}),
            "--set gravity.multipole-order=5: gravity.multipole-order: must be between 0 and 4, but is 5");
  EXPECT_EQ(
      said("uniform", {}, "multipole-order = 2\n"),
      "test.toml:13:19: gravity.multipole-order: has no meaning without open faces: all are periodic or "
      "mirrors");
  EXPECT_EQ(
      said("accretion", {"boundary.all=outflow"}),
      "test.toml:12:10: gravity.method: \"poisson\" in supercomoving variables requires boundaries that "
      "are periodic or mirrors (reflecting, symmetric), but x-lower is \"outflow\"");
}

TEST(GravityInput, ChecksWhatSupercomovingVariablesNeed) {
  const auto said = [](const std::string& scenario, const std::string& gravity,
                       const std::vector<std::string>& settings = {}) {
    const std::string found = refusal(gas_with(scenario, "[gravity]\n" + gravity), settings);
    return found.substr(0, found.find('\n'));
  };
  const std::string on = "supercomoving = true\n", poisson = "method = \"poisson\"\n";
  EXPECT_EQ(said("uniform", on),
            "test.toml:12:17: gravity.supercomoving: has no meaning for method = \"none\"");
  EXPECT_EQ(said("uniform", on + poisson),
            "test.toml:12:17: gravity.supercomoving: requires time.start < time.end < 0, but time.end is 1");
  EXPECT_EQ(said("uniform", on + poisson, {"time.start=-2", "time.end=-1"}), "accepted");
  EXPECT_EQ(said("uniform", on + poisson, {"time.start=-2", "time.end=-1", "solver.gamma=1.4"}),
            "test.toml:12:17: gravity.supercomoving: requires solver.gamma = 1.6666666666666667 (5/3, for "
            "which gas in "
            "supercomoving variables obeys the Euler equations), but it is 1.4");
  EXPECT_EQ(said("uniform", on + poisson + "constant = 2\n", {"time.start=-2", "time.end=-1"}),
            "test.toml:14:12: gravity.constant: has no meaning in supercomoving variables");
  EXPECT_EQ(said("accretion", poisson), "accepted");
  EXPECT_EQ(said("accretion", poisson + "supercomoving = false\n"),
            "test.toml:13:17: gravity.supercomoving: must be true with scenario.name = \"accretion\"");
  EXPECT_EQ(
      said("accretion", "", {"scenario.centre=[0.3, 0.5, 0.7, 0.5]"}),
      "--set scenario.centre=[0.3, 0.5, 0.7, 0.5]: scenario.centre: several centres require gravity.method = "
      "\"poisson\", but that is \"radial\"");
  EXPECT_EQ(said("accretion", poisson, {"scenario.centre=[0.3, 0.5, 0.7, 0.5]"}), "accepted");
  EXPECT_EQ(said("accretion", poisson, {"scenario.centre=[0.3, 0.5, 0.7]"}),
            "--set scenario.centre=[0.3, 0.5, 0.7]: scenario.centre: must have 2 numbers in 2D, but has 3");
}

TEST(GravityInput, ConservesEnergyUnlessTheGasIsColdOrTheUniverseExpands) {
  const auto said = [](const std::string& gravity, const std::vector<std::string>& settings = {}) {
    const std::string found = refusal(gas_with("uniform", "[gravity]\n" + gravity), settings);
    return found.substr(0, found.find('\n'));
  };
  const std::string poisson = "method = \"poisson\"\n", conserved = "energy = \"conserved\"\n";
  EXPECT_EQ(said(poisson + conserved), "accepted");
  EXPECT_EQ(said(poisson + "energy = \"kicks\"\n"), "accepted");
  EXPECT_EQ(said("energy = \"kicks\"\n"),
            "test.toml:12:10: gravity.energy: has no meaning for method = \"none\"");
  EXPECT_EQ(said(poisson + conserved, {"solver.dual-energy=true"}),
            "test.toml:13:10: gravity.energy: \"conserved\" requires solver.dual-energy = false");
  EXPECT_EQ(said(poisson + conserved, {"gravity.supercomoving=true", "time.start=-2", "time.end=-1"}),
            "test.toml:13:10: gravity.energy: \"conserved\" does not exist in supercomoving variables");
  const auto resolved = [](const std::vector<std::string>& settings) {
    const Config config = physics_input(gas_with("uniform", "[gravity]\nmethod = \"poisson\"\n"), settings);
    EXPECT_EQ(physics_input(config.resolved).resolved, config.resolved);
    const std::string& text = config.resolved;
    const auto at = text.find("\nenergy = ") + 10;
    return text.substr(at, text.find('\n', at) - at);
  };
  EXPECT_EQ(resolved({}), "\"conserved\"");
  EXPECT_EQ(resolved({"solver.dual-energy=true"}), "\"kicks\"");
}

TEST(AccretionInput, RunsFromItsScaleFactorToATimeBefore0) {
  const std::string text =
      "[domain]\ndimensions = 2\nlower = [-1, -1]\n[scenario]\nname = \"accretion\"\n[boundary]\nall = "
      "\"scenario\"\n[solver]\ngamma = 1.6666666666666667\n";
  EXPECT_EQ(refusal(text, {"time.end=0"}),
            "--set time.end=0: time.end: must be below 0 with scenario.name = \"accretion\", but is 0");
  EXPECT_EQ(refusal(text, {"time.start=-2", "scenario.end-scale-factor=8"})
                    .find("must be 0.25, the scale factor at "
                          "time.start = -2, but is 0.001") == std::string::npos,
            false);
  EXPECT_EQ(refusal(text, {"time.start=-2", "scenario.start-scale-factor=0.25"}), "accepted");
}

TEST(GravityInput, NamesTheKeyThatReplacesTheFormerOne) {
  EXPECT_EQ(refusal(gas_with("accretion", "gravity = false\n")),
            "test.toml:11:1: scenario.gravity: has moved to gravity.method: \"radial\", the default of this "
            "scenario, or "
            "\"none\"\n  11 | gravity = false\n     | ^");
  EXPECT_EQ(refusal(gas_with("accretion", ""), {"scenario.gravity=true"}),
            "--set scenario.gravity=true: scenario.gravity: has moved to gravity.method: \"radial\", the "
            "default of this "
            "scenario, or \"none\"");
}

TEST(GravityInput, BelongsToTheEulerEquations) {
  const std::string ccz4 =
      "[boundary]\nall = \"periodic\"\n[mesh]\npatch-size = 9\n[solver]\nequation = \"ccz4\"\n"
      "[scenario]\nname = \"minkowski\"\n";
  EXPECT_EQ(refusal(ccz4 + "[gravity]\nexternal = \"none\"\n"),
            "test.toml:9:1: [gravity] has no meaning for equation = 'ccz4'; it belongs to 'euler'\n  9 | "
            "[gravity]\n    | ^");
  EXPECT_EQ(physics_input(ccz4).resolved.find("[gravity]"), std::string::npos);
}

TEST(GravityInput, GivesThePotentialToPlots) {
  const auto count = [](const Config& config) {
    const auto names = plot_names(*config.solver);
    return std::ranges::count(names, "potential");
  };
  EXPECT_EQ(count(physics_input(gas_with("uniform", "[gravity]\nmethod = \"poisson\"\n"))), 1);
  EXPECT_EQ(count(physics_input(gas_with("uniform", ""))), 0);
}

TEST(GravityInput, ReachesTheSolver) {
  const Config none = physics_input(gas_with("uniform", ""));
  EXPECT_EQ(gravity_of(none).external.kind, Kind::none);

  const Config uniform =
      physics_input(gas_with("uniform", "[gravity]\nexternal = \"uniform\"\nacceleration = [0.5, -2]\n"));
  EXPECT_EQ(gravity_of(uniform).external.kind, Kind::uniform);
  EXPECT_EQ(gravity_of(uniform).external.vector[1], -2);

  const std::string point = "[gravity]\nexternal = \"point\"\nmass = 3\nsoftening = 0.25\n";
  const Config mass = physics_input(gas_with("uniform", point));
  EXPECT_EQ(gravity_of(mass).external.vector[0], 0.5) << "the domain's centre";
  EXPECT_EQ(gravity_of(mass).external.mass, 3);
  EXPECT_EQ(gravity_of(mass).external.softening_squared, 0.0625);
  EXPECT_EQ(gravity_of(mass).beyond[0], euler::Gravity::Beyond::periodic);
  EXPECT_EQ(gravity_of(mass).upper[1], 1);

  const Config formula = physics_input(
      gas_with("uniform", "[gravity]\nexternal = \"formula\"\nacceleration-y = \"-gamma * x\"\n"));
  EXPECT_EQ(gravity_of(formula).external.kind, Kind::fields);
  EXPECT_FALSE(gravity_of(formula).balances);
  EXPECT_EQ(formula.equation->make_solver(2)->traits().fields, 2);
  EXPECT_EQ(mass.equation->make_solver(2)->traits().fields, 0);

  const Config balanced =
      physics_input(gas_with("uniform", point + "well-balanced = true\n"), {"solver.scheme=muscl"});
  EXPECT_EQ(gravity_of(balanced).external.kind, Kind::fields);
  EXPECT_TRUE(gravity_of(balanced).balances);

  // What the run writes is an input that gives the same.
  for (const Config* config : {&none, &uniform, &mass, &formula, &balanced})
    EXPECT_EQ(physics_input(config->resolved).resolved, config->resolved);
}

TEST(GravityInput, IsRadialByDefaultInAccretionOnly) {
  const auto method = [](const std::string& scenario) {
    const std::string text = physics_input(gas_with(scenario, "")).resolved;
    const auto at = text.find("[gravity]\nmethod = ") + 19;
    return text.substr(at, text.find('\n', at) - at);
  };
  EXPECT_EQ(method("accretion"), "\"radial\"");
  EXPECT_EQ(method("uniform"), "\"none\"");
}

}  // namespace
}  // namespace meander::simulation
