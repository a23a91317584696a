// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Devices for tests of the interface: the emulated one always, CUDA if there is a GPU, OpenMP if the build
// offloads.

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "gpu/device.hpp"

namespace meander::gpu::test {

// Skips the test, with the reason, if the device does not exist.
class OnDevice : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const std::string reason = why_missing(GetParam());
    if (!reason.empty()) GTEST_SKIP() << GetParam() << ": " << reason;
    devices_ = make_devices(GetParam());
    ASSERT_FALSE(devices_.empty());
  }
  Device& device() { return *devices_.front(); }

 private:
  std::vector<std::unique_ptr<Device>> devices_;
};

inline std::string device_name(const ::testing::TestParamInfo<std::string>& info) {
  return info.param;
}

}  // namespace meander::gpu::test
