// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "base/join.hpp"
#include "physics/ccz4/initial_data/two_punctures.hpp"
#include "physics/ccz4/module.hpp"
#include "physics/ccz4/scenarios/holes.hpp"
#include "simulation/scenario_tools/checks.hpp"

namespace meander::ccz4 {

using namespace simulation;
namespace {

// Of the punctures, in units of the sum of their bare masses. Powers of smaller distances leave the range of numbers.
constexpr double least_distance = 1e-12;
constexpr double most_truncation = 1e-5;  // of the spectral solve

// Two punctures with momenta and spins, and a precollapsed lapse.
class Binary final : public Scenario, public HasHoles {
 public:
  void describe(io::KeyTable& fields) override {
    for (int h = 0; h < 2; ++h) {
      Given& given = given_[static_cast<std::size_t>(h)];
      fields.number(fmt::format("mass-{}", h + 1), given.mass, "length", "bare mass of the black hole",
                    io::greater_than(0));
      fields.numbers(fmt::format("position-{}", h + 1), given.position, "length", "position of its puncture");
      fields.numbers(fmt::format("momentum-{}", h + 1), given.momentum, "length", "its linear momentum");
      fields.numbers(fmt::format("spin-{}", h + 1), given.spin, "length^2", "its angular momentum");
    }
    fields.integer("points", points_, "",
                   "number of Chebyshev polynomials along each of the two axes of the spectral solve for psi",
                   io::between(12, 100));
  }

  void set_up(const io::KeyTable& fields, const ProblemSetup& setup) override {
    lower_ = setup.lower;
    for (std::size_t h = 0; h < 2; ++h) {
      const Given& given = given_[h];
      const auto vector = [&](const char* name, const std::vector<double>& list, double* to) {
        const auto checked = checked_vector(fields, fmt::format("{}-{}", name, h + 1), list, setup);
        std::copy(checked.begin(), checked.end(), to);
      };
      holes_[h].mass = given.mass;
      const auto position = checked_centre(fields, fmt::format("position-{}", h + 1), given.position, setup);
      std::copy(position.begin(), position.end(), holes_[h].position);
      vector("momentum", given.momentum, holes_[h].momentum);
      vector("spin", given.spin, holes_[h].spin);
    }
    check_distance(fields);
    constexpr const char* suffix[] = {"-1", "-2"};
    check_symmetry(fields, setup, holes_, "position", suffix);
    try {
      data_.emplace(holes_, points_, enough_angles);
    } catch (const Failure& failure) {
      const LargestVector vectors[] = {largest_vector(holes_[0]), largest_vector(holes_[1])};
      const std::size_t larger = vectors[1].size > vectors[0].size ? 1 : 0;
      fields.reject(fmt::format("{}-{}", vectors[larger].key, larger + 1), failure.what());
    }
  }
  void check_widths(const io::KeyTable& fields, const std::vector<double>& widths) const override {
    for (std::size_t h = 0; h < 2; ++h)
      check_off_volume_centres(fields, fmt::format("position-{}", h + 1), tracked_points()[h], lower_,
                               widths);
  }

  std::vector<std::string> warnings(const io::KeyTable& fields) const override {
    if (data_->truncation() <= most_truncation) return {};
    return {fields.message("points", fmt::format("is {}: initial data are resolved to {:.0e} only, since the "
                                                 "punctures are so close together, or so far apart",
                                                 points_, data_->truncation()))};
  }

  std::vector<Point<3>> tracked_points() const override {
    std::vector<std::array<double, 3>> all;
    for (const exact::Hole& hole : holes_)
      all.push_back({hole.position[0], hole.position[1], hole.position[2]});
    return all;
  }

  std::vector<double> hole_masses() const override { return {data_->adm_mass(0), data_->adm_mass(1)}; }

  void initial(const double* centre, double, double* q) const override {
    const double x[3] = {centre[0], centre[1], centre[2]};
    exact::from_data(*data_, x, q);
  }

  std::vector<Measure> measure(const StateView&) const override {
    return {{"initial_adm_mass", "length", data_->adm_mass()},
            {"initial_adm_mass_1", "length", data_->adm_mass(0)},
            {"initial_adm_mass_2", "length", data_->adm_mass(1)}};
  }

 private:
  void check_distance(const io::KeyTable& fields) const {
    const double(&a)[3] = holes_[0].position, (&b)[3] = holes_[1].position;
    const double distance = std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
    if (distance == 0) {
      fields.reject("position-2",
                    fmt::format("both punctures are at ({}): two black holes require different positions",
                                join(holes_[1].position, ", ")));
    }
    const double least = least_distance * (holes_[0].mass + holes_[1].mass);
    if (distance < least) {
      fields.reject(
          "position-2",
          fmt::format(
              "the punctures must be at least {} apart, {} times the sum of their masses, but are {} apart",
              least, least_distance, distance));
    }
  }

  struct Given {
    double mass = 0;
    std::vector<double> position, momentum, spin = {0, 0, 0};
  };
  std::array<Given, 2> given_ = {Given{0.46477, {2, 0, 0}, {0, 0.19243, 0}, {0, 0, 0}},
                                 Given{0.46477, {-2, 0, 0}, {0, -0.19243, 0}, {0, 0, 0}}};
  int points_ = 40;
  std::array<exact::Hole, 2> holes_;
  std::optional<TwoPunctures> data_;
  std::vector<double> lower_;
};

}  // namespace

std::unique_ptr<Scenario> make_binary() {
  return std::make_unique<Binary>();
}

}  // namespace meander::ccz4
