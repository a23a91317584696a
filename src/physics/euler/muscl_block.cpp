// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/block_muscl.hpp"

#include "physics/euler/kernels.hpp"
#include "solvers/block_rusanov.hpp"
#include "solvers/block_serial.hpp"
#include "solvers/limiters.hpp"

namespace meander::euler {

template <int D>
void launch_muscl_serially(const Terms<D>& terms, Limiter limiter, const DeviceBatch& batch) {
  with_patch_size(batch.layout.p, [&](auto p) {
    if (limiter == Limiter::minmod) {
      update_serially<BlockMuscl<Terms<D>, MinMod, decltype(p)::value>>(terms, batch);
    } else {
      update_serially<BlockMuscl<Terms<D>, MonotonizedCentral, decltype(p)::value>>(terms, batch);
    }
  });
}

template <int D>
std::size_t scratch_bytes(Scheme scheme, const PatchLayout& layout, int patches) {
  return block_scratch(scheme == Scheme::rusanov ? BlockRusanov<Terms<D>, 0>::memory(layout.p)
                                                 : BlockMuscl<Terms<D>, MinMod, 0>::memory(layout.p),
                       patches);
}

template void launch_muscl_serially<2>(const Terms<2>&, Limiter, const DeviceBatch&);
template void launch_muscl_serially<3>(const Terms<3>&, Limiter, const DeviceBatch&);
template std::size_t scratch_bytes<2>(Scheme, const PatchLayout&, int);
template std::size_t scratch_bytes<3>(Scheme, const PatchLayout&, int);

}  // namespace meander::euler
