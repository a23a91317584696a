// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// First-order Rusanov (local Lax-Friedrichs; Toro 2009, section 10.5.1) on one patch, in place, for any
// equation:
//   face flux  g = (F(Ql) + F(Qr)) / 2 - lambda (Qr - Ql) / 2,  lambda = max(lambda(Ql), lambda(Qr)),
// and for a non-conservative product the fluctuations g +- B((Ql + Qr) / 2) (Qr - Ql) / 2 on its two sides.
// Each face flux is computed once and serves both volumes beside it. Reads halos across faces only.

#include <utility>

#include "solvers/flux_record.hpp"
#include "solvers/new_state.hpp"

namespace meander::solvers {

template <Pde P, class V>
class Rusanov {
 public:
  static constexpr int N = P::unknowns, A = P::auxiliaries, D = P::dim;
  static constexpr int W = lanes<V>;
  static constexpr int sides = P::has_ncp ? 2 : 1;  // what a face adds below and above differs with an ncp

  // Twice the flux through a face as the volume below (face[0]) and the one above it (face[sides - 1]) see
  // it.
  static MEANDER_TERM void face_flux(const P& pde, const V* ql, const V* al, const V* qr, const V* ar,
                                     int axis, V (*face)[N]) {
    const V speed = max(pde.max_eigenvalue(ql, al, axis), pde.max_eigenvalue(qr, ar, axis));
    V fl[N], fr[N], jump[N];
    if constexpr (P::has_flux) {
      pde.flux(ql, al, axis, fl);
      pde.flux(qr, ar, axis, fr);
    }
    for (int n = 0; n < N; ++n) {
      jump[n] = qr[n] - ql[n];
      if constexpr (P::has_flux) {
        face[0][n] = fma(-speed, jump[n], fl[n] + fr[n]);
      } else {
        face[0][n] = -speed * jump[n];
      }
    }
    if constexpr (P::has_ncp) {
      V mean[N], product[N];
      for (int n = 0; n < N; ++n) mean[n] = V(0.5) * (ql[n] + qr[n]);
      pde.ncp(mean, jump, axis, product);
      for (int n = 0; n < N; ++n) {
        face[1][n] = face[0][n] - product[n];
        face[0][n] = face[0][n] + product[n];
      }
    }
  }

  Rusanov(const P& pde, const PatchLayout& layout, Workspace& work)
      : pde_(pde),
        layout_(layout),
        plane_(work.plane),
        unknown_(layout.unknown_stride()),
        size_(work.plane.size()),
        edge_(work.plane.edge()) {
    double* scratch = work.scratch.reserve((2 * A + (2 * sides + 1) * N) * size_);
    aux_[0] = scratch;
    aux_[1] = aux_[0] + A * size_;
    y_flux_ = aux_[1] + A * size_;
    z_flux_ = y_flux_ + sides * N * size_;
    x_flux_ = z_flux_ + sides * N * size_;
  }

  PatchStatus update(const PatchTask& task, double t, double dt, const typename P::StepData* step) {
    q_ = task.q;
    const int p = layout_.p;
    const FluxRecord record(task, layout_, plane_);
    NewState<P, V> state(pde_, task, plane_, t, dt, step);
    const V scale(-0.5 * dt / task.dx);
    if constexpr (D == 2) {
      auxiliaries(0, aux_[0], plane_.at(0, -1), plane_.at(p - 1, p));
      y_faces(0, record);
      x_faces_and_update(0, scale, record, state);
    } else {
      auxiliaries(-1, aux_[0], plane_.at(0, 0), plane_.at(p - 1, p - 1));
      auxiliaries(0, aux_[1], plane_.at(0, -1), plane_.at(p - 1, p));
      bottom_faces();
      record.take_z(0, z_flux_);
      for (int k = 0; k < p; ++k) {
        std::swap(aux_[0], aux_[1]);
        if (k + 1 < p) {
          auxiliaries(k + 1, aux_[1], plane_.at(0, -1), plane_.at(p - 1, p));
        } else {
          auxiliaries(k + 1, aux_[1], plane_.at(0, 0), plane_.at(p - 1, p - 1));
        }
        y_faces(k, record);
        x_faces_and_update(k, scale, record, state);
      }
      record.take_z(1, z_flux_);
    }
    return state.result();
  }

 private:
  double* plane(int k) const { return q_ + (D == 3 ? (k + layout_.h) * layout_.stride(2) : 0); }
  MEANDER_TERM void read(const double* from, V* q) const {
    for (int n = 0; n < N; ++n) q[n] = load<V>(from + n * unknown_);
  }
  MEANDER_TERM void read_auxiliary(const double* from, V* a) const {
    for (int n = 0; n < A; ++n) a[n] = load<V>(from + n * size_);
  }

