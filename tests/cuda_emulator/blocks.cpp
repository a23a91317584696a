// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "blocks.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "memory.hpp"
#include "settings.hpp"

#ifndef __x86_64__
#error "fibers are switched by instructions of x86-64"
#endif

// Pushes what a function preserves, leaves the stack pointer at `from`, and goes on with that of `to`.
extern "C" void cuda_emulator_switch(void** from, void* to);
asm(R"(
.text
.type cuda_emulator_switch,@function
cuda_emulator_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size cuda_emulator_switch,.-cuda_emulator_switch
)");

namespace cuda_emulator {
namespace {

[[noreturn]] void begin_fiber() {
  RunningBlock& b = running_block();
  b.kernel->code(&b.fibers[b.now].context);
  b.fibers[b.now].waits = Waits::ended;
  leave_fiber();
  __builtin_unreachable();
}

void prepare(Fiber& fiber, std::uint32_t thread) {
  fiber.waits = Waits::runs;
  fiber.barriers = fiber.shuffles = 0;
  auto* const top =
      reinterpret_cast<std::uint64_t*>(running_block().stacks + (thread + 1) * stack_bytes - 64);
  // As if begin_fiber were called: the stack is then 8 off a multiple of 16. Six registers are popped before.
  top[-2] = reinterpret_cast<std::uint64_t>(&begin_fiber);
  std::fill(top - 8, top - 2, 0);
  top[-1] = top[0] = 0;
  fiber.stack = top - 8;
}

void pass_barrier(Fiber& fiber) {
  fiber.waits = Waits::runs;
  ++fiber.barriers;
  fiber.context.id = (fiber.context.id & ~std::uint64_t{0xff}) | (fiber.barriers & 0xff);
}

// Lets the lanes go on whose partners have come, too. Returns whether there are any.
bool pass_warp_barriers(std::uint32_t threads) {
  RunningBlock& b = running_block();
  bool passed = false;
  for (std::uint32_t thread = 0; thread < threads; ++thread) {
    const Fiber& fiber = b.fibers[thread];
    if (fiber.waits != Waits::in_warp) continue;
    const std::uint32_t first = thread / 32 * 32, mask = fiber.mask;
    const int line = fiber.line;
    bool all = true;
    for (std::uint32_t lane = 0; lane < 32 && first + lane < threads; ++lane) {
      const Fiber& other = b.fibers[first + lane];
      if (!(mask >> lane & 1)) continue;
      if (other.waits == Waits::ended)
        defect("{}: line {} of its PTX waits for a lane that has ended", b.kernel->name, line);
      else if (other.waits != Waits::in_warp || other.mask != mask)
        all = false;
    }
    if (!all) continue;
    for (std::uint32_t lane = 0; lane < 32 && first + lane < threads; ++lane) {
      Fiber& other = b.fibers[first + lane];
      if (!(mask >> lane & 1) || other.waits != Waits::in_warp) continue;
      if (other.line != line)
        defect("{}: lanes of a warp meet at lines {} and {} of its PTX", b.kernel->name, other.line, line);
      if (threads == 32) pass_barrier(other);  // a barrier of the block, too
      other.waits = Waits::runs;
    }
    passed = true;
  }
  return passed;
}

// Lets all go on if all that have not ended are at a barrier of the block.
bool pass_block_barrier(std::uint32_t threads) {
  RunningBlock& b = running_block();
  std::uint32_t waiting = 0, ended = 0;
  int line = 0;
  bool same = true;
  for (std::uint32_t thread = 0; thread < threads; ++thread) {
    const Fiber& fiber = b.fibers[thread];
    ended += fiber.waits == Waits::ended;
    if (fiber.waits != Waits::at_barrier) continue;
    if (waiting++ == 0) line = fiber.line;
    same = same && fiber.line == line;
  }
  if (waiting == 0 || waiting + ended < threads) return false;
  if (ended > 0)
    defect("{}: threads have ended before a barrier at line {} of its PTX", b.kernel->name, line);
  if (!same)
    defect("{}: threads are at different barriers, line {} of its PTX and others", b.kernel->name, line);
  for (std::uint32_t thread = 0; thread < threads; ++thread)
    if (b.fibers[thread].waits == Waits::at_barrier) pass_barrier(b.fibers[thread]);
  return true;
}

void run_block(std::uint32_t threads) {
  RunningBlock& b = running_block();
  for (std::uint32_t thread = 0; thread < threads; ++thread) prepare(b.fibers[thread], thread);
  std::vector<std::uint32_t> order(threads);
  std::iota(order.begin(), order.end(), 0);
  ++counts().blocks;
  for (;;) {
    if (random_bits()() % 4 == 0)
      std::reverse(order.begin(), order.end());
    else if (random_bits()() % 2 == 0)
      std::shuffle(order.begin(), order.end(), random_bits());
    bool all_ended = true;
    for (const std::uint32_t thread : order) {
      if (b.fibers[thread].waits == Waits::runs) {
        b.now = thread;
        cuda_emulator_switch(&b.executor_stack, b.fibers[thread].stack);
        if (b.failed) return;
      }
      all_ended = all_ended && b.fibers[thread].waits == Waits::ended;
    }
    if (all_ended) return;
    if (pass_warp_barriers(threads) || pass_block_barrier(threads)) continue;
    defect("{}: threads wait for each other forever", b.kernel->name);
    b.failed = true;
    return;
  }
}

// Forwards, backwards or random.
std::vector<std::uint32_t> order_of_blocks(std::uint64_t count) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  const std::uint64_t dice = random_bits()() % 3;
  if (dice == 1) std::reverse(order.begin(), order.end());
  if (dice == 2) std::shuffle(order.begin(), order.end(), random_bits());
  return order;
}

void set_indices(std::uint32_t (&index)[3], std::uint32_t i, const dim3& size) {
  index[0] = i % size.x;
  index[1] = i / size.x % size.y;
  index[2] = i / size.x / size.y;
}

void set_sizes(std::uint32_t (&to)[3], const dim3& size) {
  to[0] = size.x;
  to[1] = size.y;
  to[2] = size.z;
}

}  // namespace

