// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/config/local_steps_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/vec.hpp"
#include "tasks/staged_traversal.hpp"
#include "tasks/step_plan.hpp"

namespace meander::simulation {
namespace {

// Within the interval between two regrids, a signal crosses at most cfl volumes a step of the finest level.
// It must not leave the refined buffer around the leaves that a criterion has found by the solution.
void check_regrids(const io::KeyTable& keys, const Config& config) {
  const MeshConfig& mesh = config.mesh;
  const int levels = std::min(mesh.subcycled_levels, mesh.max_level - mesh.min_level);
  const bool reads = std::ranges::any_of(config.refinement, [](const auto& c) { return c->reads_state(); });
  if (levels == 0 || !reads) return;
  const double steps = std::pow(tasks::planned_ratio, levels), volumes = mesh.buffer * mesh.patch_size;
  const double crossed = steps * config.time.cfl * mesh.regrid_every;
  constexpr double rounding = 1e-12;
  if (crossed <= volumes * (1 + rounding)) return;
  const double most = std::floor(volumes / (steps * config.time.cfl) * (1 + rounding));
  const std::string why = fmt::format(
      "a signal crosses up to {:.3g} of the finest volumes between regrids ({:.0f} of their steps in a step, "
      "solver.cfl = {}), but the buffer has {:.0f}; ",
      crossed, steps, config.time.cfl, volumes);
  if (most >= 1) keys.reject("regrid-every", why + fmt::format("set at most {:.0f}", most));
  keys.reject(levels > 1 ? "subcycled-levels" : "buffer",
              why + (levels > 1 ? "set fewer subcycled levels, or a larger buffer" : "set a larger buffer"));
}

}  // namespace

void check_local_steps(const io::KeyTable& time, const io::KeyTable& mesh, const Config& config) {
  if (config.time.stepping != "local") return;
  const solvers::Traits& traits = config.solver->traits();
  const auto reject = [&](const std::string& what) {
    time.reject("stepping", fmt::format("\"local\" does not exist {}; use \"global\"", what));
  };
  const bool has_one_stage = traits.conservative && traits.stages == 1 && !traits.point_values();
  if (!has_one_stage && !tasks::has_staged_local_steps(*config.solver)) {
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
  check_regrids(mesh, config);
}

}  // namespace meander::simulation
