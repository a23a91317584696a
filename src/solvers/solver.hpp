// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Solver: the interface between the mesh and an equation with its scheme. One virtual call takes a batch of
// patches; no virtual call is made per volume. Implementations are stateless apart from their parameters, so
// calls may come from several threads at once.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "solvers/patch_layout.hpp"

namespace meander::gpu {
class Execution;
}

namespace meander::solvers {

struct DeviceBatch;   // device_batch.hpp
struct ResidentWork;  // resident.hpp

// The halo regions that a scheme reads: across faces only; also one layer across edges (2D: corners), the volumes
// next to both faces; or all.
enum class HaloShape : std::uint8_t { faces, edges, full };

// Interpolation into a finer halo or a new finer leaf. `centred` uses stencils with the same number of nodes
// on either side. It is for unknowns that are values at the centres of volumes, as in finite differences, not
// means over volumes; restriction of such unknowns takes the middle fine volume.
enum class Prolongation : std::uint8_t { constant, limited_linear, centred };

// Largest number of unknowns a volume: the length of buffers for the state of one volume. An equation with
// more is refused when it is registered.
inline constexpr int most_unknowns = 96;

struct Traits {
  std::string name;  // equation and scheme: "advection rusanov"
  int dim = 3;
  int unknowns = 0;
  // Values of a volume, halo included, that update() reads: a function of its place, set by Equation::set_fields().
  int fields = 0;
  int halo = 1;  // h
  HaloShape halo_shape = HaloShape::faces;
  Prolongation prolongation = Prolongation::constant;
  int stages = 1;  // calls of update() in a step; a halo exchange follows each
  // Extra blocks of p^d x unknowns in a slot (RK4: 2). Not read in the first stage; not used after the last.
  int stage_blocks = 0;
  bool conservative = true;  // face fluxes exist; refluxed at resolution jumps
  std::vector<std::string> unknown_names;
  // Of further numbers of a volume that are part of the state, smooth, and of no use to update(): regrids and checkpoints
  // carry them.
  std::vector<std::string> carried_names = {};
  // Of numbers of a volume that are not part of the state but known between steps, for output.
  std::vector<std::string> beside_names = {};
  bool radiates = false;  // supports PatchTask::radiative faces

  // Fraction of a step that has passed after a stage: the time of the halos that follow it. Four stages are
  // those of the classical Runge-Kutta method.
  double time_after(int stage) const { return stages == 4 && stage < 2 ? 0.5 : 1.0; }
  // All names of the state, in the order of PatchLayout::saved_row().
  std::vector<std::string> saved_names() const {
    std::vector<std::string> names = unknown_names;
    names.insert(names.end(), carried_names.begin(), carried_names.end());
    return names;
  }
  bool point_values() const { return prolongation == Prolongation::centred; }
  PatchLayout layout(int patch_size) const {
    PatchLayout result(dim, patch_size, halo, unknowns, fields, static_cast<int>(carried_names.size()));
    result.point_values = point_values();
    return result;
  }
};

// One patch of a batch. Lengths are in the units of the domain.
struct PatchTask {
  double* q = nullptr;  // the slot: interior and halo of all unknowns (PatchLayout)
  // The slot that is probably updated after this one, to be prefetched; null: that of the next patch of the batch.
  const double* next = nullptr;
  double* stages = nullptr;     // stage blocks, or null
  double lower[3] = {0, 0, 0};  // lower corner of the interior
  double dx = 0;                // width of a volume
  // Buffers for the fluxes through the patch's faces, face = 2 * axis + side; null: not recorded.
  // Layout: [unknown][tangential index, lower axis fastest]. Positive along the axis. The values are bitwise
  // those that the update applied in this step.
  double* flux[6] = {nullptr, nullptr, nullptr, nullptr, nullptr, nullptr};
  // Bit 2 * axis + side: the face is radiative, that is, waves leave the domain through it. Its halo is an
  // extrapolation.
  std::uint8_t radiative = 0;
};

inline constexpr int most_bounds = 4;

// A volume beyond one of Solver::bounds() after an update, before it was corrected.
struct Breach {
  int bound = -1;   // index of the bound; -1: none
  int volume = -1;  // index in the patch, x fastest
  double value = 0;
};

// Status of a patch after an update or an inspection. Patches are merged by max and sum, which are exact:
// results do not depend on the partition.
struct PatchStatus {
  double max_rate = 0;           // max over volumes of the sum over axes of max_eigenvalue; a velocity
  std::int64_t first_order = 0;  // volumes where the scheme fell back to first order
  std::int64_t floored = 0;      // volumes raised to a floor
  std::int64_t strayed = 0;      // volumes beyond a bound that is not a floor
  Breach breach;                 // the first volume beyond the last of the breached bounds
  bool admissible = true;        // false: some interior volume is NaN or inadmissible
};

// A named quantity computed from the unknowns of one volume, for output, refinement and diagnostics.
struct Derived {
  std::string name;  // "velocity_x", "pressure"
  std::string unit;
  double (*value)(const void* parameters, const double* unknowns);  // unknowns: one volume, contiguous
};

// A named quantity of every volume of a patch that also depends on neighbouring volumes (a constraint, a
// derivative), for plot files.
struct PatchQuantity {
  std::string name;
  std::string unit;
  // Writes p^d values, x fastest. Reads the halo across faces, which must be full. `parameters`: the
  // solver's.
  void (*values)(const void* parameters, const PatchTask& task, const PatchLayout& layout,
                 std::span<double> values);
};

// A bound that valid states satisfy. States beyond it are corrected where possible; a run warns of the first
// breach of each bound.
struct Bound {
  std::string quantity;  // "lapse"
  std::string meaning;   // message: "is below its floor 0.0001, and was lifted to it"
};

// The kernels that Solver::launch() submits to a GPU for a batch.
struct LaunchKernels {
  int count = 1;
  bool stage_new_interior = false;  // need DevicePatch::next as scratch memory where they update in place
};

class Solver {
 public:
  virtual ~Solver() = default;
  virtual const Traits& traits() const = 0;

