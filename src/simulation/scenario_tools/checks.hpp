// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Checks of parameters that several scenarios share. Each throws InputError by keys.reject(). With planes of symmetry the
// domain is that with its mirror images (mirrors.hpp).

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "simulation/mirrors.hpp"
#include "simulation/scenario.hpp"

namespace meander::simulation {

// The point of a list of `dim` numbers, which must lie inside the domain; the middle of the domain for an
// empty list.
std::array<double, 3> checked_centre(const io::KeyTable& keys, std::string_view key,
                                     const std::vector<double>& given, const ProblemSetup& setup);

// The vector of a list of `dim` numbers; 0 for an empty list.
std::array<double, 3> checked_vector(const io::KeyTable& keys, std::string_view key,
                                     const std::vector<double>& given, const ProblemSetup& setup);

// Rejects a ball that reaches beyond the domain.
void check_ball_inside(const io::KeyTable& keys, std::string_view key, const std::array<double, 3>& centre,
                       double radius, const ProblemSetup& setup);

// Rejects a centre of data and profiles that is not on every plane of symmetry.
void check_on_planes(const io::KeyTable& keys, std::string_view key, const std::array<double, 3>& centre,
                     const ProblemSetup& setup);

// "breaks the symmetry about x = 0 (boundary.x-lower): " and what must hold, where {} is the axis.
std::string breaks_symmetry(const Mirrors& mirrors, std::size_t axis, std::string_view must);

// Distance from a point of the domain to the nearest of its faces.
double distance_to_faces(const std::array<double, 3>& centre, const ProblemSetup& setup);

// Rejects a singular point at the centre of a volume of one of these widths, where the data are not finite. lower: a
// number for each dimension.
void check_off_volume_centres(const io::KeyTable& keys, std::string_view key,
                              const std::array<double, 3>& point, const std::vector<double>& lower,
                              const std::vector<double>& widths);

// Shortest edge and volume of the domain.
double shortest_edge(const ProblemSetup& setup);
double domain_volume(const ProblemSetup& setup);

}  // namespace meander::simulation
