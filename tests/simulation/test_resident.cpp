// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Patches that live on a device: what the summary tells, memory that does not suffice, and devices that fail.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "simulation/report/estimate.hpp"
#include "simulation/report/summary.hpp"
#include "simulation/run.hpp"
#include "tests/io/scratch.hpp"
#include "tests/simulation/offload_runs.hpp"

namespace meander::simulation {
namespace {

using testing_io::message_of;

Config resident(const std::string& name, std::vector<std::string> settings = {}) {
  settings.insert(settings.begin(), {"offload.device=host", "gpu-memory.patches=device"});
  return config_of(case_called(name), settings);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// ---- refinement

// Criteria that read the state decide by numbers that the device computes, and bring nothing home; quantities
// that call library functions are computed at home.
TEST(ResidentRefinement, FollowsTheSameCriteriaOnTheDevice) {
  struct Case {
    const char *kind, *variable, *refine;
    bool on_device;
  };
  for (const Case& c :
       {Case{"jump", "density", "0.1", true}, Case{"jump", "pressure", "0.1", true},
        Case{"jump", "sound_speed", "0.02", true}, Case{"jump", "entropy", "0.1", false},
        Case{"threshold", "velocity_x", "0.3", true}, Case{"threshold", "density", "1.2", true},
        Case{"loehner", "pressure", "0.5", true}, Case{"loehner", "momentum_y", "0.5", true}}) {
    const std::vector<std::string> settings = {
        std::string("refinement[0].kind=") + c.kind, std::string("refinement[0].variable=") + c.variable,
        std::string("refinement[0].refine=") + c.refine, "mesh.regrid-every=2"};
    const auto run = [&](const Config& config) {
      auto simulation = make_simulation(config, 2);
      while (simulation->step() < 9) simulation->advance(config.time.end);
      return simulation;
    };
    const auto expected = run(config_of(case_called("riemann"), settings));
    const auto found = run(resident("riemann", settings));
    const auto home = found->resident().value().brought_home;
    EXPECT_EQ(home.count("regrid"), c.on_device ? 0u : 1u) << c.kind << ' ' << c.variable;
    const auto levels = expected->leaves().per_level;
    EXPECT_GT(std::ranges::count_if(levels, [](std::int64_t leaves) { return leaves > 0; }), 1) << c.variable;
    expect_same(outcome_of(*found), outcome_of(*expected), std::string(c.kind) + " of " + c.variable);
  }
}

// ---- the summary

TEST(ResidentSummary, CountsLaunchesHostTimeBytesAndVisitsAtHome) {
  const auto simulation = make_simulation(resident("riemann"), 1);
  for (int step = 0; step < 7; ++step) simulation->advance(simulation->config().time.end);
  simulation->totals();  // on the device
  simulation->view("a test").patches[0];
  simulation->view("another test").patches[0];
  const Summary summary = summarise(*simulation, {});
  const ResidentReport& report = summary.resident.value();
  EXPECT_FALSE(summary.offload);
  EXPECT_EQ(report.steps, 7);
  EXPECT_EQ(report.regrids, 2);
  EXPECT_EQ(report.plain_steps, 5);
  EXPECT_EQ(report.stages, 5);
  EXPECT_GT(report.launches_per_stage(), 0);
  EXPECT_LE(report.launches_per_stage(), 12);
  EXPECT_GT(report.host_seconds, 0);
  EXPECT_GT(report.bytes_in_per_step(), 0);
  EXPECT_GT(report.bytes_out_per_step(), 0);
  EXPECT_EQ(report.brought_home.count("totals"), 0u);
  EXPECT_EQ(report.brought_home.at("a test"), 1);
  EXPECT_EQ(report.brought_home.count("another test"), 0u) << "they were at home already";
  const std::string json = summary_json(summary);
  for (const char* key :
       {"device_launches_per_stage", "device_host_microseconds_per_step", "device_bytes_in_per_step",
        "device_bytes_out_per_step", "device_seconds_per_regrid", "device_regrids", "patches_brought_home",
        "gpu_memory_peak_bytes"})
    EXPECT_TRUE(contains(json, fmt::format("\"{}\": ", key))) << json;
  EXPECT_TRUE(contains(json, "\"patches_brought_home_for\": {")) << json;
  EXPECT_TRUE(contains(json, "\"a test\": 1")) << json;
  bool told = false;
  for (const std::string& line : summary_lines(summary)) told = told || contains(line, "launches per stage");
  EXPECT_TRUE(told);
}

TEST(ResidentSummary, LaunchesDoNotDependOnTheNumberOfLeaves) {
  double few = 0;
  std::int64_t leaves = 0;
  for (const char* level : {"2", "3"}) {
    const auto simulation = make_simulation(
        resident("riemann", {std::string("mesh.min-level=") + level, "mesh.regrid-every=100"}), 1);
    for (int step = 0; step < 3; ++step) simulation->advance(simulation->config().time.end);
    const double launches = simulation->resident().value().launches_per_stage();
    if (leaves > 0) {
      EXPECT_GT(simulation->leaves().total, leaves);
      EXPECT_EQ(launches, few);
    }
    few = launches;
    leaves = simulation->leaves().total;
  }
}

TEST(ResidentSummary, HasNothingWithoutADevice) {
  const auto simulation = make_simulation(config_of(case_called("riemann")), 1);
  simulation->advance(simulation->config().time.end);
  EXPECT_FALSE(simulation->resident());
  EXPECT_FALSE(simulation->device_memory());
  EXPECT_FALSE(contains(summary_json(summarise(*simulation, {})), "device_launches_per_stage"));
}

// ---- points

// A binary with horizons, Psi4 and tracked punctures: halos at their points are filled, and points read, on the device.
TEST(ResidentPointsLong, AreReadOnTheDeviceToTheSameBits) {
  const auto config = [](std::vector<std::string> settings) {
    RankCase tested = case_called("ccz4_fourth_order_binary");
    tested.text +=
        "psi4-every = 0.01\npsi4-l-max = 2\n[[horizon]]\nl-max = 4\n[[horizon]]\nl-max = 4\npuncture = 2\n";
    settings.insert(settings.end(), {"solver.scheme=rusanov", "boundary.all=outflow"});
    return config_of(tested, settings);
  };
  struct Found {
    std::vector<io::Row> rows;
    std::vector<Point<3>> punctures;
  };
  const auto found_by = [](Simulation& simulation) {
    Found found{simulation.rows().rows, {}};
    for (int step = 0; step < 2; ++step) simulation.advance(simulation.config().time.end);
    for (io::Row& row : simulation.rows().rows) found.rows.push_back(std::move(row));
    const StateView view = simulation.view();
    found.punctures.assign(view.tracked_points.begin(), view.tracked_points.end());
    return found;
  };
  const auto on_host = make_simulation(config({}), 2);
  const auto on_device = make_simulation(config({"offload.device=host", "gpu-memory.patches=device"}), 2);
  const Found expected = found_by(*on_host), found = found_by(*on_device);
  EXPECT_EQ(found.rows, expected.rows);
  EXPECT_EQ(found.punctures, expected.punctures);
  const ResidentReport report = on_device->resident().value();
  EXPECT_TRUE(report.brought_home.empty()) << report.brought_home.begin()->first;
}

// ---- memory

TEST(ResidentMemory, IsEstimatedBeforeThePatchesAreThere) {
  for (const char* name : {"riemann", "accretion_muscl", "ccz4_rusanov", "ccz4_fourth_order", "local_riemann",
                           "local_sod", "local_gauge_wave", "self_gravity", "local_accretion_poisson"}) {
    // Local steps by criteria that read the solution permit no other interval.
    const int interval =
        name == std::string_view("local_riemann") || name == std::string_view("local_sod") ? 1 : 1000;
    const auto simulation =
        make_simulation(resident(name, {fmt::format("mesh.regrid-every={}", interval)}), 1);
    const mesh::DeviceMemory wanted = simulation->device_memory().value();
    EXPECT_GT(wanted.slots, 0u);
    EXPECT_GT(wanted.tables, 0u);
    EXPECT_EQ(wanted.next > 0, simulation->solver().kernels_of_launch().stage_new_interior) << name;
    simulation->advance(simulation->config().time.end);
    const auto held = static_cast<double>(simulation->resident().value().device_bytes);
    const auto estimated = static_cast<double>(wanted.total());
    EXPECT_GT(estimated, 0.75 * held) << name;
    EXPECT_LT(estimated, 1.05 * held) << name;
  }
}

TEST(ResidentMemory, ThatDoesNotSufficeIsToldBeforeTheRun) {
  const auto wanted = make_simulation(resident("riemann"), 1)->device_memory().value();
  const std::string half = std::to_string(wanted.total() / 2);
  for (const char* key : {"limit", "quota"}) {
    const std::string said = message_of<InputError>(
        [&] { make_simulation(resident("riemann", {fmt::format("gpu-memory.{}={}", key, half)}), 1); });
    EXPECT_TRUE(contains(said, "--set gpu-memory.patches=device: gpu-memory.patches: ")) << said;
    EXPECT_TRUE(contains(said, std::to_string(wanted.total()) + " bytes: ")) << said;
    EXPECT_TRUE(contains(said, fmt::format("but {} bytes are there (gpu-memory.{})", half, key))) << said;
  }
  Config config = resident("riemann");
  gpu::HostDeviceSettings small;
  small.capacity = wanted.total() / 2;
  use(config, small);
  const std::string said = message_of<InputError>([&] { make_simulation(config, 1); });
  EXPECT_TRUE(contains(said, half + " bytes are there (its free memory)")) << said;
}

// Other programs, and other ranks, may hold memory of the device, and its driver takes some for kernels.
TEST(ResidentMemory, OfOthersIsNotFree) {
  const std::size_t wanted = make_simulation(resident("riemann"), 1)->device_memory().value().total();
  for (const bool fits : {true, false}) {
    Config config = resident("riemann");
    gpu::HostDeviceSettings settings;
    settings.capacity = (fits ? 4 : 2) * wanted;
    settings.taken = wanted;
    settings.reserved = wanted / 4;
    use(config, settings);
    if (fits) {
      make_simulation(config, 1);
      continue;
    }
    const std::string said = message_of<InputError>([&] { make_simulation(config, 1); });
    EXPECT_TRUE(contains(said, fmt::format("but {} bytes are there (its free memory)", wanted - wanted / 4)))
        << said;
  }
}

TEST(ResidentMemory, IsInTheEstimateOfARun) {
  const auto lines = estimate_run(resident("riemann"), 1, {}, 0);
  bool told = false;
  for (const std::string& line : lines)
    told = told || (contains(line, " on 1 device (") && contains(line, " slots,"));
  EXPECT_TRUE(told) << fmt::format("{}", fmt::join(lines, "\n"));
}

TEST(ResidentMemory, EstimateNamesCriteriaThatReadPatchesOnTheHost) {
  const auto told = [](const char* variable) {
    const auto lines =
        estimate_run(resident("riemann", {"refinement[0].kind=jump", "refinement[0].refine=0.1",
                                          std::string("refinement[0].variable=") + variable}),
                     1, {}, 0);
    return contains(fmt::format("{}", fmt::join(lines, "\n")),
                    "each regrid copies all patches to the host: refinement[0] has no kernel for devices");
  };
  EXPECT_FALSE(told("density"));
  EXPECT_TRUE(told("entropy"));
}

// ---- failures. What had been written is intact: a run on the host continues from it, to the same bits.

class ResidentFailure : public testing::TestWithParam<const char*> {
 protected:
  // The message that ends the run.
  std::string end_of(const gpu::HostDeviceSettings& settings, std::vector<std::string> more = {}) {
    more.insert(more.end(), {"checkpoint.every-steps=2", "checkpoint.keep=100", "time.max-steps=14",
                             "output.history-steps=1"});
    Config config = resident(GetParam(), more);
    use(config, settings);
    return message_of<Failure>([&] { simulation::run(config, {.threads = 1, .output = directory()}, {}); });
  }
  std::string directory() const { return scratch_.file("run"); }

  void expect_that_it_continues(const std::string& checkpoint) {
    ASSERT_TRUE(std::filesystem::exists(checkpoint)) << checkpoint;
    const io::CheckpointReader reader(checkpoint, {});
    Config config = config_of(case_called(GetParam()));
    const int steps = static_cast<int>(reader.state().step) + 4;
    auto reread = io::CheckpointReader(checkpoint, {});
    const auto continued = restart_simulation(config, 1, {}, reread);
    const auto whole = make_simulation(config, 1);
    for (const auto& simulation : {continued.get(), whole.get()}) {
      while (simulation->step() < steps) simulation->advance(config.time.end);
    }
    expect_same(outcome_of(*continued), outcome_of(*whole), "continued");
  }

 private:
  testing_io::Scratch scratch_;
};

INSTANTIATE_TEST_SUITE_P(Simulation, ResidentFailure, testing::Values("riemann", "self_gravity"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST_P(ResidentFailure, ALostDeviceEndsTheRunAndNamesTheCheckpoint) {
  gpu::HostDeviceSettings mortal;
  mortal.dies_after = GetParam() == std::string_view("riemann") ? 3000 : 6000;
  const std::string said = end_of(mortal);
  EXPECT_TRUE(contains(said, "host:0")) << said;
  EXPECT_TRUE(contains(said, "is lost")) << said;
  EXPECT_TRUE(contains(said, "the patches on the device are lost; files written before are intact")) << said;
  const std::size_t at = said.find("continue with: meander restart ");
  ASSERT_NE(at, std::string::npos) << said;
  const std::string checkpoint = said.substr(at + std::string("continue with: meander restart ").size());
  expect_that_it_continues(checkpoint);
}

TEST_P(ResidentFailure, AFailingKernelEndsTheRun) {
  gpu::HostDeviceSettings failing;
  failing.failing_launch = GetParam() == std::string_view("riemann") ? 3 : 500;
  const std::string said = end_of(failing);
  EXPECT_TRUE(contains(said, "step 1: ")) << said;
  EXPECT_TRUE(contains(said, "failed (injected)")) << said;
  EXPECT_TRUE(contains(said, "there is no checkpoint")) << said;
}

// Enough memory for the initial mesh only.
TEST_P(ResidentFailure, NoMemoryAtARegridEndsTheRunAsOnTheHost) {
  gpu::HostDeviceSettings small;
  {
    const auto simulation = make_simulation(resident(GetParam(), {"checkpoint.every-steps=2"}), 1);
    simulation->advance(simulation->config().time.end);
    small.capacity = static_cast<std::size_t>(simulation->resident().value().peak_device_bytes);
  }
  const std::string said = end_of(small);
  EXPECT_TRUE(contains(said, ": out of memory for the refined mesh (out of device memory on device 0"))
      << said;
  EXPECT_TRUE(contains(said, "files written so far are intact")) << said;
  expect_that_it_continues(directory() + "/chk_000002.hdf5");
}

}  // namespace
}  // namespace meander::simulation
