// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/ccz4/diagnostics/spheres.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "base/exact_sum.hpp"
#include "parallel/exact_sums.hpp"
#include "physics/ccz4/horizons/sphere_grid.hpp"
#include "simulation/config/check_config.hpp"
#include "simulation/config/input_tables.hpp"
#include "simulation/scenario_tools/checks.hpp"

namespace meander::ccz4 {

using namespace simulation;
using std::numbers::pi;

std::vector<SpherePoint> sphere_points(int latitudes) {
  const int longitudes = 2 * latitudes;
  std::vector<SpherePoint> points;
  for (const LegendreNode& node : gauss_legendre(latitudes)) {
    for (int j = 0; j < longitudes; ++j) {
      SpherePoint& point = points.emplace_back();
      point.theta = std::acos(node.cosine);
      point.phi = 2 * pi * (j + 0.5) / longitudes;
      point.weight = node.weight * 2 * pi / longitudes;
      const double sine = std::sin(point.theta);
      point.direction = {sine * std::cos(point.phi), sine * std::sin(point.phi), node.cosine};
    }
  }
  return points;
}

const std::vector<SpherePoint>& points_of_spheres() {
  static const std::vector<SpherePoint> points = sphere_points(24);  // exact up to l = 47 of the integrand
  return points;
}

void check_radii(const io::KeyTable& keys, const std::string& key, const std::vector<double>& radii,
                 const Config& config) {
  const double room = 0.5 * shortest_edge(setup_of(config)), width = widths_of_volumes(config).back();
  for (auto radius = radii.begin(); radius != radii.end(); ++radius) {
    if (*radius < width) {
      keys.reject(key, fmt::format("must be at least {}, the width of the finest volumes, but one is {}",
                                   width, *radius));
    }
    if (*radius > room) {
      keys.reject(key,
                  fmt::format("a sphere of radius {} about the domain's centre reaches beyond the domain, "
                              "whose nearest face is {} away",
                              *radius, room));
    }
    if (std::find(radii.begin(), radius, *radius) != radius)
      keys.reject(key, fmt::format("names {} twice", *radius));
  }
}

std::vector<double> sphere_integrals(const StateView& view, const std::array<double, 3>& centre,
                                     std::span<const double> radii, const PointQuery& query,
                                     std::size_t count, const SphereIntegrand& integrand) {
  const std::vector<SpherePoint>& sphere = points_of_spheres();
  std::vector<SamplePoint> points, from_centre;
  for (const double radius : radii) {
    for (const SpherePoint& point : sphere) {
      SamplePoint& offset = from_centre.emplace_back();
      SamplePoint& x = points.emplace_back(centre);
      for (std::size_t a = 0; a < 3; ++a) {
        offset[a] = radius * point.direction[a];
        x[a] += offset[a];
      }
    }
  }
  const HeldSamples samples = PointGather(view).gather_own(points, query);
  const std::vector<HeldPoint>& held = samples.points;
  std::vector<double> values(held.size() * count);
  view.team.for_chunks(held.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t n = begin; n < end; ++n)
      integrand(samples.of(n), from_centre[held[n].point], held[n].point % sphere.size(),
                values.data() + n * count);
  });
  // Leaves that share a point on their faces share its weight.
  std::vector<std::int64_t> holders(points.size(), 0);
  for (const HeldPoint& one : held) ++holders[one.point];
  view.communicator.sum(std::span<std::int64_t>(holders));
  std::vector<ExactSum> sums(radii.size() * count);
  for (std::size_t n = 0; n < held.size(); ++n) {
    ExactSum* const of_sphere = sums.data() + held[n].point / sphere.size() * count;
    const double weight =
        sphere[held[n].point % sphere.size()].weight / static_cast<double>(holders[held[n].point]);
    for (std::size_t i = 0; i < count; ++i) of_sphere[i].add(weight * values[n * count + i]);
  }
  sum_over_ranks(view.communicator, sums);
  std::vector<double> integrals;
  for (const ExactSum& sum : sums) integrals.push_back(sum.value());
  return integrals;
}

}  // namespace meander::ccz4
