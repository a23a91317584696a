// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Dense output of patches on a device is bitwise equal to the host's functions, in any order of threads.

#include <gtest/gtest.h>

#include "solvers/dense_output.hpp"
#include "solvers/local_step_solver.hpp"
#include "solvers/resident_kernels.hpp"
#include "tests/solvers/adversarial_block.hpp"
#include "tests/solvers/ccz4_batch.hpp"
#include "tests/solvers/same_results.hpp"

namespace meander::solvers::test {
namespace {

constexpr int p = 4;
constexpr ShortStage late{3, 2, 3, 0.01};

Box<3> box_of(const Index<3>& lower, const Index<3>& extent) {
  return {lower, extent};
}
template <class Item>
void set_box(Item& item, const Box<3>& box) {
  for (std::size_t a = 0; a < 3; ++a) {
    item.lower[a] = static_cast<std::int16_t>(box.lower[a]);
    item.extent[a] = static_cast<std::int16_t>(box.extent[a]);
  }
}

// Two patches after a step, whose states within it are combined in two slots. The second one holds volumes of the first
// patch in its halo, and values beyond a boundary that follow from its own.
struct TwoPatches {
  std::unique_ptr<Solver> solver = make_ccz4(ccz4::Scheme::fourth_order, false);
  PatchLayout layout{3, p, 3, ccz4::unknowns};
  Patch now[2] = {Patch(layout), Patch(layout)}, combined[2] = {Patch(layout), Patch(layout)},
        other = Patch(layout);
  std::vector<double> stages[2], rates[2], kept[2];
  // The first is read as far as the second needs it.
  Box<3> box[2] = {box_of({1, 0, 0}, {3, p, p}), box_of({0, 0, 0}, {p, p, p})};

