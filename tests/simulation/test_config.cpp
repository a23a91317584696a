// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Every error of an input with its message.
#include <gtest/gtest.h>

#include "tests/simulation/probe_scenario.hpp"

namespace meander::simulation {
namespace {

std::string message(const std::string& text, const std::vector<std::string>& settings = {},
                    double memory = plenty) {
  try {
    load(text, settings, memory);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

struct Mistake {
  const char* name;
  std::string text, message;
  std::vector<std::string> settings = {};
};
void PrintTo(const Mistake& mistake, std::ostream* out) {
  *out << mistake.name;
}

class BadInputQuick : public testing::TestWithParam<Mistake> {};

TEST_P(BadInputQuick, HasItsMessage) {
  EXPECT_EQ(message(GetParam().text, GetParam().settings), GetParam().message);
}

const Mistake syntax_and_keys[] = {
    {"misspelt_key", probe + "[mesh]\npatchsize = 9\n",
     "in.toml:4:1: mesh.patchsize: unknown key; did you mean 'patch-size'?\n  4 | patchsize = 9\n    | ^"},
    {"key_like_no_other", probe + "[boundary]\n  wall-thickness = 9\n",
     "in.toml:4:3: boundary.wall-thickness: unknown key; allowed here: all, x, y, z, x-lower, x-upper, "
     "y-lower, "
     "y-upper, z-lower, z-upper\n  4 |   wall-thickness = 9\n    |   ^"},
    {"misspelt_table", probe + "[mehs]\n",
     "in.toml:3:2: mehs: unknown table; did you mean 'mesh'?\n  3 | [mehs]\n    |  ^"},
    {"key_without_table", "cfl = 0.4\n" + probe,
     "in.toml:1:1: cfl: a key outside of any table; tables are: domain, boundary, mesh, partition, solver, "
     "scenario, gravity, time, output, diagnostics, checkpoint, offload, gpu-memory, refinement, horizon\n  "
     "1 | cfl = "
     "0.4\n    "
     "| ^"},
    {"table_for_array", probe + "[refinement]\nkind = \"jump\"\n",
     "in.toml:3:2: refinement: must be a list of tables, each written [[refinement]]\n  3 | [refinement]\n   "
     " |  ^"},
    {"array_for_table", probe + "[[mesh]]\n",
     "in.toml:3:3: mesh: must be a table, written [mesh]\n  3 | [[mesh]]\n    |   ^"},
    {"syntax", probe + "[mesh]\npatch-size = = 9\n",
     "in.toml:4:14: Error while parsing value: could not determine value type\n  4 | patch-size = = 9\n"
     "    |              ^"},
    {"duplicate", probe + "[mesh]\nbuffer = 1\nbuffer = 2\n",
     "in.toml:5:10: Error while parsing key-value pair: cannot redefine existing integer 'buffer'\n"
     "  5 | buffer = 2\n    |          ^"},
    {"missing_scenario", "[mesh]\n",
     "in.toml:2:1: scenario.name: is required: a string (probe, flat-probe): The scenario: initial and "
     "boundary data."},
    {"missing_name", "[scenario]\ndensity = 1\n",
     "in.toml:1:1: scenario.name: is required: a string (probe, flat-probe): The scenario: initial and "
     "boundary "
     "data.\n  1 | [scenario]\n    | ^"},
    {"misspelt_scenario", "[scenario]\nname = \"prbe\"\n",
     "in.toml:2:8: scenario.name: 'prbe' is none of the choices; did you mean 'probe'? allowed: probe, "
     "flat-probe\n"
     "  2 | name = \"prbe\"\n    |        ^"},
    {"scenario_in_other_dimension", "[scenario]\nname = \"flat-probe\"\n",
     "in.toml:2:8: scenario.name: 'flat-probe' exists in 2 dimensions only, but domain.dimensions is 3\n"
     "  2 | name = \"flat-probe\"\n    |        ^"},
};

const Mistake types_and_ranges[] = {
    {"string_for_integer", probe + "[mesh]\npatch-size = \"nine\"\n",
     "in.toml:4:14: mesh.patch-size: must be an integer, but is the string \"nine\"\n"
     "  4 | patch-size = \"nine\"\n    |              ^"},
    {"number_for_integer", probe + "[mesh]\npatch-size = 9.5\n",
     "in.toml:4:14: mesh.patch-size: must be an integer, but is the number 9.5\n  4 | patch-size = 9.5\n"
     "    |              ^"},
    {"string_for_flag", probe + "noise = \"yes\"\n",
     "in.toml:3:9: scenario.noise: must be true or false, but is the string \"yes\"\n  3 | noise = \"yes\"\n"
     "    |         ^"},
    {"number_for_list", probe + "centre = 0.5\n",
     "in.toml:3:10: scenario.centre: must be a list of numbers, but is the number 0.5\n  3 | centre = 0.5\n"
     "    |          ^"},
    {"string_in_list", probe + "centre = [0.5, \"a\", 1]\n",
     "in.toml:3:16: scenario.centre: must be a list of numbers, but is the string \"a\"\n"
     "  3 | centre = [0.5, \"a\", 1]\n    |                ^"},
    {"nan", probe + "density = nan\n",
     "in.toml:3:11: scenario.density: must be a finite number, but is nan\n  3 | density = nan\n    |        "
     "   ^"},
    {"patch_size_too_large", probe + "[mesh]\npatch-size = 64\n",
     "in.toml:4:14: mesh.patch-size: must be between 3 and 32 [volumes], but is 64\n  4 | patch-size = 64\n"
     "    |              ^"},
    {"unknown_word_for_integer", probe + "[mesh]\nregrid-every = \"autoo\"\n",
     "in.toml:4:16: mesh.regrid-every: must be an integer or 'auto', but is the string \"autoo\"\n"
     "  4 | regrid-every = \"autoo\"\n    |                ^"},
    {"integer_out_of_range_beside_a_word", probe + "[mesh]\nregrid-every = 0\n",
     "in.toml:4:16: mesh.regrid-every: must be at least 1 [steps] or 'auto', but is 0\n  4 | regrid-every = "
     "0\n"
     "    |                ^"},
    {"number_for_integer_or_word", probe + "[mesh]\nregrid-every = 1.5\n",
     "in.toml:4:16: mesh.regrid-every: must be an integer or 'auto', but is the number 1.5\n"
     "  4 | regrid-every = 1.5\n    |                ^"},
    {"number_for_dual_energy", probe + "[solver]\ndual-energy = 1\n",
     "in.toml:4:15: solver.dual-energy: must be true or false, but is the integer 1\n  4 | dual-energy = 1\n"
     "    |               ^"},
    {"dual_energy_of_ccz4", probe + "[solver]\nequation = \"ccz4\"\ndual-energy = true\n",
     "in.toml:5:1: solver.dual-energy: has no meaning for equation = 'ccz4'\n  5 | dual-energy = true\n    | "
     "^"},
    {"misspelt_dual_energy", probe + "[solver]\ndual-enrgy = true\n",
     "in.toml:4:1: solver.dual-enrgy: unknown key; did you mean 'dual-energy'?\n  4 | dual-enrgy = true\n    "
     "| ^"},
    {"cfl_too_large", probe + "[solver]\ncfl = 1.5\n",
     "in.toml:4:7: solver.cfl: must be greater than 0 and at most 1, but is 1.5\n  4 | cfl = 1.5\n    |      "
     " ^"},
    {"dimensions", probe + "[domain]\ndimensions = 1\n",
     "in.toml:4:14: domain.dimensions: must be between 2 and 3, but is 1\n  4 | dimensions = 1\n    |        "
     "      ^"},
    {"imbalance", probe + "[partition]\nimbalance = 0.9\n",
     "in.toml:4:13: partition.imbalance: must be at least 1, but is 0.9\n  4 | imbalance = 0.9\n    |        "
     "  "
     "   ^"},
    {"weights", probe + "[partition]\nweights = \"volume\"\n",
     "in.toml:4:11: partition.weights: 'volume' is none of the choices; did you mean 'volumes'? allowed: "
     "volumes, measured\n  4 | weights = \"volume\"\n    |           ^"},
    {"keep_no_checkpoint", probe + "[checkpoint]\nkeep = 0\n",
     "in.toml:4:8: checkpoint.keep: must be at least 1 [files], but is 0\n  4 | keep = 0\n    |        ^"},
    {"negative_density", probe + "density = -1\n",
     "in.toml:3:11: scenario.density: must be greater than 0 [density], but is -1\n  3 | density = -1\n"
     "    |           ^"},
    {"scenario_refuses", probe + "density = 13\n",
     "in.toml:3:11: scenario.density: must not be 13\n  3 | density = 13\n    |           ^"},
    {"wrong_choice", probe + "[solver]\nscheme = \"musl\"\n",
     "in.toml:4:10: solver.scheme: 'musl' is none of the choices; did you mean 'muscl'? allowed: godunov, "
     "rusanov, "
     "muscl\n"
     "  4 | scheme = \"musl\"\n    |          ^"},
    {"huge_integer", probe + "[time]\nmax-steps = 3000000000\n",
     "in.toml:4:13: time.max-steps: must be at most 2147483647, but is 3000000000\n"
     "  4 | max-steps = 3000000000\n    |             ^"},
};

const Mistake between_keys[] = {
    {"list_length", probe + "[domain]\ncells = [3, 3]\n",
     "in.toml:4:9: domain.cells: must have 3 entries, one for each dimension, but has 2\n  4 | cells = [3, "
     "3]\n"
     "    |         ^"},
    {"upper_below_lower", probe + "[domain]\nlower = [0, 1, 0]\n",
     "in.toml:3:1: domain.upper: must exceed lower along each axis, but along y it is 1 and lower is 1\n"
     "  3 | [domain]\n    | ^"},
    {"no_cubes", probe + "[domain]\nupper = [1.0, 0.5, 1.0]\ncells = [9, 3, 9]\n",
     "in.toml:4:9: domain.upper: base cells must be cubes, but are 0.1111111111111111 wide along x and "
     "0.16666666666666666 along y; upper = 0.3333333333333333 along y would make them cubes\n"
     "  4 | upper = [1.0, 0.5, 1.0]\n    |         ^"},
    {"half_periodic", probe + "[boundary]\nx-lower = \"outflow\"\n",
     "in.toml:4:11: boundary.x-lower: the x axis is periodic on its upper side only; it must be periodic on "
     "both sides or on none\n  4 | x-lower = \"outflow\"\n    |           ^"},
    {"z_in_2d", "[domain]\ndimensions = 2\n[boundary]\nz = \"outflow\"\n" + probe,
     "in.toml:4:1: boundary.z: the domain has 2 dimensions\n  4 | z = \"outflow\"\n    | ^"},
    {"min_level_below_base", probe + "[domain]\ncells = [9, 9, 9]\n[mesh]\nmin-level = 1\n",
     "in.toml:6:13: mesh.min-level: must be between 2 (the level of the base cells) and 12, but is 1\n"
     "  6 | min-level = 1\n    |             ^"},
    {"max_level_below_min", probe + "[mesh]\nmin-level = 2\nmax-level = 1\n",
     "in.toml:5:13: mesh.max-level: must be between 2 (min-level) and 12, but is 1\n  5 | max-level = 1\n"
     "    |             ^"},
    {"too_many_levels", probe + "[mesh]\nmax-level = 10\n",
     "in.toml:4:13: mesh.max-level: must be at most 9: leaves may have 10 levels, from min-level 0 on; but "
     "is 10\n"
     "  4 | max-level = 10\n    |             ^"},
    {"small_patch", probe + "[mesh]\npatch-size = 5\nmax-level = 1\n[solver]\nscheme = \"muscl\"\n",
     "in.toml:4:14: mesh.patch-size: must be at least 6 on an adaptive mesh with this scheme (halo width 2), "
     "but is "
     "5\n  4 | patch-size = 5\n    |              ^"},
    {"ends_before_start", probe + "[time]\nstart = 3\nend = 2\n",
     "in.toml:5:7: time.end: time.end must exceed time.start, but is 2 and time.start is 3\n  5 | end = 2\n"
     "    |       ^"},
    {"variable", probe + "[[refinement]]\nkind = \"jump\"\nvariable = \"presure\"\nrefine = 0.1\n",
     "in.toml:5:12: refinement[0].variable: 'presure' is not a quantity of the solver; did you mean "
     "'pressure'? "
     "allowed: "
     "density, momentum_x, momentum_y, momentum_z, energy, velocity_x, velocity_y, velocity_z, pressure, "
     "sound_speed, mach, "
     "internal_energy, temperature, entropy\n"
     "  5 | variable = \"presure\"\n    |            ^"},
    {"key_of_other_kind",
     probe + "[[refinement]]\nkind = \"box\"\nlower = [0, 0, 0]\nupper = [1, 1, 1]\nradius = 2\n",
     "in.toml:7:1: refinement[0].radius: has no meaning for kind = 'box'\n  7 | radius = 2\n    | ^"},
    {"kind_missing", probe + "[[refinement]]\nradius = 2\n",
     "in.toml:3:1: refinement[0].kind: is required: a string (jump, threshold, ball, shell, box, loehner, "
     "formula, jeans, punctures): The criterion.\n"
     "  3 | [[refinement]]\n    | ^"},
    {"criterion_level",
     probe + "[mesh]\nmax-level = 2\n[[refinement]]\nkind = \"ball\"\nradius = 1\nlevel = 3\n",
     "in.toml:8:9: refinement[0].level: must be 0 or between 0 (mesh.min-level) and 2 (mesh.max-level), but "
     "is 3\n"
     "  8 | level = 3\n    |         ^"},
    {"reference_time", probe + "[[refinement]]\nkind = \"ball\"\nradius = 1\npower = 2\nreference-time = 1\n",
     "in.toml:7:18: refinement[0].reference-time: must not be 0 and must have the sign of all times of the "
     "run (-2 "
     "to -1) if power is not 0, but is 1\n  7 | reference-time = 1\n    |                  ^"},
    {"plot_time_outside", probe + "[output]\nplot-times = [-1.5, 0]\n",
     "in.toml:4:14: output.plot-times: must lie between time.start -2 and time.end -1, but one is 0\n"
     "  4 | plot-times = [-1.5, 0]\n    |              ^"},
    {"field_name", probe + "[output]\nfields = [\"density\", \"velocty\"]\n",
     "in.toml:4:22: output.fields: 'velocty' is none of the choices; did you mean 'velocity'? allowed: "
     "density, "
     "momentum_x, momentum_y, momentum_z, energy, velocity_x, velocity_y, velocity_z, pressure, sound_speed, "
     "mach, internal_energy, temperature, entropy, momentum, "
     "velocity, "
     "level, curve_index\n  4 | fields = [\"density\", \"velocty\"]\n    |                      ^"},
    {"field_twice", probe + "[output]\nfields = [\"density\", \"density\"]\n",
     "in.toml:4:10: output.fields: names 'density' twice\n  4 | fields = [\"density\", \"density\"]\n    |   "
     "       ^"},
};

const std::string one_ball = probe + "[[refinement]]\nkind = \"ball\"\nradius = 1\n";
const Mistake settings[] = {
    {"radius_without_bound",
     one_ball,
     "--set refinement[0].power=-1: refinement[0].power: must not be negative, since the run (-2 to 0) "
     "contains the time 0, but is -1",
     {"time.end=0", "refinement[0].reference-time=-1", "refinement[0].power=-1"}},
    {"radius_without_bound_at_the_start",
     one_ball,
     "--set refinement[0].power=-0.5: refinement[0].power: must not be negative, since the run (0 to 1) "
     "contains the time 0, but is -0.5",
     {"time.start=0", "time.end=1", "refinement[0].reference-time=1", "refinement[0].power=-0.5"}},
    {"range",
     probe,
     "--set mesh.patch-size=64: mesh.patch-size: must be between 3 and 32 [volumes], but is 64",
     {"mesh.patch-size=64"}},
    {"key",
     probe,
     "--set mesh.patchsize=9: mesh.patchsize: unknown key; did you mean 'patch-size'?",
     {"mesh.patchsize=9"}},
    {"bare_word",
     probe,
     "--set mesh.patch-size=nine: mesh.patch-size: must be an integer, but is the string \"nine\"",
     {"mesh.patch-size=nine"}},
    {"flag_for_integer_or_word",
     probe,
     "--set mesh.regrid-every=true: mesh.regrid-every: must be an integer or 'auto', but is true",
     {"mesh.regrid-every=true"}},
    {"no_table",
     probe,
     "--set patch-size=9: a setting is written table.key=value, as in mesh.patch-size=9",
     {"patch-size=9"}},
    {"no_value",
     probe,
     "--set mesh.patch-size: a setting is written table.key=value, as in mesh.patch-size=9",
     {"mesh.patch-size"}},
    {"broken_list", probe, "--set domain.cells=[1, 2: '[1, 2' is no TOML value", {"domain.cells=[1, 2"}},
    {"no_such_criterion",
     probe,
     "--set refinement[1].level=2: there is no refinement[1]: the file has 0 [[refinement]], counted from 0",
     {"refinement[1].level=2"}},
    {"no_such_array",
     one_ball,
     "--set refinements[0].radius=2: there is no refinements[0]: the file has 0 [[refinements]], counted "
     "from 0; did you mean 'refinement'?",
     {"refinements[0].radius=2"}},
    {"no_such_array_nor_one_near",
     one_ball,
     "--set scene[0].radius=2: there is no scene[0]: the file has 0 [[scene]], counted from 0",
     {"scene[0].radius=2"}},
    {"which_criterion",
     one_ball,
     "--set refinement.radius=2: which refinement? The file has 1: write refinement[0].radius=...",
     {"refinement.radius=2"}},
    {"last_wins",
     probe,
     "--set scenario.density=-2: scenario.density: must be greater than 0 [density], but is -2",
     {"scenario.density=-1", "scenario.density=-2"}},
};

auto mistake_name(const testing::TestParamInfo<Mistake>& info) {
  return std::string(info.param.name);
}
INSTANTIATE_TEST_SUITE_P(SyntaxAndKeys, BadInputQuick, testing::ValuesIn(syntax_and_keys), mistake_name);
INSTANTIATE_TEST_SUITE_P(TypesAndRanges, BadInputQuick, testing::ValuesIn(types_and_ranges), mistake_name);
INSTANTIATE_TEST_SUITE_P(BetweenKeys, BadInputQuick, testing::ValuesIn(between_keys), mistake_name);
INSTANTIATE_TEST_SUITE_P(Settings, BadInputQuick, testing::ValuesIn(settings), mistake_name);

TEST(BadInputFile, MissingOrNoFile) {
  const auto what = [](const std::string& file) -> std::string {
    try {
      load_config(file);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(what("no/such/input.toml"), "no/such/input.toml: No such file or directory");
  EXPECT_EQ(what("/"), "/: is a directory, not an input file");
}

TEST(BadInputMemory, MeshBeyondWhatIsAvailable) {
  // 27^3 leaves of (9 + 2)^3 volumes, padded to 1336, times 5 unknowns, plus 8: 19683 * 53504 bytes, and the
  // tree.
  const std::string text = probe + "[mesh]\nmin-level = 3\n";
  const double bytes = 19683.0 * (53504 + 1500);
  EXPECT_EQ(message(text, {}, bytes), "accepted");
  EXPECT_EQ(
      message(text, {}, 1024.0 * 1024 * 512),
      "in.toml:4:13: mesh.min-level: level 3 everywhere has 19683 leaves and requires about 1.008 GiB, but "
      "0.5 GiB are available; reduce min-level, patch-size or domain.cells\n  4 | min-level = 3\n"
      "    |             ^");
}

}  // namespace
}  // namespace meander::simulation
