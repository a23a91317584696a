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

}  // namespace

template <int D>
FillTables<D>::FillTables(const HaloPlan<D>& plan, const LocalView<D>& view,
                          const BoundaryFill<D>& boundaries, std::span<const std::int32_t> order,
                          int unknowns, const DevicePlaces& places) {
  const Context context{plan, view, boundaries, unknowns, places};
  std::size_t operations = 0;
  for (std::size_t leaf = 0; leaf < view.own(); ++leaf)
    operations += plan.early(leaf).size() + plan.late(leaf).size() + plan.second(leaf).size();
  ops.reserve(operations);
  targets.reserve(order.size());
  const auto close = [this](Group group) {
    group_begin[group + 1] = static_cast<std::int32_t>(targets.size());
  };
  for (const Arrival arrival : {Arrival::local, Arrival::received}) {
    for (const std::int32_t own : order) {
      const auto leaf = static_cast<std::size_t>(own);
      if (plan.arrival(leaf) != arrival) continue;
      begin(context, leaf);
      add(context, leaf, plan.early(leaf));
      add(context, leaf, plan.late(leaf));
    }
    close(arrival == Arrival::local ? first_local : first_received);
  }
  for (std::size_t i = 0; i < plan.ghost_patches().size(); ++i) {
    const auto leaf = static_cast<std::size_t>(plan.ghost_patches()[i]);
    begin(context, leaf);
    add(context, leaf, plan.ghost(i));
  }
  close(ghosts);
  for (const bool waits : {false, true}) {
    for (const std::int32_t own : waits ? plan.second_waiting() : plan.second_local()) {
      begin(context, static_cast<std::size_t>(own));
      add(context, static_cast<std::size_t>(own), plan.second(static_cast<std::size_t>(own)));
    }
    close(waits ? second_waiting : second_local);
  }

  const auto add_volumes = [&](std::span<const OutgoingVolumes<D>> items) {
    for (const auto& from : items) {
      auto& item = outgoing.emplace_back();
      item.slot = places.slot(static_cast<std::size_t>(from.leaf));
      item.offset = from.offset;
      set_shifted_box<D>(item, from.box, {});
    }
  };
  const auto add_parts = [&](std::span<const OutgoingPart<D>> items) {
    for (const auto& from : items) {
      auto& item = outgoing.emplace_back();
      item.slot = places.slot(static_cast<std::size_t>(from.leaf));
      item.offset = from.offset;
      item.restricts = true;
      set_shifted_box<D>(item, from.restriction.box, from.restriction.shift);
      for (std::size_t a = 0; a < D; ++a) item.child[a] = static_cast<std::int8_t>(from.child[a]);
    }
  };
  for (std::size_t leaf = 0; leaf < view.own(); ++leaf) {
    add_volumes(plan.outgoing_volumes(leaf));
    add_parts(plan.outgoing_parts(leaf));
  }
  add_volumes(plan.late_outgoing_volumes());
  add_parts(plan.late_outgoing_parts());
}

template <int D>
void FillTables<D>::begin(const Context& context, std::size_t leaf) {
  const auto first = static_cast<std::int32_t>(ops.size());
  targets.push_back({context.places.slot(leaf), first, first});
}

template <int D>
void FillTables<D>::add(const Context& context, std::size_t leaf, std::span<const HaloOp<D>> from) {
  using Kind = typename HaloOp<D>::Kind;
  using To = solvers::FillOp::Kind;
  for (const HaloOp<D>& source : from) {
    solvers::FillOp& op = ops.emplace_back();
    set_shifted_box<D>(op, source.box(), source.shifts());
    switch (source.kind) {
      case Kind::copy:
        op.source = context.places.slot(static_cast<std::size_t>(source.source));
        break;
      case Kind::receive:
        op.kind = To::receive;
        op.source = context.places.received + source.offset;
        break;
      case Kind::prolong:
        op.kind = To::prolong;
        op.source = context.places.slot(static_cast<std::size_t>(source.source));
        break;
      case Kind::restrict_parts:
        op.kind = To::restrict_parts;
        op.first_part = static_cast<std::int32_t>(parts.size());
        op.parts = source.parts;
        for (const FineSource<D>& fine : context.plan.parts(source)) {
          solvers::FillPart& part = parts.emplace_back();
          part.received = !context.view.is_own(fine.leaf);
          part.from = part.received ? context.places.received + fine.offset
                                    : context.places.slot(static_cast<std::size_t>(fine.leaf));
          for (std::size_t a = 0; a < D; ++a) part.child[a] = fine.child[a];
        }
        break;
      case Kind::boundary: {
        const BoundaryCondition& condition = context.boundaries.condition(source.face);
        op.face = source.face;
        op.phase = static_cast<std::uint8_t>(1 + source.face / 2);
        if (condition.source == BoundaryCondition::Source::given) {
          op.kind = To::receive;
          given.push_back(
              {static_cast<std::int32_t>(leaf), source.face, source.box(), given_doubles, ops.size() - 1});
          given_doubles += source.box().volumes() * static_cast<std::size_t>(context.unknowns);
        } else {
          op.kind = kind_of(condition);
        }
        break;
      }
    }
  }
  targets.back().end = static_cast<std::int32_t>(ops.size());
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
        add(i, {places.slot(leaf), patches[leaf].dx, index});
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
