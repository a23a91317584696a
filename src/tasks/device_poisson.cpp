// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tasks/device_poisson.hpp"

#include <algorithm>

#include "base/thread_team.hpp"
#include "mesh/device_tables.hpp"

namespace meander::tasks {

namespace kernels = solvers::poisson;
using kernels::Restricted;
using mesh::Beyond;
using solvers::EllipticBoundary;

namespace {

template <int D, class Item>
void set_child(Item& item, const Index<D>& child) {
  for (std::size_t a = 0; a < D; ++a) item.child[a] = static_cast<std::int8_t>(child[a]);
}

template <int D>
kernels::Faces faces_with(const Vec<Beyond, 2 * D>& beyond, Beyond what) {
  kernels::Faces faces = 0;
  for (std::size_t face = 0; face < 2 * D; ++face)
    faces = static_cast<kernels::Faces>(faces | (beyond[face] == what ? 1 : 0) << face);
  return faces;
}

template <class T>
std::size_t bytes_of(const T& copies) {
  return copies.here.bytes() + copies.packed.bytes() + copies.unpacked.bytes();
}

}  // namespace

template <int D>
DevicePoisson<D>::Copies::Copies(mesh::DeviceLaunches& launches, gpu::Resource& memory)
    : here(launches.device, memory),
      packed(launches.device, memory),
      unpacked(launches.device, memory),
      messages(launches, launches, memory) {}

template <int D>
DevicePoisson<D>::OfLevel::OfLevel(mesh::DeviceLaunches& launches, gpu::Resource& memory)
    : cells(launches.device, memory),
      ghosts(launches.device, memory),
      values(launches.device, memory),
      faces(launches, memory),
      edges(launches, memory),
      planes(launches, memory),
      parents(launches, memory),
      families(launches.device, memory),
      parts(launches.device, memory),
      part_items(launches.device, memory),
      part_messages(launches, launches, memory) {}

template <int D>
DevicePoisson<D>::DevicePoisson(const mesh::DistributedTree<D>& tree, int p, const Boundaries& boundaries,
                                mesh::DeviceLaunches& launches, gpu::Resource& memory)
    : Base(tree, p, boundaries, memory, mesh::Residence::device, launches.host_memory),
      launches_(launches),
      memory_(memory),
      coarsest_(launches_.device, memory) {}

template <int D>
void DevicePoisson<D>::upload() {
  const std::size_t volumes = levels_.front()->patches().size() * static_cast<std::size_t>(layout_.volumes());
  coarsest_.resize(launches_.queue, volumes);
  coarsest_here_ = {launches_.host_memory, volumes};
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    of_level_.push_back(std::make_unique<OfLevel>(launches_, memory_));
    upload(l);
  }
}

template <int D>
DevicePoisson<D>::~DevicePoisson() {
  launches_.device.settle(gpu::mark(launches_.queue));  // work on slots and tables that go now
}

template <int D>
void DevicePoisson<D>::upload(std::size_t l) {
  OfLevel& level = *of_level_[l];
  upload_cells(l);
  for (const Halo halo : {Halo::faces, Halo::edges, Halo::planes}) {
    auto& plan = levels_[l]->plan_of(halo);
    upload_copies(of_halo(l, halo), plan.mail, plan.copies);
  }
  if (l > 0) {
    upload_copies(level.parents, levels_[l]->parents(), {});
    upload_restrictions(l);
  }
  launch("clear cells", l, CellKind::clear);
}

