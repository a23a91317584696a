// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Calls of the CUDA runtime: modules and kernels, those included that nvcc generates.
#include <cstring>
#include <memory>
#include <vector>

#include "blocks.hpp"
#include "calls.hpp"
#include "kernels.hpp"
#include "settings.hpp"

using namespace cuda_emulator;

namespace {

struct Configuration {
  dim3 grid, block;
  std::size_t shared;
  cudaStream_t stream;
};
std::vector<Configuration>& configurations() {
  thread_local std::vector<Configuration> all;
  return all;
}

constexpr std::size_t most_parameter_bytes = 32764;

cudaError_t check_launch(const Kernel& kernel, const dim3& grid, const dim3& block, std::size_t shared,
                         int device) {
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  const auto refuse = [](cudaError_t error, const char* why) { return fail(error, "kernel launch", why); };
  if (device != current_device())
    return refuse(cudaErrorInvalidResourceHandle, "the stream is of another device than the current one");
  if (!grid.x || !grid.y || !grid.z || !threads)
    return refuse(cudaErrorInvalidConfiguration, "an empty grid or block");
  if (grid.x > 0x7fffffffu || grid.y > 65535 || grid.z > 65535 || threads > most_threads)
    return refuse(cudaErrorInvalidConfiguration, "grid or block too large");
  if (threads > static_cast<std::uint64_t>(kernel.most_threads))
    return refuse(cudaErrorInvalidValue, "more threads than the launch bounds");
  const int most_shared = kernel.dynamic_shared[static_cast<std::size_t>(device)];
  if (shared > static_cast<std::size_t>(most_shared > 0 ? most_shared : 0))
    return refuse(cudaErrorInvalidValue, "more shared memory than allowed");
  if (kernel.parameter_bytes > most_parameter_bytes)
    return refuse(cudaErrorInvalidValue, "parameters too large");
  return cudaSuccess;
}

cudaError_t launch(const void* function, const dim3& grid, const dim3& block, void** arguments,
                   std::size_t shared, cudaStream_t handle) {
  BEGIN_CALL("kernel launch");
  const long number = ++counts().launches;
  Kernel* kernel;
  {
    const std::lock_guard lock(runtime_mutex());
    kernel = kernel_of(function);
    const Stream* const s = find_stream(handle, "kernel launch");
    if (!kernel) return fail(cudaErrorInvalidDeviceFunction, "kernel launch", "no such kernel");
    if (!s) return last_error();
    const cudaError_t error = check_launch(*kernel, grid, block, shared, s->device);
    if (error != cudaSuccess) return error;
  }
  compile(*kernel);
  const auto work = std::make_shared<Launch>(Launch{kernel, grid, block, shared, {}, current_device()});
  work->parameters.resize(kernel->parameter_bytes + 16);
  for (std::size_t i = 0; i < kernel->parameters.size(); ++i)
    std::memcpy(work->parameters.data() + kernel->parameters[i].first, arguments[i],
                kernel->parameters[i].second);
  const bool fails = number == settings().failing_launch;
  const std::lock_guard lock(runtime_mutex());
  Stream* const s = find_stream(handle, "kernel launch");
  if (!s) return last_error();
  enqueue(*s, kernel->name.c_str(), [work, fails](Operation& operation) {
    if (!fails) return run_kernel(*work, operation);
    const std::lock_guard inner(runtime_mutex());
    set_sticky_error(cudaErrorIllegalAddress);
  });
  return cudaSuccess;
}

}  // namespace

extern "C" {

void** __cudaRegisterFatBinary(void* module) {
  const std::lock_guard lock(runtime_mutex());
  register_module(module);
  return static_cast<void**>(module);
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
char __cudaInitModule(void**) {
  return 1;
}
void __cudaRegisterVar(void**, char*, char*, const char* name, int, std::size_t, int, int) {
  note("variable {}: the emulator has none", name);
}
void __cudaRegisterFunction(void**, const char* function, char*, const char* name, int, uint3*, uint3*, dim3*,
                            dim3*, int*) {
  const std::lock_guard lock(runtime_mutex());
  register_function(function, name);
}
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  *kernel = reinterpret_cast<cudaKernel_t>(const_cast<void*>(function));
  return cudaSuccess;
}
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared, cudaStream_t stream) {
  configurations().push_back({grid, block, shared, stream});
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* stream) {
  const Configuration last = configurations().back();
  configurations().pop_back();
  *grid = last.grid;
  *block = last.block;
  *shared = last.shared;
  *static_cast<cudaStream_t*>(stream) = last.stream;
  return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  BEGIN_CALL("cudaFuncGetAttributes");
  const std::lock_guard lock(runtime_mutex());
  const Kernel* const kernel = kernel_of(function);
  if (!kernel) return fail(cudaErrorInvalidDeviceFunction, "cudaFuncGetAttributes", "no such kernel");
  *attributes = {};
  attributes->sharedSizeBytes = static_cast<std::size_t>(kernel->static_shared);
  attributes->maxThreadsPerBlock = kernel->most_threads;
  attributes->numRegs = 64;
  attributes->maxDynamicSharedSizeBytes = kernel->dynamic_shared[static_cast<std::size_t>(current_device())];
  return cudaSuccess;
}
cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  BEGIN_CALL("cudaFuncSetAttribute");
  const std::lock_guard lock(runtime_mutex());
  Kernel* const kernel = kernel_of(function);
  if (!kernel) return fail(cudaErrorInvalidDeviceFunction, "cudaFuncSetAttribute", "no such kernel");
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
  if (value < 0 || value + kernel->static_shared > settings().shared_memory)
    return fail(cudaErrorInvalidValue, "cudaFuncSetAttribute", "more shared memory than a block may have");
  kernel->dynamic_shared[static_cast<std::size_t>(current_device())] = value;
  return cudaSuccess;
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* c, const void* function, void** arguments) {
  return launch(function, c->gridDim, c->blockDim, arguments, c->dynamicSmemBytes, c->stream);
}
cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             std::size_t shared, cudaStream_t stream) {
  return launch(function, grid, block, arguments, shared, stream);
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               std::size_t shared, cudaStream_t stream) {
  return launch(reinterpret_cast<const void*>(kernel), grid, block, arguments, shared, stream);
}

}  // extern "C"
