// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Kernel of local time steps beside the updates of patches: one block a LevelItem, with the operations of
// CoarseInTime, FluxCorrection and HostPlace in the same order. Usable in device code.

#include "solvers/block_reflux.hpp"
#include "solvers/status.hpp"

namespace meander::solvers {

template <int D>
class BlockLevels {
  using Shape = SlotShape<D>;
  using Kind = LevelItem::Kind;

 public:
  MEANDER_HOST_DEVICE explicit BlockLevels(const LevelBatch& batch) : batch_(batch), shape_(batch.layout) {}

  template <class Block>
  MEANDER_TERM void run(const Block& block, int number) const {
    const LevelItem& item = this->item(number);
    switch (item.kind) {
      case Kind::keep:
        return keep(block, item);
      case Kind::interpolate:
        return interpolate(block, item);
      case Kind::keep_rates:
        return keep_rates(block, item);
      case Kind::add_fluxes:
        return add_fluxes(block, item);
      case Kind::add_status:
        return add_status(block, item);
    }
  }

 private:
  MEANDER_TERM const LevelItem& item(int number) const {
    int range = 0;
    while (range + 1 < LevelBatch::most_ranges && number >= batch_.ranges[range].count)
      number -= batch_.ranges[range++].count;
    return batch_.at(batch_.items)[batch_.ranges[range].begin + number];
  }

  // Calls body(n, at) for every unknown of every volume of the item's box: its number, and its place in a slot.
  template <class Block, class Body>
  MEANDER_TERM void each(const Block& block, const LevelItem& item, const Body& body) const {
    const int volumes = volumes_of_box<D>(item.extent);
    block.for_each(batch_.layout.unknowns * volumes, [&](int n) {
      int i[3] = {0, 0, 0};
      volume_of_box<D>(item.lower, item.extent, n % volumes, i);
      body(n, n / volumes * shape_.unknown_stride + shape_.at(i));
    });
  }

  template <class Block>
  MEANDER_TERM void keep(const Block& block, const LevelItem& item) const {
    const double* const from = batch_.at(item.from);
    double* const values = batch_.at(item.values);
    each(block, item, [&](int n, std::ptrdiff_t at) { values[n] = from[at]; });
  }

  template <class Block>
  MEANDER_TERM void keep_rates(const Block& block, const LevelItem& item) const {
    const double* const from = batch_.at(item.from);
    double* const values = batch_.at(item.values);
    const int volumes = volumes_of_box<D>(item.extent);
    block.for_each(batch_.layout.unknowns * volumes, [&](int n) {
      int i[3] = {0, 0, 0};
      volume_of_box<D>(item.lower, item.extent, n % volumes, i);
      values[n] = from[n / volumes * shape_.volumes() + shape_.number(i)];
    });
  }

  template <class Block>
  MEANDER_TERM void interpolate(const Block& block, const LevelItem& item) const {
    const double* const now = batch_.at(item.from);
    const double* const values = batch_.at(item.values);
    double* const slot = batch_.at(item.slot);
    each(block, item, [&](int n, std::ptrdiff_t at) {
      const double old = values[n];
      slot[at] = old + batch_.theta * (now[at] - old);
    });
  }

  template <class Block>
  MEANDER_TERM void add_fluxes(const Block& block, const LevelItem& item) const {
    const int p = shape_.p, face_volumes = D == 3 ? p * p : p;
    const CoarseFaceRange of(item.sub_face, p, D == 3);
    const bool is_first = batch_.substep[item.level] == 0;
    block.for_each(batch_.layout.unknowns * of.volumes(), [&](int figure) {
      const int place = figure % of.volumes();
      const int cx = of.first[0] + place % of.count[0], cy = of.first[1] + place / of.count[0];
      const FineFaceRange range(cx, cy, item.sub_face, p, D == 3);
      const double* const fluxes = batch_.at(item.from) + figure / of.volumes() * face_volumes;
      double* const to = batch_.at(item.values) + 2 * figure;
      const double first = is_first ? fluxes[range.begin[1] * p + range.begin[0]] : to[0];
      double sum = is_first ? 0.0 : to[1];
      for (int y = range.begin[1]; y < range.end[1]; ++y) {
        for (int x = range.begin[0]; x < range.end[0]; ++x) sum += fluxes[y * p + x] - first;
      }
      to[0] = first;
      to[1] = sum;
    });
  }

  template <class Block>
  MEANDER_TERM void add_status(const Block& block, const LevelItem& item) const {
    block.for_each(item.patches, [&](int n) {
      const PatchStatus& latest = batch_.at(batch_.status)[item.first + n];
      PatchStatus& sum = batch_.at(batch_.sums)[item.first + n];
      if (batch_.begins) {
        sum = latest;
      } else {
        add_to_status(sum, latest);
      }
    });
  }

  LevelBatch batch_;
  Shape shape_;
};

}  // namespace meander::solvers
