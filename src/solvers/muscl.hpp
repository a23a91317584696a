// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// MUSCL-Hancock (van Leer 1984; Toro 2009, section 14.4) on one patch, in place, unsplit, for any equation
// with primitive variables W: limited differences of W along every axis, a predictor over dt / 2 by the
// quasi-linear form, face states W +- dW / 2, and the flux of a Riemann solver (riemann.hpp) between them. A
// volume with an inadmissible face state, or with face states that may leave it inadmissible (positivity.hpp), uses
// its own state at its faces; it is then first order, and counted. Reads halos of width 2 across faces and edges.

#include <utility>

#include "solvers/flux_record.hpp"
#include "solvers/new_state.hpp"
#include "solvers/positivity.hpp"

namespace meander::solvers {

template <Reconstructible P, class V, class Limiter, class Flux>
class MusclHancock {
 public:
  using Value = V;
  static constexpr int N = P::unknowns, A = P::auxiliaries, D = P::dim;
  static constexpr int W = lanes<V>;

  MusclHancock(const P& pde, const PatchLayout& layout, Workspace& work)
      : pde_(pde),
        layout_(layout),
        plane_(work.plane),
        unknown_stride_(layout.unknown_stride()),
        plane_stride_(layout.stride(2)),
        size_(work.plane.size()),
        edge_(work.plane.edge()),
        first_(plane_.at(-1, 0)),
        last_(plane_.at(layout.p - 1, layout.p - 1)) {
    const std::ptrdiff_t block = N * size_;
    // Aligned so that the first pack of a sweep over the interior starts on a cache line.
    double* scratch = work.scratch.reserve((10 + D) * block + 8) + (8 - first_ % 8) % 8;
    for (double*& primitive : primitive_) primitive = take(scratch, block);
    predicted_ = take(scratch, block);
    for (int a = 0; a < 2; ++a) slope_[a] = take(scratch, block);
    x_flux_ = take(scratch, block);
    y_flux_ = take(scratch, block);
    sum_ = take(scratch, block);
    if constexpr (D == 3) {
      z_flux_ = take(scratch, block);
      bottom_ = take(scratch, block);
      for (double*& top : top_) top = take(scratch, block);
    }
  }

  PatchStatus update(const PatchTask& task, const double* next, double t, double dt,
                     const typename P::StepData* step) {
    ahead_ = next - task.q;
    q_ = task.q;
    ratio_ = dt / task.dx;
    first_order_ = V(0.0);
    const int p = layout_.p;
    const FluxRecord record(task, layout_, plane_);
    NewState<P, V> news(pde_, task, plane_, t, dt, step);
    if constexpr (D == 2) {
      primitives(0, primitive_[1], plane_.at(0, -2), plane_.at(p - 1, p + 1));
      states<true>(plane_.at(0, -1), plane_.at(p - 1, p));
      plane_faces(0, record);
      advance(news);
    } else {
      primitives_of_plane(-2, 0);
      primitives_of_plane(-1, 1);
      for (int k = -1; k <= p; ++k) {
        primitives_of_plane(k + 1, 2);
        if (k < 0) {
          states<false>(plane_.at(0, 0), last_);
        } else if (k == 0) {
          states<true>(plane_.at(0, -1), plane_.at(p - 1, p));
          z_faces<false>(k, news);
          record.take_z(0, z_flux_);
          plane_faces(k, record);
        } else if (k < p) {
          states<true>(plane_.at(0, -1), plane_.at(p - 1, p));
          z_faces<true>(k, news);
          plane_faces(k, record);
        } else {
          states<false>(plane_.at(0, 0), last_);
          z_faces<true>(k, news);
          record.take_z(1, z_flux_);
        }
        std::swap(top_[0], top_[1]);
        std::swap(primitive_[0], primitive_[1]);
        std::swap(primitive_[1], primitive_[2]);
      }
    }
    PatchStatus status = news.result();
    status.first_order = static_cast<std::int64_t>(total(first_order_));
    return status;
  }

 private:
  static double* take(double*& scratch, std::ptrdiff_t count) {
    double* taken = scratch;
    scratch += count;
    return taken;
  }
  Rows state(int k) const { return {q_ + (D == 3 ? (k + layout_.h) * plane_stride_ : 0), unknown_stride_}; }
  Rows scratch(double* base) const { return {base, size_}; }

