// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/openmp_device.hpp"

#ifndef MEANDER_OPENMP
namespace meander::gpu {

std::string why_no_openmp() {
  return "this program was built without OpenMP offloading";
}

std::vector<std::unique_ptr<Device>> make_openmp_devices() {
  return {};
}

}  // namespace meander::gpu
#endif
