// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "base/exact_sum.hpp"
#include "parallel/communicator.hpp"

namespace meander::parallel {

// Each sum becomes that over all ranks, with one message. Collective.
void sum_over_ranks(const Communicator& communicator, std::span<ExactSum> sums);

}  // namespace meander::parallel
