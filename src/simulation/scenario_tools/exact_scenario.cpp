// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/scenario_tools/exact_scenario.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/exact_sum.hpp"
#include "base/vec.hpp"
#include "parallel/exact_sums.hpp"

namespace meander::simulation {

namespace {

// Sums over the volumes of a leaf, or of the domain.
struct Errors {
  double magnitude = 0, square = 0, volume = 0;  // integrals
  double largest = 0, largest_sum = 0;           // of one unknown, and of the sum over the unknowns
};

Errors errors_of_leaf(const solvers::PatchTask& patch, const solvers::PatchLayout& layout,
                      const Expected& exact) {
  Errors leaf;
  double expected[solvers::most_unknowns];
  for (int k = 0; k < (layout.dim == 3 ? layout.p : 1); ++k) {
    for (int j = 0; j < layout.p; ++j) {
      for (int i = 0; i < layout.p; ++i) {
        const int at[3] = {i, j, k};
        double x[3] = {0, 0, 0}, sum = 0;
        for (int a = 0; a < layout.dim; ++a) x[a] = patch.lower[a] + (at[a] + 0.5) * patch.dx;
        exact(x, patch.dx, expected);
        for (int n = 0; n < layout.unknowns; ++n) {
          const double error = patch.q[layout.at(n, i, j, k)] - expected[n];
          leaf.square += error * error;
          sum += std::abs(error);
          leaf.largest = std::max(leaf.largest, std::abs(error));
        }
        leaf.magnitude += sum;
        leaf.largest_sum = std::max(leaf.largest_sum, sum);
      }
    }
  }
  const double volume = ipow(patch.dx, layout.dim);
  leaf.magnitude *= volume;
  leaf.square *= volume;
  leaf.volume = volume * static_cast<double>(layout.volumes());
  return leaf;
}

Errors errors_of(const StateView& view, const Expected& exact) {
  std::vector<Errors> leaves(view.patches.size());
  view.team.for_chunks(leaves.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) leaves[i] = errors_of_leaf(view.patches[i], view.layout, exact);
  });
  std::array<ExactSum, 3> sums;
  Errors all;
  for (const Errors& leaf : leaves) {
    sums[0].add(leaf.magnitude);
    sums[1].add(leaf.square);
    sums[2].add(leaf.volume);
    all.largest = std::max(all.largest, leaf.largest);
    all.largest_sum = std::max(all.largest_sum, leaf.largest_sum);
  }
  sum_over_ranks(view.communicator, sums);
  all.magnitude = sums[0].value();
  all.square = sums[1].value();
  all.volume = sums[2].value();
  all.largest = view.communicator.max(all.largest);
  all.largest_sum = view.communicator.max(all.largest_sum);
  return all;
}

Expected expected_of(const Scenario& scenario, double t, const solvers::Solver* solver) {
  return [&scenario, t, solver](const double* x, double dx, double* q) {
    scenario.boundary(x, dx, t, q);
    if (solver != nullptr) solver->complete(q);
  };
}

std::vector<Measure> deviation_of(const Errors& errors) {
  return {{"error_l2", "", std::sqrt(errors.square / errors.volume)}, {"error_linf", "", errors.largest}};
}

}  // namespace

std::vector<Measure> deviation(const StateView& view, const Scenario& exact, const solvers::Solver& solver) {
  return deviation_of(errors_of(view, expected_of(exact, view.t, &solver)));
}

std::vector<Measure> deviation(const StateView& view, const Scenario& exact) {
  return deviation_of(errors_of(view, expected_of(exact, view.t, nullptr)));
}

std::vector<Measure> all_errors(const StateView& view, const Expected& exact) {
  const Errors errors = errors_of(view, exact);
  std::vector<Measure> measures = deviation_of(errors);
  measures.insert(measures.begin(), {"error_l1", "", errors.magnitude / errors.volume});
  return measures;
}

void ExactScenario::set_up(const io::KeyTable& keys, const ProblemSetup& setup) {
  setup_ = setup;
  solver_ = setup.equation->make_solver(setup.dim);
  unknowns_ = solver_->traits().unknowns;
  check(keys);
}

void ExactScenario::check(const io::KeyTable&) const {}

void ExactScenario::initial(const double* centre, double dx, double* q) const {
  mean(centre, dx, start_, q);
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
  solver_->complete(q);
}

std::vector<Measure> ExactScenario::measure(const StateView& view) const {
  const Errors errors =
      errors_of(view, [&](const double* x, double dx, double* q) { mean(x, dx, view.t, q); });
  double volume = 1;
  for (std::size_t a = 0; a < setup_.lower.size(); ++a) volume *= setup_.upper[a] - setup_.lower[a];
  return {{"error_l1", "", errors.magnitude / volume}, {"error_linf", "", errors.largest_sum}};
}

}  // namespace meander::simulation
