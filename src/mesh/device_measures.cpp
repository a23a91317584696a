// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// What diagnostics and criteria read of patches on a device, computed there.
#include <algorithm>

#include "mesh/device_patches.hpp"

namespace meander::mesh {

template <int D>
void DevicePatches<D>::sum_shells(solvers::ShellBatch batch, std::span<std::uint64_t> sums) {
  shell_sums_.upload(launches_.queue, std::vector<std::uint64_t>(sums.size(), 0));
  batch = of_all_leaves(batch);
  batch.sums = shell_sums_.data();
  launches_.launch("sum shells", solvers::GeneralBatch(batch));
  launches_.copy_out(sums.data(), shell_sums_.data(), sums.size());
  launches_.device.synchronize(launches_.queue);
}

template <int D>
std::vector<double> DevicePatches<D>::measure(const solvers::LeafMeasure& measure) {
  auto batch = of_all_leaves(solvers::MeasureBatch());
  batch.values = measured_.data();
  batch.measure = measure;
  launches_.launch("measure leaves", solvers::ResidentBatch(batch));
  return by_leaf(measured_, 1);
}

template <int D>
std::vector<double> DevicePatches<D>::sums() {
  const auto unknowns = static_cast<std::size_t>(layout_.unknowns);
  auto batch = of_all_leaves(solvers::TotalsBatch());
  batch.sums = measured_.data();
  launches_.launch("sum unknowns", solvers::GeneralBatch(batch));
  return by_leaf(measured_, unknowns);
}

template <int D>
std::vector<double> DevicePatches<D>::by_leaf(const Array<double>& values, std::size_t width) {
  std::vector<double> found(leaves_ * width), ordered(leaves_ * width);
  launches_.copy_out(found.data(), values.data(), found.size());
  launches_.wait_for_all();
  const auto leaf = leaf_.host();
  for (std::size_t index = 0; index < leaves_; ++index)
    std::copy_n(found.begin() + static_cast<std::ptrdiff_t>(index * width), width,
                ordered.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(leaf[index]) * width));
  return ordered;
}

template <int D>
void DevicePatches<D>::gather(std::span<const solvers::PointInPatch> points, const solvers::PointQuery& query,
                              std::span<double> samples) {
  if (points.empty()) return;
  std::vector<solvers::PointInPatch> in_table(points.begin(), points.end());
  for (solvers::PointInPatch& point : in_table)
    point.patch = index_of_leaf_[static_cast<std::size_t>(point.patch)];
  samples_.resize(launches_.queue, samples.size());
  launches_.upload(points_, std::move(in_table));
  auto batch = of_all_leaves(solvers::GatherBatch());
  batch.count = static_cast<int>(points.size());
  batch.points = points_.data();
  batch.samples = samples_.data();
  batch.query = query;
  ++launches_.counts.launches;
  launches_.device.launch(launches_.queue, "gather points", [batch](const gpu::Execution& execution) {
    solvers::launch_gather(execution, batch);
  });
  launches_.copy_out(samples.data(), samples_.data(), samples.size());
  launches_.wait_for_all();
}

#define MEANDER_INSTANTIATE(D)                                                                               \
  template void DevicePatches<D>::sum_shells(solvers::ShellBatch, std::span<std::uint64_t>);                 \
  template std::vector<double> DevicePatches<D>::measure(const solvers::LeafMeasure&);                       \
  template std::vector<double> DevicePatches<D>::sums();                                                     \
  template void DevicePatches<D>::gather(std::span<const solvers::PointInPatch>, const solvers::PointQuery&, \
                                         std::span<double>);
MEANDER_INSTANTIATE(2)
MEANDER_INSTANTIATE(3)
#undef MEANDER_INSTANTIATE

}  // namespace meander::mesh
