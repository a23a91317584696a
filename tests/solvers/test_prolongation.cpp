// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Prolongation of means: no new extrema, means kept, second order, and what is read. That the blocks of devices do
// the same bit by bit is tested in test_block_fill.cpp.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <random>

#include "solvers/prolongation.hpp"
#include "tests/solvers/idle_solver.hpp"
#include "tests/solvers/patches.hpp"

namespace meander::solvers::test {
namespace {

// Means of two unknowns, of which any values are admissible.
class TwoMeans final : public IdleSolver {
 public:
  TwoMeans(int dim, int halo) : IdleSolver(dim, 2, Prolongation::limited_linear) { traits_.halo = halo; }
};

// The place of a box seen from the fine patch along each axis: -1 below, 0 inside, 1 above.
template <int D>
struct Place {
  Index<D> side{};
  Index<D> child{};  // position of the fine patch along axes with side 0
  bool is_halo() const {
    return std::ranges::any_of(side, [](int s) { return s != 0; });
  }
};

template <int D>
void for_places(const std::function<void(const Place<D>&)>& body) {
  int count = 1;
  for (int a = 0; a < D; ++a) count *= 5;
  for (int n = 0; n < count; ++n) {
    Place<D> place;
    for (int a = 0, rest = n; a < D; ++a, rest /= 5) {
      const int choice = rest % 5;  // below, above, or one of three children
      place.side[a] = choice == 0 ? -1 : choice == 1 ? 1 : 0;
      place.child[a] = std::max(choice - 2, 0);
    }
    body(place);
  }
}

// A coarse and a fine patch with two unknowns, and a box at a place.
template <int D>
struct Case {
  Case(int p, int h, const Place<D>& at)
      : solver(D, h), layout(D, p, h, 2), place(at), coarse(layout), fine(layout) {
    for (int a = 0; a < D; ++a) {
      const int side = at.side[a];
      box.lower[a] = side < 0 ? -h : side > 0 ? p : 0;
      box.extent[a] = side == 0 ? p : h;
      offset[a] = side < 0 ? 3 * p : side > 0 ? -p : at.child[a] * p;
    }
  }
  // value(unknown, centre in widths of a coarse volume from the corner of the coarse patch, width); both patches with halos.
  void fill(const std::function<double(int, const double*, double)>& value) {
    fill_one(coarse, {}, 1, value);
    fill_one(fine, offset, 1.0 / 3, value);
  }
  void prolong() { solvers::prolong<D>(solver, layout, fine.q, coarse.q, box, offset); }

  // Calls body(index in the fine patch, coarse volume) for the volumes of the box.
  template <class Body>
  void for_box(const Body& body) const {
    for_rows<D>(box, [&](Index<D> f) {
      for (int x = 0; x < box.extent[0]; ++x, ++f[0]) {
        Index<D> c;
        for (int a = 0; a < D; ++a) c[a] = floor_third(f[a] + offset[a]);
        body(f, c);
      }
    });
  }

  TwoMeans solver;
  PatchLayout layout;
  Place<D> place;
  Patch coarse, fine;
  Box<D> box;
  Index<D> offset;

