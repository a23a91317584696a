// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/report/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/memory.hpp"
#include "simulation/report/units.hpp"

namespace meander::simulation {

namespace {

double quotient(double a, double b) {
  return b > 0 ? a / b : 0;
}

// Gathers several numbers of each rank at once.
class Spreads {
 public:
  void add(double value) { values_.push_back(value); }
  // Collective.
  std::vector<Spread> gather(const parallel::Communicator& communicator) const {
    const std::vector<double> all = communicator.all_gather<double>(std::span<const double>(values_));
    const std::size_t kinds = values_.size(), ranks = all.size() / kinds;
    std::vector<Spread> spreads(kinds);
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      Spread& spread = spreads[kind];
      spread.min = spread.max = all[kind];
      double sum = 0;
      for (std::size_t rank = 0; rank < ranks; ++rank) {
        const double value = all[rank * kinds + kind];
        spread.min = std::min(spread.min, value);
        spread.max = std::max(spread.max, value);
        sum += value;
      }
      spread.mean = sum / static_cast<double>(ranks);
    }
    return spreads;
  }

 private:
  std::vector<double> values_;
};

// Of a volume in its step.
double processor_time_of_update(const Summary& s) {
  return quotient(s.processor_seconds, static_cast<double>(s.updates));
}

std::string part(const char* name, const Spread& spread, double mean_step) {
  const double microseconds = std::round(spread.mean / micro);  // smaller differences are noise
  return fmt::format("{} {:.3g} ms ({:.0f} %)", name, microseconds * micro / milli,
                     100 * quotient(spread.mean, mean_step));
}

}  // namespace

Summary summarise(Simulation& simulation, const RunCosts& costs) {
  const parallel::Communicator& communicator = simulation.communicator();
  Summary summary;
  summary.last_step = simulation.step();
  summary.steps = summary.last_step - costs.first_step;
  summary.time = simulation.time();
  summary.ranks = communicator.size();
  summary.threads = static_cast<int>(communicator.sum(std::int64_t{costs.threads}));
  summary.thread_level = costs.thread_level;
  summary.leaves = simulation.leaves();
  summary.volumes = simulation.volumes();
  summary.all_updates = simulation.volume_updates();
  summary.updates = summary.all_updates - costs.first_updates;
  summary.partition = simulation.partition();
  summary.leaf_imbalance = quotient(static_cast<double>(summary.partition.most_leaves) * summary.ranks,
                                    static_cast<double>(summary.leaves));
  summary.checkpoints = costs.checkpoint_count;
  summary.checkpoint_seconds =
      quotient(communicator.max(costs.checkpoints), static_cast<double>(summary.checkpoints));
  summary.first_order = simulation.first_order_volumes();
  summary.floored = simulation.floored_volumes();
  summary.strayed = simulation.strayed_volumes();

  summary.local_steps = simulation.local_steps();
  if (summary.local_steps)
    summary.step_path =
        step_path(*summary.local_steps, simulation.view().levels, costs.threads, communicator);
  summary.offload = sum_over_ranks(simulation.offload(), communicator);
  summary.resident = sum_over_ranks(simulation.resident(), communicator);

  const RunTimes times = simulation.times();
  const double own_times[] = {times.messages.under_way, times.messages.hidden, times.messages.batches,
                              costs.processor};
  const auto all_times = communicator.all_gather<double>(std::span<const double>(own_times));
  for (std::size_t i = 0; i < all_times.size(); i += std::size(own_times)) {
    summary.messages += {all_times[i], all_times[i + 1], all_times[i + 2]};
    summary.processor_seconds += all_times[i + 3];
  }
  const tasks::SweepTimes& sweeps = times.sweeps;
  const double steps = static_cast<double>(std::max<std::int64_t>(1, summary.steps));
  const double update = sweeps.update + sweeps.flux_correction + sweeps.halo + times.prepare;
  const double other = std::max(0.0, costs.loop - update - sweeps.waiting - times.regrid - costs.output);
  Spreads spreads;
  for (const double seconds : {update, sweeps.waiting, times.regrid, costs.output, other, costs.loop})
    spreads.add(seconds / steps);
  const std::vector<Spread> all = spreads.gather(communicator);
  summary.update = all[0];
  summary.waiting = all[1];
  summary.regrid = all[2];
  summary.output = all[3];
  summary.other = all[4];
  summary.seconds = all[5].max * steps;
  summary.update_imbalance = quotient(summary.update.max, summary.update.mean);
  summary.volumes_per_second =
      quotient(static_cast<double>(summary.updates), summary.seconds - summary.output.max * steps);

  const auto memory = static_cast<std::int64_t>(peak_memory());
  summary.peak_memory = communicator.sum(memory);
  summary.peak_memory_of_rank = communicator.max(memory);
  return summary;
}

