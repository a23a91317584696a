// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The 59 unknowns of a spacetime given by its metric in 3+1 form. A metric is a function object
//   template <class S> Adm<S> operator()(const S (&x)[4]) const      x = t, x, y, z
// All its derivatives are computed exactly.

#include <cmath>

#include "physics/ccz4/parameters.hpp"
#include "physics/ccz4/unknowns.hpp"

namespace meander::ccz4::exact {

// Jet: a value with its partial derivatives with respect to t, x, y, z, which every operation propagates
// exactly (forward differentiation). T is double, or a Jet for second derivatives.
template <class T>
struct Jet {
  T value{};
  T d[4]{};

  Jet() = default;
  Jet(double constant) : value(constant) {}  // NOLINT: constants mix freely with jets in formulas
  // The coordinate `axis` (0: t) with value `at`.
  static Jet coordinate(const T& at, int axis) {
    Jet jet;
    jet.value = at;
    jet.d[axis] = T(1.0);
    return jet;
  }
  // f(x) from f and f' at x.value.
  static Jet chain(const T& f, const T& slope, const Jet& x) {
    Jet jet;
    jet.value = f;
    for (int a = 0; a < 4; ++a) jet.d[a] = slope * x.d[a];
    return jet;
  }

  friend Jet operator+(const Jet& a, const Jet& b) {
    Jet r;
    r.value = a.value + b.value;
    for (int n = 0; n < 4; ++n) r.d[n] = a.d[n] + b.d[n];
    return r;
  }
  friend Jet operator-(const Jet& a) {
    Jet r;
    r.value = -a.value;
    for (int n = 0; n < 4; ++n) r.d[n] = -a.d[n];
    return r;
  }
  friend Jet operator-(const Jet& a, const Jet& b) { return a + (-b); }
  friend Jet operator*(const Jet& a, const Jet& b) {
    Jet r;
    r.value = a.value * b.value;
    for (int n = 0; n < 4; ++n) r.d[n] = a.d[n] * b.value + a.value * b.d[n];
    return r;
  }
  friend Jet operator/(const Jet& a, const Jet& b) {
    Jet r;
    r.value = a.value / b.value;
    for (int n = 0; n < 4; ++n) r.d[n] = (a.d[n] - r.value * b.d[n]) / b.value;
    return r;
  }
};

template <class T>
Jet<T> sqrt(const Jet<T>& x) {
  using std::sqrt;
  const T root = sqrt(x.value);
  return Jet<T>::chain(root, T(0.5) / root, x);
}
template <class T>
Jet<T> sin(const Jet<T>& x) {
  using std::cos, std::sin;
  return Jet<T>::chain(sin(x.value), cos(x.value), x);
}
template <class T>
Jet<T> cos(const Jet<T>& x) {
  using std::cos, std::sin;
  return Jet<T>::chain(cos(x.value), -sin(x.value), x);
}
template <class T>
Jet<T> log(const Jet<T>& x) {
  using std::log;
  return Jet<T>::chain(log(x.value), T(1.0) / x.value, x);
}
template <class T>
Jet<T> cbrt(const Jet<T>& x) {
  using std::cbrt;
  const T root = cbrt(x.value);
  return Jet<T>::chain(root, root / (T(3.0) * x.value), x);
}

// Lapse, shift beta^i, spatial metric g_ij.
template <class S>
struct Adm {
  S lapse;
  S shift[3];
  Symmetric<S> metric;
};

template <class S>
S determinant(const Symmetric<S>& m) {
  return m(0, 0) * (m(1, 1) * m(2, 2) - m(1, 2) * m(1, 2)) -
         m(0, 1) * (m(0, 1) * m(2, 2) - m(1, 2) * m(0, 2)) +
         m(0, 2) * (m(0, 1) * m(1, 2) - m(1, 1) * m(0, 2));
}
template <class S>
Symmetric<S> inverse(const Symmetric<S>& m) {
  const S volume = S(1.0) / determinant(m);
  Symmetric<S> r;
  for (int i = 0; i < 3; ++i) {
    for (int j = i; j < 3; ++j) {
      const int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, e = (j + 2) % 3;
      r(i, j) = volume * (m(a, c) * m(b, e) - m(a, e) * m(b, c));
    }
  }
  return r;
}

// K and A~_ij from K_ij.
template <class S>
void set_curvature(const Fields<S>& q, const Symmetric<S>& curvature) {
  Symmetric<S> conformal;
  for (int n = 0; n < 6; ++n) conformal.of[n] = q.q[at::g + n];
  const Symmetric<S> raise = inverse(conformal);
  const S scale = q.phi() * q.phi();
  q.K() = S(0.0);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) q.K() = q.K() + scale * raise(i, j) * curvature(i, j);
  }
  for (int i = 0; i < 3; ++i) {
    for (int j = i; j < 3; ++j) q.At(i, j) = scale * curvature(i, j) - S(1.0 / 3.0) * q.g(i, j) * q.K();
  }
}

