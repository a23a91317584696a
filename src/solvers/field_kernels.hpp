// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Launches the kernel of a FieldBatch. A launcher is called with a kernel and its number of blocks.

#include <utility>

#include "solvers/block_carried.hpp"
#include "solvers/block_potential.hpp"

namespace meander::solvers {

template <int D, class Launcher>
void launch_field_by(const Launcher& launcher, const poisson::CellBatch& batch) {
  [&]<int... kinds>(std::integer_sequence<int, kinds...>) {
    ((static_cast<int>(batch.kind) == kinds
          ? launcher(poisson::BlockCells<D, static_cast<poisson::CellBatch::Kind>(kinds)>(batch), batch.count)
          : void()),
     ...);
  }
  (std::make_integer_sequence<int, static_cast<int>(poisson::CellBatch::Kind::add_mismatch) + 1>());
}
template <int D, class Launcher>
void launch_field_by(const Launcher& launcher, const poisson::FamilyBatch& batch) {
  if (batch.what == poisson::Restricted::potential)
    launcher(poisson::BlockFamilies<D, poisson::Restricted::potential>(batch), batch.count);
  else if (batch.what == poisson::Restricted::residual)
    launcher(poisson::BlockFamilies<D, poisson::Restricted::residual>(batch), batch.count);
  else
    launcher(poisson::BlockFamilies<D, poisson::Restricted::fluxes>(batch), batch.count);
}
template <int D, class Launcher>
void launch_field_by(const Launcher& launcher, const poisson::PartBatch& batch) {
  if (batch.what == poisson::Restricted::potential)
    launcher(poisson::BlockParts<D, poisson::Restricted::potential>(batch), batch.count);
  else if (batch.what == poisson::Restricted::residual)
    launcher(poisson::BlockParts<D, poisson::Restricted::residual>(batch), batch.count);
  else
    launcher(poisson::BlockParts<D, poisson::Restricted::fluxes>(batch), batch.count);
}
template <int D, class Launcher>
void launch_field_by(const Launcher& launcher, const poisson::CopyBatch& batch) {
  launcher(poisson::BlockCopies<D>(batch), batch.count);
}

template <int D, class Launcher>
void launch_field_by(const Launcher& launcher, const PotentialBatch& batch) {
  [&]<int... kinds>(std::integer_sequence<int, kinds...>) {
    ((static_cast<int>(batch.kind) == kinds
          ? launcher(BlockPotential<D, static_cast<PotentialBatch::Kind>(kinds)>(batch), batch.count)
          : void()),
     ...);
  }
  (std::make_integer_sequence<int, static_cast<int>(PotentialBatch::Kind::keep) + 1>());
}
template <int D, class Launcher>
void launch_field_by(const Launcher& launcher, const CarriedBatch& batch) {
  launcher(BlockCarried<D>(batch), batch.count);
}

template <class Launcher>
void launch_field_by(const Launcher& launcher, const FieldBatch& batch) {
  std::visit(
      [&](const auto& any) {
        any.layout.dim == 2 ? launch_field_by<2>(launcher, any) : launch_field_by<3>(launcher, any);
      },
      batch);
}

// The table whose addresses are the batch's.
template <class Batch>
const auto* table_of(const Batch& batch) {
  if constexpr (requires { batch.cells; })
    return batch.cells;
  else if constexpr (requires { batch.families; })
    return batch.families;
  else if constexpr (requires { batch.leaves; })
    return batch.leaves;
  else if constexpr (requires { batch.targets; })
    return batch.targets;
  else
    return batch.items;
}

}  // namespace meander::solvers
