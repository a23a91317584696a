// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/device.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>

#include "gpu/cuda_device.hpp"
#include "gpu/host_device.hpp"
#include "gpu/openmp_device.hpp"

namespace meander::gpu {

namespace {

constexpr int max_devices = 64;

std::vector<std::unique_ptr<Device>> emulated(int count, HostDeviceSettings settings) {
  std::vector<std::unique_ptr<Device>> devices;
  for (int i = 0; i < count; ++i) {
    settings.number = i;
    devices.push_back(std::make_unique<HostDevice>(settings));
  }
  return devices;
}

}  // namespace

#ifndef MEANDER_CUDA
std::string why_no_cuda() {
  return "this program was built without CUDA";
}

std::vector<std::unique_ptr<Device>> make_cuda_devices() {
  return {};
}
#endif

#ifndef MEANDER_OPENMP
std::string why_no_openmp() {
  return "this program was built without OpenMP offloading";
}

std::vector<std::unique_ptr<Device>> make_openmp_devices() {
  return {};
}
#endif

std::string why_missing(const std::string& kind) {
  if (kind == "host") return "";
  if (kind == "cuda") return why_no_cuda();
  if (kind == "openmp") return why_no_openmp();
  return "unknown kind of device";
}

std::vector<std::unique_ptr<Device>> make_devices(const std::string& name) {
  return make_devices(name, HostDeviceSettings{});
}

std::vector<std::unique_ptr<Device>> make_devices(const std::string& name,
                                                  const HostDeviceSettings& settings) {
  if (name == "none") return {};
  if (name == "host") return emulated(1, settings);
  if (name.starts_with("host:")) {
    int count = 0;
    const char* end = name.data() + name.size();
    const auto [rest, error] = std::from_chars(name.data() + 5, end, count);
    if (error != std::errc() || rest != end || count < 1 || count > max_devices)
      throw InputError(
          fmt::format("device \"{}\": N of host:N must be a number from 1 to {}", name, max_devices));
    return emulated(count, settings);
  }
  if (name == "openmp") {
    const std::string reason = why_no_openmp();
    if (reason.empty()) return make_openmp_devices();
    throw InputError(
        fmt::format("device \"openmp\": {}; available: \"none\" and \"host\" (emulated)", reason));
  }
  if (name == "cuda" || name == "auto") {
    // Hardware queues of the driver, which reads it once. With fewer than there are streams, work of one
    // stream waits for that of another.
    ::setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", /*overwrite=*/0);
    const std::string reason = why_no_cuda();
    if (reason.empty()) return make_cuda_devices();
    if (name == "auto") return {};
    throw InputError(fmt::format("device \"cuda\": {}; available: \"none\" and \"host\" (emulated)", reason));
  }
  throw InputError(fmt::format(
      "unknown device \"{}\"; available: \"auto\", \"none\", \"host\", \"host:N\", \"cuda\" and \"openmp\"",
      name));
}

}  // namespace meander::gpu
