// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The declarations of the input tables. Reading, checks, the resolved input and docs/input.md follow from
// them. All targets must outlive the KeyTable.

#include <string>
#include <vector>

#include "simulation/config/config.hpp"

namespace meander::simulation {

// [domain]. `config` holds corners and cells for its number of dimensions.
void describe_domain(io::KeyTable& keys, DomainConfig& config);

// [boundary], before more specific keys override general ones. "": not given.
struct BoundaryNames {
  std::string all = "periodic";
  std::string axis[3];
  std::string side[6];
};
void describe_boundary(io::KeyTable& keys, BoundaryNames& names, int dimensions);

void describe_mesh(io::KeyTable& keys, MeshConfig& config, io::IntegerOrWord& regrid_every);

// [partition], with the choice of weights by name.
std::vector<std::string> weight_names();  // volumes, measured
void describe_partition(io::KeyTable& keys, MeshConfig& config, std::string& weights);

// [[refinement]]: only the kind; the criterion describes the rest.
void describe_kind(io::KeyTable& keys, std::string& kind);

// [solver]: only which equation; the equation describes the rest.
void describe_equation(io::KeyTable& keys, std::string& name);

// [scenario]: only its name; the scenario describes the rest.
void describe_scenario_name(io::KeyTable& keys, std::string& name,
                            const std::vector<ScenarioEntry>& scenarios);

void describe_time(io::KeyTable& keys, TimeConfig& config);

void describe_output(io::KeyTable& keys, OutputConfig& config, const std::vector<std::string>& plot_names);

void describe_checkpoint(io::KeyTable& keys, CheckpointConfig& config);

// Whether a restart must not change a key of a table.
bool is_fixed(const io::KeyTable& table, const io::Field& field);

}  // namespace meander::simulation