template <int D>
void DevicePoisson<D>::upload_cells(std::size_t l) {
  const auto& boundary = of_boundary_[l];
  std::vector<kernels::DeviceCell> cells;
  std::vector<kernels::DeviceGhosts> ghosts;
  std::size_t next_face = 0, next_edge = 0;
  for (const Patch& patch : levels_[l]->patches()) {
    kernels::DeviceCell& cell = cells.emplace_back();
    cell.slot = patch.slot;
    cell.coarse = patch.coarse;
    std::ranges::copy(patch.beside, cell.beside);
    set_child<D>(cell, patch.child);
    int sum = 0;
    for (const int at : patch.cell.at) sum += at * layout_.p;
    cell.parity = static_cast<std::uint8_t>(sum % 2);
    cell.coarser = faces_with<D>(patch.beyond, Beyond::coarser);
    cell.refined = patch.is_refined ? kernels::Faces{0} : faces_with<D>(patch.beyond, Beyond::refined);
    cell.outside = faces_with<D>(patch.beyond, Beyond::outside);
    for (std::size_t face = 0; face < 2 * D; ++face) {
      if (boundaries_[face] == EllipticBoundary::value)
        cell.values = static_cast<kernels::Faces>(cell.values | 1 << face);
    }
    cell.is_refined = patch.is_refined;
    cell.first = static_cast<std::int32_t>(ghosts.size());
    const auto number = static_cast<std::int32_t>(cells.size() - 1);
    const auto add = [&](const auto& list, std::size_t& next) {
      const std::size_t first = next;
      for (; next < list.size() && list[next].patch == number; ++next) {
        kernels::DeviceGhosts& some = ghosts.emplace_back();
        mesh::set_box<D>(some, list[next].box);
        some.face = list[next].face;
        if (boundaries_[some.face] == EllipticBoundary::value)
          some.values = static_cast<std::int32_t>(list[next].values);
      }
      return static_cast<std::int32_t>(next - first);
    };
    cell.faces = add(boundary.faces, next_face);
    cell.edges = add(boundary.edges, next_edge);
  }
  OfLevel& level = *of_level_[l];
  launches_.upload(level.cells, cells);
  launches_.upload(level.ghosts, ghosts);
  launches_.upload(level.values, boundary.values);
}

template <int D>
void DevicePoisson<D>::upload_copies(Copies& copies, typename Level::Mail& mail,
                                     const std::vector<typename Level::Copy>& here) {
  copies.messages.rebuild(mail.messages);
  std::vector<CopyItem> items, packed, unpacked;
  for (const auto& copy : here) {
    CopyItem& item = items.emplace_back();
    item.from = copy.from;
    item.to = copy.to;
    mesh::set_box<D>(item, copy.box);
    for (std::size_t a = 0; a < D; ++a) item.shift[a] = static_cast<std::int16_t>(copy.shift[a]);
  }
  for (const auto& parcel : mail.sent) {
    CopyItem& item = packed.emplace_back();
    item.kind = CopyItem::Kind::pack;
    item.from = parcel.slot;
    item.to = copies.messages.sent() + parcel.offset;
    mesh::set_box<D>(item, parcel.box);
  }
  for (const auto& parcel : mail.received) {
    CopyItem& item = unpacked.emplace_back();
    item.kind = CopyItem::Kind::unpack;
    item.from = copies.messages.received() + parcel.offset;
    item.to = parcel.slot;
    mesh::set_box<D>(item, parcel.box);
  }
  launches_.upload(copies.here, items);
  launches_.upload(copies.packed, packed);
  launches_.upload(copies.unpacked, unpacked);
}

template <int D>
void DevicePoisson<D>::upload_restrictions(std::size_t l) {
  OfLevel& level = *of_level_[l];
  Level& fine = *levels_[l];
  level.part_messages.rebuild(fine.parts().messages);
  std::vector<kernels::DeviceFamily> families;
  std::vector<solvers::FillPart> parts;
  const auto children = fine.children_of_refined();
  for (const std::int32_t number : fine.refined()) {
    const Patch& parent = levels_[l - 1]->patches()[static_cast<std::size_t>(number)];
    families.push_back(
        {parent.slot, static_cast<std::int32_t>(parts.size()), faces_with<D>(parent.beyond, Beyond::leaf)});
    for (std::size_t c = 0; c < mesh::children<D>; ++c) {
      const auto& child = children[parts.size()];
      solvers::FillPart& part = parts.emplace_back();
      set_child<D>(part, child.position);
      part.received = child.patch < 0;
      part.from = part.received
                      ? level.part_messages.received() + fine.parts().received[child.received].offset
                      : fine.patches()[static_cast<std::size_t>(child.patch)].slot;
    }
  }
  std::vector<kernels::PartItem> items;
  for (const auto& parcel : fine.parts().sent) {
    const Patch& patch = fine.patches()[static_cast<std::size_t>(parcel.patch)];
    kernels::PartItem& item = items.emplace_back();
    item.slot = patch.slot;
    item.offset = parcel.offset;
    set_child<D>(item, patch.child);
    item.leaf = faces_with<D>(patch.beyond, Beyond::coarser);
  }
  launches_.upload(level.families, families);
  launches_.upload(level.parts, parts);
  launches_.upload(level.part_items, items);
}

