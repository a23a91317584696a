// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The domain of an input as meshes have it.

#include <cstddef>

#include "mesh/domain.hpp"
#include "simulation/config/config.hpp"

namespace meander::simulation {

// D: config.domain.dimensions.
template <int D>
mesh::Domain<D> domain_of(const Config& config) {
  mesh::Domain<D> domain;
  domain.base_level = config.base_level();
  for (int a = 0; a < D; ++a) {
    const auto axis = static_cast<std::size_t>(a);
    domain.base_cells[axis] = config.domain.cells[axis];
    domain.lower[axis] = config.domain.lower[axis];
    domain.periodic[axis] = config.domain.boundary[2 * a]->is_periodic();
  }
  domain.base_width = (config.domain.upper[0] - config.domain.lower[0]) / config.domain.cells[0];
  return domain;
}

}  // namespace meander::simulation
