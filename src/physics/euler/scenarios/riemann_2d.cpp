// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/euler/scenarios/riemann_2d.hpp"

#include <fmt/format.h>

#include <array>

#include "physics/euler/module.hpp"
#include "simulation/scenario_tools/checks.hpp"
#include "simulation/scenario_tools/volume_means.hpp"

namespace meander::euler {

using namespace simulation;

std::span<const RiemannConfiguration> riemann_configurations() {
  // {density, {u, v, 0}, pressure}
  static const std::array<RiemannConfiguration, 6> table = {{
      {2,
       0.2,
       {{1.0, {0, 0, 0}, 1.0},
        {0.5197, {-0.7259, 0, 0}, 0.4},
        {1.0, {-0.7259, -0.7259, 0}, 1.0},
        {0.5197, {0, -0.7259, 0}, 0.4}}},
      {3,
       0.3,
       {{1.5, {0, 0, 0}, 1.5},
        {0.5323, {1.206, 0, 0}, 0.3},
        {0.138, {1.206, 1.206, 0}, 0.029},
        {0.5323, {0, 1.206, 0}, 0.3}}},
      {4,
       0.25,
       {{1.1, {0, 0, 0}, 1.1},
        {0.5065, {0.8939, 0, 0}, 0.35},
        {1.1, {0.8939, 0.8939, 0}, 1.1},
        {0.5065, {0, 0.8939, 0}, 0.35}}},
      {6,
       0.3,
       {{1.0, {0.75, -0.5, 0}, 1.0},
        {2.0, {0.75, 0.5, 0}, 1.0},
        {1.0, {-0.75, 0.5, 0}, 1.0},
        {3.0, {-0.75, -0.5, 0}, 1.0}}},
      {12,
       0.25,
       {{0.5313, {0, 0, 0}, 0.4},
        {1.0, {0.7276, 0, 0}, 1.0},
        {0.8, {0, 0, 0}, 1.0},
        {1.0, {0, 0.7276, 0}, 1.0}}},
      {17,
       0.3,
       {{1.0, {0, -0.4, 0}, 1.0},
        {2.0, {0, -0.3, 0}, 1.0},
        {1.0625, {0, 0.2145, 0}, 0.4},
        {0.5197, {0, -1.1259, 0}, 0.4}}},
  }};
  return table;
}

namespace {

class Riemann2d final : public Scenario {
 public:
  void describe(io::KeyTable& fields) override {
    fields.integer("configuration", number_, "", "number in Lax & Liu (1998): " + allowed());
    fields.numbers("centre", given_centre_, "length",
                   "point at which the four states meet; empty: the domain's centre");
  }

  void set_up(const io::KeyTable& fields, const ProblemSetup& setup) override {
    if (find() == nullptr)
      fields.reject("configuration", fmt::format("is {}; allowed: {}", number_, allowed()));
    configuration_ = *find();
    centre_ = checked_centre(fields, "centre", given_centre_, setup);
    gamma_ = parameters_of(setup).gamma;
  }

  double default_end() const override { return find() != nullptr ? find()->end : 0.3; }

  void initial(const double* centre, double dx, double* q) const override {
    const double left = fraction_below(centre[0], dx, centre_[0]),
                 below = fraction_below(centre[1], dx, centre_[1]);
    const double share[4] = {(1 - left) * (1 - below), left * (1 - below), left * below, (1 - left) * below};
    for (int u = 0; u < euler_unknowns(2); ++u) q[u] = 0;
    for (int i = 0; i < 4; ++i) {
      if (share[i] > 0) add_unknowns(configuration_.quadrant[i], 2, gamma_, share[i], q);
    }
  }

 private:
  const RiemannConfiguration* find() const {
    for (const auto& configuration : riemann_configurations()) {
      if (configuration.number == number_) return &configuration;
    }
    return nullptr;
  }
  static std::string allowed() {
    std::string list;
    for (const auto& configuration : riemann_configurations())
      list += (list.empty() ? "" : ", ") + std::to_string(configuration.number);
    return list;
  }

  int number_ = 3;
  std::vector<double> given_centre_;
  RiemannConfiguration configuration_;
  std::array<double, 3> centre_{};
  double gamma_ = 1.4;
};

}  // namespace

std::unique_ptr<Scenario> make_riemann_2d() {
  return std::make_unique<Riemann2d>();
}

}  // namespace meander::euler
