// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Prolongation and restriction of unknowns that are point values.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "base/vec.hpp"
#include "solvers/prolongation.hpp"
#include "solvers/restriction.hpp"
#include "tests/solvers/idle_solver.hpp"
#include "tests/solvers/patches.hpp"

namespace meander::solvers::test {
namespace {

constexpr int many = 2;

// States are admissible where the first unknown is positive.
class Points final : public IdleSolver {
 public:
  explicit Points(int dim) : IdleSolver(dim, many, Prolongation::centred) {}
  bool admissible(const double* q) const override { return q[0] > 0; }
};

PatchLayout layout_of(int dim, int p, int h = 3, int unknowns = many) {
  PatchLayout layout(dim, p, h, unknowns);
  layout.point_values = true;
  return layout;
}

// A polynomial of degree `degree` along each axis. x is in coarse widths.
double polynomial(int n, int degree, const double (&x)[3], int dim) {
  double product = n == 0 ? 1 : -0.5;
  for (int a = 0; a < dim; ++a) {
    double sum = 0, power = 1;
    for (int m = 0; m <= degree; ++m, power *= 0.1 * x[a]) sum += (1.0 + 0.3 * m - 0.2 * a) * power;
    product *= sum;
  }
  return product;
}

template <class D>
class PointValues : public testing::Test {};
using Dimensions = testing::Types<std::integral_constant<int, 2>, std::integral_constant<int, 3>>;
TYPED_TEST_SUITE(PointValues, Dimensions);

// A box of random position and size within the children of the cell.
template <int D>
Box<D> random_box(std::mt19937& engine, int p, Index<D>& offset) {
  Box<D> box;
  for (std::size_t a = 0; a < D; ++a) {
    offset[a] = static_cast<int>(engine() % 3) * p;
    box.lower[a] = static_cast<int>(engine() % static_cast<unsigned>(p));
    box.extent[a] = 1 + static_cast<int>(engine() % static_cast<unsigned>(p - box.lower[a]));
  }
  return box;
}

// The stencil has as many nodes on either side as the halo is wide, up to three: it is exact for polynomials
// of degree 2 h - 1.
TYPED_TEST(PointValues, ProlongationReproducesPolynomialsFromTheWholeSlot) {
  constexpr int dim = TypeParam::value;
  const Points solver(dim);
  std::mt19937 engine(2);
  for (const int h : {1, 2, 3, 4}) {
    for (const int p : {4, 5, 7, 9, 12}) {
      const PatchLayout layout = layout_of(dim, p, h);
      const int degree = 2 * std::min(h, 3) - 1;
      Patch coarse(layout), fine(layout);
      for_volumes(layout, h, [&](int i, int j, int k) {
        for (int n = 0; n < many; ++n)
          coarse.at(n, i, j, k) = polynomial(n, degree, {i + 0.5, j + 0.5, k + 0.5}, dim);
      });
      for (int repeat = 0; repeat < 50; ++repeat) {
        Index<dim> offset;
        const Box<dim> box = random_box<dim>(engine, p, offset);
        // Values outside the support are not read.
        const Box<dim> support = prolongation_support<dim>(layout, box, offset);
        Patch masked = coarse;
        for_volumes(layout, h, [&](int i, int j, int k) {
          const int at[3] = {i, j, k};
          bool inside = true;
          for (std::size_t a = 0; a < dim; ++a)
            inside = inside && at[a] >= support.lower[a] && at[a] < support.lower[a] + support.extent[a];
          for (int n = 0; n < many && !inside; ++n)
            masked.at(n, i, j, k) = std::numeric_limits<double>::quiet_NaN();
        });
        prolong<dim>(solver, layout, fine.q, masked.q, box, offset);
        for_rows<dim>(box, [&](Index<dim> f) {
          for (int x = 0; x < box.extent[0]; ++x, ++f[0]) {
            double at[3] = {0, 0, 0};
            for (std::size_t a = 0; a < dim; ++a) at[a] = (f[a] + offset[a] + 0.5) / 3;
            for (int n = 0; n < many; ++n) {
              const double expected = polynomial(n, degree, at, dim);
              ASSERT_NEAR(fine.q[layout.at(n, f)], expected, 1e-13 * (1 + std::abs(expected)));
            }
          }
        });
      }
    }
  }
}

// Unknowns are interpolated in groups, of which the last may overlap the one before it.
TYPED_TEST(PointValues, ProlongationOfAnUnknownDependsOnNoOther) {
  constexpr int dim = TypeParam::value;
  const Points solver(dim);
  std::mt19937 engine(3);
  std::uniform_real_distribution<double> random(100, 101);
  for (int number = 1; number <= 18; ++number) {
    const PatchLayout all = layout_of(dim, 6, 3, number), one = layout_of(dim, 6, 3, 1);
    Patch coarse(all), fine(all), coarse_one(one), fine_one(one);
    Index<dim> offset;
    const Box<dim> box = random_box<dim>(engine, all.p, offset);
    for_volumes(all, 3, [&](int i, int j, int k) {
      for (int n = 0; n < number; ++n) coarse.at(n, i, j, k) = random(engine);
    });
    prolong<dim>(solver, all, fine.q, coarse.q, box, offset);
    for (int n = 0; n < number; ++n) {
      for_volumes(all, 3, [&](int i, int j, int k) { coarse_one.at(0, i, j, k) = coarse.at(n, i, j, k); });
      prolong<dim>(solver, one, fine_one.q, coarse_one.q, box, offset);
      for_volumes(all, 3, [&](int i, int j, int k) {
        const double found = fine.at(n, i, j, k), expected = fine_one.at(0, i, j, k);
        ASSERT_TRUE(found == expected || (std::isnan(found) && std::isnan(expected)))
            << n << " of " << number;
      });
    }
  }
}

// One wave along each axis: at no wavelength does a fine volume exceed its amplitude. (Stencils confined to
// one side of the coarse interior amplify the shortest wave 6 times.)
TYPED_TEST(PointValues, ProlongationAmplifiesNoWave) {
  constexpr int dim = TypeParam::value;
  const Points solver(dim);
  const PatchLayout layout = layout_of(dim, 9);
  Patch coarse(layout), fine(layout);
  Box<dim> box;
  box.extent.fill(9);
  for (int number = 1; number <= 18; ++number) {
    for (const double phase : {0.0, 0.3, M_PI / 2}) {
      const double k = M_PI * number / 18;
      for_volumes(layout, 3, [&](int i, int j, int l) {
        coarse.at(0, i, j, l) = 3;
        coarse.at(1, i, j, l) = std::cos(k * (i + j + (dim == 3 ? l : 0)) + phase);
      });
      for (int child = 0; child < 3; ++child) {
        Index<dim> offset;
        offset.fill(9 * child);
        prolong<dim>(solver, layout, fine.q, coarse.q, box, offset);
        // Each axis may change the phase; the amplitude is at most that of the wave, 1.
        for_volumes(layout, 0, [&](int i, int j, int l) {
          ASSERT_LE(std::abs(fine.at(1, i, j, l)), 1 + 1e-12) << number;
        });
      }
    }
  }
}

// Mirrored data are prolonged to bitwise mirrored values: a symmetric state stays symmetric.
TYPED_TEST(PointValues, ProlongationCommutesWithReflectionBitwise) {
  constexpr int dim = TypeParam::value;
  const Points solver(dim);
  const PatchLayout layout = layout_of(dim, 10);
  std::mt19937 engine(5);
  std::uniform_real_distribution<double> random(1, 2);
  Patch coarse(layout);
  for_volumes(layout, 3, [&](int i, int j, int k) {
    for (int n = 0; n < many; ++n) coarse.at(n, i, j, k) = random(engine);
  });
  for (int axis = 0; axis < dim; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    Patch mirrored(layout), fine(layout), other(layout);
    for_volumes(layout, 3, [&](int i, int j, int k) {
      int at[3] = {i, j, k};
      at[a] = 9 - at[a];
      for (int n = 0; n < many; ++n) mirrored.at(n, i, j, k) = coarse.at(n, at[0], at[1], at[2]);
    });
    Box<dim> box;
    box.extent.fill(10);
    Index<dim> offset{}, opposite{};
    offset[a] = 20;
    prolong<dim>(solver, layout, fine.q, coarse.q, box, offset);
    prolong<dim>(solver, layout, other.q, mirrored.q, box, opposite);
    for_volumes(layout, 0, [&](int i, int j, int k) {
      int at[3] = {i, j, k};
      at[a] = 9 - at[a];
      for (int n = 0; n < many; ++n) ASSERT_EQ(other.at(n, i, j, k), fine.at(n, at[0], at[1], at[2]));
    });
  }
}

TYPED_TEST(PointValues, ConstantsAreExactAndInadmissibleValuesAreReplaced) {
  constexpr int dim = TypeParam::value;
  const Points solver(dim);
  const PatchLayout layout = layout_of(dim, 9);
  Patch coarse(layout), fine(layout);
  Box<dim> box;
  box.extent.fill(9);
  Index<dim> offset;
  offset.fill(9);
  for_volumes(layout, 3,
              [&](int i, int j, int k) { coarse.at(0, i, j, k) = 0.1, coarse.at(1, i, j, k) = 1.0 / 3; });
  prolong<dim>(solver, layout, fine.q, coarse.q, box, offset);
  for_volumes(layout, 0, [&](int i, int j, int k) {
    ASSERT_EQ(fine.at(0, i, j, k), 0.1);
    ASSERT_EQ(fine.at(1, i, j, k), 1.0 / 3);
  });
  // A jump makes the polynomials overshoot below zero.
  for_volumes(layout, 3, [&](int i, int j, int k) { coarse.at(0, i, j, k) = i < 4 ? 1e-3 : 1.0; });
  prolong<dim>(solver, layout, fine.q, coarse.q, box, offset);
  int mended = 0;
  for_volumes(layout, 0, [&](int i, int j, int k) {
    EXPECT_GT(fine.at(0, i, j, k), 0.0);
    mended += fine.at(0, i, j, k) == 1e-3;
  });
  EXPECT_GT(mended, 0);
}

// Each coarse volume takes the fine value at its centre from the child that contains it.
TYPED_TEST(PointValues, RestrictionTakesTheMiddleValue) {
  constexpr int dim = TypeParam::value;
  for (const int p : {3, 4, 5, 7, 8, 9}) {
    const PatchLayout layout = layout_of(dim, p);
    std::vector<Patch> children;
    std::vector<FinePatch<dim>> patches;
    for (int c = 0; c < ipow(3, dim); ++c) {
      const Index<dim> child = [&] {
        Index<dim> at{};
        for (int a = 0, rest = c; a < dim; ++a, rest /= 3) at[static_cast<std::size_t>(a)] = rest % 3;
        return at;
      }();
      children.emplace_back(layout);
      for_volumes(layout, 0, [&](int i, int j, int k) {
        const int at[3] = {i, j, k};
        for (int n = 0; n < many; ++n) {
          double code = n;
          for (std::size_t a = 0; a < dim; ++a) code = 1000 * code + child[a] * p + at[a];
          children.back().at(n, i, j, k) = code;
        }
      });
      patches.push_back({nullptr, child});
    }
    for (std::size_t c = 0; c < patches.size(); ++c) patches[c].fine = children[c].q;
    Patch coarse(layout);
    Box<dim> all;
    all.extent.fill(p);
    restrict_to<dim>(layout, coarse.q, patches, {all, {}});
    for_volumes(layout, 0, [&](int i, int j, int k) {
      const int at[3] = {i, j, k};
      for (int n = 0; n < many; ++n) {
        double code = n;
        for (std::size_t a = 0; a < dim; ++a) code = 1000 * code + 3 * at[a] + 1;
        ASSERT_EQ(coarse.at(n, i, j, k), code);
      }
    });
  }
}

}  // namespace
}  // namespace meander::solvers::test
