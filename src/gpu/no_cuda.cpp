// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/cuda_device.hpp"

#ifndef MEANDER_CUDA
namespace meander::gpu {

std::string why_no_cuda() {
  return "this program was built without CUDA";
}

std::vector<std::unique_ptr<Device>> make_cuda_devices() {
  return {};
}

}  // namespace meander::gpu
#endif
