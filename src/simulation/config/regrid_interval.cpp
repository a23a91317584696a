// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/config/regrid_interval.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "simulation/refinement_criterion.hpp"
#include "tasks/step_plan.hpp"

namespace meander::simulation {
namespace {

constexpr int longest = 16;
constexpr int without_state = 8;
constexpr double rounding = 1e-12;

bool reads_state(const Config& config) {
  return std::ranges::any_of(config.refinement,
                             [](const auto& criterion) { return criterion->reads_state(); });
}

// The number of the finest levels that may take several steps in one of the run.
int subcycled_levels(const Config& config) {
  const MeshConfig& mesh = config.mesh;
  return config.time.stepping == "local" ? std::min(mesh.subcycled_levels, mesh.max_level - mesh.min_level)
                                         : 0;
}

// Steps of the finest volumes in a step of the run.
double finest_steps(const Config& config) {
  return std::pow(tasks::planned_ratio, subcycled_levels(config));
}

// Of the finest volumes.
double volumes_of_buffer(const Config& config) {
  return config.mesh.buffer * config.mesh.patch_size;
}
double crossed_volumes(const Config& config, int steps) {
  return finest_steps(config) * config.time.cfl * steps;
}

// The largest number of steps in which signals stay within the buffer; may be 0 and more than an int holds.
double largest_interval(const Config& config) {
  return std::floor(volumes_of_buffer(config) / crossed_volumes(config, 1) * (1 + rounding));
}

[[noreturn]] void reject(const io::KeyTable& mesh, const Config& config, int steps) {
  const std::string why = fmt::format(
      "a signal crosses up to {:.3g} of the finest volumes between regrids ({:.0f} of their steps in a step, "
      "solver.cfl = {}), but the buffer has {:.0f}; ",
      crossed_volumes(config, steps), finest_steps(config), config.time.cfl, volumes_of_buffer(config));
  const double most = largest_interval(config);
  if (most >= 1) mesh.reject("regrid-every", why + fmt::format("set at most {:.0f}", most));
  const bool several = subcycled_levels(config) > 1;
  mesh.reject(several ? "subcycled-levels" : "buffer",
              why + (several ? "set fewer subcycled levels, or a larger buffer" : "set a larger buffer"));
}

int chosen(const io::KeyTable& mesh, const Config& config) {
  if (!reads_state(config)) return without_state;
  const double most = largest_interval(config);
  if (most < 1 && subcycled_levels(config) > 0) reject(mesh, config, 1);
  return static_cast<int>(std::clamp(most, 1.0, double{longest}));
}

}  // namespace

void describe_regrid_interval(io::KeyTable& keys, io::IntegerOrWord& given) {
  keys.integer_or_word(
      "regrid-every", given, {chosen_interval}, "steps",
      fmt::format(
          "Number of steps between adaptations of the mesh. `{}`: the largest number from 1 to {} for which "
          "signals, which cross at most solver.cfl volumes in a step of the finest level, stay within the "
          "buffer until the next adaptation; {} if no criterion reads the solution. `meander check` prints "
          "it.",
          chosen_interval, longest, without_state),
      io::at_least(1));
}

int regrid_interval(io::KeyTable& mesh, const Config& config, const io::IntegerOrWord& given) {
  if (const int* steps = std::get_if<int>(&given)) {
    const bool leaves = crossed_volumes(config, *steps) > volumes_of_buffer(config) * (1 + rounding);
    if (subcycled_levels(config) > 0 && reads_state(config) && leaves) reject(mesh, config, *steps);
    return *steps;
  }
  const int steps = chosen(mesh, config);
  mesh.set_comment("regrid-every", fmt::format("{} step{}", steps, steps == 1 ? "" : "s"));
  return steps;
}

std::string regrid_text(const Config& config) {
  const int steps = config.mesh.regrid_every;
  const std::string text =
      steps == 1 ? "regrids: after every step" : fmt::format("regrids: every {} steps", steps);
  if (!reads_state(config)) return text;
  return text + fmt::format(
                    "; a signal crosses up to {:.3g} of the finest volumes until the next one, and the "
                    "buffer has {:.0f}",
                    crossed_volumes(config, steps), volumes_of_buffer(config));
}

}  // namespace meander::simulation
