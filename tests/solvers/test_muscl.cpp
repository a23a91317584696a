// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// MUSCL-Hancock: agreement with a naive loop, exactness for linear data, second order for smooth flow, and
// first order where a face state would be inadmissible.

#include <gtest/gtest.h>

#include <array>
#include <numbers>

#include "physics/euler/solver.hpp"
#include "solvers/limiters.hpp"
#include "tests/solvers/patches.hpp"

namespace meander::solvers::test {
namespace {

constexpr double gamma_law = 1.4;
using State = std::vector<double>;
using Volume = std::array<int, 3>;

std::unique_ptr<Solver> second_order(int dim, const std::string& limiter) {
  return euler::make_solver(dim, {.gamma = gamma_law}, {"muscl", limiter, "rusanov"});
}

// The scheme volume by volume, with branches, from Toro's book.
struct Naive {
  const Patch& patch;
  std::string limiter;
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
    if (limiter == "minmod") return sign * least;
    if (limiter == "van-leer") return 2 * below * above / (below + above);
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
  std::string limiter;
};
void PrintTo(const Case& c, std::ostream* os) {
  *os << c.dim << "d p" << c.p << ' ' << c.limiter;
}
std::vector<Case> cases() {
  std::vector<Case> all;
  for (int dim : {2, 3}) {
    for (int p : {3, 4, 5, 6, 7, 8, 9, 10, 17}) {
      for (const char* limiter : {"minmod", "mc", "van-leer"}) all.push_back({dim, p, limiter});
    }
  }
  return all;
}

class MusclPatchesQuick : public testing::TestWithParam<Case> {
 protected:
  int dim = GetParam().dim, p = GetParam().p;
  PatchLayout layout{dim, p, 2, dim + 2};
  std::unique_ptr<Solver> solver = second_order(dim, GetParam().limiter);

