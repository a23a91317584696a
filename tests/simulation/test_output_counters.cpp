// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Counters of plots and rows in a checkpoint: continued, and refused out of range.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "simulation/output.hpp"

namespace meander::simulation {
namespace {

OutputCounters read(const io::CheckpointState& state) {
  return OutputCounters::of(state, "run/chk_000020.hdf5");
}

TEST(OutputCounters, AreThoseThatWereSaved) {
  for (const bool is_final : {false, true}) {
    io::CheckpointState state;
    state.step = 20;
    OutputCounters{7, 19, 20, is_final, 18}.save(state);
    state.counters.emplace_back("volume-updates", std::int64_t{1} << 60);
    OutputCounters found = read(state);
    EXPECT_EQ(found.next_plot, 7);
    EXPECT_EQ(found.last_plot_step, 19);
    EXPECT_EQ(found.last_row_step, 20);
    EXPECT_EQ(found.last_row_is_final, is_final);
    EXPECT_EQ(found.row_before_final, is_final ? 18 : -1);
    found.drop_final_row();
    EXPECT_EQ(found.last_row_step, is_final ? 18 : -1);
    EXPECT_FALSE(found.last_row_is_final);
  }
}

// A plot number of 2^40 became 0, and plots were written over those of the run.
TEST(OutputCounters, OutOfRangeAreRefused) {
  const auto answer = [](const char* name, std::int64_t value) -> std::string {
    io::CheckpointState state;
    state.step = 20;
    state.counters = {{name, value}};
    try {
      read(state);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  for (const char* name : {"next-plot", "last-plot-step", "last-history-step", "history-step-before-final"}) {
    const std::int64_t least = std::string(name) == "next-plot" ? 0 : -1, most = 20 + (least + 1);
    EXPECT_EQ(answer(name, least), "");
    EXPECT_EQ(answer(name, most), "");
    for (const std::int64_t value : {least - 1, most + 1, std::int64_t{1} << 40, std::int64_t{-7}}) {
      EXPECT_EQ(answer(name, value),
                "run/chk_000020.hdf5: " + std::string(name) + " = " + std::to_string(value) + " is invalid");
    }
  }
}

}  // namespace
}  // namespace meander::simulation
