// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Runs whose patches live on a device are bitwise identical to runs in host memory, on any number of ranks.

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>

#include "gpu/host_device.hpp"
#include "simulation/output.hpp"
#include "tests/offload/watched_device.hpp"
#include "tests/simulation/mpi/cases.hpp"
#include "tests/simulation/mpi/outcome.hpp"
#include "tests/simulation/mpi/write_checkpoint.hpp"

namespace meander::simulation {
namespace {

const std::vector<std::string> patches_on_device = {"offload.device=host", "gpu-memory.patches=device"};

// The blocks of an emulated device have one thread, which makes CCZ4 slow.
int steps_of(const RankCase& tested) {
  return tested.name.starts_with("ccz4") ? std::min(tested.steps, world().size() > 3 ? 1 : 2) : tested.steps;
}

Outcome run(const Config& config, int steps, int threads, const parallel::Communicator& communicator) {
  const auto simulation = make_simulation(config, threads, communicator);
  while (simulation->step() < steps) simulation->advance(config.time.end);
  // What reads the state at points or sums it over shells brings nothing home.
  simulation->measures();
  if (const auto report = simulation->resident()) {
    std::vector<const char*> reasons = {"punctures", "psi4 modes"};
    if (config.scenario_name == "accretion" || config.scenario_name == "sedov") reasons.push_back("scenario");
    for (const char* reason : reasons) EXPECT_EQ(report->brought_home.count(reason), 0U) << reason;
  }
  return outcome_of(*simulation);
}

class ResidentRanksLong : public testing::TestWithParam<RankCase> {};
const std::vector<std::string> quick_on_devices = {"riemann", "ccz4_rusanov", "local_riemann"};
INSTANTIATE_TEST_SUITE_P(Quick, ResidentRanksLong,
                         testing::ValuesIn(named(all_rank_cases(), quick_on_devices)), name_of);
INSTANTIATE_TEST_SUITE_P(Simulation, ResidentRanksLong,
                         testing::ValuesIn(unnamed(all_rank_cases(), quick_on_devices)), name_of);

TEST_P(ResidentRanksLong, ChangeNoBit) {
  const RankCase& tested = GetParam();
  const int steps = steps_of(tested);
  const Outcome reference = alone([&](const auto& one) { return run(config_of(tested), steps, 1, one); });
  const Config config = config_of(tested, patches_on_device);
  expect_same(run(config, steps, 3, world()), reference, "on devices");
}

// On a GPU, where there is one.
TEST_P(ResidentRanksLong, ChangeNoBitOnCuda) {
  const std::string reason = gpu::why_missing("cuda");
  if (!reason.empty()) GTEST_SKIP() << "cuda: " << reason;
  const RankCase& tested = GetParam();
  const Outcome reference =
      alone([&](const auto& one) { return run(config_of(tested), tested.steps, 1, one); });
  const Config config = config_of(tested, {"offload.device=cuda", "gpu-memory.patches=device"});
  expect_same(run(config, tested.steps, 1, world()), reference, "on GPUs");
}

// With messages in host memory, and in that of the devices.
class ResidentTogether : public testing::TestWithParam<const char*> {};
class ResidentTogetherLong : public ResidentTogether {};
INSTANTIATE_TEST_SUITE_P(Messages, ResidentTogether, testing::Values("host", "device"),
                         [](const auto& tested) { return std::string(tested.param); });
INSTANTIATE_TEST_SUITE_P(Messages, ResidentTogetherLong, testing::Values("host", "device"),
                         [](const auto& tested) { return std::string(tested.param); });

Config with_messages(const RankCase& tested, const std::string& place) {
  std::vector<std::string> settings = patches_on_device;
  settings.push_back("gpu-memory.messages=" + place);
  return config_of(tested, settings);
}

// As on nodes of which some have no GPU.
TEST_P(ResidentTogetherLong, SomeRanksMayHaveNoDevice) {
  for (const char* name : {"riemann", "accretion_muscl", "accretion_dual", "local_riemann", "self_gravity"}) {
    const RankCase tested = case_called(name);
    const Outcome reference =
        alone([&](const auto& one) { return run(config_of(tested), tested.steps, 1, one); });
    Config config = with_messages(tested, GetParam());
    config.offload.make_devices = [] {
      std::vector<std::unique_ptr<gpu::Device>> devices;
      if (world().rank() % 2 == 0)
        devices.push_back(std::make_unique<gpu::HostDevice>(gpu::HostDeviceSettings{}));
      return devices;
    };
    expect_same(run(config, tested.steps, 1, world()), reference, name);
  }
}

TEST(ResidentMessagesLong, InPlaceChangeNoBitAndCrossNoLink) {
  for (const char* name : {"riemann", "accretion_dual", "ccz4_rusanov", "local_riemann", "self_gravity"}) {
    const RankCase tested = case_called(name);
    const int steps = steps_of(tested);
    const Outcome reference = alone([&](const auto& one) { return run(config_of(tested), steps, 1, one); });
    std::int64_t out[2] = {}, in_place[2] = {};
    for (const std::string place : {"host", "device"}) {
      const Config config = with_messages(tested, place);
      const auto simulation = make_simulation(config, 2, world());
      while (simulation->step() < steps) simulation->advance(config.time.end);
      const auto report = sum_over_ranks(simulation->resident(), world());
      out[place == "device"] = report.value().bytes_out;
      in_place[place == "device"] = report.value().messages_in_place;
      expect_same(outcome_of(*simulation), reference, name);
    }
    EXPECT_EQ(in_place[0], 0) << name;
    EXPECT_EQ(in_place[1], world().size()) << name;
    EXPECT_EQ(out[1]<out[0], world().size()> 1) << name;
  }
}

TEST(ResidentMessagesLong, ASlowDeviceGetsFewerLeavesByMeasuredWeights) {
  if (world().size() == 1) GTEST_SKIP() << "one rank";
  const RankCase tested = case_called("riemann");
  const Outcome reference =
      alone([&](const auto& one) { return run(config_of(tested), tested.steps, 1, one); });
  Config config = config_of(tested, patches_on_device);
  config.mesh.measured_weights = true;
  config.mesh.partition_imbalance = 1;
  const bool has_device = world().rank() == 0;
  config.offload.make_devices = [&] {
    std::vector<std::unique_ptr<gpu::Device>> devices;
    gpu::HostDeviceSettings slow;
    slow.kernel_delay = 0.05;  // a thread updates all leaves in a tenth of it
    if (has_device) devices.push_back(std::make_unique<gpu::HostDevice>(slow));
    return devices;
  };
  const auto simulation = make_simulation(config, 1, world());
  while (simulation->step() < tested.steps) simulation->advance(config.time.end);
  const auto own = static_cast<std::int64_t>(simulation->view().patches.size());
  const std::int64_t of_device = world().sum(has_device ? own : std::int64_t{0});
  EXPECT_LT(2 * of_device * world().size(), world().sum(own)) << "less than half of an equal share";
  expect_same(outcome_of(*simulation), reference, "with a slow device");
}

// Holds the update of the interior back until the halos of its stage are packed.
class HeldInterior {
 public:
  std::unique_ptr<gpu::Device> device() {
    auto device = std::make_unique<offload::test::WatchedDevice>();
    auto* const watched = device.get();
    watched->watch_launches(
        [this, watched](gpu::Queue queue, std::string_view name) {
          if (name != "update") return;
          if (watched->is_urgent(queue)) awaited_ = submitted_ + 1;
          if (awaited_ <= submitted_ || watched->is_urgent(queue)) return;
          ++held_;
          watched->call_host(queue, [this, packs = awaited_] {
            if (late_ > 0) return;
            std::unique_lock lock(mutex_);
            if (!packed_more_.wait_for(lock, std::chrono::seconds(10), [&] { return packed_ >= packs; }))
              ++late_;
          });
        },
        [this, watched](gpu::Queue queue, std::string_view name) {
          if (name != "pack halos") return;
          ++submitted_;
          watched->call_host(queue, [this] {
            const std::lock_guard lock(mutex_);
            ++packed_;
            packed_more_.notify_all();
          });
        });
    return device;
  }
  int held() const { return held_; }
  int late() const { return late_; }

