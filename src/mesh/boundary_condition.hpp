// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Boundary conditions. A condition is an object identified by its address. The conditions of this file serve
// any equation; a module may define others (simulation/module.hpp).

#include <functional>
#include <span>
#include <vector>

#include "base/vec.hpp"
#include "solvers/boxes.hpp"
#include "solvers/patch_layout.hpp"
#include "solvers/solver.hpp"

namespace meander::mesh {

// A box of halo volumes beyond one face of a patch. The values follow from volumes on the patch's side of
// that face.
struct BoundaryBox {
  const solvers::PatchLayout& layout;
  double* q = nullptr;  // the slot
  int axis = 0, side = 0;
  int lower[3] = {0, 0, 0}, extent[3] = {1, 1, 1};  // in volumes, interior indices from 0
  const double* signs = nullptr;                    // of the unknowns under reflection along the axis
};

struct BoundaryCondition {
  enum class Source { neighbours, given, state };
  // The form of fill() in the kernels of devices (solvers::FillOp). `none`: patches with this condition
  // cannot live on a device.
  enum class OnDevice { none, outflow, reflecting, extrapolated, diode };
  const char* name;     // in [boundary] of the input file
  const char* meaning;  // "is a wall"
  // Source of the values: the opposite end of the domain, a function (GivenBoundary), or the state (by fill()).
  Source source = Source::state;
  // Fills the box from volumes with the same indices along the other axes. Null unless the source is `state`.
  void (*fill)(const BoundaryBox& box) = nullptr;
  OnDevice on_device = OnDevice::none;
  bool takes_state = false;  // the values are formulas of the input, a table in [boundary]
  // Waves leave the domain: the scheme replaces the rates of the volumes at the face
  // (solvers::Traits::radiates).
  bool radiative = false;
  const char* needs = "";  // the schemes that have it, for messages: "solver.scheme = ..."
  bool reflects = false;   // the values are the mirror image of those inside
  // A plane of symmetry: diagnostics are of the domain and its mirror image (simulation/mirrors.hpp). It reflects.
  bool is_symmetry = false;

  bool is_periodic() const { return source == Source::neighbours; }
};

namespace boundary {
extern const BoundaryCondition periodic, outflow, reflecting, symmetric, diode, given, inflow;
}
// The conditions above, in the order of the documentation.
std::vector<const BoundaryCondition*> general_boundary_conditions();

// A fill() for conditions of other rooms: polynomial extrapolation, cubic where the patch is wide enough.
void extrapolate(const BoundaryBox& box);

template <int D>
using Boundaries = Vec<const BoundaryCondition*, 2 * D>;  // face = 2 * axis + side

// Values beyond a face = 2 * axis + side whose condition has the source `given`. Input: point x (D numbers), volume width
// dx, time t. Output: N unknowns q.
using GivenBoundary = std::function<void(int face, const double* x, double dx, double t, double* q)>;

// Fills halos beyond the domain.
template <int D>
class BoundaryFill {
 public:
  // Requires `given` if a boundary has the source `given`.
  BoundaryFill(const solvers::Solver& solver, const solvers::PatchLayout& layout,
               const Boundaries<D>& boundaries, GivenBoundary given);

  const BoundaryCondition& condition(int face) const { return *boundaries_[static_cast<std::size_t>(face)]; }

  // Fills a box of halo volumes beyond `face` = 2 * axis + side of the patch. The values follow from up to
  // four volumes along `axis` on the patch's side of the face, with the same indices along the other axes: of
  // the interior, or of a copy of a neighbour where the box extends into halos along other axes.
  void fill(const solvers::PatchTask& patch, const solvers::Box<D>& box, int face, double t) const;
  // The values beyond a face with the source `given`, packed as by solvers::pack(). Reads no slot.
  void pack_given(const solvers::PatchTask& patch, const solvers::Box<D>& box, int face, double t,
                  double* packed) const;
  // The sign of each unknown under reflection along the axis.
  std::span<const double> signs(int axis) const { return reflection_[axis]; }

 private:
  void fill_given(const solvers::PatchTask& patch, const solvers::Box<D>& box, int face, double t) const;

  solvers::PatchLayout layout_;
  Boundaries<D> boundaries_;
  GivenBoundary given_;
  std::vector<double> reflection_[D];  // the sign of each unknown under reflection along the axis
};

}  // namespace meander::mesh
