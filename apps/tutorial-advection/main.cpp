// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The program meander with an additional equation and scenario: tutorial-advection run bump.toml
#include <meander/meander.hpp>

#include <cmath>

#include "advection.hpp"

using namespace meander;

// A bump that is advected around a periodic box.
class Bump final : public simulation::ExactScenario {
 public:
  void describe(io::KeyTable& keys) override {
    keys.number("width", width_, "length", "of the bump", io::greater_than(0));
  }
  void exact(const double* x, double t, double* q) const override {
    const Wind& wind = simulation::own_parameters<Advection>(setup());
    double square = 0;
    for (std::size_t a = 0; a < setup().lower.size(); ++a) {
      const double lower = setup().lower[a], upper = setup().upper[a], edge = upper - lower;
      double from_middle = x[a] - 0.5 * (lower + upper) - wind.velocity[a] * t;
      from_middle -= edge * std::round(from_middle / edge);
      square += from_middle * from_middle;
    }
    q[0] = 1 + std::exp(-square / (width_ * width_));
  }

 private:
  double width_ = 0.1;
};

int main(int argc, char** argv) {
  simulation::register_equation<Advection>("advection", "a density carried by a constant wind", {"density"},
                                           [](io::KeyTable& keys, Wind& wind, int dim) {
                                             const char* names[] = {"velocity-x", "velocity-y", "velocity-z"};
                                             for (int a = 0; a < dim; ++a)
                                               keys.number(names[a], wind.velocity[a], "length/time",
                                                           "of the wind");
                                           });
  simulation::register_scenario<Bump>("bump", "a bump in the middle of the domain", "advection");
  return program(argc, argv);
}
