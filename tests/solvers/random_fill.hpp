// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Random operations of BlockFill and BlockPack on random gas, and their results by the host's functions.

#include <algorithm>
#include <deque>
#include <random>
#include <vector>

#include "solvers/block_fill.hpp"
#include "solvers/patch_copy.hpp"
#include "solvers/prolongation.hpp"
#include "solvers/restriction.hpp"
#include "tests/solvers/gas_solver.hpp"
#include "tests/solvers/patches.hpp"
#include "tests/solvers/same_results.hpp"

namespace meander::solvers::test {

// Gas in all volumes of the slot. Some have a hundredth of the density of others, so that linear slopes and
// interpolation fail there.
inline Patch random_slot(const PatchLayout& layout, unsigned seed) {
  Patch patch(layout);
  fill_random_gas(patch, seed, 5.0 / 3, 3);
  std::mt19937 engine(seed + 1000);
  for_volumes(layout, layout.h, [&](int i, int j, int k) {
    if (engine() % 5 > 0) return;
    for (int n = 0; n < layout.unknowns; ++n) patch.at(n, i, j, k) *= 0.01;
  });
  return patch;
}

// Terms: those of the solver. With an entropy density every second volume is cold.
template <int D, class Terms = euler::Terms<D>>
class RandomFill {
 public:
  RandomFill(const Solver& solver, int p, unsigned seed)
      : solver_(solver), layout_(layout_of(solver, p)), random_(seed) {
    for (unsigned n = 0; n < 4; ++n) sources_.push_back(slot(100 * seed + n));
    for (int round = 0; round < 3; ++round) {
      add_copy();
      add_receive();
      for (int n = 0; n < 6; ++n) add_prolongation();
      for (const Received received : {Received::none, Received::some, Received::all})
        add_restriction(received);
      add_packed_volumes();
      add_packed_part();
    }
  }

  // Runs the kernels, and compares whole slots and the buffer.
  template <class Launcher>
  void expect_same_bits(const Launcher& launcher) {
    std::vector<Patch> found;
    for (const Target& target : targets_) found.push_back(target.before);
    std::vector<FillTarget> table;
    for (std::size_t n = 0; n < found.size(); ++n) {
      const auto op = static_cast<std::int32_t>(n);
      table.push_back({found[n].q, op, op + 1});
    }
    const Terms& pde = *static_cast<const Terms*>(solver_.parameters());
    FillBatch fill;
    fill.count = static_cast<int>(table.size());
    fill.targets = table.data();
    fill.ops = ops_.data();
    fill.parts = parts_.data();
    fill.layout = layout_;
    fill.prolongation = solver_.traits().prolongation;
    launcher(BlockFill<Terms>(pde, fill), fill.count);
    for (std::size_t n = 0; n < found.size(); ++n) {
      EXPECT_TRUE(test::same_bits(contents(found[n]), contents(targets_[n].after)))
          << "operation " << n << " of kind " << static_cast<int>(ops_[n].kind);
    }

    std::vector<double> buffer(packed_.size(), -1);
    PackBatch pack;
    pack.count = static_cast<int>(items_.size());
    pack.items = items_.data();
    pack.buffer = buffer.data();
    pack.layout = layout_;
    launcher(BlockPack<D>(pack), pack.count);
    EXPECT_TRUE(test::same_bits(buffer, packed_));
  }

  // Whether some operation changes its slot at all.
  bool has_effect() const {
    return std::any_of(targets_.begin(), targets_.end(), [](const Target& target) {
      return !test::same_bits(contents(target.before), contents(target.after));
    });
  }

 private:
  enum class Received { none, some, all };
  struct Target {
    Patch before, after;
  };

  int draw(int low, int high) {
    return low + static_cast<int>(random_() % static_cast<unsigned>(high - low + 1));
  }
  // A box with extents up to `most` within [low, high) along each axis.
  Box<D> box_within(int low, int high, int most) {
    Box<D> box;
    for (int a = 0; a < D; ++a) {
      box.extent[a] = draw(1, std::min(most, high - low));
      box.lower[a] = draw(low, high - box.extent[a]);
    }
    return box;
  }
  Box<D> box_in_slot(int most) { return box_within(-layout_.h, layout_.p + layout_.h, most); }
  // A shift by which the box lies within [0, end) along each axis.
  Index<D> shift_into(const Box<D>& box, int end) {
    Index<D> shift;
    for (int a = 0; a < D; ++a) shift[a] = draw(0, end - box.extent[a]) - box.lower[a];
    return shift;
  }
  Patch slot(unsigned seed) const {
    Patch patch = random_slot(layout_, seed);
    if constexpr (Terms::unknowns > D + 2) {
      for_volumes(layout_, layout_.h, [&](int i, int j, int k) {
        std::vector<double> q = patch.volume(i, j, k);
        if ((seed + static_cast<unsigned>(i + j + k)) % 2 == 0) {
          q[Terms::energy] = 1e-5;
          for (std::size_t a = 1; a <= D; ++a) q[Terms::energy] += 0.5 * q[a] * q[a] / q[0];
        }
        solver_.complete(q.data());
        for (int n = 0; n < layout_.unknowns; ++n) patch.at(n, i, j, k) = q[static_cast<std::size_t>(n)];
      });
    }
    return patch;
  }
  const Patch& source() { return sources_[random_() % sources_.size()]; }
  const double* numbers(std::size_t count) {
    auto& values = numbers_.emplace_back(count);
    for (double& value : values) value = std::uniform_real_distribution<double>(-1, 1)(random_);
    return values.data();
  }

