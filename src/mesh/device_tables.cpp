// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/device_tables.hpp"

#include <algorithm>

#include "base/assert.hpp"

namespace meander::mesh {
namespace {

template <int D, class Item>
void set_shifted_box(Item& item, const solvers::Box<D>& box, const Index<D>& shift) {
  set_box<D>(item, box);
  for (std::size_t a = 0; a < D; ++a) item.shift[a] = static_cast<std::int16_t>(shift[a]);
}

solvers::FillOp::Kind kind_of(const BoundaryCondition& condition) {
  using On = BoundaryCondition::OnDevice;
  using Kind = solvers::FillOp::Kind;
  MEANDER_ASSERT(condition.on_device != On::none);
  return condition.on_device == On::outflow      ? Kind::outflow
         : condition.on_device == On::reflecting ? Kind::reflecting
         : condition.on_device == On::diode      ? Kind::diode
                                                 : Kind::extrapolated;
}

bool is_given(const BoundaryCondition& condition) {
  return condition.source == BoundaryCondition::Source::given;
}

}  // namespace

template <int D>
FillTables<D>::FillTables(const HaloPlan<D>& plan, const LocalView<D>& view,
                          const BoundaryFill<D>& boundaries, std::span<const std::int32_t> order,
                          int unknowns, const DevicePlaces& places, const MemoryOfOps& memory,
                          const ThreadTeam& team) {
  const Context context{plan, view, boundaries, places};
  const std::vector<Listed> listed = list_targets(context, order);
  ops = memory(targets.empty() ? 0 : static_cast<std::size_t>(targets.back().end));
  team.for_chunks(listed.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t n = begin; n < end; ++n) {
      auto* op = ops.data() + targets[n].begin;
      for (const auto of_leaf : {listed[n].first, listed[n].then}) {
        for (const HaloOp<D>& from : of_leaf) set(context, from, *op++);
      }
    }
  });
  set_parts(context, team);
  list_given(context, listed, unknowns);
  list_outgoing(context);
}

template <int D>
auto FillTables<D>::list_targets(const Context& context, std::span<const std::int32_t> order)
    -> std::vector<Listed> {
  const HaloPlan<D>& plan = context.plan;
  std::vector<Listed> listed;
  targets.reserve(order.size());
  listed.reserve(order.size());
  std::size_t operations = 0;
  const auto add = [&](std::size_t leaf, std::span<const HaloOp<D>> first,
                       std::span<const HaloOp<D>> then = {}) {
    const auto begin = static_cast<std::int32_t>(operations);
    operations += first.size() + then.size();
    targets.push_back({context.places.slots[leaf], begin, static_cast<std::int32_t>(operations)});
    listed.push_back({leaf, first, then});
  };
  const auto close = [this](Group group) {
    group_begin[group + 1] = static_cast<std::int32_t>(targets.size());
  };
  for (const Arrival arrival : {Arrival::local, Arrival::received}) {
    for (const std::int32_t own : order) {
      const auto leaf = static_cast<std::size_t>(own);
      if (plan.arrival(leaf) == arrival) add(leaf, plan.early(leaf), plan.late(leaf));
    }
    close(arrival == Arrival::local ? first_local : first_received);
  }
  for (std::size_t i = 0; i < plan.ghost_patches().size(); ++i)
    add(static_cast<std::size_t>(plan.ghost_patches()[i]), plan.ghost(i));
  close(ghosts);
  for (const bool waits : {false, true}) {
    for (const std::int32_t own : waits ? plan.second_waiting() : plan.second_local())
      add(static_cast<std::size_t>(own), plan.second(static_cast<std::size_t>(own)));
    close(waits ? second_waiting : second_local);
  }
  return listed;
}

template <int D>
void FillTables<D>::set(const Context& context, const HaloOp<D>& from, solvers::FillOp& op) const {
  using Kind = typename HaloOp<D>::Kind;
  using To = solvers::FillOp::Kind;
  op = {};
  set_shifted_box<D>(op, from.box(), from.shifts());
  switch (from.kind) {
    case Kind::copy:
      op.source = context.places.slots[static_cast<std::size_t>(from.source)];
      break;
    case Kind::receive:
      op.kind = To::receive;
      op.source = context.places.received + from.offset;
      break;
    case Kind::prolong:
      op.kind = To::prolong;
      op.source = context.places.slots[static_cast<std::size_t>(from.source)];
      break;
    case Kind::restrict_parts:
      op.kind = To::restrict_parts;
      op.first_part = from.source;  // the tables have the parts of the plan in its order
      op.parts = from.parts;
      break;
    case Kind::boundary: {
      const BoundaryCondition& condition = context.boundaries.condition(from.face);
      op.face = from.face;
      op.phase = static_cast<std::uint8_t>(1 + from.face / 2);
      op.kind = is_given(condition) ? To::receive : kind_of(condition);
      break;
    }
  }
}

