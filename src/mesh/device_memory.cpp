// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/device_memory.hpp"

#include <algorithm>

#include "mesh/patch_mesh.hpp"

namespace meander::mesh {

// Of a leaf, apart from the operations of its halo: patch, status, number, refluxing.
constexpr std::size_t table_bytes_of_leaf = sizeof(solvers::DevicePatch) + sizeof(solvers::PatchStatus) + 128;

template <int D>
std::map<std::string, std::int64_t> PatchMesh<D>::brought_home() const {
  const std::lock_guard lock(bring_home_mutex_);
  return brought_home_;
}

namespace {

template <int D>
std::size_t operations_of(const HaloPlan<D>& plan, std::size_t leaves) {
  std::size_t operations = 0;
  for (std::size_t leaf = 0; leaf < leaves; ++leaf)
    operations += plan.early(leaf).size() + plan.late(leaf).size() + plan.second(leaf).size();
  return operations;
}

std::size_t bytes_of(const parallel::NeighbourMessages& messages) {
  return messages.sent_bytes() + messages.received_bytes();
}

// What DeviceLocalSteps holds.
template <int D>
void add_local_steps(DeviceMemory& memory, LocalSteps<D>& steps, const solvers::Solver& solver,
                     const solvers::PatchLayout& layout, std::size_t leaves) {
  const std::size_t slot = static_cast<std::size_t>(layout.slot_size()) * sizeof(double);
  const std::size_t stages =
      static_cast<std::size_t>(solver.traits().stage_blocks * layout.stage_block_size()) * sizeof(double);
  std::size_t most_sources = 0, most_shadows = 0;
  memory.tables += leaves * table_bytes_of_leaf;
  for (int level = steps.coarsest(); level < steps.finest(); ++level) {
    const CoarseInTime<D>& coarse = steps.coarse(level);
    most_sources = std::max(most_sources, coarse.sources().size());
    memory.slots += coarse.kept() * sizeof(double);
    memory.tables += 2 * coarse.sources().size() * sizeof(solvers::LevelItem);
    if (!layout.point_values) {
      const FluxCorrection<D>& fluxes = steps.fluxes(level);
      memory.messages +=
          (fluxes.register_doubles() + fluxes.sums()) * sizeof(double) + bytes_of(fluxes.messages());
      memory.tables += fluxes.fine_faces().size() * sizeof(solvers::LevelItem);
      continue;
    }
    CutTree<D>& cut = steps.cut(level);
    const auto own = cut.patches().kinds.first(cut.patches().leaf_of_mesh.size());
    most_shadows =
        std::max(most_shadows, static_cast<std::size_t>(std::ranges::count(own, CellKind::shadow)));
    memory.slots += cut.refined().size() * (slot + stages);
    memory.messages += bytes_of(cut.messages());
    memory.tables += cut.refined().size() * children<D> * sizeof(solvers::FillPart);
  }
  memory.slots += most_sources * slot;
  if (solver.stages_new_interior())
    memory.next +=
        most_shadows * static_cast<std::size_t>(layout.volumes() * layout.unknowns) * sizeof(double);
  for (const auto& [levels, exchange] : steps.exchanges()) {
    const HaloPlan<D>& plan = exchange->exchange().plan();
    memory.slots += plan.ghost_patches().size() * slot;
    memory.messages += bytes_of(exchange->exchange().messages());
    memory.tables +=
        operations_of(plan, steps.tree(levels.second).leaf_of_mesh.size()) * sizeof(solvers::FillOp);
    if (exchange->shadows() > 0) memory.tables += exchange->members().size() * table_bytes_of_leaf;
  }
}

}  // namespace

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
  memory.messages = flux_correction_.register_doubles() * sizeof(double) + bytes_of(halos_.messages()) +
                    bytes_of(flux_correction_.messages());
  memory.tables = size() * table_bytes_of_leaf + operations_of(plan, size()) * sizeof(solvers::FillOp) +
                  size() * static_cast<std::size_t>(layout_.unknowns) * sizeof(double);
  memory.scratch = solver_.scratch_bytes(layout_, static_cast<int>(size())) + solver_.step_bytes().size();
  if (local_steps_) add_local_steps(memory, *local_steps_, solver_, layout_, size());
  return memory;
}

#define MEANDER_INSTANTIATE(D)                                                     \
  template std::map<std::string, std::int64_t> PatchMesh<D>::brought_home() const; \
  template DeviceMemory PatchMesh<D>::device_memory() const;
MEANDER_INSTANTIATE(2)
MEANDER_INSTANTIATE(3)
#undef MEANDER_INSTANTIATE

}  // namespace meander::mesh