 private:
  void fill_one(Patch& patch, const Index<D>& shift, double width,
                const std::function<double(int, const double*, double)>& value) {
    for_volumes(layout, layout.h, [&](int i, int j, int k) {
      const int at[3] = {i, j, k};
      double x[3] = {0, 0, 0};
      for (int a = 0; a < D; ++a) x[a] = width * (at[a] + shift[a] + 0.5);
      for (int u = 0; u < 2; ++u) patch.at(u, i, j, k) = value(u, x, width);
    });
  }
};

// Independent numbers with jumps over a factor of 1000.
auto random_values(std::mt19937& random) {
  return [&random](int, const double*, double) {
    const double value = std::uniform_real_distribution<double>(-1, 1)(random);
    return random() % 3 == 0 ? 1000 * value : value;
  };
}

template <class Dimension>
class MeansProlongation : public testing::Test {};
using Dimensions = testing::Types<std::integral_constant<int, 2>, std::integral_constant<int, 3>>;
TYPED_TEST_SUITE(MeansProlongation, Dimensions);

// Every value lies between the least and the largest of the coarse volume and its neighbours across faces, a subset of the
// 3^D volumes around it. For halos, where the coarse patch ends, the neighbour inside is mirrored at the volume.
TYPED_TEST(MeansProlongation, HasNoNewExtrema) {
  constexpr int D = TypeParam::value;
  std::mt19937 random(1);
  std::size_t checked[2] = {0, 0};  // in halos, in new leaves
  for (const int p : {6, 7, 8, 9}) {
    for_places<D>([&](const Place<D>& place) {
      for (int round = 0; round < (D == 2 ? 20 : 2); ++round) {
        Case<D> c(p, 2, place);
        c.fill(random_values(random));
        c.prolong();
        c.for_box([&](const Index<D>& f, const Index<D>& volume) {
          for (int u = 0; u < 2; ++u) {
            double least = c.coarse.q[c.layout.at(u, volume)], most = least;
            for (int a = 0; a < D; ++a) {
              for (const int to : {-1, 1}) {
                Index<D> next = volume;
                next[a] += to;
                const bool is_known = !place.is_halo() || (next[a] >= 0 && next[a] < p);
                if (!is_known) next[a] -= 2 * to;
                const double neighbour = c.coarse.q[c.layout.at(u, next)],
                             own = c.coarse.q[c.layout.at(u, volume)],
                             value = is_known ? neighbour : own + (own - neighbour);
                least = std::min(least, value);
                most = std::max(most, value);
              }
            }
            const double value = c.fine.q[c.layout.at(u, f)],
                         tolerance = 1e-15 * std::max(std::abs(least), std::abs(most));
            ++checked[place.is_halo() ? 0 : 1];
            ASSERT_GE(value, least - tolerance) << "p = " << p << ", unknown " << u;
            ASSERT_LE(value, most + tolerance) << "p = " << p << ", unknown " << u;
          }
        });
      }
    });
  }
  EXPECT_GT(checked[0], 10000u);
  EXPECT_GT(checked[1], 10000u);
}

// At the border of the coarse patch, a jump between 1 and 3 at any place, as steep as a scheme keeps it, leads to no value outside.
TYPED_TEST(MeansProlongation, ExtrapolatesNoJump) {
  constexpr int D = TypeParam::value;
  const int p = D == 2 ? 9 : 6;
  const double step = D == 2 ? 0.37 : 1.37;
  double least = 2, most = 2;
  std::size_t extrapolated = 0;
  for_places<D>([&](const Place<D>& place) {
    if (!place.is_halo()) return;
    for (int a = 0; a < D; ++a) {
      for (const double width : {0.01, 0.4, 0.8, 1.5, 3.0}) {
        for (double at = -2; at < p + 2; at += step) {
          Case<D> c(p, 2, place);
          c.fill([&](int u, const double* x, double dx) {
            // The mean of an error function.
            const auto integral = [&](double y) {
              const double z = (y - at) / width;
              return width * (z * std::erf(z) + std::exp(-z * z) / std::sqrt(M_PI));
            };
            const double mean = (integral(x[a] + 0.5 * dx) - integral(x[a] - 0.5 * dx)) / dx;
            return u == 0 ? 2 + mean : 2 - mean;
          });
          c.prolong();
          c.for_box([&](const Index<D>& f, const Index<D>& volume) {
            if (volume[a] > 0 && volume[a] < p - 1) return;
            for (int u = 0; u < 2; ++u) {
              const double value = c.fine.q[c.layout.at(u, f)];
              least = std::min(least, value);
              most = std::max(most, value);
              extrapolated += std::abs(value - c.coarse.q[c.layout.at(u, volume)]) > 0.01 ? 1 : 0;
            }
          });
        }
      }
    }
  });
  EXPECT_GE(least, 1 - 1e-14);
  EXPECT_LE(most, 3 + 1e-14);
  EXPECT_GT(extrapolated, 100u) << "all slopes at the border are zero";
}

// Fine patches that share a volume of their halos get the same bits: the flux between them is the same on both sides.
TYPED_TEST(MeansProlongation, AgreesBetweenFinePatches) {
  constexpr int D = TypeParam::value;
  std::mt19937 random(4);
  for (const int p : {6, 7, 8, 9}) {
    Place<D> first;
    first.side[0] = 1;
    Case<D> filled(p, 2, first);
    filled.fill(random_values(random));
    std::map<Index<D>, std::array<double, 2>> values;  // by fine index in the coarse cell
    std::size_t shared = 0;
    for_places<D>([&](const Place<D>& place) {
      if (!place.is_halo()) return;
      Case<D> c(p, 2, place);
      c.fill(random_values(random));
      c.coarse = filled.coarse;
      c.prolong();
      c.for_box([&](const Index<D>& f, const Index<D>&) {
        Index<D> in_cell = f;
        for (int a = 0; a < D; ++a) in_cell[a] += c.offset[a];
        const auto [known, is_new] = values.try_emplace(in_cell);
        shared += is_new ? 0 : 1;
        for (int u = 0; u < 2; ++u) {
          const double value = c.fine.q[c.layout.at(u, f)];
          double& expected = known->second[static_cast<std::size_t>(u)];
          if (is_new) expected = value;
          ASSERT_EQ(value, expected) << "p = " << p;
        }
      });
    });
    EXPECT_GT(shared, 10u);
  }
}

TYPED_TEST(MeansProlongation, KeepsLinearData) {
  constexpr int D = TypeParam::value;
  for (const int p : {3, 4, 5, 6, 7, 8, 9}) {
    for_places<D>([&](const Place<D>& place) {
      Case<D> c(p, 1, place);
      const auto linear = [](int u, const double* x, double) {
        return u == 0 ? 1 + x[0] - 3 * x[1] + 0.2 * x[2] : 2 - 0.1 * x[0] + x[1] - 2 * x[2];
      };
      c.fill(linear);
      const Patch exact = c.fine;
      c.prolong();
      c.for_box([&](const Index<D>& f, const Index<D>&) {
        for (int u = 0; u < 2; ++u)
          ASSERT_NEAR(c.fine.q[c.layout.at(u, f)], exact.q[c.layout.at(u, f)], 1e-13) << "p = " << p;
      });
    });
  }
}

// Of carried rows, whose halos are not filled: linear data come out everywhere, in the volumes at the border, too.
TYPED_TEST(MeansProlongation, OfCarriedRowsKeepsLinearData) {
  constexpr int D = TypeParam::value;
  for (const int p : {3, 4, 7, 9}) {
    const PatchLayout layout(D, p, 2, 2);
    const auto linear = [](int u, const Index<D>& i, double width) {
      double sum = u;
      for (int a = 0; a < D; ++a) sum += (a + 1 - 4 * u) * width * (i[a] + 0.5);
      return sum;
    };
    std::vector<double> coarse(static_cast<std::size_t>(layout.slot_size()), std::nan(""));
    for (int u = 0; u < 2; ++u)
      for_volumes<D>(interior_box<D>(p),
                     [&](const Index<D>& i) { coarse[layout.at(u, i)] = linear(u, i, 1); });
    continue_linearly<D>(layout, coarse.data());
    Box<D> children;
    children.extent.fill(3);
    for_volumes<D>(children, [&](const Index<D>& child) {
      std::vector<double> fine(coarse.size(), std::nan(""));
      prolong_linearly<D>(layout, fine.data(), coarse.data(), child);
      for (int u = 0; u < 2; ++u) {
        for_volumes<D>(interior_box<D>(p), [&](const Index<D>& i) {
          Index<D> in_cell = i;
          for (int a = 0; a < D; ++a) in_cell[a] += child[a] * p;
          ASSERT_NEAR(fine[layout.at(u, i)], linear(u, in_cell, 1.0 / 3), 1e-13) << "p = " << p;
        });
      }
    });
  }
}

// Steep but smooth monotone data: a third of the width has a ninth of the error.
TYPED_TEST(MeansProlongation, IsOfSecondOrder) {
  constexpr int D = TypeParam::value;
  const int p = 9;
  for_places<D>([&](const Place<D>& place) {
    double error[2] = {0, 0};
    for (const int finer : {0, 1}) {
      const double dx = finer == 0 ? 0.002 : 0.002 / 3;
      Case<D> c(p, 2, place);
      c.fill([&](int u, const double* x, double width) {
        double value = 1;
        // The mean of exp over each axis.
        for (int a = 0; a < D; ++a) {
          const double rate = (u == 0 ? 1.0 : -1.5) * (a + 1) * dx, half = 0.5 * rate * width;
          value *= std::exp(rate * (x[a] - 0.5 * p)) * std::sinh(half) / half;
        }
        return value;
      });
      const Patch exact = c.fine;
      c.prolong();
      c.for_box([&](const Index<D>& f, const Index<D>&) {
        for (int u = 0; u < 2; ++u)
          error[finer] =
              std::max(error[finer], std::abs(c.fine.q[c.layout.at(u, f)] - exact.q[c.layout.at(u, f)]));
      });
    }
    EXPECT_LT(error[1], error[0] / 8);
    EXPECT_GT(error[0], 1e-7);
  });
}

// The tail of a bell of a radius of six volumes is smooth, though it falls faster than a parabola: halos keep its slopes.
TYPED_TEST(MeansProlongation, KeepsTheSlopesOfSmoothTails) {
  constexpr int D = TypeParam::value;
  const int p = 9;
  double with_slopes = 0, without = 0;
  Place<D> place;
  place.side[0] = 1;
  for (double middle = -10; middle < 20; middle += 0.7) {
    Case<D> c(p, 2, place);
    c.fill([&](int u, const double* x, double width) {
      const auto integral = [&](double y) { return std::erf((y - middle) / 6); };
      const double mean = (integral(x[0] + 0.5 * width) - integral(x[0] - 0.5 * width)) / width;
      return u == 0 ? mean : 1 - mean;
    });
    const Patch exact = c.fine;
    c.prolong();
    c.for_box([&](const Index<D>& f, const Index<D>& volume) {
      const double value = exact.q[c.layout.at(0, f)];
      with_slopes += std::abs(c.fine.q[c.layout.at(0, f)] - value);
      without += std::abs(c.coarse.q[c.layout.at(0, volume)] - value);
    });
  }
  EXPECT_LT(with_slopes, 0.33 * without);
}

// Whole coarse volumes: in new leaves of 9 volumes, and halos as wide as a coarse volume.
TYPED_TEST(MeansProlongation, KeepsTheMean) {
  constexpr int D = TypeParam::value;
  std::mt19937 random(2);
  for_places<D>([&](const Place<D>& place) {
    Case<D> c(9, 3, place);
    c.fill(random_values(random));
    c.prolong();
    for (int u = 0; u < 2; ++u) {
      std::map<Index<D>, std::pair<double, int>> sums;
      double largest = 0;
      c.for_box([&](const Index<D>& f, const Index<D>& volume) {
        const double value = c.fine.q[c.layout.at(u, f)];
        sums[volume].first += value;
        ++sums[volume].second;
        largest = std::max(largest, std::abs(value));
      });
      for (const auto& [volume, sum] : sums) {
        ASSERT_EQ(sum.second, D == 2 ? 9 : 27);
        ASSERT_NEAR(sum.first / sum.second, c.coarse.q[c.layout.at(u, volume)], 1e-15 * largest);
      }
    }
  });
}

// Nothing else is read: neither the coarse patch outside of prolongation_support(), nor halos of the fine one. For halos the
// support lies in the interior of the coarse patch.
TYPED_TEST(MeansProlongation, ReadsItsSupportOnly) {
  constexpr int D = TypeParam::value;
  std::mt19937 random(3);
  for (const int p : {3, 6, 7, 9}) {
    const int h = p == 3 ? 1 : 2;
    for_places<D>([&](const Place<D>& place) {
      Case<D> c(p, h, place);
      c.fill(random_values(random));
      // A part of the box.
      for (int a = 0; a < D; ++a) {
        const int extent = c.box.extent[a],
                  first = static_cast<int>(random() % static_cast<unsigned>(extent));
        c.box.lower[a] += first;
        c.box.extent[a] = 1 + static_cast<int>(random() % static_cast<unsigned>(extent - first));
      }
      const Box<D> support = prolongation_support<D>(c.layout, c.box, c.offset);
      Case<D> masked = c;
      const auto mask = [&](Patch& patch, const Box<D>& kept) {
        for_volumes(c.layout, h, [&](int i, int j, int k) {
          const int at[3] = {i, j, k};
          bool inside = true;
          for (int a = 0; a < D; ++a)
            inside = inside && at[a] >= kept.lower[a] && at[a] < kept.lower[a] + kept.extent[a];
          for (int u = 0; u < 2 && !inside; ++u)
            patch.at(u, i, j, k) = std::numeric_limits<double>::quiet_NaN();
        });
      };
      Box<D> interior;
      interior.extent.fill(p);
      mask(masked.coarse, support);
      mask(masked.fine, interior);
      if (place.is_halo()) {
        for (int a = 0; a < D; ++a) {
          EXPECT_GE(support.lower[a], 0);
          EXPECT_LE(support.lower[a] + support.extent[a], p);
        }
      }
      c.prolong();
      masked.prolong();
      c.for_box([&](const Index<D>& f, const Index<D>&) {
        for (int u = 0; u < 2; ++u)
          ASSERT_EQ(masked.fine.q[c.layout.at(u, f)], c.fine.q[c.layout.at(u, f)]) << "p = " << p;
      });
    });
  }
}

}  // namespace
}  // namespace meander::solvers::test
