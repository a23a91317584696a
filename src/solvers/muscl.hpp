// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// MUSCL-Hancock (van Leer 1984; Toro 2009, section 14.4) on one patch, in place, unsplit, for any equation
// with primitive variables W: limited offsets dW of the face states along every axis, a predictor over dt / 2 by
// the quasi-linear form, face states W +- dW, and the flux of a Riemann solver (riemann.hpp) between them. A
// volume with an inadmissible face state, or with face states that may leave it inadmissible (positivity.hpp), uses
// its own state at its faces; it is then first order, and counted. Reads halos of width 2 across faces, and of width 1
// across edges.
// With a balanced source (Balanced of pde.hpp), offsets are limited differences of W from its state at rest, as in Kaeppeli &
// Mishra 2016 (A&A 587, A94): of the pressure, from p +- dx/2 rho g. Gas at rest in this discrete equilibrium stays there.

#include <utility>

#include "solvers/flux_record.hpp"
#include "solvers/new_state.hpp"
#include "solvers/positivity.hpp"

namespace meander::solvers {

template <Reconstructible P, class V, class Limiter, class Flux>
class MusclHancock {
 public:
  using Source = PatchSource<P, V>;
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
    // Aligned so that the first pack of a sweep over the interior starts on a cache line. Packs may begin up to W - 1
    // positions before a plane.
    double* scratch =
        work.scratch.reserve((10 + D) * block + 3 * kept_size() + 16) + 8 + (8 - first_ % 8) % 8;
    for (double*& primitive : primitive_) primitive = take(scratch, block);
    predicted_ = take(scratch, block);
    for (int a = 0; a < 2; ++a) offset_[a] = take(scratch, block);
    x_flux_ = take(scratch, block);
    y_flux_ = take(scratch, block);
    sum_ = take(scratch, block);
    if constexpr (D == 3) {
      z_flux_ = take(scratch, block);
      bottom_ = take(scratch, block);
      for (double*& top : top_) top = take(scratch, block);
    }
    kept_ = take(scratch, 3 * kept_size());
  }

