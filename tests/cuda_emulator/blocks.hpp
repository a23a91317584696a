// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Blocks of threads: a fiber for each thread of a block, which runs until it waits for others. Threads and blocks run in random
// order, one at a time, and those of a warp not in lockstep, which is stricter than a GPU.
#pragma once
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels.hpp"
#include "streams.hpp"

namespace cuda_emulator {

struct Launch {
  Kernel* kernel;
  dim3 grid, block;
  std::size_t dynamic_shared;
  std::vector<std::uint8_t> parameters;
  int device;
};

// On the executor's thread.
void run_kernel(const Launch& launch, const Operation& operation);

// What a fiber waits for.
enum class Waits { runs, at_barrier, in_warp, ended };
struct Fiber {
  ThreadContext context{};
  void* stack = nullptr;
  Waits waits = Waits::runs;
  std::uint32_t mask = 0;  // of the lanes that a lane waits for
  int line = 0;
  std::uint32_t barriers = 0;  // that it has passed
  std::uint32_t shuffles = 0;
};

// The block that runs.
struct RunningBlock {
  const Kernel* kernel = nullptr;
  int device = 0;
  std::vector<Fiber> fibers;
  std::uint8_t* stacks = nullptr;
  void* executor_stack = nullptr;
  std::uint32_t now = 0;
  std::vector<std::uint8_t> shared;
  bool failed = false;  // the kernel cannot go on
};
RunningBlock& running_block();
constexpr std::size_t stack_bytes = 1 << 20;
constexpr std::uint32_t most_threads = 1024;

// The fiber of now waits, or ends, and others run.
void leave_fiber();
void fail_block();

// Of the checks of accesses: a block begins; a barrier is passed.
void begin_checks(std::size_t shared_bytes);
void settle_doubts();

}  // namespace cuda_emulator
