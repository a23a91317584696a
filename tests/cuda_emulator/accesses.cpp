// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// What kernels call: barriers, shuffles, and each access to memory of checked kernels.
#include <algorithm>
#include <cstring>

#include "blocks.hpp"
#include "device_code.h"
#include "memory.hpp"
#include "settings.hpp"

namespace cuda_emulator {
namespace {

const std::string& kernel() {
  return running_block().kernel->name;
}

// Of four bytes of shared memory: last writer and reader, as thread 10 bits, barriers 21, and a bit that says "somebody".
struct SharedShadow {
  std::uint32_t writer = 0, reader = 0;
  bool many_readers = false, written = false;
};
std::vector<SharedShadow>& shared_shadow() {
  static auto& all = *new std::vector<SharedShadow>;
  return all;
}
constexpr std::uint32_t thread_bits = 0x7fe00000, barrier_bits = 0x1fffff;
std::uint32_t shared_id(const ThreadContext* c) {
  return 0x80000000u | c->thread << 21 | (running_block().fibers[c->thread].barriers & barrier_bits);
}
// Two accesses of different threads without a barrier between them.
bool conflict(std::uint32_t a, std::uint32_t b) {
  return (a ^ b) & thread_bits && !((a ^ b) & barrier_bits);
}

bool same_operation(std::uint64_t a, std::uint64_t b) {
  return (a ^ b) >> 36 == 0;
}
// In the same launch: of other blocks, or of other threads without a barrier between them.
bool conflict(std::uint64_t old, std::uint64_t mine) {
  if ((old ^ mine) >> 18 != 0) return true;
  return (old >> 8 & 0x3ff) != (mine >> 8 & 0x3ff) && (old & 0xff) == (mine & 0xff);
}

// A write that races with a write: when it has been done, it is known whether it changes the value.
struct Doubt {
  std::uint64_t at = 0, old = 0;
  int size = 0;
  std::string text;
};
Doubt& doubt() {
  static auto& one = *new Doubt;
  return one;
}

std::string race_text(const ThreadContext* c, std::uint64_t other, std::uint64_t at, int line,
                      const char* what) {
  return fmt::format(
      "{}: race: {}, line {} # block {} thread {} after {} barriers with block {} thread {} after {}, {}",
      kernel(), what, line, c->block, c->thread, c->id & 0xff, other >> 18 & 0x3ffff, other >> 8 & 0x3ff,
      other & 0xff, place(at));
}

void report_race(const ThreadContext* c, std::uint64_t other, std::uint64_t at, int line, const char* what) {
  if (same_operation(other, c->id)) {
    defect("{}", race_text(c, other, at, line, what));
  } else {
    defect("{}: {}: unordered operation '{}', line {} # {}", kernel(), what, what_operation(other >> 36),
           line, place(at));
  }
}

// Null if there is no shadow; a message if the bytes are not allocated.
Shadow* checked(ThreadContext* c, std::uint64_t at, int size, int line, const char* what) {
  Shadow* const found = shadow(at);
  if (!found) {
    emulated_fault(c, at, size, line);
    return nullptr;
  }
  const int device = running_block().device;
  if (is_device_address(at) &&
      (at - DEVICE_ARENA) / addresses_per_device != static_cast<std::uint64_t>(device)) {
    defect("{} on device {}: {} of memory of another device, line {}", kernel(), device, what, line);
    return found;
  }
  if (!found->allocated || !(found + (size - 1) / 4)->allocated) {
    defect("{}: {} of {} bytes outside of allocations, line {} # block {} thread {}, {}; before: {}",
           kernel(), what, size, line, c->block, c->thread, place(at), place(at - 8));
  }
  return found;
}

std::uint8_t* in_shared(ThreadContext* c, std::uint64_t at, int size, int line, const char* what) {
  if (at + static_cast<std::uint64_t>(size) <= c->shared_size) return c->shared + at;
  defect("{}: {} of shared memory out of bounds, line {} # offset {} of {}", kernel(), what, line, at,
         c->shared_size);
  return nullptr;
}

void report_shared_race(const ThreadContext* c, std::uint32_t other, std::uint64_t at, int line,
                        const char* what) {
  defect("{}: race in shared memory: {}, line {} # offset {}, threads {} and {}", kernel(), what, line, at,
         c->thread, other >> 21 & 0x3ff);
}

bool is_shared_address(std::uint64_t at) {
  return at - SHARED_WINDOW < SHARED_WINDOW_SIZE;
}
bool is_on_stack(std::uint64_t at) {
  return at - reinterpret_cast<std::uint64_t>(running_block().stacks) < most_threads * stack_bytes;
}
bool is_parameter(const ThreadContext* c, std::uint64_t at) {
  return at - reinterpret_cast<std::uint64_t>(c->param) < running_block().kernel->parameter_bytes;
}

}  // namespace

void begin_checks(std::size_t shared_bytes) {
  shared_shadow().assign(shared_bytes / 4 + 8, SharedShadow{});
}

void settle_doubts() {
  Doubt& d = doubt();
  if (!d.at) return;
  std::uint64_t now = 0;
  std::memcpy(&now, bytes_of(d.at), static_cast<std::size_t>(d.size));
  report(now == d.old ? "NOTE (same value)" : "DEFECT", d.text);
  d.at = 0;
}

}  // namespace cuda_emulator

