// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// What the environment asks of the emulator, and what the emulator has to say.
#pragma once
#include <fmt/format.h>

#include <atomic>
#include <string>
#include <string_view>

namespace cuda_emulator {

// Variables CUDA_EMULATOR_*, read once.
struct Settings {
  int devices;           // DEVICES, 1; 0: there are none
  double memory;         // MEMORY, bytes of each device, 8e9
  unsigned seed;         // SEED, of all random orders; without: a new one, which is told
  bool checks;           // CHECK=1: every access of kernels, and the order of operations
  bool checks_initial;   // UNINITIALIZED=1, with CHECK: reads of bytes that nothing wrote
  bool frees_at_once;    // FREE=now: cudaFree does not wait for the device
  long failing_launch;   // FAIL_LAUNCH, the number of the launch that loses the device
  long failing_malloc;   // FAIL_MALLOC, the number of the first allocation that fails,
  long failing_mallocs;  // FAIL_MALLOCS, and how many do
  int shared_memory;     // SHARED_MEMORY, most bytes of a block
  std::string cache;     // CACHE, the folder of compiled kernels
  std::string log;       // LOG, a file to which messages are appended, too
  std::string kernels;   // KERNELS, a file to which the names of kernels are appended: RAN or KNOWN
  std::string omit;      // OMIT, what is left out as if a program had forgotten it: see omits()
};
const Settings& settings();

// For tests that the emulator notices: whether all operations of this kind do nothing, but for an eighth (`barrier`: calls of
// __syncthreads; `event-wait`: cudaEventSynchronize and -Query return at once; `stream-wait`: cudaStreamWaitEvent;
// `synchronize`: cudaStreamSynchronize and cudaDeviceSynchronize return at once).
bool omits(std::string_view what);

// Prints "CUDA EMULATOR kind text" to stderr and the log, at most three times for the same text up to " #".
void report(std::string_view kind, const std::string& text);
// What CUDA forbids or leaves undefined.
template <class... Args>
void defect(fmt::format_string<Args...> format, Args&&... args) {
  report("DEFECT", fmt::format(format, std::forward<Args>(args)...));
}
// What is worth a look.
template <class... Args>
void note(fmt::format_string<Args...> format, Args&&... args) {
  report("NOTE", fmt::format(format, std::forward<Args>(args)...));
}
// How often texts came that were printed three times.
void report_counts();

// The end of a program whose emulation cannot go on.
[[noreturn]] void give_up(const std::string& why);

struct Counts {
  std::atomic<long> calls{0}, launches{0}, blocks{0}, copies{0}, pageable_copies_in{0},
      pageable_copies_out{0};
  std::atomic<long> host_functions{0}, synchronizations{0}, allocations{0}, host_allocations{0};
};
Counts& counts();

}  // namespace cuda_emulator
