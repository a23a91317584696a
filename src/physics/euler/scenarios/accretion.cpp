// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/euler/scenarios/accretion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <span>

#include "physics/euler/diagnostics/mass_profile.hpp"
#include "physics/euler/diagnostics/radial_profile.hpp"
#include "physics/euler/gravity.hpp"
#include "physics/euler/module.hpp"
#include "physics/euler/scenarios/gas_state.hpp"
#include "simulation/scenario_tools/checks.hpp"
#include "simulation/scenario_tools/volume_means.hpp"

namespace meander::euler {

using namespace simulation;

namespace {

double unit_ball(int dim) {
  return dim == 3 ? 4 * std::numbers::pi / 3 : std::numbers::pi;
}

double conformal_time(double a) {
  return -1 / std::sqrt(a);
}

}  // namespace

namespace {

// Overdensity in linear theory of a shell that turns around.
double linear_overdensity(int dim) {
  return dim == 3 ? 1.0624 : 0.83134;
}

}  // namespace

double turnaround_formula(int dim, double mass_excess, double a_i, double a) {
  const double linear = linear_overdensity(dim);
  const double contrast = dim == 3 ? 9 * std::numbers::pi * std::numbers::pi / 16 : 3.49895;
  const double growing = 0.6 * mass_excess / a_i;
  if (!(growing > 0)) return 0;
  return std::pow(growing * a / (unit_ball(dim) * linear * contrast), 1.0 / dim);
}

namespace {

constexpr double inner_share = 2.0 / 3;  // inner over outer radius of the shell that compensates a seed

class Accretion final : public Scenario {
 public:
  void describe(io::KeyTable& fields) override;
  void set_up(const io::KeyTable& fields, const ProblemSetup& setup) override;
  void check_widths(const io::KeyTable& fields, const std::vector<double>& widths) const override;
  double default_start() const override { return conformal_time(a_start_); }
  void start_at(double t) override { start_ = t; }
  double default_end() const override { return conformal_time(a_end_); }
  double latest_end() const override { return 0; }  // where a is infinite
  const char* end_key() const override { return "end-scale-factor"; }
  void initial(const double* centre, double dx, double* q) const override;
  std::vector<std::string> warnings(const io::KeyTable& fields) const override;
  void boundary(const double* x, double dx, double t, double* q) const override;
  void prepare_step(const StateView& view, solvers::Solver& solver) override;
  void prepare_levels(const StateView& view, const LevelTimes& times, solvers::Solver& solver) override;
  tasks::LeafObserver* observer() override { return has_gravity() ? &profiler_->observer() : nullptr; }
  StepData step_data() const override { return has_gravity() ? StepData::of_levels : StepData::none; }
  std::vector<Measure> measure(const StateView& view) const override;

 private:
  bool has_gravity() const { return equation_of(setup_).radial_gravity; }
  bool noisy() const { return seed_ == "noise"; }
  bool is_compensated() const { return !noisy() && compensation_radius_ > 0; }
  double seed_excess() const {
    return seed_ == "point" ? mass_ : delta_ * unit_ball(setup_.dim) * std::pow(radius_, setup_.dim);
  }

  void set_centres(const io::KeyTable& fields);
  void check_compensation(const io::KeyTable& fields) const;
  // Deviation from the mean density in the shell that compensates a seed, and its mean over a volume.
  double compensating_density() const;
  double compensation(const double* centre, double dx, const std::array<double, 3>& of_seed) const;
  // Scale factor up to which the shells that turn around started within the compensating shell.
  double end_of_formula() const;

  std::string seed_ = "top-hat";
  double delta_ = 0.2, radius_ = 0.08, mass_ = 4e-4, amplitude_ = 0.01, compensation_radius_ = 0;
  int noise_cells_ = 27, random_seed_ = 1, radial_bins_ = 512;
  std::vector<double> given_centre_;
  double pressure_ = 1e-7, a_start_ = 1e-3, a_end_ = 8;
  double start_ = 0;  // of the run

