// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Checks of input keys against each other. Each throws InputError at the offending key.

#include <string>
#include <vector>

#include "io/key_table.hpp"
#include "simulation/config/config.hpp"
#include "solvers/solver.hpp"

namespace meander::simulation {

// The list has one entry for each dimension.
void check_length(const io::KeyTable& keys, const char* key, std::size_t entries, int dimensions);
template <class T>
void check_length(const io::KeyTable& keys, const char* key, const std::vector<T>& list, int dimensions) {
  check_length(keys, key, list.size(), dimensions);
}

// The corners of a box: upper > lower along each axis; else the key "upper" is rejected.
void check_corners(const io::KeyTable& keys, const std::vector<double>& lower,
                   const std::vector<double>& upper);

// Lists have one entry for each axis, upper > lower, base cells are cubes, the base level fits into a tree
// key.
void check_domain(const io::KeyTable& keys, const Config& config);

// An axis is periodic on both sides or on none, and has one plane of symmetry at most.
void check_boundary(const io::KeyTable& keys, const Config& config);

// Initial data, and states beyond other faces, are symmetric about the planes of symmetry: at sample points, for scenarios
// that are known everywhere. After all tables that change the data.
void check_symmetry(const io::KeyTable& boundary, const Config& config, double width);

// Radiative conditions require a scheme that implements them, and a diode a conservation law.
void check_boundary_of_scheme(const io::KeyTable& keys, const Config& config, const solvers::Traits& traits);

void check_time(const io::KeyTable& keys, const Config& config);

// solver.cfl is at most the stability limit of the scheme.
void check_cfl(const io::KeyTable& keys, const Config& config, const solvers::Solver& solver);

// Widths of volumes by level, from mesh.min-level to mesh.max-level.
std::vector<double> widths_of_volumes(const Config& config);

// Levels: base level <= min-level <= max-level <= deepest_level(), at most 10 levels. Patch size: p >= h, and
// p >= 3 h on an adaptive mesh.
void check_mesh(const io::KeyTable& keys, const Config& config, const solvers::Traits& traits);

// Leaves and memory of a mesh at min-level everywhere, the minimum for a run.
struct MemoryEstimate {
  double leaves = 0, bytes = 0;
};
MemoryEstimate estimate_memory(const Config& config, const solvers::Traits& traits);

// The estimate fits into `memory` bytes, and the number of leaves into its index type.
void check_memory(const io::KeyTable& keys, const Config& config, const solvers::Traits& traits,
                  double memory);

// When files are due, as given: the interval of simulated time and the times, with their keys.
struct GivenSchedule {
  const char* every_key;
  double every;
  const char* times_key;
  const std::vector<double>& times;
  const char* files;  // "plot files"
};
// At most a million files by the interval, and times within the run.
void check_schedule(const io::KeyTable& keys, const GivenSchedule& given, const TimeConfig& time);
// No name stands twice in the list.
void check_names_once(const io::KeyTable& keys, const char* key, const std::vector<std::string>& names);

void check_output(const io::KeyTable& keys, const Config& config);

// The deepest level of the spacetree's keys: 12 in 3D, 15 in 2D.
int deepest_level(int dimensions);

// Conditions of local time steps, time.stepping = "local".
// Rejects schemes, devices and scenarios with which local time steps do not exist. `time`: the table of this name.
// Intervals of regrids: regrid_interval.hpp.
void check_local_steps(const io::KeyTable& time, const Config& config);

}  // namespace meander::simulation
