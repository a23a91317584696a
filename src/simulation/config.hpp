// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A run, as its input file describes it: read, strictly checked and complete, before any work starts.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "io/fields.hpp"
#include "mesh/boundary.hpp"
#include "simulation/offload_config.hpp"
#include "simulation/scenario.hpp"

namespace meander::simulation {

using Boundary = mesh::BoundaryKind;  // given: by the scenario

// [domain]
struct DomainConfig {
  int dimensions = 3;
  std::vector<double> lower, upper;  // default: the unit cube
  std::vector<int> cells;            // base cells along each axis; default 1 each; they must be cubes
  // [boundary]: all < x, y, z < x-lower, x-upper, ... (the more special key wins); index 2 * axis + side
  Boundary boundary[6] = {};
};

// [mesh]. Levels are the spacetree's: the root cube is level 0, base cells have level base_level().
struct MeshConfig {
  int patch_size = 9;
  int min_level = 0;  // default: the base level
  int max_level = 0;  // default: min_level
  int regrid_every = 4;
  int buffer = 1;  // layers of leaves refined around those that a criterion marks
  // [partition]
  double partition_imbalance = 1.1;  // most / mean weight of a rank, beyond which the curve is cut anew
  bool measured_weights = false;     // a leaf weighs what its updates have cost, not its volumes
};

// [[refinement]], combinable: a leaf is refined if any criterion says so, coarsened if all agree.
struct RefinementConfig {
  std::string kind;                // "jump", "threshold", "ball", "shell", "box", "punctures"
  std::string variable;            // jump, threshold: an unknown or derived quantity
  double refine = 0, coarsen = 0;  // jump: relative jump between neighbouring volumes; threshold: value
  std::vector<double> centre;      // ball, shell
  double radius = 0, width = 0;    // at time t_ref; a shell reaches from radius - width/2 to radius + width/2
  double speed = 0;                // radius(t) = radius * (t / t_ref)^power + speed * (t - t_ref)
  double power = 0;
  double t_ref = 1;                  // key "reference-time"; default: the start time
  std::vector<double> lower, upper;  // box
  std::vector<double> radii;         // punctures: of level mesh.min_level + 1, + 2, ...
  int level = 0;                     // level to refine to at most by this criterion; 0: mesh.max-level
};

// [time]
struct TimeConfig {
  double start = 0, end = 1;  // defaults from the scenario
  int max_steps = 0;          // 0: no limit
  double cfl = 0.4;
  double max_dt = 0;  // 0: none
};

// [output]
struct OutputConfig {
  std::string directory;           // default: output/<name of the input file>
  double plot_every = 0;           // interval of simulated time; 0: only first and last
  int plot_steps = 0;              // also every n steps; 0: never
  std::vector<double> plot_times;  // also at these times (steps are shortened to meet them)
  std::vector<std::string>
      fields;  // unknowns or derived quantities; "velocity" is a vector; also level, curve_index
  std::string precision = "float32";
  int history_steps = 1;  // a row of history.csv every n steps
};

// [diagnostics]
struct DiagnosticsConfig {
  double exclude_radius = 0;             // about punctures
  std::vector<double> extraction_radii;  // of spheres about the domain's middle
};

// [checkpoint]
struct CheckpointConfig {
  int every_steps = 0;       // 0: no
  double every_minutes = 0;  // of wall time; 0: no
  int keep = 2;              // the last so many
};

// A key of the resolved input, those of [[refinement]] left out.
struct Key {
  std::string name, value;  // "mesh.patch-size", "9"
  bool fixed = false;       // a restart must not change it
  io::Origin origin;
};

struct Config : EquationParameters {  // [solver]
  std::string source;                 // the input file
  DomainConfig domain;
  MeshConfig mesh;
  std::vector<RefinementConfig> refinement;
  TimeConfig time;
  OutputConfig output;
  DiagnosticsConfig diagnostics;
  CheckpointConfig checkpoint;
  OffloadConfig offload;
  std::string scenario_name;
  std::shared_ptr<Scenario> scenario;  // set up
  std::string resolved;                // the whole input with all defaults, as TOML that can be run again
  std::vector<Key> keys;
  std::vector<std::string> warnings;  // about valid values, one line each, for the user to read once

  int base_level() const;  // smallest m with 3^m >= max(cells)
  // What EquationEntry::measure() is to look at now.
  Diagnosed diagnosed() const;
};

// Reads `file`, applies "table.key=value" settings (later ones win), checks everything, also against the
// memory that is available. Throws InputError.
Config load_config(const std::string& file, const std::vector<std::string>& settings = {});

// The same on all ranks, with the memory of all their nodes: the root reads the file. Throws AgreedInputError
// (one rank: InputError). Collective.
Config load_config(const mesh::Communicator& communicator, const std::string& file,
                   const std::vector<std::string>& settings);
// The same for text that all ranks hold. Collective.
Config load_config_text(const mesh::Communicator& communicator, const std::string& text,
                        const std::string& name, const std::vector<std::string>& settings);

// The same with other scenarios than scenarios(), from text at hand (`name` is what messages call it), and
// for a machine with `memory` bytes.
Config load_config_text(const std::string& text, const std::string& name,
                        const std::vector<std::string>& settings,
                        const std::vector<ScenarioEntry>& known_scenarios, double memory);

}  // namespace meander::simulation
