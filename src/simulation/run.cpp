// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/run.hpp"

#include <fmt/format.h>

#include <chrono>
#include <fstream>

#include "base/log.hpp"
#include "gpu/resource.hpp"
#include "io/output_directory.hpp"
#include "io/progress.hpp"
#include "io/provenance.hpp"
#include "simulation/output.hpp"
#include "simulation/simulation.hpp"

namespace meander::simulation {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void write_resolved_input(const Config& config, const std::string& path) {
  std::ofstream file(path);
  file << config.resolved;
  if (!file.flush()) throw Failure(fmt::format("{}: cannot be written", path));
}

std::unique_ptr<Simulation> set_up(const Config& config, int threads) {
  try {
    return make_simulation(config, threads);
  } catch (const gpu::OutOfMemory& error) {
    throw Failure(fmt::format("no memory for the initial mesh: {}", error.what()));
  }
}

bool is_done(const Simulation& simulation) {
  const TimeConfig& time = simulation.config().time;
  return simulation.time() >= time.end || (time.max_steps > 0 && simulation.step() >= time.max_steps);
}

void summarise(Simulation& simulation, int threads, double loop, double output) {
  const RunTimes times = simulation.times();
  const auto updates = static_cast<double>(simulation.volume_updates());
  const double compute = loop - output;
  const auto share = [&](double seconds) { return loop > 0 ? 100 * seconds / loop : 0.0; };
  log::info(
      fmt::format("{} steps to t = {:.6g} in {:.1f} s: {:.1f} M volumes/s, {:.1f} ns a volume, step and core",
                  simulation.step(), simulation.time(), loop, updates / compute / 1e6,
                  updates > 0 ? compute * threads / updates * 1e9 : 0.0));
  log::info(fmt::format(
      "  update and halos {:.0f} %, flux correction {:.0f} %, other halos {:.0f} %, step data {:.0f} %, "
      "regrid {:.0f} %, output "
      "{:.0f} %",
      share(times.sweeps.update), share(times.sweeps.flux_correction), share(times.sweeps.halo),
      share(times.prepare), share(times.regrid), share(output)));
  log::info(fmt::format("  {} leaves, {:.1f} MB of state, {:.1f} MB of flux registers", simulation.leaves(),
                        static_cast<double>(simulation.state_bytes()) / 1e6,
                        static_cast<double>(simulation.register_bytes()) / 1e6));
  std::vector<std::string> measures;
  for (const Measure& measure : simulation.config().scenario->measure(simulation.view())) {
    measures.push_back(fmt::format("{} {:.4g}", measure.name, measure.value));
  }
  if (!measures.empty()) log::info(fmt::format("  {}", fmt::join(measures, ", ")));
  if (simulation.first_order_volumes() > 0) {
    log::info(fmt::format("  {} volume updates fell back to first order ({:.2g} of all)",
                          simulation.first_order_volumes(),
                          static_cast<double>(simulation.first_order_volumes()) / updates));
  }
  if (simulation.floored_volumes() > 0) {
    log::info(fmt::format("  {} volume updates were lifted to the density or pressure floor ({:.2g} of all)",
                          simulation.floored_volumes(),
                          static_cast<double>(simulation.floored_volumes()) / updates));
  }
}

}  // namespace

int run(const Config& config, const RunOptions& options) {
  const int threads = options.threads > 0 ? options.threads : available_processors();
  const io::OutputDirectory directory(options.output.empty() ? config.output.directory : options.output);
  log::info(io::provenance().line());
  log::info(fmt::format("{}: scenario {}, {}D, {} thread{}, output in {}", config.source,
                        config.scenario_name, config.domain.dimensions, threads, threads == 1 ? "" : "s",
                        directory.path()));

  const auto simulation = set_up(config, threads);
  write_resolved_input(config, directory.file("input.toml"));
  Output output(*simulation, directory.path());
  output.start();
  const auto& time = config.time;
  io::Progress progress(time.start, time.end, time.max_steps);
  const auto start = Clock::now();
  double output_seconds = 0;
  try {
    while (!is_done(*simulation)) {
      const auto updates = simulation->volume_updates();
      simulation->advance(output.next_stop());
      const auto before_output = Clock::now();
      output.after_step();
      if (is_done(*simulation)) output.finish();
      output_seconds += seconds_since(before_output);
      progress.step(simulation->step(), simulation->time(), simulation->last_dt(),
                    static_cast<std::int64_t>(simulation->leaves()), simulation->volume_updates() - updates);
    }
  } catch (const StateFailure& failure) {
    log::error(failure.what());
    log::error(fmt::format("the failing state is in {}; files written before are intact",
                           output.write_failed_state()));
    return exit_failure;
  }
  summarise(*simulation, threads, seconds_since(start), output_seconds);
  return exit_done;
}

}  // namespace meander::simulation
