// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "calls.hpp"

#include <unistd.h>

#include <cstdlib>

#include "kernels.hpp"
#include "memory.hpp"
#include "settings.hpp"

namespace cuda_emulator {
namespace {

thread_local int current = 0;
thread_local cudaError_t last = cudaSuccess;
thread_local bool in_host_function = false;
bool started = false, ended = false;  // locked

void end() {
  const std::lock_guard lock(runtime_mutex());
  ended = true;
  std::uint64_t pending = 0;
  int open = 0;
  for (int i = settings().devices; i < number_of_streams(); ++i) {
    pending += stream(i).enqueued - stream(i).done;
    open += !stream(i).destroyed;
  }
  const Counts& n = counts();
  report("END",
         fmt::format("pid {}: {} calls, {} launches of {} blocks, {} copies (pageable: {} in, {} out), {} "
                     "host functions, "
                     "{} synchronizations, {} allocations, {} pinned or managed, most {} bytes; seed {}",
                     getpid(), n.calls.load(), n.launches.load(), n.blocks.load(), n.copies.load(),
                     n.pageable_copies_in.load(), n.pageable_copies_out.load(), n.host_functions.load(),
                     n.synchronizations.load(), n.allocations.load(), n.host_allocations.load(),
                     most_allocated_bytes(), settings().seed));
  if (pending > 0) note("the program ends with {} operations that have not run", pending);
  if (open > 0) note("the program leaves {} streams", open);
  if (const std::string left = leftovers(); !left.empty())
    note("the program leaves memory #{}", left.substr(0, 500));
  record_kernels();
  report_counts();
}

}  // namespace

cudaError_t begin_call(const char* name) {
  ++counts().calls;
  if (in_host_function) return fail(cudaErrorNotPermitted, name, "called by a host function of a stream");
  const std::lock_guard lock(runtime_mutex());
  if (ended) return fail(cudaErrorCudartUnloading, name, "called after the end of the runtime");
  if (settings().devices <= 0) return quietly(cudaErrorNoDevice);
  if (!started) {
    started = true;
    reserve_memory();
    start_streams();
    std::atexit(end);
  }
  return quietly(sticky_error());
}

cudaError_t fail(cudaError_t error, const char* call, const char* why) {
  defect("{} returns {}: {}", call, static_cast<int>(error), why);
  return last = error;
}

cudaError_t quietly(cudaError_t error) {
  if (error != cudaSuccess) last = error;
  return error;
}

cudaError_t last_error() {
  return last;
}
void reset_last_error(cudaError_t error) {
  last = error;
}

int current_device() {
  return current;
}
void set_current_device(int device) {
  current = device;
}
bool is_device(int device) {
  return device >= 0 && device < settings().devices;
}

Stream* find_stream(cudaStream_t handle, const char* call) {
  if (handle == nullptr || handle == cudaStreamLegacy) return &stream(current);
  for (int i = settings().devices; i < number_of_streams(); ++i) {
    if (reinterpret_cast<cudaStream_t>(&stream(i)) != handle) continue;
    if (!stream(i).destroyed) return &stream(i);
    fail(cudaErrorInvalidResourceHandle, call, "the stream has been destroyed");
    return nullptr;
  }
  fail(cudaErrorInvalidResourceHandle, call, "no such stream");
  return nullptr;
}

void run_host_function(cudaHostFn_t function, void* data) {
  in_host_function = true;
  function(data);
  in_host_function = false;
}

}  // namespace cuda_emulator