template <int D>
void DevicePoisson<D>::set_boundary_values(const std::function<double(const Point<D>&)>& value,
                                           ThreadTeam& team) {
  Base::set_boundary_values(value, team);
  launches_.device.synchronize(launches_.queue);  // of the upload before
  for (std::size_t l = 0; l < levels_.size(); ++l)
    launches_.upload(of_level_[l]->values, of_boundary_[l].values);
}

template <int D>
auto DevicePoisson<D>::of_halo(std::size_t l, Halo halo) -> Copies& {
  OfLevel& level = *of_level_[l];
  return halo == Halo::faces ? level.faces : halo == Halo::edges ? level.edges : level.planes;
}

template <int D>
void DevicePoisson<D>::exchange(Copies& copies, int unknown) {
  const auto launch = [&](const char* name, const Array<CopyItem>& items) {
    const kernels::CopyBatch batch{static_cast<int>(items.size()), items.data(), layout_, unknown, {}};
    launches_.launch(name, solvers::FieldBatch(batch));
  };
  copies.messages.expect();
  launch("pack cells", copies.packed);
  copies.messages.copy_out();
  launch("copy cells", copies.here);
  copies.messages.send();
  copies.messages.receive([](parallel::NeighbourMessages& messages) { messages.wait(); });
  launch("unpack cells", copies.unpacked);
}

template <int D>
kernels::CellBatch DevicePoisson<D>::cells(std::size_t l, CellKind kind) const {
  const OfLevel& level = *of_level_[l];
  kernels::CellBatch batch;
  batch.count = static_cast<int>(level.cells.size());
  batch.cells = level.cells.data();
  batch.ghosts = level.ghosts.data();
  batch.values = level.values.data();
  batch.buffer = coarsest_.data();
  batch.layout = layout_;
  batch.kind = kind;
  batch.h = width_at(levels_[l]->level());
  return batch;
}

template <int D>
void DevicePoisson<D>::launch(const char* name, std::size_t l, CellKind kind, bool only_refined) {
  kernels::CellBatch batch = cells(l, kind);
  batch.only_refined = only_refined;
  launches_.launch(name, solvers::FieldBatch(batch));
}

template <int D>
void DevicePoisson<D>::restrict_to_parents(std::size_t l, Restricted what) {
  OfLevel& level = *of_level_[l];
  const double h = width_at(levels_[l]->level());
  level.part_messages.expect();
  kernels::PartBatch sent{static_cast<int>(level.part_items.size()),
                          level.part_items.data(),
                          level.part_messages.sent(),
                          layout_,
                          what,
                          h,
                          {}};
  launches_.launch("parts of cells", solvers::FieldBatch(sent));
  level.part_messages.copy_out();
  level.part_messages.send();
  level.part_messages.receive([](parallel::NeighbourMessages& messages) { messages.wait(); });
  kernels::FamilyBatch batch;
  batch.count = static_cast<int>(level.families.size());
  batch.families = level.families.data();
  batch.parts = level.parts.data();
  batch.layout = layout_;
  batch.what = what;
  batch.h = h;
  batch.coarse_h = width_at(levels_[l - 1]->level());
  launches_.launch("restrict cells", solvers::FieldBatch(batch));
}

template <int D>
void DevicePoisson<D>::keep_source(std::size_t l, ThreadTeam&) {
  launch("keep source", l, CellKind::keep_source);
}

template <int D>
void DevicePoisson<D>::relax(std::size_t l, Relaxation relaxation, ThreadTeam&) {
  const bool of_cycle = relaxation == Relaxation::of_cycle;
  kernels::CellBatch batch = cells(l, CellKind::relax);
  batch.only_refined = !of_cycle;
  batch.omega = of_cycle ? omega : omega_of_refined;
  for (int half = 0; half < 2 * (of_cycle ? sweeps : sweeps_of_refined); ++half) {
    exchange(of_level_[l]->faces, kernels::potential_row);
    batch.half = half;
    launches_.launch("relax", solvers::FieldBatch(batch));
  }
}

