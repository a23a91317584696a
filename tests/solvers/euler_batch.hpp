// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Euler batches of random gas, with and without gravity and floors, for tests of device kernels.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "physics/euler/gravity.hpp"
#include "physics/euler/solver.hpp"
#include "physics/euler/terms.hpp"
#include "tests/solvers/block_batch.hpp"
#include "tests/solvers/every_scheme.hpp"

namespace meander::solvers::test {

struct EulerCase {
  int dim, p;
  SchemeWords scheme;
  bool gravity, floors, dual_energy = false;

  std::string name() const {
    return std::to_string(dim) + "D_p" + std::to_string(p) + '_' + name_of<euler::Terms<3>>(scheme) +
           (gravity ? "_gravity" : "") + (floors ? "_floors" : "") + (dual_energy ? "_dual" : "");
  }
  friend void PrintTo(const EulerCase& one, std::ostream* out) { *out << one.name(); }
};

// Every scheme with these patch sizes, without and with all optional terms of a step.
inline std::vector<EulerCase> euler_cases(const std::vector<int>& sizes, bool dual_energy = false) {
  std::vector<EulerCase> all;
  for (int dim = 2; dim <= 3; ++dim) {
    for (const int p : sizes) {
      for (const bool more : {false, true}) {
        for (const SchemeWords& scheme : every_scheme<euler::Terms<3>>())
          all.push_back({dim, p, scheme, more, scheme.limiter == "minmod" ? !more : more, dual_energy});
      }
    }
  }
  return all;
}

inline std::unique_ptr<Solver> make(const EulerCase& one) {
  using Kind = euler::ExternalGravity::Kind;
  // The radial field alone, with a uniform one, a point mass alone, the radial field with fields, and balanced fields.
  const int sum = (one.dim + one.p) % 5;
  euler::Parameters parameters{.gamma = 5.0 / 3};
  parameters.dual_energy = one.dual_energy;
  parameters.gravity_fields = one.gravity && sum >= 3;
  if (one.floors) {
    parameters.density_floor = 0.3;
    parameters.pressure_floor = 0.2;
  }
  auto solver = euler::make_solver(one.dim, parameters, one.scheme);
  if (one.gravity) {
    auto& gravity = *static_cast<euler::Gravity*>(solver->step_data());
    gravity.radial = true;
    gravity.bins = 40;
    gravity.dr = 0.01;
    for (double& centre : gravity.centre) centre = 0.2;
    gravity.strength = 0.7;
    gravity.excess_total = 0.9;
    gravity.strength_rate = -0.4;
    gravity.excess_rate = 0.8;
    for (int i = 0; i <= gravity.bins; ++i) {
      gravity.table[i] = 3.0 / (1 + i);
      gravity.table_rate[i] = 5.0 / (2 + i);
    }
    // Of seven patches (Batch::place) the first touches all lower faces, the last all upper ones.
    for (int a = 0; a < 3; ++a) {
      gravity.lower[a] = -0.05 * a;
      gravity.upper[a] = 0.6 - 0.05 * a + 0.1 * one.p;
    }
    gravity.beyond[1] = euler::Gravity::Beyond::periodic;
    gravity.beyond[2] = euler::Gravity::Beyond::mirrored;
    gravity.external.kind = Kind{static_cast<std::uint8_t>(std::min(sum, 3))};
    gravity.balances = sum == 4;
    const double vector[3] = {0.3, -0.4, 0.15};
    std::copy(vector, vector + 3, gravity.external.vector);
    gravity.external.mass = 0.1;
    gravity.external.softening_squared = 1e-3;
    gravity.radial = gravity.external.kind != Kind::point && !gravity.balances;
  }
  return solver;
}

inline void set_entropies(const Solver& solver, Patch& patch, std::mt19937& engine) {
  const int dim = patch.layout.dim;
  for_volumes(patch.layout, patch.layout.h, [&](int i, int j, int k) {
    std::vector<double> q = patch.volume(i, j, k);
    solver.complete(q.data());
    patch.at(dim + 2, i, j, k) = q.back();
    if (q[0] > 0.02 || engine() % 2 > 0) return;
    double kinetic = 0;
    for (int a = 0; a < dim; ++a) {
      const double momentum = patch.at(1 + a, i, j, k) *= 10;
      kinetic += 0.5 * momentum * momentum / q[0];
    }
    patch.at(dim + 1, i, j, k) = kinetic * (1 + 1e-6);
  });
}

// Some volumes have a hundredth of the density of others, so that MUSCL falls back to first order next to
// them. With dual energy, every other one of these moves so fast that its pressure follows from its entropy.
inline Batch random_batch(const Solver& solver, int p, int count) {
  const auto fill = [&](Patch& patch, unsigned seed) {
    fill_random_gas(patch, seed, 5.0 / 3, solver.traits().halo);
    std::mt19937 engine(seed + 1000);
    for_volumes(patch.layout, patch.layout.h, [&](int i, int j, int k) {
      if (engine() % 5 > 0) return;
      for (int n = 0; n < patch.layout.unknowns; ++n) patch.at(n, i, j, k) *= 0.01;
    });
    if (patch.layout.unknowns == patch.layout.dim + 3) set_entropies(solver, patch, engine);
    std::uniform_real_distribution<double> acceleration(-1, 1);
    for_volumes(patch.layout, patch.layout.h, [&](int i, int j, int k) {
      for (int f = 0; f < patch.layout.fields; ++f)
        patch.at(patch.layout.unknowns + f, i, j, k) = acceleration(engine);
    });
    poison_unread(patch.layout, patch.q, solver.traits().halo_shape);
  };
  return {solver, p, count, fill};
}

}  // namespace meander::solvers::test
