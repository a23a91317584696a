// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Maxima over all ranks, computed while the ranks do other work.

#include <mpi.h>

#include <atomic>
#include <span>

#include "parallel/communicator.hpp"

namespace meander::parallel {

class MaxReduction {
 public:
  // Starts the reduction of values[i] over ranks, in place, by the thread that initialised MPI. The values must
  // outlive this object and must not be accessed before wait(). One rank: nothing to do. Collective.
  MaxReduction(const Communicator& communicator, std::span<double> values);
  // Waits, unless wait() was called.
  ~MaxReduction();
  MaxReduction(const MaxReduction&) = delete;
  MaxReduction& operator=(const MaxReduction&) = delete;

  // One rank: there is nothing to wait for.
  bool is_empty() const { return is_empty_; }
  // Progresses the reduction if this is the thread that initialised MPI. Any thread may call it. Returns
  // whether the results have arrived.
  bool poll();
  // Returns when `values` are the maxima. To be called by the thread that initialised MPI.
  void wait();

 private:
  MPI_Request request_ = MPI_REQUEST_NULL;
  std::atomic<bool> has_arrived_{true};
  bool is_empty_ = true;
};

}  // namespace meander::parallel
