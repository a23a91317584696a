// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Point explosion (Sedov 1959, Similarity and Dimensional Methods in Mechanics, ch. 4). The energy starts in
// a small ball.

#include <fmt/format.h>

#include "physics/euler/diagnostics/radial_profile.hpp"
#include "physics/euler/module.hpp"
#include "physics/euler/scenarios/gas_state.hpp"
#include "simulation/scenario_tools/checks.hpp"
#include "simulation/scenario_tools/volume_means.hpp"

namespace meander::euler {

using namespace simulation;

namespace {

class Sedov final : public Scenario {
 public:
  void describe(io::KeyTable& fields) override {
    fields.number("energy", energy_, "energy", "energy released at the centre (2D: per unit length)",
                  io::greater_than(0));
    fields.number("density", ambient_.density, "density", "density of the ambient gas", io::greater_than(0));
    fields.number("pressure", ambient_.pressure, "pressure", "pressure of the ambient gas",
                  io::greater_than(0));
    fields.number("radius", radius_, "length", "the energy is distributed as exp(-r^2 / radius^2)",
                  io::greater_than(0));
    fields.numbers("centre", given_centre_, "length",
                   "centre of the explosion, one number for each axis; empty: the domain's centre");
  }

  void set_up(const io::KeyTable& fields, const ProblemSetup& setup) override {
    if (!(energy_ > 0)) fields.reject("energy", "must be positive");
    if (!(ambient_.density > 0)) fields.reject("density", "must be positive");
    if (!(ambient_.pressure > 0)) fields.reject("pressure", "must be positive");
    if (!(radius_ > 0)) fields.reject("radius", "must be positive");
    centre_ = checked_centre(fields, "centre", given_centre_, setup);
    check_on_planes(fields, "centre", centre_, setup);
    check_ball_inside(fields, "radius", centre_, radius_, setup);
    setup_ = setup;
    reach_ = distance_to_faces(centre_, setup);
    // The part of the Gaussian outside the domain is added inside, so that the domain holds the energy
    // exactly.
    double inside = 1;
    const Mirrors whole(setup);
    for (std::size_t d = 0; d < static_cast<std::size_t>(setup.dim); ++d)
      inside *= gaussian_share_1d(whole.lower()[d], whole.upper()[d], centre_[d], radius_);
    deposit_ = energy_ / inside;
  }

  double default_end() const override { return 0.1; }

  void initial(const double* centre, double dx, double* q) const override {
    set_unknowns(ambient_, setup_.dim, parameters_of(setup_).gamma, q);
    double volume = 1;
    for (int d = 0; d < setup_.dim; ++d) volume *= dx;
    q[setup_.dim + 1] += deposit_ * gaussian_share(setup_.dim, centre, dx, centre_.data(), radius_) / volume;
  }
  void boundary(const double*, double, double, double* q) const override {
    set_unknowns(ambient_, setup_.dim, parameters_of(setup_).gamma, q);
  }

  std::vector<Measure> measure(const StateView& view) const override {
    const auto profile = radial_profile(view, centre_, reach_, parameters_of(setup_).gamma);
    return {{"shock_radius", "length", blast_radius(profile)}};
  }

 private:
  double energy_ = 1, radius_ = 0.02;
  GasState ambient_{1.0, {0, 0, 0}, 1e-5};
  std::vector<double> given_centre_;
  std::array<double, 3> centre_{};
  ProblemSetup setup_;
  double deposit_ = 0, reach_ = 0;
};

}  // namespace

std::unique_ptr<Scenario> make_sedov() {
  return std::make_unique<Sedov>();
}

}  // namespace meander::euler