  TwoPatches() {
    layout.point_values = true;
    std::mt19937 engine(5);
    std::uniform_real_distribution<double> draw(-1, 1);
    for (std::size_t n = 0; n < 2; ++n) {
      stages[n].resize(static_cast<std::size_t>(2 * layout.stage_block_size()));
      rates[n].resize(static_cast<std::size_t>(layout.stage_block_size()));
      std::ranges::generate(stages[n], [&] { return draw(engine); });
      std::ranges::generate(rates[n], [&] { return draw(engine); });
      for_volumes(layout, 0, [&](int i, int j, int k) {
        double q[ccz4::unknowns];
        for (const bool is_now : {true, false}) {
          ccz4::test::random_state(engine, q);
          for (int u = 0; u < ccz4::unknowns; ++u) {
            const std::ptrdiff_t volume = (k * p + j) * p + i;
            (is_now ? now[n].at(u, i, j, k)
                    : stages[n][static_cast<std::size_t>(u * layout.volumes() + volume)]) = q[u];
          }
        }
      });
      kept[n].resize(2 * box[n].volumes() * static_cast<std::size_t>(layout.unknowns));
      std::fill_n(combined[n].q, layout.slot_size(), 0.5);
    }
    std::fill_n(other.q, layout.slot_size(), 0.25);
  }
  PatchTask task(std::size_t n) {
    PatchTask task = now[n].task(0.1);
    task.stages = stages[n].data();
    return task;
  }
};

// The shift of a copy into the halo at the lower end of z: the first patch lies there.
const Index<3> shift_of_copy{1, 0, p};
const Box<3> box_of_copy = box_of({0, 0, -2}, {3, p, 2});

void by_the_host(TwoPatches& patches) {
  for (std::size_t n = 0; n < 2; ++n) {
    PatchTask earlier = patches.task(n);
    // After the first stage the second block holds the rates.
    std::vector<double> stages = patches.stages[n];
    std::ranges::copy(patches.rates[n], stages.begin() + patches.layout.stage_block_size());
    earlier.stages = stages.data();
    for (const int stage : {0, 1})
      keep_rates<3>(patches.layout, earlier, stage, patches.box[n], patches.kept[n].data());
    dense_output<3>(patches.layout, patches.task(n), patches.box[n], patches.kept[n].data(), late,
                    patches.combined[n].q);
    dynamic_cast<const LocalStepSolver&>(*patches.solver)
        .enforce(patches.layout, patches.combined[n].q, patches.box[n]);
  }
  const Box<3>& box = box_of_copy;
  for_rows<3>(box, [&](const Index<3>& i) {
    for (int x = 0; x < box.extent[0]; ++x) {
      for (int u = 0; u < ccz4::unknowns; ++u) {
        patches.combined[1].at(u, i[0] + x, i[1], i[2]) = patches.combined[0].at(
            u, i[0] + x + shift_of_copy[0], i[1] + shift_of_copy[1], i[2] + shift_of_copy[2]);
      }
    }
  });
  for (int u = 0; u < ccz4::unknowns; ++u) {
    for (int k = 0; k < p; ++k) {
      for (int j = 0; j < p; ++j) {
        for (int i = p; i < p + 3; ++i)
          patches.combined[1].at(u, i, j, k) = patches.combined[1].at(u, p - 1, j, k);
      }
    }
  }
  std::copy_n(patches.now[0].q, patches.layout.slot_size(), patches.other.q);
}

template <class Launcher>
void by_kernels(TwoPatches& patches, const Launcher& launcher) {
  const PatchLayout& layout = patches.layout;
  std::vector<LevelItem> items;
  for (std::size_t n = 0; n < 2; ++n) {
    for (std::size_t stage = 0; stage < 2; ++stage) {
      LevelItem& item = items.emplace_back();
      item.kind = LevelItem::Kind::keep_rates;
      set_box(item, patches.box[n]);
      item.from = patches.rates[n].data();
      item.values = patches.kept[n].data() + stage * patches.kept[n].size() / 2;
    }
  }
  LevelBatch keep;
  keep.items = items.data();
  keep.ranges[0] = {0, static_cast<std::int32_t>(items.size())};
  keep.count = static_cast<int>(items.size());
  keep.layout = layout;
  launcher(BlockLevels<3>(keep), keep.count);

  std::vector<DenseSource> sources(2);
  std::vector<DenseOp> ops(3);
  for (std::size_t n = 0; n < 2; ++n) {
    sources[n].slot = patches.now[n].q;
    sources[n].stages = patches.stages[n].data();
    sources[n].kept = patches.kept[n].data();
    set_box(sources[n], patches.box[n]);
  }
  ops[0].source = ops[2].source = 0;
  ops[1].source = 1;
  set_box(ops[0], patches.box[0]);
  set_box(ops[1], patches.box[1]);
  set_box(ops[2], box_of_copy);
  for (std::size_t a = 0; a < 3; ++a) ops[2].shift[a] = static_cast<std::int16_t>(shift_of_copy[a]);
  // The second slot first: the fill has operations on it, and on a slot that nothing is combined in.
  const std::vector<FillTarget> dense = {{patches.combined[1].q, 1, 3}, {patches.combined[0].q, 0, 1}};
  const std::vector<FillTarget> targets = {{patches.combined[1].q, 0, 1}, {patches.other.q, 1, 2}};
  std::vector<FillOp> fills(2);
  fills[0].kind = FillOp::Kind::outflow;
  fills[0].face = 1;
  fills[0].phase = 1;
  set_box(fills[0], box_of({p, 0, 0}, {3, p, p}));
  fills[1].source = patches.now[0].q;
  set_box(fills[1], box_of({-3, -3, -3}, {p + 6, p + 6, p + 6}));
  DenseFillBatch batch;
  batch.targets = targets.data();
  batch.ops = fills.data();
  batch.layout = layout;
  batch.prolongation = Prolongation::centred;
  batch.fills = 2;
  batch.combined = 2;
  batch.shared = 1;
  batch.count = 3;
  batch.dense = dense.data();
  batch.dense_ops = ops.data();
  batch.sources = sources.data();
  batch.factors = dense_factors(late);
  ccz4::Parameters parameters;
  parameters.scheme = ccz4::Scheme::fourth_order;
  parameters.lapse_floor = 0.6;
  launcher(BlockDenseFill<ccz4::Terms>(ccz4::Terms{parameters}, batch), batch.count);
}

TEST(BlockDense, HasTheBitsOfTheHostInAnyOrderOfThreads) {
  TwoPatches expected;
  by_the_host(expected);
  const auto check = [&](const auto& launcher) {
    TwoPatches found;
    by_kernels(found, launcher);
    for (std::size_t n = 0; n < 2; ++n) {
      EXPECT_TRUE(same_bits(found.kept[n], expected.kept[n])) << n;
      EXPECT_TRUE(same_bits(contents(found.combined[n]), contents(expected.combined[n]))) << n;
    }
    EXPECT_TRUE(same_bits(contents(found.other), contents(expected.other)));
  };
  check(SerialLauncher{});
  for (const Schedule& schedule : schedules()) {
    SCOPED_TRACE(static_cast<int>(schedule.order));
    check(AdversarialLauncher{schedule});
  }
  EXPECT_FALSE(same_bits(contents(expected.combined[0]), contents(TwoPatches().combined[0])));
}

}  // namespace
}  // namespace meander::solvers::test
