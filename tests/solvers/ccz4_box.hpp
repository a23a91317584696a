// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A periodic box of patches with halos copied explicitly, which evolves a spacetime without a mesh.

#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include "physics/ccz4/exact/metrics.hpp"
#include "physics/ccz4/solver.hpp"
#include "solvers/patch_copy.hpp"
#include "tests/solvers/patches.hpp"

namespace meander::ccz4::test {

class Box3 {
 public:
  // patches[a] patches of p volumes along axis a. Volumes are cubes. width: of the box along x, which starts
  // at `lower`.
  Box3(const Parameters& parameters, int p, std::array<int, 3> patches, double width, double lower = 0)
      : solver(make_solver(parameters)),
        layout(3, p, solver->traits().halo, unknowns),
        dx(width / (p * patches[0])),
        patches_(patches),
        lower_(lower),
        slicing_(parameters.slicing) {
    const auto count = static_cast<std::size_t>(patches[0] * patches[1] * patches[2]);
    for (std::size_t n = 0; n < count; ++n) {
      slots_.emplace_back(layout);
      stages_.emplace_back(
          static_cast<std::size_t>(solver->traits().stage_blocks * layout.stage_block_size()));
    }
    for (std::size_t n = 0; n < count; ++n) {
      tasks_.push_back(slots_[n].task(dx));
      tasks_.back().stages = stages_[n].data();
    }
    status.resize(count);
  }

  // Calls body(x, y, z, patch, i, j, k) for all volumes.
  template <class Body>
  void for_all(const Body& body) {
    for (std::size_t n = 0; n < slots_.size(); ++n) {
      const Index<3> at = place(static_cast<int>(n));
      solvers::test::for_volumes(layout, 0, [&](int i, int j, int k) {
        const auto x = [&](int a, int volume) {
          return lower_ + (at[static_cast<std::size_t>(a)] * layout.p + volume + 0.5) * dx;
        };
        body(x(0, i), x(1, j), x(2, k), slots_[n], i, j, k);
      });
    }
  }

  template <class Metric>
  void fill(const Metric& metric) {
    for_all([&](double x, double y, double z, solvers::test::Patch& patch, int i, int j, int k) {
      double q[unknowns];
      exact(metric, 0, x, y, z, q);
      for (int n = 0; n < unknowns; ++n) patch.at(n, i, j, k) = q[n];
    });
    exchange();
  }

  // Root mean square difference from a spacetime at time t, over all volumes and unknowns; infinite for NaN.
  template <class Metric>
  double error(const Metric& metric, double t) {
    double sum = 0;
    std::size_t count = 0;
    for_all([&](double x, double y, double z, const solvers::test::Patch& patch, int i, int j, int k) {
      double q[unknowns];
      exact(metric, t, x, y, z, q);
      for (int n = 0; n < unknowns; ++n) sum += std::pow(patch.at(n, i, j, k) - q[n], 2);
      count += unknowns;
    });
    return std::isfinite(sum) ? std::sqrt(sum / static_cast<double>(count))
                              : std::numeric_limits<double>::infinity();
  }

  // Evolves in equal steps of at most cfl * dx.
  void advance(double time, double cfl) {
    const int steps = static_cast<int>(std::ceil(time / (cfl * dx) - 1e-9));
    for (int n = 0; n < steps; ++n) {
      for (int stage = 0; stage < solver->traits().stages; ++stage) {
        solver->update(tasks_, layout, stage, 0, time / steps, status);
        exchange();
      }
    }
  }

  const std::vector<PatchTask>& tasks() const { return tasks_; }

  bool admissible() const {
    return std::all_of(status.begin(), status.end(), [](const PatchStatus& s) { return s.admissible; });
  }

  void exchange() {
    const int p = layout.p, h = layout.h;
    for (std::size_t n = 0; n < slots_.size(); ++n) {
      const Index<3> at = place(static_cast<int>(n));
      for (std::size_t a = 0; a < 3; ++a) {
        // Copies as many layers from each patch along the axis as it has.
        for (int layer = -h; layer < p + h; ++layer) {
          if (layer == 0) layer = p;
          const int hop = layer < 0 ? -((p - 1 - layer) / p) : layer / p;
          Index<3> from = at, shift{};
          from[a] = ((at[a] + hop) % patches_[a] + patches_[a]) % patches_[a];
          shift[a] = -hop * p;
          Box<3> box{{0, 0, 0}, {p, p, p}};
          box.lower[a] = layer;
          box.extent[a] = 1;
          copy<3>(layout, slots_[n].q, slots_[index(from)].q, box, shift);
        }
      }
    }
  }

  template <class Metric>
  void exact(const Metric& metric, double t, double x, double y, double z, double* q) const {
    const double at[4] = {t, x, y, z};
    exact::from_metric(metric, at, slicing_, exact::Gauge::free, q);
  }

  std::unique_ptr<Solver> solver;
  PatchLayout layout;
  double dx;
  std::vector<PatchStatus> status;

 private:
  Index<3> place(int n) const {
    return {n % patches_[0], n / patches_[0] % patches_[1], n / patches_[0] / patches_[1]};
  }
  std::size_t index(const Index<3>& at) const {
    return static_cast<std::size_t>((at[2] * patches_[1] + at[1]) * patches_[0] + at[0]);
  }

  std::array<int, 3> patches_;
  double lower_;
  Slicing slicing_;
  std::vector<solvers::test::Patch> slots_;
  std::vector<std::vector<double>> stages_;
  std::vector<PatchTask> tasks_;
};

// Harmonic slicing without a shift, as the waves require.
inline Parameters for_waves(Scheme scheme) {
  Parameters parameters;
  parameters.scheme = scheme;
  parameters.slicing = Slicing::harmonic;
  parameters.evolves_shift = false;
  return parameters;
}

}  // namespace meander::ccz4::test
