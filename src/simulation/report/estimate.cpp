// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/report/estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "base/join.hpp"
#include "base/process.hpp"
#include "base/timer.hpp"
#include "io/files.hpp"
#include "io/progress.hpp"
#include "offload/batch_execution.hpp"
#include "simulation/config/field_names.hpp"
#include "simulation/config/regrid_interval.hpp"
#include "simulation/outputs/requested_outputs.hpp"
#include "simulation/refinement_criterion.hpp"
#include "simulation/simulation.hpp"

namespace meander::simulation {

namespace {

constexpr int most_steps = 20;
constexpr double bytes_of_tables = 40;  // of a leaf in a plot file or a checkpoint: box, level, index, rank
constexpr double bytes_of_number = 20;  // in a row of history.csv
constexpr double bytes_of_small_parts = 2e4;  // of a file: names, groups, the input

// A duration as text, with seconds for short runs.
std::string length_text(double seconds) {
  return seconds < 59.5 ? fmt::format("{:.2g} s", seconds) : io::duration_text(seconds);
}

struct Calibration {
  double step = 0;  // seconds
  double dt = 0;
  int steps = 0;
};

// Times steps. All ranks make the number of steps that the slowest has time for. Collective.
Calibration calibrate(Simulation& simulation, double seconds) {
  const parallel::Communicator& communicator = simulation.communicator();
  const TimeConfig& time = simulation.config().time;
  Calibration found;
  const auto start = std::chrono::steady_clock::now();
  double before = 0, longest = 0;
  while (simulation.time() < time.end && found.steps < most_steps) {
    simulation.advance(time.end);
    ++found.steps;
    found.dt = simulation.last_dt();
    longest = std::max(longest, found.dt);
    const double now = communicator.max(seconds_since(start));
    // The first step is not timed: its caches are cold and its threads have not run.
    if (found.steps > 1 || now > seconds) {
      const double step = now - before;
      found.step = found.steps <= 2 ? step : std::min(found.step, step);
    }
    before = now;
    if (now > seconds) break;
  }
  if (found.step == 0) found.step = before;
  if (simulation.time() >= time.end) found.dt = longest;  // the last steps are shortened
  return found;
}

// Number of steps of the whole run at the present step length.
double steps_of_run(const Config& config, double dt) {
  const double by_time = std::ceil((config.time.end - config.time.start) / dt);
  return config.time.max_steps > 0 ? std::min(by_time, double{1} * config.time.max_steps) : by_time;
}

// Files of a schedule within `length` of simulated time and a number of steps, with the first and the last state.
double files_of_run(const Config& config, double length, double steps, double every, int every_steps,
                    const std::vector<double>& times) {
  const double start = config.time.start;
  double files = 2 + static_cast<double>(std::count_if(times.begin(), times.end(), [&](double t) {
                   return t > start && t < start + length;
                 }));
  if (every > 0) files += std::max(0.0, std::ceil(length / every) - 1);
  if (every_steps > 0) files += std::max(0.0, std::ceil(steps / every_steps) - 1);
  return files;
}

std::string line_of_files(const std::string& name, double files, double bytes) {
  return fmt::format("  {:<30} {:>8}, {} each", name, fmt::format("{:.0f}", files), io::size_text(bytes));
}
std::string line_of_rows(const std::string& name, double rows, double bytes) {
  return fmt::format("  {:<30} {:>8}, {}", name, fmt::format("{:.0f} rows", rows), io::size_text(bytes));
}

// Bytes of a volume in a plot file.
double plot_bytes(const Config& config, const solvers::Solver& solver) {
  const auto vectors = vector_names(solver);
  const double width = config.output.precision == "float64" ? 8 : 4;
  double bytes = 0;
  for (const std::string& field : config.output.fields) {
    const bool vector = std::find(vectors.begin(), vectors.end(), field) != vectors.end();
    bytes += field == "level" || field == "curve_index" ? 4 : (vector ? 3 : 1) * width;
  }
  return bytes;
}

double device_bytes(const Config& config, const solvers::Solver& solver) {
  const offload::UpdateCall call{&solver, solver.traits().layout(config.mesh.patch_size)};
  return config.offload.queues *
         static_cast<double>(offload::batch_bytes(call, static_cast<std::size_t>(config.offload.batch)));
}

// The memory of the devices on which patches live; empty if they live on the host. Collective.
std::string text_of_devices(const Simulation& simulation) {
  const parallel::Communicator& communicator = simulation.communicator();
  const auto own = simulation.device_memory().value_or(mesh::DeviceMemory{});
  std::int64_t bytes[] = {simulation.device_memory() ? 1 : 0,    static_cast<std::int64_t>(own.slots),
                          static_cast<std::int64_t>(own.next),   static_cast<std::int64_t>(own.messages),
                          static_cast<std::int64_t>(own.tables), static_cast<std::int64_t>(own.scratch),
                          static_cast<std::int64_t>(own.field)};
  communicator.sum(std::span<std::int64_t>(bytes));
  if (bytes[0] == 0) return "";
  const auto all =
      static_cast<double>(std::accumulate(std::begin(bytes) + 1, std::end(bytes), std::int64_t{0}));
  const auto part = [&](int i) { return io::size_text(static_cast<double>(bytes[i])); };
  return fmt::format(
      "{} on {} device{} ({} slots, {} new interiors, {} flux registers and messages, {} tables, {} "
      "scratch{})",
      io::size_text(all), bytes[0], bytes[0] == 1 ? "" : "s", part(1), part(2), part(3), part(4), part(5),
      bytes[6] > 0 ? ", " + part(6) + " self-gravity" : "");
}

// What regrids cost with patches that live on devices, if a criterion reads the state on the host; else empty.
std::string text_of_regrids(const Config& config, const solvers::Solver& solver) {
  std::vector<std::string> names;
  for (std::size_t n = 0; n < config.refinement.size(); ++n) {
    const RefinementCriterion& criterion = *config.refinement[n];
    const auto measure = criterion.measure();
    const bool on_device =
        measure && solver.measures_on_device(std::max(measure->quantity, measure->divisor));
    if (criterion.reads_state() && !on_device) names.push_back(fmt::format("refinement[{}]", n));
  }
  if (names.empty()) return "";
  return fmt::format("each regrid copies all patches to the host: {} {} no kernel for devices",
                     join(names, ", "), names.size() == 1 ? "has" : "have");
}

}  // namespace

std::vector<std::string> estimate_run(const Config& config, int threads,
                                      const parallel::Communicator& communicator, double seconds) {
  const auto simulation = make_simulation(config, threads, communicator);
  const LeafCounts counts = simulation->leaves();
  const std::vector<std::int64_t>& leaves = counts.per_level;
  const auto volumes = static_cast<double>(counts.volumes), all_leaves = static_cast<double>(counts.total);
  const std::int64_t state = communicator.sum(static_cast<std::int64_t>(simulation->bytes().state));
  const std::int64_t registers = communicator.sum(static_cast<std::int64_t>(simulation->bytes().registers));
  const solvers::Solver& solver = simulation->solver();
  const auto unknowns = static_cast<double>(solver.traits().unknowns);

  std::vector<std::string> lines;
  lines.push_back(fmt::format("mesh at the start: {} leaves, {} volumes", counts.total, counts.volumes));
  for (std::size_t level = 0; level < leaves.size(); ++level) {
    if (leaves[level] > 0) lines.push_back(fmt::format("  level {:<2} {:>10} leaves", level, leaves[level]));
  }
  if (!config.refinement.empty()) lines.push_back(regrid_text(config));
  const Calibration found = calibrate(*simulation, seconds);
  const auto memory = static_cast<double>(communicator.sum(static_cast<std::int64_t>(peak_memory())));
  lines.push_back(
      fmt::format("memory: {} on the host{} ({} of them patches, {} flux registers)", io::size_text(memory),
                  communicator.size() > 1 ? fmt::format(", sum over {} ranks", communicator.size()) : "",
                  io::size_text(static_cast<double>(state)), io::size_text(static_cast<double>(registers))));
  for (const auto& diagnostic : config.diagnostics) {
    const RowMemory more = diagnostic->row_memory();
    if (more.kept + more.passing == 0) continue;
    lines.push_back(
        fmt::format("        {}: on each rank {} more from the first rows on, and {} while rows are computed",
                    diagnostic->name(), io::size_text(more.kept), io::size_text(more.passing)));
  }
  const std::string on_devices = text_of_devices(*simulation);
  const bool offloads = config.offload.device != "none";
  lines.push_back(
      "        " +
      (!on_devices.empty() ? on_devices
       : offloads ? fmt::format("{} for batches on each device of each rank ({} in flight, {} patches each)",
                                io::size_text(device_bytes(config, solver)), config.offload.queues,
                                config.offload.batch)
                  : "none on devices: offload.device is \"none\""));
  const std::string regrids = on_devices.empty() ? "" : text_of_regrids(config, solver);
  if (!regrids.empty()) lines.push_back("        " + regrids);
  if (const auto local = simulation->local_steps()) {
    lines.push_back(local_steps_line(*local));
    lines.push_back("      " +
                    step_path_line(step_path(*local, simulation->view().levels, threads, communicator)));
  }
  const double steps = steps_of_run(config, found.dt);
  const OutputConfig& output = config.output;
  const double length = std::min(config.time.end - config.time.start, steps * found.dt);
  const double plots =
      files_of_run(config, length, steps, output.plot_every, output.plot_steps, output.plot_times);
  lines.push_back(
      fmt::format("time: {:.3g} ms per step ({} measured, {} rank{}, {} thread{} each), {:.3g} M volumes/s",
                  1e3 * found.step, found.steps, communicator.size(), communicator.size() == 1 ? "" : "s",
                  threads, threads == 1 ? "" : "s", 1e-6 * volumes / found.step));
  lines.push_back(fmt::format("      about {:.0f} steps of {:.3g}, {} in total, with constant mesh and step",
                              steps, found.dt, length_text(steps * found.step)));
  const double plot =
      volumes * plot_bytes(config, solver) + all_leaves * bytes_of_tables + bytes_of_small_parts;
  const double checkpoint = 8 * volumes * static_cast<double>(solver.traits().saved_names().size()) +
                            all_leaves * bytes_of_tables + bytes_of_small_parts;
  const double rows = std::ceil(steps / config.output.history_steps) + 1;
  const double columns = 5 + unknowns + config.mesh.max_level - config.mesh.min_level + 1;
  const bool some = config.checkpoint.every_steps > 0 || config.checkpoint.every_minutes > 0;
  const int kept = some ? config.checkpoint.keep : 1;
  lines.push_back(fmt::format("files in {}:", config.output.directory));
  lines.push_back(line_of_files("plot_*.vtkhdf", plots, plot));
  double of_requested = 0;
  RequestedOutputs requested(*simulation, output.directory);
  for (const RequestedOutput& one : output.requested) {
    const double files = files_of_run(config, length, steps, one.every, one.every_steps, one.times);
    if (one.has_rows()) {
      const bool is_line = one.kind == OutputKind::line;
      const double bytes = files * (static_cast<double>(requested.numbers_of_row(one)) + 2) * bytes_of_number;
      const auto fields = output_fields(simulation->solver(), one.fields);
      of_requested += bytes * (is_line ? static_cast<double>(names_of(fields).size()) : 1);
      lines.push_back(line_of_rows(one.stem() + (is_line ? "_*.txt" : ".csv"), files, bytes));
      continue;
    }
    const double bytes = requested.image_bytes(one) + bytes_of_small_parts;
    of_requested += files * bytes;
    lines.push_back(line_of_files(one.stem() + "_*.vtkhdf", files, bytes));
  }
  lines.push_back(line_of_files("chk_*.hdf5", kept, checkpoint));
  lines.push_back(line_of_rows("history.csv", rows, rows * columns * bytes_of_number));
  lines.push_back(fmt::format(
      "  and input.toml, summary.json, plot.vtkhdf.series: {} in total",
      io::size_text(plots * plot + of_requested + kept * checkpoint + rows * columns * bytes_of_number)));
  return lines;
}

double gain_of_local_steps(const Config& config, int threads, const parallel::Communicator& communicator) {
  const auto simulation = make_simulation(config, threads, communicator);
  simulation->advance(config.time.end);
  return simulation->local_steps()->gain();
}

}  // namespace meander::simulation
