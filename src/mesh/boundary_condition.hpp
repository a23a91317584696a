// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What lies beyond the domain. Conditions are objects, known by their addresses: those of this file serve any
// equation, and a module may bring its own (simulation/module.hpp).

#include <functional>
#include <vector>

#include "base/vec.hpp"
#include "solvers/patch_layout.hpp"

namespace meander::mesh {

// A box of halo volumes of one patch beyond one face, and the volumes on the patch's side of that face.
struct BoundaryBox {
  const solvers::PatchLayout& layout;
  double* q = nullptr;  // the slot
  int axis = 0, side = 0;
  int lower[3] = {0, 0, 0}, extent[3] = {1, 1, 1};  // in volumes, interior indices from 0
  const double* signs = nullptr;                    // of the unknowns under reflection along the axis
};

struct BoundaryCondition {
  enum class Source { neighbours, given, state };
  const char* name;     // in [boundary] of the input file
  const char* meaning;  // "is a wall"
  // Where values come from: the other end of the domain; the scenario; or the state, by fill().
  Source source = Source::state;
  // Fills the box from the volumes that lie at the same place along the other axes. Null unless `state`.
  void (*fill)(const BoundaryBox& box) = nullptr;
  // Waves leave: the scheme replaces the rates of the volumes at the face (solvers::Traits::radiates). Where
  // it exists, in words: "solver.scheme = ...".
  bool radiative = false;
  const char* needs = "";

  bool is_periodic() const { return source == Source::neighbours; }
};

namespace boundary {
extern const BoundaryCondition periodic, outflow, reflecting, given;
}
// These, in the order that users see.
std::vector<const BoundaryCondition*> general_boundary_conditions();

// A fill() for conditions of other rooms: a polynomial, cubic where the patch is wide enough.
void extrapolate(const BoundaryBox& box);

template <int D>
using Boundaries = Vec<const BoundaryCondition*, 2 * D>;  // face = 2 * axis + side

// Writes the unknowns beyond a boundary of condition boundary::given: point x (D numbers), volume width dx,
// time t, N unknowns out.
using GivenBoundary = std::function<void(const double* x, double dx, double t, double* q)>;

}  // namespace meander::mesh
