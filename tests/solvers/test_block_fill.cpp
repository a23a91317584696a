// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Kernels that copy, receive, prolong, restrict and pack are bitwise equal to the host's functions for random
// boxes, in any order of their threads.

#include <gtest/gtest.h>

#include <ostream>

#include "physics/euler/dual_energy_terms.hpp"
#include "solvers/resident_kernels.hpp"
#include "tests/solvers/adversarial_block.hpp"
#include "tests/solvers/random_fill.hpp"

namespace meander::solvers::test {
namespace {

struct Case {
  int dim, p, h;
  std::string name() const {
    return std::to_string(dim) + "D_p" + std::to_string(p) + "_h" + std::to_string(h);
  }
  friend void PrintTo(const Case& c, std::ostream* out) { *out << c.name(); }
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (int dim = 2; dim <= 3; ++dim) {
    for (const int p : {4, 6, 9, 10, 17}) {
      for (int h = 1; h <= 3; ++h) all.push_back({dim, p, h});
    }
  }
  return all;
}

template <int D, class Terms = euler::Terms<D>>
void expect_same_bits(const Case& c, Prolongation prolongation, bool dual_energy = false) {
  const GasSolver solver(D, c.h, HaloShape::full, prolongation, true, dual_energy);
  RandomFill<D, Terms> fill(solver, c.p, static_cast<unsigned>(10 * c.p + c.h));
  EXPECT_TRUE(fill.has_effect());
  fill.expect_same_bits(SerialLauncher{});
  for (const Schedule& schedule : schedules()) {
    SCOPED_TRACE(static_cast<int>(schedule.order));
    fill.expect_same_bits(AdversarialLauncher{schedule});
  }
}

class BlockFills : public testing::TestWithParam<Case> {
 protected:
  void expect(Prolongation prolongation) {
    GetParam().dim == 2 ? expect_same_bits<2>(GetParam(), prolongation)
                        : expect_same_bits<3>(GetParam(), prolongation);
  }
};
INSTANTIATE_TEST_SUITE_P(Solvers, BlockFills, testing::ValuesIn(cases()),
                         [](const auto& one) { return one.param.name(); });

TEST_P(BlockFills, AreBitwiseEqualToTheHostForMeans) {
  expect(Prolongation::constant);
  expect(Prolongation::limited_linear);
}

// Energies of cold gas from its entropies.
TEST_P(BlockFills, AreBitwiseEqualToTheHostForRedundantUnknowns) {
  GetParam().dim == 2
      ? expect_same_bits<2, euler::DualEnergyTerms<2>>(GetParam(), Prolongation::limited_linear, true)
      : expect_same_bits<3, euler::DualEnergyTerms<3>>(GetParam(), Prolongation::limited_linear, true);
}

TEST_P(BlockFills, AreBitwiseEqualToTheHostForPointValues) {
  expect(Prolongation::centred);
}

}  // namespace
}  // namespace meander::solvers::test