  // 3D: computes the primitive variables that the slopes of plane k's volumes and of volumes across its faces
  // read.
  void primitives_of_plane(int k, int slot) const {
    const int p = layout_.p, outside = k < 0 ? -k : k >= p ? k - p + 1 : 0;
    const int reach = 2 - outside;  // rows of halo
    primitives(k, primitive_[slot], plane_.at(0, -reach), plane_.at(p - 1, p - 1 + reach));
  }
  void primitives(int k, double* primitive, int first, int last) const {
    const P pde = pde_;
    const Rows from = state(k), to = scratch(primitive);
    for (std::ptrdiff_t at = first; at <= last; at += W) {
      V q[N], w[N];
      prefetch<N>(from, at + ahead_);
      read<N>(from, at, q);
      pde.primitive(q, w);
      write<N>(to, at, w);
    }
  }

  static MEANDER_TERM void limited(const V* w, const Rows& below, const Rows& above, std::ptrdiff_t at,
                                   V* slope) {
    V low[N], high[N];
    read<N>(below, at, low);
    read<N>(above, at, high);
    for (int n = 0; n < N; ++n) slope[n] = Limiter::limit(w[n] - low[n], high[n] - w[n]);
  }

  // Limited differences and predicted states of plane k.
  template <bool inside>
  void states(int first, int last) {
    const P pde = pde_;
    const V back(-0.5 * ratio_), zero(0.0), half(0.5);
    const Rows below = scratch(primitive_[0]), here = scratch(primitive_[1]), above = scratch(primitive_[2]),
               left = here.from(-1), right = here.from(1), front = here.from(-edge_), rear = here.from(edge_),
               to = scratch(predicted_), to_x = scratch(slope_[0]), to_y = scratch(slope_[1]),
               bottom = scratch(bottom_), top = scratch(top_[1]);
    const double* interior = plane_.interior();
    V first_order = first_order_;
    for (std::ptrdiff_t at = first; at <= last; at += W) {
      V w[N], predicted[N], slope[D][N], low[D][N], high[D][N];
      read<N>(here, at, w);
      limited(w, left, right, at, slope[0]);
      limited(w, front, rear, at, slope[1]);
      if constexpr (D == 3) limited(w, below, above, at, slope[2]);
      pde.predict(w, &slope[0][0], back, predicted);
      auto good = zero < half;
      for (int a = 0; a < D; ++a) {
        for (int n = 0; n < N; ++n) {
          low[a][n] = fma(-half, slope[a][n], predicted[n]);
          high[a][n] = fma(half, slope[a][n], predicted[n]);
        }
        good = good && pde.admissible_primitive(low[a]) && pde.admissible_primitive(high[a]);
      }
      good = good && stays_admissible<Flux>(pde, w, predicted, slope, ratio_);
      if constexpr (inside) {
        for (int n = 0; n < N; ++n) {
          predicted[n] = select(good, predicted[n], w[n]);
          for (int a = 0; a < 2; ++a) slope[a][n] = select(good, slope[a][n], zero);
        }
        write<N>(to, at, predicted);
        write<N>(to_x, at, slope[0]);
        write<N>(to_y, at, slope[1]);
        first_order = first_order + select(good, zero, load<V>(interior + at));
      }
      if constexpr (D == 3) {
        for (int n = 0; n < N; ++n) {
          low[2][n] = select(good, low[2][n], w[n]);
          high[2][n] = select(good, high[2][n], w[n]);
        }
        write<N>(bottom, at, low[2]);
        write<N>(top, at, high[2]);
      }
    }
    first_order_ = first_order;
  }

  // Computes twice the flux through the upper faces of volumes of a plane.
  struct PlaneStates {
    Rows state, slope, next_state, next_slope;
  };
  static MEANDER_TERM void upper_flux(const P& pde, const PlaneStates& states, std::ptrdiff_t at, int axis,
                                      V* flux) {
    const V half(0.5);
    V wl[N], wr[N], slope[N];
    read<N>(states.state, at, wl);
    read<N>(states.slope, at, slope);
    for (int n = 0; n < N; ++n) wl[n] = fma(half, slope[n], wl[n]);
    read<N>(states.next_state, at, wr);
    read<N>(states.next_slope, at, slope);
    for (int n = 0; n < N; ++n) wr[n] = fma(-half, slope[n], wr[n]);
    primitive_flux<Flux>(pde, wl, wr, axis, flux);
  }
  PlaneStates plane_states(int axis) const {
    const int up = axis == 0 ? 1 : edge_;
    const Rows state = scratch(predicted_), slope = scratch(slope_[axis]);
    return {state, slope, state.from(up), slope.from(up)};
  }

