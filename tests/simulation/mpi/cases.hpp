// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Small runs whose meshes change every few steps, for tests on several ranks.

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "simulation/config/config.hpp"
#include "simulation/scenario.hpp"
#include "tests/simulation/vortex_input.hpp"

namespace meander::simulation {

struct RankCase {
  std::string name, text;
  std::vector<std::string> settings;
  int steps;
};

inline std::ostream& operator<<(std::ostream& out, const RankCase& tested) {
  return out << tested.name;
}

// Gravity, expansion, noise, and a refined ball that moves off the middle as it grows.
inline const std::string accretion = R"(
[domain]
dimensions = 3
lower = [-1, -1, -1]
upper = [1, 1, 1]
[boundary]
all = "scenario"
[mesh]
patch-size = 6
min-level = 1
max-level = 3
regrid-every = 2
buffer = 1
[[refinement]]
kind = "shell"
centre = [0.3, 0.1, -0.2]
radius = 0.1
width = 0.02
speed = 0.1
level = 3
[[refinement]]
kind = "jump"
variable = "density"
refine = 0.2
level = 2
[solver]
gamma = 1.6666666666666667
density-floor = 1e-4
[scenario]
name = "accretion"
seed = "noise"
amplitude = 0.3
noise-cells = 9
)";

// Three levels with steps of their own, whose mass profiles are interpolated in time. Gas so warm that waves, and
// not the expansion, limit the steps.
inline const std::string accretion_nest = R"(
[domain]
dimensions = 3
lower = [-1, -1, -1]
upper = [1, 1, 1]
[boundary]
all = "scenario"
[mesh]
patch-size = 6
min-level = 1
max-level = 3
regrid-every = 1
buffer = 0
[[refinement]]
kind = "shell"
centre = [0.3, 0.1, -0.2]
radius = 0.1
width = 0.05
speed = 4.0
[solver]
gamma = 1.6666666666666667
density-floor = 1e-4
dual-energy = true
[scenario]
name = "accretion"
seed = "noise"
amplitude = 0.3
noise-cells = 9
pressure = 1.0
start-scale-factor = 0.2
[time]
stepping = "local"
)";

inline const std::string riemann = R"(
[domain]
dimensions = 2
[boundary]
all = "outflow"
[mesh]
patch-size = 6
min-level = 2
max-level = 4
regrid-every = 3
[[refinement]]
kind = "jump"
variable = "density"
refine = 0.1
[[refinement]]
kind = "shell"
centre = [0.3, 0.2]
radius = 0.0
width = 0.02
reference-time = 0.0
speed = 10.0
[scenario]
name = "riemann-2d"
)";

// Off the mesh's symmetry, so that it reaches the walls one after the other.
inline const std::string sedov = R"(
[domain]
dimensions = 2
[boundary]
x-lower = "reflecting"
x-upper = "outflow"
y-lower = "scenario"
y-upper = "reflecting"
[mesh]
patch-size = 6
min-level = 0
max-level = 3
regrid-every = 2
[[refinement]]
kind = "jump"
variable = "pressure"
refine = 0.3
[[refinement]]
kind = "ball"
centre = [0.9, 0.1]
radius = 0.01
reference-time = 0.0
speed = 200.0
[solver]
pressure-floor = 1e-8
density-floor = 1e-3
[scenario]
name = "sedov"
centre = [0.2, 0.75]
radius = 0.1
)";

inline const std::string sod = R"(
[domain]
dimensions = 3
upper = [1.0, 0.5, 0.5]
cells = [4, 2, 2]
[boundary]
x = "scenario"
y = "periodic"
z = "periodic"
[mesh]
patch-size = 6
min-level = 2
max-level = 3
regrid-every = 2
buffer = 0
[[refinement]]
kind = "shell"
centre = [0.1, 0.1, 0.1]
radius = 0.0
width = 0.05
reference-time = 0.0
speed = 12.0
[scenario]
name = "sod"
axis = "x"
)";

// A single leaf, or one per base cell: fewer than ranks.
inline const std::string vortex = R"(
[domain]
dimensions = 2
cells = [2, 2]
[boundary]
all = "periodic"
[mesh]
patch-size = 8
)" + vortex_scenario({.radius = 0.2, .centre = {0.5, 0.5}});

