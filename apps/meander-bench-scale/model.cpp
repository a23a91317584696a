// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model.hpp"

#include <algorithm>
#include <cmath>

namespace meander::bench {

Prediction predict(const Census& census, const Machine& machine) {
  const double volumes = std::pow(census.patch_size, census.dim);
  const double rounds = std::ceil(std::log2(std::max(1, census.ranks)));
  Prediction result;
  result.ideal = static_cast<double>(census.leaves) / census.ranks * volumes / machine.rate;
  result.reduction = rounds * machine.latency;
  double build = 0;
  for (const mesh::RankCosts& rank : census.costs) {
    const double update = static_cast<double>(rank.leaves) * volumes / machine.rate;
    const double border = static_cast<double>(rank.border_leaves) * volumes / machine.rate;
    const double messages = census.stages * (static_cast<double>(rank.messages()) * machine.latency +
                                             static_cast<double>(rank.bytes()) / machine.bandwidth);
    result.compute = std::max(result.compute, update);
    result.exposed = std::max(result.exposed, update + messages);
    result.hidden = std::max(result.hidden, border + std::max(update - border, messages));
    build = std::max(build, rank.build_seconds());
  }
  result.exposed += result.reduction;
  result.hidden += result.reduction;
  result.regrid = build;
  if (census.ranks > 1) {
    result.regrid += (regrid_collectives + census.levels) * rounds * machine.latency +
                     regrid_bytes_per_rank * census.ranks / machine.bandwidth;
  }
  return result;
}

}  // namespace meander::bench
