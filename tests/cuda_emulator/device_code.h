/* SPDX-FileCopyrightText: 2026 the Meander authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What a kernel of ptx_to_c.py and the emulator agree on; C, and C++ for the emulator. CHECK: accesses are checked. */
#pragma once
#include <stdint.h>
#include <string.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Device memory has addresses that the host cannot read; its bytes are at address + DEVICE_ALIAS. Pinned and managed memory
 * is where it is. Shared memory has offsets; generic addresses of it begin at SHARED_WINDOW. */
#define DEVICE_ARENA 0x100000000000ull
#define DEVICE_ARENA_SIZE 0x10000000000ull /* of all devices */
#define DEVICE_ALIAS 0x10000000000ull
#define HOST_ARENA 0x140000000000ull /* pinned and managed */
#define HOST_ARENA_SIZE 0x2000000000ull
#define SHARED_WINDOW 0x7ff000000000ull
#define SHARED_WINDOW_SIZE 0x1000000ull

/* A thread of a block. `id` packs the operation, the block, the thread, and the number of barriers it has passed. */
struct ThreadContext {
  uint32_t tid[3], ntid[3], ctaid[3], nctaid[3];
  uint8_t* param;
  uint8_t* shared;
  uint32_t shared_size, thread, block, warp;
  uint64_t id;
};

/* `line` is that of the kernel's PTX. An access gets the address of its bytes on the host. */
void emulated_barrier(struct ThreadContext*, int line);
void emulated_warp_barrier(struct ThreadContext*, uint32_t mask, int line);
uint32_t emulated_shuffle(struct ThreadContext*, int mode, uint32_t value, uint32_t b, uint32_t clamp, uint32_t mask,
                          uint8_t* inside, int line);
void emulated_trap(struct ThreadContext*, int line);
void emulated_zero_division(struct ThreadContext*, int line);
void emulated_unaligned(struct ThreadContext*, uint64_t at, int size, int line);
uint8_t* emulated_load(struct ThreadContext*, uint64_t at, int size, int line);      /* global */
uint8_t* emulated_store(struct ThreadContext*, uint64_t at, int size, int line);
uint8_t* emulated_load_any(struct ThreadContext*, uint64_t at, int size, int line);  /* generic */
uint8_t* emulated_store_any(struct ThreadContext*, uint64_t at, int size, int line);
uint8_t* emulated_load_shared(struct ThreadContext*, uint64_t at, int size, int line);
uint8_t* emulated_store_shared(struct ThreadContext*, uint64_t at, int size, int line);
uint8_t* emulated_atomic(struct ThreadContext*, uint64_t at, int size, int line);
uint8_t* emulated_local(struct ThreadContext*, uint64_t at, int size, int line);     /* outside of the local arrays */
uint8_t* emulated_fault(struct ThreadContext*, uint64_t at, int size, int line);
#ifdef __cplusplus
}
#else

/* Values of registers as other types. */
static inline double U2D(uint64_t u) { double d; memcpy(&d, &u, 8); return d; }
static inline uint64_t D2U(double d) { uint64_t u; memcpy(&u, &d, 8); return u; }
static inline float U2F(uint32_t u) { float f; memcpy(&f, &u, 4); return f; }
static inline uint32_t F2U(float f) { uint32_t u; memcpy(&u, &f, 4); return u; }

static inline double FMAX(double a, double b) {
  if (a != a) return b;
  if (b != b) return a;
  if (a == b) return U2D(D2U(a) & D2U(b));
  return a > b ? a : b;
}
static inline double FMIN(double a, double b) {
  if (a != a) return b;
  if (b != b) return a;
  if (a == b) return U2D(D2U(a) | D2U(b));
  return a < b ? a : b;
}

/* Conversions saturate, and NaN becomes 0. */
#define TO_INT(name, type, least, most, low, high) \
  static inline type TO_##name(double d) { return d != d ? 0 : d <= (low) ? (least) : d >= (high) ? (most) : (type)d; }
TO_INT(s64, int64_t, INT64_MIN, INT64_MAX, -9223372036854775808.0, 9223372036854775808.0)
TO_INT(u64, uint64_t, 0, UINT64_MAX, 0.0, 18446744073709551616.0)
TO_INT(s32, int32_t, INT32_MIN, INT32_MAX, -2147483648.0, 2147483647.0)
TO_INT(u32, uint32_t, 0, UINT32_MAX, 0.0, 4294967295.0)
TO_INT(s16, int16_t, INT16_MIN, INT16_MAX, -32768.0, 32767.0)
TO_INT(u16, uint16_t, 0, UINT16_MAX, 0.0, 65535.0)

