// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/control/output_counters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/error.hpp"

namespace meander::simulation {
namespace {

constexpr const char* next_plot_counter = "next-plot";
constexpr const char* last_plot_counter = "last-plot-step";
constexpr const char* last_row_counter = "last-history-step";
constexpr const char* final_row_counter = "final-history-row";
constexpr const char* before_final_counter = "history-step-before-final";

}  // namespace

OutputCounters OutputCounters::of(const io::CheckpointState& checkpoint, const std::string& path) {
  OutputCounters counters;
  const auto read = [&](const char* name, int& counter, std::int64_t least, std::int64_t most) {
    for (const auto& [found, value] : checkpoint.counters) {
      if (found != name) continue;
      if (value < least || value > std::min<std::int64_t>(most, std::numeric_limits<int>::max()))
        throw InputError(fmt::format("{}: {} = {} is invalid", path, name, value));
      counter = static_cast<int>(value);
    }
  };
  // At most one plot a step, and one of the initial state.
  read(next_plot_counter, counters.next_plot, 0, checkpoint.step + 1);
  read(last_plot_counter, counters.last_plot_step, -1, checkpoint.step);
  read(last_row_counter, counters.last_row_step, -1, checkpoint.step);
  read(before_final_counter, counters.row_before_final, -1, checkpoint.step);
  int is_final = 0;
  read(final_row_counter, is_final, 0, 1);
  counters.last_row_is_final = is_final != 0;
  return counters;
}

void OutputCounters::save(io::CheckpointState& checkpoint) const {
  checkpoint.counters.emplace_back(next_plot_counter, next_plot);
  checkpoint.counters.emplace_back(last_plot_counter, last_plot_step);
  checkpoint.counters.emplace_back(last_row_counter, last_row_step);
  if (!last_row_is_final) return;
  checkpoint.counters.emplace_back(final_row_counter, 1);
  checkpoint.counters.emplace_back(before_final_counter, row_before_final);
}

void OutputCounters::drop_final_row() {
  last_row_step = row_before_final;
  last_row_is_final = false;
}

}  // namespace meander::simulation