  // Advances every patch by dt (stage `stage` of traits().stages), in place. Halos must be full on entry. On
  // return the interior holds the new state and the halo is stale. status[i] describes the new interior of
  // tasks[i].
  // Thread-safe. Allocates nothing.
  virtual void update(std::span<const PatchTask> tasks, const PatchLayout& layout, int stage, double t,
                      double dt, std::span<PatchStatus> status) const = 0;

  // Status of an existing state (initial data, after a flux correction). Reads the interior only.
  virtual PatchStatus inspect(const PatchTask& task, const PatchLayout& layout) const = 0;

  // Raises to the solver's floors interior volumes that fell below them outside update(), by a flux
  // correction or prolongation, and inspects. Without floors: inspect().
  virtual PatchStatus enforce_floors(const PatchTask& task, const PatchLayout& layout) const;

  // The bounds that PatchStatus::breach refers to; at most most_bounds.
  virtual std::vector<Bound> bounds() const { return {}; }

  // Sets the unknowns that follow from the others and that a scenario does not give. Called after
  // Scenario::initial() and boundary(). Default: none.
  virtual void complete(double* /*unknowns*/) const {}

  // True if the equations accept the unknowns of one volume as a state.
  virtual bool admissible(const double* unknowns) const = 0;
  // Whether the states about a volume's state `own` that differ by +-steps[a] along each axis a may be used (pde.hpp): by
  // default, whether the equations accept them. spread: the sum of |steps[a]|, unknown by unknown.
  virtual bool continues(const double* own, const double* const* steps, const double* spread) const;
  // Sets in a state prolonged from `coarse` the unknown that is redundant there (pde.hpp). Returns false if none is.
  virtual bool complete_prolonged(const double* /*coarse*/, double* /*unknowns*/) const { return false; }
  // Inexpensive sufficient condition: true only if `count` volumes in a row are admissible; false is inconclusive. Unknown n of
  // volume i is row[n * stride + i].
  virtual bool row_surely_admissible(const double* row, std::ptrdiff_t stride, int count) const;

  // The sign of each unknown under reflection along `axis` (momentum normal to the wall: -1).
  virtual void reflection_signs(int axis, std::span<double> signs) const = 0;

  // Largest stable fraction of dx / max_rate.
  virtual double max_cfl() const { return 1.0; }

  // Upper bound on dt at time t from effects other than wave speeds (gravity, expansion). dx: the finest
  // volume width.
  virtual double step_limit(double t, double dx) const;

  // Data that every patch reads during a step (a mass profile). Trivially copyable; set once in each step by
  // its producer before any update(). Null if there are none.
  virtual void* step_data() { return nullptr; }

  // The bytes of step_data() that launch() expects on the device; empty if this step needs none.
  virtual std::span<const std::byte> step_bytes() const { return {}; }

  // Whether launch() has kernels for that kind of device: "cuda", "openmp", or "host" (the same kernels,
  // block by block on the emulated device).
  virtual bool runs_on(std::string_view device_kind) const;
  // Device memory that launch() requires in addition to the batch's own, for that number of patches.
  virtual std::size_t scratch_bytes(const PatchLayout& layout, int patches) const;
  // Submits update() to the device of the queue `execution`, in whose memory the batch lies. The new interior
  // goes to DevicePatch::next, or to the slot if DeviceBatch::in_place. Results are bitwise those of update() if the terms
  // call no library functions. Returns after the kernels are submitted (emulated device: completed).
  // Thread-safe. Throws DeviceError.
  virtual void launch(const gpu::Execution& execution, const DeviceBatch& batch) const;

  // Whether launch_resident() has kernels for that kind of device.
  virtual bool resides_on(std::string_view device_kind) const;
  virtual LaunchKernels kernels_of_launch() const { return {}; }
  // Whether a MeasureBatch can read that quantity, an index into derived(), on a device.
  virtual bool measures_on_device(int) const { return false; }
  // Submits work on patches that live on the device, with the results of the host's functions bit by bit.
  // Returns after the kernels are submitted (emulated device: completed). Thread-safe. Throws DeviceError.
  virtual void launch_resident(const gpu::Execution& execution, const ResidentWork& work) const;

  // The unknowns, then quantities computed from them. Each value() takes parameters() as its first argument.
  virtual const std::vector<Derived>& derived() const = 0;
  virtual const void* parameters() const = 0;
  // Default: none.
  virtual const std::vector<PatchQuantity>& patch_quantities() const;
};

}  // namespace meander::solvers
