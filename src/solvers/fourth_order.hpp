// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Fourth-order central differences with Kreiss-Oliger dissipation by sixth differences, and one stage of the
// classical Runge-Kutta method. For equations without flux whose terms are evaluated together (FusedRhs) and
// whose unknowns are point values. Three dimensions, h = 3; reads halos across faces only. Constraints and
// floors are enforced after every stage.

#include "base/assert.hpp"
#include "solvers/placed_rates.hpp"
#include "solvers/plane_ring.hpp"
#include "solvers/radiative.hpp"

namespace meander::solvers {

template <FusedRhs P, class V>
class FourthOrder {
  static_assert(P::dim == 3);

 public:
  static constexpr int N = P::unknowns, W = lanes<V>;
  static constexpr int stages = 4,
                       stage_blocks = 2;  // the state at the start of the step, and the weighted sum of rates

  // pde.dissipation(): fraction of the strongest dissipation that is stable by itself; 0: none.
  FourthOrder(const P& pde, const PatchLayout& layout, Workspace& work)
      : pde_(pde),
        dissipation_(pde.dissipation()),
        layout_(layout),
        plane_(work.plane),
        size_(work.plane.size()) {
    MEANDER_ASSERT(layout.h == 3);
    ring_ = work.scratch.reserve((layout.h + 1) * N * size_);
  }

  PatchStatus update(const PatchTask& task, int stage, double dt) {
    q_ = task.q;
    Entry<P, V> entry;
    through_ring(
        layout_, ring_, N * size_,
        [&](int k, double* rates) {
          plane(task, k, rates);
          if constexpr (Radiating<P>) {
            if (task.radiative != 0) radiate(task, k, rates);
          }
        },
        [&](int k, double* rates) {
          advance(task, k, rates, stage, dt);
          entry.enter(pde_, state(k), k, layout_, plane_);
        });
    return entry.result();
  }

 private:
  Rows state(int k) const { return {q_ + (k + layout_.h) * layout_.stride(2), layout_.unknown_stride()}; }

  void plane(const PatchTask& task, int k, double* rates) const {
    const P pde = pde_;
    const double dx = task.dx;
    const Rows here = state(k);
    const std::ptrdiff_t strides[3] = {1, layout_.stride(1), layout_.stride(2)};
    const V near(2.0 / (3.0 * dx)), far(-1.0 / (12.0 * dx)), damping(dissipation_ / (64.0 * dx));
    for_cover<W>(layout_, plane_, [&](std::ptrdiff_t at) {
      V q[N], gradient[3 * N], damped[N], rate[N];
      for (int n = 0; n < N; ++n) {
        const double* centre = here.base + n * here.stride + at;
        q[n] = load<V>(centre);
        V sixth = V(-60.0) * q[n];
        for (int a = 0; a < 3; ++a) {
          const std::ptrdiff_t s = strides[a];
          const V below[3] = {load<V>(centre - s), load<V>(centre - 2 * s), load<V>(centre - 3 * s)};
          const V above[3] = {load<V>(centre + s), load<V>(centre + 2 * s), load<V>(centre + 3 * s)};
          gradient[a * N + n] = fma(near, above[0] - below[0], far * (above[1] - below[1]));
          sixth = sixth +
                  fma(V(15.0), above[0] + below[0], fma(V(-6.0), above[1] + below[1], above[2] + below[2]));
        }
        damped[n] = damping * sixth;
      }
      const auto place = [&](V* x) {
        x[0] = fma(load<V>(plane_.x() + at), V(dx), V(task.lower[0]));
        x[1] = fma(load<V>(plane_.y() + at), V(dx), V(task.lower[1]));
        x[2] = fma(V(k + 0.5), V(dx), V(task.lower[2]));
      };
      rates_with(pde, coefficients_at<V>(pde, place), static_cast<const V*>(q),
                 static_cast<const V*>(gradient), rate);
      for (int n = 0; n < N; ++n) store(rates + n * size_ + at, rate[n] + damped[n]);
    });
  }

  // Replaces the rates of the volumes next to radiative faces.
  void radiate(const PatchTask& task, int k, double* rates) const {
    const int p = layout_.p;
    const Rows here = state(k);
    const std::ptrdiff_t strides[3] = {1, layout_.stride(1), layout_.stride(2)};
    for (int j = 0; j < p; ++j) {
      for (int i = 0; i < p; ++i) {
        if (!at_radiative_face(task.radiative, p, i, j, k)) continue;
        const std::ptrdiff_t at = plane_.at(i, j);
        const double x[3] = {task.lower[0] + (i + 0.5) * task.dx, task.lower[1] + (j + 0.5) * task.dx,
                             task.lower[2] + (k + 0.5) * task.dx};
        pde_.radiate(CentredPoint(here.base + at, here.stride, strides, task.dx), x,
                     [&](int n, double rate) { rates[n * size_ + at] = rate; });
      }
    }
  }

  // Computes plane k of the input of the next stage from the state at the start of the step and the rates so
  // far.
  void advance(const PatchTask& task, int k, const double* rates, int stage, double dt) const {
    static constexpr double reach[stages] = {0.5, 0.5, 1.0, 1.0 / 6.0}, weight[stages] = {1.0, 2.0, 2.0, 1.0};
    const int p = layout_.p;
    const double by = reach[stage] * dt, share = weight[stage];
    const Rows to = state(k);
    for (int n = 0; n < N; ++n) {
      double* start = task.stages + n * layout_.volumes() + k * layout_.face_volumes();
      double* sum = start + layout_.stage_block_size();
      for (int j = 0; j < p; ++j, start += p, sum += p) {
        const double* rate = rates + n * size_ + plane_.at(0, j);
        double* row = to.base + n * to.stride + plane_.at(0, j);
        if (stage == 0) {
          for (int i = 0; i < p; ++i) {
            start[i] = row[i];
            sum[i] = rate[i];
            row[i] = fma(by, rate[i], row[i]);
          }
        } else if (stage < stages - 1) {
          for (int i = 0; i < p; ++i) {
            sum[i] = fma(share, rate[i], sum[i]);
            row[i] = fma(by, rate[i], start[i]);
          }
        } else {
          for (int i = 0; i < p; ++i) row[i] = fma(by, sum[i] + rate[i], start[i]);
        }
      }
    }
  }

  const P& pde_;
  double dissipation_;
  PatchLayout layout_;
  const PlaneMap& plane_;
  std::ptrdiff_t size_;
  double* q_ = nullptr;
  double* ring_;
};

}  // namespace meander::solvers
