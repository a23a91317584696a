// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/ccz4/diagnostics/horizons.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/log.hpp"
#include "io/history.hpp"
#include "physics/ccz4/scenarios/holes.hpp"
#include "simulation/config/check_config.hpp"
#include "simulation/config/config.hpp"
#include "simulation/diagnostics/point_gather.hpp"

namespace meander::ccz4 {

using namespace simulation;
namespace {

constexpr double never = -std::numeric_limits<double>::infinity();
constexpr double merged_distance =
    2.5;                          // of two holes that may have a common horizon, in units of their mass
constexpr double enlarged = 1.3;  // the last surface, from which the flow starts after a miss
constexpr int many_misses = 3, searches_left_out = 7;
constexpr const char* axes = "xyz";

constexpr const char* columns[] = {"status",
                                   "flow_steps",
                                   "newton_steps",
                                   "residual",
                                   "rms_expansion",
                                   "area",
                                   "irreducible_mass",
                                   "christodoulou_mass",
                                   "spin_x",
                                   "spin_y",
                                   "spin_z",
                                   "coordinate_spin_x",
                                   "coordinate_spin_y",
                                   "coordinate_spin_z",
                                   "chi",
                                   "killing_eigenvalue",
                                   "mean_radius",
                                   "least_radius",
                                   "largest_radius",
                                   "centroid_x",
                                   "centroid_y",
                                   "centroid_z",
                                   "equatorial_circumference",
                                   "polar_circumference",
                                   "l_max",
                                   "tail",
                                   "coarsest_level",
                                   "finest_level"};

double distance(const Point<3>& a, const Point<3>& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

// The fields on the mesh. `samples` must outlive the source.
FieldSource source_of(PointGather& samples) {
  return [&samples](std::span<const Point<3>> points, std::span<const Point<3>> directions) {
    constexpr std::size_t count = horizon_unknowns.size();
    const GatheredPoints found =
        samples.gather(points, PointQuery(horizon_unknowns, directions.empty() ? 0 : count));
    FieldSamples fields;
    fields.values.resize(points.size());
    if (!directions.empty()) fields.slopes.resize(points.size());
    for (std::size_t n = 0; n < points.size(); ++n) {
      std::copy_n(found.values.begin() + static_cast<std::ptrdiff_t>(n * count), count, fields.values[n].of);
      for (std::size_t u = 0; u < count && !directions.empty(); ++u) {
        const auto& derivative = found.derivatives[n * count + u];
        for (std::size_t a = 0; a < 3; ++a) fields.slopes[n].of[u] += directions[n][a] * derivative[a];
      }
    }
    const auto [coarsest, finest] = std::ranges::minmax_element(found.levels);
    fields.coarsest_level = *coarsest;
    fields.finest_level = *finest;
    fields.is_inside = *coarsest >= 0;
    return fields;
  };
}

std::string status_of(const SearchResult& result) {
  switch (result.status) {
    case SearchStatus::found:
      break;
    case SearchStatus::under_resolved:
      return "under-resolved";
    case SearchStatus::flow_shrank:
      return "flow-shrank";
    case SearchStatus::flow_unfinished:
      return "not-found";
    case SearchStatus::newton_diverged:
      return "newton-diverged";
    case SearchStatus::left_domain:
      return "left-domain";
  }
  const FieldSamples& samples = result.surface.samples;
  return samples.coarsest_level < samples.finest_level ? "left-finest-level" : "found";
}

}  // namespace

void HorizonSearches::describe(io::KeyTable& keys) {
  keys.numbers("centre", keys_.centre, "length",
               "A fixed point that the horizon surrounds. Empty: it surrounds a puncture.");
  keys.integer(
          "puncture", keys_.puncture, "",
          "The puncture of the scenario that the horizon surrounds and follows, counted from 1; 0: none.",
          io::at_least(0))
      .default_text = "1 without centre and common, else 0";
  keys.flag(
      "common", keys_.common,
      "The horizon surrounds all punctures of the scenario; searches begin when none of them is farther from "
      "another than 2.5 times the total mass.");
  keys.number(
      "radius", keys_.radius, "length",
      "Radius of the sphere from which the first search starts. 0: by the masses and positions of the "
      "punctures.",
      io::at_least(0));
  keys.integer("l-max", keys_.l_max, "",
               "Highest degree of the spherical harmonics. 12 is required for spins above 0.7 and for common "
               "horizons.",
               io::between(2, 32))
      .default_text = "8 about a puncture, else 12";
  keys.number("every", keys_.every, "time", "Time between searches.", io::greater_than(0));
  keys.number("start", keys_.start, "time", "Time of the first search.").default_text = "time.start";
  keys.choice(
      "on-lost", keys_.on_lost, {"continue", "stop"},
      "After a search without success that follows one with success: continue the run, or stop it with a "
      "checkpoint and exit code 1.");
}

void HorizonSearches::set_up(const io::KeyTable& keys, const Config& config) {
  number_ = 1 + static_cast<int>(std::ranges::count_if(config.diagnostics, [](const auto& other) {
              return dynamic_cast<const HorizonSearches*>(other.get()) != nullptr;
            }));
  if (const auto* holes = dynamic_cast<const HasHoles*>(config.scenario.get()))
    masses_ = holes->hole_masses();
  const auto count = static_cast<int>(config.scenario->tracked_points().size());
  const bool is_fixed = !keys_.centre.empty();
  if (is_fixed) {
    check_length(keys, "centre", keys_.centre.size(), 3);
    for (std::size_t a = 0; a < 3; ++a) {
      if (keys_.centre[a] < config.domain.lower[a] || keys_.centre[a] > config.domain.upper[a])
        keys.reject("centre", "lies outside the domain");
    }
    if (keys_.common)
      keys.reject("common", "a common horizon follows the punctures: leave out centre or common");
  }
  if (keys_.puncture > 0 && (is_fixed || keys_.common)) {
    keys.reject("puncture",
                fmt::format("the horizon surrounds {}: leave out puncture or {}",
                            is_fixed ? "a fixed centre" : "all punctures", is_fixed ? "centre" : "common"));
  }
  if (keys_.common && count < 2) {
    keys.reject("common", fmt::format("requires at least two punctures, but scenario '{}' has {}",
                                      config.scenario_name, count));
  }
  if (!is_fixed && !keys_.common) {
    if (!keys.was_given("puncture")) keys_.puncture = 1;
    if (count == 0) {
      keys.reject(keys.was_given("puncture") ? "puncture" : "centre",
                  fmt::format("scenario '{}' has no punctures: centre must be given", config.scenario_name));
    }
    if (keys_.puncture < 1 || keys_.puncture > count) {
      keys.reject("puncture", fmt::format("must be a puncture of scenario '{}', between 1 and {}, but is {}",
                                          config.scenario_name, count, keys_.puncture));
    }
  }
  if (masses_.empty() && keys_.radius == 0)
    keys.reject("radius", fmt::format("must be given: the masses in scenario '{}' are not known",
                                      config.scenario_name));
  if (!keys.was_given("l-max")) keys_.l_max = keys_.puncture > 0 ? 8 : 12;
  if (!keys.was_given("start")) keys_.start = config.time.start;
}

std::unique_ptr<Diagnostic> HorizonSearches::start() const {
  auto started = std::make_unique<HorizonSearches>(*this);
  started->finder_ = std::make_shared<HorizonFinder>(keys_.l_max);
  started->last_ = never;
  return started;
}

bool HorizonSearches::is_due(double t) const {
  // Multiples of the interval since `start`; a step that ends at one may miss it by rounding.
  const auto searches = [&](double time) { return std::floor((time - keys_.start) / keys_.every + 1e-9); };
  return searches(t) >= 0 && (last_ == never || searches(t) > searches(last_));
}

Point<3> HorizonSearches::centre_of(const StateView& view) const {
  if (!keys_.centre.empty()) return {keys_.centre[0], keys_.centre[1], keys_.centre[2]};
  if (!keys_.common) return view.tracked_points[static_cast<std::size_t>(keys_.puncture - 1)];
  Point<3> centre{};
  const double all = std::accumulate(masses_.begin(), masses_.end(), 0.0);
  for (std::size_t n = 0; n < masses_.size(); ++n) {
    for (std::size_t a = 0; a < 3; ++a) centre[a] += masses_[n] / all * view.tracked_points[n][a];
  }
  return centre;
}

double HorizonSearches::first_radius(const StateView& view) const {
  if (keys_.radius > 0) return keys_.radius;
  if (keys_.puncture > 0) return 0.8 * masses_[static_cast<std::size_t>(keys_.puncture - 1)];
  const Point<3> centre = centre_of(view);
  double farthest = 0, all = 0;
  for (std::size_t n = 0; n < masses_.size(); ++n) {
    farthest = std::max(farthest, distance(view.tracked_points[n], centre));
    all += masses_[n];
  }
  return masses_.size() > 1 ? farthest + 0.5 * all : farthest + 0.8 * all;
}

bool HorizonSearches::is_too_early(const StateView& view) const {
  if (!keys_.common || is_known_) return false;
  const double all = std::accumulate(masses_.begin(), masses_.end(), 0.0);
  for (std::size_t n = 0; n < masses_.size(); ++n) {
    for (std::size_t m = 0; m < n; ++m) {
      if (distance(view.tracked_points[n], view.tracked_points[m]) > merged_distance * all) return true;
    }
  }
  return false;
}

HorizonSearches::Outcome HorizonSearches::search(const StateView& view) const {
  PointGather samples(view);
  const FieldSource source = source_of(samples);
  Outcome outcome;
  HorizonShape guess = HorizonShape::sphere(centre_of(view), first_radius(view), keys_.l_max);
  if (is_known_) {
    guess.a = shape_.a;
    guess.a.resize(mode_count(keys_.l_max), 0.0);
    outcome.search = finder_->track(source, guess);
    for (double& mode : guess.a) mode *= enlarged;
  }
  if (!is_known_ || !has_surface(outcome.search.status)) outcome.search = finder_->search(source, guess);
  outcome.status = status_of(outcome.search);
  if (has_surface(outcome.search.status))
    outcome.measures = measure_horizon(*finder_, source, outcome.search.surface);
  return outcome;
}

void HorizonSearches::tell(const StateView& view, const Outcome& outcome) const {
  if (misses_ != 1 || !view.communicator.is_root()) return;
  log::warning(fmt::format("horizon {}: no horizon at t = {:.6g} ({}){}", number_, view.t, outcome.status,
                           keys_.on_lost == "stop" ? "" : "; the run goes on"));
}

std::vector<io::RowFile> HorizonSearches::files() const {
  return {
      {fmt::format("horizon_{}.csv", number_), io::RowFile::Table{{std::begin(columns), std::end(columns)}}}};
}

DiagnosticRows HorizonSearches::rows(const StateView& view) {
  if (!is_due(view.t) || is_too_early(view)) return {};
  last_ = view.t;
  if (is_known_ && misses_ >= many_misses && left_out_ < searches_left_out) {
    ++left_out_;
    return {};
  }
  left_out_ = 0;
  const Outcome outcome = search(view);
  const bool found = has_surface(outcome.search.status);
  misses_ = found ? 0 : misses_ + 1;
  DiagnosticRows due;
  if (!found && is_known_ && keys_.on_lost == "stop") {
    due.stop = fmt::format("horizon {} is lost at t = {:.6g} ({}), and horizon[{}].on-lost is 'stop'",
                           number_, view.t, outcome.status, number_ - 1);
  }
  tell(view, outcome);
  if (found) {
    is_known_ = true;
    shape_ = outcome.search.surface.shape;
  }
  io::Row& row = due.rows.emplace_back();
  const auto add = [&](double value) { row.push_back(io::History::cell(value)); };
  const auto measured = [&](double value) { add(found ? value : std::numeric_limits<double>::quiet_NaN()); };
  const SearchResult& search = outcome.search;
  const HorizonMeasures& m = outcome.measures;
  row.push_back(outcome.status);
  add(search.flow_steps);
  add(search.newton_steps);
  measured(search.residual);
  measured(search.rms);
  for (const double value : {m.area, m.irreducible_mass, m.christodoulou_mass}) measured(value);
  for (const Point<3>& spin : {m.spin, m.coordinate_spin}) {
    for (const double component : spin) measured(component);
  }
  for (const double value : {m.chi, m.killing_eigenvalue, m.mean_radius, m.least_radius, m.largest_radius})
    measured(value);
  for (const double component : m.centroid) measured(component);
  for (const double value : {m.equatorial, m.polar}) measured(value);
  add(keys_.l_max);
  measured(m.tail);
  measured(search.surface.samples.coarsest_level);
  measured(search.surface.samples.finest_level);
  return due;
}

std::string HorizonSearches::prefix() const {
  return fmt::format("horizon-{}-", number_);
}

void HorizonSearches::save(io::CheckpointState& state) const {
  if (last_ == never) return;
  const auto keep = [&](const std::string& name, double value) {
    state.counters.emplace_back(prefix() + name, std::bit_cast<std::int64_t>(value));
  };
  keep("last", last_);
  state.counters.emplace_back(prefix() + "misses", misses_);
  state.counters.emplace_back(prefix() + "left-out", left_out_);
  if (!is_known_) return;
  for (std::size_t a = 0; a < 3; ++a) keep(fmt::format("centre-{}", axes[a]), shape_.centre[a]);
  for (std::size_t m = 0; m < shape_.a.size(); ++m) keep(fmt::format("a-{:04d}", m), shape_.a[m]);
}

void HorizonSearches::resume(const io::CheckpointState& state) {
  for (const auto& [name, value] : state.counters) {
    if (!name.starts_with(prefix())) continue;
    const std::string what = name.substr(prefix().size());
    const auto number = std::bit_cast<double>(value);
    if (what == "last") last_ = number;
    if (what == "misses") misses_ = static_cast<int>(value);
    if (what == "left-out") left_out_ = static_cast<int>(value);
    for (std::size_t a = 0; a < 3; ++a) {
      if (what == fmt::format("centre-{}", axes[a])) shape_.centre[a] = number;
    }
    if (!what.starts_with("a-")) continue;
    is_known_ = true;
    const auto mode = static_cast<std::size_t>(std::stoul(what.substr(2)));
    if (mode >= shape_.a.size()) shape_.a.resize(mode + 1, 0.0);
    shape_.a[mode] = number;
  }
}

DiagnosticEntry horizons_entry() {
  return {.make = [] { return std::make_unique<HorizonSearches>(); },
          .intro = R"(
Any number of apparent horizons to search for, each in a table `[[horizon]]` (equation = "ccz4"); an empty table follows the first
puncture. Table number N, counted from 1, writes `horizon_N.csv`, a row for each search: [columns](horizons.md#horizon_ncsv).
)",
          .array = "horizon",
          .meaning = "Apparent horizons, each in a table [[horizon]]."};
}

}  // namespace meander::ccz4
