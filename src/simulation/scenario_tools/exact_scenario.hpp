// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Scenarios with exact solutions, and the error of a state relative to one.

#include <functional>
#include <memory>
#include <vector>

#include "simulation/scenario.hpp"

namespace meander::simulation {

// "error_l2" and "error_linf" of the difference from exact.boundary() at view.t, over all unknowns: the root
// of the mean over the domain's volume of the sum of squares, and the largest magnitude. exact.boundary()
// must be defined everywhere; solver.complete() follows it. Bitwise identical for any number of threads and
// ranks. Collective.
std::vector<Measure> deviation(const StateView& view, const Scenario& exact, const solvers::Solver& solver);
// For equations whose scenarios give all unknowns.
std::vector<Measure> deviation(const StateView& view, const Scenario& exact);

// Fills the unknowns of an exact solution: the mean over the volume of width dx about x.
using Expected = std::function<void(const double* x, double dx, double* q)>;

// As above, and "error_l1" before them: the mean over the domain of the sum of the magnitudes.
std::vector<Measure> all_errors(const StateView& view, const Expected& exact);

// A scenario with an exact solution, which gives its initial and boundary data and the error columns of the
// history.
class ExactScenario : public Scenario {
 public:
  // The unknowns at point x and time t, into q[0 .. N-1], without those that Solver::complete() sets; t = time.start at first.
  // May be called by several threads at once.
  virtual void exact(const double* x, double t, double* q) const = 0;

  void describe(io::KeyTable&) override {}
  void set_up(const io::KeyTable& keys, const ProblemSetup& setup) final;
  // Rejects invalid parameters. Default: nothing.
  virtual void check(const io::KeyTable& keys) const;

  // Means over the volume by three Gauss points an axis (sixth order).
  void start_at(double t) override { start_ = t; }
  bool gives_all_unknowns() const final { return true; }
  void initial(const double* centre, double dx, double* q) const final;
  void boundary(const double* x, double dx, double t, double* q) const final;

  // "error_l1" and "error_linf": mean over the domain and maximum of |Q - exact mean| summed over the
  // unknowns.
  std::vector<Measure> measure(const StateView& view) const override;

 protected:
  const ProblemSetup& setup() const { return setup_; }

 private:
  void mean(const double* centre, double dx, double t, double* q) const;

  ProblemSetup setup_;
  std::shared_ptr<const solvers::Solver> solver_;
  int unknowns_ = 0;
  double start_ = 0;
};

}  // namespace meander::simulation
