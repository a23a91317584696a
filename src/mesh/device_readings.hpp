// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What diagnostics and criteria read of patches on a device, computed there. All functions throw DeviceError, and wait for the
// device.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <span>
#include <vector>

#include "gpu/device_array.hpp"
#include "mesh/device_messages.hpp"
#include "solvers/gather.hpp"
#include "solvers/solver.hpp"

namespace meander::mesh {

class DeviceReadings {
 public:
  // All outlive this. host_memory: page-locked.
  DeviceReadings(DeviceLaunches& launches, gpu::Resource& memory, std::pmr::memory_resource& host_memory);

  // For another table of patches on the device, which lives until the next call: the leaf of each of its entries, and the entry of each
  // leaf. Throws gpu::OutOfMemory.
  void rebuild(const solvers::DevicePatch* patches, std::span<const std::int32_t> leaf,
               std::span<const std::int32_t> index_of_leaf);

  // Sets the sums of a batch, all of whose members but count, patches, sums and layout are given, over all
  // leaves.
  void sum_shells(solvers::ShellBatch batch, std::span<std::uint64_t> sums);
  // The sums of all unknowns over the interior of every leaf: [leaf][unknown].
  std::vector<double> sums();
  // The measure of every leaf, by its number.
  std::vector<double> measure(const solvers::LeafMeasure& measure);
  // Sets samples[point][query.sample_size()] at points of leaves (PointInPatch::patch: the number of the leaf). Throws
  // gpu::OutOfMemory.
  void gather(std::span<const solvers::PointInPatch> points, const solvers::PointQuery& query,
              std::span<double> samples);

  // The batch with its members for all leaves.
  template <class Batch>
  Batch of_all_leaves(Batch batch) const {
    batch.count = static_cast<int>(leaf_.size());
    batch.patches = patches_;
    batch.layout = launches_.layout;
    return batch;
  }
  // The first `count` items of an array, until the next call. A copy to other memory than results_ would stop
  // the host, too, without DeviceCounts::waited.
  template <class T>
  const T* result(const gpu::DeviceArray<T>& items, std::size_t count) {
    const std::size_t doubles = doubles_for(count * sizeof(T));
    if (doubles > results_.size()) results_ = {host_memory_, doubles};
    T* const here = reinterpret_cast<T*>(results_.data());
    std::uninitialized_fill_n(here, count, T());  // a device of benchmarks copies nothing
    launches_.copy_out(here, items.data(), count);
    launches_.wait_for_all();
    return here;
  }

 private:
  // `width` values of every leaf, which the device has in the order of the patch table.
  std::vector<double> by_leaf(const gpu::DeviceArray<double>& values, std::size_t width);

  DeviceLaunches& launches_;
  std::pmr::memory_resource& host_memory_;
  const solvers::DevicePatch* patches_ = nullptr;
  std::vector<std::int32_t> leaf_, index_of_leaf_;
  parallel::MessageBuffer results_;  // page-locked
  gpu::DeviceArray<std::uint64_t> shell_sums_;
  gpu::DeviceArray<double> measured_;
  gpu::DeviceArray<solvers::PointInPatch> points_;
  gpu::DeviceArray<double> samples_;
};

}  // namespace meander::mesh