// Stages, halos at their times from a boundary that moves, and a mesh that changes.
inline const std::string gauge_wave = R"(
[domain]
dimensions = 3
cells = [3, 2, 1]
upper = [1.0, 0.66666666666666667, 0.33333333333333333]
[boundary]
x = "scenario"
y = "scenario"
z = "periodic"
[mesh]
patch-size = 9
min-level = 1
max-level = 2
regrid-every = 1
buffer = 0
[[refinement]]
kind = "ball"
centre = [0.1, 0.2, 0.1]
radius = 0.05
reference-time = 0.0
speed = 80.0
[solver]
equation = "ccz4"
slicing = "harmonic"
s = 0
cfl = 0.5
[scenario]
name = "gauge-wave"
)";

// Tracked punctures and radiative boundaries.
inline const std::string binary = R"(
[domain]
dimensions = 3
lower = [-3.0, -1.5, -1.5]
upper = [3.0, 1.5, 1.5]
cells = [2, 1, 1]
[boundary]
all = "sommerfeld"
[mesh]
patch-size = 9
min-level = 1
max-level = 2
regrid-every = 2
buffer = 0
[[refinement]]
kind = "punctures"
radii = [0.05]
[solver]
equation = "ccz4"
cfl = 0.8
ordering = 2.0
[scenario]
name = "binary"
points = 16
position-1 = [1.1, 0.2, 0.1]
position-2 = [-1.2, -0.1, 0.3]
momentum-1 = [0.1, 0.2, 0.3]
spin-2 = [0.02, 0.0, 0.05]
[diagnostics]
extraction-radii = [1.4]
adm-radii = [1.2, 1.4]
)";

// Formulas in every place that has them: state, constants, regions, exact solution, boundaries with a state that changes,
// criteria.
inline const std::string wind = R"toml(
[domain]
dimensions = 2
upper = [2.0, 1.0]
cells = [4, 2]
[boundary]
x-lower = {kind = "inflow", density = "1 + 0.2 * sin(30 * t + y)", velocity-x = "speed", pressure = "1 / gamma"}
x-upper = "outflow"
y = "diode"
[mesh]
patch-size = 6
min-level = 2
max-level = 4
regrid-every = 3
[[refinement]]
kind = "jump"
variable = "density"
refine = 0.1
where = "x - 0.4 - t"
level = 3
[[refinement]]
kind = "formula"
formula = "0.05 - hypot(x - 0.2 - 60 * t, y - 0.4)"
[solver]
scheme = "muscl"
[scenario]
name = "formulas"
constants = {speed = 3, blob = "10 * gamma"}
fields = {density = 1, velocity-x = "speed", velocity-y = "0.1 * sin(2 * pi * y)", pressure = "1 / gamma"}
exact = {density = "1 + t"}
[[scenario.region]]
shape = "ball"
centre = [1.0, 0.45]
radius = 0.2
density = "blob * (1.5 - r)"
velocity-x = 0
[[scenario.region]]
shape = "half-space"
centre = [1.9, 0.5]
normal = [-1.0, 0.2]
velocity-y = 0.3
)toml";

// Gas that attracts itself, on a mesh that changes in every step, between walls along y.
inline const std::string clumps = R"toml(
[domain]
dimensions = 3
upper = [3.0, 2.0, 1.0]
cells = [3, 2, 1]
[boundary]
all = "periodic"
y = "reflecting"
[mesh]
patch-size = 6
max-level = 3
regrid-every = 1
[[refinement]]
kind = "formula"
formula = "0.2 - hypot(hypot(x - 1.2 - 8 * t, y - 0.7), z - 0.5)"
[solver]
scheme = "muscl"
riemann = "hllc"
[scenario]
name = "formulas"
[scenario.fields]
density = "1 + 8 * exp(-((x - 1.2)^2 + (y - 0.7)^2 + (z - 0.5)^2) / 0.1) + 3 * exp(-((x - 2.1)^2 + (y - 1.1)^2 + (z - 0.4)^2) / 0.2)"
pressure = 1
[gravity]
method = "poisson"
)toml";

