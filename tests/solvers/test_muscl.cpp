// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// MUSCL-Hancock: against a naive loop, exact where it must be, second order where the flow is smooth, and
// first order where a face state would be inadmissible.

#include <gtest/gtest.h>

#include <array>
#include <numbers>

#include "solvers/euler/euler.hpp"
#include "solvers/limiters.hpp"
#include "tests/solvers/patches.hpp"

namespace meander::solvers::test {
namespace {

constexpr double gamma_law = 1.4;
using State = std::vector<double>;
using Volume = std::array<int, 3>;

euler::Parameters second_order(euler::Limiter limiter) {
  euler::Parameters parameters;
  parameters.scheme = euler::Scheme::muscl;
  parameters.limiter = limiter;
  parameters.gamma = gamma_law;
  return parameters;
}

// The scheme written down volume by volume, with branches, from Toro's book.
struct Naive {
  const Patch& patch;
  euler::Limiter limiter;
  int dim;
  double ratio;
  mutable int fallbacks = 0;

  State primitive(Volume v) const {
    State w = patch.volume(v[0], v[1], v[2]);
    double kinetic = 0;
    for (int a = 0; a < dim; ++a) {
      w[1 + a] /= w[0];
      kinetic += 0.5 * w[0] * w[1 + a] * w[1 + a];
    }
    w[1 + dim] = (gamma_law - 1) * (w[1 + dim] - kinetic);
    return w;
  }
  double limited(double below, double above) const {
    if (below * above <= 0) return 0;
    const double sign = below > 0 ? 1 : -1, least = std::min(std::abs(below), std::abs(above));
    if (limiter == euler::Limiter::minmod) return sign * least;
    return sign * std::min(0.5 * std::abs(below + above), 2 * least);
  }
  // Face states of a volume: [2 * axis + side].
  std::vector<State> faces(Volume v) const {
    const State w = primitive(v);
    std::vector<State> slopes, result;
    State rate(w.size(), 0.0);
    for (int a = 0; a < dim; ++a) {
      Volume lower = v, upper = v;
      --lower[a];
      ++upper[a];
      const State below = primitive(lower), above = primitive(upper);
      State slope(w.size());
      for (std::size_t n = 0; n < w.size(); ++n) slope[n] = limited(w[n] - below[n], above[n] - w[n]);
      for (std::size_t n = 0; n < w.size(); ++n) rate[n] -= w[1 + a] * slope[n];
      rate[0] -= w[0] * slope[1 + a];
      rate[1 + a] -= slope[1 + dim] / w[0];
      rate[1 + dim] -= gamma_law * w[1 + dim] * slope[1 + a];
      slopes.push_back(slope);
    }
    bool good = true;
    for (int a = 0; a < dim; ++a) {
      for (const double side : {-0.5, 0.5}) {
        State face = w;
        for (std::size_t n = 0; n < w.size(); ++n) face[n] += 0.5 * ratio * rate[n] + side * slopes[a][n];
        good = good && face[0] > 0 && face[1 + dim] > 0;
        result.push_back(face);
      }
    }
    if (!good) std::fill(result.begin(), result.end(), w);
    fallbacks += good ? 0 : 1;
    return result;
  }
  State conserved(const State& w) const {
    State q = w;
    double kinetic = 0;
    for (int a = 0; a < dim; ++a) {
      q[1 + a] *= w[0];
      kinetic += 0.5 * w[0] * w[1 + a] * w[1 + a];
    }
    q[1 + dim] = w[1 + dim] / (gamma_law - 1) + kinetic;
    return q;
  }
  State flux(const State& wl, const State& wr, int axis) const {
    const State ql = conserved(wl), qr = conserved(wr);
    const auto speed = [&](const State& w) {
      return std::abs(w[1 + axis]) + std::sqrt(gamma_law * w[1 + dim] / w[0]);
    };
    const double lambda = std::max(speed(wl), speed(wr));
    State f(wl.size());
    for (std::size_t n = 0; n < f.size(); ++n) {
      f[n] = 0.5 * (ql[n] * wl[1 + axis] + qr[n] * wr[1 + axis]) - 0.5 * lambda * (qr[n] - ql[n]);
    }
    f[1 + axis] += 0.5 * (wl[1 + dim] + wr[1 + dim]);
    f[1 + dim] += 0.5 * (wl[1 + dim] * wl[1 + axis] + wr[1 + dim] * wr[1 + axis]);
    return f;
  }
  State updated(Volume v) const {
    State q = patch.volume(v[0], v[1], v[2]);
    const auto own = faces(v);
    const int counted = fallbacks;
    for (int a = 0; a < dim; ++a) {
      Volume lower = v, upper = v;
      --lower[a];
      ++upper[a];
      const auto low = static_cast<std::size_t>(2 * a), high = low + 1;
      const State in = flux(faces(lower)[high], own[low], a), out = flux(own[high], faces(upper)[low], a);
      for (std::size_t n = 0; n < q.size(); ++n) q[n] -= ratio * (out[n] - in[n]);
    }
    fallbacks = counted;
    return q;
  }
};

struct Case {
  int dim, p;
  euler::Limiter limiter;
};
void PrintTo(const Case& c, std::ostream* os) {
  *os << c.dim << "d p" << c.p << (c.limiter == euler::Limiter::mc ? " mc" : " minmod");
}
std::vector<Case> cases() {
  std::vector<Case> all;
  for (int dim : {2, 3}) {
    for (int p : {3, 4, 5, 6, 7, 8, 9, 10, 17}) {
      for (auto limiter : {euler::Limiter::minmod, euler::Limiter::mc}) all.push_back({dim, p, limiter});
    }
  }
  return all;
}

class MusclPatches : public testing::TestWithParam<Case> {
 protected:
  int dim = GetParam().dim, p = GetParam().p;
  PatchLayout layout{dim, p, 2, dim + 2};
  std::unique_ptr<Solver> solver = euler::make_solver(dim, second_order(GetParam().limiter));

  PatchStatus update(const PatchTask& task, double dt) const {
    PatchStatus status;
    solver->update({&task, 1}, layout, 0, 0.0, dt, {&status, 1});
    return status;
  }
};
INSTANTIATE_TEST_SUITE_P(Shapes, MusclPatches, testing::ValuesIn(cases()));

TEST_P(MusclPatches, AgreesWithANaiveLoopAndCountsItsFallbacks) {
  Patch patch(layout);
  fill_random_gas(patch, 11, gamma_law, 2);
  const Patch old = patch;
  const double dx = 0.1, dt = 0.002;
  const PatchStatus status = update(patch.task(dx), dt);
  const Naive naive{old, GetParam().limiter, dim, dt / dx};
  for_volumes(layout, 0, [&](int i, int j, int k) {
    const State expected = naive.updated({i, j, k}), now = patch.volume(i, j, k);
    for (std::size_t n = 0; n < expected.size(); ++n) ASSERT_NEAR(now[n], expected[n], 2e-13);
  });
  EXPECT_EQ(status.first_order, naive.fallbacks);
}

}  // namespace
}  // namespace meander::solvers::test
