// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/config/check_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/join.hpp"
#include "base/vec.hpp"
#include "mesh/boundary_condition.hpp"
#include "mesh/peano_curve.hpp"
#include "simulation/scenario.hpp"
#include "simulation/scenario_tools/field_formulas.hpp"
#include "solvers/local_step_solver.hpp"
#include "solvers/patch_layout.hpp"

namespace meander::simulation {

namespace {

constexpr int most_leaf_levels = 10;  // readers sort level names as text
constexpr int most_plots = 1000000;   // by plot-every
constexpr double tree_bytes = 1500;   // of a leaf in addition to its slot: key, neighbours, halo plan
constexpr double cube_tolerance = 1e-12;

}  // namespace

void check_length(const io::KeyTable& keys, const char* key, std::size_t entries, int dimensions) {
  if (entries == static_cast<std::size_t>(dimensions)) return;
  keys.reject(key,
              fmt::format("must have {} entries, one for each dimension, but has {}", dimensions, entries));
}

void check_corners(const io::KeyTable& keys, const std::vector<double>& lower,
                   const std::vector<double>& upper) {
  for (std::size_t a = 0; a < lower.size(); ++a) {
    if (upper[a] <= lower[a]) {
      keys.reject("upper",
                  fmt::format("must exceed lower along each axis, but along {} it is {} and lower is {}",
                              axis_names[a], upper[a], lower[a]));
    }
  }
}

int deepest_level(int dimensions) {
  return dimensions == 3 ? mesh::Key<3>::max_level : mesh::Key<2>::max_level;
}

void check_domain(const io::KeyTable& keys, const Config& config) {
  const DomainConfig& domain = config.domain;
  check_length(keys, "lower", domain.lower, domain.dimensions);
  check_length(keys, "upper", domain.upper, domain.dimensions);
  check_length(keys, "cells", domain.cells, domain.dimensions);
  check_corners(keys, domain.lower, domain.upper);
  double volume = 1;
  for (std::size_t a = 0; a < domain.lower.size(); ++a) volume *= domain.upper[a] - domain.lower[a];
  if (!std::isnormal(volume))
    keys.reject("upper",
                fmt::format("makes a domain of volume {}, with which no sums can be computed", volume));
  const double width = (domain.upper[0] - domain.lower[0]) / domain.cells[0];
  for (std::size_t a = 1; a < domain.cells.size(); ++a) {
    const double other = (domain.upper[a] - domain.lower[a]) / domain.cells[a];
    if (std::abs(other - width) <= cube_tolerance * width) continue;
    const char* key = keys.was_given("upper") || !keys.was_given("cells") ? "upper" : "cells";
    keys.reject(key, fmt::format("base cells must be cubes, but are {} wide along x and {} along {}; upper = "
                                 "{} along {} would make them cubes",
                                 width, other, axis_names[a], domain.lower[a] + domain.cells[a] * width,
                                 axis_names[a]));
  }
  const int deepest = deepest_level(domain.dimensions);
  if (config.base_level() > deepest) {
    keys.reject("cells", fmt::format("must be at most {} along each axis in {} dimensions",
                                     std::pow(3, deepest), domain.dimensions));
  }
}

namespace {

// The key that gives the condition of a face.
std::string key_of_face(const io::KeyTable& keys, int face) {
  const std::string axis = axis_names[face / 2], side = axis + (face % 2 == 0 ? "-lower" : "-upper");
  return keys.was_given(side) ? side : keys.was_given(axis) ? axis : "all";
}

// The points number 0, 1, ... of a sequence that fills the box evenly (Halton 1960).
Point<3> sample_point(int number, const std::vector<double>& lower, const std::vector<double>& upper) {
  constexpr int bases[] = {2, 3, 5};
  Point<3> x{};
  for (std::size_t a = 0; a < lower.size(); ++a) {
    double share = 0, digit = 1;
    for (int rest = number + 1; rest > 0; rest /= bases[a]) {
      digit /= bases[a];
      share += digit * (rest % bases[a]);
    }
    x[a] = lower[a] + share * (upper[a] - lower[a]);
  }
  return x;
}

// Compares the unknowns that set(x, q) gives at sample points of the box with those at their mirror images. Returns what
// differs, or nothing.
template <class Set>
std::string asymmetry(const Config& config, const Mirrors& mirrors, std::size_t axis,
                      const std::vector<double>& lower, const std::vector<double>& upper, const Set& set) {
  constexpr int samples = 4000;
  constexpr double tolerance = 1e-8, rounding = 1e-14;  // of the largest value of the unknown, and of all
  const auto unknowns = static_cast<std::size_t>(config.solver->traits().unknowns);
  std::vector<double> signs(unknowns), here(unknowns), beyond(unknowns), largest(unknowns),
      difference(unknowns);
  std::vector<Point<3>> where(unknowns);
  config.solver->reflection_signs(static_cast<int>(axis), signs);
  for (int n = 0; n < samples; ++n) {
    const Point<3> x = sample_point(n, lower, upper);
    set(x, here.data());
    set(mirrors.reflected(x, axis), beyond.data());
    for (std::size_t u = 0; u < unknowns; ++u) {
      const double off = std::abs(here[u] - signs[u] * beyond[u]);
      largest[u] = std::max({largest[u], std::abs(here[u]), std::abs(beyond[u])});
      if (!(off > difference[u])) continue;
      difference[u] = off;
      where[u] = x;
    }
  }
  const double of_all = *std::ranges::max_element(largest);
  for (std::size_t u = 0; u < unknowns; ++u) {
    if (difference[u] <= tolerance * largest[u] + rounding * of_all) continue;
    const auto text = [&](const Point<3>& x) {
      return join(std::vector<double>(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(lower.size())), ", ",
                  6);
    };
    set(where[u], here.data());
    set(mirrors.reflected(where[u], axis), beyond.data());
    return fmt::format("{} is {:.6g} at ({}), but {:.6g} at ({}), where it must be {:.6g}",
                       config.solver->traits().saved_names()[u], here[u], text(where[u]), beyond[u],
                       text(mirrors.reflected(where[u], axis)), signs[u] * here[u]);
  }
  return "";
}

}  // namespace

void check_symmetry(const io::KeyTable& boundary, const Config& config, double width) {
  const Mirrors mirrors = config.mirrors();
  const DomainConfig& domain = config.domain;
  for (std::size_t a = 0; a < domain.lower.size(); ++a) {
    if (!mirrors.has(a)) continue;
    const auto refuse = [&](const std::string& what, const std::string& why) {
      boundary.reject(key_of_face(boundary, mirrors.face(a)),
                      fmt::format("{} = {} is no plane of symmetry of {}: {}", axis_names[a],
                                  mirrors.plane(a), what, why));
    };
    if (config.scenario->is_known_everywhere()) {
      const std::string why =
          asymmetry(config, mirrors, a, domain.lower, domain.upper, [&](const Point<3>& x, double* q) {
            std::fill_n(q, config.solver->traits().unknowns, 0.0);
            config.scenario->initial(x.data(), width, q);
            if (!config.scenario->gives_all_unknowns()) config.solver->complete(q);
          });
      if (!why.empty())
        refuse(fmt::format("the initial data (scenario.name = \"{}\")", config.scenario_name), why);
    }
    for (int face = 0; face < 2 * domain.dimensions; ++face) {
      const auto axis = static_cast<std::size_t>(face / 2);
      if (!domain.state_beyond[face] || axis == a) continue;
      std::vector<double> lower = domain.lower, upper = domain.upper;
      (face % 2 == 0 ? upper : lower)[axis] = (face % 2 == 0 ? lower : upper)[axis];
      const std::string why = asymmetry(config, mirrors, a, lower, upper, [&](const Point<3>& x, double* q) {
        std::fill_n(q, config.solver->traits().unknowns, 0.0);
        domain.state_beyond[face]->checked_unknowns(x.data(), width, config.time.start, q);
      });
      if (!why.empty())
        refuse(
            fmt::format("the state of boundary.{}-{}", axis_names[axis], face % 2 == 0 ? "lower" : "upper"),
            why);
    }
  }
}

void check_boundary(const io::KeyTable& keys, const Config& config) {
  for (int a = 0; a < config.domain.dimensions; ++a) {
    const mesh::BoundaryCondition* const* side = config.domain.boundary + 2 * a;
    if (side[0]->is_symmetry && side[1]->is_symmetry) {
      keys.reject(
          key_of_face(keys, 2 * a + 1),
          fmt::format("both sides of the {} axis are planes of symmetry, but one at most is possible; "
                      "\"reflecting\" is a mirror, too, without images in the history",
                      axis_names[a]));
    }
  }
  for (int a = 0; a < config.domain.dimensions; ++a) {
    const mesh::BoundaryCondition* const* side = config.domain.boundary + 2 * a;
    if (side[0]->is_periodic() == side[1]->is_periodic()) continue;
    const std::string axis = axis_names[a];
    const bool point_at_lower = keys.was_given(axis + "-lower");
    const bool lower_is = side[0]->is_periodic();
    keys.reject(
        axis + (point_at_lower ? "-lower" : "-upper"),
        fmt::format(
            "the {} axis is periodic on its {} side only; it must be periodic on both sides or on none", axis,
            lower_is ? "lower" : "upper"));
  }
}

void check_boundary_of_scheme(const io::KeyTable& keys, const Config& config, const solvers::Traits& traits) {
  for (int face = 0; face < 2 * config.domain.dimensions; ++face) {
    const mesh::BoundaryCondition& condition = *config.domain.boundary[face];
    const bool is_of_gas = &condition == &mesh::boundary::diode;
    if (condition.radiative ? traits.radiates : !is_of_gas || traits.conservative) continue;
    keys.reject(key_of_face(keys, face), fmt::format("'{}' exists for {} only, but the scheme is {}",
                                                     condition.name, condition.needs, traits.name));
  }
}

void check_time(const io::KeyTable& keys, const Config& config) {
  const TimeConfig& time = config.time;
  if (time.end <= time.start) {
    keys.reject(
        keys.was_given("end") || !keys.was_given("start") ? "end" : "start",
        fmt::format("time.end must exceed time.start, but is {} and time.start is {}", time.end, time.start));
  }
}

void check_mesh(const io::KeyTable& keys, const Config& config, const solvers::Traits& traits) {
  const MeshConfig& mesh = config.mesh;
  const int base = config.base_level(), deepest = deepest_level(config.domain.dimensions);
  if (mesh.min_level < base || mesh.min_level > deepest) {
    keys.reject("min-level", fmt::format("must be between {} (the level of the base cells) and {}, but is {}",
                                         base, deepest, mesh.min_level));
  }
  if (mesh.max_level < mesh.min_level || mesh.max_level > deepest) {
    keys.reject("max-level", fmt::format("must be between {} (min-level) and {}, but is {}", mesh.min_level,
                                         deepest, mesh.max_level));
  }
  if (mesh.max_level - mesh.min_level >= most_leaf_levels) {
    keys.reject(
        "max-level",
        fmt::format("must be at most {}: leaves may have {} levels, from min-level {} on; but is {}",
                    mesh.min_level + most_leaf_levels - 1, most_leaf_levels, mesh.min_level, mesh.max_level));
  }
  const bool adaptive = mesh.max_level > mesh.min_level;
  const int smallest = adaptive ? 3 * traits.halo : traits.halo;
  if (mesh.patch_size < smallest) {
    keys.reject("patch-size",
                fmt::format("must be at least {} on {} with this scheme (halo width {}), but is {}", smallest,
                            adaptive ? "an adaptive mesh" : "a uniform mesh", traits.halo, mesh.patch_size));
  }
}

void check_cfl(const io::KeyTable& keys, const Config& config, const solvers::Solver& solver) {
  if (config.time.cfl <= solver.max_cfl()) return;
  keys.reject("cfl", fmt::format("must be at most {}, the stability limit of the scheme ({}), but is {}",
                                 solver.max_cfl(), solver.traits().name, config.time.cfl));
}

std::vector<double> widths_of_volumes(const Config& config) {
  std::vector<double> widths;
  const double base =
      (config.domain.upper[0] - config.domain.lower[0]) / config.domain.cells[0] / config.mesh.patch_size;
  for (int level = config.mesh.min_level; level <= config.mesh.max_level; ++level)
    widths.push_back(base / std::pow(3.0, level - config.base_level()));
  return widths;
}

MemoryEstimate estimate_memory(const Config& config, const solvers::Traits& traits) {
  MemoryEstimate estimate;
  estimate.leaves = std::pow(3.0, traits.dim * (config.mesh.min_level - config.base_level()));
  for (const int cells : config.domain.cells) estimate.leaves *= cells;
  const solvers::PatchLayout layout = traits.layout(config.mesh.patch_size);
  const auto doubles = layout.slot_size() + traits.stage_blocks * layout.stage_block_size();
  estimate.bytes = estimate.leaves * (8.0 * static_cast<double>(doubles) + tree_bytes);
  return estimate;
}

void check_memory(const io::KeyTable& keys, const Config& config, const solvers::Traits& traits,
                  double memory) {
  const MemoryEstimate estimate = estimate_memory(config, traits);
  const int level = config.mesh.min_level;
  const char* key = keys.was_given("min-level") || !keys.was_given("patch-size") ? "min-level" : "patch-size";
  constexpr double gib = 1024.0 * 1024.0 * 1024.0;
  if (estimate.bytes > memory) {
    keys.reject(key, fmt::format("level {} everywhere has {:.0f} leaves and requires about {:.4g} GiB, but "
                                 "{:.4g} GiB are available; reduce min-level, patch-size or domain.cells",
                                 level, estimate.leaves, estimate.bytes / gib, memory / gib));
  }
  if (estimate.leaves > INT32_MAX) {
    keys.reject(key, fmt::format("level {} everywhere has {:.0f} leaves; at most {} are possible", level,
                                 estimate.leaves, INT32_MAX));
  }
}

void check_schedule(const io::KeyTable& keys, const GivenSchedule& given, const TimeConfig& time) {
  const double length = time.end - time.start;
  if (given.every > 0 && length / given.every > most_plots) {
    keys.reject(
        given.every_key,
        fmt::format("must be at least {}, for at most {} {} from time.start {} to time.end {}, but is {}",
                    length / most_plots, most_plots, given.files, time.start, time.end, given.every));
  }
  for (const double t : given.times) {
    if (t >= time.start && t <= time.end) continue;
    keys.reject(given.times_key, fmt::format("must lie between time.start {} and time.end {}, but one is {}",
                                             time.start, time.end, t));
  }
}

void check_names_once(const io::KeyTable& keys, const char* key, const std::vector<std::string>& names) {
  for (auto name = names.begin(); name != names.end(); ++name) {
    if (std::find(names.begin(), name, *name) != name)
      keys.reject(key, fmt::format("names '{}' twice", *name));
  }
}

void check_output(const io::KeyTable& keys, const Config& config) {
  const OutputConfig& output = config.output;
  if (output.directory.empty()) keys.reject("directory", "must not be empty");
  check_schedule(keys, {"plot-every", output.plot_every, "plot-times", output.plot_times, "plot files"},
                 config.time);
  check_names_once(keys, "fields", output.fields);
}

void check_local_steps(const io::KeyTable& time, const Config& config) {
  if (config.time.stepping != "local") return;
  const solvers::Traits& traits = config.solver->traits();
  const auto reject = [&](const std::string& what) {
    time.reject("stepping", fmt::format("\"local\" does not exist {}; use \"global\"", what));
  };
  const bool has_one_stage = traits.conservative && traits.stages == 1 && !traits.point_values();
  if (!has_one_stage && !solvers::has_staged_local_steps(*config.solver)) {
    reject(
        fmt::format("for the scheme {}, but for conservative schemes of one stage and for fourth order only",
                    traits.name));
  }
  if (config.offload.device != "none" && !config.offload.patches_on_device()) {
    time.reject("stepping",
                fmt::format("\"local\" with offload.device = \"{}\" requires gpu-memory.patches = "
                            "\"device\", but it is \"{}\"; use that, or \"global\"",
                            config.offload.device, config.offload.patches));
  }
  if (config.scenario->step_data() == Scenario::StepData::of_steps)
    reject(
        fmt::format("for the scenario {}, whose step data do not follow the levels", config.scenario_name));
}

}  // namespace meander::simulation