std::vector<std::string> summary_lines(const Summary& s) {
  std::vector<std::string> lines;
  const double step = quotient(s.seconds, static_cast<double>(std::max<std::int64_t>(1, s.steps)));
  const double per_thread = quotient(s.volumes_per_second, s.threads);
  lines.push_back(
      fmt::format("{} steps to t = {:.6g} in {:.1f} s: {:.1f} M volumes/s, {:.2f} M per thread and second "
                  "({:.1f} ns per volume and step; {:.1f} ns of processor time)",
                  s.steps, s.time, s.seconds, s.volumes_per_second / mega, per_thread / mega,
                  quotient(1, per_thread) / nano, processor_time_of_update(s) / nano));
  lines.push_back(fmt::format("  step: {:.3g} ms; {}, {}, {}, {}, {}", step / milli,
                              part("update", s.update, step), part("waiting", s.waiting, step),
                              part("regrid", s.regrid, step), part("output", s.output, step),
                              part("other", s.other, step)));
  if (s.ranks > 1) {
    lines.push_back(
        fmt::format("  {} ranks, {} threads: imbalance (max / mean) {:.3f} in leaves, {:.3f} in time for "
                    "updates; waiting {:.3g} to {:.3g} ms per step",
                    s.ranks, s.threads, s.leaf_imbalance, s.update_imbalance, s.waiting.min / milli,
                    s.waiting.max / milli));
    lines.push_back(fmt::format(
        "  halos: {:.3g} MB per step; {} remote faces, {:.2f} times the number for cubes; {} leaves migrated",
        static_cast<double>(s.partition.halo_bytes) / mega, s.partition.remote_faces,
        quotient(static_cast<double>(s.partition.remote_faces), s.partition.cube_faces),
        s.partition.migrated));
  }
  if (s.messages.under_way > 0) {
    lines.push_back(fmt::format(
        "  with messages in flight ({:.0f} % of the time), threads updated leaves for {:.0f} % of it{}",
        100 * quotient(s.messages.under_way, s.threads * s.seconds), 100 * s.messages.share(),
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
    for (const std::string& line : offload_lines(*s.offload)) lines.push_back(line);
  }
  if (s.resident) {
    for (const std::string& line : resident_lines(*s.resident)) lines.push_back(line);
  }
  const auto share = [&](std::int64_t count) {
    return quotient(static_cast<double>(count), static_cast<double>(s.all_updates));
  };
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

std::string summary_json(const Summary& s) {
  std::string text = "{\n";
  const auto add = [&](std::string_view key, const std::string& value) {
    if (text.size() > 2) text += ",\n";
    text += fmt::format("  \"{}\": {}", key, value);
  };
  // JSON has no infinity and no NaN.
  const auto number = [](double value) { return std::isfinite(value) ? fmt::format("{}", value) : "null"; };
  const auto spread = [&](const Spread& seconds) {
    return fmt::format(R"({{"min": {}, "mean": {}, "max": {}}})", number(seconds.min), number(seconds.mean),
                       number(seconds.max));
  };
  add("steps", fmt::format("{}", s.steps));
  add("last_step", fmt::format("{}", s.last_step));
  add("time", number(s.time));
  add("seconds", number(s.seconds));
  add("ranks", fmt::format("{}", s.ranks));
  add("threads", fmt::format("{}", s.threads));
  add("mpi_thread_level", fmt::format("\"{}\"", s.thread_level));
  add("leaves", fmt::format("{}", s.leaves));
  add("volumes", fmt::format("{}", s.volumes));
  add("volume_updates", fmt::format("{}", s.updates));
  add("volumes_per_second", number(s.volumes_per_second));
  add("volumes_per_second_and_thread", number(quotient(s.volumes_per_second, s.threads)));
  add("ns_per_volume_update", number(quotient(s.threads, s.volumes_per_second) / nano));
  add("processor_seconds", number(s.processor_seconds));
  add("processor_ns_per_volume_update", number(processor_time_of_update(s) / nano));
  add("seconds_per_step_update", spread(s.update));
  add("seconds_per_step_waiting", spread(s.waiting));
  add("seconds_per_step_regrid", spread(s.regrid));
  add("seconds_per_step_output", spread(s.output));
  add("seconds_per_step_other", spread(s.other));
  add("imbalance_leaves", number(s.leaf_imbalance));
  add("imbalance_update_time", number(s.update_imbalance));
  add("halo_bytes_per_step", fmt::format("{}", s.partition.halo_bytes));
  if (s.messages.under_way > 0) {
    add("messages_under_way_share", number(quotient(s.messages.under_way, s.threads * s.seconds)));
    add("messages_hidden_share", number(s.messages.share()));
    if (s.offload) add("messages_behind_batches_share", number(s.messages.batches_share()));
  }
  add("remote_faces", fmt::format("{}", s.partition.remote_faces));
  add("remote_faces_of_cubes", number(s.partition.cube_faces));
  add("migrated_leaves", fmt::format("{}", s.partition.migrated));
  add("peak_memory_bytes", fmt::format("{}", s.peak_memory));
  add("peak_memory_bytes_of_rank", fmt::format("{}", s.peak_memory_of_rank));
  add("checkpoints", fmt::format("{}", s.checkpoints));
  add("seconds_per_checkpoint", number(s.checkpoint_seconds));
  add("first_order_volume_updates", fmt::format("{}", s.first_order));
  add("floored_volume_updates", fmt::format("{}", s.floored));
  add("strayed_volume_updates", fmt::format("{}", s.strayed));
  if (s.local_steps) {
    for (const auto& [key, value] : local_steps_figures(*s.local_steps, s.step_path)) add(key, value);
  }
  if (s.offload) {
    for (const auto& [key, value] : offload_figures(*s.offload)) add(key, value);
  }
  if (s.resident) {
    for (const auto& [key, value] : resident_figures(*s.resident)) add(key, value);
  }
  return text + "\n}\n";
}

}  // namespace meander::simulation
