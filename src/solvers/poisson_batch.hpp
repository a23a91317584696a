// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The operations of solvers/poisson.hpp on the cells of one level whose patches live on a device, as kernels with a block a
// cell, a refined cell or an item. The bits are those of the host. All structures are trivially copyable, and all their pointers
// are device pointers. All layouts have one unknown and h = 1.

#include <cstdint>
#include <type_traits>

#include "solvers/poisson.hpp"
#include "solvers/resident.hpp"

namespace meander::solvers::poisson {

// A set of faces: bit 2 * axis + side.
using Faces = std::uint8_t;

// The halo volumes beyond several faces, or one, of the domain, set from the layer inwards of `face`.
struct DeviceGhosts {
  std::int16_t lower[3] = {0, 0, 0}, extent[3] = {1, 1, 1};
  std::int32_t values = -1;  // number of the first value on the face; -1: a mirror
  std::uint8_t face = 0;
};

struct DeviceCell {
  double* slot = nullptr;
  const double* coarse = nullptr;     // slot of the parent, or a copy
  const double* beside[6] = {};       // slots beyond faces, or null
  std::int32_t faces = 0, edges = 0;  // ghosts beyond one face, then beyond several
  std::int32_t first = 0;             // number of the first ghosts
  std::int8_t child[3] = {0, 0, 0};   // position in the parent
  std::uint8_t parity = 0;            // of the sum of the indices of the first volume
  Faces coarser = 0, refined = 0, leaf = 0, outside = 0, values = 0;
  bool is_refined = false;
};

// Work on every cell of a level.
struct CellBatch {
  enum class Kind : std::uint8_t {
    clear,            // all numbers of the slot
    fill,             // halos across faces, but for those that copies or messages set
    fill_edges,       // halos beyond several faces of the domain
    relax,            // volumes of one colour, with these halos before
    interpolate,      // u_c beside coarser leaves, to planes of the right-hand side
    keep_source,      // of leaves beside refined cells
    begin_rhs,        // of these: the source without the mismatch in planes of the right-hand side
    keep_potential,   // of refined cells
    find_correction,  // of these: the potential less the one that was kept
    prolong,          // adds the correction of the parent
    residual,         // h^2 times it, to `buffer`: [cell][volume]
    add,              // `buffer` to the potential
    add_mismatch  // planes of the right-hand side times h^2 to those of the potential, beside refined cells
  };
  int count = 0;
  const DeviceCell* cells = nullptr;
  const DeviceGhosts* ghosts = nullptr;
  const double* values = nullptr;  // on faces of the domain
  double* buffer = nullptr;
  PatchLayout layout;
  Kind kind = Kind::fill;
  bool only_refined = false;  // fill, relax
  int half = 0;               // relax: number of the half sweep
  double h = 0, omega = 1;
  DeviceAddresses at;
};

// The numbers of a restriction: potential, residual, or gradient through a face.
enum class Restricted : std::uint8_t { potential, residual, fluxes };

// A refined cell, to which its children give parts: parts[first] .. parts[first + 3^D - 1], in curve order. A received part
// holds what RestrictionParts writes.
struct DeviceFamily {
  double* slot = nullptr;
  std::int32_t first = 0;
  Faces leaf = 0;  // faces beyond which a leaf takes the mean fine gradient
};
struct FamilyBatch {
  int count = 0;
  const DeviceFamily* families = nullptr;
  const FillPart* parts = nullptr;
  PatchLayout layout;
  Restricted what = Restricted::potential;
  double h = 0, coarse_h = 0;
  DeviceAddresses at;
};
// The part of a child, for a parent on another rank.
struct PartItem {
  const double* slot = nullptr;
  std::size_t offset = 0;
  std::int8_t child[3] = {0, 0, 0};
  Faces leaf = 0;  // of the parent
};
struct PartBatch {
  int count = 0;
  const PartItem* items = nullptr;
  double* buffer = nullptr;
  PatchLayout layout;
  Restricted what = Restricted::potential;
  double h = 0;
  DeviceAddresses at;
};

// A box of an unknown: of one slot to another (volume i from i + shift), to a buffer, or from there.
struct CopyItem {
  enum class Kind : std::uint8_t { copy, pack, unpack };
  const double* from = nullptr;
  double* to = nullptr;
  std::int16_t lower[3] = {0, 0, 0}, extent[3] = {1, 1, 1}, shift[3] = {0, 0, 0};
  Kind kind = Kind::copy;
};
struct CopyBatch {
  int count = 0;
  const CopyItem* items = nullptr;
  PatchLayout layout;
  int unknown = 0;
  DeviceAddresses at;
};

// The unknowns of a slot. Of a leaf the halo planes of the right-hand side hold u_c beside coarser leaves and the mismatch
// beside finer ones, where the layer inside has it subtracted; of a refined cell, the mean gradients of its children beside
// leaves, then the mismatch. The source is kept by leaves beside refined cells only.
enum Unknown : int {
  potential_row,
  rhs_row,
  source_row,
  before_row = source_row  // of refined cells, then the correction
};
inline constexpr int unknowns = 3;

static_assert(std::is_trivially_copyable_v<DeviceCell> && std::is_trivially_copyable_v<DeviceFamily> &&
              std::is_trivially_copyable_v<PartItem> && std::is_trivially_copyable_v<CopyItem> &&
              std::is_trivially_copyable_v<DeviceGhosts>);

}  // namespace meander::solvers::poisson
