// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>

#include "physics/ccz4/module.hpp"
#include "physics/ccz4/unknowns.hpp"
#include "simulation/scenario_tools/exact_scenario.hpp"
#include "simulation/scenario_tools/volume_means.hpp"

namespace meander::ccz4 {

using namespace simulation;
namespace {

// Flat space at rest, optionally with independent noise in every unknown of every volume: the robust
// stability test of Alcubierre et al. (2004).
class Minkowski final : public Scenario {
 public:
  void describe(io::KeyTable& fields) override {
    fields.number("noise", noise_, "",
                  "amplitude of random numbers added to every unknown in every volume; 0: none",
                  io::between(0, 0.01));
    fields.integer("random-seed", random_seed_, "", "seed of the random numbers", io::at_least(0));
  }
  void set_up(const io::KeyTable&, const ProblemSetup& setup) override { setup_ = setup; }

  void initial(const double* centre, double dx, double* q) const override {
    boundary(centre, dx, 0, q);
    if (noise_ == 0) return;
    std::array<std::int64_t, 3> cell{};
    for (std::size_t a = 0; a < 3; ++a)
      cell[a] = static_cast<std::int64_t>(std::floor((centre[a] - setup_.lower[a]) / dx));
    for (int n = 0; n < ccz4::unknowns; ++n) {
      const CellNoise random{
          3, {}, 1.0, static_cast<std::uint64_t>(random_seed_) * 64 + static_cast<std::uint64_t>(n)};
      q[n] += noise_ * random.in_cell(cell);
    }
  }
  void boundary(const double*, double, double, double* q) const override {
    std::fill_n(q, ccz4::unknowns, 0.0);
    const ccz4::Fields<double> flat{q};
    for (int i = 0; i < 3; ++i) flat.g(i, i) = 1;
    flat.a() = flat.phi() = 1;
  }

  std::vector<Measure> measure(const StateView& view) const override { return deviation(view, *this); }

 private:
  ProblemSetup setup_;
  double noise_ = 0;
  int random_seed_ = 1;
};

}  // namespace

std::unique_ptr<Scenario> make_minkowski() {
  return std::make_unique<Minkowski>();
}

}  // namespace meander::ccz4
