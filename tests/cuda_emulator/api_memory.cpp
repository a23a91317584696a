// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Calls of the CUDA runtime: memory and copies.
#include <algorithm>
#include <cstring>
#include <memory>

#include "calls.hpp"
#include "memory.hpp"
#include "settings.hpp"

using namespace cuda_emulator;

namespace {

// An operation that is no kernel reads or writes a range.
void touch(std::uint64_t at, std::uint64_t size, bool writes) {
  Shadow* const first = settings().checks ? shadow(at) : nullptr;
  if (!first) return;
  const Operation& now = *operation_now();
  const std::uint64_t mine = pack_id(now.id, 0, 0, 0);
  bool outside = false, unwritten = false;
  std::uint64_t other = 0;
  for (Shadow* s = first; s < first + (size + 3) / 4; ++s) {
    outside = outside || !s->allocated;
    if (!is_ordered(s->writer >> 36)) other = s->writer >> 36;
    if (writes) {
      if (!is_ordered(s->reader >> 36)) other = s->reader >> 36;
      s->writer = mine;
      s->written = 1;
    } else {
      unwritten = unwritten || !s->written;
      s->reader = mine;
      s->many_threads = s->many_blocks = 0;
    }
  }
  if (outside) defect("{} accesses memory that is not allocated # {} bytes: {}", now.what, size, place(at));
  if (other) {
    defect("{} {} memory that unordered operation '{}' uses # {}", now.what, writes ? "writes" : "reads",
           what_operation(other), place(at));
  }
  if (unwritten && settings().checks_initial)
    note("{} reads bytes that nothing wrote # {} bytes: {}", now.what, size, place(at));
}

// The block of a range, null for memory of the program; locked.
cudaError_t find_range(std::uint64_t at, std::size_t bytes, const MemoryBlock*& block, const char* call) {
  block = find_block(at);
  if (block && at + bytes > block->at + block->size)
    return fail(cudaErrorInvalidValue, call, "the range exceeds its block");
  if (!block && (is_device_address(at) || is_host_address(at)))
    return fail(cudaErrorInvalidValue, call, "an address of no block: freed, or out of bounds");
  return cudaSuccess;
}

cudaError_t allocate_for_host(void** out, std::size_t bytes, MemoryKind kind) {
  ++counts().host_allocations;
  const std::lock_guard lock(runtime_mutex());
  const cudaError_t error = take(out, bytes, kind, current_device());
  if (error == cudaSuccess) mark(reinterpret_cast<std::uint64_t>(*out), bytes, true, true, 0);
  return quietly(error);
}

cudaError_t release(void* pointer, bool pinned, const char* call) {
  if (!pointer) return cudaSuccess;
  std::unique_lock lock(runtime_mutex());
  const auto at = reinterpret_cast<std::uint64_t>(pointer);
  const MemoryBlock* const found = block_at(at);
  if (!found) return fail(cudaErrorInvalidValue, call, "no such block: freed twice, or never allocated");
  const MemoryBlock block = *found;
  if ((block.kind == MemoryKind::pinned) != pinned)
    return fail(cudaErrorInvalidValue, call, "memory of another kind");
  if (block.device != current_device() && !pinned) note("{} with another device current", call);
  const bool of_all = pinned || block.kind == MemoryKind::managed;
  for (int device = 0; device < settings().devices && !settings().frees_at_once; ++device)
    if (of_all || device == block.device) drain(lock, device);
  mark(at, block.size, false, false, 0);
  give(at);
  return quietly(sticky_error());
}

bool is_on_device(const MemoryBlock* block) {
  return block && (block->kind == MemoryKind::device || block->kind == MemoryKind::pool);
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** out, std::size_t bytes) {
  BEGIN_CALL("cudaMalloc");
  ++counts().allocations;
  const std::lock_guard lock(runtime_mutex());
  const cudaError_t error = take(out, bytes, MemoryKind::device, current_device());
  if (error == cudaSuccess) mark(reinterpret_cast<std::uint64_t>(*out), bytes, true, false, 0);
  return quietly(error);
}
cudaError_t cudaHostAlloc(void** out, std::size_t bytes, unsigned) {
  BEGIN_CALL("cudaHostAlloc");
  return allocate_for_host(out, bytes, MemoryKind::pinned);
}
cudaError_t cudaMallocHost(void** out, std::size_t bytes) {
  BEGIN_CALL("cudaMallocHost");
  return allocate_for_host(out, bytes, MemoryKind::pinned);
}
cudaError_t cudaMallocManaged(void** out, std::size_t bytes, unsigned) {
  BEGIN_CALL("cudaMallocManaged");
  if (bytes == 0) return fail(cudaErrorInvalidValue, "cudaMallocManaged", "no bytes");
  return allocate_for_host(out, bytes, MemoryKind::managed);
}
cudaError_t cudaFree(void* pointer) {
  BEGIN_CALL("cudaFree");
  return release(pointer, false, "cudaFree");
}
cudaError_t cudaFreeHost(void* pointer) {
  BEGIN_CALL("cudaFreeHost");
  return release(pointer, true, "cudaFreeHost");
}

cudaError_t cudaMallocAsync(void** out, std::size_t bytes, cudaStream_t handle) {
  BEGIN_CALL("cudaMallocAsync");
  ++counts().allocations;
  const std::lock_guard lock(runtime_mutex());
  Stream* const s = find_stream(handle, "cudaMallocAsync");
  if (!s) return last_error();
  const cudaError_t error = take(out, bytes, MemoryKind::pool, s->device);
  if (error != cudaSuccess) return quietly(error);
  const auto at = reinterpret_cast<std::uint64_t>(*out);
  enqueue(*s, "cudaMallocAsync",
          [at, bytes](Operation& operation) { mark(at, bytes, true, false, operation.id); });
  return cudaSuccess;
}
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t handle) {
  BEGIN_CALL("cudaFreeAsync");
  const std::lock_guard lock(runtime_mutex());
  Stream* const s = find_stream(handle, "cudaFreeAsync");
  if (!s) return last_error();
  const auto at = reinterpret_cast<std::uint64_t>(pointer);
  MemoryBlock* const block = block_at(at);
  if (!block || block->kind != MemoryKind::pool || block->freed_in_order)
    return fail(cudaErrorInvalidValue, "cudaFreeAsync", "no such block of a pool");
  block->freed_in_order = true;
  enqueue(*s, "cudaFreeAsync", [at, size = block->size](Operation&) {
    touch(at, size, true);  // no unordered operation may use it
    mark(at, size, false, false, 0);
    const std::lock_guard inner(runtime_mutex());
    give(at);
  });
  return cudaSuccess;
}
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  BEGIN_CALL("cudaDeviceGetDefaultMemPool");
  if (!is_device(device))
    return fail(cudaErrorInvalidDevice, "cudaDeviceGetDefaultMemPool", "no such device");
  *pool = reinterpret_cast<cudaMemPool_t>(static_cast<std::uintptr_t>(device + 1));
  return cudaSuccess;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) {
  BEGIN_CALL("cudaMemPoolSetAttribute");
  return cudaSuccess;
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, std::size_t) {
  BEGIN_CALL("cudaMemPoolTrimTo");
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t handle) {
  BEGIN_CALL("cudaMemcpyAsync");
  ++counts().copies;
  std::unique_lock lock(runtime_mutex());
  Stream* const s = find_stream(handle, "cudaMemcpyAsync");
  if (!s) return last_error();
  if (bytes == 0) return cudaSuccess;
  if (!to || !from) return fail(cudaErrorInvalidValue, "cudaMemcpyAsync", "a null pointer");
  const auto target = reinterpret_cast<std::uint64_t>(to), source = reinterpret_cast<std::uint64_t>(from);
  const MemoryBlock *target_block, *source_block;
  if (find_range(target, bytes, target_block, "cudaMemcpyAsync (target)") != cudaSuccess ||
      find_range(source, bytes, source_block, "cudaMemcpyAsync (source)") != cudaSuccess)
    return last_error();
  const auto on_host = [](const MemoryBlock* block) { return !block || block->kind == MemoryKind::pinned; };
  if ((kind == cudaMemcpyHostToDevice && on_host(target_block)) ||
      (kind == cudaMemcpyDeviceToHost && on_host(source_block)))
    return fail(cudaErrorInvalidValue, "cudaMemcpyAsync", "the wrong direction");
  if (target < source + bytes && source < target + bytes)
    return fail(cudaErrorInvalidValue, "cudaMemcpyAsync", "the ranges overlap");
  if (is_on_device(target_block) && is_on_device(source_block) &&
      target_block->device != source_block->device)
    note("copy between devices");
  // Pageable memory is read when the copy is enqueued, and a copy to it blocks.
  std::shared_ptr<std::vector<std::uint8_t>> staged;
  if (!source_block) {
    ++counts().pageable_copies_in;
    const auto* const begin = static_cast<const std::uint8_t*>(from);
    staged = std::make_shared<std::vector<std::uint8_t>>(begin, begin + bytes);
  }
  const bool in = on_host(source_block), out = on_host(target_block);
  const char* const what = in && !out ? "copy in" : out && !in ? "copy out" : "copy between";
  const std::uint64_t number = enqueue(*s, what, [target, source, bytes, staged](Operation&) {
    if (!staged) touch(source, bytes, false);
    touch(target, bytes, true);
    std::memcpy(bytes_of(target), staged ? staged->data() : bytes_of(source), bytes);
  });
  if (target_block) return cudaSuccess;
  ++counts().pageable_copies_out;
  const Clock clock = s->clock;
  wait_until(lock, *s, number);
  observe(clock);
  return quietly(sticky_error());
}
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  const cudaError_t error = cudaMemcpyAsync(to, from, bytes, kind, nullptr);
  return error == cudaSuccess ? cudaStreamSynchronize(nullptr) : error;
}
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t handle) {
  BEGIN_CALL("cudaMemsetAsync");
  const std::lock_guard lock(runtime_mutex());
  Stream* const s = find_stream(handle, "cudaMemsetAsync");
  if (!s) return last_error();
  const MemoryBlock* block;
  const auto at = reinterpret_cast<std::uint64_t>(to);
  if (find_range(at, bytes, block, "cudaMemsetAsync") != cudaSuccess) return last_error();
  if (!block) return fail(cudaErrorInvalidValue, "cudaMemsetAsync", "memory of the host");
  enqueue(*s, "memset", [at, value, bytes](Operation&) {
    touch(at, bytes, true);
    std::memset(bytes_of(at), value, bytes);
  });
  return cudaSuccess;
}
cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
  const cudaError_t error = cudaMemsetAsync(to, value, bytes, nullptr);
  return error == cudaSuccess ? cudaStreamSynchronize(nullptr) : error;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  BEGIN_CALL("cudaPointerGetAttributes");
  const std::lock_guard lock(runtime_mutex());
  *attributes = {};
  const MemoryBlock* const block = find_block(reinterpret_cast<std::uint64_t>(pointer));
  attributes->device = block ? block->device : -2;
  attributes->type = !block                               ? cudaMemoryTypeUnregistered
                     : block->kind == MemoryKind::pinned  ? cudaMemoryTypeHost
                     : block->kind == MemoryKind::managed ? cudaMemoryTypeManaged
                                                          : cudaMemoryTypeDevice;
  return cudaSuccess;
}
cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, cudaMemLocation to, unsigned flags,
                                 cudaStream_t handle) {
  BEGIN_CALL("cudaMemPrefetchAsync");
  const std::lock_guard lock(runtime_mutex());
  Stream* const s = find_stream(handle, "cudaMemPrefetchAsync");
  if (!s) return last_error();
  const MemoryBlock* block;
  if (find_range(reinterpret_cast<std::uint64_t>(pointer), bytes, block, "cudaMemPrefetchAsync") !=
      cudaSuccess)
    return last_error();
  if (!block || block->kind != MemoryKind::managed || flags != 0)
    return fail(cudaErrorInvalidValue, "cudaMemPrefetchAsync", "no managed memory");
  if (to.type == cudaMemLocationTypeDevice && !is_device(to.id))
    return fail(cudaErrorInvalidDevice, "cudaMemPrefetchAsync", "no such device");
  enqueue(*s, "prefetch", nullptr);
  return cudaSuccess;
}

}  // extern "C"
