// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/equations/ccz4_measures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/exact_sum.hpp"
#include "base/vec.hpp"
#include "simulation/totals.hpp"
#include "solvers/ccz4/constraints.hpp"
#include "solvers/ccz4/unknowns.hpp"

namespace meander::simulation {
namespace {

namespace ccz4 = solvers::ccz4;

struct OfLeaf {
  double hamiltonian_square = 0, momentum_square = 0, volume = 0;  // integrals
  double hamiltonian = 0, momentum = 0, lapse = std::numeric_limits<double>::infinity();
};

OfLeaf measure(const solvers::PatchTask& patch, const solvers::PatchLayout& layout) {
  thread_local std::vector<double> values;
  const auto volumes = static_cast<std::size_t>(layout.volumes());
  values.resize(ccz4::constraint_count * volumes);
  ccz4::patch_constraints(patch, layout, values);
  OfLeaf leaf;
  for (std::size_t v = 0; v < volumes; ++v) {
    leaf.hamiltonian_square += values[v] * values[v];
    leaf.hamiltonian = std::max(leaf.hamiltonian, std::abs(values[v]));
    for (std::size_t axis = 1; axis <= 3; ++axis) {
      const double momentum = values[axis * volumes + v];
      leaf.momentum_square += momentum * momentum;
      leaf.momentum = std::max(leaf.momentum, std::abs(momentum));
    }
  }
  const double volume = ipow(patch.dx, 3);
  leaf.hamiltonian_square *= volume;
  leaf.momentum_square *= volume;
  leaf.volume = volume * static_cast<double>(volumes);
  for (int k = 0; k < layout.p; ++k) {
    for (int j = 0; j < layout.p; ++j) {
      const double* lapse = patch.q + layout.at(ccz4::at::a, 0, j, k);
      leaf.lapse = std::min(leaf.lapse, *std::min_element(lapse, lapse + layout.p));
    }
  }
  return leaf;
}

}  // namespace

std::vector<Measure> ccz4_measures(const StateView& view) {
  std::vector<OfLeaf> leaves(view.patches.size());
  view.team.for_chunks(leaves.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) leaves[i] = measure(view.patches[i], view.layout);
  });
  OfLeaf all;
  std::array<ExactSum, 3> sums;
  for (const OfLeaf& leaf : leaves) {
    sums[0].add(leaf.hamiltonian_square);
    sums[1].add(leaf.momentum_square);
    sums[2].add(leaf.volume);
    all.hamiltonian = std::max(all.hamiltonian, leaf.hamiltonian);
    all.momentum = std::max(all.momentum, leaf.momentum);
    all.lapse = std::min(all.lapse, leaf.lapse);
  }
  sum_over_ranks(view.communicator, sums);
  const double volume = sums[2].value();
  const auto& ranks = view.communicator;
  return {{"hamiltonian_l2", "", std::sqrt(sums[0].value() / volume)},
          {"hamiltonian_linf", "", ranks.max(all.hamiltonian)},
          {"momentum_l2", "", std::sqrt(sums[1].value() / volume)},
          {"momentum_linf", "", ranks.max(all.momentum)},
          {"lapse_min", "", ranks.min(all.lapse)}};
}

}  // namespace meander::simulation