template <int D>
void FillTables<D>::set_parts(const Context& context, const ThreadTeam& team) {
  const std::span<const FineSource<D>> fine = context.plan.parts();
  parts.resize(fine.size());
  team.for_chunks(fine.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      parts[i].received = !context.view.is_own(fine[i].leaf);
      parts[i].from = parts[i].received ? context.places.received + fine[i].offset
                                        : context.places.slots[static_cast<std::size_t>(fine[i].leaf)];
      for (std::size_t a = 0; a < D; ++a) parts[i].child[a] = fine[i].child[a];
    }
  });
}

template <int D>
void FillTables<D>::list_given(const Context& context, std::span<const Listed> listed, int unknowns) {
  bool any = false;
  for (int face = 0; face < 2 * D; ++face) any = any || is_given(context.boundaries.condition(face));
  for (std::size_t n = 0; any && n < listed.size(); ++n) {
    auto number = static_cast<std::size_t>(targets[n].begin);
    for (const auto of_leaf : {listed[n].first, listed[n].then}) {
      for (const HaloOp<D>& op : of_leaf) {
        if (op.kind == HaloOp<D>::Kind::boundary && is_given(context.boundaries.condition(op.face))) {
          given.push_back(
              {static_cast<std::int32_t>(listed[n].leaf), op.face, op.box(), given_doubles, number});
          given_doubles += op.box().volumes() * static_cast<std::size_t>(unknowns);
        }
        ++number;
      }
    }
  }
}

template <int D>
void FillTables<D>::list_outgoing(const Context& context) {
  const HaloPlan<D>& plan = context.plan;
  const auto add = [&](std::int32_t leaf, std::size_t offset) -> solvers::PackItem& {
    auto& item = outgoing.emplace_back();
    item.slot = context.places.slots[static_cast<std::size_t>(leaf)];
    item.offset = offset;
    return item;
  };
  const auto add_volumes = [&](std::span<const OutgoingVolumes<D>> items) {
    for (const auto& from : items) set_shifted_box<D>(add(from.leaf, from.offset), from.box, {});
  };
  const auto add_parts = [&](std::span<const OutgoingPart<D>> items) {
    for (const auto& from : items) {
      auto& item = add(from.leaf, from.offset);
      item.restricts = true;
      set_shifted_box<D>(item, from.restriction.box, from.restriction.shift);
      for (std::size_t a = 0; a < D; ++a) item.child[a] = static_cast<std::int8_t>(from.child[a]);
    }
  };
  for (std::size_t leaf = 0; leaf < context.view.own(); ++leaf) {
    add_volumes(plan.outgoing_volumes(leaf));
    add_parts(plan.outgoing_parts(leaf));
  }
  add_volumes(plan.late_outgoing_volumes());
  add_parts(plan.late_outgoing_parts());
}

template <int D>
RefluxTables<D>::RefluxTables(const FluxCorrection<D>& correction, double* registers,
                              std::span<const solvers::PatchTask> patches,
                              std::span<const std::int32_t> index_of, std::size_t border_leaves,
                              const DevicePlaces& places, const double* sums) {
  // sum: whether `from` is a sum; else a register.
  const auto part = [](const typename FluxCorrection<D>::SubFace& sub_face, const double* from, bool sum) {
    solvers::FluxPart result{.from = from, .received = sum};
    for (std::size_t a = 0; a + 1 < D; ++a) result.sub_face[a] = sub_face[a];
    return result;
  };
  const auto add = [&](std::size_t i, solvers::RefluxTarget target) {
    target.begin = static_cast<std::int32_t>(faces.size());
    for (const auto& face : correction.faces(i)) {
      faces.push_back({registers + face.own, static_cast<std::int32_t>(parts.size()),
                       static_cast<std::int32_t>(face.parts), face.face});
      for (const auto& from : correction.parts(face)) {
        const double* const address = from.received     ? places.received + from.offset
                                      : sums != nullptr ? sums + from.sums
                                                        : registers + from.offset;
        parts.push_back(part(from.sub_face, address, from.received || sums != nullptr));
      }
    }
    target.end = static_cast<std::int32_t>(faces.size());
    targets.push_back(target);
  };
  const auto leaves = correction.coarse_leaves();
  for (const bool is_border : {true, false}) {
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      const auto leaf = static_cast<std::size_t>(leaves[i]);
      const std::int32_t index = index_of[leaf];
      if ((static_cast<std::size_t>(index) < border_leaves) == is_border)
        add(i, {places.slots[leaf], patches[leaf].dx, index});
    }
    if (is_border) border = static_cast<std::int32_t>(targets.size());
  }
  if (sums != nullptr) return;
  for (const auto& item : correction.outgoing_parts())
    outgoing.push_back({part(item.sub_face, registers + item.fine, false), item.offset});
}

#define MEANDER_INSTANTIATE(D)   \
  template struct FillTables<D>; \
  template struct RefluxTables<D>;
MEANDER_INSTANTIATE(2)
MEANDER_INSTANTIATE(3)
#undef MEANDER_INSTANTIATE

}  // namespace meander::mesh
