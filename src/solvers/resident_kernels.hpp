// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The kernels on resident patches by back end. A launcher is called with a kernel and its number of blocks.

#include <type_traits>

#include "gpu/device.hpp"
#include "solvers/block_dense.hpp"
#include "solvers/block_fill.hpp"
#include "solvers/block_levels.hpp"
#include "solvers/block_measure.hpp"
#include "solvers/block_reflux.hpp"
#include "solvers/block_shells.hpp"
#include "solvers/block_totals.hpp"

namespace meander::solvers {

// The kernels of equation P.
template <Pde P, class Launcher>
void launch_resident_by(const Launcher& launcher, const P& pde, const ResidentBatch& batch) {
  std::visit(
      [&](const auto& of_kind) {
        using Batch = std::decay_t<decltype(of_kind)>;
        if constexpr (std::is_same_v<Batch, FillBatch>) launcher(BlockFill<P>(pde, of_kind), of_kind.count);
        // Dense output exists for point values, which have no flux correction.
        if constexpr (std::is_same_v<Batch, DenseFillBatch> && P::has_ncp)
          launcher(BlockDenseFill<P>(pde, of_kind), of_kind.count);
        if constexpr (std::is_same_v<Batch, MeasureBatch>)
          launcher(BlockMeasure<P>(pde, of_kind), of_kind.count);
        if constexpr (std::is_same_v<Batch, InspectBatch>)
          launcher(BlockInspect<P>(pde, of_kind), of_kind.count);
        if constexpr (std::is_same_v<Batch, RefluxBatch> && !P::has_ncp)
          launcher(BlockReflux<P>(pde, of_kind), of_kind.count);
      },
      batch);
}

// The kernels of no equation.
template <int D, class Launcher>
void launch_general_by(const Launcher& launcher, const GeneralBatch& batch) {
  std::visit(
      [&](const auto& of_kind) {
        using Batch = std::decay_t<decltype(of_kind)>;
        if constexpr (std::is_same_v<Batch, PackBatch>) launcher(BlockPack<D>(of_kind), of_kind.count);
        if constexpr (std::is_same_v<Batch, FluxPackBatch>)
          launcher(BlockFluxPack<D>(of_kind), of_kind.count);
        if constexpr (std::is_same_v<Batch, ShellBatch>) launcher(BlockShells<D>(of_kind), of_kind.count);
        if constexpr (std::is_same_v<Batch, TotalsBatch>) launcher(BlockTotals<D>(of_kind), of_kind.count);
        if constexpr (std::is_same_v<Batch, LevelBatch>) launcher(BlockLevels<D>(of_kind), of_kind.count);
        if constexpr (std::is_same_v<Batch, ReduceBatch>) launcher(BlockReduce(of_kind), 1);
      },
      batch);
}

// Blocks of one thread on the host, one after another.
struct SerialLauncher {
  template <class Kernel>
  void operator()(const Kernel& kernel, int count) const {
    const SerialBlock block;
    for (int number = 0; number < count; ++number) kernel.run(block, number);
  }
};

// The addresses by which kernels on an emulated device access its memory. Throws DeviceError if the table lies outside.
template <class T>
DeviceAddresses addresses_on_host(const gpu::Execution& execution, const T* table, int count) {
  return {reinterpret_cast<std::intptr_t>(execution.address(table, static_cast<std::size_t>(count))) -
          reinterpret_cast<std::intptr_t>(table)};
}

// The batch for work on an emulated device: with the offset of its addresses. Throws DeviceError if its
// tables lie outside the device's memory.
template <class Batch>
Batch on_host(const gpu::Execution& execution, Batch batch) {
  std::visit(
      [&](auto& of_kind) {
        const auto set_by = [&](const auto* table, int count) {
          if (count > 0 && table != nullptr) of_kind.at = addresses_on_host(execution, table, count);
        };
        const auto set = [&](const auto* table) { set_by(table, of_kind.count); };
        if constexpr (requires { of_kind.dense; }) {
          set_by(of_kind.dense, of_kind.combined);
        } else if constexpr (requires { of_kind.targets; }) {
          set(of_kind.targets);
        } else if constexpr (requires { of_kind.items; }) {
          set(of_kind.items);
        } else {
          set(of_kind.patches);
        }
      },
      batch);
  return batch;
}

}  // namespace meander::solvers
