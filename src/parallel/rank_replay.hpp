// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Runs a program for each rank of a large communicator in one process, without MPI: one rank after another,
// whatever their number. At an exchange whose messages are not known yet, a rank is abandoned and its messages
// are kept. When all ranks have come that far, each runs again from its beginning, and receives them. With e
// exchanges a rank runs e + 1 times; memory holds one rank and the messages.

#include <functional>

#include "parallel/communicator.hpp"

namespace meander::parallel {

// Calls program(communicator) for all ranks. Between the exchanges (exchange_sparsely, exchange_symmetrically)
// the program calls no other collective function. It does the same each time it runs, and has effects only
// after the last exchange, which is reached once a rank. Throws Failure if the ranks differ in their number of
// exchanges, and what the program throws.
void replay_ranks(int ranks, const std::function<void(const Communicator&)>& program);

}  // namespace meander::parallel
