// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Exact spacetimes for from_metric(): gauge wave, linear wave, Kerr-Schild with spin, at rest or moving.

#include <numbers>

#include "physics/ccz4/exact/from_metric.hpp"

namespace meander::ccz4::exact {

template <class S>
Adm<S> flat() {
  Adm<S> r;
  r.lapse = S(1.0);
  for (int i = 0; i < 3; ++i) {
    r.shift[i] = S(0.0);
    for (int j = i; j < 3; ++j) r.metric(i, j) = S(i == j ? 1.0 : 0.0);
  }
  return r;
}

// Gauge wave: ds^2 = -H dt^2 + H dx'^2 + dy'^2 + dz'^2, H = 1 - A sin(2 pi (x' - t) / width). Flat space in
// oscillating coordinates, exact for harmonic slicing (Alcubierre et al. 2004). x' is along the x axis, or
// along the diagonal of x and y, where the wave has the period width * sqrt(2) along both axes.
struct GaugeWave {
  double amplitude = 0.1, width = 1.0;
  bool diagonal = false;

  template <class S>
  Adm<S> operator()(const S (&x)[4]) const {
    const double c = diagonal ? std::numbers::sqrt2 / 2 : 1.0;
    const S along = diagonal ? S(c) * (x[1] + x[2]) : x[1];
    const S h = S(1.0) - S(amplitude) * sin(S(2 * std::numbers::pi / width) * (along - x[0]));
    Adm<S> r = flat<S>();
    r.lapse = sqrt(h);
    const S excess = h - S(1.0);
    if (diagonal) {
      r.metric(0, 0) = r.metric(1, 1) = S(1.0) + S(0.5) * excess;
      r.metric(0, 1) = S(0.5) * excess;
    } else {
      r.metric(0, 0) = h;
    }
    return r;
  }
};

// A weak gravitational wave along x, polarised along y and z: ds^2 = -dt^2 + dx^2 + (1 + b) dy^2 + (1 - b)
// dz^2, b = A sin(2 pi (x - t) / width); exact up to terms of A^2 (Alcubierre et al. 2004).
struct LinearWave {
  double amplitude = 1e-8, width = 1.0;

  template <class S>
  Adm<S> operator()(const S (&x)[4]) const {
    const S b = S(amplitude) * sin(S(2 * std::numbers::pi / width) * (x[1] - x[0]));
    Adm<S> r = flat<S>();
    r.metric(1, 1) = S(1.0) + b;
    r.metric(2, 2) = S(1.0) - b;
    return r;
  }
};

// A black hole in Kerr-Schild coordinates, spin a = spin * mass along z, moving along x at `velocity` (Kerr
// and Schild 1965): g_ab = eta_ab + 2 H l_a l_b. Regular outside the ring; |spin| < 1, |velocity| < 1.
struct KerrSchild {
  double mass = 1.0, spin = 0.0, velocity = 0.0;

  template <class S>
  Adm<S> operator()(const S (&x)[4]) const {
    const double lorentz = 1 / std::sqrt(1 - velocity * velocity), a = spin * mass;
    const S X = S(lorentz) * (x[1] - S(velocity) * x[0]), Y = x[2], Z = x[3];
    const S rho = X * X + Y * Y + Z * Z - S(a * a);
    const S r2 = S(0.5) * (rho + sqrt(rho * rho + S(4 * a * a) * Z * Z)), r = sqrt(r2);
    const S H = S(mass) * r * r2 / (r2 * r2 + S(a * a) * Z * Z), share = S(1.0) / (r2 + S(a * a));
    const S lx = (r * X + S(a) * Y) * share, ly = (r * Y - S(a) * X) * share, lz = Z / r;
    // Transformation from the rest frame of the hole.
    const S lt = S(lorentz) * (S(1.0) - S(velocity) * lx);
    const S l[3] = {S(lorentz) * (lx - S(velocity)), ly, lz};
    Adm<S> adm = flat<S>();
    const S twice = S(2.0) * H, square = S(1.0) / (S(1.0) + twice * lt * lt);
    adm.lapse = sqrt(square);
    for (int i = 0; i < 3; ++i) {
      adm.shift[i] = twice * lt * l[i] * square;
      for (int j = i; j < 3; ++j) adm.metric(i, j) = adm.metric(i, j) + twice * l[i] * l[j];
    }
    return adm;
  }
};

}  // namespace meander::ccz4::exact
