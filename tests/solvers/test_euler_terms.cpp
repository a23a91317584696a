// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The Euler terms against textbook formulas and, by dual numbers, against each other.

#include <gtest/gtest.h>

#include <array>
#include <random>

#include "physics/euler/terms.hpp"
#include "solvers/pde.hpp"
#include "tests/solvers/dual.hpp"

namespace meander::solvers::test {
namespace {

static_assert(Reconstructible<euler::Terms<2>> && Reconstructible<euler::Terms<3>>);
static_assert(Floored<euler::Terms<2>> && Floored<euler::Terms<3>>);

template <class D>
class EulerTerms : public testing::Test {
 protected:
  static constexpr int dimensions = D::value, unknowns = dimensions + 2;
  using Values = std::array<double, static_cast<std::size_t>(unknowns)>;
  euler::Terms<dimensions> terms{euler::Parameters{.gamma = 1.3}};
  std::mt19937 engine{5};

  double draw(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine); }
  // Converts rho, u, p to unknowns.
  Values gas(double rho, const double* u, double p) const {
    Values q{};
    q[0] = rho;
    double kinetic = 0;
    for (int a = 0; a < dimensions; ++a) {
      q[1 + a] = rho * u[a];
      kinetic += 0.5 * rho * u[a] * u[a];
    }
    q[unknowns - 1] = p / (terms.gamma - 1) + kinetic;
    return q;
  }
  Values flux(const Values& q, int axis) const {
    Values a{}, f{};
    terms.auxiliary(q.data(), a.data());
    terms.flux(q.data(), a.data(), axis, f.data());
    return f;
  }
  // dF/dQ times a direction.
  Values derivative(const Values& q, const Values& direction, int axis) const {
    std::array<Dual, static_cast<std::size_t>(unknowns)> dual, aux, f;
    for (std::size_t n = 0; n < q.size(); ++n) dual[n] = {q[n], direction[n]};
    terms.auxiliary(dual.data(), aux.data());
    terms.flux(dual.data(), aux.data(), axis, f.data());
    Values result{};
    for (std::size_t n = 0; n < q.size(); ++n) result[n] = f[n].slope;
    return result;
  }
};
using Dimensions = testing::Types<std::integral_constant<int, 2>, std::integral_constant<int, 3>>;
TYPED_TEST_SUITE(EulerTerms, Dimensions);

TYPED_TEST(EulerTerms, FluxAgreesWithTheTextbook) {
  constexpr int dim = TestFixture::dimensions;
  for (int trial = 0; trial < 100; ++trial) {
    const double rho = this->draw(0.1, 3), p = this->draw(0.01, 4);
    double u[3];
    for (double& component : u) component = this->draw(-2, 2);
    const auto q = this->gas(rho, u, p);
    for (int axis = 0; axis < dim; ++axis) {
      const auto f = this->flux(q, axis);
      EXPECT_NEAR(f[0], rho * u[axis], 1e-14);
      for (int b = 0; b < dim; ++b) {
        EXPECT_NEAR(f[1 + b], rho * u[axis] * u[b] + (axis == b ? p : 0), 1e-13);
      }
      EXPECT_NEAR(f[1 + dim], u[axis] * (q[1 + dim] + p), 2e-13);
    }
  }
}

// The right eigenvectors of the flux Jacobian (Toro 2009, section 3.2) have eigenvalues u - c, u, u + c. They
// span state space, so the largest of these is the largest eigenvalue.
TYPED_TEST(EulerTerms, EigenvaluesOfTheJacobianAreBoundedByTheSpeed) {
  constexpr int dim = TestFixture::dimensions;
  using State = typename TestFixture::Values;
  for (int trial = 0; trial < 50; ++trial) {
    const double rho = this->draw(0.1, 3), p = this->draw(0.01, 4);
    double u[3];
    for (double& component : u) component = this->draw(-2, 2);
    const auto q = this->gas(rho, u, p);
    const double c = std::sqrt(this->terms.gamma * p / rho), enthalpy = (q[1 + dim] + p) / rho;
    double square = 0;
    for (int a = 0; a < dim; ++a) square += u[a] * u[a];
    for (int axis = 0; axis < dim; ++axis) {
      std::vector<std::pair<double, State>> pairs;
      for (const int sign : {-1, 1}) {
        State r{};
        r[0] = 1;
        for (int b = 0; b < dim; ++b) r[1 + b] = u[b] + (b == axis ? sign * c : 0);
        r[1 + dim] = enthalpy + sign * u[axis] * c;
        pairs.push_back({u[axis] + sign * c, r});
      }
      State entropy{};
      entropy[0] = 1;
      for (int b = 0; b < dim; ++b) entropy[1 + b] = u[b];
      entropy[1 + dim] = 0.5 * square;
      pairs.push_back({u[axis], entropy});
      for (int b = 0; b < dim; ++b) {
        if (b == axis) continue;
        State shear{};
        shear[1 + b] = 1;
        shear[1 + dim] = u[b];
        pairs.push_back({u[axis], shear});
      }
      ASSERT_EQ(pairs.size(), q.size());
      State aux{};
      this->terms.auxiliary(q.data(), aux.data());
      const double bound = this->terms.max_eigenvalue(q.data(), aux.data(), axis);
      double largest = 0;
      for (const auto& [eigenvalue, r] : pairs) {
        const State image = this->derivative(q, r, axis);
        for (std::size_t n = 0; n < q.size(); ++n) EXPECT_NEAR(image[n], eigenvalue * r[n], 1e-11);
        largest = std::max(largest, std::abs(eigenvalue));
      }
      EXPECT_NEAR(bound, largest, 1e-13 * largest);
    }
  }
}

// The predictor's quasi-linear form is the conservative form in other variables: dQ/dW (A dw) = dF/dQ dQ/dW
// dw.
TYPED_TEST(EulerTerms, PredictorAgreesWithTheFluxJacobian) {
  constexpr int dim = TestFixture::dimensions, N = TestFixture::unknowns;
  using State = typename TestFixture::Values;
  for (int trial = 0; trial < 50; ++trial) {
    State w{};
    w[0] = this->draw(0.1, 3);
    for (int a = 0; a < dim; ++a) w[1 + a] = this->draw(-2, 2);
    w[N - 1] = this->draw(0.01, 4);
    std::array<double, static_cast<std::size_t>(dim * N)> slopes{};
    for (double& slope : slopes) slope = this->draw(-1, 1);
    State change{}, q{};
    for (int a = 0; a < dim; ++a)
      this->terms.add_quasilinear(w.data(), slopes.data() + a * N, a, change.data());
    this->terms.conserved(w.data(), q.data());
    const auto to_conserved = [&](const State& at, const double* direction) {
      std::array<Dual, static_cast<std::size_t>(N)> dual, image;
      for (std::size_t n = 0; n < at.size(); ++n) dual[n] = {at[n], direction[n]};
      this->terms.conserved(dual.data(), image.data());
      State result{};
      for (std::size_t n = 0; n < at.size(); ++n) result[n] = image[n].slope;
      return result;
    };
    State expected{};
    const State conserved_change = to_conserved(w, change.data());
    for (int a = 0; a < dim; ++a) {
      const State part = this->derivative(q, to_conserved(w, slopes.data() + a * N), a);
      for (std::size_t n = 0; n < w.size(); ++n) expected[n] += part[n];
    }
    for (std::size_t n = 0; n < w.size(); ++n) EXPECT_NEAR(conserved_change[n], expected[n], 1e-12);
  }
}

TYPED_TEST(EulerTerms, PrimitiveVariablesRoundTrip) {
  constexpr int dim = TestFixture::dimensions;
  using State = typename TestFixture::Values;
  const double u[3] = {0.3, -1.2, 0.7};
  const State q = this->gas(1.7, u, 0.4);
  State w{}, back{}, aux{}, from_primitive{};
  this->terms.primitive(q.data(), w.data());
  this->terms.conserved(w.data(), back.data());
  this->terms.auxiliary(q.data(), aux.data());
  this->terms.primitive_auxiliary(w.data(), from_primitive.data());
  EXPECT_NEAR(w[1 + dim], 0.4, 1e-15);
  for (std::size_t n = 0; n < q.size(); ++n) {
    EXPECT_NEAR(back[n], q[n], 1e-15);
    EXPECT_NEAR(aux[n], from_primitive[n], 1e-15);
  }
}

TYPED_TEST(EulerTerms, FloorsRaiseOnlyStatesBelowThem) {
  constexpr int dim = TestFixture::dimensions;
  euler::Parameters parameters;
  parameters.density_floor = 1e-3;
  parameters.pressure_floor = 1e-4;
  const euler::Terms<dim> floored(parameters);
  this->terms.gamma = parameters.gamma;
  const double u[3] = {1, -1, 2};
  auto q = this->gas(1.0, u, 1.0);
  const auto good = q;
  EXPECT_FALSE(floored.enforce(q.data()));
  EXPECT_EQ(q, good);
  auto cold = this->gas(1.0, u, 1e-6);
  EXPECT_TRUE(floored.enforce(cold.data()));
  typename TestFixture::Values w{};
  floored.primitive(cold.data(), w.data());
  EXPECT_NEAR(w[1 + dim], 1e-4, 1e-14);
  EXPECT_EQ(w[0], 1.0);
  auto thin = this->gas(1e-5, u, 1.0);
  EXPECT_TRUE(floored.enforce(thin.data()));
  EXPECT_EQ(thin[0], 1e-3);
  EXPECT_TRUE(floored.admissible(thin.data()));
  EXPECT_EQ(thin[1], 1e-5 * u[0]);
  auto broken = good;
  broken[1] = std::nan("");
  floored.enforce(broken.data());
  EXPECT_FALSE(floored.admissible(broken.data()));
}

// A floor that rounding of the kinetic energy swallows would leave a state without pressure.
TYPED_TEST(EulerTerms, FloorsHoldInFastGas) {
  euler::Parameters parameters;
  parameters.pressure_floor = 1e-12;
  const euler::Terms<TestFixture::dimensions> floored(parameters);
  const double u[3] = {99.8, 88.1, 1e-3};
  for (const double rho : {1e-3, 1104.9, 1e9}) {
    auto q = this->gas(rho, u, 0.0);
    q[TestFixture::dimensions + 1] *= 1 - 1e-3;
    const auto kinetic = q[TestFixture::dimensions + 1] / (1 - 1e-3);
    EXPECT_TRUE(floored.enforce(q.data()));
    EXPECT_TRUE(floored.admissible(q.data())) << rho;
    EXPECT_NEAR(q[TestFixture::dimensions + 1], kinetic, 1e-12 / (parameters.gamma - 1) + 1e-14 * kinetic);
    typename TestFixture::Values w{};
    floored.primitive(q.data(), w.data());
    EXPECT_TRUE(floored.admissible_primitive(w.data())) << rho;
  }
}

// Where more left a volume than was in it, its momentum would be a speed without bound.
TYPED_TEST(EulerTerms, FloorsStopOverdrawnGas) {
  euler::Parameters parameters;
  parameters.density_floor = 1e-8;
  parameters.pressure_floor = 1e-12;
  const euler::Terms<TestFixture::dimensions> floored(parameters);
  constexpr std::size_t energy = TestFixture::dimensions + 1;
  for (const double left : {6.0, 0.0, -1.0}) {
    auto q = typename TestFixture::Values{};
    q[0] = -1.4e-3;
    q[1] = 0.04;
    q[2] = -0.06;
    q[energy] = left;
    EXPECT_TRUE(floored.enforce(q.data()));
    auto expected = typename TestFixture::Values{};
    expected[0] = 1e-8;
    expected[energy] = 1e-12 / (parameters.gamma - 1);
    EXPECT_EQ(q, expected);
    EXPECT_TRUE(floored.admissible(q.data()));
  }
}

// Without a floor of the pressure a negative one stays for the run to end with.
TYPED_TEST(EulerTerms, TheFloorOfTheDensityDoesNotHideANegativePressure) {
  euler::Parameters parameters;
  parameters.density_floor = 1e-3;
  const euler::Terms<TestFixture::dimensions> floored(parameters);
  const double u[3] = {1, -1, 2};
  auto q = this->gas(1.0, u, -1e-3);
  EXPECT_FALSE(floored.enforce(q.data()));
  EXPECT_FALSE(floored.admissible(q.data()));
}

}  // namespace
}  // namespace meander::solvers::test
