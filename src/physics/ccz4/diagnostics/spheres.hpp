// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Integrals over coordinate spheres about a centre, by values interpolated at sixth order.

#include <array>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "simulation/config/config.hpp"
#include "simulation/diagnostics/point_gather.hpp"

namespace meander::ccz4 {

struct SpherePoint {
  double theta = 0, phi = 0, weight = 0;  // weights sum up to 4 pi
  std::array<double, 3> direction{};
};

// Gauss-Legendre points in cos(theta), for each of them 2 * latitudes equal angles phi: exact for products of
// harmonics with l + l' < 2 * latitudes.
std::vector<SpherePoint> sphere_points(int latitudes);

// Rejects radii below the finest volume's width, spheres about the domain's middle (Config::middle()) that reach beyond it,
// and radii named twice.
void check_radii(const io::KeyTable& keys, const std::string& key, const std::vector<double>& radii,
                 const simulation::Config& config);

// Sets `count` values at a point from the sample of a query. Called by several threads at once. point: its number on its sphere.
using SphereIntegrand =
    std::function<void(std::span<const double> sample, const simulation::SamplePoint& from_centre,
                       std::size_t point, double* values)>;

// The integrals of `count` functions over all directions from the centre: [radius][function]. The points are those of
// sphere_points(24). Bitwise identical for any number of ranks and threads. Collective.
std::vector<double> sphere_integrals(const simulation::StateView& view, const std::array<double, 3>& centre,
                                     std::span<const double> radii, const simulation::PointQuery& query,
                                     std::size_t count, const SphereIntegrand& integrand);
// Those points.
const std::vector<SpherePoint>& points_of_spheres();

}  // namespace meander::ccz4
