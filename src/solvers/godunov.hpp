// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// First-order finite volumes (Godunov's method; Toro 2009, section 6.1) on one patch, in place, for any
// equation and Riemann solver (riemann.hpp). Each face flux is computed once and serves both adjacent
// volumes. Reads halos across faces only.

#include <utility>

#include "solvers/flux_record.hpp"
#include "solvers/new_state.hpp"

namespace meander::solvers {

template <Pde P, class V, class Flux>
class GodunovKernel {
 public:
  using Source = PatchSource<P, V>;
  static constexpr int N = P::unknowns, A = P::auxiliaries, D = P::dim;
  static constexpr int W = lanes<V>;
  static constexpr int sides = P::has_ncp ? 2 : 1;  // an ncp has separate contributions below and above

  GodunovKernel(const P& pde, const PatchLayout& layout, Workspace& work)
      : pde_(pde),
        layout_(layout),
        plane_(work.plane),
        unknown_stride_(layout.unknown_stride()),
        plane_stride_(layout.stride(2)),
        size_(work.plane.size()),
        edge_(work.plane.edge()),
        first_(plane_.at(-1, 0)),
        last_(plane_.at(layout.p - 1, layout.p - 1)) {
    // Aligned so that the first pack of a sweep over the interior starts on a cache line.
    constexpr int kept = Source::kept_values;
    double* scratch =
        work.scratch.reserve((2 * (A + kept) + (2 * sides + 1) * N) * size_ + 8) + (8 - first_ % 8) % 8;
    aux_[0] = scratch;
    aux_[1] = aux_[0] + (A + kept) * size_;
    y_flux_ = aux_[1] + (A + kept) * size_;
    z_flux_ = y_flux_ + sides * N * size_;
    x_flux_ = z_flux_ + sides * N * size_;
  }

  PatchStatus update(const PatchTask& task, const double* next, double t, double dt,
                     const typename P::StepData* step) {
    ahead_ = next - task.q;
    q_ = task.q;
    const int p = layout_.p;
    const FluxRecord record(task, layout_, plane_);
    const Source source(pde_, task, layout_, plane_, t, dt, step);
    NewState<P, V> news(pde_, plane_, source);
    const V scale(-0.5 * dt / task.dx);
    if constexpr (D == 2) {
      auxiliaries(0, aux_[0], plane_.at(0, -1), plane_.at(p - 1, p), source);
      sweep(0, scale, record, news);
    } else {
      auxiliaries(-1, aux_[0], plane_.at(0, 0), plane_.at(p - 1, p - 1), source);
      auxiliaries(0, aux_[1], plane_.at(0, -1), plane_.at(p - 1, p), source);
      bottom_faces();
      record.take_z(0, z_flux_);
      for (int k = 0; k < p; ++k) {
        std::swap(aux_[0], aux_[1]);
        if (k + 1 < p) {
          auxiliaries(k + 1, aux_[1], plane_.at(0, -1), plane_.at(p - 1, p), source);
        } else {
          auxiliaries(k + 1, aux_[1], plane_.at(0, 0), plane_.at(p - 1, p - 1), source);
        }
        sweep(k, scale, record, news);
      }
      record.take_z(1, z_flux_);
    }
    return news.result();
  }

 private:
  Rows state(int k) const { return {q_ + (D == 3 ? (k + layout_.h) * plane_stride_ : 0), unknown_stride_}; }
  Rows scratch(double* base) const { return {base, size_}; }

  // Computes the auxiliary values of plane k from position `first` to `last`, after the first half of a split source.
  void auxiliaries(int k, double* aux, int first, int last, const Source& source) const {
    if constexpr (SplitSource<P>) {
      if (source.is_split()) return auxiliaries_of_changed(k, aux, source);
    }
    if constexpr (A > 0) {
      const P pde = pde_;
      const Rows from = state(k), to = scratch(aux);
      for (std::ptrdiff_t at = first; at <= last; at += W) {
        V q[N], a[A];
        prefetch<N>(from, at + ahead_);
        read<N>(from, at, q);
        pde.auxiliary(q, a);
        write<A>(to, at, a);
      }
    }
  }
  // Changes the whole plane in the slot, as fluxes read it there. No pack may reach into the next plane, which would
  // be changed twice.
  void auxiliaries_of_changed(int k, double* aux, const Source& source_of_patch) const {
    const P pde = pde_;
    const Source source = source_of_patch;
    const Rows slot = state(k), to = scratch(aux);
    const auto change = [&]<class T>(T, std::ptrdiff_t at) {
      T q[N], a[A + 1], first[Source::first_values], kept[Source::kept_values];
      read<N>(slot, at, q);
      source.at(at, k, first, kept);
      source.split().before(q, first);
      write<N>(slot, at, q);
      if constexpr (A > 0) {
        pde.auxiliary(q, a);
        write<A>(to, at, a);
      }
      write<Source::kept_values>(to.from(A * size_), at, kept);
    };
    const std::ptrdiff_t count = static_cast<std::ptrdiff_t>(edge_) * edge_;
    std::ptrdiff_t at = 0;
    for (; at + W <= count; at += W) change(V(0.0), at);
    for (; at < count; ++at) change(0.0, at);
  }

