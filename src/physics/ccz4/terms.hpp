// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// First-order CCZ4 (Dumbser et al. 2018, arXiv:1707.09910, eqs. 12) as terms over any value type: the rates
// of all unknowns from the unknowns and their derivatives along the three axes. Non-conservative products and
// source are evaluated together, so that common subexpressions are computed once. Usable in device code.

#include <utility>

#include "physics/ccz4/evolution.hpp"
#include "physics/ccz4/gauge.hpp"
#include "physics/ccz4/metric.hpp"
#include "physics/ccz4/radiation.hpp"
#include "physics/ccz4/unknowns.hpp"
#include "solvers/pde.hpp"

namespace meander::ccz4 {

// Damping of the ordering constraints of the first-order form: A_k, B_k^i, D_kij and P_k relax to the
// derivatives that they represent, as in the first-order generalised harmonic system (Lindblom et al. 2006,
// gamma_2). Near a puncture, where the fields are not smooth, they diverge without it.
// Adds to the rates. by: the rate of relaxation.
template <class T>
MEANDER_TERM void ordering_rates(const Parameters& p, const T& by, const Local<T>& x, const Fields<T>& rate) {
  const Fields<const T> q = x.at;
  MEANDER_UNROLL
  for (int k = 0; k < 3; ++k) {
    rate.A(k) = fma(by, x.d[k].a() - q.A(k), rate.A(k));
    rate.P(k) = fma(by, x.d[k].phi() - q.P(k), rate.P(k));
    MEANDER_UNROLL
    for (int i = 0; i < 3; ++i) {
      if (p.evolves_shift) rate.B(k, i) = fma(by, x.d[k].beta(i) - q.B(k, i), rate.B(k, i));
      MEANDER_UNROLL
      for (int j = i; j < 3; ++j)
        rate.D(k, i, j) = fma(by, fma(T(0.5), x.d[k].g(i, j), -q.D(k, i, j)), rate.D(k, i, j));
    }
  }
}

struct Terms {
  using StepData = NoStepData;
  static constexpr int dim = 3;
  static constexpr int unknowns = ccz4::unknowns;
  static constexpr int auxiliaries = 3;  // the largest |eigenvalue| along each axis
  static constexpr bool has_flux = false, has_ncp = true, has_source = false;
  // Outside these bounds det g~ is reported as an error, not corrected.
  static constexpr double least_det = 0.5, largest_det = 2.0;
  // Inside these bounds det g~ is corrected, but one step of a resolved state never moves det g~ this far
  // from 1.
  static constexpr double far_det = 0.1;
  enum Bounds { phi_bound, lapse_bound, det_bound };

  // Groups of rates, computed one at a time where the rates of a whole volume do not fit into registers. The
  // rates of a group have the most subexpressions in common.
  static constexpr int rate_groups = 10;
  static constexpr int rate_group(int n) {
    if (n >= at::D && n < at::K) return (n - at::D) / 6;
    if (n == at::K || (n >= at::At && n <= at::Theta)) return 3;
    if ((n >= at::G && n < at::a) || (n >= at::beta && n < at::A)) return 4;
    if (n >= at::B && n < at::D) return 5 + (n - at::B) / 3;
    if (n == at::a || n == at::K0 || (n >= at::A && n < at::B)) return 8;
    return 9;
  }

  // Patch sizes with device kernels of their own, in which offsets are constants: those of the usual inputs.
  static constexpr bool specialised_by_patch_size = true;
  using PatchSizes = std::integer_sequence<int, 5, 9, 10, 12, 14, 16>;

  // The unknowns that enforce() may change.
  static constexpr bool enforced(int n) {
    return n < at::Theta || n == at::a || (n >= at::D && n < at::K) || n == at::phi;
  }

  Parameters parameters;

  MEANDER_HOST_DEVICE double dissipation() const { return parameters.dissipation; }

  // dQ/dt. gradient[a * unknowns + n] = dQ_n/dx_a. Linear in the gradient except for its value at zero
  // gradient, the source.
  template <class T>
  MEANDER_TERM void rates(const T* q, const T* gradient, T* rate) const {
    rates(q, gradient, coefficients<T>(), rate);
  }

  // Coefficients that depend on the place (solvers/placed_rates.hpp), within the radii where they do not.
  MEANDER_HOST_DEVICE bool depends_on_place() const {
    return parameters.eta_radius > 0 || parameters.ordering_radius > 0 || parameters.k1_radius > 0;
  }
  template <class T>
  MEANDER_TERM Relaxation<T> coefficients() const {
    return {T(parameters.eta), T(parameters.ordering), T(parameters.k1)};
  }
  template <class T>
  MEANDER_TERM Relaxation<T> coefficients_at(const T* x) const {
    return relaxation_at(parameters, x);
  }
  template <class T>
  MEANDER_TERM void rates(const T* q, const T* gradient, const Relaxation<T>& relaxation, T* rate) const {
    const Local<T> x{{q}, {{gradient}, {gradient + unknowns}, {gradient + 2 * unknowns}}};
    const Fields<T> to{rate};
    Geometry<T> shared;
    geometry(x, parameters.c, shared);
    metric_gradient_rates(x, shared, to);
    metric_rates(parameters, x, shared, to);
    lapse_rates(parameters, x, shared, to);
    connection_rates(parameters, relaxation.k1, x, shared, to);
    shift_rates(parameters, relaxation, x, shared, to);
    Curvature<T> r;
    curvature(x, shared, r);
    curvature_rates(parameters, relaxation.k1, x, shared, r, to);
    if (parameters.ordering > 0) ordering_rates(parameters, relaxation.ordering, x, to);
  }

