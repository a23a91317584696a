// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Waves with known exact solutions, in periodic domains.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "physics/ccz4/exact/metrics.hpp"
#include "physics/ccz4/module.hpp"
#include "simulation/scenario_tools/exact_scenario.hpp"

namespace meander::ccz4 {

using namespace simulation;
namespace {

void needs_harmonic_slicing(const io::KeyTable& fields, const ProblemSetup& setup) {
  if (parameters_of(setup).slicing == ccz4::Slicing::harmonic && !parameters_of(setup).evolves_shift) return;
  fields.reject("name",
                "the wave is a solution for harmonic slicing without a shift: it needs solver.slicing = "
                "\"harmonic\" and solver.s = 0");
}

// A whole number of periods must fit into the domain along an axis; otherwise the periodic copies would not
// match.
void check_period(const io::KeyTable& fields, const ProblemSetup& setup, std::size_t axis, double period) {
  const double periods = (setup.upper[axis] - setup.lower[axis]) / period;
  constexpr double tolerance = 1e-9;
  if (std::abs(periods - std::round(periods)) < tolerance && periods > 0.5) return;
  fields.reject(
      "width",
      fmt::format("the domain must hold a whole number of waves along {}, of {} each, but is {} wide",
                  "xyz"[axis], period, setup.upper[axis] - setup.lower[axis]));
}

// Point values. For first-order schemes the difference to means is much smaller than the error; the
// fourth-order scheme requires point values.
template <class Wave>
class WaveScenario : public Scenario {
 public:
  void start_at(double t) override { start_ = t; }
  void initial(const double* centre, double dx, double* q) const override { boundary(centre, dx, start_, q); }
  void boundary(const double* x, double, double t, double* q) const override {
    const double at[4] = {t, x[0], x[1], x[2]};
    exact::from_metric(wave_, at, ccz4::Slicing::harmonic, exact::Gauge::free, q);
  }

  std::vector<Measure> measure(const StateView& view) const override { return deviation(view, *this); }

 protected:
  Wave wave_;

 private:
  double start_ = 0;
};

class GaugeWave final : public WaveScenario<exact::GaugeWave> {
 public:
  void describe(io::KeyTable& fields) override {
    fields.number("amplitude", wave_.amplitude, "", "amplitude of the wave in the square of the lapse",
                  {.min = 0, .max = 1, .max_open = true});
    fields.number("width", wave_.width, "length", "length of one wave", io::greater_than(0));
    fields.choice("direction", direction_, {"x", "diagonal"},
                  "direction of propagation: along x, or along the diagonal of x and y, where its period "
                  "along both axes is width * sqrt(2)");
  }
  void set_up(const io::KeyTable& fields, const ProblemSetup& setup) override {
    wave_.diagonal = direction_ == "diagonal";
    needs_harmonic_slicing(fields, setup);
    const double period = wave_.diagonal ? wave_.width * std::numbers::sqrt2 : wave_.width;
    check_period(fields, setup, 0, period);
    if (wave_.diagonal) check_period(fields, setup, 1, period);
  }

 private:
  std::string direction_ = "x";
};

double base_value(double x) {
  return x;
}
template <class T>
double base_value(const exact::Jet<T>& x) {
  return base_value(x.value);
}
double exponential(double x) {
  return std::exp(x);
}
template <class T>
exact::Jet<T> exponential(const exact::Jet<T>& x) {
  const T value = exponential(x.value);
  return exact::Jet<T>::chain(value, value, x);
}

// A sine, or with sigma > 0 Gaussian pulses that start at `centre` and repeat every width: exact::LinearWave
// with b = A exp(-(x - t - centre)^2 / (2 sigma^2)).
struct WeakWave : exact::LinearWave {
  double sigma = 0, centre = 0;

  template <class S>
  exact::Adm<S> operator()(const S (&x)[4]) const {
    if (sigma == 0) return exact::LinearWave::operator()(x);
    const S from_centre = x[1] - x[0] - S(centre);
    const S distance = from_centre - S(width * std::round(base_value(from_centre) / width));
    const S b = S(amplitude) * exponential(S(-0.5 / (sigma * sigma)) * distance * distance);
    exact::Adm<S> r = exact::flat<S>();
    r.metric(1, 1) = S(1.0) + b;
    r.metric(2, 2) = S(1.0) - b;
    return r;
  }
};

class LinearWave final : public WaveScenario<WeakWave> {
 public:
  void describe(io::KeyTable& fields) override {
    fields.number(
        "amplitude", wave_.amplitude, "",
        "amplitude of the wave in the metric; the solution is exact up to terms of second order in it",
        io::between(0, 0.1));
    fields.number("width", wave_.width, "length", "wavelength along x, or distance between pulses",
                  io::greater_than(0));
    fields.choice("profile", profile_, {"sine", "pulse"},
                  "profile of the wave: a sine along x, or one Gaussian pulse in each width");
    fields.number("sigma", sigma_, "length", "pulse: standard deviation, at most width / 16",
                  io::greater_than(0));
    fields.number("centre", wave_.centre, "length", "pulse: x of its maximum at t = 0");
  }
  void set_up(const io::KeyTable& fields, const ProblemSetup& setup) override {
    needs_harmonic_slicing(fields, setup);
    check_period(fields, setup, 0, wave_.width);
    const bool pulse = profile_ == "pulse";
    // Each pulse has decreased to 1e-14 of its amplitude where two pulses meet.
    constexpr double sigmas_apart = 16;
    if (pulse && sigmas_apart * sigma_ > wave_.width * (1 + 1e-12)) {
      fields.reject("sigma", fmt::format("must be at most {} (width / {:g}), or pulses overlap, but is {}",
                                         wave_.width / sigmas_apart, sigmas_apart, sigma_));
    }
    wave_.sigma = pulse ? sigma_ : 0;
  }

 private:
  std::string profile_ = "sine";
  double sigma_ = 0.05;
};

}  // namespace

std::unique_ptr<Scenario> make_gauge_wave() {
  return std::make_unique<GaugeWave>();
}
std::unique_ptr<Scenario> make_linear_wave() {
  return std::make_unique<LinearWave>();
}

}  // namespace meander::ccz4
