// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/euler/solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/assert.hpp"
#include "physics/euler/derived.hpp"
#include "physics/euler/kernels.hpp"

namespace meander::euler {
namespace {

#ifdef MEANDER_CUDA
constexpr bool with_cuda = true;
#else
constexpr bool with_cuda = false;
#endif
#ifdef MEANDER_OPENMP
constexpr bool with_openmp = true;
#else
constexpr bool with_openmp = false;
#endif

// Of sqrt(dx / g), the time to fall across half a volume from rest.
constexpr double gravity_cfl = 0.5;
// Of |tau|; a tenth of it changes the scale factor by a thousandth. Coarser steps miss the turnaround.
constexpr double expansion_fraction = 0.005;

template <int D>
class EulerSolver final : public Solver {
 public:
  explicit EulerSolver(const Parameters& parameters) : parameters_(parameters), terms_(parameters) {
    gravity_.dim = D;
    if (parameters.scheme == Scheme::rusanov) {
      traits_.name = "euler rusanov";
    } else {
      traits_.name = parameters.limiter == Limiter::mc ? "euler muscl mc" : "euler muscl minmod";
      traits_.halo = 2;
      traits_.halo_shape = HaloShape::edges;  // the predictor takes transverse slopes in halo volumes
      traits_.prolongation = Prolongation::limited_linear;
    }
    traits_.dim = D;
    traits_.unknowns = D + 2;
    traits_.unknown_names = unknown_names(D);
    derived_ = derived_quantities(D);
  }

  const Traits& traits() const override { return traits_; }

  void update(std::span<const PatchTask> tasks, const PatchLayout& layout, int, double t, double dt,
              std::span<PatchStatus> status) const override {
    if (parameters_.scheme == Scheme::rusanov) {
      update_rusanov<D>(terms_, tasks, layout, t, dt, gravity_, status);
    } else {
      update_muscl<D>(terms_, parameters_.limiter, tasks, layout, t, dt, gravity_, status);
    }
  }

  std::span<const std::byte> step_bytes() const override {
    if (!gravity_.on) return {};
    return std::as_bytes(std::span(&gravity_, 1));
  }

  bool runs_on(std::string_view kind) const override {
    return kind == "host" || (kind == "cuda" && with_cuda) || (kind == "openmp" && with_openmp);
  }

  std::size_t scratch_bytes(const PatchLayout& layout, int patches) const override {
    return with_cuda || with_openmp ? euler::scratch_bytes<D>(parameters_.scheme, layout, patches) : 0;
  }

  void launch(const gpu::Execution& execution, const DeviceBatch& batch) const override {
    MEANDER_ASSERT(batch.layout.dim == D && batch.layout.h == traits_.halo);
    if (execution.on_host()) {
      const HostView view(execution, batch, 0, sizeof gravity_, scratch_bytes(batch.layout, batch.count));
      if (parameters_.scheme == Scheme::rusanov) {
        launch_rusanov_serially<D>(terms_, view.batch());
      } else {
        launch_muscl_serially<D>(terms_, parameters_.limiter, view.batch());
      }
      return;
    }
#if defined(MEANDER_OPENMP)
    if (parameters_.scheme == Scheme::rusanov) {
      launch_rusanov_on_openmp<D>(execution, terms_, batch);
    } else {
      launch_muscl_on_openmp<D>(execution, terms_, parameters_.limiter, batch);
    }
#elif defined(MEANDER_CUDA)
    if (parameters_.scheme == Scheme::rusanov) {
      launch_rusanov_on_cuda<D>(execution.native_queue(), terms_, batch);
    } else if (parameters_.limiter == Limiter::mc) {
      launch_muscl_mc_on_cuda<D>(execution.native_queue(), terms_, batch);
    } else {
      launch_muscl_minmod_on_cuda<D>(execution.native_queue(), terms_, batch);
    }
#else
    Solver::launch(execution, batch);
#endif
  }

  PatchStatus inspect(const PatchTask& task, const PatchLayout& layout) const override {
    return euler::inspect<D>(terms_, task, layout);
  }

  PatchStatus enforce_floors(const PatchTask& task, const PatchLayout& layout) const override {
    std::int64_t floored = 0;
    if (terms_.enforces()) {
      for (int k = 0; k < (D == 3 ? layout.p : 1); ++k) {
        for (int j = 0; j < layout.p; ++j) {
          for (int i = 0; i < layout.p; ++i)
            floored += enforce_floors(task.q + layout.at(0, i, j, k), layout);
        }
      }
    }
    PatchStatus status = inspect(task, layout);
    status.floored = floored;
    return status;
  }

  bool admissible(const double* unknowns) const override {
    return terms_.admissible(unknowns);
  }

  // The least pressure: least energy, largest momenta, least density. Strictly inside, so that no rounding
  // matters.
  bool surely_admissible(const double* q, const double* spread) const override {
    const double density = q[0] - spread[0];
    double momentum2 = 0;
    for (int a = 1; a <= D; ++a) {
      const double m = std::abs(q[a]) + spread[a];
      momentum2 += m * m;
    }
    const double margin = 1e-9 * q[D + 1];
    return density > 1e-9 * q[0] && q[D + 1] - spread[D + 1] - margin > 0.5 * momentum2 / density;
  }

  void reflection_signs(int axis, std::span<double> signs) const override {
    std::fill(signs.begin(), signs.end(), 1.0);
    signs[static_cast<std::size_t>(1 + axis)] = -1.0;
  }

  double step_limit(double t, double dx) const override {
    if (!gravity_.on) return std::numeric_limits<double>::infinity();
    const double fall = gravity_.g_max > 0 ? gravity_cfl * std::sqrt(dx / gravity_.g_max)
                                           : std::numeric_limits<double>::infinity();
    return std::min(fall, expansion_fraction * std::abs(t));
  }

  void* step_data() override {
    return &gravity_;
  }
  const std::vector<Derived>& derived() const override {
    return derived_;
  }
  const void* parameters() const override {
    return &parameters_;
  }

 private:
  // Of one volume, whose density is at `volume`; true if it was lifted.
  bool enforce_floors(double* volume, const PatchLayout& layout) const {
    double q[D + 2];
    for (int u = 0; u < D + 2; ++u) q[u] = volume[u * layout.unknown_stride()];
    if (!terms_.enforce(q)) return false;
    for (int u = 0; u < D + 2; ++u) volume[u * layout.unknown_stride()] = q[u];
    return true;
  }

  Parameters parameters_;
  Terms<D> terms_;
  Traits traits_;
  std::vector<Derived> derived_;
  SphericalGravity gravity_;
};

}  // namespace

std::unique_ptr<Solver> make_solver(int dim, const Parameters& parameters) {
  MEANDER_ASSERT(dim == 2 || dim == 3);
  if (dim == 2) return std::make_unique<EulerSolver<2>>(parameters);
  return std::make_unique<EulerSolver<3>>(parameters);
}

}  // namespace meander::euler