// G^i = G~^i from D_kij.
template <class S>
void set_connection(const Symmetric<S>& raise, const Fields<S>& q) {
  for (int i = 0; i < 3; ++i) {
    q.G(i) = S(0.0);
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 3; ++k) {
        for (int l = 0; l < 3; ++l)
          q.G(i) = q.G(i) + raise(j, k) * raise(i, l) * (S(2.0) * q.D(j, k, l) - q.D(l, j, k));
      }
    }
  }
}

// Whether K_0 makes the lapse stationary: for coordinates in which nothing moves.
enum class Gauge { free, still };

// All unknowns but the curvature: g~, phi, lapse, shift, their derivatives, and G^i. The rest are zero.
template <class S>
void set_geometry(const Adm<Jet<S>>& adm, const Fields<S>& q) {
  const Jet<S> scale = Jet<S>(1.0) / cbrt(determinant(adm.metric)), phi = sqrt(scale);
  Symmetric<S> conformal;
  for (int n = 0; n < ccz4::unknowns; ++n) q.q[n] = S(0.0);
  for (int i = 0; i < 3; ++i) {
    for (int j = i; j < 3; ++j) {
      const Jet<S> g = scale * adm.metric(i, j);
      conformal(i, j) = q.g(i, j) = g.value;
      for (int k = 0; k < 3; ++k) q.D(k, i, j) = S(0.5) * g.d[1 + k];
    }
  }
  q.a() = adm.lapse.value;
  q.phi() = phi.value;
  for (int k = 0; k < 3; ++k) {
    q.beta(k) = adm.shift[k].value;
    q.A(k) = adm.lapse.d[1 + k];
    q.P(k) = phi.d[1 + k];
    for (int i = 0; i < 3; ++i) q.B(k, i) = adm.shift[i].d[1 + k];
  }
  set_connection(inverse(conformal), q);
}

// Theta = Z_i = b^i = 0, A~ and K from dt g_ij, K_0 = 0 or as the gauge requires.
template <class S, class Metric>
void from_metric(const Metric& metric, const S (&x)[4], Slicing slicing, Gauge gauge, S* unknowns) {
  Jet<S> at[4];
  for (int a = 0; a < 4; ++a) at[a] = Jet<S>::coordinate(x[a], a);
  const Adm<Jet<S>> adm = metric(at);
  const Fields<S> q{unknowns};
  set_geometry(adm, q);
  Symmetric<S> curvature;
  for (int i = 0; i < 3; ++i) {
    for (int j = i; j < 3; ++j) {
      S drag = -adm.metric(i, j).d[0];
      for (int k = 0; k < 3; ++k) {
        drag = drag + adm.shift[k].value * adm.metric(i, j).d[1 + k] +
               adm.metric(k, i).value * adm.shift[k].d[1 + j] +
               adm.metric(k, j).value * adm.shift[k].d[1 + i];
      }
      curvature(i, j) = drag / (S(2.0) * adm.lapse.value);
    }
  }
  set_curvature(q, curvature);
  if (gauge == Gauge::still) {
    const S drift = q.beta(0) * q.A(0) + q.beta(1) * q.A(1) + q.beta(2) * q.A(2);
    q.K0() = q.K() - drift / (slicing == Slicing::harmonic ? q.a() * q.a() : S(2.0) * q.a());
  }
}

// The unknowns from data at one time: a function object
//   template <class S> InitialData<S> operator()(const S (&x)[3]) const      x = x, y, z
template <class S>
struct InitialData {
  Adm<S> adm;
  Symmetric<S> curvature;  // K_ij
};
template <class S, class Data>
void from_data(const Data& data, const S (&x)[3], S* unknowns) {
  Jet<S> at[3];
  for (int a = 0; a < 3; ++a) at[a] = Jet<S>::coordinate(x[a], 1 + a);
  const InitialData<Jet<S>> here = data(at);
  const Fields<S> q{unknowns};
  set_geometry(here.adm, q);
  Symmetric<S> curvature;
  for (int n = 0; n < 6; ++n) curvature.of[n] = here.curvature.of[n].value;
  set_curvature(q, curvature);
}

}  // namespace meander::ccz4::exact
