// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// MUSCL-Hancock (van Leer 1984; Toro 2009, section 14.4) on one patch, in place, unsplit, for any equation
// with primitive variables W: limited differences of W along every axis, a predictor over dt / 2 by the
// quasi-linear form, face states W +- dW / 2, and the Rusanov flux between them. Where a face state of a
// volume is inadmissible, the volume itself is its face state: first order there, and counted. Reads halos of
// width 2 across faces and edges.

#include "solvers/flux_record.hpp"
#include "solvers/rusanov.hpp"

namespace meander::solvers {

template <Reconstructible P, class V, class Limiter>
class MusclHancock {
 public:
  static constexpr int N = P::unknowns, A = P::auxiliaries, D = P::dim;
  static constexpr int W = lanes<V>;

  MusclHancock(const P& pde, const PatchLayout& layout, Workspace& work)
      : pde_(pde),
        layout_(layout),
        plane_(work.plane),
        unknown_(layout.unknown_stride()),
        size_(work.plane.size()),
        edge_(work.plane.edge()),
        first_(plane_.at(-1, 0)),
        last_(plane_.at(layout.p - 1, layout.p - 1)) {
    const std::ptrdiff_t block = N * size_;
    double* scratch = work.scratch.reserve((10 + D) * block);
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

  PatchStatus update(const PatchTask& task, double t, double dt, const typename P::StepData* step) {
    q_ = task.q;
    ratio_ = dt / task.dx;
    first_order_ = V(0.0);
    const int p = layout_.p;
    const FluxRecord record(task, layout_, plane_);
    NewState<P, V> state(pde_, task, plane_, t, dt, step);
    if constexpr (D == 2) {
      primitives(0, primitive_[1], plane_.at(0, -2), plane_.at(p - 1, p + 1));
      states(0, plane_.at(0, -1), plane_.at(p - 1, p));
      plane_faces(0, record);
      advance(0, state);
    } else {
      // Planes outside the patch are read through its own columns and, for the slopes of the outermost
      // interior planes' neighbours, one more on each side.
      primitives(-2, primitive_[0], plane_.at(0, 0), last_);
      primitives(-1, primitive_[1], plane_.at(0, -1), plane_.at(p - 1, p));
      for (int k = -1; k <= p; ++k) {
        const bool inside = k >= 0 && k < p;
        if (k + 1 >= 0 && k + 1 < p) {
          primitives(k + 1, primitive_[2], plane_.at(0, -2), plane_.at(p - 1, p + 1));
        } else if (k + 1 == p) {
          primitives(k + 1, primitive_[2], plane_.at(0, -1), plane_.at(p - 1, p));
        } else {
          primitives(k + 1, primitive_[2], plane_.at(0, 0), last_);
        }
        states(k, inside ? plane_.at(0, -1) : plane_.at(0, 0), inside ? plane_.at(p - 1, p) : last_);
        if (k >= 0) z_faces(k, record, state);
        if (inside) plane_faces(k, record);
        std::swap(top_[0], top_[1]);
        std::swap(primitive_[0], primitive_[1]);
        std::swap(primitive_[1], primitive_[2]);
      }
    }
    PatchStatus status = state.result();
    status.first_order = static_cast<std::int64_t>(total(first_order_));
    return status;
  }

 private:
  static double* take(double*& scratch, std::ptrdiff_t count) {
    double* taken = scratch;
    scratch += count;
    return taken;
  }
  double* plane(int k) const { return q_ + (D == 3 ? (k + layout_.h) * layout_.stride(2) : 0); }
  MEANDER_TERM void read(const double* from, V* values) const {
    for (int n = 0; n < N; ++n) values[n] = load<V>(from + n * size_);
  }
  MEANDER_TERM void write(double* to, const V* values) const {
    for (int n = 0; n < N; ++n) store(to + n * size_, values[n]);
  }

  void primitives(int k, double* primitive, int first, int last) const {
    const double* from = plane(k);
    for (int at = first; at <= last; at += W) {
      V q[N], w[N];
      for (int n = 0; n < N; ++n) q[n] = load<V>(from + n * unknown_ + at);
      pde_.primitive(q, w);
      write(primitive + at, w);
    }
  }

  // Limited differences and predicted states of plane k.
  void states(int k, int first, int last) {
    const bool inside = D == 2 || (k >= 0 && k < layout_.p);
    for (int at = first; at <= last; at += W) {
      V w[N], predicted[N], slope[D][N];
      read(primitive_[1] + at, w);
      for (int a = 0; a < D; ++a) {
        const double* below = a == 2 ? primitive_[0] + at : primitive_[1] + at - (a == 0 ? 1 : edge_);
        const double* above = a == 2 ? primitive_[2] + at : primitive_[1] + at + (a == 0 ? 1 : edge_);
        for (int n = 0; n < N; ++n) {
          slope[a][n] = Limiter::limit(w[n] - load<V>(below + n * size_), load<V>(above + n * size_) - w[n]);
        }
      }
      pde_.predict(w, &slope[0][0], V(-0.5 * ratio_), predicted);
      auto good = V(0.0) < V(1.0);
      for (int a = 0; a < D; ++a) {
        V low[N], high[N];
        for (int n = 0; n < N; ++n) {
          low[n] = fma(V(-0.5), slope[a][n], predicted[n]);
          high[n] = fma(V(0.5), slope[a][n], predicted[n]);
        }
        good = good && pde_.admissible_primitive(low) && pde_.admissible_primitive(high);
      }
      for (int n = 0; n < N; ++n) {
        predicted[n] = select(good, predicted[n], w[n]);
        for (int a = 0; a < D; ++a) slope[a][n] = select(good, slope[a][n], V(0.0));
      }
      if (inside) {
        const V interior = load<V>(plane_.interior() + at);
        first_order_ = first_order_ + select(good, V(0.0), interior);
        write(predicted_ + at, predicted);
        for (int a = 0; a < 2; ++a) write(slope_[a] + at, slope[a]);
      }
      if constexpr (D == 3) {
        for (int n = 0; n < N; ++n) {
          store(bottom_ + n * size_ + at, fma(V(-0.5), slope[2][n], predicted[n]));
          store(top_[1] + n * size_ + at, fma(V(0.5), slope[2][n], predicted[n]));
        }
      }
    }
  }

  // Twice the flux between two face states.
  MEANDER_TERM void face_flux(const V* wl, const V* wr, int axis, V* face) const {
    V ql[N], qr[N], al[A + 1], ar[A + 1];
    pde_.conserved(wl, ql);
    pde_.conserved(wr, qr);
    pde_.primitive_auxiliary(wl, al);
    pde_.primitive_auxiliary(wr, ar);
    Rusanov<P, V>::face_flux(pde_, ql, al, qr, ar, axis, reinterpret_cast<V(*)[N]>(face));
  }
  MEANDER_TERM void upper_flux(int at, int axis, V* face) const {
    const int up = axis == 0 ? 1 : edge_;
    V wl[N], wr[N];
    for (int n = 0; n < N; ++n) {
      const double *state = predicted_ + n * size_ + at, *slope = slope_[axis] + n * size_ + at;
      wl[n] = fma(V(0.5), load<V>(slope), load<V>(state));
      wr[n] = fma(V(-0.5), load<V>(slope + up), load<V>(state + up));
    }
    face_flux(wl, wr, axis, face);
  }

  // The x and y faces of plane k; sum_ becomes twice the outflow through them.
  void plane_faces(int k, const FluxRecord& record) const {
    for (int at = plane_.at(0, -1); at <= last_; at += W) {
      V face[N];
      upper_flux(at, 1, face);
      write(y_flux_ + at, face);
    }
    if (record.wants(1)) record.take_plane(1, k, y_flux_);
    V before[N];
    for (int n = 0; n < N; ++n) before[n] = V(0.0);
    for (int at = first_; at <= last_; at += W) {
      V face[N];
      upper_flux(at, 0, face);
      if (record.wants(0)) write(x_flux_ + at, face);
      for (int n = 0; n < N; ++n) {
        const double* y = y_flux_ + n * size_ + at;
        store(sum_ + n * size_ + at,
              (face[n] - shift_in(before[n], face[n])) + (load<V>(y) - load<V>(y - edge_)));
        before[n] = face[n];
      }
    }
    if (record.wants(0)) record.take_plane(0, k, x_flux_);
  }

  // The faces between planes k - 1 and k, with which plane k - 1 is complete.
  void z_faces(int k, const FluxRecord& record, NewState<P, V>& state) const {
    const V scale(-0.5 * ratio_);
    for (int at = first_; at <= last_; at += W) {
      V wl[N], wr[N], face[N];
      read(top_[0] + at, wl);
      read(bottom_ + at, wr);
      face_flux(wl, wr, 2, face);
      if (k > 0) {
        V q[N];
        double* to = plane(k - 1) + at;
        for (int n = 0; n < N; ++n) {
          const V outflow = load<V>(sum_ + n * size_ + at) + (face[n] - load<V>(z_flux_ + n * size_ + at));
          q[n] = fma(scale, outflow, load<V>(to + n * unknown_));
        }
        state.finish(q, at, k - 1);
        for (int n = 0; n < N; ++n) store(to + n * unknown_, q[n]);
      }
      write(z_flux_ + at, face);
    }
    if (k == 0) record.take_z(0, z_flux_);
    if (k == layout_.p) record.take_z(1, z_flux_);
  }

  // 2D: the faces of plane k are all there are.
  void advance(int k, NewState<P, V>& state) const {
    const V scale(-0.5 * ratio_);
    for (int at = first_; at <= last_; at += W) {
      V q[N];
      double* to = plane(k) + at;
      for (int n = 0; n < N; ++n) {
        q[n] = fma(scale, load<V>(sum_ + n * size_ + at), load<V>(to + n * unknown_));
      }
      state.finish(q, at, k);
      for (int n = 0; n < N; ++n) store(to + n * unknown_, q[n]);
    }
  }

  const P& pde_;
  PatchLayout layout_;
  const PlaneMap& plane_;
  std::ptrdiff_t unknown_, size_;
  int edge_, first_, last_;
  double* q_ = nullptr;
  double ratio_ = 0;
  V first_order_ = V(0.0);
  double* primitive_[3];  // of the planes below, at and above the current one
  double *predicted_, *slope_[2];
  double *x_flux_, *y_flux_, *sum_;
  double *z_flux_ = nullptr, *bottom_ = nullptr, *top_[2] = {nullptr, nullptr};
};

}  // namespace meander::solvers
