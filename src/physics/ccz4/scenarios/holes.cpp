// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/ccz4/scenarios/holes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/join.hpp"
#include "simulation/scenario_tools/checks.hpp"

namespace meander::ccz4 {
namespace {

constexpr double mirror_tolerance = 1e-12;  // of the domain's edge, of masses and of the longest vector

double separation(const double (&a)[3], const double (&b)[3]) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

// Momentum is a vector; spin is a pseudovector, which keeps its component normal to the mirror.
exact::Hole reflected(exact::Hole hole, const simulation::Mirrors& mirrors, std::size_t axis) {
  hole.position[axis] = 2 * mirrors.plane(axis) - hole.position[axis];
  for (std::size_t a = 0; a < 3; ++a) (a == axis ? hole.momentum : hole.spin)[a] *= -1;
  return hole;
}

std::string text(const double (&vector)[3]) {
  std::vector<double> numbers;
  for (const double one : vector) numbers.push_back(one == 0 ? 0 : one);  // without -0
  return join(numbers, ", ");
}

}  // namespace

void check_symmetry(const io::KeyTable& fields, const simulation::ProblemSetup& setup,
                    std::span<const exact::Hole> holes, const char* position,
                    std::span<const char* const> suffix) {
  const simulation::Mirrors mirrors(setup);
  const double edge = simulation::shortest_edge(setup);
  double momentum = 0, spin = 0;
  for (const exact::Hole& hole : holes) {
    momentum = std::max(momentum, std::sqrt(exact::square(hole.momentum)));
    spin = std::max(spin, std::sqrt(exact::square(hole.spin)));
  }
  for (std::size_t a = 0; a < 3; ++a) {
    if (!mirrors.has(a)) continue;
    for (std::size_t h = 0; h < holes.size(); ++h) {
      const exact::Hole image = reflected(holes[h], mirrors, a);
      const auto reject = [&](const std::string& key, const std::string& must) {
        fields.reject(key + suffix[h], simulation::breaks_symmetry(mirrors, a, must));
      };
      const auto found = std::ranges::find_if(holes, [&](const exact::Hole& other) {
        return separation(other.position, image.position) <= mirror_tolerance * edge;
      });
      if (found == holes.end())
        reject(position, fmt::format("a hole must be at the mirror image ({})", text(image.position)));
      const std::string other = found == holes.begin() + static_cast<std::ptrdiff_t>(h)
                                    ? ", the hole being on the plane"
                                    : fmt::format(", by the hole of {}{}", position,
                                                  suffix[static_cast<std::size_t>(found - holes.begin())]);
      if (std::abs(found->mass - image.mass) > mirror_tolerance * image.mass)
        reject("mass", fmt::format("it must be {}{}", found->mass, other));
      exact::Hole of_other = reflected(*found, mirrors, a);
      if (found == holes.begin() + static_cast<std::ptrdiff_t>(h)) {
        // Half of the vector and of its image: what of it has the symmetry.
        for (std::size_t b = 0; b < 3; ++b) (b == a ? of_other.momentum : of_other.spin)[b] = 0;
      }
      if (separation(of_other.momentum, holes[h].momentum) > mirror_tolerance * momentum)
        reject("momentum", fmt::format("it must be ({}){}", text(of_other.momentum), other));
      if (separation(of_other.spin, holes[h].spin) > mirror_tolerance * spin)
        reject("spin", fmt::format("it must be ({}){}", text(of_other.spin), other));
    }
  }
}

}  // namespace meander::ccz4
