// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Patches that live on a device: the work on a rank's slots other than Solver::launch(), as arrays of
// operations that kernels carry out block by block (resident_kernels.hpp). The operations are those of the
// host, and results have the same bits. All structures are trivially copyable: they are copied to the device
// as they are, and all their pointers are device pointers.

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <variant>

#include "solvers/dense_factors.hpp"
#include "solvers/device_batch.hpp"
#include "solvers/math.hpp"
#include "solvers/patch_layout.hpp"
#include "solvers/solver.hpp"
#include "solvers/status.hpp"

namespace meander::solvers {

// The address by which a kernel accesses device memory: on a GPU the pointer itself, on the emulated device
// the pointer with a constant offset.
struct DeviceAddresses {
  std::ptrdiff_t offset = 0;  // bytes

  template <class T>
  MEANDER_TERM T* operator()(T* pointer) const {
#ifdef __CUDA_ARCH__
    return pointer;
#else
    return reinterpret_cast<T*>(reinterpret_cast<std::intptr_t>(pointer) + offset);
#endif
  }
};

// One operation on a halo: sets the volumes of a box of the slot.
struct FillOp {
  enum class Kind : std::uint8_t {
    copy,            // volume i + shift of the slot `source`
    receive,         // packed values at `source`, as by pack()
    prolong,         // as prolong() from the slot `source`, with offset `shift`
    restrict_parts,  // as combine_parts() with `shift`, from parts first_part .. first_part + parts - 1
    outflow,         // the last volume of the interior
    reflecting,      // the mirrored volume, with the signs of the unknowns
    extrapolated,    // Extrapolation
    diode            // outflow or reflecting, as Diode
  };
  const double* source = nullptr;
  std::int32_t first_part = 0;
  std::int16_t parts = 0;
  std::int16_t lower[3] = {0, 0, 0}, extent[3] = {1, 1, 1}, shift[3] = {0, 0, 0};
  Kind kind = Kind::copy;
  std::uint8_t face = 0;  // boundary conditions: 2 * axis + side
  // Operations of one phase run in any order; those of a later phase may read what earlier ones wrote. Boxes of one phase
  // that overlap (those of `receive` may) set the common volumes to the same bits.
  std::uint8_t phase = 0;
};

// The share of one fine patch in a restriction.
struct FillPart {
  const double* from = nullptr;  // the slot of the fine patch, or received figures, as by restrict_part()
  std::int8_t child[3] = {0, 0, 0};
  bool received = false;
};

// The operations on one slot: ops[begin] .. ops[end - 1].
struct FillTarget {
  double* slot = nullptr;
  std::int32_t begin = 0, end = 0;
};

// Fills the halos of `count` slots.
struct FillBatch {
  int count = 0;
  const FillTarget* targets = nullptr;
  const FillOp* ops = nullptr;
  const FillPart* parts = nullptr;
  const double* signs = nullptr;  // [axis][unknown], under reflection
  PatchLayout layout;
  Prolongation prolongation = Prolongation::constant;
  DeviceAddresses at;
};

// A patch after a step of several stages, and what is kept of its rates: the source of states within the step.
struct DenseSource {
  const double* slot = nullptr;
  const double* stages = nullptr;
  const double* kept = nullptr;  // rates in the box, as by keep_rates()
  std::int16_t lower[3] = {0, 0, 0}, extent[3] = {1, 1, 1};
};
// Sets the volumes of a box: volume i to the state of volume i + shift of a source, by dense_output() and with
// constraints enforced.
struct DenseOp {
  std::int32_t source = 0;
  std::int16_t lower[3] = {0, 0, 0}, extent[3] = {1, 1, 1}, shift[3] = {0, 0, 0};
};
// Combines states in time and fills halos, which read no combined state, except those of the same slot: the
// slots of dense[0] .. dense[shared - 1] are also those of the first targets. `fills` counts the targets;
// count = fills + combined - shared.
struct DenseFillBatch : FillBatch {
  int fills = 0, combined = 0, shared = 0;
  const FillTarget* dense = nullptr;  // ranges of dense_ops
  const DenseOp* dense_ops = nullptr;
  const DenseSource* sources = nullptr;
  DenseFactors factors;
};

// Packs `count` items into a send buffer.
struct PackItem {
  const double* slot = nullptr;
  std::size_t offset = 0;  // in the send buffer
  std::int16_t lower[3] = {0, 0, 0}, extent[3] = {1, 1, 1}, shift[3] = {0, 0, 0};
  std::int8_t child[3] = {0, 0, 0};
  bool restricts = false;  // figures of restrict_part() for this child; else the volumes of the box
};
struct PackBatch {
  int count = 0;
  const PackItem* items = nullptr;
  double* buffer = nullptr;
  PatchLayout layout;
  DeviceAddresses at;
};

// One fine face that corrects a coarse one, or whose figures are sent.
struct FluxPart {
  const double* from = nullptr;  // the register of the fine face, or received figures
  std::int8_t sub_face[2] = {0, 0};
  bool received = false;
};
// One face of a coarse leaf at a resolution jump.
struct CoarseFace {
  const double* own = nullptr;  // its register
  std::int32_t first_part = 0, parts = 0;
  std::uint8_t face = 0;
};
// The faces of one coarse leaf: faces[begin] .. faces[end - 1], in ascending order.
struct RefluxTarget {
  double* slot = nullptr;
  double dx = 0;
  std::int32_t leaf = 0;  // index of its status
  std::int32_t begin = 0, end = 0;
};
// Corrects `count` coarse leaves for the step dt, then enforces floors there, and updates their status.
// steps: those of the finer leaves in dt, over which received figures are summed.
struct RefluxBatch {
  int count = 0;
  const RefluxTarget* targets = nullptr;
  const CoarseFace* faces = nullptr;
  const FluxPart* parts = nullptr;
  PatchStatus* status = nullptr;
  PatchLayout layout;
  double dt = 0;
  int steps = 1;
  DeviceAddresses at;
};
// Packs the figures of fine faces for coarse faces of other ranks.
struct FluxPackItem {
  FluxPart part;
  std::size_t offset = 0;
};
struct FluxPackBatch {
  int count = 0;
  const FluxPackItem* items = nullptr;
  double* buffer = nullptr;
  PatchLayout layout;
  DeviceAddresses at;
};

// Enforces floors, if asked to, and determines the status of `count` patches.
struct InspectBatch {
  int count = 0;
  const DevicePatch* patches = nullptr;
  PatchStatus* status = nullptr;
  PatchLayout layout;
  bool enforces = false;
  DeviceAddresses at;
};

// Merges the status of all patches.
struct ReduceBatch {
  int count = 0;
  const DevicePatch* patches = nullptr;  // in the order of `status`
  const PatchStatus* status = nullptr;
  const std::int32_t* leaf = nullptr;  // the number of each patch
  PatchLayout layout;
  Status* merged = nullptr;  // [lanes]; [0] becomes the result
  static constexpr int lanes = 256;
  DeviceAddresses at;
};

// Adds a quantity, integrated over each volume, to sums over spherical shells (simulation/diagnostics/shell_sums.hpp): integers, whose sum does not depend on
// the order.
struct ShellBatch {
  static constexpr int most_levels = 16;
  enum class Kind : std::uint8_t {
    excess,    // of `unknown` over `constant`
    radial,    // the component along the radius of the vector that begins with `unknown`; 0 at the centre
    volume,    // 1
    remainder  // `constant` times e - m^2 / (2 s): a scalar s, a vector m and a scalar e begin with `unknown`
  };
  struct Level {
    double dx = 0;         // of its volumes; 0: no such level
    double per_width = 0;  // 1 / width of a slab
    std::int32_t last_edge = 0;
    std::int32_t offset = 0;  // of its first slot in `sums`
  };
  int count = 0;
  const DevicePatch* patches = nullptr;
  std::uint64_t* sums = nullptr;  // slots of two: whole integrals, and the parts above the slot's edge
  PatchLayout layout;
  Level levels[most_levels];
  double centre[3] = {0, 0, 0};
  Kind kind = Kind::excess;
  int unknown = 0;
  double constant = 0;
  double scale = 1;  // integers a unit of the integral
  DeviceAddresses at;
};

// A number for each patch, by which a refinement criterion decides (simulation/criteria).
struct LeafMeasure {
  enum class Kind : std::uint8_t {
    largest_value,
    largest_jump,       // relative, between neighbouring volumes, as the criterion `jump`
    largest_curvature,  // the square of the estimate of the criterion `loehner`
    largest_ratio       // of the quantity over the square of another one; at least 0
  };
  Kind kind = Kind::largest_value;
  int quantity = 0;   // index into Solver::derived()
  int divisor = 0;    // likewise: largest_ratio
  double filter = 0;  // largest_curvature
};
struct MeasureBatch {
  int count = 0;
  const DevicePatch* patches = nullptr;
  double* values = nullptr;  // `count`
  PatchLayout layout;
  LeafMeasure measure;
  DeviceAddresses at;
};

// The sums of all unknowns over the interiors of `count` patches.
struct TotalsBatch {
  int count = 0;
  const DevicePatch* patches = nullptr;
  double* sums = nullptr;  // [patch][unknown]
  PatchLayout layout;
  DeviceAddresses at;
};

// Local time steps: what happens to states and figures between the launches on patches, in `count` items.
struct LevelItem {
  enum class Kind : std::uint8_t {
    keep,         // packs a box of the slot `from` to `values`, as pack()
    interpolate,  // the box of `slot`: values + theta * (now - values), where `now` is that of `from`
    keep_rates,   // packs a box of the stage block `from` to `values`
    add_fluxes,   // adds the fluxes `from` of a fine face to its sums at `values`, as FluxCorrection does
    add_status    // adds the status of patches first .. first + patches - 1
  };
  const double* from = nullptr;
  double *slot = nullptr, *values = nullptr;
  std::int32_t first = 0, patches = 0;
  std::int16_t lower[3] = {0, 0, 0}, extent[3] = {1, 1, 1};
  std::int8_t sub_face[2] = {0, 0};
  std::uint8_t level = 0;
  Kind kind = Kind::keep;
};
struct LevelBatch {
  static constexpr int most_ranges = 3;
  struct Range {
    std::int32_t begin = 0, count = 0;
  };
  int count = 0;
  const LevelItem* items = nullptr;
  Range ranges[most_ranges];  // of items, `count` in all
  PatchLayout layout;
  double theta = 0;                           // of interpolations
  std::int16_t substep[Status::most_levels];  // by level, within the step of the next coarser one
  const PatchStatus* status = nullptr;        // of the last update of each patch
  PatchStatus* sums = nullptr;                // over all updates of a step of the coarsest level
  bool begins = false;                        // no update came before
  DeviceAddresses at;
};

// The batches whose kernels depend on the equation (Solver::launch_resident()), and the others
// (launch_general()).
using ResidentBatch = std::variant<FillBatch, DenseFillBatch, RefluxBatch, InspectBatch, MeasureBatch>;
struct ResidentWork {
  ResidentBatch batch;
};
using GeneralBatch = std::variant<PackBatch, FluxPackBatch, ReduceBatch, ShellBatch, TotalsBatch, LevelBatch>;

// Submits kernels of no equation to the device of the queue `execution`. Returns after they are submitted
// (emulated device: completed). Throws DeviceError.
void launch_general(const gpu::Execution& execution, const GeneralBatch& batch);

static_assert(std::is_trivially_copyable_v<FillOp> && std::is_trivially_copyable_v<FillPart> &&
              std::is_trivially_copyable_v<FillTarget> && std::is_trivially_copyable_v<PackItem> &&
              std::is_trivially_copyable_v<FluxPart> && std::is_trivially_copyable_v<CoarseFace> &&
              std::is_trivially_copyable_v<RefluxTarget> && std::is_trivially_copyable_v<FluxPackItem> &&
              std::is_trivially_copyable_v<LevelItem> && std::is_trivially_copyable_v<DenseSource> &&
              std::is_trivially_copyable_v<DenseOp> && std::is_trivially_copyable_v<Status>);

}  // namespace meander::solvers