// Gas that falls onto a mass and is thrown back by walls. Mirrors and periodic images of the field.
inline const std::string infall = R"toml(
[domain]
dimensions = 2
[boundary]
x-lower = "reflecting"
x-upper = "outflow"
y = "periodic"
[mesh]
patch-size = 6
min-level = 2
max-level = 4
regrid-every = 3
[[refinement]]
kind = "jump"
variable = "density"
refine = 0.1
[[refinement]]
kind = "ball"
centre = [0.3, 0.7]
radius = 0.02
reference-time = 0.0
speed = 6.0
[solver]
scheme = "muscl"
[scenario]
name = "formulas"
fields = {density = "1 + 0.3 * sin(2 * pi * (y - x))", velocity-y = 0.5, pressure = 0.5}
[gravity]
external = "point"
mass = 0.4
centre = [0.3, 0.7]
softening = 0.05
)toml";

// The mass of infall as fields of patches.
inline const std::vector<std::string> by_formula = {
    "gravity.external=formula",
    "gravity.mass=0",
    "gravity.centre=[]",
    "gravity.softening=0",
    "scenario.constants.s=0.05",
    "gravity.acceleration-x=\"0.4 * (0.3 - x) / ((x - 0.3)^2 + (y - 0.7)^2 + s^2)\"",
    "gravity.acceleration-y=\"0.4 * (0.7 - y) / ((x - 0.3)^2 + (y - 0.7)^2 + s^2)\""};

inline std::vector<RankCase> rank_cases() {
  return {
      {"accretion_muscl", accretion, {}, 10},
      {"accretion_rusanov", accretion, {"solver.scheme=rusanov", "mesh.patch-size=5", "mesh.buffer=0"}, 10},
      // Gas so cold that its pressure follows from its entropy.
      {"accretion_dual", accretion, {"solver.dual-energy=true", "scenario.pressure=1e-16"}, 10},
      {"riemann", riemann, {}, 36},
      // The interval between regrids is chosen: 6 steps.
      {"riemann_auto", riemann, {"mesh.regrid-every=auto", "solver.cfl=0.9"}, 30},
      // The partition changes after nearly every regrid, and differs between two runs.
      {"riemann_measured", riemann, {"partition.weights=measured", "partition.imbalance=1"}, 36},
      {"sedov", sedov, {}, 40},
      {"sedov_rusanov", sedov, {"solver.scheme=rusanov", "mesh.patch-size=3"}, 60},
      {"sedov_symmetric", sedov, {"boundary.x-lower=symmetric", "scenario.centre=[0.0, 0.75]"}, 40},
      {"sod", sod, {}, 24},
      {"vortex", vortex, {}, 10},
      {"wind", wind, {}, 24},
      // The largest value of a leaf may be negative.
      {"wind_threshold",
       wind,
       {"refinement[0].kind=threshold", "refinement[0].variable=momentum_y", "refinement[0].refine=-0.05",
        "refinement[0].coarsen=-0.08"},
       24},
      {"infall", infall, {}, 18},
      {"infall_by_formula", infall, by_formula, 18},
      {"infall_balanced", infall, {"gravity.well-balanced=true"}, 18},
      {"self_gravity", clumps, {}, 12},
      // A state that is given beyond an open face gets the kicks of the gas inside.
      {"wind_self_gravity", wind, {"gravity.method=poisson", "gravity.constant=0.3"}, 12},
      {"accretion_with_mass",
       accretion,
       {"gravity.external=point", "gravity.mass=0.01", "gravity.softening=0.2"},
       10},
      {"ccz4_fourth_order", gauge_wave, {}, 5},
      {"ccz4_fourth_order_binary", binary, {}, 4},
      {"ccz4_fourth_order_symmetric",
       binary,
       {"domain.lower=[0.0, -1.5, -1.5]", "domain.cells=[1, 1, 1]", "boundary.x-lower=symmetric",
        "scenario.position-1=[1.1, 0.2, 0.1]", "scenario.position-2=[-1.1, 0.2, 0.1]",
        "scenario.momentum-1=[0.1, 0.2, 0.3]", "scenario.momentum-2=[-0.1, 0.2, 0.3]",
        "scenario.spin-1=[0.02, 0.0, 0.05]", "scenario.spin-2=[0.02, 0.0, -0.05]"},
       4},
      {"ccz4_rusanov",
       gauge_wave,
       {"solver.scheme=rusanov", "mesh.patch-size=5", "refinement[0].speed=30.0"},
       6},
      {"one_leaf", vortex, {"domain.cells=[1, 1]"}, 5},
  };
}

