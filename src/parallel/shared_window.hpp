// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Memory that all ranks of a node see: one block, the same for all of them.

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "parallel/communicator.hpp"

namespace meander::parallel {

class SharedWindow {
 public:
  // So many bytes, all zero. `node`: ranks that share memory (Communicator::of_node). Collective over them.
  SharedWindow(const Communicator& node, std::size_t bytes);
  // Collective, unless it is left by an exception: then the memory lives as long as the process.
  ~SharedWindow();
  SharedWindow(const SharedWindow&) = delete;
  SharedWindow& operator=(const SharedWindow&) = delete;

  // Aligned to 64 bytes. What ranks do with it at the same time is for atomics to order.
  void* data() const { return data_; }

 private:
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  Communicator node_;
  MPI_Win window_ = MPI_WIN_NULL;
  std::vector<Line> own_;  // of one rank alone
  void* data_ = nullptr;
};

}  // namespace meander::parallel