template <int D>
void DevicePoisson<D>::fill_faces(std::size_t l, ThreadTeam&) {
  exchange(of_level_[l]->faces, kernels::potential_row);
  launch("fill cells", l, CellKind::fill);
}

template <int D>
void DevicePoisson<D>::pass_potential_down(std::size_t l, Fill fill, ThreadTeam&) {
  OfLevel& level = *of_level_[l];
  exchange(level.faces, kernels::potential_row);
  launch("fill cells", l, CellKind::fill, fill == Fill::refined);
  exchange(level.edges, kernels::potential_row);
  if (!of_boundary_[l].edges.empty()) launch("fill edges", l, CellKind::fill_edges);
  if (l + 1 == levels_.size()) return;
  exchange(of_level_[l + 1]->parents, kernels::potential_row);
  launch("interpolate", l + 1, CellKind::interpolate);
}

template <int D>
void DevicePoisson<D>::restrict_potential(std::size_t l, ThreadTeam&) {
  restrict_to_parents(l, Restricted::potential);
}

template <int D>
void DevicePoisson<D>::restrict_residual(std::size_t l, Residuals residuals, ThreadTeam& team) {
  const bool restricts = residuals == Residuals::restricted;
  if (restricts) fill_faces(l, team);
  restrict_to_parents(l, restricts ? Restricted::residual : Restricted::fluxes);
  exchange(of_level_[l - 1]->planes, kernels::rhs_row);
  launch("begin right-hand side", l - 1, CellKind::begin_rhs);
}

template <int D>
void DevicePoisson<D>::keep_potential(std::size_t l, ThreadTeam&) {
  launch("keep potential", l, CellKind::keep_potential);
}

template <int D>
void DevicePoisson<D>::add_correction(std::size_t l, ThreadTeam&) {
  launch("find correction", l - 1, CellKind::find_correction);
  exchange(of_level_[l]->parents, kernels::before_row);
  launch("prolong", l, CellKind::prolong);
}

template <int D>
void DevicePoisson<D>::add_mismatch(std::size_t l, ThreadTeam&) {
  launch("add mismatch", l, CellKind::add_mismatch);
}

template <int D>
std::vector<double> DevicePoisson<D>::coarsest_residual(ThreadTeam&) {
  launch("residual", 0, CellKind::residual);
  launches_.copy_out(coarsest_here_.data(), coarsest_.data(), coarsest_.size());
  launches_.wait_for_all();
  return {coarsest_here_.data(), coarsest_here_.data() + coarsest_here_.size()};
}

template <int D>
void DevicePoisson<D>::add_to_coarsest(const std::vector<double>& correction, ThreadTeam&) {
  std::ranges::copy(correction, coarsest_here_.data());
  launches_.copy_in(coarsest_.data(), coarsest_here_.data(), coarsest_.size());
  launch("add correction", 0, CellKind::add);
}

template <int D>
std::size_t DevicePoisson<D>::bytes() const {
  std::size_t sum = Base::bytes() + coarsest_.bytes();
  for (const auto& level : of_level_)
    sum += level->cells.bytes() + level->ghosts.bytes() + level->values.bytes() + bytes_of(level->faces) +
           bytes_of(level->edges) + bytes_of(level->planes) + bytes_of(level->parents) +
           level->families.bytes() + level->parts.bytes() + level->part_items.bytes();
  return sum;
}

template <int D>
std::size_t DevicePoisson<D>::estimated_bytes(std::size_t leaves, int p) {
  const std::size_t families = leaves / (mesh::children<D> - 1) + 1, cells = leaves + families;
  const solvers::PatchLayout layout(D, p, 1, kernels::unknowns);
  return cells *
             (static_cast<std::size_t>(layout.slot_size()) * sizeof(double) + sizeof(kernels::DeviceCell)) +
         families * (sizeof(kernels::DeviceFamily) + mesh::children<D> * sizeof(solvers::FillPart));
}

template class DevicePoisson<2>;
template class DevicePoisson<3>;

}  // namespace meander::tasks
