// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/criteria/initial_jumps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/join.hpp"

namespace meander::simulation {
namespace {

struct Extent {
  double least = std::numeric_limits<double>::infinity(), most = -least, jump = 0;

  void add(const Extent& other) {
    least = std::min(least, other.least);
    most = std::max(most, other.most);
    jump = std::max(jump, other.jump);
  }
};

// Whether the lower neighbours along `axis` of the patch's first volumes lie in the domain.
bool has_lower_neighbour(const solvers::PatchTask& patch, int axis, const DomainConfig& domain) {
  const auto a = static_cast<std::size_t>(axis);
  return domain.boundary[2 * axis] == &mesh::boundary::periodic ||
         patch.lower[axis] > domain.lower[a] + 0.5 * patch.dx;
}

Extent extent_of(int unknown, const solvers::PatchTask& patch, const solvers::PatchLayout& layout,
                 const DomainConfig& domain) {
  Extent extent;
  int first[3] = {0, 0, 0};  // along each axis, the first volume with a lower neighbour
  for (int a = 0; a < layout.dim; ++a) first[a] = has_lower_neighbour(patch, a, domain) ? 0 : 1;
  for (int k = 0; k < (layout.dim == 3 ? layout.p : 1); ++k) {
    for (int j = 0; j < layout.p; ++j) {
      for (int i = 0; i < layout.p; ++i) {
        const double* const q = patch.q + layout.at(unknown, i, j, k);
        const int at[3] = {i, j, k};
        extent.least = std::min(extent.least, *q);
        extent.most = std::max(extent.most, *q);
        for (int a = 0; a < layout.dim; ++a) {
          if (at[a] >= first[a]) extent.jump = std::max(extent.jump, std::abs(*q - q[-layout.stride(a)]));
        }
      }
    }
  }
  return extent;
}

}  // namespace

std::vector<std::string> jumping_unknowns(const StateView& state, const Config& config) {
  const auto unknowns = static_cast<std::size_t>(state.layout.unknowns);
  std::vector<Extent> extents(unknowns);
  for (const solvers::PatchTask& patch : state.patches) {
    for (std::size_t u = 0; u < unknowns; ++u)
      extents[u].add(extent_of(static_cast<int>(u), patch, state.layout, config.domain));
  }
  std::vector<double> all;
  for (const Extent& extent : extents) all.insert(all.end(), {-extent.least, extent.most, extent.jump});
  state.communicator.max(std::span<double>(all));
  std::vector<double> sizes;
  for (std::size_t u = 0; u < unknowns; ++u)
    sizes.push_back(std::max(std::abs(all[3 * u]), std::abs(all[3 * u + 1])));
  const double largest = std::ranges::max(sizes);
  std::vector<std::string> names;
  for (std::size_t u = 0; u < unknowns; ++u) {
    const double range = all[3 * u + 1] + all[3 * u], jump = all[3 * u + 2];
    if (sizes[u] > negligible * largest && jump > least_jump_of_range * range &&
        jump > least_jump_of_value * sizes[u])
      names.push_back(config.solver->traits().unknown_names[u]);
  }
  return names;
}

std::string unrefined_jumps_warning(const std::vector<std::string>& unknowns, int level) {
  return fmt::format(
      "the initial data jump ({}), but the criteria [[refinement]] refine none of them: the mesh has level "
      "{} only. A criterion "
      "sees its own variable; add one for a variable that jumps, or a box",
      join(unknowns, ", "), level);
}

}  // namespace meander::simulation