  // Auxiliary values of plane k from position `first` to `last`.
  void auxiliaries(int k, double* aux, int first, int last) const {
    if constexpr (A > 0) {
      const double* from = plane(k);
      for (int at = first; at <= last; at += W) {
        V q[N], a[A];
        read(from + at, q);
        pde_.auxiliary(q, a);
        for (int n = 0; n < A; ++n) store(aux + n * size_ + at, a[n]);
      }
    }
  }

  // Twice the flux through the upper y faces of rows -1 to p - 1 of plane k.
  void y_faces(int k, const FluxRecord& record) const {
    const double* aux = aux_[0];
    const double* from = plane(k);
    const int last = plane_.at(layout_.p - 1, layout_.p - 1);
    for (int at = plane_.at(0, -1); at <= last; at += W) {
      V ql[N], qr[N], al[A + 1], ar[A + 1], face[sides][N];
      read(from + at, ql);
      read(from + at + edge_, qr);
      read_auxiliary(aux + at, al);
      read_auxiliary(aux + at + edge_, ar);
      face_flux(pde_, ql, al, qr, ar, 1, face);
      for (int s = 0; s < sides; ++s) {
        for (int n = 0; n < N; ++n) store(y_flux_ + (s * N + n) * size_ + at, face[s][n]);
      }
    }
    if (record.wants(1)) record.take_plane(1, k, y_flux_);
  }

  // Twice the flux through the lower z faces of plane 0, as plane 0 sees it.
  void bottom_faces() const {
    const double *low = plane(-1), *high = plane(0);
    const int last = plane_.at(layout_.p - 1, layout_.p - 1);
    for (int at = plane_.at(-1, 0); at <= last; at += W) {
      V ql[N], qr[N], al[A + 1], ar[A + 1], face[sides][N];
      read(low + at, ql);
      read(high + at, qr);
      read_auxiliary(aux_[0] + at, al);
      read_auxiliary(aux_[1] + at, ar);
      face_flux(pde_, ql, al, qr, ar, 2, face);
      for (int n = 0; n < N; ++n) store(z_flux_ + n * size_ + at, face[sides - 1][n]);
    }
  }

  // Starts one volume below the first, so that the x face flux comes from the pack itself or the one before.
  void x_faces_and_update(int k, V scale, const FluxRecord& record, NewState<P, V>& state) const {
    double* here = plane(k);
    const double *aux = aux_[0], *aux_above = aux_[1];
    const int last = plane_.at(layout_.p - 1, layout_.p - 1);
    V before[N];
    for (int n = 0; n < N; ++n) before[n] = V(0.0);
    for (int at = plane_.at(-1, 0); at <= last; at += W) {
      V q[N], a[A + 1], qr[N], ar[A + 1], face[sides][N], sum[N];
      read(here + at, q);
      read_auxiliary(aux + at, a);
      read(here + at + 1, qr);
      read_auxiliary(aux + at + 1, ar);
      face_flux(pde_, q, a, qr, ar, 0, face);
      if (record.wants(0)) {
        for (int n = 0; n < N; ++n) store(x_flux_ + n * size_ + at, face[0][n]);
      }
      for (int n = 0; n < N; ++n) {
        const V y =
            load<V>(y_flux_ + n * size_ + at) - load<V>(y_flux_ + ((sides - 1) * N + n) * size_ + at - edge_);
        sum[n] = (face[0][n] - shift_in(before[n], face[sides - 1][n])) + y;
        before[n] = face[sides - 1][n];
      }
      if constexpr (D == 3) {
        read(here + layout_.stride(2) + at, qr);
        read_auxiliary(aux_above + at, ar);
        face_flux(pde_, q, a, qr, ar, 2, face);
        for (int n = 0; n < N; ++n) {
          double* below = z_flux_ + n * size_ + at;
          sum[n] = sum[n] + (face[0][n] - load<V>(below));
          store(below, face[sides - 1][n]);
        }
      }
      for (int n = 0; n < N; ++n) q[n] = fma(scale, sum[n], q[n]);
      state.finish(q, at, k);
      for (int n = 0; n < N; ++n) store(here + n * unknown_ + at, q[n]);
    }
    if (record.wants(0)) record.take_plane(0, k, x_flux_);
  }

  const P& pde_;
  PatchLayout layout_;
  const PlaneMap& plane_;
  std::ptrdiff_t unknown_, size_;
  int edge_;
  double* q_ = nullptr;
  double *aux_[2], *x_flux_, *y_flux_, *z_flux_;
};

}  // namespace meander::solvers
