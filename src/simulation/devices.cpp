// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The devices of a simulation: figures, and their memory.
#include "simulation/control/device_memory.hpp"
#include "simulation/simulation_of.hpp"

namespace meander::simulation {

template <int D>
std::optional<OffloadReport> SimulationOf<D>::offload() const {
  if (!engine_) return std::nullopt;
  const gpu::Stats memory = engine_->memory();
  return OffloadReport{engine_->counts(),
                       engine_->devices(),
                       stepper_.enclaves()->updates(),
                       stepper_.enclaves()->enclaves(),
                       static_cast<std::int64_t>(memory.allocations),
                       static_cast<std::int64_t>(memory.hits),
                       static_cast<std::int64_t>(memory.fallbacks),
                       static_cast<std::int64_t>(memory.evictions),
                       static_cast<std::int64_t>(memory.while_busy),
                       static_cast<std::int64_t>(engine_->device_bytes()),
                       static_cast<std::int64_t>(engine_->peak_device_bytes()),
                       memory.waited,
                       engine_->batch_overlap().time(team_.size()),
                       stepper_.enclaves()->rates()};
}

template <int D>
mesh::DeviceCounts SimulationOf<D>::device_counts() const {
  return mesh_.residence().is_on_device() ? mesh_.residence().device()->launches().counts
                                          : mesh::DeviceCounts{};
}

template <int D>
std::optional<ResidentReport> SimulationOf<D>::resident() const {
  if (!resident_) return std::nullopt;
  ResidentReport report = resident_report_;
  report.devices = 1;
  const mesh::DeviceCounts counts = device_counts();
  report.bytes_in = counts.bytes_in - counts_at_start_.bytes_in;
  report.bytes_out = counts.bytes_out - counts_at_start_.bytes_out;
  report.brought_home = mesh_.residence().brought_home();
  report.regrid_seconds += times_.regrid;
  const gpu::Stats memory = resident_->memory->stats();
  report.device_bytes = static_cast<std::int64_t>(memory.held_bytes);
  report.peak_device_bytes = static_cast<std::int64_t>(memory.peak_held_bytes);
  report.messages_in_place = resident_->messages_in_place ? 1 : 0;
  report.not_page_locked = static_cast<std::int64_t>(resident_->messages->stats().fallbacks);
  return report;
}

template <int D>
std::optional<mesh::DeviceMemory> SimulationOf<D>::device_memory() const {
  if (!resident_) return std::nullopt;
  mesh::DeviceMemory memory = mesh_.residence().memory();
  if (field_) memory.field = field_->device_bytes(mesh_);
  return memory;
}

template <int D>
void SimulationOf<D>::check_device_memory() const {
  if (!config_.offload.patches_on_device()) return;
  if (local_) mesh_.plan_local_steps().make_exchanges(config_.mesh.subcycled_levels);
  simulation::check_device_memory(config_, resident_.get(), device_memory(), communicator());
}

#define MEANDER_INSTANTIATE(D)                                                       \
  template std::optional<OffloadReport> SimulationOf<D>::offload() const;            \
  template mesh::DeviceCounts SimulationOf<D>::device_counts() const;                \
  template std::optional<ResidentReport> SimulationOf<D>::resident() const;          \
  template std::optional<mesh::DeviceMemory> SimulationOf<D>::device_memory() const; \
  template void SimulationOf<D>::check_device_memory() const;
MEANDER_INSTANTIATE(2)
MEANDER_INSTANTIATE(3)
#undef MEANDER_INSTANTIATE

}  // namespace meander::simulation
