// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/ccz4/diagnostics/horizons.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/log.hpp"
#include "base/printable.hpp"
#include "io/row_files.hpp"
#include "parallel/communicator.hpp"
#include "physics/ccz4/scenarios/holes.hpp"
#include "simulation/config/check_config.hpp"
#include "simulation/config/config.hpp"
#include "simulation/diagnostics/point_gather.hpp"

namespace meander::ccz4 {

using namespace simulation;
namespace {

constexpr const char* under_resolved = "under-resolved";
// Widths of a volume in the radius of the sphere from which a puncture's flow starts, 0.8 m for a horizon of 0.5 m. With
// fewer, a flow that shrinks to nothing does not prove that there is no horizon.
constexpr double least_volumes = 4;
constexpr double merged_distance =
    2.5;                          // of two holes that may have a common horizon, in units of their mass
constexpr double enlarged = 1.3;  // the last surface, from which the flow starts after a miss
constexpr int many_misses = 3, searches_left_out = 7;
constexpr double most_searches = 1e12;  // more cannot be counted from their times

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
      return under_resolved;
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

const HorizonFinder& HorizonFinders::of(int l_max) {
  std::optional<HorizonFinder>& finder = finders_[l_max];
  if (!finder) finder.emplace(l_max);
  return *finder;
}

HorizonMemory HorizonFinders::memory() const {
  HorizonMemory all;
  for (const auto& [l_max, finder] : finders_) {
    const HorizonMemory memory = HorizonFinder::memory(l_max);
    all.tables += memory.tables;
    all.search = std::max(all.search, memory.search);
  }
  return all;
}

void HorizonSearches::describe(io::KeyTable& keys) {
  keys.numbers("centre", keys_.centre, "length",
               "A fixed point that the horizon surrounds. Empty: it surrounds a puncture.")
      .fixed = true;
  io::Field& puncture = keys.integer("puncture", keys_.puncture, "",
                                     "The puncture of the scenario that the horizon surrounds and follows, "
                                     "counted from 1; 0: none, with centre or "
                                     "common only.",
                                     io::at_least(0));
  puncture.default_text = "1 without centre and common, else 0";
  puncture.fixed = true;
  keys.flag("common", keys_.common,
            "The horizon surrounds all punctures of the scenario; searches begin when none of them is "
            "farther from "
            "another than 2.5 times the total mass.")
      .fixed = true;
  keys.number(
      "radius", keys_.radius, "length",
      "Radius of the sphere from which the first search starts. 0: by the masses and positions of the "
      "punctures.",
      io::at_least(0));
  keys.integer("l-max", keys_.l_max, "",
               "Highest degree of the spherical harmonics. 12 is required for spins above 0.7 and for common "
               "horizons.",
               io::between(2, most_horizon_degree))
      .default_text = "8 about a puncture, else 12";
  keys.number("every", keys_.every, "time", "Time between searches.", io::greater_than(0));
  keys.number("start", keys_.start, "time", "Time of the first search, not before time.start.").default_text =
      "time.start";
  keys.choice(
      "on-lost", keys_.on_lost, {"continue", "stop"},
      "After a search without success that follows one with success: continue the run, or stop it with a "
      "checkpoint and exit code 1.");
}

void HorizonSearches::set_up(const io::KeyTable& keys, const Config& config) {
  finders_ = std::make_shared<HorizonFinders>();
  for (const auto& other : config.diagnostics) {
    const auto* table = dynamic_cast<const HorizonSearches*>(other.get());
    if (table == nullptr) continue;
    ++number_;
    finders_ = table->finders_;
  }
  if (const auto* holes = dynamic_cast<const HasHoles*>(config.scenario.get()))
    masses_ = holes->hole_masses();
  check_object(keys, config);
  if (masses_.empty() && keys_.radius == 0)
    keys.reject("radius", fmt::format("must be given: the masses in scenario '{}' are not known",
                                      config.scenario_name));
  if (!keys.was_given("l-max")) keys_.l_max = keys_.puncture > 0 ? 8 : 12;
  check_times(keys, config);
  check_memory(keys, config);
  const char* of_object = !keys_.centre.empty() ? "centre" : keys_.common ? "common" : "puncture";
  origin_ = keys.was_given(of_object) ? keys.find(of_object)->origin : keys.origin();
  const Mirrors whole = config.mirrors();
  std::copy_n(whole.lower().begin(), 3, lower_.begin());
  std::copy_n(whole.upper().begin(), 3, upper_.begin());
}

void HorizonSearches::check_object(const io::KeyTable& keys, const Config& config) {
  const auto count = static_cast<int>(config.scenario->tracked_points().size());
  const bool is_fixed = !keys_.centre.empty();
  if (is_fixed) {
    check_length(keys, "centre", keys_.centre.size(), 3);
    const Mirrors whole = config.mirrors();
    for (std::size_t a = 0; a < 3; ++a) {
      if (keys_.centre[a] < whole.lower()[a] || keys_.centre[a] > whole.upper()[a])
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
    if (keys_.puncture == 0)
      keys.reject("puncture", "0 is no puncture: the horizon then requires centre or common = true");
    if (keys_.puncture > count) {
      keys.reject("puncture", fmt::format("must be a puncture of scenario '{}', between 1 and {}, but is {}",
                                          config.scenario_name, count, keys_.puncture));
    }
  }
}

void HorizonSearches::check_times(const io::KeyTable& keys, const Config& config) {
  const TimeConfig& time = config.time;
  if (!keys.was_given("start")) keys_.start = time.start;
  if (keys_.start < time.start) {
    keys.reject("start", fmt::format("must not lie before time.start, which is {}, but is {}", time.start,
                                     keys_.start));
  }
  const double least = (time.end - time.start) / most_searches;
  if (!(keys_.every >= least)) {
    keys.reject("every", fmt::format("must be at least {}, for at most {:g} searches from time.start to "
                                     "time.end, but is {}",
                                     least, most_searches, keys_.every));
  }
}

void HorizonSearches::check_memory(const io::KeyTable& keys, const Config& config) const {
  finders_->expect(keys_.l_max);
  const HorizonMemory memory = finders_->memory();
  if (memory.tables + memory.search > config.spare_memory) {
    keys.reject(
        "l-max",
        fmt::format("with l-max = {}, searches require {:.3g} MB on each rank, but {:.3g} MB are available "
                    "beside the mesh; reduce l-max",
                    keys_.l_max, 1e-6 * (memory.tables + memory.search),
                    1e-6 * std::max(0.0, config.spare_memory)));
  }
}

std::unique_ptr<Diagnostic> HorizonSearches::start() const {
  auto started = std::make_unique<HorizonSearches>(*this);
  started->state_ = {};
  return started;
}

bool HorizonSearches::is_due(double t) const {
  // Multiples of the interval since `start`; a step that ends at one may miss it by rounding.
  const auto searches = [&](double time) { return std::floor((time - keys_.start) / keys_.every + 1e-9); };
  return searches(t) >= 0 && (state_.last == SearchState::never || searches(t) > searches(state_.last));
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

double HorizonSearches::radius_by_masses(const StateView& view) const {
  if (keys_.puncture > 0) return 0.8 * masses_[static_cast<std::size_t>(keys_.puncture - 1)];
  const Point<3> centre = centre_of(view);
  double farthest = 0, all = 0;
  for (std::size_t n = 0; n < masses_.size(); ++n) {
    farthest = std::max(farthest, distance(view.tracked_points[n], centre));
    all += masses_[n];
  }
  return masses_.size() > 1 ? farthest + 0.5 * all : farthest + 0.8 * all;
}

double HorizonSearches::first_radius(const StateView& view) const {
  return keys_.radius > 0 ? keys_.radius : radius_by_masses(view);
}

bool HorizonSearches::is_resolved(const StateView& view) const {
  std::vector<Point<3>> object = {centre_of(view)};
  if (keys_.common) object.assign(view.tracked_points.begin(), view.tracked_points.end());
  const GatheredPoints found =
      PointGather(view).gather(object, PointQuery(std::span(horizon_unknowns).first<1>()));
  const int finest = std::ranges::max(found.levels);
  const double radius = masses_.empty() ? keys_.radius : radius_by_masses(view);
  return finest < 0 || radius >= least_volumes * view.level_dx[static_cast<std::size_t>(finest)];
}

bool HorizonSearches::is_too_early(const StateView& view) const {
  if (!keys_.common || state_.shape) return false;
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
  const HorizonFinder& finder = finders_->of(keys_.l_max);
  Outcome outcome;
  HorizonShape guess = HorizonShape::sphere(centre_of(view), first_radius(view), keys_.l_max);
  if (state_.shape) {
    guess.a = state_.shape->a;
    guess.a.resize(mode_count(keys_.l_max), 0.0);
    outcome.search = finder.track(source, guess);
    for (double& mode : guess.a) mode *= enlarged;
  }
  if (!state_.shape || !has_surface(outcome.search.status) || is_of_other_holes(view, outcome.search))
    outcome.search = finder.search(source, guess);
  outcome.status = status_of(outcome.search);
  if (outcome.search.status == SearchStatus::flow_shrank && !is_resolved(view))
    outcome.status = under_resolved;
  if (!has_surface(outcome.search.status)) return outcome;
  if (is_of_other_holes(view, outcome.search)) {
    outcome.status = keys_.common ? "not-common" : "merged";
    return outcome;
  }
  outcome.is_found = true;
  outcome.measures = measure_horizon(finder, source, outcome.search.surface);
  return outcome;
}

// The centre of unequal masses lies in the larger hole, whose horizon solves the same equation.
bool HorizonSearches::is_of_other_holes(const StateView& view, const SearchResult& found) const {
  if (!keys_.common && keys_.puncture == 0) return false;
  for (std::size_t n = 0; n < view.tracked_points.size(); ++n) {
    const bool is_own = keys_.common || static_cast<int>(n) + 1 == keys_.puncture;
    if (found.surface.shape.surrounds(view.tracked_points[n]) != is_own) return true;
  }
  return false;
}

void HorizonSearches::tell(const StateView& view, const Outcome& outcome) const {
  if (state_.misses != 1 || !view.communicator.is_root()) return;
  log::warning(fmt::format("horizon {}: no horizon at t = {:.6g} ({}){}", number_, view.t, outcome.status,
                           keys_.on_lost == "stop" ? "" : "; the run goes on"));
}

std::vector<io::RowFile> HorizonSearches::files() const {
  return {
      {fmt::format("horizon_{}.csv", number_), io::RowFile::Table{{std::begin(columns), std::end(columns)}}}};
}

DiagnosticRows HorizonSearches::rows(const StateView& view) {
  if (!is_due(view.t) || is_too_early(view)) return {};
  state_.last = view.t;
  if (state_.shape && state_.misses >= many_misses && state_.left_out < searches_left_out) {
    ++state_.left_out;
    return {};
  }
  state_.left_out = 0;
  const Outcome outcome = search(view);
  const bool found = outcome.is_found;
  state_.misses = found ? 0 : state_.misses + 1;
  DiagnosticRows due;
  if (state_.misses == 1 && state_.shape && keys_.on_lost == "stop") {
    due.stop = fmt::format("horizon {} is lost at t = {:.6g} ({}), and horizon[{}].on-lost is 'stop'",
                           number_, view.t, outcome.status, number_ - 1);
  }
  tell(view, outcome);
  if (found) state_.shape = outcome.search.surface.shape;
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

RowMemory HorizonSearches::row_memory() const {
  if (number_ != 1) return {};
  const HorizonMemory memory = finders_->memory();
  return {memory.tables, memory.search};
}

HorizonObject HorizonSearches::object() const {
  return {keys_.puncture, keys_.common, keys_.centre};
}

void HorizonSearches::save(io::CheckpointState& state) const {
  save_horizon({object(), state_}, number_, state);
}

void HorizonSearches::resume(const io::CheckpointState& state) {
  const SavedHorizon saved = saved_horizon(state, number_, lower_, upper_);
  if (saved.object && *saved.object != object()) {
    const std::string message = fmt::format(
        "{}: horizon[{}]: a restart cannot change what the horizon of a table surrounds: it is {} in the "
        "checkpoint, "
        "but {} here; append new tables to the others, and remove only the last ones",
        origin_.where, number_ - 1, saved.object->text(), object().text());
    throw parallel::AgreedInputError(printable(message, Lines::join) + origin_.excerpt);
  }
  state_ = saved.searches;
}

DiagnosticEntry horizons_entry() {
  return {.make = [] { return std::make_unique<HorizonSearches>(); },
          .intro = R"(
Any number of apparent horizons to search for, each in a table `[[horizon]]` (equation = "ccz4"); an empty table follows the first
puncture. Table number N, counted from 1, writes `horizon_N.csv`, a row for each search: [columns](horizons.md#horizon_ncsv).
A restart may append tables and leave out the last ones; the others must surround the same as before.
)",
          .array = "horizon",
          .meaning = "Apparent horizons, each in a table [[horizon]].",
          .files = {{io::RowFormat::table, "", R"(horizon_[1-9][0-9]*\.csv)"}}};
}

}  // namespace meander::ccz4
