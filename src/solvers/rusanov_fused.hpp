// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The first-order Rusanov scheme for an equation without flux whose terms are evaluated together (FusedRhs).
// The fluctuations through a face are
//   B(Ql, Qr) (Qr - Ql) / 2 -+ lambda (Qr - Ql) / 2,   lambda = max(lambda(Ql), lambda(Qr)),
// where B(Ql, Qr) is (B(Ql) + B(Qr)) / 2, the trapezoidal rule along the straight path between the states
// (Castro, Gallardo and Pares 2006). The fluctuations at a volume's two faces add up to B(Q) times the
// central difference, so all terms are evaluated once a volume. Three dimensions; reads halos across faces
// only.

#include "solvers/plane_ring.hpp"

namespace meander::solvers {

template <FusedRhs P, class V>
class RusanovFused {
  static_assert(P::dim == 3 && P::auxiliaries == 3, "the auxiliaries are the wave speeds along the axes");

 public:
  static constexpr int N = P::unknowns, W = lanes<V>;

  RusanovFused(const P& pde, const PatchLayout& layout, Workspace& work)
      : pde_(pde), layout_(layout), plane_(work.plane), size_(work.plane.size()) {
    ring_ = work.scratch.reserve(((layout.h + 1) * N + 9) * size_);
    for (int m = 0; m < 3; ++m) speed_[m] = ring_ + ((layout.h + 1) * N + 3 * m) * size_;
  }

  PatchStatus update(const PatchTask& task, const double*, double, double dt, const typename P::StepData*) {
    q_ = task.q;
    Entry<P, V> entry;
    speeds(-1);
    speeds(0);
    through_ring(
        layout_, ring_, N * size_,
        [&](int k, double* news) {
          speeds(k + 1);
          plane(k, news, dt, task.dx);
        },
        [&](int k, double* news) {
          const Rows from{news, size_}, to = state(k);
          for_cover<W>(layout_, plane_, [&](std::ptrdiff_t at) {
            for (int n = 0; n < N; ++n)
              store(to.base + n * to.stride + at, load<V>(from.base + n * from.stride + at));
          });
          entry.enter(pde_, to, k, layout_, plane_);
        });
    return entry.result();
  }

 private:
  Rows state(int k) const { return {q_ + (k + layout_.h) * layout_.stride(2), layout_.unknown_stride()}; }
  // Wave speeds of plane k along the axes.
  double* speed(int k, int axis) const { return speed_[(k + 3) % 3] + axis * size_; }

  void speeds(int k) const {
    const P pde = pde_;
    const Rows from = state(k), to{speed(k, 0), size_};
    const bool outside = k < 0 || k >= layout_.p;
    const int p = layout_.p, last = outside ? plane_.at(p - 1, p - 1) : plane_.at(p - 1, p);
    for (std::ptrdiff_t at = outside ? plane_.at(0, 0) : plane_.at(0, -1); at <= last; at += W) {
      V q[N], lambda[3];
      read<N>(from, at, q);
      pde.auxiliary(q, lambda);
      write<3>(to, at, lambda);
    }
  }

  // Wave speeds of the faces below and above along one axis.
  struct Faces {
    V below, above;
  };
  MEANDER_TERM Faces faces(const double* lambda, const double* before, const double* after,
                           std::ptrdiff_t at) const {
    const V here = load<V>(lambda + at);
    return {max(load<V>(before + at), here), max(here, load<V>(after + at))};
  }

  void plane(int k, double* news, double dt, double dx) const {
    const P pde = pde_;
    const Rows here = state(k);
    const std::ptrdiff_t y = layout_.stride(1), z = layout_.stride(2);
    const double *lx = speed(k, 0), *ly = speed(k, 1), *lz = speed(k, 2);
    const V half(0.5 / dx), step(dt), spread(0.5 * dt / dx);
    for_cover<W>(layout_, plane_, [&](std::ptrdiff_t at) {
      V q[N], gradient[3 * N], diffusion[N], rate[N];
      const Faces fx = faces(lx, lx - 1, lx + 1, at), fy = faces(ly, ly - y, ly + y, at),
                  fz = faces(lz, speed(k - 1, 2), speed(k + 1, 2), at);
      for (int n = 0; n < N; ++n) {
        const double* centre = here.base + n * here.stride + at;
        const V c = load<V>(centre);
        const auto along = [&](std::ptrdiff_t stride, const Faces& face, V* slope) {
          const V below = c - load<V>(centre - stride), above = load<V>(centre + stride) - c;
          *slope = half * (below + above);
          return fma(face.above, above, -(face.below * below));
        };
        q[n] = c;
        diffusion[n] =
            along(1, fx, gradient + n) + along(y, fy, gradient + N + n) + along(z, fz, gradient + 2 * N + n);
      }
      pde.rates(q, gradient, rate);
      for (int n = 0; n < N; ++n)
        store(news + n * size_ + at, fma(step, rate[n], fma(spread, diffusion[n], q[n])));
    });
  }

  const P& pde_;
  PatchLayout layout_;
  const PlaneMap& plane_;
  std::ptrdiff_t size_;
  double* q_ = nullptr;
  double *ring_, *speed_[3];
};

}  // namespace meander::solvers
