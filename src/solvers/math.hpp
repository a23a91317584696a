// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The arithmetic of PDE terms. A term calls these functions unqualified. A value type other than double (SIMD
// pack, dual number) has its own overloads, found by argument-dependent lookup. Every operation here is
// correctly rounded or exact, so that double, packs and device code agree bitwise. Usable in device code.

#include <cmath>

#ifdef __CUDACC__
#define MEANDER_HOST_DEVICE __host__ __device__
#define MEANDER_TERM __host__ __device__ __forceinline__
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MEANDER_HOST_DEVICE
#define MEANDER_TERM inline  // forced inlining would only multiply the sanitizer's checks
#else
#define MEANDER_HOST_DEVICE
#define MEANDER_TERM __attribute__((always_inline)) inline
#endif

// MEANDER_UNROLL unrolls loops over unknowns and tensor indices completely, whatever the compiler's estimate of their size;
// MEANDER_ROLL keeps a loop that would need more registers than there are.
#if defined(__CUDACC__) || defined(__clang__)
#define MEANDER_UNROLL _Pragma("unroll")
#define MEANDER_ROLL _Pragma("unroll 1")
#else
#define MEANDER_UNROLL _Pragma("GCC unroll 16")
#define MEANDER_ROLL _Pragma("GCC unroll 1")
#endif

namespace meander::solvers {

// a * b + c, rounded once.
MEANDER_TERM double fma(double a, double b, double c) {
  return std::fma(a, b, c);
}
MEANDER_TERM double sqrt(double a) {
  return std::sqrt(a);
}
MEANDER_TERM double abs(double a) {
  return std::fabs(a);
}
// max and min return the second argument if either is NaN, as the vector instructions do.
MEANDER_TERM double max(double a, double b) {
  return a > b ? a : b;
}
MEANDER_TERM double min(double a, double b) {
  return a < b ? a : b;
}
MEANDER_TERM double floor(double a) {
  return std::floor(a);
}
MEANDER_TERM double select(bool condition, double a, double b) {
  return condition ? a : b;
}

// The argument of smaller magnitude. Unspecified for NaN, and the sign for equal magnitudes.
MEANDER_TERM double smaller(double a, double b) {
  return abs(a) < abs(b) ? a : b;
}
// The larger magnitude. Unspecified for NaN.
MEANDER_TERM double larger_magnitude(double a, double b) {
  return max(abs(a), abs(b));
}
// smaller(c, d) where a and b have the same sign bit, otherwise 0.
MEANDER_TERM double smaller_if_same_sign(double a, double b, double c, double d) {
  return std::signbit(a) == std::signbit(b) ? smaller(c, d) : 0.0;
}

// Whether a condition holds in any lane.
MEANDER_TERM bool any(bool mask) {
  return mask;
}
// Whether it holds in all lanes.
MEANDER_TERM bool all(bool mask) {
  return mask;
}

// A pointer to a device's global memory, that is, neither to shared nor to local memory: its loads and stores
// need no test of the address space. Must not be null. Elsewhere the pointer itself.
template <class T>
MEANDER_TERM T* global(T* pointer) {
#ifdef __CUDA_ARCH__
  __builtin_assume(__isGlobal(pointer));
#endif
  return pointer;
}

// In device code, a point that loads and stores do not cross when the compiler orders them: fewer values are
// alive at a time, and registers suffice. Elsewhere nothing.
MEANDER_TERM void keep_order() {
#ifdef __CUDA_ARCH__
  asm volatile("" ::: "memory");
#endif
}

// 0, of which the compiler for a device does not know that it is 0 each time: what is computed from addresses plus
// this is computed again, not kept.
MEANDER_TERM int unknown_zero() {
  int zero = 0;
#ifdef __CUDA_ARCH__
  asm volatile("" : "+r"(zero));
#endif
  return zero;
}

// Adjacent entries of a table.
template <class T>
struct Neighbours {
  T first, second;
};
// table[index] and table[index + 1] for an integer-valued index >= 0.
MEANDER_TERM Neighbours<double> neighbours(const double* table, double index) {
  const double* const at = table + static_cast<long>(index);
  return {at[0], at[1]};
}

}  // namespace meander::solvers