RunningBlock& running_block() {
  static auto& block = *new RunningBlock;
  return block;
}

void leave_fiber() {
  RunningBlock& b = running_block();
  cuda_emulator_switch(&b.fibers[b.now].stack, b.executor_stack);
}

void fail_block() {
  running_block().failed = true;
  leave_fiber();
}

void run_kernel(const Launch& launch, const Operation& operation) {
  RunningBlock& b = running_block();
  const Kernel& kernel = *launch.kernel;
  const std::uint32_t threads = launch.block.x * launch.block.y * launch.block.z;
  if (!b.stacks) {
    b.stacks = static_cast<std::uint8_t*>(reserve(0, most_threads * stack_bytes, PROT_READ | PROT_WRITE));
    b.fibers.resize(most_threads);
  }
  b.kernel = &kernel;
  b.device = launch.device;
  b.failed = false;
  const auto static_bytes = static_cast<std::size_t>(kernel.static_shared);
  const std::size_t shared =
      launch.dynamic_shared > 0 ? (static_bytes + 15) / 16 * 16 + launch.dynamic_shared : static_bytes;
  b.shared.resize(shared + 64);
  std::vector<std::uint8_t> parameters(launch.parameters);
  for (const std::uint32_t block :
       order_of_blocks(std::uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z)) {
    // Shared memory begins as NaN.
    for (std::size_t i = 0; i < shared; i += 8)
      std::memcpy(b.shared.data() + i, "\xad\xba\xad\xba\xad\xba\xf8\x7f", 8);
    if (settings().checks) begin_checks(shared);
    for (std::uint32_t thread = 0; thread < threads; ++thread) {
      ThreadContext& c = b.fibers[thread].context;
      set_indices(c.tid, thread, launch.block);
      set_indices(c.ctaid, block, launch.grid);
      set_sizes(c.ntid, launch.block);
      set_sizes(c.nctaid, launch.grid);
      c.param = parameters.data();
      c.shared = b.shared.data();
      c.shared_size = static_cast<std::uint32_t>(shared);
      c.thread = thread;
      c.block = block;
      c.warp = thread / 32;
      c.id = pack_id(operation.id, block, thread, 0);
    }
    run_block(threads);
    if (settings().checks) settle_doubts();
    if (b.failed) break;
  }
  if (b.failed) {
    const std::lock_guard lock(runtime_mutex());
    set_sticky_error(cudaErrorIllegalAddress);
  } else if (parameters != launch.parameters) {
    defect("{} writes to its parameters", kernel.name);
  }
}

}  // namespace cuda_emulator
