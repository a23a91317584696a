// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The one interface between the mesh and an equation with its scheme. Erasure sits here: one virtual call
// takes a batch of patches, and none is made per volume. Implementations are stateless apart from their
// parameters, so that all calls may come from many threads at once.

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

struct DeviceBatch;  // device_batch.hpp

// Which halo regions a scheme reads: across faces only, also across edges (2D: corners), or all.
enum class HaloShape : std::uint8_t { faces, edges, full };

// How data crosses levels into a finer halo or a new finer leaf. Centred: by stencils with as many nodes on
// either side, for unknowns that are values at the centres of volumes, as finite differences have them, and
// not means over them; their restriction takes the middle fine volume.
enum class Prolongation : std::uint8_t { constant, limited_linear, centred };

// Unknowns a volume may have at most: the length of buffers for the state of one volume. An equation with
// more is refused when it is registered.
inline constexpr int most_unknowns = 96;

struct Traits {
  std::string name;  // "euler rusanov"
  int dim = 3;
  int unknowns = 0;
  int halo = 1;  // h
  HaloShape halo_shape = HaloShape::faces;
  Prolongation prolongation = Prolongation::constant;
  int stages = 1;  // calls of update() a step, with a halo exchange after each
  // Extra blocks of p^d x unknowns a slot (RK4: 2): not read in the first stage, and dead after the last.
  int stage_blocks = 0;
  bool conservative = true;  // face fluxes exist: reflux at resolution jumps
  std::vector<std::string> unknown_names;
  bool radiates = false;  // knows what to do at PatchTask::radiative faces

  // Which part of a step has passed when a stage is done: the time that halos then belong to. Four stages are
  // those of the classical Runge-Kutta scheme.
  double time_after(int stage) const { return stages == 4 && stage < 2 ? 0.5 : 1.0; }
  bool point_values() const { return prolongation == Prolongation::centred; }
};

// One patch of a batch. Lengths in the units of the domain.
struct PatchTask {
  double* q = nullptr;          // the slot: interior and halo of all unknowns, laid out by PatchLayout
  double* stages = nullptr;     // stage blocks, or null
  double lower[3] = {0, 0, 0};  // lower corner of the interior
  double dx = 0;                // width of a volume
  // Where to write the fluxes through the patch's faces (face = 2 * axis + side), or null where nobody asks.
  // Layout: [unknown][tangential index, lower axis fastest]; positive along the axis; the very fluxes that
  // the update applied in this step.
  double* flux[6] = {nullptr, nullptr, nullptr, nullptr, nullptr, nullptr};
  // Bit 2 * axis + side: waves leave the domain through that face. The halo there is an extrapolation.
  std::uint8_t radiative = 0;
};

inline constexpr int most_bounds = 4;

// A volume that an update left beyond one of Solver::bounds(), before it was mended.
struct Breach {
  int bound = -1;   // its index; -1: none
  int volume = -1;  // in the patch, x fastest
  double value = 0;
};

// What a patch says of itself after an update or on inspection; merged over patches by max and sum, which
// are exact, so that results do not depend on the partition.
struct PatchStatus {
  double max_rate = 0;           // max over volumes of sum over axes of max_eigenvalue, unit of a velocity
  std::int64_t first_order = 0;  // volumes where a scheme fell back to first order
  std::int64_t floored = 0;      // volumes lifted to a floor
  std::int64_t strayed = 0;      // volumes beyond a bound that is no floor
  Breach breach;                 // of the last bound that was breached, its first volume
  bool admissible = true;        // false: NaN, or density or pressure not positive, somewhere in the interior
};

// A named quantity computed from the unknowns of one volume, for output, refinement and diagnostics.
struct Derived {
  std::string name;  // "velocity_x", "pressure"
  std::string unit;
  double (*value)(const void* parameters, const double* unknowns);  // unknowns: one volume, packed
};

// A named quantity of every volume of a patch in which its neighbours take part (a constraint, a derivative),
// for plot files.
struct PatchQuantity {
  std::string name;
  std::string unit;
  // p^d values, x fastest. Reads the halo across faces, which is full. `parameters`: the solver's.
  void (*values)(const void* parameters, const PatchTask& task, const PatchLayout& layout,
                 std::span<double> values);
};

// What a state should keep to, and is brought back to where it can be: a run warns of the first breach of
// each.
struct Bound {
  std::string quantity;  // "lapse"
  std::string meaning;   // "is below its floor 0.0001, and was lifted to it"
};

class Solver {
 public:
  virtual ~Solver() = default;
  virtual const Traits& traits() const = 0;

  // Advances every patch by dt (stage `stage` of traits().stages), in place. Halos are full on entry; on exit
  // the interior holds the new state and the halo is stale. status[i] describes the new interior of tasks[i].
  // Thread-safe; no allocation.
  virtual void update(std::span<const PatchTask> tasks, const PatchLayout& layout, int stage, double t,
                      double dt, std::span<PatchStatus> status) const = 0;

  // The status of a state at hand (initial data, after a flux correction). Reads the interior only.
  virtual PatchStatus inspect(const PatchTask& task, const PatchLayout& layout) const = 0;

  // Lifts interior volumes that fell below the solver's floors outside update() (by a flux correction or
  // prolongation, which know nothing of them), and inspects. Without floors: inspect().
  virtual PatchStatus enforce_floors(const PatchTask& task, const PatchLayout& layout) const;

  // Those that PatchStatus::breach counts; at most most_bounds.
  virtual std::vector<Bound> bounds() const { return {}; }

  // True if the unknowns of one volume are a state the equations accept.
  virtual bool admissible(const double* unknowns) const = 0;
  // A cheap bound: true only if every state within `spread` of the given one, unknown by unknown, is
  // admissible. False says nothing.
  virtual bool surely_admissible(const double* unknowns, const double* spread) const;

  // The sign each unknown takes under reflection along `axis` (momentum across it: -1).
  virtual void reflection_signs(int axis, std::span<double> signs) const = 0;

  // Largest stable fraction of dx / max_rate.
  virtual double max_cfl() const { return 1.0; }

  // Upper bound on dt at time t from anything that is no wave speed (gravity, expansion); dx is the finest
  // width.
  virtual double step_limit(double t, double dx) const;

  // Data every patch reads during a step (a mass profile): trivially copyable, set once a step by its
  // producer before any update() runs. Null where there is none.
  virtual void* step_data() { return nullptr; }

  // The bytes of step_data() that launch() is to find on the device; empty where this step needs none.
  virtual std::span<const std::byte> step_bytes() const { return {}; }

  // Whether launch() has kernels for devices of that kind ("cuda", "openmp"; "host": the same kernels, block
  // by block on the emulated device).
  virtual bool runs_on(std::string_view device_kind) const;
  // Device memory that launch() wants beside the batch's own, for so many patches.
  virtual std::size_t scratch_bytes(const PatchLayout& layout, int patches) const;
  // As update(), on the device that runs the work `execution`, whose memory the batch lies in, but the new
  // interior goes to DevicePatch::next and the slot stays as it is: the bits are those of update() wherever
  // its terms are free of library functions. Returns when the kernels are submitted (emulated: done).
  // Thread-safe. Throws DeviceError.
  virtual void launch(const gpu::Execution& execution, const DeviceBatch& batch) const;

  // The unknowns themselves come first, then quantities computed from them. `parameters()` goes with each
  // value().
  virtual const std::vector<Derived>& derived() const = 0;
  virtual const void* parameters() const = 0;
  // Default: none.
  virtual const std::vector<PatchQuantity>& patch_quantities() const;
};

}  // namespace meander::solvers
