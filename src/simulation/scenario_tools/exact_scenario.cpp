// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/scenario_tools/exact_scenario.hpp"

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

namespace {

struct Error {
  double integral = 0, largest = 0;
};

}  // namespace

void ExactScenario::set_up(const io::KeyTable& keys, const ProblemSetup& setup) {
  setup_ = setup;
  unknowns_ = setup.equation->make_solver(setup.dim)->traits().unknowns;
  check(keys);
}

void ExactScenario::check(const io::KeyTable&) const {}

void ExactScenario::initial(const double* centre, double dx, double* q) const {
  mean(centre, dx, default_start(), q);
}

void ExactScenario::boundary(const double* x, double dx, double t, double* q) const {
  mean(x, dx, t, q);
}

void ExactScenario::mean(const double* centre, double dx, double t, double* q) const {
  const double node = 0.5 * std::sqrt(0.6) * dx;
  const double offsets[3] = {-node, 0, node};
  const double weights[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
  thread_local std::vector<double> point;
  point.resize(static_cast<std::size_t>(unknowns_));
  std::fill(q, q + unknowns_, 0.0);
  for (int k = 0; k < (setup_.dim == 3 ? 3 : 1); ++k) {
    for (int j = 0; j < 3; ++j) {
      for (int i = 0; i < 3; ++i) {
        double x[3] = {centre[0] + offsets[i], centre[1] + offsets[j], 0};
        double weight = weights[i] * weights[j];
        if (setup_.dim == 3) {
          x[2] = centre[2] + offsets[k];
          weight *= weights[k];
        }
        exact(x, t, point.data());
        for (int n = 0; n < unknowns_; ++n) q[n] += weight * point[static_cast<std::size_t>(n)];
      }
    }
  }
}

std::vector<Measure> ExactScenario::measure(const StateView& view) const {
  const solvers::PatchLayout& layout = view.layout;
  std::vector<Error> leaves(view.patches.size());
  view.team.for_chunks(leaves.size(), [&](int, std::size_t begin, std::size_t end) {
    std::vector<double> expected(static_cast<std::size_t>(unknowns_));
    for (std::size_t leaf = begin; leaf < end; ++leaf) {
      const solvers::PatchTask& patch = view.patches[leaf];
      for (int k = 0; k < (layout.dim == 3 ? layout.p : 1); ++k) {
        for (int j = 0; j < layout.p; ++j) {
          for (int i = 0; i < layout.p; ++i) {
            const int at[3] = {i, j, k};
            double centre[3] = {0, 0, 0};
            for (int a = 0; a < layout.dim; ++a) centre[a] = patch.lower[a] + (at[a] + 0.5) * patch.dx;
            mean(centre, patch.dx, view.t, expected.data());
            double error = 0;
            for (int n = 0; n < unknowns_; ++n)
              error += std::abs(patch.q[layout.at(n, i, j, k)] - expected[static_cast<std::size_t>(n)]);
            leaves[leaf].integral += error;
            leaves[leaf].largest = std::max(leaves[leaf].largest, error);
          }
        }
      }
      leaves[leaf].integral *= ipow(patch.dx, layout.dim);
    }
  });
  std::array<ExactSum, 1> sum;
  double largest = 0, volume = 1;
  for (const Error& leaf : leaves) {
    sum[0].add(leaf.integral);
    largest = std::max(largest, leaf.largest);
  }
  sum_over_ranks(view.communicator, sum);
  for (std::size_t a = 0; a < setup_.lower.size(); ++a) volume *= setup_.upper[a] - setup_.lower[a];
  return {{"error_l1", "", sum[0].value() / volume}, {"error_linf", "", view.communicator.max(largest)}};
}

}  // namespace meander::simulation
