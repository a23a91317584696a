// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/device_memory.hpp"

#include "mesh/patch_mesh.hpp"

namespace meander::mesh {

// Of a leaf, apart from the operations of its halo: patch, status, number, refluxing.
constexpr std::size_t table_bytes_of_leaf = sizeof(solvers::DevicePatch) + sizeof(solvers::PatchStatus) + 128;

template <int D>
std::map<std::string, std::int64_t> PatchMesh<D>::brought_home() const {
  const std::lock_guard lock(bring_home_mutex_);
  return brought_home_;
}

template <int D>
DeviceMemory PatchMesh<D>::device_memory() const {
  const HaloPlan<D>& plan = halos_.plan();
  const auto doubles = static_cast<std::size_t>(layout_.slot_size()) +
                       static_cast<std::size_t>(solver_.traits().stage_blocks) *
                           static_cast<std::size_t>(layout_.stage_block_size());
  const auto interior = static_cast<std::size_t>(layout_.volumes() * layout_.unknowns);
  DeviceMemory memory;
  memory.slots = pool_.capacity() * doubles * sizeof(double) +
                 plan.ghost_patches().size() * static_cast<std::size_t>(layout_.slot_size()) * sizeof(double);
  if (solver_.stages_new_interior()) memory.next = size() * interior * sizeof(double);
  memory.messages = flux_correction_.register_doubles() * sizeof(double) + halos_.messages().sent_bytes() +
                    halos_.messages().received_bytes() + flux_messages_.sent_bytes() +
                    flux_messages_.received_bytes();
  std::size_t operations = 0;
  for (std::size_t leaf = 0; leaf < size(); ++leaf)
    operations += plan.early(leaf).size() + plan.late(leaf).size() + plan.second(leaf).size();
  memory.tables = size() * table_bytes_of_leaf + operations * sizeof(solvers::FillOp) +
                  size() * static_cast<std::size_t>(layout_.unknowns) * sizeof(double);
  memory.scratch = solver_.scratch_bytes(layout_, static_cast<int>(size())) + solver_.step_bytes().size();
  return memory;
}

#define MEANDER_INSTANTIATE(D)                                                     \
  template std::map<std::string, std::int64_t> PatchMesh<D>::brought_home() const; \
  template DeviceMemory PatchMesh<D>::device_memory() const;
MEANDER_INSTANTIATE(2)
MEANDER_INSTANTIATE(3)
#undef MEANDER_INSTANTIATE

}  // namespace meander::mesh
