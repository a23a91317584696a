// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/block_rusanov.hpp"

#include "physics/euler/kernels.hpp"
#include "solvers/block_serial.hpp"

namespace meander::euler {

template <int D>
void launch_rusanov_serially(const Terms<D>& terms, const DeviceBatch& batch) {
  with_patch_size(batch.layout.p,
                  [&](auto p) { update_serially<BlockRusanov<Terms<D>, decltype(p)::value>>(terms, batch); });
}

template void launch_rusanov_serially<2>(const Terms<2>&, const DeviceBatch&);
template void launch_rusanov_serially<3>(const Terms<3>&, const DeviceBatch&);

}  // namespace meander::euler
