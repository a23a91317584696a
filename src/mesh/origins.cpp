// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/assert.hpp"
#include "mesh/spacetree.hpp"

namespace meander::mesh {

template <int D>
std::vector<Origin> origins(std::span<const Key<D>> before, std::span<const Key<D>> after) {
  std::vector<Origin> result(after.size());
  std::size_t old = 0;
  for (std::size_t i = 0; i < after.size();) {
    MEANDER_ASSERT(old < before.size());
    const auto first = static_cast<std::int32_t>(old);
    if (before[old] == after[i]) {
      result[i++] = {first, 1, Origin::Kind::same};
      ++old;
    } else if (before[old].level() < after[i].level()) {
      MEANDER_ASSERT(before[old].contains(after[i]));
      while (i < after.size() && before[old].contains(after[i]))
        result[i++] = {first, 1, Origin::Kind::refined};
      ++old;
    } else {
      MEANDER_ASSERT(after[i].contains(before[old]));
      while (old < before.size() && after[i].contains(before[old])) ++old;
      result[i++] = {first, static_cast<std::int32_t>(old) - first, Origin::Kind::coarsened};
    }
  }
  MEANDER_ASSERT(old == before.size());
  return result;
}

template std::vector<Origin> origins(std::span<const Key<2>>, std::span<const Key<2>>);
template std::vector<Origin> origins(std::span<const Key<3>>, std::span<const Key<3>>);

}  // namespace meander::mesh
