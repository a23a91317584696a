// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/device_reflux.hpp"

#include <algorithm>
#include <vector>

namespace meander::mesh {

template <int D>
DeviceReflux<D>::DeviceReflux(DeviceLaunches& launches, DeviceLaunches& border, gpu::Resource& memory,
                              Fine fine)
    : launches_(launches),
      border_launches_(border),
      fine_(fine),
      registers_(launches.device, memory),
      sums_(launches.device, memory),
      messages_(border, border, memory),
      targets_(launches.device, memory),
      faces_(launches.device, memory),
      parts_(launches.device, memory),
      outgoing_(launches.device, memory) {}

template <int D>
void DeviceReflux<D>::rebuild(FluxCorrection<D>& fluxes, std::span<const solvers::PatchTask> tasks,
                              std::span<solvers::DevicePatch> patches, std::span<const std::int32_t> index_of,
                              std::size_t border_leaves) {
  const bool has_sums = fine_ == Fine::sums;
  registers_.resize(launches_.queue, fluxes.register_doubles());
  sums_.resize(launches_.queue, has_sums ? fluxes.sums() : 0);
  messages_.rebuild(fluxes.messages());
  const auto patch_of = [&](std::size_t leaf) -> solvers::DevicePatch& {
    return patches[static_cast<std::size_t>(index_of[leaf])];
  };
  for (const auto& entry : fluxes.registers())
    patch_of(static_cast<std::size_t>(entry.leaf)).flux[entry.face] = registers_.data() + entry.offset;
  std::vector<double*> slots(index_of.size());
  for (const std::int32_t leaf : fluxes.coarse_leaves())
    slots[static_cast<std::size_t>(leaf)] = patch_of(static_cast<std::size_t>(leaf)).slot;
  RefluxTables<D> tables(fluxes, registers_.data(), tasks, index_of, border_leaves,
                         {slots, messages_.received()}, has_sums ? sums_.data() : nullptr);
  border_ = static_cast<std::size_t>(tables.border);
  launches_.upload(targets_, tables.targets);
  launches_.upload(faces_, tables.faces);
  launches_.upload(parts_, tables.parts);
  launches_.upload(outgoing_, tables.outgoing);
}

template <int D>
void DeviceReflux<D>::add_items(int fine_level, const FluxCorrection<D>& fluxes,
                                std::vector<solvers::LevelItem>& items) const {
  const std::size_t first = items.size();
  const auto faces = fluxes.fine_faces();
  for (const auto& face : faces) {
    solvers::LevelItem& item = items.emplace_back();
    item.kind = solvers::LevelItem::Kind::add_fluxes;
    item.level = static_cast<std::uint8_t>(fine_level);
    item.from = registers_.data() + face.fluxes;
    item.values = sums_.data() + face.sums;
    for (std::size_t a = 0; a + 1 < D; ++a) item.sub_face[a] = face.sub_face[a];
  }
  for (const auto& part : fluxes.outgoing_parts()) {
    const auto face = std::ranges::lower_bound(faces, part.fine, {}, &FluxCorrection<D>::FineFace::fluxes);
    items[first + static_cast<std::size_t>(face - faces.begin())].values = messages_.sent() + part.offset;
  }
}

template <int D>
void DeviceReflux<D>::pack() {
  if (fine_ == Fine::sums) return messages_.copy_out();
  messages_.pack("pack fluxes", outgoing_);
}

template <int D>
void DeviceReflux<D>::correct(Leaves leaves, solvers::PatchStatus* status, double dt, int steps) {
  const std::size_t begin = leaves == Leaves::others ? border_ : 0,
                    end = leaves == Leaves::border ? border_ : targets_.size();
  solvers::RefluxBatch batch;
  batch.count = static_cast<int>(end - begin);
  batch.targets = targets_.data() + begin;
  batch.faces = faces_.data();
  batch.parts = parts_.data();
  batch.status = status;
  batch.layout = launches_.layout;
  batch.dt = dt;
  batch.steps = steps;
  (leaves == Leaves::border ? border_launches_ : launches_).launch("reflux", solvers::ResidentBatch(batch));
}

template class DeviceReflux<2>;
template class DeviceReflux<3>;

}  // namespace meander::mesh
