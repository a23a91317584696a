// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/config/describe_config.hpp"

#include <fmt/format.h>

#include "base/vec.hpp"
#include "simulation/config/regrid_interval.hpp"
#include "simulation/module.hpp"

namespace meander::simulation {

namespace {

constexpr const char* side_names[] = {"lower", "upper"};
constexpr int patch_size_min = 3, patch_size_max = 32;

}  // namespace

void describe_domain(io::KeyTable& keys, DomainConfig& config) {
  keys.integer("dimensions", config.dimensions, "", "Number of space dimensions.", io::between(2, 3));
  keys.numbers("lower", config.lower, "length", "Lower corner of the domain, one number for each axis.")
      .default_text = "0.0 along each axis";
  keys.numbers("upper", config.upper, "length", "Upper corner of the domain, one number for each axis.")
      .default_text = "1.0 along each axis";
  keys.integers("cells", config.cells, "",
                "Number of base cells along each axis. Base cells must be cubes. The tree starts from them: "
                "their level, the base level, is the smallest m with 3^m >= the largest of these numbers.",
                io::at_least(1))
      .default_text = "1 along each axis";
  for (io::Field& field : keys.all()) field.fixed = true;
}

void describe_boundary(io::KeyTable& keys, BoundaryNames& names, int dimensions) {
  std::vector<std::string> kinds;
  for (const mesh::BoundaryCondition* condition : boundary_conditions()) kinds.emplace_back(condition->name);
  keys.choice("all", names.all, kinds, "Boundary condition on every side.");
  for (int a = 0; a < dimensions; ++a) {
    const std::string axis = axis_names[a];
    keys.choice(axis, names.axis[a], kinds, "Boundary condition on both sides of the " + axis + " axis.")
        .default_text = "that of `all`";
  }
  for (int a = 0; a < dimensions; ++a) {
    for (int s = 0; s < 2; ++s) {
      const std::string axis = axis_names[a], side = side_names[s];
      keys.choice(axis + "-" + side, names.side[2 * a + s], kinds,
                  "Boundary condition on the " + side + " side of the " + axis + " axis.")
          .default_text = "that of `" + axis + "`";
    }
  }
}

void describe_mesh(io::KeyTable& keys, MeshConfig& config, io::IntegerOrWord& regrid_every) {
  keys.integer("patch-size", config.patch_size, "volumes",
               "p: each leaf has a patch of p^d volumes. At least h, and at least 3 h on an adaptive mesh; h "
               "is the halo width of the scheme (rusanov 1, muscl 2, fourth-order 3).",
               io::between(patch_size_min, patch_size_max))
      .fixed = true;
  keys.integer("min-level", config.min_level, "", "Coarsest level of leaves; at least the base level.",
               io::at_least(0))
      .default_text = "the base level";
  keys.integer("max-level", config.max_level, "",
               "Finest level of leaves, at most 12 in 3D and 15 in 2D. At most 10 levels from min-level to "
               "max-level.",
               io::at_least(0))
      .default_text = "min-level";
  describe_regrid_interval(keys, regrid_every);
  keys.integer("buffer", config.buffer, "leaves",
               "Layers of leaves refined around those that a criterion refines.", io::between(0, 8));
  keys.integer(
      "subcycled-levels", config.subcycled_levels, "levels",
      "With time.stepping = \"local\": the number of levels, the finest, that may take several steps "
      "in one of the next coarser level. All coarser levels share one step. Regrids take place between "
      "steps of the coarsest level; with many subcycled levels they need a wide buffer.",
      io::between(0, 9));
}

std::vector<std::string> weight_names() {
  return {"volumes", "measured"};
}

void describe_partition(io::KeyTable& keys, MeshConfig& config, std::string& weights) {
  keys.number(
      "imbalance", config.partition_imbalance, "",
      "The leaves are repartitioned after a regrid if the maximum load of a rank exceeds this "
      "multiple of the mean load; with local time steps, if a step takes more than this multiple of the "
      "time that the best cut found permits.",
      io::at_least(1));
  keys.choice("weights", weights, weight_names(),
              "The load of a leaf: its number of volumes, which is equal for all leaves, or its measured "
              "update time.");
}

void describe_kind(io::KeyTable& keys, std::string& kind) {
  std::vector<std::string> names;
  for (const CriterionEntry& entry : refinement_criteria()) names.push_back(entry.name);
  keys.choice("kind", kind, std::move(names), "The criterion.").required = true;
}

void describe_equation(io::KeyTable& keys, std::string& name) {
  std::vector<std::string> names;
  std::string meanings;
  for (const Module* module : modules()) {
    names.push_back(module->name);
    meanings += fmt::format("{}{}: {}", meanings.empty() ? "" : "; ", module->name, module->meaning);
  }
  keys.choice("equation", name, std::move(names), fmt::format("The equations. {}.", meanings)).fixed = true;
}

void describe_scenario_name(io::KeyTable& keys, std::string& name,
                            const std::vector<ScenarioEntry>& scenarios) {
  std::vector<std::string> names;
  for (const ScenarioEntry& entry : scenarios) names.push_back(entry.name);
  keys.choice("name", name, std::move(names), "The scenario: initial and boundary data.").required = true;
}

void describe_time(io::KeyTable& keys, TimeConfig& config) {
  io::Field& start = keys.number("start", config.start, "time", "Time of the initial state.");
  start.default_text = "the scenario's";
  start.fixed = true;
  keys.number("end", config.end, "time", "Time at which the run ends.").default_text = "the scenario's";
  keys.integer("max-steps", config.max_steps, "steps", "Maximum number of steps; 0: no limit.",
               io::at_least(0));
  keys.number("max-dt", config.max_dt, "time", "Largest time step; 0: limited by stability only.",
              io::at_least(0));
  keys.choice(
      "stepping", config.stepping, {"global", "local"},
      "Time steps: global, the same for all leaves; local, by level, where a level takes up to 3 steps "
      "in one of the next coarser level. Then a step, in every key that counts steps, is one of the "
      "coarsest level. Local steps exist for conservative schemes of one stage (rusanov, godunov, "
      "muscl) and for fourth-order; with a device, for patches that live there.");
}

void describe_output(io::KeyTable& keys, OutputConfig& config, const std::vector<std::string>& plot_names) {
  keys.text("directory", config.directory, "Output directory. It must not exist or be empty.").default_text =
      "output/<name of the input file>";
  keys.number("plot-every", config.plot_every, "time",
              "Simulated time between plot files, at most 1000000 of them; 0: only the first and the last.",
              io::at_least(0));
  keys.integer("plot-steps", config.plot_steps, "steps", "Additional plot files every n steps; 0: none.",
               io::at_least(0));
  keys.numbers("plot-times", config.plot_times, "time",
               "Additional plot files at these times; time steps are shortened to meet them.");
  keys.texts("fields", config.fields,
             "The fields of plot files: unknowns, derived quantities, vectors (velocity, momentum), level, "
             "curve_index.",
             plot_names);
  keys.choice("precision", config.precision, {"float32", "float64"},
              "Precision of the numbers in plot files.");
  keys.integer("history-steps", config.history_steps, "steps", "Number of steps between rows of history.csv.",
               io::at_least(1));
}

void describe_checkpoint(io::KeyTable& keys, CheckpointConfig& config) {
  keys.integer("every-steps", config.every_steps, "steps", "A checkpoint every n steps; 0: none.",
               io::at_least(0));
  keys.number("every-minutes", config.every_minutes, "minutes",
              "Additional checkpoints after this wall time since the last one; 0: none.", io::at_least(0));
  keys.integer("keep", config.keep, "files",
               "Number of the newest checkpoints that are kept; older ones are removed.", io::at_least(1));
}

}  // namespace meander::simulation