static inline uint32_t BFE_u32(uint32_t a, uint32_t p, uint32_t n) {
  p &= 255;
  n &= 255;
  if (p > 31 || n == 0) return 0;
  return n > 31 ? a >> p : (a >> p) & ((1u << n) - 1);
}
static inline uint64_t BFE_u64(uint64_t a, uint32_t p, uint32_t n) {
  p &= 255;
  n &= 255;
  if (p > 63 || n == 0) return 0;
  return n > 63 ? a >> p : (a >> p) & ((1ull << n) - 1);
}

/* What a register holds before the kernel sets it. */
#define JUNK_b16 0xbadu
#define JUNK_b32 0xbadbad00u
#define JUNK_b64 0xbadbadbadbadbad0ull
#define JUNK_f32 U2F(0x7fc0badau)
#define JUNK_f64 U2D(0x7ff8bad0bad0bad0ull)
#define JUNK_pred 1

#define LOAD_param(T, at, line) (*(const T*)(uintptr_t)(at))
#define LOAD_const(T, at, line) (*(const T*)(uintptr_t)(at))
#define ATOM(at, size, line) emulated_atomic(c, at, size, line)
#ifdef CHECK
#define LOCAL(at, size, line)                                            \
  ((at) - (uint64_t)(uintptr_t)depot + (size) <= sizeof depot            \
       ? (uint8_t*)(uintptr_t)(at)                                       \
       : emulated_local(c, at, size, line))
#define LOAD_local(T, at, line) (*(const T*)LOCAL(at, sizeof(T), line))
#define STORE_local(T, at, v, line) *(T*)LOCAL(at, sizeof(T), line) = (T)(v);
#define ALIGNED(at, size, line) if ((at) & ((size) - 1)) emulated_unaligned(c, at, size, line);
#define LOAD_global(T, at, line) (*(const T*)emulated_load(c, at, sizeof(T), line))
#define STORE_global(T, at, v, line) *(T*)emulated_store(c, at, sizeof(T), line) = (T)(v);
/* Addresses of shared memory have 32 bits, and wrap around. */
#define LOAD_shared(T, at, line) (*(const T*)emulated_load_shared(c, (uint32_t)(at), sizeof(T), line))
#define STORE_shared(T, at, v, line) *(T*)emulated_store_shared(c, (uint32_t)(at), sizeof(T), line) = (T)(v);
#define LOAD_generic(T, at, line) (*(const T*)emulated_load_any(c, at, sizeof(T), line))
#define STORE_generic(T, at, v, line) *(T*)emulated_store_any(c, at, sizeof(T), line) = (T)(v);
#else
static inline uint8_t* plain(struct ThreadContext* c, uint64_t at, int size, int line) {
  if (at - DEVICE_ARENA < DEVICE_ARENA_SIZE) return (uint8_t*)(uintptr_t)(at + DEVICE_ALIAS);
  if (at < 65536) return emulated_fault(c, at, size, line);
  return (uint8_t*)(uintptr_t)at;
}
static inline uint8_t* generic(struct ThreadContext* c, uint64_t at, int size, int line) {
  if (at - SHARED_WINDOW < SHARED_WINDOW_SIZE) return c->shared + (at - SHARED_WINDOW);
  return plain(c, at, size, line);
}
#define ALIGNED(at, size, line)
#define LOAD_local(T, at, line) (*(const T*)(uintptr_t)(at))
#define STORE_local(T, at, v, line) *(T*)(uintptr_t)(at) = (T)(v);
#define LOAD_global(T, at, line) (*(const T*)plain(c, at, sizeof(T), line))
#define STORE_global(T, at, v, line) *(T*)plain(c, at, sizeof(T), line) = (T)(v);
#define LOAD_shared(T, at, line) (*(const T*)(c->shared + (uint32_t)(at)))
#define STORE_shared(T, at, v, line) *(T*)(c->shared + (uint32_t)(at)) = (T)(v);
#define LOAD_generic(T, at, line) (*(const T*)generic(c, at, sizeof(T), line))
#define STORE_generic(T, at, v, line) *(T*)generic(c, at, sizeof(T), line) = (T)(v);
#endif
#endif
