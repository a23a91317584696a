// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The configuration of a run from its input file, checked and complete before any work starts.

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "io/key_table.hpp"
#include "mesh/boundary_condition.hpp"
#include "simulation/config/offload_config.hpp"
#include "simulation/config/requested_output.hpp"
#include "simulation/mirrors.hpp"

namespace meander::simulation {

class Diagnostic;
class Equation;
class FieldFormulas;
class RefinementCriterion;
class Scenario;
struct ScenarioEntry;

// [domain]
struct DomainConfig {
  int dimensions = 3;
  std::vector<double> lower, upper;  // default: the unit cube
  std::vector<int> cells;            // base cells along each axis; default 1 each; they must be cubes
  // [boundary]: x-lower, x-upper, ... override x, y, z, which override all; index 2 * axis + side
  const mesh::BoundaryCondition* boundary[6] = {&mesh::boundary::periodic, &mesh::boundary::periodic,
                                                &mesh::boundary::periodic, &mesh::boundary::periodic,
                                                &mesh::boundary::periodic, &mesh::boundary::periodic};
  std::shared_ptr<const FieldFormulas> state_beyond[6];  // of conditions that take a state; by face as above
};

// [mesh]. Levels are those of the spacetree: the root cube is level 0, base cells have level base_level().
struct MeshConfig {
  int patch_size = 9;
  int min_level = 0;         // default: the base level
  int max_level = 0;         // default: min_level
  int regrid_every = 1;      // steps between regrids, given or chosen (config/regrid_interval.hpp)
  int buffer = 1;            // layers of leaves refined around those that a criterion marks
  int subcycled_levels = 2;  // number of the finest levels with steps of their own, for local time steps
  // [partition]
  double partition_imbalance = 1.1;  // repartition above this max/mean load, or by mesh/step_path.hpp
  bool measured_weights = false;     // the load of a leaf is the time of its updates, not its volumes
  std::string cuts = "auto";         // of the curve, for local steps (mesh/step_path.hpp)
  std::string windows = "auto";      // messages within a node by shared memory, where that works; or "off"
};

// [time]
struct TimeConfig {
  double start = 0, end = 1;  // defaults from the scenario
  int max_steps = 0;          // 0: no limit
  double cfl = 0.4;
  double max_dt = 0;                // 0: none
  std::string stepping = "global";  // or "local"
};

// [output]
struct OutputConfig {
  std::string directory;           // default: output/<name of the input file>
  double plot_every = 0;           // interval of simulated time; 0: only first and last
  int plot_steps = 0;              // also every n steps; 0: never
  std::vector<double> plot_times;  // also at these times (steps are shortened to meet them)
  // Unknowns, derived quantities, vectors such as "velocity", level, curve_index.
  std::vector<std::string> fields;
  std::string precision = "float32";
  int history_steps = 1;                   // a row of history.csv every n steps
  std::vector<RequestedOutput> requested;  // [[output.slice]] and its like
};

// [checkpoint]
struct CheckpointConfig {
  int every_steps = 0;       // 0: no
  double every_minutes = 0;  // of wall time; 0: no
  int keep = 2;              // number of the newest checkpoints that are kept
};

// A key of the resolved input, except those of [[refinement]].
struct Key {
  std::string name, value;  // "mesh.patch-size", "9"
  bool fixed = false;       // a restart must not change it
  io::Origin origin;
};

struct Config {
  std::string source;  // the input file
  DomainConfig domain;
  MeshConfig mesh;
  // [[refinement]]: a leaf is refined if any criterion requires it, and coarsened if all allow it.
  std::vector<std::shared_ptr<const RefinementCriterion>> refinement;
  std::string equation_name;                      // [solver]
  std::shared_ptr<const Equation> equation;       // set up
  std::shared_ptr<const solvers::Solver> solver;  // of that equation, for names and limits
  TimeConfig time;
  OutputConfig output;
  std::vector<std::shared_ptr<const Diagnostic>> diagnostics;  // of the equation, set up
  CheckpointConfig checkpoint;
  OffloadConfig offload;
  std::string scenario_name;
  std::shared_ptr<Scenario> scenario;  // set up
  std::string resolved;                // the input with all defaults, as TOML; a valid input itself
  std::vector<Key> keys;
  std::vector<std::string> changed_keys;  // names of keys that were given another value than the default
  std::vector<std::string> warnings;      // about valid values, one line each
  // Bytes that each rank may use beside a mesh at min-level everywhere.
  double spare_memory = std::numeric_limits<double>::infinity();

  int base_level() const;  // smallest m with 3^m >= max(cells)
  Mirrors mirrors() const;
  Point<3> middle() const;  // of the domain with its mirror images (mirrors.hpp); unused axes 0
};

// Reads `file`, applies "table.key=value" settings (a later one overrides an earlier one) and checks the
// result, also against the available memory. Throws InputError.
Config load_config(const std::string& file, const std::vector<std::string>& settings = {});

// As above on all ranks, with the memory of all their nodes. The root reads the file. Throws AgreedInputError
// (one rank: InputError). Collective.
Config load_config(const parallel::Communicator& communicator, const std::string& file,
                   const std::vector<std::string>& settings);
// As above for a text that all ranks hold. Collective.
Config load_config_text(const parallel::Communicator& communicator, const std::string& text,
                        const std::string& name, const std::vector<std::string>& settings);

// As above for a text (`name`: of the file, in messages), a list of scenarios and a machine with `memory`
// bytes for `ranks` ranks.
Config load_config_text(const std::string& text, const std::string& name,
                        const std::vector<std::string>& settings,
                        const std::vector<ScenarioEntry>& known_scenarios, double memory, int ranks = 1);

}  // namespace meander::simulation
