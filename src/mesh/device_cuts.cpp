// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/device_cuts.hpp"

#include <algorithm>

#include "mesh/device_tables.hpp"

namespace meander::mesh {
namespace {

template <int D>
void set_child(std::int8_t (&child)[3], const Index<D>& position) {
  for (std::size_t a = 0; a < D; ++a) child[a] = static_cast<std::int8_t>(position[a]);
}

}  // namespace

template <int D>
DeviceCuts<D>::DeviceCuts(DeviceLaunches& launches, gpu::Resource& memory, LocalSteps<D>& steps,
                          std::function<double*(std::size_t leaf)> leaf_slot)
    : launches_(launches),
      steps_(steps),
      leaf_slot_(std::move(leaf_slot)),
      slots_(launches.device, memory),
      cleared_(launches.device, memory),
      clearing_(launches.device, memory) {
  const solvers::Traits& traits = launches.solver.traits();
  slot_doubles_ = static_cast<std::size_t>(launches.layout.slot_size() +
                                           traits.stage_blocks * launches.layout.stage_block_size());
  std::size_t cells = 0;
  for (int level = steps.coarsest(); level < steps.finest(); ++level) {
    Cut& cut = *cuts_.emplace_back(std::make_unique<Cut>(launches, memory));
    const TreePatches<D> tree = steps.tree(level);
    cut.cell.assign(tree.leaf_of_mesh.size(), -1);
    for (const auto& refined : steps.cut(level).refined())
      cut.cell[static_cast<std::size_t>(refined.leaf)] = static_cast<std::int32_t>(cells++);
    const auto own = tree.kinds.first(tree.leaf_of_mesh.size());
    most_shadows_ =
        std::max(most_shadows_, static_cast<std::size_t>(std::ranges::count(own, CellKind::shadow)));
  }
  slots_.resize(launches.queue, cells * slot_doubles_);
  clear_halos(cells);
  for (int level = steps.coarsest(); level < steps.finest(); ++level) upload(level);
}

template <int D>
double* DeviceCuts<D>::slot(int last, std::size_t leaf) const {
  const std::int32_t of_mesh = steps_.tree(last).leaf_of_mesh[leaf];
  if (of_mesh >= 0) return leaf_slot_(static_cast<std::size_t>(of_mesh));
  return slots_.data() + static_cast<std::size_t>(cuts_[index(last)]->cell[leaf]) * slot_doubles_;
}

// Halos towards cells without a patch are 0, as on the host: the first slot from there, the others as its copies.
template <int D>
void DeviceCuts<D>::clear_halos(std::size_t cells) {
  if (cells == 0) return;
  const solvers::PatchLayout& layout = launches_.layout;
  const std::vector<double> zeros(static_cast<std::size_t>(layout.slot_size()), 0.0);
  launches_.copy_in(slots_.data(), zeros.data(), zeros.size());
  solvers::FillOp whole;
  whole.source = slots_.data();
  solvers::Box<D> box;
  box.lower.fill(-layout.h);
  box.extent.fill(layout.edge());
  set_box<D>(whole, box);
  std::vector<solvers::FillTarget> targets;
  for (std::size_t cell = 1; cell < cells; ++cell)
    targets.push_back({slots_.data() + cell * slot_doubles_, 0, 1});
  launches_.upload(cleared_, targets);
  launches_.upload(clearing_, {whole});
  solvers::FillBatch batch;
  batch.count = static_cast<int>(cleared_.size());
  batch.targets = cleared_.data();
  batch.ops = clearing_.data();
  batch.layout = layout;
  launches_.launch("clear shadows", solvers::ResidentBatch(batch));
  launches_.device.synchronize(launches_.queue);  // the zeros are here
}

template <int D>
void DeviceCuts<D>::upload(int level) {
  Cut& cut = *cuts_[index(level)];
  CutTree<D>& plan = steps_.cut(level);
  solvers::Box<D> interior;
  interior.extent.fill(launches_.layout.p);
  cut.messages.rebuild(plan.messages());
  std::vector<solvers::FillTarget> targets;
  std::vector<solvers::FillOp> ops;
  std::vector<solvers::FillPart> parts;
  for (const auto& refined : plan.refined()) {
    const auto first = static_cast<std::int32_t>(ops.size());
    targets.push_back({slot(level, static_cast<std::size_t>(refined.leaf)), first, first + 1});
    solvers::FillOp& op = ops.emplace_back();
    op.kind = solvers::FillOp::Kind::restrict_parts;
    op.first_part = static_cast<std::int32_t>(parts.size());
    op.parts = static_cast<std::int16_t>(refined.children.size());
    set_box<D>(op, interior);
    for (const auto& child : refined.children) {
      solvers::FillPart& part = parts.emplace_back();
      part.received = child.leaf < 0;
      part.from = part.received ? cut.messages.received() + child.offset
                                : slot(level + 1, static_cast<std::size_t>(child.leaf));
      set_child<D>(part.child, child.position);
    }
  }
  std::vector<solvers::PackItem> outgoing;
  for (const auto& sent : plan.sent()) {
    solvers::PackItem& item = outgoing.emplace_back();
    item.slot = slot(level + 1, static_cast<std::size_t>(sent.leaf));
    item.offset = sent.offset;
    item.restricts = true;
    set_box<D>(item, interior);
    set_child<D>(item.child, sent.position);
  }
  launches_.upload(cut.targets, targets);
  launches_.upload(cut.ops, ops);
  launches_.upload(cut.parts, parts);
  launches_.upload(cut.outgoing, outgoing);
}

template <int D>
void DeviceCuts<D>::restrict_from(int level, const WaitForRanks& wait) {
  for (int of = steps_.finest(); of-- > level;) {
    Cut& cut = *cuts_[index(of)];
    cut.messages.expect();
    cut.messages.pack("pack for shadows", cut.outgoing);
    cut.messages.send();
    cut.messages.receive(wait);
    solvers::FillBatch batch;
    batch.count = static_cast<int>(cut.targets.size());
    batch.targets = cut.targets.data();
    batch.ops = cut.ops.data();
    batch.parts = cut.parts.data();
    batch.layout = launches_.layout;
    launches_.launch("restrict to shadows", solvers::ResidentBatch(batch));
  }
}

template class DeviceCuts<2>;
template class DeviceCuts<3>;

}  // namespace meander::mesh