 private:
  int awaited_ = 0, submitted_ = 0, held_ = 0;
  std::mutex mutex_;
  std::condition_variable packed_more_;
  int packed_ = 0;
  std::atomic<int> late_{0};
};

TEST_P(ResidentTogether, NoMessageWaitsForTheInterior) {
  if (world().size() == 1) GTEST_SKIP() << "one rank";
  const RankCase tested = case_called("riemann");
  const Outcome reference =
      alone([&](const auto& one) { return run(config_of(tested), tested.steps, 1, one); });
  Config config = with_messages(tested, GetParam());
  HeldInterior interior;
  config.offload.make_devices = [&] {
    std::vector<std::unique_ptr<gpu::Device>> devices;
    devices.push_back(interior.device());
    return devices;
  };
  expect_same(run(config, tested.steps, 1, world()), reference, "with a held interior");
  EXPECT_GT(world().sum(std::int64_t{interior.held()}), 0);
  EXPECT_EQ(interior.late(), 0);
}

TEST(ResidentMessages, FiguresAreSummedOverRanks) {
  const Config config = config_of(case_called("riemann"), patches_on_device);
  const auto simulation = make_simulation(config, 1, world());
  while (simulation->step() < 4) simulation->advance(config.time.end);
  simulation->view("a test").patches[0];
  const auto report = sum_over_ranks(simulation->resident(), world());
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->devices, world().size());
  EXPECT_EQ(report->steps, 4 * world().size());
  EXPECT_EQ(report->plain_steps, 3 * world().size());
  EXPECT_EQ(report->regrids, world().size());
  EXPECT_EQ(report->stages, report->plain_steps);
  EXPECT_GT(report->launches_per_stage(), 0);
  EXPECT_EQ(report->brought_home.at("a test"), world().size());
  const double own = static_cast<double>(simulation->resident()->bytes_out) / 4;
  EXPECT_GE(report->bytes_out_per_step(), own);
}

TEST(ResidentMessages, RanksOnOneDeviceShareItsQuota) {
  const RankCase tested = case_called("riemann");
  const auto wanted =
      make_simulation(config_of(tested, patches_on_device), 1, world())->device_memory().value();
  const auto together = static_cast<double>(world().sum(static_cast<std::int64_t>(wanted.total())));
  // Each alone would fit.
  std::vector<std::string> settings = patches_on_device;
  settings.push_back("gpu-memory.quota=" + std::to_string(0.9 * together));
  const Config config = config_of(tested, settings);
  EXPECT_THROW(make_simulation(config, 1, world()), InputError);
}

// The first half in host memory and the second on devices, and the other way round. CCZ4 with local steps on two ranks
// only, because it is slow there.
TEST(ResidentRestartLong, ChangesNoBit) {
  const char* const ccz4 = world().size() == 2 ? "local_gauge_wave" : "ccz4_rusanov";
  for (const char* name : {"accretion_muscl", "sedov", ccz4, "local_riemann"}) {
    const RankCase tested = case_called(name);
    const int steps = steps_of(tested), half = steps / 2 | 1;
    const Config on_host = config_of(tested), resident = with_messages(tested, "device");
    const Outcome reference = alone([&](const auto& one) { return run(on_host, steps, 1, one); });
    pid_t root = getpid();
    world().broadcast(root);
    const std::string path =
        (std::filesystem::temp_directory_path() / ("meander-test-resident-" + std::to_string(root))).string();
    for (const auto& [first, second] : {std::pair{&on_host, &resident}, std::pair{&resident, &on_host}}) {
      {
        const auto simulation = make_simulation(*first, 1, world());
        while (simulation->step() < half) simulation->advance(first->time.end);
        write_checkpoint(*simulation, path);
      }
      {
        io::CheckpointReader checkpoint(path, world());
        const auto simulation = restart_simulation(*second, 2, world(), checkpoint);
        while (simulation->step() < steps) simulation->advance(second->time.end);
        expect_same(outcome_of(*simulation), reference, name);
      }
      world().barrier();
      if (world().is_root()) std::filesystem::remove(path);
    }
  }
}

}  // namespace
}  // namespace meander::simulation
