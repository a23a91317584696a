// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace meander::gpu {

inline constexpr std::size_t kib = 1024, mib = 1024 * kib;

}  // namespace meander::gpu
