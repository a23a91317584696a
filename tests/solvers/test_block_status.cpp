// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Kernels that inspect patches, merge their status and sum their unknowns are bitwise equal to the host's
// functions, in any order of their threads.

#include <gtest/gtest.h>

#include <cmath>

#include "solvers/resident_kernels.hpp"
#include "tests/solvers/adversarial_block.hpp"
#include "tests/solvers/ccz4_batch.hpp"
#include "tests/solvers/random_fill.hpp"
#include "tests/solvers/random_levels.hpp"
#include "tests/solvers/random_status.hpp"

namespace meander::solvers::test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Calls check(launcher) for blocks of one thread and of several.
template <class Check>
void by_every_block(const Check& check) {
  check(SerialLauncher{});
  for (const Schedule& schedule : schedules()) {
    SCOPED_TRACE(testing::Message() << "order " << static_cast<int>(schedule.order));
    check(AdversarialLauncher{schedule});
  }
}

// Inspects copies of the patches, with and without floors.
template <Pde P>
void expect_same_inspection(const P& pde, const Solver& solver, const std::vector<Patch>& patches) {
  for (const bool enforces : {false, true}) {
    std::vector<Patch> expected = patches;
    std::vector<PatchStatus> status;
    for (const Patch& patch : expected) {
      status.push_back(enforces ? solver.enforce_floors(patch.task(0.1), patch.layout)
                                : solver.inspect(patch.task(0.1), patch.layout));
    }
    by_every_block([&](const auto& launcher) {
      std::vector<Patch> found = patches;
      std::vector<PatchStatus> mine(found.size());
      std::vector<DevicePatch> table(found.size());
      for (std::size_t n = 0; n < found.size(); ++n) table[n].slot = found[n].q;
      InspectBatch batch;
      batch.count = static_cast<int>(table.size());
      batch.patches = table.data();
      batch.status = mine.data();
      batch.layout = patches.front().layout;
      batch.enforces = enforces;
      launcher(BlockInspect<P>(pde, batch), batch.count);
      for (std::size_t n = 0; n < found.size(); ++n) {
        EXPECT_TRUE(same_bits(contents(found[n]), contents(expected[n]))) << "patch " << n;
        EXPECT_TRUE(same_bits(mine[n], status[n])) << "patch " << n << (enforces ? ", floors" : "");
      }
    });
  }
}

template <int D>
void expect_same_inspection_of_gas(int p, int h) {
  for (const bool floors : {false, true}) {
    const GasSolver solver(D, h, HaloShape::full, Prolongation::constant, floors);
    const PatchLayout layout = layout_of(solver, p);
    std::vector<Patch> patches;
    for (unsigned seed = 0; seed < 5; ++seed) patches.push_back(random_slot(layout, seed));
    patches[1].at(D + 1, 2, 3, 1) = -7;  // energy
    patches[2].at(0, p - 1, 0, p - 1) = nan;
    patches[3].at(1, 0, 0, 0) = nan;
    expect_same_inspection(GasSolver::terms<D>(floors), solver, patches);
  }
}

TEST(BlockInspect, IsBitwiseEqualToTheHost) {
  for (const int p : {4, 6, 9, 10, 17}) {
    for (int h = 1; h <= 3; ++h) {
      expect_same_inspection_of_gas<2>(p, h);
      expect_same_inspection_of_gas<3>(p, h);
    }
  }
}

TEST(BlockInspect, ReportsTheFirstVolumeOfTheLastBreachedBound) {
  const auto solver = make_ccz4(ccz4::Scheme::rusanov, false);
  const ccz4::Terms terms{*static_cast<const ccz4::Parameters*>(solver->parameters())};
  for (const int p : {4, 6}) {
    std::vector<Patch> patches = random_spacetimes(*solver, p, 4).slots;
    expect_same_inspection(terms, *solver, patches);
    // A single breach, in the last volume.
    const std::vector<double> flat = patches[0].volume(1, 1, 1);
    for_volumes(patches[0].layout, 0, [&](int i, int j, int k) {
      for (int n = 0; n < ccz4::unknowns; ++n)
        patches[0].at(n, i, j, k) =
            flat[static_cast<std::size_t>(n)] * (n < 6 && i + j + k == 3 * p - 3 ? 1.1 : 1);
    });
    expect_same_inspection(terms, *solver, patches);
    EXPECT_EQ(solver->enforce_floors(patches[0].task(0.1), patches[0].layout).breach.bound,
              ccz4::Terms::det_bound);
  }
}

template <int D>
void expect_sums(int p, int h, int unknowns) {
  const PatchLayout layout(D, p, h, unknowns);
  std::vector<Patch> patches;
  for (unsigned seed = 0; seed < 3; ++seed) patches.push_back(random_slot(layout, seed));
  std::vector<double> expected;
  for (Patch& patch : patches) {
    for (int u = 0; u < unknowns; ++u) {
      double sum = 0;
      for (int k = 0; k < (D == 3 ? p : 1); ++k) {
        for (int j = 0; j < p; ++j) {
          double row = 0;
          for (int i = 0; i < p; ++i) row += patch.at(u, i, j, k);
          sum += row;
        }
      }
      expected.push_back(sum);
    }
  }
  by_every_block([&](const auto& launcher) {
    std::vector<DevicePatch> table(patches.size());
    for (std::size_t n = 0; n < patches.size(); ++n) table[n].q = patches[n].q;
    std::vector<double> found(expected.size(), nan);
    TotalsBatch batch;
    batch.count = static_cast<int>(table.size());
    batch.patches = table.data();
    batch.sums = found.data();
    batch.layout = layout;
    launcher(BlockTotals<D>(batch), batch.count);
    EXPECT_EQ(found, expected) << "p " << p << ", h " << h;
  });
}

TEST(BlockTotals, SumInteriorsRowByRow) {
  for (const int p : {1, 4, 9}) {
    for (int h = 1; h <= 3; ++h) {
      expect_sums<2>(p, h, 4);
      expect_sums<3>(p, h, 5);
    }
  }
}

TEST(BlockReduce, IsBitwiseEqualToTheHost) {
  for (const int count : {0, 1, 2, 255, 256, 257, 1000}) {
    for (unsigned seed = 0; seed < 5; ++seed) {
      const RandomStatus random(count, seed);
      by_every_block([&](const auto& launcher) {
        EXPECT_TRUE(same_bits(random.reduced(launcher), random.merged())) << count << ", seed " << seed;
      });
    }
  }
}

TEST(BlockReduce, NeedsItsBarrier) {
  const RandomStatus random(1000, 1);
  bool noticed = false;
  for (const Schedule& schedule : schedules(0))
    noticed = noticed || !same_bits(random.reduced(AdversarialLauncher{schedule}), random.merged());
  EXPECT_TRUE(noticed);
}

template <int D>
void expect_figures_of_levels(int p) {
  const RandomLevels<D> before(p);
  by_every_block([&](const auto& launcher) {
    RandomLevels<D> after(p);
    after.run(launcher);
    after.check(before);
  });
}

TEST(BlockLevels, KeepInterpolateAndAddUp) {
  for (const int p : {3, 4, 5, 9}) {
    expect_figures_of_levels<2>(p);
    if (p < 9) expect_figures_of_levels<3>(p);
  }
}

}  // namespace
}  // namespace meander::solvers::test
