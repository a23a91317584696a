// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "parallel/max_reduction.hpp"

#include "parallel/mpi_check.hpp"

namespace meander::parallel {

MaxReduction::MaxReduction(const Communicator& communicator, std::span<double> values)
    : is_empty_(communicator.size() == 1) {
  if (is_empty_) return;
  mpi_check(MPI_Iallreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_MAX,
                           communicator.get(), &request_),
            "MPI_Iallreduce");
  has_arrived_ = false;
}

MaxReduction::~MaxReduction() {
  if (!is_empty_) MPI_Wait(&request_, MPI_STATUS_IGNORE);
}

bool MaxReduction::poll() {
  if (has_arrived_) return true;
  int is_main = 0, done = 0;
  if (MPI_Is_thread_main(&is_main) != MPI_SUCCESS || is_main == 0) return false;
  mpi_check(MPI_Test(&request_, &done, MPI_STATUS_IGNORE), "MPI_Test");
  if (done != 0) has_arrived_ = true;
  return done != 0;
}

void MaxReduction::wait() {
  if (!is_empty_) mpi_check(MPI_Wait(&request_, MPI_STATUS_IGNORE), "MPI_Wait");
  has_arrived_ = true;
}

}  // namespace meander::parallel
