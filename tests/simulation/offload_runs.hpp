// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Runs with emulated devices, compared bitwise with a run without devices.

#include <gtest/gtest.h>

#include <map>

#include "gpu/host_device.hpp"
#include "tests/simulation/mpi/cases.hpp"
#include "tests/simulation/mpi/outcome.hpp"

namespace meander::simulation {

struct Problem {
  std::string name;
  int steps;
};
// Refined balls in the middle of a coarse mesh, so that there are enclaves of several levels.
inline const Problem problems[] = {{"accretion_muscl", 6}, {"riemann", 14}, {"accretion_dual", 6}};

inline RankCase tested(const Problem& problem) {
  RankCase result = case_called(problem.name);
  if (problem.name == "riemann") result.settings.push_back("mesh.min-level=3");
  return result;
}

inline std::unique_ptr<Simulation> run(const Config& config, const Problem& problem, int threads) {
  auto simulation = make_simulation(config, threads);
  while (simulation->step() < problem.steps) simulation->advance(config.time.end);
  return simulation;
}

inline const Outcome& reference(const Problem& problem) {
  static std::map<std::string, Outcome> known;
  auto [entry, is_new] = known.try_emplace(problem.name);
  if (is_new) entry->second = outcome_of(*run(config_of(tested(problem)), problem, 1));
  return entry->second;
}

// Offloads as much as possible, independently of the speed of the emulated device.
inline Config offloading(const Problem& problem, std::vector<std::string> settings) {
  settings.insert(settings.begin(), {"offload.device=host", "offload.split=fixed"});
  return config_of(tested(problem), settings);
}

// Devices with these settings in place of those of the input.
inline void use(Config& config, const gpu::HostDeviceSettings& settings, int count = 1) {
  config.offload.make_devices = [=] {
    std::vector<std::unique_ptr<gpu::Device>> devices;
    for (int i = 0; i < count; ++i) {
      gpu::HostDeviceSettings one = settings;
      one.number = i;
      devices.push_back(std::make_unique<gpu::HostDevice>(one));
    }
    return devices;
  };
}

inline OffloadReport expect_same_bits(const Config& config, const Problem& problem, int threads,
                                      const std::string& whose) {
  const auto simulation = run(config, problem, threads);
  expect_same(outcome_of(*simulation), reference(problem), problem.name + ", " + whose);
  const auto report = simulation->offload();
  EXPECT_TRUE(report.has_value());
  return report.value_or(OffloadReport{});
}

}  // namespace meander::simulation
