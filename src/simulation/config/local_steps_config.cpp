// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/config/local_steps_config.hpp"

#include <fmt/format.h>

#include "solvers/local_step_solver.hpp"

namespace meander::simulation {

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
