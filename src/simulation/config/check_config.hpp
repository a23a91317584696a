// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What must hold between the keys of an input file. Each throws InputError at the key that breaks it.

#include <string>
#include <vector>

#include "simulation/config/config.hpp"
#include "solvers/solver.hpp"

namespace meander::simulation {

// A list with one entry for each of the dimensions.
void check_length(const io::KeyTable& keys, const char* key, std::size_t entries, int dimensions);
template <class T>
void check_length(const io::KeyTable& keys, const char* key, const std::vector<T>& list, int dimensions) {
  check_length(keys, key, list.size(), dimensions);
}

// The corners of a box: upper > lower along each axis, or the key "upper" is rejected.
void check_corners(const io::KeyTable& keys, const std::vector<double>& lower,
                   const std::vector<double>& upper);

// Lists have one entry an axis, upper > lower, base cells are cubes, the base level fits a key.
void check_domain(const io::KeyTable& keys, const Config& config);

// Periodic on both sides of an axis or on none.
void check_boundary(const io::KeyTable& keys, const Config& config);

// Radiative conditions only where the scheme lets waves leave.
void check_radiation(const io::KeyTable& keys, const Config& config, const solvers::Traits& traits);

void check_time(const io::KeyTable& keys, const Config& config);

// Levels: base level <= min <= max <= what a key holds, at most 10 of them. Patch: p >= h, and p >= 3 h if
// adaptive.
// solver.cfl: at most what is stable.
void check_cfl(const io::KeyTable& keys, const Config& config, const solvers::Solver& solver);

// By level, from mesh.min-level to mesh.max-level.
std::vector<double> widths_of_volumes(const Config& config);

void check_mesh(const io::KeyTable& keys, const Config& config, const solvers::Traits& traits);

// What the mesh at min-level everywhere needs: the least a run can do with.
struct MemoryEstimate {
  double leaves = 0, bytes = 0;
};
MemoryEstimate estimate_memory(const Config& config, const solvers::Traits& traits);

// That must fit into `memory` bytes, and the leaves into their index type.
void check_memory(const io::KeyTable& keys, const Config& config, const solvers::Traits& traits,
                  double memory);

void check_output(const io::KeyTable& keys, const Config& config);

// Deepest level a key can hold: 12 in 3D, 15 in 2D.
int deepest_level(int dimensions);

}  // namespace meander::simulation
