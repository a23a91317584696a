// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Waves whose exact solution is known, and which periodic domains hold.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "simulation/scenarios/deviation.hpp"
#include "simulation/scenarios/makers.hpp"
#include "solvers/ccz4/exact/metrics.hpp"

namespace meander::simulation {
namespace {

namespace exact = solvers::ccz4::exact;

void needs_harmonic_slicing(const io::Fields& fields, const Setting& setting) {
  if (setting.ccz4.slicing == solvers::ccz4::Slicing::harmonic && !setting.ccz4.evolves_shift) return;
  fields.reject("name",
                "the wave is a solution for harmonic slicing without a shift: it needs solver.slicing = "
                "\"harmonic\" and solver.s = 0");
}

// A number of periods must fit into the domain along an axis, or its periodic copies would not meet.
void check_period(const io::Fields& fields, const Setting& setting, std::size_t axis, double period) {
  const double periods = (setting.upper[axis] - setting.lower[axis]) / period;
  constexpr double tolerance = 1e-9;
  if (std::abs(periods - std::round(periods)) < tolerance && periods > 0.5) return;
  fields.reject(
      "width",
      fmt::format("the domain must hold a whole number of waves along {}, of {} each, but is {} wide",
                  "xyz"[axis], period, setting.upper[axis] - setting.lower[axis]));
}

// Point values: the schemes' errors dwarf what they differ by from means, but for fourth order, which wants
// them.
template <class Wave>
class WaveScenario : public Scenario {
 public:
  void initial(const double* centre, double dx, double* q) const override { boundary(centre, dx, 0, q); }
  void boundary(const double* x, double, double t, double* q) const override {
    const double at[4] = {t, x[0], x[1], x[2]};
    exact::from_metric(wave_, at, solvers::ccz4::Slicing::harmonic, exact::Gauge::free, q);
  }

  std::vector<Measure> measure(const StateView& view) const override { return deviation(view, *this); }

 protected:
  Wave wave_;
};

class GaugeWave final : public WaveScenario<exact::GaugeWave> {
 public:
  void describe(io::Fields& fields) override {
    fields.number("amplitude", wave_.amplitude, "", "of the wave in the lapse's square",
                  {.min = 0, .max = 1, .max_open = true});
    fields.number("width", wave_.width, "length", "of one wave", io::greater_than(0));
    fields.choice("direction", direction_, {"x", "diagonal"},
                  "along x, or along the diagonal of x and y, where it is width * sqrt(2) long on both axes");
  }
  void set_up(const io::Fields& fields, const Setting& setting) override {
    wave_.diagonal = direction_ == "diagonal";
    needs_harmonic_slicing(fields, setting);
    const double period = wave_.diagonal ? wave_.width * std::numbers::sqrt2 : wave_.width;
    check_period(fields, setting, 0, period);
    if (wave_.diagonal) check_period(fields, setting, 1, period);
  }

 private:
  std::string direction_ = "x";
};

class LinearWave final : public WaveScenario<exact::LinearWave> {
 public:
  void describe(io::Fields& fields) override {
    fields.number("amplitude", wave_.amplitude, "",
                  "of the wave in the metric; exact up to terms of its square", io::between(0, 0.1));
    fields.number("width", wave_.width, "length", "of one wave, along x", io::greater_than(0));
  }
  void set_up(const io::Fields& fields, const Setting& setting) override {
    needs_harmonic_slicing(fields, setting);
    check_period(fields, setting, 0, wave_.width);
  }
};

}  // namespace

std::unique_ptr<Scenario> make_gauge_wave() {
  return std::make_unique<GaugeWave>();
}
std::unique_ptr<Scenario> make_linear_wave() {
  return std::make_unique<LinearWave>();
}

}  // namespace meander::simulation
