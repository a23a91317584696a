// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Memory of a CUDA device, and enumeration of devices.
#include <cstdint>
#include <string>

#include "gpu/cuda_device.hpp"
#include "gpu/cuda_device_class.hpp"

namespace meander::gpu {

void* CudaDevice::allocate(Space space, std::size_t bytes) {
  if (space == Space::host || !properties_.supports(space))
    throw DeviceError(properties_.name + ": the device has no " + gpu::name(space) + " memory", false);
  if (lost()) throw DeviceError(properties_.name + ": the device is lost", true);
  if (bytes == 0) return nullptr;
  select();
  void* pointer = nullptr;
  cudaError_t result = cudaSuccess;
  if (space == Space::device) {
    result = cudaMalloc(&pointer, bytes);
  } else if (space == Space::pinned) {
    result = cudaHostAlloc(&pointer, bytes, cudaHostAllocPortable | cudaHostAllocMapped);
  } else {
    result = cudaMallocManaged(&pointer, bytes);
  }
  if (result == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    throw OutOfMemory(bytes, properties_.memory - available(), {space, properties_.number}, 0,
                      properties_.memory);
  }
  check(result, "allocation");
  return pointer;
}

void CudaDevice::deallocate(Space space, void* pointer) noexcept {
  if (pointer == nullptr) return;
  cudaSetDevice(properties_.number);
  log_failure(space == Space::pinned ? cudaFreeHost(pointer) : cudaFree(pointer), "deallocation");
}

void* CudaDevice::allocate_ordered(Queue queue, std::size_t bytes) {
  if (bytes == 0) return nullptr;
  CudaQueue& state = begin(queue);
  void* pointer = nullptr;
  const cudaError_t result = cudaMallocAsync(&pointer, bytes, state.stream);
  if (result == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    throw OutOfMemory(bytes, properties_.memory - available(), {Space::device, properties_.number}, 0,
                      properties_.memory);
  }
  check(result, "cudaMallocAsync");
  end(state);
  return pointer;
}

void CudaDevice::deallocate_ordered(Queue queue, void* pointer) noexcept {
  if (pointer == nullptr) return;
  auto& state = static_cast<CudaQueue&>(*queue.state());
  cudaSetDevice(properties_.number);
  log_failure(cudaFreeAsync(pointer, state.stream), "cudaFreeAsync");
  end(state);
}

std::size_t CudaDevice::available() noexcept {
  std::size_t free = 0, total = 0;
  cudaSetDevice(properties_.number);
  log_failure(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  return free;
}

namespace {

int visible_devices(cudaError_t& result) {
  int count = 0;
  result = cudaGetDeviceCount(&count);
  if (result != cudaSuccess) cudaGetLastError();
  return result == cudaSuccess ? count : 0;
}

}  // namespace

std::string why_no_cuda() {
  cudaError_t result = cudaSuccess;
  if (visible_devices(result) > 0) return "";
  if (result == cudaSuccess || result == cudaErrorNoDevice) return "no CUDA device is visible";
  if (result == cudaErrorInsufficientDriver) {
    return "the NVIDIA driver is missing or too old for CUDA " + std::to_string(CUDART_VERSION / 1000) + "." +
           std::to_string(CUDART_VERSION % 1000 / 10);
  }
  return std::string("CUDA error: ") + cudaGetErrorString(result);
}

std::vector<std::unique_ptr<Device>> make_cuda_devices() {
  std::vector<std::unique_ptr<Device>> devices;
  cudaError_t result = cudaSuccess;
  const int count = visible_devices(result);
  for (int number = 0; number < count; ++number) devices.push_back(std::make_unique<CudaDevice>(number));
  return devices;
}

}  // namespace meander::gpu
