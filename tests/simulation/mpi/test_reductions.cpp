// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Sums and profiles of a distributed state, against those of one rank.

#include <cmath>
#include <limits>

#include "parallel/exact_sums.hpp"
#include "physics/euler/diagnostics/mass_profile.hpp"
#include "physics/euler/diagnostics/radial_profile.hpp"
#include "simulation/diagnostics/totals.hpp"
#include "tests/simulation/mpi/outcome.hpp"
#include "tests/simulation/scenario_fixture.hpp"

namespace meander::simulation {
using namespace euler;
namespace {

// This rank's piece; with three or more ranks the middle rank has none.
StateView piece(const StateView& whole) {
  const auto items = whole.patches.size(), n = static_cast<std::size_t>(world().size());
  const auto cut = [&](std::size_t rank) {
    return (n > 2 && rank == n / 2 + 1 ? rank - 1 : rank) * items / n;
  };
  const auto rank = static_cast<std::size_t>(world().rank());
  const std::size_t begin = cut(rank), count = cut(rank + 1) - begin;
  return {world(),
          whole.layout,
          whole.patches.all().subspan(begin, count),
          whole.levels.subspan(begin, count),
          whole.numbers.subspan(begin, count),
          whole.t,
          whole.team,
          whole.level_dx};
}

void expect_same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  ASSERT_EQ(a.size(), b.size());
  EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(double)), 0);
}

struct Case {
  int dim;
  double odd_one;  // the density of one volume
};
class Reductions : public testing::TestWithParam<Case> {};

TEST_P(Reductions, HaveTheSameBitsAsOnOneRank) {
  const auto [dim, odd_one] = GetParam();
  const TestMesh mesh(dim, 5, -1, 1, 5, 0.5,
                      [&, dim = dim, odd = odd_one](const double* x, double dx, double* q) {
                        const bool here = std::abs(x[0] - 0.5) < 0.5 * dx && std::abs(x[1] + 0.3) < 0.5 * dx;
                        q[0] = here ? odd : 1.1 + std::sin(40 * x[0] + 13 * x[1]);
                        for (int d = 0; d < dim; ++d) q[1 + d] = -x[d] * (1 + std::cos(9 * x[1 - d % 2]));
                        q[dim + 1] = 20 + x[0];
                      });
  ThreadTeam team(2);
  const StateView whole = mesh.view(-1, team), own = piece(whole);
  expect_same_bits(totals(own), totals(whole));

  const ShellGrid grid{dim, {}, 0.9 / 200, 200};
  MassProfiler over_ranks(grid, 8.0), on_one(grid, 8.0);
  const auto found = over_ranks.profile(own), on_all = on_one.profile(whole);
  expect_same_bits(found.excess, on_all.excess);
  expect_same_bits(found.growth, on_all.growth);

  const auto profile = radial_profile(own, {}, 0.8, 1.4), expected = radial_profile(whole, {}, 0.8, 1.4);
  EXPECT_EQ(profile.dr, expected.dr);
  expect_same_bits(profile.density, expected.density);
  expect_same_bits(profile.radial_velocity, expected.radial_velocity);
  expect_same_bits(profile.pressure, expected.pressure);
}

INSTANTIATE_TEST_SUITE_P(Simulation, Reductions,
                         testing::Values(Case{2, 1.0}, Case{3, 1.0}, Case{2, std::nan("")},
                                         Case{3, std::numeric_limits<double>::infinity()}, Case{2, -1e300}));

TEST(SumOverRanks, IsExactWhateverItsAddends) {
  const int n = world().size(), r = world().rank();
  const double infinity = std::numeric_limits<double>::infinity();
  ExactSum sums[5];
  // Only the last addend of the last rank is left of the first sum.
  sums[0].add((r % 2 == 0 ? 1 : -1) * 1e200);
  if (n % 2 != 0 && r == n - 1) sums[0].add(-1e200);
  if (r == n - 1) sums[0].add(-1e-200);
  if (r == 0) sums[1].add(infinity);
  sums[2].add(r % 2 == 0 ? infinity : -infinity);
  sums[3].add(r == n - 1 ? std::nan("") : 1.0);
  for (int i = 0; i <= r; ++i) sums[4].add(-0.5);
  sum_over_ranks(world(), sums);
  EXPECT_EQ(sums[0].value(), -1e-200);
  EXPECT_EQ(sums[1].value(), infinity);
  EXPECT_EQ(std::isnan(sums[2].value()), n > 1);
  EXPECT_TRUE(std::isnan(sums[3].value()));
  EXPECT_EQ(sums[4].value(), -0.25 * n * (n + 1));
}

}  // namespace
}  // namespace meander::simulation
