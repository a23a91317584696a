// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/scenario_tools/deviation.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/exact_sum.hpp"
#include "base/vec.hpp"
#include "simulation/diagnostics/totals.hpp"

namespace meander::simulation {
namespace {

struct OfLeaf {
  double square = 0, volume = 0, largest = 0;
};

OfLeaf measure(const solvers::PatchTask& patch, const solvers::PatchLayout& layout, double t,
               const Scenario& exact, const solvers::Solver* solver) {
  OfLeaf leaf;
  double expected[solvers::most_unknowns];
  for (int k = 0; k < (layout.dim == 3 ? layout.p : 1); ++k) {
    for (int j = 0; j < layout.p; ++j) {
      for (int i = 0; i < layout.p; ++i) {
        const double x[3] = {patch.lower[0] + (i + 0.5) * patch.dx, patch.lower[1] + (j + 0.5) * patch.dx,
                             patch.lower[2] + (k + 0.5) * patch.dx};
        exact.boundary(x, patch.dx, t, expected);
        if (solver != nullptr) solver->complete(expected);
        for (int n = 0; n < layout.unknowns; ++n) {
          const double error = patch.q[layout.at(n, i, j, k)] - expected[n];
          leaf.square += error * error;
          leaf.largest = std::max(leaf.largest, std::abs(error));
        }
      }
    }
  }
  const double volume = ipow(patch.dx, layout.dim);
  leaf.square *= volume;
  leaf.volume = volume * static_cast<double>(layout.volumes());
  return leaf;
}

std::vector<Measure> deviation_of(const StateView& view, const Scenario& exact,
                                  const solvers::Solver* solver) {
  std::vector<OfLeaf> leaves(view.patches.size());
  view.team.for_chunks(leaves.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      leaves[i] = measure(view.patches[i], view.layout, view.t, exact, solver);
  });
  std::array<ExactSum, 2> sums;
  double largest = 0;
  for (const OfLeaf& leaf : leaves) {
    sums[0].add(leaf.square);
    sums[1].add(leaf.volume);
    largest = std::max(largest, leaf.largest);
  }
  sum_over_ranks(view.communicator, sums);
  return {{"error_l2", "", std::sqrt(sums[0].value() / sums[1].value())},
          {"error_linf", "", view.communicator.max(largest)}};
}

}  // namespace

std::vector<Measure> deviation(const StateView& view, const Scenario& exact, const solvers::Solver& solver) {
  return deviation_of(view, exact, &solver);
}

std::vector<Measure> deviation(const StateView& view, const Scenario& exact) {
  return deviation_of(view, exact, nullptr);
}

}  // namespace meander::simulation