  PatchStatus update(const PatchTask& task, const double* next, double t, double dt,
                     const typename P::StepData* step) {
    ahead_ = next - task.q;
    q_ = task.q;
    ratio_ = dt / task.dx;
    half_dx_ = 0.5 * task.dx;
    first_order_ = V(0.0);
    const int p = layout_.p;
    const FluxRecord record(task, layout_, plane_);
    const Source source(pde_, task, layout_, plane_, t, dt, step);
    NewState<P, V> news(pde_, plane_, source);
    if constexpr (D == 2) {
      primitives_of_plane(0, 1, source);
      states<true>(plane_.at(0, -1), plane_.at(p - 1, p), 0, source);
      plane_faces(0, record);
      advance(source, news);
    } else {
      primitives_of_plane(-2, 0, source);
      primitives_of_plane(-1, 1, source);
      for (int k = -1; k <= p; ++k) {
        primitives_of_plane(k + 1, 2, source);
        const bool inside = k >= 0 && k < p;
        if (inside) {
          states<true>(plane_.at(0, -1), plane_.at(p - 1, p), k, source);
        } else {
          states<false>(plane_.at(0, 0), last_, k, source);
        }
        if (k == 0) z_faces<false>(k, source, news);
        if (k == 0) record.take_z(0, z_flux_);
        if (k > 0) z_faces<true>(k, source, news);
        if (k == p) record.take_z(1, z_flux_);
        if (inside) plane_faces(k, record);
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

  // What is kept of a split source in plane k.
  std::ptrdiff_t kept_size() const { return Source::kept_values * size_; }
  Rows kept_of(int k) const { return scratch(kept_ + (k + 3) % 3 * kept_size()); }
  // Where a sweep whose packs lie on cache lines of the scratch memory begins in order to cover position `at`.
  std::ptrdiff_t aligned(std::ptrdiff_t at) const { return first_ - (first_ - at + W - 1) / W * W; }

  // Computes the primitive variables that the slopes of plane k's volumes and of volumes across its faces
  // read, after the first half of a split source. The slot keeps the old state.
  void primitives_of_plane(int k, int slot, const Source& source) const {
    const int p = layout_.p, outside = D == 2 ? 0 : k < 0 ? -k : k >= p ? k - p + 1 : 0;
    const int reach = 2 - outside;  // rows of halo
    const int first = plane_.at(0, -reach), last = plane_.at(p - 1, p - 1 + reach);
    double* const to = primitive_[slot];
    if constexpr (SplitSource<P>) {
      if (source.is_split() && outside > 0) return primitives<true, false>(k, to, first, last, source);
      if (source.is_split()) {
        primitives<true, false>(k, to, first, plane_.at(p, -1), source);
        primitives<true, true>(k, to, plane_.at(-2, 0), plane_.at(p + 1, p - 1), source);
        return primitives<true, false>(k, to, plane_.at(-1, p), last, source);
      }
    }
    primitives<false, false>(k, to, first, last, source);
  }
  template <bool split, bool inside>
  void primitives(int k, double* primitive, int first, int last, const Source& source_of_patch) const {
    const P pde = pde_;
    const Source source = source_of_patch;
    const Rows from = state(k), to = scratch(primitive), to_kept = kept_of(k);
    for (std::ptrdiff_t at = first; at <= last; at += W) {
      V q[N], w[N];
      prefetch<N>(from, at + ahead_);
      read<N>(from, at, q);
      pde.primitive(q, w);
      if constexpr (split) {
        V values[Source::first_values], kept[Source::kept_values];
        source.at(at, k, values, kept);
        source.split().before_primitive(w, values);
        if constexpr (inside) write<Source::kept_values>(to_kept, at, kept);
      }
      write<N>(to, at, w);
    }
  }

  static MEANDER_TERM void limited(const V* w, const Rows& below, const Rows& above, std::ptrdiff_t at,
                                   V* offset) {
    V low[N], high[N];
    read<N>(below, at, low);
    read<N>(above, at, high);
    for (int n = 0; n < N; ++n) offset[n] = Limiter::limit(w[n] - low[n], high[n] - w[n]);
  }
  // The same about the state at rest. fields: rows of one field, as those of the primitive variables.
  struct Place {
    Rows primitive;
    const double* field;
    Place from(std::ptrdiff_t offset) const { return {primitive.from(offset), field + offset}; }
  };
  MEANDER_TERM void limited_about_rest(const P& pde, const V* w, const Place& below, const Place& here,
                                       const Place& above, std::ptrdiff_t at, int axis, V* offset,
                                       V* change) const {
    const auto rest = [&](const Place& place) {
      const V weighed = load<V>(place.primitive.base + P::weighed * place.primitive.stride + at);
      return V(half_dx_) * (weighed * load<V>(place.field + at));
    };
    const V own = rest(here), lower = own + rest(below), upper = own + rest(above);
    V low[N], high[N];
    read<N>(below.primitive, at, low);
    read<N>(above.primitive, at, high);
    for (int n = 0; n < N; ++n) {
      V down = w[n] - low[n], up = high[n] - w[n];
      if (n == P::balanced) {
        down = down - lower;
        up = up - upper;
      }
      offset[n] = Limiter::limit(down, up);
    }
    pde.add_quasilinear(w, offset, axis, change);
    pde.add_balanced(w, own, axis, change);
    offset[P::balanced] = offset[P::balanced] + own;
  }

  // Predicted states of plane k and the offsets of their face states.
  template <bool inside>
  void states(int first, int last, int k, const Source& source) {
    source.balances() ? states<inside, Balanced<P>>(first, last, k, source)
                      : states<inside, false>(first, last, k, source);
  }
  template <bool inside, bool balanced>
  void states(int first, int last, int k, const Source& source) {
    const P pde = pde_;
    const V back(-ratio_), zero(0.0);
    const Rows below = scratch(primitive_[0]), here = scratch(primitive_[1]), above = scratch(primitive_[2]),
               left = here.from(-1), right = here.from(1), front = here.from(-edge_), rear = here.from(edge_),
               to = scratch(predicted_), to_x = scratch(offset_[0]), to_y = scratch(offset_[1]),
               bottom = scratch(bottom_), top = scratch(top_[1]);
    const double *const interior = plane_.interior(), *const wanted = inside ? plane_.beside() : interior;
    const auto field = [&](int plane, int axis) {
      const Rows rows = source.fields_of_plane(plane);
      return rows.base + axis * rows.stride;
    };
    V first_order = first_order_;
    for (std::ptrdiff_t at = aligned(first); at <= last; at += W) {
      V w[N], predicted[N], offset[D][N], change[N];
      read<N>(here, at, w);
      for (int n = 0; n < N; ++n) change[n] = zero;
      if constexpr (balanced) {
        for (int axis = 0; axis < D; ++axis) {
          const std::ptrdiff_t step = axis == 0 ? 1 : edge_;
          const Place place{here, field(k, axis)};
          const Place down = axis < 2 ? place.from(-step) : Place{below, field(k - 1, axis)},
                      up = axis < 2 ? place.from(step) : Place{above, field(k + 1, axis)};
          limited_about_rest(pde, w, down, place, up, at, axis, offset[axis], change);
        }
        if constexpr (inside) {
          write<N>(to_x, at, offset[0]);
          write<N>(to_y, at, offset[1]);
        }
      } else {
        limited(w, left, right, at, offset[0]);
        pde.add_quasilinear(w, offset[0], 0, change);
        if constexpr (inside) write<N>(to_x, at, offset[0]);
        limited(w, front, rear, at, offset[1]);
        pde.add_quasilinear(w, offset[1], 1, change);
        if constexpr (inside) write<N>(to_y, at, offset[1]);
        if constexpr (D == 3) {
          limited(w, below, above, at, offset[2]);
          pde.add_quasilinear(w, offset[2], 2, change);
        }
      }
      for (int n = 0; n < N; ++n) predicted[n] = fma(back, change[n], w[n]);
      const auto good = stays_admissible<Flux>(pde, w, predicted, offset, ratio_,
                                               [&] { return zero < load<V>(wanted + at); });
      if (!all(good)) {
        for (int n = 0; n < N; ++n) {
          predicted[n] = select(good, predicted[n], w[n]);
          for (int a = 0; a < D; ++a) offset[a][n] = select(good, offset[a][n], zero);
        }
        if constexpr (inside) {
          write<N>(to_x, at, offset[0]);
          write<N>(to_y, at, offset[1]);
        }
        if constexpr (inside) first_order = first_order + select(good, zero, load<V>(interior + at));
      }
      if constexpr (inside) {
        write<N>(to, at, predicted);
      }
      if constexpr (D == 3) {
        V low[N], high[N];
        for (int n = 0; n < N; ++n) {
          low[n] = predicted[n] - offset[2][n];
          high[n] = predicted[n] + offset[2][n];
        }
        write<N>(bottom, at, low);
        write<N>(top, at, high);
      }
    }
    first_order_ = first_order;
  }

  // Computes twice the flux through the upper faces of volumes of a plane.
  struct PlaneStates {
    Rows state, offset, next_state, next_offset;
  };
  static MEANDER_TERM void upper_flux(const P& pde, const PlaneStates& states, std::ptrdiff_t at, int axis,
                                      V* flux) {
    V wl[N], wr[N], offset[N];
    read<N>(states.state, at, wl);
    read<N>(states.offset, at, offset);
    for (int n = 0; n < N; ++n) wl[n] = wl[n] + offset[n];
    read<N>(states.next_state, at, wr);
    read<N>(states.next_offset, at, offset);
    for (int n = 0; n < N; ++n) wr[n] = wr[n] - offset[n];
    primitive_flux<Flux>(pde, wl, wr, axis, flux);
  }
  PlaneStates plane_states(int axis) const {
    const int up = axis == 0 ? 1 : edge_;
    const Rows state = scratch(predicted_), offset = scratch(offset_[axis]);
    return {state, offset, state.from(up), offset.from(up)};
  }

  // Computes the fluxes through the x and y faces of plane k, and twice the net outflow through them in sum_.
  void plane_faces(int k, const FluxRecord& record) const {
    const P pde = pde_;
    const std::ptrdiff_t last = last_;
    const Rows x_flux = scratch(x_flux_), y_flux = scratch(y_flux_), y_flux_below = y_flux.from(-edge_),
               sum = scratch(sum_);
    const PlaneStates along_y = plane_states(1), along_x = plane_states(0);
    for (std::ptrdiff_t at = aligned(plane_.at(0, -1)); at <= last; at += W) {
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
  template <bool inside, bool split>
  void z_faces(int k, const Source& source_of_patch) const {
    const P pde = pde_;
    const Source source = source_of_patch;
    const V scale(-0.5 * ratio_);
    const Rows low = scratch(top_[0]), high = scratch(bottom_), flux = scratch(z_flux_), sum = scratch(sum_),
               done = state(k - 1), kept = kept_of(k - 1);
    const std::ptrdiff_t last = last_;
    for (std::ptrdiff_t at = first_; at <= last; at += W) {
      V wl[N], wr[N], face[N];
      read<N>(low, at, wl);
      read<N>(high, at, wr);
      primitive_flux<Flux>(pde, wl, wr, 2, face);
      if constexpr (inside) {
        V q[N], outflow[N], below[N];
        old_state<split>(source, done, kept, at, k - 1, q);
        read<N>(sum, at, outflow);
        read<N>(flux, at, below);
        for (int n = 0; n < N; ++n) q[n] = fma(scale, outflow[n] + (face[n] - below[n]), q[n]);
        write<N>(done, at, q);
      }
      write<N>(flux, at, face);
    }
  }
  template <bool inside>
  void z_faces(int k, const Source& source, NewState<P, V>& news) const {
    source.is_split() ? z_faces<inside, SplitSource<P>>(k, source) : z_faces<inside, false>(k, source);
    if constexpr (inside) news.finish(state(k - 1), first_, last_, k - 1, kept_of(k - 1));
  }

  // 2D: completes the only plane.
  template <bool split>
  void advance(const Source& source_of_patch) const {
    const Source source = source_of_patch;
    const V scale(-0.5 * ratio_);
    const Rows done = state(0), sum = scratch(sum_), kept = kept_of(0);
    for (std::ptrdiff_t at = first_; at <= last_; at += W) {
      V q[N], outflow[N];
      old_state<split>(source, done, kept, at, 0, q);
      read<N>(sum, at, outflow);
      for (int n = 0; n < N; ++n) q[n] = fma(scale, outflow[n], q[n]);
      write<N>(done, at, q);
    }
  }
  void advance(const Source& source, NewState<P, V>& news) const {
    source.is_split() ? advance<SplitSource<P>>(source) : advance<false>(source);
    news.finish(state(0), first_, last_, 0, kept_of(0));
  }

  // The state before the fluxes, after the first half of a split source.
  template <bool split>
  static MEANDER_TERM void old_state(const Source& source, const Rows& from, const Rows& kept_rows,
                                     std::ptrdiff_t at, int k, V* q) {
    read<N>(from, at, q);
    if constexpr (split) {
      V kept[Source::kept_values];
      read<Source::kept_values>(kept_rows, at, kept);
      source.before(q, at, k, kept);
    }
  }

  const P& pde_;
  PatchLayout layout_;
  const PlaneMap& plane_;
  std::ptrdiff_t unknown_stride_, plane_stride_, size_;
  int edge_, first_, last_;
  double* q_ = nullptr;
  std::ptrdiff_t ahead_ = 0;  // offset from the slot to the next patch's slot, for prefetching
  double ratio_ = 0, half_dx_ = 0;
  V first_order_ = V(0.0);
  double* primitive_[3];  // of the planes below, at and above the current one
  double *predicted_, *offset_[2];
  double *x_flux_, *y_flux_, *sum_, *kept_;
  double *z_flux_ = nullptr, *bottom_ = nullptr, *top_[2] = {nullptr, nullptr};
};

}  // namespace meander::solvers
