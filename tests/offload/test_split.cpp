// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Division of the enclaves between devices and threads for given rates, and the overlap meter.

#include <gtest/gtest.h>

#include "base/overlap.hpp"
#include "offload/split.hpp"

namespace meander::offload {
namespace {

constexpr int batch_size = 8;

// A sweep with these times in seconds: `thread` a patch on threads, `device` a patch on devices, `flight` a
// batch.
void learn(Split& split, double thread, double device, double flight) {
  split.begin(2 * batch_size);
  for (int i = 0; i < batch_size; ++i) {
    split.updated(thread);
    split.returned(flight / batch_size);
  }
  split.end(device * batch_size);
}

TEST(Split, UnknownRatesPermitEverything) {
  Split split({}, batch_size, 4);
  split.begin(100);
  EXPECT_TRUE(split.reserve_batch());
  EXPECT_TRUE(split.reserve_patch(1, 0));
}

TEST(Split, RefusesBatchesThatThreadsFinishEarlier) {
  Split split({}, batch_size, 4);
  learn(split, 1e-5, 1e-5, 1e-3);
  EXPECT_DOUBLE_EQ(split.rates().thread_patch, 1e-5);
  EXPECT_DOUBLE_EQ(split.rates().device_patch, 1e-5);
  EXPECT_DOUBLE_EQ(split.rates().batch, 1e-3);
  // Four threads do 400 patches in the time of a batch.
  split.begin(408 + batch_size);
  EXPECT_TRUE(split.reserve_batch());
  EXPECT_TRUE(split.reserve_batch());
  EXPECT_FALSE(split.reserve_batch());
  split.sent(batch_size, 0);
  EXPECT_TRUE(split.reserve_batch());
}

// A device that takes smaller batches gets the same share in more of them, and its batches are known to be short.
TEST(Split, CountsTheTasksThatWereSent) {
  Split fixed({false, 0.5}, batch_size, 2);
  fixed.begin(100);
  for (int i = 0; i < 40; ++i) fixed.put();
  std::size_t sent = 0;
  for (; const std::size_t reserved = fixed.reserve_batch(); sent += 2) fixed.sent(reserved, 2);
  EXPECT_EQ(sent, 20U);
  Split measured({}, batch_size, 4);
  measured.begin(100);
  measured.sent(measured.reserve_batch(), 2);
  for (int i = 0; i < 2; ++i) {
    measured.updated(1e-5);
    measured.returned(1e-3 / 2);
  }
  measured.end(1e-3);
  EXPECT_DOUBLE_EQ(measured.rates().batch, 1e-3);
}

TEST(Split, LeavesPatchesToFasterDevices) {
  Split split({}, batch_size, 4);
  learn(split, 1e-4, 1e-5, 1e-4);
  split.begin(100);
  EXPECT_FALSE(split.reserve_patch(9, 0)) << "devices finish nine patches before a thread finishes one";
  EXPECT_TRUE(split.reserve_patch(20, 0));
  EXPECT_TRUE(split.reserve_patch(9, 8)) << "batches in flight precede it";
}

TEST(Split, SmoothsRatesAndRetriesSlowDevices) {
  Split split({}, batch_size, 1);
  learn(split, 1e-5, 1e-5, 1);
  learn(split, 2e-5, 1e-5, 1);
  EXPECT_DOUBLE_EQ(split.rates().thread_patch, 1.25e-5);
  int sweeps = 0;
  for (bool taken = false; !taken && sweeps < 1000; ++sweeps) {
    split.begin(1000);
    taken = split.reserve_batch();
    split.end(0);
  }
  EXPECT_GT(sweeps, 10);
  EXPECT_LT(sweeps, 200);
}

TEST(Split, KeepsAFixedShare) {
  Split split({false, 0.5}, batch_size, 2);
  split.begin(100);
  for (int i = 0; i < 40; ++i) split.put();
  EXPECT_TRUE(split.reserve_batch());
  EXPECT_TRUE(split.reserve_batch());
  EXPECT_FALSE(split.reserve_batch()) << "16 of 20";
  for (int i = 0; i < 24; ++i) EXPECT_TRUE(split.reserve_patch(24, 0)) << i;
  EXPECT_FALSE(split.reserve_patch(1, 0));
}

TEST(OverlapMeter, CountsUpdatesWhileMessagesAreUnderWay) {
  OverlapMeter meter;
  meter.begin(100);
  meter.begin(150);
  EXPECT_EQ(meter.until(180), 80);
  meter.end(200);
  meter.end(300);
  EXPECT_EQ(meter.until(400), 100);
  meter.begin(500);
  EXPECT_EQ(meter.until(520), 120);
  const OverlapTime none;
  EXPECT_EQ(none.share(), 1);
  OverlapMeter messages;
  const auto work = [&] {
    OverlapScope overlap(&messages);
    const std::int64_t end = steady_nanoseconds() + 2'000'000;
    while (steady_nanoseconds() < end) {
    }
    return overlap.end();
  };
  EXPECT_GE(work(), 2e-3);
  EXPECT_EQ(messages.time(1).hidden, 0) << "nothing was under way";
  messages.begin();
  work();
  messages.end();
  EXPECT_GE(messages.time(1).hidden, 2e-3);
  EXPECT_LE(messages.time(1).share(), 1);
  EXPECT_LE(messages.time(2).share(), 0.5);
  messages.add_batches(messages.until(steady_nanoseconds()));
  EXPECT_EQ(messages.time(3).batches_share(), 1);
}

}  // namespace
}  // namespace meander::offload
