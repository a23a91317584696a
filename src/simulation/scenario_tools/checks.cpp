// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/scenario_tools/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/join.hpp"

namespace meander::simulation {

namespace {

std::size_t dimensions(const ProblemSetup& setup) {
  return static_cast<std::size_t>(setup.dim);
}

void check_length(const io::KeyTable& keys, std::string_view key, const std::vector<double>& given,
                  const ProblemSetup& setup) {
  if (!given.empty() && given.size() != dimensions(setup))
    keys.reject(key,
                fmt::format("must have {} numbers in {}D, but has {}", setup.dim, setup.dim, given.size()));
}

}  // namespace

std::array<double, 3> checked_vector(const io::KeyTable& keys, std::string_view key,
                                     const std::vector<double>& given, const ProblemSetup& setup) {
  check_length(keys, key, given, setup);
  std::array<double, 3> vector{};
  std::copy(given.begin(), given.end(), vector.begin());
  return vector;
}

std::array<double, 3> checked_centre(const io::KeyTable& keys, std::string_view key,
                                     const std::vector<double>& given, const ProblemSetup& setup) {
  check_length(keys, key, given, setup);
  std::array<double, 3> centre{};
  const Mirrors whole(setup);
  for (std::size_t d = 0; d < dimensions(setup); ++d) {
    const double lower = whole.lower()[d], upper = whole.upper()[d];
    centre[d] = !given.empty() ? given[d] : whole.has(d) ? whole.plane(d) : 0.5 * (lower + upper);
    if (!(centre[d] > lower && centre[d] < upper))
      keys.reject(key, fmt::format("{} lies outside the domain: axis {} runs from {} to {}", centre[d],
                                   "xyz"[d], lower, upper));
  }
  return centre;
}

void check_on_planes(const io::KeyTable& keys, std::string_view key, const std::array<double, 3>& centre,
                     const ProblemSetup& setup) {
  const Mirrors mirrors(setup);
  const double rounding = 1e-12 * shortest_edge(setup);
  for (std::size_t d = 0; d < dimensions(setup); ++d) {
    if (mirrors.has(d) && !(std::abs(centre[d] - mirrors.plane(d)) <= rounding))
      keys.reject(key,
                  breaks_symmetry(mirrors, d,
                                  fmt::format("{{}} must be {}, but is {}", mirrors.plane(d), centre[d])));
  }
}

std::string breaks_symmetry(const Mirrors& mirrors, std::size_t axis, std::string_view must) {
  const char name = "xyz"[axis];
  return fmt::format("breaks the symmetry about {0} = {1} (boundary.{0}-{2}): {3}", name, mirrors.plane(axis),
                     mirrors.at_side(axis, 0) ? "lower" : "upper", fmt::format(fmt::runtime(must), name));
}

double distance_to_faces(const std::array<double, 3>& centre, const ProblemSetup& setup) {
  const Mirrors whole(setup);
  double distance = std::numeric_limits<double>::infinity();
  for (std::size_t d = 0; d < dimensions(setup); ++d)
    distance = std::min({distance, centre[d] - whole.lower()[d], whole.upper()[d] - centre[d]});
  return distance;
}

void check_ball_inside(const io::KeyTable& keys, std::string_view key, const std::array<double, 3>& centre,
                       double radius, const ProblemSetup& setup) {
  const double room = distance_to_faces(centre, setup);
  if (radius > room)
    keys.reject(key, fmt::format("{} reaches beyond the domain: its nearest face is {} away from the centre",
                                 radius, room));
}

void check_off_volume_centres(const io::KeyTable& keys, std::string_view key,
                              const std::array<double, 3>& point, const std::vector<double>& lower,
                              const std::vector<double>& widths) {
  constexpr double whole_tolerance = 1e-9;  // of a volume
  for (const double width : widths) {
    std::size_t hits = 0;
    for (std::size_t a = 0; a < lower.size(); ++a) {
      const double volumes = (point[a] - lower[a]) / width - 0.5;
      hits += std::abs(volumes - std::round(volumes)) < whole_tolerance;
    }
    if (hits < lower.size()) continue;
    const auto shifted = [&](double by) {
      std::vector<double> at(point.begin(), point.begin() + static_cast<std::ptrdiff_t>(lower.size()));
      at[0] += by;
      return join(at, ", ", 9);
    };
    keys.reject(key, fmt::format("({}) is the centre of a volume of width {:.9g}, where the data are not "
                                 "finite; ({}) and ({}) are not, nor "
                                 "is the middle of a domain with an even number of volumes (mesh.patch-size)",
                                 shifted(0), width, shifted(-widths.back() / 2), shifted(widths.back() / 2)));
  }
}

double shortest_edge(const ProblemSetup& setup) {
  const Mirrors whole(setup);
  double edge = std::numeric_limits<double>::infinity();
  for (std::size_t d = 0; d < dimensions(setup); ++d)
    edge = std::min(edge, whole.upper()[d] - whole.lower()[d]);
  return edge;
}

double domain_volume(const ProblemSetup& setup) {
  const Mirrors whole(setup);
  double volume = 1;
  for (std::size_t d = 0; d < dimensions(setup); ++d) volume *= whole.upper()[d] - whole.lower()[d];
  return volume;
}

}  // namespace meander::simulation
