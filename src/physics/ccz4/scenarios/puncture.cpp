// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>

#include "physics/ccz4/initial_data/two_punctures.hpp"
#include "physics/ccz4/module.hpp"
#include "physics/ccz4/scenarios/holes.hpp"
#include "simulation/scenario_tools/checks.hpp"

namespace meander::ccz4 {

using namespace simulation;
namespace {

constexpr int points = 40;  // of the spectral solve; more do not change smooth data
// Distance of the second end of the solver's coordinates, in units of the bare mass: of the scale of the data, and no
// multiple of a volume's width, so that this regular point is the centre of no volume.
constexpr double reach = 2 * std::numbers::sqrt3 / std::numbers::phi;

// One black hole with a precollapsed lapse: Brill-Lindquist data at rest, Bowen-York data with momentum or spin.
class Puncture final : public Scenario, public HasHoles {
 public:
  void describe(io::KeyTable& fields) override {
    fields.number("mass", hole_.mass, "length",
                  "bare mass of the black hole; its mass without momentum and spin", io::greater_than(0));
    fields.numbers("centre", given_centre_, "length", "position of the puncture; empty: the domain's centre");
    fields.numbers("momentum", given_momentum_, "length", "its linear momentum");
    fields.numbers("spin", given_spin_, "length^2", "its angular momentum");
  }

  void set_up(const io::KeyTable& fields, const ProblemSetup& setup) override {
    lower_ = setup.lower;
    centre_ = checked_centre(fields, "centre", given_centre_, setup);
    std::copy(centre_.begin(), centre_.end(), hole_.position);
    const auto momentum = checked_vector(fields, "momentum", given_momentum_, setup);
    const auto spin = checked_vector(fields, "spin", given_spin_, setup);
    std::copy(momentum.begin(), momentum.end(), hole_.momentum);
    std::copy(spin.begin(), spin.end(), hole_.spin);
    constexpr const char* suffix[] = {""};
    check_symmetry(fields, setup, {&hole_, 1}, "centre", suffix);
    at_rest_.holes = {hole_};
    const double momentum2 = exact::square(hole_.momentum), spin2 = exact::square(hole_.spin);
    if (momentum2 + spin2 == 0) return;
    // The other end of the coordinates lies on the axis of symmetry, where there is one.
    exact::Hole end;
    end.mass = 0;
    const double(&axis)[3] = spin2 > 0 ? hole_.spin : hole_.momentum;
    const double length = std::sqrt(exact::square(axis));
    for (std::size_t a = 0; a < 3; ++a) end.position[a] = centre_[a] + reach * hole_.mass * axis[a] / length;
    try {
      solved_.emplace(std::array{hole_, end}, points, enough_angles);
    } catch (const Failure& failure) {
      fields.reject(largest_vector(hole_).key, failure.what());
    }
  }
  void check_widths(const io::KeyTable& fields, const std::vector<double>& widths) const override {
    check_off_volume_centres(fields, "centre", centre_, lower_, widths);
  }

  std::vector<Point<3>> tracked_points() const override { return {centre_}; }
  std::vector<double> hole_masses() const override { return {solved_ ? solved_->adm_mass(0) : hole_.mass}; }

  void initial(const double* centre, double, double* q) const override {
    const double x[3] = {centre[0], centre[1], centre[2]};
    if (solved_) return exact::from_data(*solved_, x, q);
    exact::from_data(at_rest_, x, q);
  }

  std::vector<Measure> measure(const StateView&) const override {
    if (!solved_) return {};
    return {{"initial_adm_mass", "length", solved_->adm_mass()}};
  }

 private:
  exact::Hole hole_;
  exact::Punctures at_rest_;
  std::optional<TwoPunctures> solved_;
  std::vector<double> given_centre_, given_momentum_ = {0, 0, 0}, given_spin_ = {0, 0, 0}, lower_;
  std::array<double, 3> centre_{};
};

}  // namespace

std::unique_ptr<Scenario> make_puncture() {
  return std::make_unique<Puncture>();
}

}  // namespace meander::ccz4
