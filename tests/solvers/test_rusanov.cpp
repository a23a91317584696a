// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The first-order kernel against a naive loop, and the guarantees of its header.

#include <gtest/gtest.h>

#include <array>

#include "physics/euler/solver.hpp"
#include "physics/euler/terms.hpp"
#include "solvers/godunov.hpp"
#include "solvers/patch_solver.hpp"
#include "tests/solvers/patches.hpp"

namespace meander::solvers::test {
namespace {

constexpr double gamma_law = 1.4;

euler::Parameters first_order() {
  euler::Parameters parameters;
  parameters.gamma = gamma_law;
  return parameters;
}

struct Case {
  int dim, p, h;
};
void PrintTo(const Case& c, std::ostream* os) {
  *os << c.dim << "d p" << c.p << " h" << c.h;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (int dim : {2, 3}) {
    for (int p = 3; p <= 17; ++p) all.push_back({dim, p, 1});
    all.push_back({dim, 32, 1});
    all.push_back({dim, 6, 3});
  }
  return all;
}

std::vector<double> textbook_flux(const std::vector<double>& q, int dim, int axis) {
  double kinetic = 0;
  for (int a = 0; a < dim; ++a) kinetic += 0.5 * q[1 + a] * q[1 + a] / q[0];
  const double pressure = (gamma_law - 1) * (q[1 + dim] - kinetic), u = q[1 + axis] / q[0];
  std::vector<double> f = q;
  for (double& value : f) value *= u;
  f[1 + axis] += pressure;
  f[1 + dim] += pressure * u;
  return f;
}

double speed(const std::vector<double>& q, int dim, int axis) {
  double kinetic = 0;
  for (int a = 0; a < dim; ++a) kinetic += 0.5 * q[1 + a] * q[1 + a] / q[0];
  const double pressure = (gamma_law - 1) * (q[1 + dim] - kinetic);
  return std::abs(q[1 + axis] / q[0]) + std::sqrt(gamma_law * pressure / q[0]);
}

std::vector<double> naive_face(const std::vector<double>& l, const std::vector<double>& r, int dim,
                               int axis) {
  const auto fl = textbook_flux(l, dim, axis), fr = textbook_flux(r, dim, axis);
  const double lambda = std::max(speed(l, dim, axis), speed(r, dim, axis));
  std::vector<double> f(l.size());
  for (std::size_t n = 0; n < f.size(); ++n) f[n] = 0.5 * (fl[n] + fr[n]) - 0.5 * lambda * (r[n] - l[n]);
  return f;
}

class RusanovPatchesQuick : public testing::TestWithParam<Case> {
 protected:
  int dim = GetParam().dim, p = GetParam().p, h = GetParam().h;
  PatchLayout layout{dim, p, h, dim + 2};
  std::unique_ptr<Solver> solver = euler::make_solver(dim, first_order());
  double dx = 0.1, dt = 0.004;

  PatchStatus update(const PatchTask& task) const {
    PatchStatus status;
    solver->update({&task, 1}, layout, 0, 0.0, dt, {&status, 1});
    return status;
  }
};
INSTANTIATE_TEST_SUITE_P(Shapes, RusanovPatchesQuick, testing::ValuesIn(cases()));

TEST_P(RusanovPatchesQuick, AgreesWithANaiveLoop) {
  Patch patch(layout);
  fill_random_gas(patch, 7, gamma_law);
  const Patch old = patch;
  const PatchStatus status = update(patch.task(dx));
  EXPECT_TRUE(status.admissible);
  double max_rate = 0;
  for_volumes(layout, 0, [&](int i, int j, int k) {
    std::vector<double> expected = old.volume(i, j, k);
    for (int a = 0; a < dim; ++a) {
      std::array<int, 3> s{0, 0, 0};
      s[static_cast<std::size_t>(a)] = 1;
      const auto low = naive_face(old.volume(i - s[0], j - s[1], k - s[2]), old.volume(i, j, k), dim, a);
      const auto high = naive_face(old.volume(i, j, k), old.volume(i + s[0], j + s[1], k + s[2]), dim, a);
      for (std::size_t n = 0; n < expected.size(); ++n) expected[n] -= dt / dx * (high[n] - low[n]);
    }
    double rate = 0;
    const auto now = patch.volume(i, j, k);
    for (int a = 0; a < dim; ++a) rate += speed(now, dim, a);
    max_rate = std::max(max_rate, rate);
    for (std::size_t n = 0; n < expected.size(); ++n) ASSERT_NEAR(now[n], expected[n], 1e-13);
  });
  EXPECT_NEAR(status.max_rate, max_rate, 1e-13 * max_rate);
  EXPECT_NEAR(solver->inspect(patch.task(dx), layout).max_rate, status.max_rate, 0.0);
}

}  // namespace
}  // namespace meander::solvers::test
