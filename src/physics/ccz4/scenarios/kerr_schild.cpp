// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/join.hpp"
#include "physics/ccz4/exact/metrics.hpp"
#include "physics/ccz4/module.hpp"
#include "simulation/scenario_tools/checks.hpp"
#include "simulation/scenario_tools/exact_scenario.hpp"

namespace meander::ccz4 {

using namespace simulation;
namespace {

// Stationary spacetime about a black hole outside the domain, in Kerr-Schild coordinates.
class KerrSchild final : public Scenario {
 public:
  void describe(io::KeyTable& fields) override {
    fields.number("mass", hole_.mass, "length", "mass of the black hole", io::greater_than(0));
    fields.number("spin", hole_.spin, "", "angular momentum along z, in units of mass^2",
                  {.min = -1, .max = 1, .min_open = true, .max_open = true});
    fields.numbers("centre", given_centre_, "length",
                   "centre of the black hole, outside the domain; empty: the origin");
  }
  void set_up(const io::KeyTable& fields, const ProblemSetup& setup) override {
    centre_ = checked_vector(fields, "centre", given_centre_, setup);
    slicing_ = parameters_of(setup).slicing;
    if (parameters_of(setup).evolves_shift)
      fields.reject("name", "a stationary black hole requires a constant shift: solver.s = 0");
    double distance = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      const double gap = std::max({setup.lower[a] - centre_[a], centre_[a] - setup.upper[a], 0.0});
      distance += gap * gap;
    }
    distance = std::sqrt(distance);
    const double ring = std::abs(hole_.spin) * hole_.mass;
    if (!(distance > ring)) {
      fields.reject("centre",
                    fmt::format("the singularity, a ring of radius {} about ({}), must lie outside the "
                                "domain, whose distance from that point is {}",
                                ring, join(centre_, ", "), distance));
    }
  }

  void initial(const double* centre, double, double* q) const override {
    const double at[4] = {0, centre[0] - centre_[0], centre[1] - centre_[1], centre[2] - centre_[2]};
    exact::from_metric(hole_, at, slicing_, exact::Gauge::still, q);
  }
  std::vector<Measure> measure(const StateView& view) const override { return deviation(view, *this); }

 private:
  exact::KerrSchild hole_;
  std::vector<double> given_centre_;
  std::array<double, 3> centre_{};
  ccz4::Slicing slicing_{};
};

}  // namespace

std::unique_ptr<Scenario> make_kerr_schild() {
  return std::make_unique<KerrSchild>();
}

}  // namespace meander::ccz4
