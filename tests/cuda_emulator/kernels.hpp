// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The kernels of a program: found in the PTX that nvcc put into it, translated to C and compiled when they are first launched.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "device_code.h"

namespace cuda_emulator {

struct Kernel {
  std::string name, key;  // key: of its PTX, in the cache
  int static_shared = 0, most_threads = 1024;
  std::size_t parameter_bytes = 0;
  std::vector<std::pair<std::size_t, std::size_t>> parameters;  // offset, size
  std::vector<int> dynamic_shared;                              // most bytes, a device
  void (*code)(ThreadContext*) = nullptr;
};

// All kernels of a module ("fat binary") that a program registers; the names that host functions stand for.
void register_module(const void* fat_binary);
void register_function(const void* host_function, const char* name);
// Null if unknown; locked.
Kernel* kernel_of(const void* host_function);
// Translates and compiles if need be; not locked. Several processes share the cache.
void compile(Kernel& kernel);
// Appends to Settings::kernels which kernels have run and which are known.
void record_kernels();

}  // namespace cuda_emulator
