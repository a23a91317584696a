// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// MUSCL-Hancock keeps density and pressure positive, whatever the contrasts between volumes, and remains of second order
// where they are small.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "physics/euler/dual_energy_terms.hpp"
#include "physics/euler/solver.hpp"
#include "solvers/positivity.hpp"
#include "tests/solvers/patches.hpp"

namespace meander::solvers::test {
namespace {

constexpr double gamma_law = 1.4;

struct Draw {
  std::mt19937 engine;
  double operator()(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine);
  }
};

// Along every axis density, velocity and pressure rise or fall monotonically, so that no limiter clips their slopes;
// logarithms change by up to `contrast` and velocities by up to `shear` from volume to volume, until densities and
// pressures differ by a factor of a million.
Patch ramps(const PatchLayout& layout, Draw& draw, double contrast, double shear) {
  const int count = layout.p + 2 * layout.h, dim = layout.dim, unknowns = dim + 2;
  std::vector<std::vector<double>> part;  // [axis * unknowns + unknown][volume along the axis]
  for (int a = 0; a < dim; ++a) {
    for (int n = 0; n < unknowns; ++n) {
      const bool is_velocity = n >= 1 && n <= dim;
      const double sign = draw(-1, 1) < 0 ? -1 : 1;
      auto& values = part.emplace_back(static_cast<std::size_t>(count), 0.0);
      for (std::size_t i = 1; i < values.size(); ++i)
        values[i] = values[i - 1] + sign * draw(0, is_velocity ? shear : contrast);
    }
  }
  Patch patch(layout);
  for_volumes(layout, layout.h, [&](int i, int j, int k) {
    const int at[3] = {i, j, k};
    std::vector<double> w(static_cast<std::size_t>(unknowns), 0.0);
    for (int a = 0; a < dim; ++a) {
      for (int n = 0; n < unknowns; ++n)
        w[static_cast<std::size_t>(n)] +=
            part[static_cast<std::size_t>(a * unknowns + n)][static_cast<std::size_t>(at[a] + layout.h)];
    }
    const double most = 7, density = std::exp(std::clamp(w.front(), -most, most));
    double kinetic = 0;
    for (int a = 0; a < dim; ++a) {
      const double u = w[static_cast<std::size_t>(1 + a)];
      patch.at(1 + a, i, j, k) = density * u;
      kinetic += 0.5 * density * u * u;
    }
    // Not so cold that the pressure is lost in the rounding of the total energy.
    const double pressure = std::max(std::exp(std::clamp(w.back(), -most, most)), 1e-7 * kinetic);
    patch.at(0, i, j, k) = density;
    patch.at(1 + dim, i, j, k) = pressure / (gamma_law - 1) + kinetic;
  });
  return patch;
}

// The largest sum of wave speeds over the volumes and their neighbours across faces.
double largest_rate(const PatchLayout& layout, const Patch& patch) {
  double largest = 0;
  for_volumes(layout, 1, [&](int i, int j, int k) {
    if (axes_outside(layout, i, j, k) > 1) return;
    const double rho = patch.at(0, i, j, k);
    double speeds = 0, kinetic = 0;
    for (int a = 0; a < layout.dim; ++a) {
      speeds += std::abs(patch.at(1 + a, i, j, k)) / rho;
      kinetic += 0.5 * patch.at(1 + a, i, j, k) * patch.at(1 + a, i, j, k) / rho;
    }
    const double pressure = (gamma_law - 1) * (patch.at(1 + layout.dim, i, j, k) - kinetic);
    largest = std::max(largest, speeds + layout.dim * std::sqrt(gamma_law * pressure / rho));
  });
  return largest;
}

struct Count {
  int failed = 0;
  std::int64_t first_order = 0, volumes = 0;
};

Count update_ramps(int dim, const SchemeWords& scheme, double contrast, double shear, double courant,
                   bool dual_energy = false) {
  const auto solver = euler::make_solver(dim, {.gamma = gamma_law, .dual_energy = dual_energy}, scheme);
  const PatchLayout layout(dim, 6, 2, solver->traits().unknowns);
  Count count;
  for (unsigned seed = 0; seed < 300; ++seed) {
    Draw draw{std::mt19937(seed)};
    Patch patch = ramps(layout, draw, contrast, shear);
    for_volumes(layout, layout.h, [&](int i, int j, int k) {
      std::vector<double> q = patch.volume(i, j, k);
      solver->complete(q.data());
      patch.at(layout.unknowns - 1, i, j, k) = q.back();
    });
    const PatchTask task = patch.task(1.0);
    PatchStatus status;
    solver->update({&task, 1}, layout, 0, 0.0, courant / largest_rate(layout, patch), {&status, 1});
    count.failed += status.admissible ? 0 : 1;
    count.first_order += status.first_order;
    count.volumes += layout.volumes();
  }
  return count;
}

class Positivity : public testing::TestWithParam<std::tuple<int, const char*, const char*>> {
 protected:
  int dim = std::get<0>(GetParam());
  SchemeWords scheme{"muscl", std::get<1>(GetParam()), std::get<2>(GetParam())};
};
INSTANTIATE_TEST_SUITE_P(SchemesLong, Positivity,
                         testing::Combine(testing::Values(2, 3), testing::Values("minmod", "mc", "van-leer"),
                                          testing::Values("rusanov", "hllc")));

TEST_P(Positivity, HoldsAtAnyContrastBetweenVolumes) {
  for (const double courant : {0.2, 0.45}) {
    for (const double contrast : {0.5, 2.0, 5.0}) {
      for (const double shear : {1.0, 10.0, 100.0}) {
        const Count count = update_ramps(dim, scheme, contrast, shear, courant);
        EXPECT_EQ(count.failed, 0) << "Courant number " << courant << ", contrast " << contrast << ", shear "
                                   << shear;
      }
    }
  }
}

// Density, energy and entropy stay positive.
TEST_P(Positivity, HoldsWithDualEnergyAtAnyContrastBetweenVolumes) {
  for (const double contrast : {0.5, 5.0}) {
    for (const double shear : {1.0, 10.0, 100.0})
      EXPECT_EQ(update_ramps(dim, scheme, contrast, shear, 0.45, true).failed, 0)
          << "contrast " << contrast << ", shear " << shear;
  }
}

// Random volumes at Mach numbers of up to 1e6, and face states that differ as much as volumes allow that are not steep:
// the remainder of positivity.hpp is admissible without being computed.
template <class Flux, int D>
void expect_admissible_unless_steep() {
  const euler::DualEnergyTerms<D> terms({.gamma = 5.0 / 3});
  constexpr int N = D + 3;
  Draw draw{std::mt19937(4)};
  int calm = 0;
  for (int trial = 0; trial < 100000; ++trial) {
    double w[N], q[N], a[D + 2], state[N], lost[N], predicted[N], offset[D][N], change[N], speed = 0;
    w[0] = w[D + 2] = 1;
    w[D + 1] = std::exp(draw(-27, 3));
    for (int axis = 0; axis < D; ++axis) w[1 + axis] = trial % 3 == 0 && axis > 0 ? 0 : draw(-1, 1);
    for (int n = 0; n < N; ++n) {
      const bool moves = n >= 1 && n <= D;
      const double most = draw(0, moves ? 0.15 : 0.0625) * (moves ? 1 : w[n]), part = draw(0, 1);
      predicted[n] = w[n] + (draw(-1, 1) < 0 ? -1 : 1) * part * most;
      for (int axis = 0; axis < D; ++axis) offset[axis][n] = (draw(-1, 1) < 0 ? -1 : 1) * (1 - part) * most;
      change[n] = std::abs(offset[0][n]) + std::abs(predicted[n] - w[n]);
    }
    if (terms.steep(w, change)) continue;
    ++calm;
    terms.conserved(w, q);
    terms.primitive_auxiliary(w, a);
    for (int axis = 0; axis < D; ++axis) speed += terms.max_eigenvalue(q, a, axis);
    double rest[N];
    for (int n = 0; n < N; ++n) rest[n] = q[n];
    for (int face = 0; face < 2 * D; ++face) {
      face_state<N>(predicted, offset, face, state);
      ASSERT_TRUE(terms.admissible_primitive(state));
      terms.conserved(state, q);
      terms.primitive_auxiliary(state, a);
      Flux::outflow(terms, q, a, face / 2, face % 2 == 0 ? -1.0 : 1.0, lost);
      for (int n = 0; n < N; ++n) rest[n] -= Flux::bounded_courant / speed * lost[n];
    }
    ASSERT_TRUE(terms.admissible(rest)) << trial << ": " << testing::PrintToString(rest);
  }
  EXPECT_GT(calm, 5000);
}
TEST(PositivityUnlessSteep, HoldsWithDualEnergyAndRusanov) {
  expect_admissible_unless_steep<RusanovFlux, 2>();
  expect_admissible_unless_steep<RusanovFlux, 3>();
}
TEST(PositivityUnlessSteep, HoldsWithDualEnergyAndHllc) {
  expect_admissible_unless_steep<euler::Hllc, 2>();
  expect_admissible_unless_steep<euler::Hllc, 3>();
}

// Changes of a few per cent from volume to volume.
TEST_P(Positivity, LeavesSmoothGasAtSecondOrder) {
  for (const double courant : {0.4, 0.95})
    EXPECT_EQ(update_ramps(dim, scheme, 0.05, 0.05, courant).first_order, 0) << courant;
}

// Cold gas with velocities that change by twice the sound speed from volume to volume.
TEST_P(Positivity, LeavesMostColdGasAtSecondOrder) {
  const Count count = update_ramps(dim, scheme, 0.05, 2.0, 0.4);
  EXPECT_LT(count.first_order, count.volumes / 10);
}

}  // namespace
}  // namespace meander::solvers::test
