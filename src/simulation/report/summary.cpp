// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/report/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/log.hpp"
#include "base/process.hpp"

namespace meander::simulation {

namespace {

std::string part(const char* name, const Spread& spread, double mean_step) {
  const double microseconds = std::round(spread.mean / micro);  // smaller differences are noise
  return fmt::format("{} {:.3g} ms ({:.0f} %)", name, microseconds * micro / milli,
                     100 * quotient(spread.mean, mean_step));
}

std::vector<Figure> figures_of(Summary& s) {
  const bool has_messages = s.messages.under_way > 0;
  return {
      {"steps", s.steps},
      {"last_step", s.last_step},
      {"time", s.time},
      {"seconds", &s.seconds, Merge::max},
      {"ranks", s.ranks},
      {"threads", &s.threads, Merge::sum},
      {"mpi_thread_level", s.thread_level},
      {"leaves", s.leaves},
      {"volumes", s.volumes},
      {"volume_updates", s.updates},
      {"volumes_per_second", s.volumes_per_second()},
      {"volumes_per_second_and_thread", quotient(s.volumes_per_second(), s.threads)},
      {"ns_per_volume_update", quotient(s.threads, s.volumes_per_second()) / nano},
      {"processor_seconds", &s.processor_seconds, Merge::sum},
      {"processor_ns_per_volume_update", s.processor_seconds_per_update() / nano},
      {"seconds_per_step_update", &s.update, Merge::spread},
      {"seconds_per_step_waiting", &s.waiting, Merge::spread},
      {"seconds_per_step_regrid", &s.regrid, Merge::spread},
      {"seconds_per_step_output", &s.output, Merge::spread},
      {"seconds_per_step_other", &s.other, Merge::spread},
      {"seconds_initial_data", &s.initial, Merge::max},
      {"imbalance_leaves", s.leaf_imbalance()},
      {"imbalance_update_time", s.update_imbalance()},
      {"halo_bytes_per_step", s.partition.halo_bytes},
      {nullptr, &s.messages.under_way, Merge::sum},
      {nullptr, &s.messages.hidden, Merge::sum},
      {nullptr, &s.messages.batches, Merge::sum},
      {has_messages ? "messages_under_way_share" : nullptr, s.messages_share()},
      {has_messages ? "messages_hidden_share" : nullptr, s.messages.share()},
      {has_messages && s.offload ? "messages_behind_batches_share" : nullptr, s.messages.batches_share()},
      {"remote_faces", s.partition.remote_faces},
      {"remote_faces_of_cubes", s.partition.cube_faces},
      {"migrated_leaves", s.partition.migrated},
      {s.ranks > 1 && s.local_steps ? "cut_for_each_level" : nullptr, std::int64_t{s.partition.by_levels}},
      {"peak_memory_bytes", &s.peak_memory, Merge::sum},
      {"peak_memory_bytes_of_rank", &s.peak_memory_of_rank, Merge::max},
      {"checkpoints", s.checkpoints},
      {"seconds_per_checkpoint", &s.checkpoint_seconds, Merge::max},
      {"first_order_volume_updates", s.first_order},
      {"floored_volume_updates", s.floored},
      {"strayed_volume_updates", s.strayed},
      {"warnings", s.warnings},
      {"changed_keys", s.changed_keys},
      {"processor", s.processor},
  };
}

}  // namespace

Summary summarise(Simulation& simulation, const RunCosts& costs) {
  const parallel::Communicator& communicator = simulation.communicator();
  const RunTimes times = simulation.times();
  Summary summary;
  summary.last_step = simulation.step();
  summary.steps = summary.last_step - costs.first_step;
  summary.time = simulation.time();
  summary.seconds = costs.loop;
  summary.ranks = communicator.size();
  summary.threads = costs.threads;
  summary.thread_level = costs.thread_level;
  summary.leaves = simulation.leaves().total;
  summary.volumes = simulation.leaves().volumes;
  summary.all_updates = simulation.volume_updates();
  summary.updates = summary.all_updates - costs.first_updates;
  summary.partition = simulation.partition();
  summary.processor_seconds = costs.processor;
  summary.peak_memory = summary.peak_memory_of_rank = static_cast<std::int64_t>(peak_memory());
  summary.checkpoints = costs.checkpoint_count;
  summary.checkpoint_seconds = quotient(costs.checkpoints, costs.checkpoint_count);
  summary.messages = times.messages;
  const TreatedVolumes treated = simulation.treated_volumes();
  summary.first_order = treated.first_order;
  summary.floored = treated.floored;
  summary.strayed = treated.strayed;
  summary.warnings = log::warnings();
  summary.changed_keys = simulation.config().changed_keys;
  summary.processor = processor_name();

  const tasks::SweepTimes& sweeps = times.sweeps;
  const auto steps = static_cast<double>(summary.counted_steps());
  const double update = sweeps.update + sweeps.flux_correction + sweeps.halo + times.prepare;
  const double other = std::max(0.0, costs.loop - update - sweeps.waiting - times.regrid - costs.output);
  summary.update.mean = update / steps;
  summary.waiting.mean = sweeps.waiting / steps;
  summary.regrid.mean = times.regrid / steps;
  summary.initial = times.initial;
  summary.output.mean = costs.output / steps;
  summary.other.mean = other / steps;
  merge_over_ranks(figures_of(summary), communicator);

  summary.local_steps = simulation.local_steps();
  if (summary.local_steps)
    summary.step_path =
        step_path(*summary.local_steps, simulation.view().levels, costs.threads, communicator);
  summary.offload = sum_over_ranks(simulation.offload(), communicator);
  summary.resident = sum_over_ranks(simulation.resident(), communicator);
  return summary;
}

std::vector<std::string> summary_lines(const Summary& s) {
  std::vector<std::string> lines;
  const double step = s.seconds_per_step();
  const double per_thread = quotient(s.volumes_per_second(), s.threads);
  lines.push_back(
      fmt::format("{} steps to t = {:.6g} in {:.1f} s: {:.1f} M volumes/s, {:.2f} M per thread and second "
                  "({:.1f} ns per volume and step; {:.1f} ns of processor time)",
                  s.steps, s.time, s.seconds, s.volumes_per_second() / mega, per_thread / mega,
                  quotient(1, per_thread) / nano, s.processor_seconds_per_update() / nano));
  lines.push_back(fmt::format("  step: {:.3g} ms; {}, {}, {}, {}, {}", step / milli,
                              part("update", s.update, step), part("waiting", s.waiting, step),
                              part("regrid", s.regrid, step), part("output", s.output, step),
                              part("other", s.other, step)));
  if (s.ranks > 1) {
    lines.push_back(
        fmt::format("  {} ranks, {} threads: imbalance (max / mean) {:.3f} in leaves, {:.3f} in time for "
                    "updates; waiting {:.3g} to {:.3g} ms per step",
                    s.ranks, s.threads, s.leaf_imbalance(), s.update_imbalance(), s.waiting.min / milli,
                    s.waiting.max / milli));
    lines.push_back(
        fmt::format("  halos: {:.3g} MB per step; {} remote faces, {:.2f} times the number for cubes; {} "
                    "leaves migrated{}",
                    static_cast<double>(s.partition.halo_bytes) / mega, s.partition.remote_faces,
                    quotient(s.partition.remote_faces, s.partition.cube_faces), s.partition.migrated,
                    s.partition.by_levels ? "; a cut of the curve for each level" : ""));
  }
  if (s.messages.under_way > 0) {
    lines.push_back(fmt::format(
        "  with messages in flight ({:.0f} % of the time), threads updated leaves for {:.0f} % of it{}",
        100 * s.messages_share(), 100 * s.messages.share(),
        s.offload ? fmt::format(", and batches were in flight for {:.0f} %", 100 * s.messages.batches_share())
                  : ""));
  }
  lines.push_back(fmt::format("  {} leaves, {} volumes; peak memory {:.1f} MB{}{}", s.leaves, s.volumes,
                              static_cast<double>(s.peak_memory) / mega, s.ranks > 1 ? " in total" : "",
                              s.checkpoints > 0
                                  ? fmt::format("; {} checkpoint{}, {:.2g} s each", s.checkpoints,
                                                s.checkpoints == 1 ? "" : "s", s.checkpoint_seconds)
                                  : ""));
  if (s.local_steps) {
    lines.push_back("  " + local_steps_line(*s.local_steps));
    if (s.threads > 1) lines.push_back("  " + step_path_line(s.step_path));
  }
  if (s.offload) {
    for (const std::string& line : lines_of(*s.offload)) lines.push_back(line);
  }
  if (s.resident) {
    for (const std::string& line : lines_of(*s.resident)) lines.push_back(line);
  }
  const auto share = [&](std::int64_t count) { return quotient(count, s.all_updates); };
  if (s.first_order > 0) {
    lines.push_back(fmt::format("  {} volume updates fell back to first order ({:.2g} of all)", s.first_order,
                                share(s.first_order)));
  }
  if (s.floored > 0) {
    lines.push_back(fmt::format("  {} volume updates were raised to a floor ({:.2g} of all)", s.floored,
                                share(s.floored)));
  }
  if (s.strayed > 0) {
    lines.push_back(fmt::format("  {} volume updates exceeded a bound and were corrected ({:.2g} of all)",
                                s.strayed, share(s.strayed)));
  }
  return lines;
}

std::string summary_json(Summary summary) {
  std::vector<Figure> figures = figures_of(summary);
  const auto add = [&](std::vector<Figure> more) { figures.insert(figures.end(), more.begin(), more.end()); };
  if (summary.local_steps) add(figures_of(*summary.local_steps, summary.step_path));
  if (summary.offload) add(figures_of(*summary.offload));
  if (summary.resident) add(figures_of(*summary.resident));
  return "{\n" + json_lines(figures) + "\n}\n";
}

}  // namespace meander::simulation
