// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Messages of devices whose links are slow on some ranks: those of faster ranks arrive while a device still copies.
#include <gtest/gtest.h>

#include <chrono>
#include <numeric>
#include <thread>
#include <vector>

#include "gpu/host_device.hpp"
#include "gpu/memory_cache.hpp"
#include "gpu/pmr.hpp"
#include "mesh/device_messages.hpp"
#include "tests/mesh/inert_solver.hpp"
#include "tests/mesh/mpi/distributed_trees.hpp"

namespace meander::mesh {
namespace {

using parallel::NeighbourMessages;

// With messages in host memory, or in place.
class DeviceMessagesTest : public ::testing::TestWithParam<bool> {
 protected:
  static constexpr std::size_t doubles = 100;

  static bool is_slow() { return test::world().rank() % 2 == 0; }
  static gpu::HostDeviceSettings link() {
    gpu::HostDeviceSettings settings;
    if (is_slow()) settings.copy_latency = 20e-3;
    return settings;
  }
  // The messages of a ring; on one rank, to itself.
  NeighbourMessages ring() {
    const int rank = test::world().rank(), ranks = test::world().size();
    const std::vector<NeighbourMessages::Peer> peers = {{(rank + 1) % ranks, doubles, 0},
                                                        {(rank + ranks - 1) % ranks, 0, doubles}};
    return {test::world(), 1, peers, "ring", pinned_};
  }
  // What a rank sends in a round.
  static std::vector<double> content(int rank, int round) {
    std::vector<double> values(doubles);
    std::iota(values.begin(), values.end(), 1000 * rank + 100000 * round);
    return values;
  }
  // Copies within the device, in the order of the queue. What reads messages is slow on some ranks.
  void copy(const DeviceLaunches& launches, double* to, const double* from) {
    const bool slow = is_slow() && launches.queue == launches_.queue;
    device_.launch(launches.queue, "copy", [=](const gpu::Execution& execution) {
      if (slow) std::this_thread::sleep_for(std::chrono::milliseconds(20));
      std::copy_n(execution.address(from, doubles), doubles, execution.address(to, doubles));
    });
  }

  InertSolver solver_{2, 1, solvers::HaloShape::faces, solvers::Prolongation::constant};
  gpu::HostDevice device_{link()};
  gpu::MemoryCache memory_{device_, gpu::Space::device}, pinned_memory_{device_, gpu::Space::pinned};
  gpu::PmrResource pinned_{pinned_memory_};
  DeviceCounts counts_;
  DeviceLaunches launches_{
      solver_, {}, device_, device_.create_queue(), counts_, *std::pmr::new_delete_resource(), GetParam()};
  DeviceLaunches border_{
      solver_, {}, device_, device_.create_queue(), counts_, *std::pmr::new_delete_resource(), GetParam()};
};

INSTANTIATE_TEST_SUITE_P(InPlace, DeviceMessagesTest, ::testing::Bool());

TEST_P(DeviceMessagesTest, SlowReadersAreNotOverwritten) {
  constexpr int rounds = 5;
  NeighbourMessages ring = this->ring();
  DeviceMessages messages(border_, launches_, memory_);
  messages.rebuild(ring);
  gpu::DeviceArray<double> contents(device_, memory_), kept(device_, memory_);
  std::vector<double> to_send;
  for (int round = 0; round < rounds; ++round) {
    const auto values = content(test::world().rank(), round);
    to_send.insert(to_send.end(), values.begin(), values.end());
  }
  contents.upload(border_.queue, to_send);
  kept.resize(launches_.queue, rounds * doubles);
  for (std::size_t round = 0; round < rounds; ++round) {
    messages.expect();
    // The next message of a faster rank arrives before the copy of the last one has ended.
    for (int i = 0; i < 50 && is_slow(); ++i) {
      ring.poll();
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    copy(border_, messages.sent(), contents.data() + round * doubles);
    messages.copy_out();
    messages.send();
    messages.receive(&NeighbourMessages::wait);
    copy(launches_, kept.data() + round * doubles, messages.received());
  }
  EXPECT_EQ(counts_.bytes_out, GetParam() ? 0 : std::int64_t{rounds * doubles * sizeof(double)});
  std::vector<double> found(rounds * doubles);
  launches_.copy_out(found.data(), kept.data(), found.size());
  device_.synchronize(launches_.queue);
  const int ranks = test::world().size(), sender = (test::world().rank() + ranks - 1) % ranks;
  for (int round = 0; round < rounds; ++round) {
    const auto begin = found.begin() + round * static_cast<std::ptrdiff_t>(doubles);
    ASSERT_EQ(std::vector<double>(begin, begin + doubles), content(sender, round)) << "in round " << round;
  }
}

TEST_P(DeviceMessagesTest, WithoutMessagesDoNothing) {
  NeighbourMessages none;
  DeviceMessages messages(launches_, launches_, memory_);
  const auto exchange = [&] {
    EXPECT_TRUE(messages.is_empty());
    messages.expect();
    messages.pack("pack", gpu::DeviceArray<solvers::PackItem>(device_, memory_));
    messages.send();
    messages.receive([](NeighbourMessages&) { ADD_FAILURE() << "waits"; });
  };
  exchange();
  messages.rebuild(none);
  exchange();
  EXPECT_EQ(counts_.launches, 0);
}

}  // namespace
}  // namespace meander::mesh
