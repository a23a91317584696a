// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A scenario with an exact solution, which gives its initial and boundary data and the error columns of the
// history.

#include "simulation/scenario.hpp"

namespace meander::simulation {

class ExactScenario : public Scenario {
 public:
  // The unknowns at point x and time t, into q[0 .. N-1]; t = default_start() at first. May be called by
  // several threads at once.
  virtual void exact(const double* x, double t, double* q) const = 0;

  void describe(io::KeyTable&) override {}
  void set_up(const io::KeyTable& keys, const ProblemSetup& setup) final;
  // Rejects invalid parameters. Default: nothing.
  virtual void check(const io::KeyTable& keys) const;

  // Means over the volume by three Gauss points an axis (sixth order).
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
  int unknowns_ = 0;
};

}  // namespace meander::simulation
