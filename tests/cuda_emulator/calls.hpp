// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// What all calls of the runtime share: how they begin, fail, and find streams.
#pragma once
#include <cuda_runtime_api.h>

#include "streams.hpp"

namespace cuda_emulator {

// Starts the emulator at the first call. Other than cudaSuccess: what the call returns.
cudaError_t begin_call(const char* name);
#define BEGIN_CALL(name) \
  if (const cudaError_t error_ = begin_call(name); error_ != cudaSuccess) return error_

// An error that a correct program does not make: a message.
cudaError_t fail(cudaError_t error, const char* call, const char* why);
// An error that may happen to any program. Sets what cudaGetLastError returns.
cudaError_t quietly(cudaError_t error);
cudaError_t last_error();
void reset_last_error(cudaError_t error);

// Of the calling thread.
int current_device();
void set_current_device(int device);
bool is_device(int device);

// Null, and fails, if there is none; locked.
Stream* find_stream(cudaStream_t handle, const char* call);

// A host function of a stream runs: it may not call the runtime.
void run_host_function(cudaHostFn_t function, void* data);

}  // namespace cuda_emulator