  ProblemSetup setup_;
  std::vector<std::array<double, 3>> centres_;  // of the seeds
  std::array<double, 3> centre_{};              // their middle
  CellNoise noise_;
  ShellGrid grid_;
  double volume_ = 0;
  std::optional<MassProfiler> profiler_;  // after set_up()
};

void Accretion::describe(io::KeyTable& fields) {
  fields.choice("seed", seed_, {"top-hat", "point", "noise"},
                "initial overdensity: a ball of constant overdensity (top-hat), a point mass smoothed by a "
                "Gaussian (point), or random inhomogeneities (noise)");
  fields.number("delta", delta_, "mean density", "top-hat: overdensity of the ball", io::greater_than(-1));
  fields.number("mass", mass_, "mean density x length^d", "point: mass excess (2D: per unit length)",
                io::greater_than(0));
  fields.number("radius", radius_, "comoving length",
                "top-hat: radius of the ball; point: the mass is distributed as exp(-r^2 / radius^2)",
                io::greater_than(0));
  fields.number(
      "compensation-radius", compensation_radius_, "comoving length",
      "top-hat, point: the excess of the seed is taken from the shell between two thirds of this radius "
      "and this radius, and the gas beyond stays at rest; 0: not compensated. turnaround_formula holds while "
      "the shell that turns around started within two thirds of this radius, and is nan from then on",
      io::at_least(0));
  fields.number("amplitude", amplitude_, "mean density", "noise: densities are uniform in 1 -+ amplitude",
                io::Range{.min = 0, .max = 1, .max_open = true});
  fields.integer("noise-cells", noise_cells_, "",
                 "noise: number of random cells along the domain's shortest edge", io::between(1, 729));
  fields.integer("random-seed", random_seed_, "", "noise: seed of the random numbers", io::at_least(0));
  fields.numbers(
      "centre", given_centre_, "comoving length",
      "centre of the overdensity and of radial gravity, one number for each axis; empty: the "
      "domain's centre. With gravity.method = \"poisson\" several centres, one after another, of equal "
      "overdensities; radii in the history are about their middle");
  fields.number("pressure", pressure_, "supercomoving pressure",
                "initial pressure, uniform; cold gas falls freely", io::greater_than(0));
  fields.number("start-scale-factor", a_start_, "a", "scale factor at the start of the run, tau = -a^(-1/2)",
                io::greater_than(0));
  fields
      .number("end-scale-factor", a_end_, "a", "scale factor at the end of the run, tau = -a^(-1/2)",
              io::greater_than(0))
      .fixed = false;
  fields.integer("radial-bins", radial_bins_, "",
                 "number of radii in the gravity table, from the centre to the nearest face",
                 io::between(8, euler::Gravity::max_bins));
}

void Accretion::set_up(const io::KeyTable& fields, const ProblemSetup& setup) {
  if (std::abs(parameters_of(setup).gamma - 5.0 / 3.0) > 1e-6)
    fields.reject("name",
                  fmt::format("accretion requires solver.gamma = 1.6666666666666667 (5/3, for which gas in "
                              "supercomoving variables obeys the Euler equations), but it is {}",
                              parameters_of(setup).gamma));
  if (!(delta_ > -1))
    fields.reject(
        "delta",
        fmt::format("must be greater than -1, or the density 1 + delta is not positive, but is {}", delta_));
  if (!(amplitude_ >= 0 && amplitude_ < 1))
    fields.reject(
        "amplitude",
        fmt::format("must be at least 0 and below 1, or densities are not positive, but is {}", amplitude_));
  if (!(pressure_ > 0)) fields.reject("pressure", "must be positive");
  if (!(a_end_ > a_start_))
    fields.reject("end-scale-factor",
                  fmt::format("must be greater than start-scale-factor ({}), but is {}", a_start_, a_end_));
  setup_ = setup;
  set_centres(fields);
  check_on_planes(fields, "centre", centre_, setup);
  for (const auto& one : centres_)
    if (!noisy()) check_ball_inside(fields, "radius", one, radius_, setup);
  if (is_compensated()) check_compensation(fields);
  volume_ = domain_volume(setup);
  noise_ = {setup.dim, {}, shortest_edge(setup) / noise_cells_, static_cast<std::uint64_t>(random_seed_)};
  std::copy(setup.lower.begin(), setup.lower.end(), noise_.lower.begin());
  grid_ = {setup.dim, centre_, distance_to_faces(centre_, setup) / radial_bins_, radial_bins_};
  profiler_.emplace(grid_, volume_);
}

void Accretion::set_centres(const io::KeyTable& fields) {
  const auto axes = static_cast<std::size_t>(setup_.dim);
  centres_.clear();
  const std::span<const double> all = given_centre_;
  if (all.empty() || all.size() % axes != 0) {
    centres_.push_back(checked_centre(fields, "centre", given_centre_, setup_));
  } else {
    for (std::size_t first = 0; first < all.size(); first += axes) {
      const auto one = all.subspan(first, axes);
      centres_.push_back(checked_centre(fields, "centre", {one.begin(), one.end()}, setup_));
    }
  }
  centre_ = {};
  for (std::size_t a = 0; a < axes; ++a) {
    for (const auto& centre : centres_) centre_[a] += centre[a];
    centre_[a] /= static_cast<double>(centres_.size());
  }
}

// When [time] and [gravity] are known.
void Accretion::check_widths(const io::KeyTable& fields, const std::vector<double>&) const {
  if (centres_.size() > 1 && has_gravity())
    fields.reject("centre", "several centres require gravity.method = \"poisson\", but that is \"radial\"");
  // An input that a run has written has both.
  if (std::abs(start_ - default_start()) > 1e-12 * std::abs(start_))
    fields.reject("start-scale-factor",
                  fmt::format("must be {}, the scale factor at time.start = {}, but is {}",
                              scale_factor(start_), start_, a_start_));
}

void Accretion::check_compensation(const io::KeyTable& fields) const {
  constexpr const char* key = "compensation-radius";
  for (const auto& centre : centres_) check_ball_inside(fields, key, centre, compensation_radius_, setup_);
  if (inner_share * compensation_radius_ < radius_)
    fields.reject(key, fmt::format("must be at least 3/2 of scenario.radius ({}), but is {}", radius_,
                                   compensation_radius_));
  if (!(compensating_density() > -1))
    fields.reject(key,
                  fmt::format("is too small: the density of the compensating shell, 1 - {}, is not positive",
                              -compensating_density()));
}

double Accretion::compensating_density() const {
  const double shell = unit_ball(setup_.dim) * std::pow(compensation_radius_, setup_.dim);
  return -seed_excess() / (shell * (1 - std::pow(inner_share, setup_.dim)));
}

double Accretion::compensation(const double* centre, double dx, const std::array<double, 3>& of_seed) const {
  if (!is_compensated()) return 0;
  const auto within = [&](double radius) {
    return fraction_in_ball(setup_.dim, centre, dx, of_seed.data(), radius);
  };
  return compensating_density() * (within(compensation_radius_) - within(inner_share * compensation_radius_));
}

double Accretion::end_of_formula() const {
  const double growing = 0.6 * seed_excess() / a_start_;
  if (!is_compensated() || !(growing > 0)) return std::numeric_limits<double>::infinity();
  const double start =
      inner_share * compensation_radius_;  // comoving radius, at which the shell has the mean density
  return unit_ball(setup_.dim) * std::pow(start, setup_.dim) * linear_overdensity(setup_.dim) / growing;
}

std::vector<std::string> Accretion::warnings(const io::KeyTable& fields) const {
  const double last = end_of_formula();
  if (!(a_end_ > last) || centres_.size() > 1) return {};
  return {fields.message(
      "compensation-radius",
      fmt::format("turnaround_formula is nan from a = {:.3g} on, where shells turn around that "
                  "started in the compensating shell",
                  last))};
}

void Accretion::initial(const double* centre, double dx, double* q) const {
  GasState gas{1.0, {0, 0, 0}, pressure_};
  if (noisy()) gas.density += amplitude_ * noise_.mean(centre, dx);
  for (const auto& of_seed : centres_) {
    if (noisy()) break;
    if (seed_ == "point")
      gas.density +=
          mass_ * gaussian_share(setup_.dim, centre, dx, of_seed.data(), radius_) / std::pow(dx, setup_.dim);
    else
      gas.density += delta_ * fraction_in_ball(setup_.dim, centre, dx, of_seed.data(), radius_);
    gas.density += compensation(centre, dx, of_seed);
  }
  set_unknowns(gas, setup_.dim, parameters_of(setup_).gamma, q);
}

void Accretion::boundary(const double*, double, double, double* q) const {
  set_unknowns({1.0, {0, 0, 0}, pressure_}, setup_.dim, parameters_of(setup_).gamma, q);
}

void Accretion::prepare_step(const StateView& view, solvers::Solver& solver) {
  if (!has_gravity()) return;
  fill_gravity(*static_cast<euler::Gravity*>(solver.step_data()), grid_, profiler_->profile(view), view.t);
}

void Accretion::prepare_levels(const StateView& view, const LevelTimes& times, solvers::Solver& solver) {
  if (!has_gravity()) return;
  fill_gravity(*static_cast<euler::Gravity*>(solver.step_data()), grid_, profiler_->profile(view, times),
               view.t);
}

std::vector<Measure> Accretion::measure(const StateView& view) const {
  const double a = scale_factor(view.t);
  const auto profile = radial_profile(view, centre_, grid_.radius(grid_.count), parameters_of(setup_).gamma);
  // The sums of the profiler are at hand if gravity needs them.
  const double excess = has_gravity() ? profiler_->excess(view).back() : profile.excess;
  std::vector<Measure> measures = {
      {"scale_factor", "a", a},
      {"mass_excess", "mean density x length^d", excess},
      {"turnaround_radius", "comoving length", turnaround_radius(profile, view.t)},
      {"shock_radius", "comoving length", accretion_shock_radius(profile, view.t)}};
  if (!noisy() && centres_.size() == 1) {
    const double formula = a <= end_of_formula() ? turnaround_formula(setup_.dim, seed_excess(), a_start_, a)
                                                 : std::numeric_limits<double>::quiet_NaN();
    measures.push_back({"turnaround_formula", "comoving length", formula});
  }
  return measures;
}

}  // namespace

std::unique_ptr<Scenario> make_accretion() {
  return std::make_unique<Accretion>();
}

}  // namespace meander::euler
