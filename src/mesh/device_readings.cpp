// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/device_readings.hpp"

namespace meander::mesh {

DeviceReadings::DeviceReadings(DeviceLaunches& launches, gpu::Resource& memory,
                               std::pmr::memory_resource& host_memory)
    : launches_(launches),
      host_memory_(host_memory),
      shell_sums_(launches.device, memory),
      measured_(launches.device, memory),
      points_(launches.device, memory),
      samples_(launches.device, memory) {}

void DeviceReadings::rebuild(const solvers::DevicePatch* patches, std::span<const std::int32_t> leaf,
                             std::span<const std::int32_t> index_of_leaf) {
  patches_ = patches;
  leaf_.assign(leaf.begin(), leaf.end());
  index_of_leaf_.assign(index_of_leaf.begin(), index_of_leaf.end());
  // For a value of every unknown: what a diagnostic asks for allocates nothing.
  measured_.resize(launches_.queue, leaf.size() * static_cast<std::size_t>(launches_.layout.unknowns));
}

void DeviceReadings::sum_shells(solvers::ShellBatch batch, std::span<std::uint64_t> sums) {
  shell_sums_.upload(launches_.queue, std::vector<std::uint64_t>(sums.size(), 0));
  batch = of_all_leaves(batch);
  batch.sums = shell_sums_.data();
  launches_.launch("sum shells", solvers::GeneralBatch(batch));
  std::copy_n(result(shell_sums_, sums.size()), sums.size(), sums.begin());
}

std::vector<double> DeviceReadings::measure(const solvers::LeafMeasure& measure) {
  auto batch = of_all_leaves(solvers::MeasureBatch());
  batch.values = measured_.data();
  batch.measure = measure;
  launches_.launch("measure leaves", solvers::ResidentBatch(batch));
  return by_leaf(measured_, 1);
}

std::vector<double> DeviceReadings::sums() {
  auto batch = of_all_leaves(solvers::TotalsBatch());
  batch.sums = measured_.data();
  launches_.launch("sum unknowns", solvers::GeneralBatch(batch));
  return by_leaf(measured_, static_cast<std::size_t>(launches_.layout.unknowns));
}

std::vector<double> DeviceReadings::by_leaf(const gpu::DeviceArray<double>& values, std::size_t width) {
  const double* const found = result(values, leaf_.size() * width);
  std::vector<double> ordered(leaf_.size() * width);
  for (std::size_t index = 0; index < leaf_.size(); ++index)
    std::copy_n(
        found + index * width, width,
        ordered.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(leaf_[index]) * width));
  return ordered;
}

void DeviceReadings::gather(std::span<const solvers::PointInPatch> points, const solvers::PointQuery& query,
                            std::span<double> samples) {
  if (points.empty()) return;
  std::vector<solvers::PointInPatch> in_table(points.begin(), points.end());
  for (solvers::PointInPatch& point : in_table)
    point.patch = index_of_leaf_[static_cast<std::size_t>(point.patch)];
  samples_.resize(launches_.queue, samples.size());
  launches_.upload(points_, in_table);
  auto batch = of_all_leaves(solvers::GatherBatch());
  batch.count = static_cast<int>(points.size());
  batch.points = points_.data();
  batch.samples = samples_.data();
  batch.query = query;
  ++launches_.counts.launches;
  launches_.device.launch(launches_.queue, "gather points", [batch](const gpu::Execution& execution) {
    solvers::launch_gather(execution, batch);
  });
  std::copy_n(result(samples_, samples.size()), samples.size(), samples.begin());
}

}  // namespace meander::mesh