  template <class Item>
  static void set_box(Item& item, const Box<D>& box, const Index<D>& shift) {
    for (int a = 0; a < D; ++a) {
      item.lower[a] = static_cast<std::int16_t>(box.lower[a]);
      item.extent[a] = static_cast<std::int16_t>(box.extent[a]);
      item.shift[a] = static_cast<std::int16_t>(shift[a]);
    }
  }
  // Adds the operation on a slot of its own; returns that slot for the host's function.
  double* add(FillOp::Kind kind, const Box<D>& box, const Index<D>& shift, const double* from) {
    FillOp& op = ops_.emplace_back();
    op.kind = kind;
    op.source = from;
    set_box(op, box, shift);
    const Patch before = slot(static_cast<unsigned>(random_()));
    return targets_.emplace_back(Target{before, before}).after.q;
  }

  void add_copy() {
    const Box<D> box = box_in_slot(layout_.p + 2 * layout_.h);
    Index<D> shift = shift_into(box, layout_.p + 2 * layout_.h);
    for (int& along : shift) along -= layout_.h;
    const Patch& from = source();
    copy<D>(layout_, add(FillOp::Kind::copy, box, shift, from.q), from.q, box, shift);
  }
  void add_receive() {
    const Box<D> box = box_in_slot(layout_.p + 2 * layout_.h);
    const double* const from = numbers(box.volumes() * static_cast<std::size_t>(layout_.unknowns));
    unpack<D>(layout_, add(FillOp::Kind::receive, box, {}, from), box, from);
  }
  // Into a halo or, from the whole slot, into a new leaf.
  void add_prolongation() {
    const Box<D> box = random_() % 2 == 0 ? box_in_slot(layout_.p) : box_within(0, layout_.p, layout_.p);
    const Index<D> offset = shift_into(box, 3 * layout_.p);
    const Patch& from = source();
    prolong<D>(solver_, layout_, add(FillOp::Kind::prolong, box, offset, from.q), from.q, box, offset);
  }
  Index<D> position(int child) {
    Index<D> at;
    for (int a = 0; a < D; ++a, child /= 3) at[a] = child % 3;
    return at;
  }
  // From all children that have a share, in a random order. In every fourth case one of them is missing.
  void add_restriction(Received received) {
    const Restriction<D> restriction = random_restriction();
    std::vector<Index<D>> children;
    for (int child = 0; child < ipow(3, D); ++child) children.push_back(position(child));
    std::shuffle(children.begin(), children.end(), random_);
    if (random_() % 4 == 0) children.pop_back();
    std::vector<RestrictedPart<D>> host;
    double* const slot = add(FillOp::Kind::restrict_parts, restriction.box, restriction.shift, nullptr);
    ops_.back().first_part = static_cast<std::int32_t>(parts_.size());
    ops_.back().parts = static_cast<std::int16_t>(children.size());
    for (const Index<D>& child : children) {
      FillPart& part = parts_.emplace_back();
      for (std::size_t a = 0; a < D; ++a) part.child[a] = static_cast<std::int8_t>(child[a]);
      part.received = received == Received::all || (received == Received::some && random_() % 2 == 0);
      const Patch& fine = source();
      auto& figures = numbers_.emplace_back(part_size<D>(layout_, child, restriction));
      restrict_part<D>(layout_, fine.q, child, restriction, figures.data());
      part.from = part.received ? figures.data() : fine.q;
      host.push_back({figures.data(), child});
    }
    combine_parts<D>(layout_, slot, host, restriction);
  }
  Restriction<D> random_restriction() {
    const Box<D> box = box_in_slot(layout_.p);
    return {box, shift_into(box, layout_.p)};
  }

  PackItem& add_item(const Box<D>& box, const Index<D>& shift, const Patch& from) {
    PackItem& item = items_.emplace_back();
    item.slot = from.q;
    item.offset = packed_.size();
    set_box(item, box, shift);
    return item;
  }
  void add_packed_volumes() {
    const Box<D> box = box_in_slot(layout_.p);
    const Patch& from = source();
    const std::size_t offset = add_item(box, {}, from).offset;
    packed_.resize(offset + box.volumes() * static_cast<std::size_t>(layout_.unknowns));
    pack<D>(layout_, from.q, box, packed_.data() + offset);
  }
  void add_packed_part() {
    const Restriction<D> restriction = random_restriction();
    const Patch& from = source();
    for (int number = 0; number < ipow(3, D); ++number) {
      const Index<D> child = position(number);
      PackItem& item = add_item(restriction.box, restriction.shift, from);
      item.restricts = true;
      for (std::size_t a = 0; a < D; ++a) item.child[a] = static_cast<std::int8_t>(child[a]);
      packed_.resize(item.offset + part_size<D>(layout_, child, restriction));
      restrict_part<D>(layout_, from.q, child, restriction, packed_.data() + item.offset);
    }
  }

  const Solver& solver_;
  PatchLayout layout_;
  std::mt19937 random_;
  std::deque<Patch> sources_;
  std::deque<std::vector<double>> numbers_;  // received values and figures
  std::vector<FillOp> ops_;                  // of each target one
  std::vector<FillPart> parts_;
  std::deque<Target> targets_;
  std::vector<PackItem> items_;
  std::vector<double> packed_;
};

}  // namespace meander::solvers::test