  // Twice the flux through the upper y faces of rows -1 to p - 1 of plane k.
  void y_faces(int k, const FluxRecord& record) const {
    const P pde = pde_;
    const Rows low = state(k), high = low.from(edge_), aux_low = scratch(aux_[0]),
               aux_high = aux_low.from(edge_), flux = scratch(y_flux_);
    const std::ptrdiff_t last = last_;
    for (std::ptrdiff_t at = plane_.at(0, -1); at <= last; at += W) {
      V ql[N], qr[N], al[A + 1], ar[A + 1], face[sides][N];
      read<N>(low, at, ql);
      read<N>(high, at, qr);
      read<A>(aux_low, at, al);
      read<A>(aux_high, at, ar);
      Flux::through(pde, ql, al, qr, ar, 1, face);
      write<sides * N>(flux, at, &face[0][0]);
    }
    if (record.wants(1)) record.take_plane(1, k, y_flux_);
  }

  // Twice the flux through the lower z faces of plane 0, for the volumes of plane 0.
  void bottom_faces() const {
    const P pde = pde_;
    const Rows low = state(-1), high = state(0), aux_low = scratch(aux_[0]), aux_high = scratch(aux_[1]),
               flux = scratch(z_flux_);
    for (std::ptrdiff_t at = first_; at <= last_; at += W) {
      V ql[N], qr[N], al[A + 1], ar[A + 1], face[sides][N];
      read<N>(low, at, ql);
      read<N>(high, at, qr);
      read<A>(aux_low, at, al);
      read<A>(aux_high, at, ar);
      Flux::through(pde, ql, al, qr, ar, 2, face);
      write<N>(flux, at, face[sides - 1]);
    }
  }

  // Starts one volume below the first, so that the lower x face flux comes from the same pack or the
  // preceding one.
  template <bool record_x>
  void x_faces_and_update(int k, V scale, NewState<P, V>& news) const {
    const P pde = pde_;
    const Rows here = state(k), right = here.from(1), above = D == 3 ? here.from(plane_stride_) : here,
               aux = scratch(aux_[0]), aux_right = aux.from(1), aux_above = scratch(aux_[1]),
               y_flux = scratch(y_flux_), y_flux_below = y_flux.from((sides - 1) * N * size_ - edge_),
               z_flux = scratch(z_flux_), x_flux = scratch(x_flux_);
    const std::ptrdiff_t last = last_;
    V before[N];
    for (int n = 0; n < N; ++n) before[n] = V(0.0);
    for (std::ptrdiff_t at = first_; at <= last; at += W) {
      V q[N], a[A + 1], qr[N], ar[A + 1], face[sides][N], sum[N], other[N];
      read<N>(here, at, q);
      read<A>(aux, at, a);
      read<N>(right, at, qr);
      read<A>(aux_right, at, ar);
      Flux::through(pde, q, a, qr, ar, 0, face);
      if constexpr (record_x) write<N>(x_flux, at, face[0]);
      for (int n = 0; n < N; ++n) {
        sum[n] = face[0][n] - shift_in(before[n], face[sides - 1][n]);
        before[n] = face[sides - 1][n];
      }
      read<N>(y_flux, at, face[0]);
      read<N>(y_flux_below, at, other);
      for (int n = 0; n < N; ++n) sum[n] = sum[n] + (face[0][n] - other[n]);
      if constexpr (D == 3) {
        read<N>(above, at, qr);
        read<A>(aux_above, at, ar);
        Flux::through(pde, q, a, qr, ar, 2, face);
        read<N>(z_flux, at, other);
        write<N>(z_flux, at, face[sides - 1]);
        for (int n = 0; n < N; ++n) sum[n] = sum[n] + (face[0][n] - other[n]);
      }
      for (int n = 0; n < N; ++n) q[n] = fma(scale, sum[n], q[n]);
      write<N>(here, at, q);
    }
    news.finish(here, first_, last_, k, scratch(aux_[0]).from(A * size_));
  }
  void sweep(int k, V scale, const FluxRecord& record, NewState<P, V>& news) const {
    y_faces(k, record);
    if (record.wants(0)) {
      x_faces_and_update<true>(k, scale, news);
      record.take_plane(0, k, x_flux_);
    } else {
      x_faces_and_update<false>(k, scale, news);
    }
  }

  const P& pde_;
  PatchLayout layout_;
  const PlaneMap& plane_;
  std::ptrdiff_t unknown_stride_, plane_stride_, size_;
  int edge_, first_, last_;
  double* q_ = nullptr;
  std::ptrdiff_t ahead_ = 0;  // offset from the slot to the next patch's slot, for prefetching
  double *aux_[2], *x_flux_, *y_flux_, *z_flux_;
};

}  // namespace meander::solvers
