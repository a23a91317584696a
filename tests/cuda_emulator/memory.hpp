// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Memory of emulated devices, pinned and managed memory: blocks of addresses that are never used again, NaN when new, and for
// each four bytes a shadow that says who wrote and read them last. Functions that say so need the lock of streams.hpp.
#pragma once
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "device_code.h"

namespace cuda_emulator {

constexpr std::uint64_t addresses_per_device = 0x1000000000ull;

enum class MemoryKind { device, pinned, managed, pool };

struct MemoryBlock {
  std::uint64_t at, size;
  MemoryKind kind;
  int device;
  bool freed_in_order = false;  // by cudaFreeAsync
};

// Last writer and reader as ThreadContext::id has them: operation 28 bits, block 18, thread 10, barriers 8.
struct Shadow {
  std::uint64_t writer, reader;
  std::uint8_t allocated, written, many_threads, many_blocks;  // many: read by several since `reader` was set
};
constexpr std::uint64_t pack_id(std::uint64_t operation, std::uint64_t block, std::uint64_t thread,
                                std::uint64_t barriers) {
  return operation << 36 | (block & 0x3ffff) << 18 | (thread & 0x3ff) << 8 | (barriers & 0xff);
}

inline bool is_device_address(std::uint64_t at) {
  return at - DEVICE_ARENA < DEVICE_ARENA_SIZE;
}
inline bool is_host_address(std::uint64_t at) {
  return at - HOST_ARENA < HOST_ARENA_SIZE;
}

// Reserves the addresses of all devices; locked.
void reserve_memory();
// Addresses for the emulator itself.
void* reserve(std::uint64_t at, std::uint64_t size, int protection);

// The host's address of a byte.
std::uint8_t* bytes_of(std::uint64_t at);
// Null for addresses of no arena. Only with Settings::checks.
Shadow* shadow(std::uint64_t at);
// Of all bytes from `at`; `operation` as their writer, 0 for the host.
void mark(std::uint64_t at, std::uint64_t size, bool allocated, bool written, std::uint64_t operation);

// The block that contains an address, or null; locked.
MemoryBlock* find_block(std::uint64_t at);
// The block that begins there, or null; locked.
MemoryBlock* block_at(std::uint64_t at);
// Allocates on a device, counts, and fails where Settings say so; locked.
cudaError_t take(void** out, std::size_t bytes, MemoryKind kind, int device);
// Frees; locked.
void give(std::uint64_t at);
// Bytes of a device that are allocated; locked.
std::uint64_t allocated_bytes(int device);
// "" or a message of the blocks that are left; locked.
std::string leftovers();
std::uint64_t most_allocated_bytes();

// An address in words: block and offset; takes the lock.
std::string place(std::uint64_t at);

}  // namespace cuda_emulator
