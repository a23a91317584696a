// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Items of BlockLevels on random figures, and their results by plain loops over volumes.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "solvers/block_levels.hpp"
#include "solvers/patch_copy.hpp"
#include "tests/solvers/patches.hpp"

namespace meander::solvers::test {

// A box of one slot is kept, another one interpolated; the fluxes of two fine faces are added over three steps,
// and the status of five patches.
template <int D>
struct RandomLevels {
  PatchLayout layout;
  Patch from, now, between;
  std::vector<double> kept, old;
  std::vector<std::vector<double>> fluxes;  // by step, of two faces
  std::vector<double> figures[2];
  std::vector<PatchStatus> status = std::vector<PatchStatus>(5), sums = status;
  Box<D> box;
  static constexpr double theta = 1.0 / 3;
  static constexpr int steps = 3;
  std::int8_t sub_face[2][2] = {{0, 2}, {1, 1}};

  explicit RandomLevels(int p) : layout(D, p, 2, 3), from(layout), now(layout), between(layout) {
    std::mt19937 random(static_cast<unsigned>(p));
    std::uniform_real_distribution<double> value(-1, 1);
    for (Patch* patch : {&from, &now, &between})
      std::generate_n(patch->q, layout.slot_size(), [&] { return value(random); });
    for (std::size_t a = 0; a < D; ++a) {
      box.lower[a] = a == 0 ? p - 2 : 0;
      box.extent[a] = a == 0 ? 2 : p;
    }
    kept.assign(box.volumes() * 3, 0);
    old.resize(kept.size());
    std::ranges::generate(old, [&] { return value(random); });
    for (int step = 0; step < steps; ++step) {
      auto& all = fluxes.emplace_back(static_cast<std::size_t>(2 * layout.face_flux_size()));
      std::ranges::generate(all, [&] { return value(random); });
    }
    for (std::size_t face = 0; face < 2; ++face)
      figures[face].assign(static_cast<std::size_t>(2 * 3 * of(face).volumes()), 17);
    for (std::size_t n = 0; n < status.size(); ++n) {
      status[n].max_rate = value(random);
      status[n].first_order = static_cast<std::int64_t>(random() % 10);
      status[n].floored = static_cast<std::int64_t>(random() % 10);
      status[n].admissible = n != 3;
      if (n == 2) status[n].breach = {1, 4, 0.5};
    }
  }
  CoarseFaceRange of(std::size_t face) const { return {sub_face[face], layout.p, D == 3}; }

  template <class Launcher>
  void run(const Launcher& launcher) {
    for (int step = 0; step < steps; ++step) {
      std::vector<LevelItem> items;
      const auto add = [&](LevelItem::Kind kind) -> LevelItem& {
        LevelItem& item = items.emplace_back();
        item.kind = kind;
        for (std::size_t a = 0; a < D; ++a) {
          item.lower[a] = static_cast<std::int16_t>(box.lower[a]);
          item.extent[a] = static_cast<std::int16_t>(box.extent[a]);
        }
        return item;
      };
      LevelItem& keeps = add(LevelItem::Kind::keep);
      keeps.from = from.q;
      keeps.values = kept.data();
      LevelItem& interpolates = add(LevelItem::Kind::interpolate);
      interpolates.from = now.q;
      interpolates.values = old.data();
      interpolates.slot = between.q;
      add(LevelItem::Kind::keep);  // in no range
      for (std::size_t face = 0; face < 2; ++face) {
        LevelItem& adds = add(LevelItem::Kind::add_fluxes);
        adds.level = static_cast<std::uint8_t>(2 + face);
        adds.from = fluxes[static_cast<std::size_t>(step)].data() +
                    face * static_cast<std::size_t>(layout.face_flux_size());
        adds.values = figures[face].data();
        std::copy_n(sub_face[face], 2, adds.sub_face);
      }
      LevelItem& counts = add(LevelItem::Kind::add_status);
      counts.first = 1;
      counts.patches = 4;
      LevelBatch batch;
      batch.items = items.data();
      batch.ranges[0] = {0, 2};
      batch.ranges[1] = {3, 3};
      batch.count = 5;
      batch.layout = layout;
      batch.theta = theta;
      batch.substep[2] = batch.substep[3] = static_cast<std::int16_t>(step);
      batch.status = status.data();
      batch.sums = sums.data();
      batch.begins = step == 0;
      launcher(BlockLevels<D>(batch), batch.count);
    }
  }

  // After run() on a copy of `before`.
  void check(const RandomLevels& before) const {
    std::vector<double> expected(kept.size());
    pack<D>(layout, before.from.q, box, expected.data());
    EXPECT_EQ(kept, expected);
    pack<D>(layout, before.now.q, box, expected.data());
    for (std::size_t n = 0; n < expected.size(); ++n)
      expected[n] = before.old[n] + theta * (expected[n] - before.old[n]);
    std::vector<double> found(expected.size());
    pack<D>(layout, between.q, box, found.data());
    EXPECT_EQ(found, expected);
    for (std::size_t face = 0; face < 2; ++face) check_figures(face);
    for (std::size_t n = 1; n < status.size(); ++n) {
      EXPECT_EQ(sums[n].max_rate, status[n].max_rate);
      EXPECT_EQ(sums[n].first_order, steps * status[n].first_order);
      EXPECT_EQ(sums[n].floored, steps * status[n].floored);
      EXPECT_EQ(sums[n].admissible, n != 3);
      EXPECT_EQ(sums[n].breach.bound, n == 2 ? 1 : -1);
    }
    EXPECT_EQ(sums[0].max_rate, before.sums[0].max_rate) << "not in the item";
  }

 private:
  void check_figures(std::size_t face) const {
    const int p = layout.p, rows = D == 3 ? p : 1;
    const CoarseFaceRange range = of(face);
    std::vector<double> expected(figures[face].size());
    for (int u = 0; u < 3; ++u) {
      std::vector<int> count(static_cast<std::size_t>(range.volumes()));
      for (int step = 0; step < steps; ++step) {
        const double* const own = fluxes[static_cast<std::size_t>(step)].data() +
                                  face * static_cast<std::size_t>(layout.face_flux_size()) +
                                  u * layout.face_volumes();
        for (int y = 0; y < rows; ++y) {
          for (int x = 0; x < p; ++x) {
            const int cx = (sub_face[face][0] * p + x) / 3, cy = D == 3 ? (sub_face[face][1] * p + y) / 3 : 0;
            const auto volume = static_cast<std::size_t>(range.number(cx, cy));
            double* const figure =
                expected.data() + 2 * (static_cast<std::size_t>(u * range.volumes()) + volume);
            const double flux = own[y * p + x];
            if (count[volume]++ == 0) figure[0] = flux;
            figure[1] += flux - figure[0];
          }
        }
      }
    }
    EXPECT_EQ(figures[face], expected) << "face " << face;
  }
};

}  // namespace meander::solvers::test