  template <class T>
  MEANDER_TERM void auxiliary(const T* q, T* speed) const {
    wave_speeds(parameters, q, speed);
  }
  template <class T>
  MEANDER_TERM T max_eigenvalue(const T*, const T* speed, int axis) const {
    return speed[axis];
  }

  static constexpr bool radiates = true;
  template <class T, class At, class Enter>
  MEANDER_TERM void radiate(const At& at, const T* x, const Enter& enter) const {
    radiation_rates(parameters, at, x, enter);
  }

  // -B_axis(Q) gradient by rates(), for kernels without rates() and for tests.
  template <class T>
  MEANDER_HOST_DEVICE void ncp(const T* q, const T* along, int axis, T* product) const {
    T gradient[3 * unknowns], source[unknowns];
    for (int n = 0; n < 3 * unknowns; ++n) gradient[n] = T(0.0);
    rates(q, gradient, source);
    for (int n = 0; n < unknowns; ++n) gradient[axis * unknowns + n] = along[n];
    rates(q, gradient, product);
    for (int n = 0; n < unknowns; ++n) product[n] = source[n] - product[n];
  }

  // True if all unknowns are finite, lapse and phi positive, and det g~ near 1; false for NaN.
  template <class T>
  MEANDER_TERM auto admissible(const T* q) const {
    const Fields<const T> x{q};
    Symmetric<T> cofactor;
    const T det = determinant(x, cofactor);
    T sum(0.0);
    MEANDER_UNROLL
    for (int n = 0; n < unknowns; ++n) sum = fma(T(0.0), q[n], sum);
    return sum <= T(0.0) && x.a() > T(0.0) && x.phi() > T(0.0) && det > T(least_det) && T(largest_det) > det;
  }

  // Whether det g~ is far from 1.
  template <class T>
  MEANDER_TERM auto strays(const T* q) const {
    Symmetric<T> cofactor;
    return abs(determinant(Fields<const T>{q}, cofactor) - T(1.0)) > T(far_det);
  }

  // For a state before enforce(): the index of the last of Bounds that it is beyond, with the value there, or
  // -1.
  MEANDER_HOST_DEVICE int breach(const double* q, double& value) const {
    const Fields<const double> x{q};
    if (strays(q)) {
      Symmetric<double> cofactor;
      value = determinant(x, cofactor);
      return det_bound;
    }
    const bool low_lapse = x.a() < parameters.lapse_floor, low_phi = x.phi() < parameters.phi_floor;
    value = low_lapse ? x.a() : x.phi();
    return low_lapse ? lapse_bound : low_phi ? phi_bound : -1;
  }

  MEANDER_HOST_DEVICE bool enforces() const { return true; }

  // Enforces det g~ = 1, tr A~ = 0, g~^ij D_kij = 0, and the floors. True where a floor was applied.
  template <class T>
  MEANDER_TERM auto enforce(T* q) const {
    const Fields<T> x{q};
    const auto low = x.a() < T(parameters.lapse_floor) || x.phi() < T(parameters.phi_floor);
    x.a() = max(T(parameters.lapse_floor), x.a());
    x.phi() = max(T(parameters.phi_floor), x.phi());
    Symmetric<T> inverse;
    T det = determinant(Fields<const T>{q}, inverse);
    const auto near = det > T(least_det) && T(largest_det) > det;
    det = select(near, det, T(1.0));
    // det^(-1/3) by Newton's method from an initial value within a few per cent; exact for det = 1.
    T root = T(3.0) / (T(2.0) + det);
    MEANDER_UNROLL
    for (int n = 0; n < 4; ++n) root = root * (T(1.0 / 3.0) * (T(4.0) - det * (root * root * root)));
    MEANDER_UNROLL
    for (int n = 0; n < 6; ++n) q[at::g + n] = root * q[at::g + n];
    determinant(Fields<const T>{q}, inverse);
    remove_trace(inverse, q + at::At, q);
    MEANDER_UNROLL
    for (int k = 0; k < 3; ++k) remove_trace(inverse, q + at::D + 6 * k, q);
    return low;
  }

 private:
  template <class T>
  MEANDER_TERM static void remove_trace(const Symmetric<T>& inverse, T* tensor, const T* metric) {
    const T third = T(-1.0 / 3.0) * trace(inverse, symmetric(static_cast<const T*>(tensor)));
    MEANDER_UNROLL
    for (int n = 0; n < 6; ++n) tensor[n] = fma(third, metric[n], tensor[n]);
  }
};

}  // namespace meander::ccz4
