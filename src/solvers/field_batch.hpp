// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Work of fields that follow from the state, on patches in the memory of a device, as kernels. All structures are trivially
// copyable, and all their pointers are device pointers.

#include <cstdint>
#include <type_traits>
#include <variant>

#include "solvers/poisson_batch.hpp"

namespace meander::solvers {

// Work between a potential and the matter that it is of: a block a leaf. The unknowns begin with a scalar s, the source, its
// momentum m and a total energy e; the carried rows are the potential and its rate. The potential is in slots of a multigrid method
// (poisson_batch.hpp).
struct PotentialLeaf {
  double* q = nullptr;             // slot of the mesh
  double* u = nullptr;             // slot of the potential
  double* acceleration = nullptr;  // [axis][volume], before a mean is subtracted
  double* work = nullptr;          // [volume], of the first half of a step
  double* given = nullptr;         // [axis], momentum in this step of the coarsest level
  double h = 0;                    // width of a volume
  poisson::Faces open = 0;         // faces of the domain with values of the potential
  std::uint8_t level = 0;          // of the tree
};
// A box of a leaf in another slot.
struct PotentialCopy {
  double* q = nullptr;
  std::int32_t leaf = 0;
  std::int16_t lower[3] = {0, 0, 0}, extent[3] = {1, 1, 1};
};

// Sums over the volumes of a leaf, and maxima, are of this number of lanes, then over these: lane l has the volumes l, l + lanes ...
// of each plane across the last axis (2D: of the patch), one plane after another.
inline constexpr int potential_lanes = 16;

// Numbers of `differentiate`: sums over the volumes of a leaf, what was given to it, and the largest residual and square of the
// acceleration.
template <int D>
struct PotentialNumbers {
  enum : int {
    force = 0,
    mass = D,
    energy,  // of the potential times source and residual
    work,    // of both halves of a step
    shares,  // see PotentialBatch::factor_of_shares
    face_flow,
    face_energy,
    face_potential,
    face_area,
    momentum,
    sums = momentum + D,
    given = sums,
    residual = given + D,
    square,
    count
  };
};

// Work on the leaves of a rank, on a device or on the host.
struct PotentialWork {
  enum class Kind : std::uint8_t {
    sources,        // sum, largest, and largest of the negative of s
    start,          // right-hand side, and the potential that a solution starts from
    moments,        // of the right-hand side: its sums with numbers of unit sources in each volume
    differentiate,  // acceleration, and PotentialNumbers
    kick,           // momentum and energy
    kick_copies,    // the same of copies, without more
    keep            // the carried rows become those of the potential
  };
  Kind kind = Kind::sources;
  int first = 0;  // leaves of coarser levels of the tree are left as they are
  // By level of the tree. start: how much later than the potential that is known; differentiate: the length of the step that
  // ends, or 0; kick: its time.
  double times[Status::most_levels] = {};
  // The right-hand side is factor * (s - mean_source).
  double factor = 0, mean_source = 0;
  // start: the right-hand side of levels from first_source on; the potential that is known is the carried one, or `continues`
  // the present one, or it is zero. clears: carried rows become zero before.
  int first_source = 0;
  bool continues = false, is_zero = false, clears = false;
  double strength = 1;  // differentiate: of the acceleration, over the gradient
  bool conserves_energy = false;
  // kick: by the acceleration less `mean`; or, by_shift, less what changes velocity by `mean` in that time. begins: its work is kept;
  // ends: its work is corrected by factor_of_shares of the work of both halves or of the thermal energy, whichever is less; else
  // added to what is kept. gives: counts momentum, from zero if it begins.
  double mean[3] = {0, 0, 0}, factor_of_shares = 0;
  bool by_shift = false, begins = false, ends = false, gives = false;
  double dt = 0;  // keep: over which the rate is, or 0 to leave it as it is

  void set_times(double time) {
    for (double& one : times) one = time;
  }
  // The part of the acceleration along an axis that is subtracted.
  MEANDER_TERM double mean_along(int axis, double time) const {
    return by_shift ? 2 * mean[axis] / (2 * time) : mean[axis];
  }
};

struct PotentialBatch : PotentialWork {
  int count = 0;
  const PotentialLeaf* leaves = nullptr;
  const PotentialCopy* copies = nullptr;
  double* numbers = nullptr;  // [leaf][number]
  double* lanes = nullptr;    // [leaf][number][lane]
  PatchLayout layout;         // of the mesh
  PatchLayout of_potential;
  const double* of_volume = nullptr;  // [volume][moment]
  int moments = 0;
  DeviceAddresses at;
};

// Moves carried rows (PatchLayout) as a FillBatch moves unknowns: copies, restrictions, and linear prolongations. A copy with halos
// sets one layer of them by linear continuation.
struct CarriedBatch : FillBatch {};

using FieldBatch = std::variant<poisson::CellBatch, poisson::FamilyBatch, poisson::PartBatch,
                                poisson::CopyBatch, PotentialBatch, CarriedBatch>;

// Submits the kernel to the device of the queue `execution`. Returns after it is submitted (emulated device: completed). Throws
// DeviceError.
void launch_field(const gpu::Execution& execution, const FieldBatch& batch);

static_assert(std::is_trivially_copyable_v<PotentialLeaf> && std::is_trivially_copyable_v<PotentialBatch>);

}  // namespace meander::solvers