  PatchStatus update(const PatchTask& task, double dt) const {
    PatchStatus status;
    solver->update({&task, 1}, layout, 0, 0.0, dt, {&status, 1});
    return status;
  }
};
INSTANTIATE_TEST_SUITE_P(Shapes, MusclPatchesQuick, testing::ValuesIn(cases()));

TEST_P(MusclPatchesQuick, AgreesWithANaiveLoopAndCountsItsFallbacks) {
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

// A density linear in x at constant velocity and pressure is advected exactly.
TEST_P(MusclPatchesQuick, AdvectsALinearDensityExactly) {
  const double dx = 1.0 / p, dt = 0.1 * dx, u[3] = {0.5, -0.3, 0.2}, slope[3] = {0.4, 0.3, -0.2},
               pressure = 0.8;
  const auto density = [&](int i, int j, int k, double t) {
    const double x[3] = {(i + 0.5) * dx, (j + 0.5) * dx, (k + 0.5) * dx};
    double rho = 1.5;
    for (int a = 0; a < dim; ++a) rho += slope[a] * (x[a] - u[a] * t);
    return rho;
  };
  Patch patch(layout);
  for_volumes(layout, 2, [&](int i, int j, int k) {
    if (axes_outside(layout, i, j, k) > 2) return;
    const double rho = density(i, j, k, 0);
    double kinetic = 0;
    patch.at(0, i, j, k) = rho;
    for (int a = 0; a < dim; ++a) {
      patch.at(1 + a, i, j, k) = rho * u[a];
      kinetic += 0.5 * rho * u[a] * u[a];
    }
    patch.at(1 + dim, i, j, k) = pressure / (gamma_law - 1) + kinetic;
  });
  update(patch.task(dx), dt);
  for_volumes(layout, 0, [&](int i, int j, int k) {
    ASSERT_NEAR(patch.at(0, i, j, k), density(i, j, k, dt), 1e-14);
    for (int a = 0; a < dim; ++a) ASSERT_NEAR(patch.at(1 + a, i, j, k), u[a] * density(i, j, k, dt), 1e-14);
  });
}

// A smooth density wave through one periodic patch: the error is proportional to the square of dx. The wave
// is advected along the diagonal. The order is that of the L1 error, as limiters clip extrema.
TEST(MusclQuick, IsOfSecondOrderOnASmoothWave) {
  for (const int dim : {2, 3}) {
    const auto error = [&](int p) {
      const auto solver = second_order(dim, "mc");
      const PatchLayout layout(dim, p, 2, dim + 2);
      const double dx = 1.0 / p, u = 1.0, pressure = 1.0, amplitude = 0.2;
      // Mean over a volume of 1 + amplitude sin(2 pi sum(x_a - u t)).
      const double mean = std::pow(std::sin(std::numbers::pi * dx) / (std::numbers::pi * dx), dim);
      const auto density = [&](int i, int j, int k, double t) {
        double phase = 0;
        const int v[3] = {i, j, k};
        for (int a = 0; a < dim; ++a) phase += (v[a] + 0.5) * dx - u * t;
        return 1.0 + amplitude * mean * std::sin(2 * std::numbers::pi * phase);
      };
      Patch patch(layout);
      for_volumes(layout, 0, [&](int i, int j, int k) {
        const double rho = density(i, j, k, 0);
        patch.at(0, i, j, k) = rho;
        for (int a = 0; a < dim; ++a) patch.at(1 + a, i, j, k) = rho * u;
        patch.at(1 + dim, i, j, k) = pressure / (gamma_law - 1) + 0.5 * dim * rho * u * u;
      });
      const int steps = 2 * p;
      const double end = 0.1;
      for (int s = 0; s < steps; ++s) {
        for_volumes(layout, 2, [&](int i, int j, int k) {
          if (axes_outside(layout, i, j, k) == 0) return;
          const auto wrap = [&](int a) { return (a + p) % p; };
          for (int n = 0; n < layout.unknowns; ++n) {
            patch.at(n, i, j, k) = patch.at(n, wrap(i), wrap(j), dim == 3 ? wrap(k) : 0);
          }
        });
        const PatchTask task = patch.task(dx);
        PatchStatus status;
        solver->update({&task, 1}, layout, 0, 0.0, end / steps, {&status, 1});
        EXPECT_EQ(status.first_order, 0);
      }
      double sum = 0;
      for_volumes(layout, 0, [&](int i, int j, int k) {
        sum += std::abs(patch.at(0, i, j, k) - density(i, j, k, end));
      });
      return sum / static_cast<double>(layout.volumes());
    };
    const double coarse = error(16), fine = error(32), order = std::log2(coarse / fine);
    EXPECT_GE(order, 1.9) << dim << "d, errors " << coarse << ' ' << fine;
  }
}

// Near a vacuum next to a strong gradient the face states of some volumes would have negative pressure or
// density. These volumes fall back to first order and are counted, and the state stays admissible.
TEST(MusclQuick, FallsBackVolumeByVolume) {
  const PatchLayout layout(2, 9, 2, 4);
  const auto solver = second_order(2, "mc");
  Patch patch(layout);
  for_volumes(layout, 2, [&](int i, int j, int) {
    const double u = 30.0 * (i - 4);  // an expansion much faster than sound
    patch.at(0, i, j) = 1.0;
    patch.at(1, i, j) = u;
    patch.at(2, i, j) = 0.0;
    patch.at(3, i, j) = 1e-3 / (gamma_law - 1) + 0.5 * u * u;
  });
  const PatchTask task = patch.task(1.0);
  PatchStatus status;
  solver->update({&task, 1}, layout, 0, 0.0, 0.06, {&status, 1});
  EXPECT_EQ(status.first_order,
            layout.volumes());  // gamma div(u) dt / 2 > 1 makes every predicted pressure negative
  Patch calm(layout);
  fill_random_gas(calm, 1, gamma_law, 2);
  for_volumes(layout, 2, [&](int i, int j, int) {
    for (int n = 0; n < 4; ++n) calm.at(n, i, j) = n == 0 ? 1.0 : n == 3 ? 2.5 : 0.0;
  });
  const PatchTask second = calm.task(1.0);
  solver->update({&second, 1}, layout, 0, 0.0, 0.06, {&status, 1});
  EXPECT_EQ(status.first_order, 0);
}

template <class L>
class Limiters : public testing::Test {};
using AllLimiters = testing::Types<MinMod, MonotonizedCentral, VanLeer>;
TYPED_TEST_SUITE(Limiters, AllLimiters);

TYPED_TEST(Limiters, AreOddSymmetricBoundedAndSecondOrder) {
  std::mt19937 engine(9);
  std::uniform_real_distribution<double> draw(-1, 1);
  for (int trial = 0; trial < 1000; ++trial) {
    const double a = draw(engine), b = draw(engine), offset = TypeParam::limit(a, b);
    EXPECT_EQ(TypeParam::limit(b, a), offset);
    EXPECT_EQ(TypeParam::limit(-a, -b), -offset);
    EXPECT_EQ(TypeParam::limit(2 * a, 2 * b), 2 * offset);
    EXPECT_EQ(TypeParam::limit(a, a), a / 2);  // linear data are preserved
    if (a * b <= 0) {
      EXPECT_EQ(offset, 0);
    } else {
      EXPECT_GT(offset * a, 0);
      EXPECT_LE(std::abs(offset), std::min(std::abs(a), std::abs(b)));  // the bound for monotone face states
    }
  }
  EXPECT_EQ(TypeParam::limit(0.0, 1.0), 0.0);
}

TEST(LimiterValues, AgreeWithTheirDefinitions) {
  EXPECT_EQ(2 * MinMod::limit(1.0, 3.0), 1.0);
  EXPECT_EQ(2 * MinMod::limit(-2.0, -1.5), -1.5);
  EXPECT_EQ(2 * MonotonizedCentral::limit(1.0, 2.0), 1.5);
  EXPECT_EQ(2 * MonotonizedCentral::limit(1.0, 9.0), 2.0);
  EXPECT_EQ(2 * MonotonizedCentral::limit(-9.0, -1.0), -2.0);
  EXPECT_EQ(2 * VanLeer::limit(1.0, 3.0), 1.5);
  EXPECT_EQ(2 * VanLeer::limit(-3.0, -1.0), -1.5);
  EXPECT_EQ(VanLeer::limit(-1.0, 1.0), 0.0);
  EXPECT_EQ(VanLeer::limit(0.0, 0.0), 0.0);
}

}  // namespace
}  // namespace meander::solvers::test
