// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The tables of an input file, declared once: what is read, checked, resolved and documented.
// All targets must outlive the Fields.

#include <string>
#include <vector>

#include "simulation/config.hpp"

namespace meander::simulation {

// Tables in the order of the resolved input and of docs/input.md; "refinement" is an array of tables.
std::vector<std::string> input_tables();

// [domain]. `config` holds corners and cells for its own number of dimensions.
void describe_domain(io::Fields& fields, DomainConfig& config);

// [boundary], before the more special keys have overruled the others. "" is not given.
struct BoundaryNames {
  std::string all = "periodic";
  std::string axis[3];
  std::string side[6];
};
void describe_boundary(io::Fields& fields, BoundaryNames& names, int dimensions);
std::vector<std::string> boundary_kinds();  // in the order of enum Boundary

void describe_mesh(io::Fields& fields, MeshConfig& config);

// [partition], with the choice by name.
std::vector<std::string> weight_names();  // volumes, measured
void describe_partition(io::Fields& fields, MeshConfig& config, std::string& weights);

// [[refinement]]: the keys that the kind has a use for; only "kind" itself if it is "".
void describe_refinement(io::Fields& fields, RefinementConfig& config, const std::string& kind);
struct RefinementKind {
  std::string name, meaning;
};
const std::vector<RefinementKind>& refinement_kinds();

// [solver]: only which equation; the equation describes the rest.
void describe_equation(io::Fields& fields, std::string& name);

// [scenario]: only its name; the scenario describes the rest.
void describe_scenario_name(io::Fields& fields, std::string& name,
                            const std::vector<ScenarioEntry>& scenarios);

void describe_time(io::Fields& fields, TimeConfig& config);

void describe_output(io::Fields& fields, OutputConfig& config, const std::vector<std::string>& plot_names);

void describe_diagnostics(io::Fields& fields, DiagnosticsConfig& config);

void describe_checkpoint(io::Fields& fields, CheckpointConfig& config);

}  // namespace meander::simulation