using namespace cuda_emulator;

extern "C" {

void emulated_barrier(ThreadContext* c, int line) {
  if (omits("barrier")) return;
  if (settings().checks) settle_doubts();
  Fiber& fiber = running_block().fibers[c->thread];
  fiber.waits = Waits::at_barrier;
  fiber.line = line;
  leave_fiber();
}

void emulated_warp_barrier(ThreadContext* c, std::uint32_t mask, int line) {
  Fiber& fiber = running_block().fibers[c->thread];
  if (!(mask >> (c->thread % 32) & 1))
    defect("{}: a lane is not in the mask of its warp barrier, line {}", kernel(), line);
  fiber.waits = Waits::in_warp;
  fiber.mask = mask;
  fiber.line = line;
  leave_fiber();
}

std::uint32_t emulated_shuffle(ThreadContext* c, int mode, std::uint32_t value, std::uint32_t b,
                               std::uint32_t clamp, std::uint32_t mask, std::uint8_t* inside, int line) {
  // Two sets of values, so that a lane that is ahead does not overwrite what others still read.
  static std::uint32_t values[most_threads / 32][2][32];
  Fiber& fiber = running_block().fibers[c->thread];
  const std::uint32_t lane = c->thread % 32, set = fiber.shuffles++ & 1,
                      threads = c->ntid[0] * c->ntid[1] * c->ntid[2];
  values[c->warp][set][lane] = value;
  fiber.waits = Waits::in_warp;
  fiber.mask = mask;
  fiber.line = line;
  leave_fiber();
  // PTX ISA, shfl.sync: `clamp` holds the segment of the warp and the lane at which it ends.
  const std::uint32_t segment = clamp >> 8 & 31, least = lane & segment,
                      most = least | (clamp & 31 & ~segment);
  std::uint32_t from = lane;
  bool found = true;
  if (mode == 0) {
    from = lane + b;
    found = from <= most;
  } else if (mode == 1) {
    from = lane - b;
    found = static_cast<int>(from) >= static_cast<int>(most);
  } else {
    from = mode == 2 ? lane ^ b : least | (b & ~segment & 31);
    found = from <= most;
  }
  *inside = found;
  if (!found) return value;
  if (c->warp * 32 + from >= threads || !(mask >> from & 1))
    defect("{}: a shuffle reads a lane that does not take part, line {}", kernel(), line);
  return values[c->warp][set][from];
}

void emulated_trap(ThreadContext*, int line) {
  defect("{}: trap, line {}", kernel(), line);
  fail_block();
}

void emulated_zero_division(ThreadContext*, int line) {
  defect("{}: an integer is divided by zero, line {}", kernel(), line);
}

void emulated_unaligned(ThreadContext*, std::uint64_t at, int size, int line) {
  defect("{}: unaligned access of {} bytes, line {} # at {:x}", kernel(), size, line, at);
}

std::uint8_t* emulated_fault(ThreadContext* c, std::uint64_t at, int size, int line) {
  report("FAULT", fmt::format("{}: access of {} bytes at address {:x}, line {}, block {}, thread {}",
                              kernel(), size, at, line, c->block, c->thread));
  fail_block();
  return nullptr;
}

std::uint8_t* emulated_local(ThreadContext* c, std::uint64_t, int size, int line) {
  static std::uint8_t nowhere[64];
  defect("{}: access of {} bytes outside of the local arrays, line {} # thread {}", kernel(), size, line,
         c->thread);
  return nowhere;
}

std::uint8_t* emulated_load(ThreadContext* c, std::uint64_t at, int size, int line) {
  Shadow* const s = checked(c, at, size, line, "read");
  if (!s) return bytes_of(at);
  if (!s->written && settings().checks_initial && s->allocated)
    note("{}: reads bytes that nothing wrote, line {} # block {} thread {}, {}", kernel(), line, c->block,
         c->thread, place(at));
  if (size < 4) return bytes_of(at);
  if (same_operation(s->writer, c->id) ? conflict(s->writer, c->id) : !is_ordered(s->writer >> 36))
    report_race(c, s->writer, at, line, "reads what another writes");
  if (!same_operation(s->reader, c->id)) {
    s->reader = c->id;
    s->many_threads = s->many_blocks = 0;
  } else if ((s->reader ^ c->id) >> 18 != 0) {
    s->many_blocks = 1;
  } else if ((s->reader & 0xff) != (c->id & 0xff)) {
    s->reader = c->id;
    s->many_threads = 0;
  } else if (s->reader != c->id) {
    s->many_threads = 1;
  }
  return bytes_of(at);
}

std::uint8_t* emulated_store(ThreadContext* c, std::uint64_t at, int size, int line) {
  Shadow* const s = checked(c, at, size, line, "write");
  if (!s) return bytes_of(at);
  s->written = 1;
  if (size == 8) s[1].written = 1;
  if (size < 4) return bytes_of(at);
  settle_doubts();
  if (!same_operation(s->writer, c->id)) {
    if (!is_ordered(s->writer >> 36)) report_race(c, s->writer, at, line, "writes what another writes");
  } else if (conflict(s->writer, c->id)) {
    Doubt& d = doubt();
    d = {at, 0, size, race_text(c, s->writer, at, line, "writes what another writes")};
    std::memcpy(&d.old, bytes_of(at), static_cast<std::size_t>(size));
  }
  const bool here = same_operation(s->reader, c->id), same_block = (s->reader ^ c->id) >> 18 == 0;
  const bool no_barrier = (s->reader & 0xff) == (c->id & 0xff);
  if (here ? s->many_blocks || !same_block || (no_barrier && (s->many_threads || conflict(s->reader, c->id)))
           : !is_ordered(s->reader >> 36))
    report_race(c, s->reader, at, line, "writes what another reads");
  s->writer = c->id;
  return bytes_of(at);
}

std::uint8_t* emulated_atomic(ThreadContext* c, std::uint64_t at, int size, int line) {
  if (is_shared_address(at)) return c->shared + (at - SHARED_WINDOW);
  if (at < 65536) return emulated_fault(c, at, size, line);
  if (settings().checks) {
    if (Shadow* const s = checked(c, at, size, line, "atomic operation")) s->written = 1;
  }
  return bytes_of(at);
}

std::uint8_t* emulated_load_shared(ThreadContext* c, std::uint64_t at, int size, int line) {
  std::uint8_t* const bytes = in_shared(c, at, size, line, "read");
  if (!bytes) return c->shared;
  SharedShadow& s = shared_shadow()[at / 4];
  const std::uint32_t mine = shared_id(c);
  if (s.writer && conflict(s.writer, mine))
    report_shared_race(c, s.writer, at, line, "reads what another thread writes");
  if (!s.written && settings().checks_initial)
    note("{}: reads shared memory that nothing wrote, line {} # offset {}", kernel(), line, at);
  if (!s.reader || (s.reader ^ mine) & barrier_bits) {
    s.reader = mine;
    s.many_readers = false;
  } else if (s.reader != mine) {
    s.many_readers = true;
  }
  return bytes;
}

std::uint8_t* emulated_store_shared(ThreadContext* c, std::uint64_t at, int size, int line) {
  std::uint8_t* const bytes = in_shared(c, at, size, line, "write");
  if (!bytes) return c->shared;
  SharedShadow& s = shared_shadow()[at / 4];
  const std::uint32_t mine = shared_id(c);
  s.written = true;
  if (s.writer && conflict(s.writer, mine))
    report_shared_race(c, s.writer, at, line, "writes what another thread writes");
  if (s.reader && !((s.reader ^ mine) & barrier_bits) && (s.many_readers || conflict(s.reader, mine)))
    report_shared_race(c, s.reader, at, line, "writes what another thread reads");
  s.writer = mine;
  return bytes;
}

std::uint8_t* emulated_load_any(ThreadContext* c, std::uint64_t at, int size, int line) {
  if (is_shared_address(at)) return emulated_load_shared(c, at - SHARED_WINDOW, size, line);
  if (is_on_stack(at) || is_parameter(c, at)) return reinterpret_cast<std::uint8_t*>(at);
  return emulated_load(c, at, size, line);
}

std::uint8_t* emulated_store_any(ThreadContext* c, std::uint64_t at, int size, int line) {
  if (is_shared_address(at)) return emulated_store_shared(c, at - SHARED_WINDOW, size, line);
  if (is_on_stack(at)) return reinterpret_cast<std::uint8_t*>(at);
  return emulated_store(c, at, size, line);
}

}  // extern "C"