  // Computes the fluxes through the x and y faces of plane k, and twice the net outflow through them in sum_.
  void plane_faces(int k, const FluxRecord& record) const {
    const P pde = pde_;
    const std::ptrdiff_t last = last_;
    const Rows x_flux = scratch(x_flux_), y_flux = scratch(y_flux_), y_flux_below = y_flux.from(-edge_),
               sum = scratch(sum_);
    const PlaneStates along_y = plane_states(1), along_x = plane_states(0);
    for (std::ptrdiff_t at = plane_.at(0, -1); at <= last; at += W) {
      V face[N];
      upper_flux(pde, along_y, at, 1, face);
      write<N>(y_flux, at, face);
    }
    if (record.wants(1)) record.take_plane(1, k, y_flux_);
    const bool record_x = record.wants(0);
    V before[N];
    for (int n = 0; n < N; ++n) before[n] = V(0.0);
    for (std::ptrdiff_t at = first_; at <= last; at += W) {
      V face[N], y[N], y_below[N], outflow[N];
      upper_flux(pde, along_x, at, 0, face);
      if (record_x) write<N>(x_flux, at, face);
      read<N>(y_flux, at, y);
      read<N>(y_flux_below, at, y_below);
      for (int n = 0; n < N; ++n) {
        outflow[n] = (face[n] - shift_in(before[n], face[n])) + (y[n] - y_below[n]);
        before[n] = face[n];
      }
      write<N>(sum, at, outflow);
    }
    if (record_x) record.take_plane(0, k, x_flux_);
  }

  // Computes the fluxes through the faces between planes k - 1 and k. Completes plane k - 1 if that is a
  // plane of the patch.
  template <bool inside>
  void z_faces(int k, NewState<P, V>& news) const {
    const P pde = pde_;
    const V scale(-0.5 * ratio_);
    const Rows low = scratch(top_[0]), high = scratch(bottom_), flux = scratch(z_flux_), sum = scratch(sum_),
               done = state(k - 1);
    const std::ptrdiff_t last = last_;
    for (std::ptrdiff_t at = first_; at <= last; at += W) {
      V wl[N], wr[N], face[N];
      read<N>(low, at, wl);
      read<N>(high, at, wr);
      primitive_flux<Flux>(pde, wl, wr, 2, face);
      if constexpr (inside) {
        V q[N], outflow[N], below[N];
        read<N>(done, at, q);
        read<N>(sum, at, outflow);
        read<N>(flux, at, below);
        for (int n = 0; n < N; ++n) q[n] = fma(scale, outflow[n] + (face[n] - below[n]), q[n]);
        write<N>(done, at, q);
      }
      write<N>(flux, at, face);
    }
    if constexpr (inside) news.finish(done, first_, last_, k - 1);
  }

  // 2D: completes the only plane.
  void advance(NewState<P, V>& news) const {
    const V scale(-0.5 * ratio_);
    const Rows done = state(0), sum = scratch(sum_);
    for (std::ptrdiff_t at = first_; at <= last_; at += W) {
      V q[N], outflow[N];
      read<N>(done, at, q);
      read<N>(sum, at, outflow);
      for (int n = 0; n < N; ++n) q[n] = fma(scale, outflow[n], q[n]);
      write<N>(done, at, q);
    }
    news.finish(done, first_, last_, 0);
  }

  const P& pde_;
  PatchLayout layout_;
  const PlaneMap& plane_;
  std::ptrdiff_t unknown_stride_, plane_stride_, size_;
  int edge_, first_, last_;
  double* q_ = nullptr;
  std::ptrdiff_t ahead_ = 0;  // offset from the slot to the next patch's slot, for prefetching
  double ratio_ = 0;
  V first_order_ = V(0.0);
  double* primitive_[3];  // of the planes below, at and above the current one
  double *predicted_, *slope_[2];
  double *x_flux_, *y_flux_, *sum_;
  double *z_flux_ = nullptr, *bottom_ = nullptr, *top_[2] = {nullptr, nullptr};
};

}  // namespace meander::solvers
