// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Memory shared by all ranks of a node.

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "parallel/communicator.hpp"

namespace meander::parallel {

class SharedWindow {
 public:
  // Allocates `bytes` zero bytes. `node`: ranks that share memory (Communicator::of_node). Collective over
  // `node`.
  SharedWindow(const Communicator& node, std::size_t bytes);
  // Collective. During stack unwinding it calls nothing, and the memory is kept until the end of the process.
  ~SharedWindow();
  SharedWindow(const SharedWindow&) = delete;
  SharedWindow& operator=(const SharedWindow&) = delete;

  // Address of the same memory on all ranks, aligned to 64 bytes. Concurrent accesses of ranks require
  // atomics.
  void* data() const { return data_; }

 private:
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  Communicator node_;
  MPI_Win window_ = MPI_WIN_NULL;
  std::vector<Line> own_;  // the memory of a node with one rank
  void* data_ = nullptr;
};

}  // namespace meander::parallel
