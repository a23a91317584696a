// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A barrier for ranks that wait while the root is measured alone.

#include <mpi.h>

#include <chrono>
#include <thread>

namespace meander::bench {

// Returns when all ranks of MPI_COMM_WORLD have called it. Waiting ranks sleep: in MPI_Barrier they would poll, and take processor
// time from the root wherever there are more ranks than processors. Collective.
inline void rest_until_all_arrive() {
  constexpr auto nap = std::chrono::milliseconds(1);
  MPI_Request barrier = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
  for (;;) {
    int arrived = 0;
    MPI_Test(&barrier, &arrived, MPI_STATUS_IGNORE);
    if (arrived) return;
    std::this_thread::sleep_for(nap);
  }
}

}  // namespace meander::bench