// Local time steps, on meshes that change after every step.
inline std::vector<RankCase> local_rank_cases() {
  return {
      {"local_riemann", riemann, {"time.stepping=local", "mesh.regrid-every=1"}, 7},
      {"local_riemann_measured",
       riemann,
       {"time.stepping=local", "mesh.regrid-every=1", "partition.weights=measured", "partition.imbalance=1"},
       7},
      {"local_sedov",
       sedov,
       {"time.stepping=local", "mesh.regrid-every=1", "mesh.buffer=2", "mesh.subcycled-levels=3"},
       5},
      {"local_riemann_rusanov",
       riemann,
       {"time.stepping=local", "mesh.regrid-every=1", "solver.scheme=rusanov"},
       7},
      {"local_sod", sod, {"time.stepping=local", "mesh.regrid-every=1"}, 10},
      // 3 steps, for which regrids look ahead.
      {"local_riemann_auto", riemann, {"time.stepping=local", "mesh.regrid-every=auto", "mesh.buffer=2"}, 10},
      {"local_wind", wind, {"time.stepping=local", "mesh.regrid-every=1", "mesh.buffer=2"}, 6},
      {"local_accretion", accretion_nest, {}, 4},
      {"local_infall", infall, {"time.stepping=local", "mesh.regrid-every=1", "mesh.buffer=2"}, 6},
      {"local_infall_balanced_by_formula",
       infall,
       {by_formula[0], by_formula[1], by_formula[2], by_formula[3], by_formula[4], by_formula[5],
        by_formula[6], "gravity.well-balanced=true", "time.stepping=local", "mesh.regrid-every=1",
        "mesh.buffer=2"},
       6},
      {"local_self_gravity", clumps, {"time.stepping=local", "mesh.buffer=2", "partition.cuts=levels"}, 3},
      {"local_wind_self_gravity",
       wind,
       {"gravity.method=poisson", "gravity.constant=0.3", "time.stepping=local", "mesh.regrid-every=1",
        "mesh.buffer=2"},
       4},
      {"local_accretion_poisson", accretion_nest, {"boundary.all=periodic", "gravity.method=poisson"}, 3},
      {"local_accretion_falls",
       accretion_nest,
       {"gravity.external=uniform", "gravity.acceleration=[3.0, -2.0, 1.0]"},
       3},
  };
}
inline std::vector<RankCase> all_rank_cases() {
  std::vector<RankCase> all = rank_cases();
  for (const RankCase& tested : local_rank_cases()) all.push_back(tested);
  return all;
}

// One cell more is refined after each step. For tests of restarts only, which try all ranks as well: the runs
// take longer than the others.
inline RankCase local_gauge_wave() {
  return {"local_gauge_wave", gauge_wave, {"time.stepping=local", "refinement[0].speed=17.0"}, 2};
}

inline bool is_one_of(const RankCase& tested, const std::vector<std::string>& names) {
  return std::find(names.begin(), names.end(), tested.name) != names.end();
}
// The cases of these names, for labels of tests (tests/CMakeLists.txt), and all others.
inline std::vector<RankCase> named(std::vector<RankCase> cases, const std::vector<std::string>& names) {
  std::erase_if(cases, [&](const RankCase& tested) { return !is_one_of(tested, names); });
  if (cases.size() != names.size()) throw Failure("a name without a case");
  return cases;
}
inline std::vector<RankCase> unnamed(std::vector<RankCase> cases, const std::vector<std::string>& names) {
  std::erase_if(cases, [&](const RankCase& tested) { return is_one_of(tested, names); });
  return cases;
}
inline std::string name_of(const testing::TestParamInfo<RankCase>& tested) {
  return tested.param.name;
}

inline RankCase case_called(const std::string& name) {
  for (const RankCase& tested : all_rank_cases()) {
    if (tested.name == name) return tested;
  }
  if (const RankCase tested = local_gauge_wave(); tested.name == name) return tested;
  throw Failure("no case " + name);
}

inline Config config_of(const RankCase& tested, std::vector<std::string> more = {}) {
  more.insert(more.begin(), tested.settings.begin(), tested.settings.end());
  return load_config_text(tested.text, tested.name + ".toml", more, scenarios(), 1e12);
}

}  // namespace meander::simulation
