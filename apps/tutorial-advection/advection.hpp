// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Linear advection: dQ/dt + v . grad Q = 0.
#include "solvers/conservation_law.hpp"

struct Wind {
  double velocity[3] = {1, 0.5, 0.25};
};

template <int D>
struct Advection : meander::solvers::ConservationLaw<Advection, D, 1, Wind> {
  template <class T>
  MEANDER_TERM void flux(const T* q, const T*, int axis, T* f) const {
    f[0] = T(this->parameters.velocity[axis]) * q[0];
  }
  template <class T>
  MEANDER_TERM T max_eigenvalue(const T*, const T*, int axis) const {
    return abs(T(this->parameters.velocity[axis]));
  }
};
