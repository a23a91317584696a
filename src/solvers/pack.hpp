// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// SIMD packs of doubles for CPU translation units: a thin wrapper of xsimd. Each operation is bitwise that of
// math.hpp in every lane (xsimd 8's fma rounds twice on AVX-512, and its negation loses the sign of zero).
// Kernels are templates over V = Pack or V = double, a pack of one lane. Not for device code or terms.

#include <cstddef>
#include <cstdint>
#include <xsimd/xsimd.hpp>

#include "solvers/math.hpp"
#include "solvers/power.hpp"

// Intrinsics with immediate operands. With sanitizers loops over the lanes: they check accesses, and GCC refuses the
// intrinsics in a file without optimization whose precompiled header was optimized.
#if defined(__AVX512F__) && defined(__AVX512DQ__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define MEANDER_PACK_INTRINSICS
#endif

namespace meander::solvers {

using PackMask = xsimd::batch_bool<double>;

struct Pack {
  using Batch = xsimd::batch<double>;
  static constexpr int size = static_cast<int>(Batch::size);

  Batch lanes;

  Pack() = default;
  MEANDER_TERM Pack(const Batch& batch) : lanes(batch) {}
  MEANDER_TERM explicit Pack(double value) : lanes(value) {}

  friend MEANDER_TERM Pack operator+(const Pack& a, const Pack& b) { return a.lanes + b.lanes; }
  friend MEANDER_TERM Pack operator-(const Pack& a, const Pack& b) { return a.lanes - b.lanes; }
  friend MEANDER_TERM Pack operator*(const Pack& a, const Pack& b) { return a.lanes * b.lanes; }
  friend MEANDER_TERM Pack operator/(const Pack& a, const Pack& b) { return a.lanes / b.lanes; }
  friend MEANDER_TERM Pack operator-(const Pack& a) { return a.lanes ^ Batch(-0.0); }
  friend MEANDER_TERM PackMask operator>(const Pack& a, const Pack& b) { return a.lanes > b.lanes; }
  friend MEANDER_TERM PackMask operator<(const Pack& a, const Pack& b) { return a.lanes < b.lanes; }
  friend MEANDER_TERM PackMask operator<=(const Pack& a, const Pack& b) { return a.lanes <= b.lanes; }
};

MEANDER_TERM Pack sqrt(const Pack& a) {
  return xsimd::sqrt(a.lanes);
}
MEANDER_TERM Pack abs(const Pack& a) {
  return xsimd::abs(a.lanes);
}
MEANDER_TERM Pack max(const Pack& a, const Pack& b) {
  return xsimd::max(a.lanes, b.lanes);
}
MEANDER_TERM Pack min(const Pack& a, const Pack& b) {
  return xsimd::min(a.lanes, b.lanes);
}
MEANDER_TERM Pack floor(const Pack& a) {
  return xsimd::floor(a.lanes);
}
MEANDER_TERM Pack select(const PackMask& mask, const Pack& a, const Pack& b) {
  return xsimd::select(mask, a.lanes, b.lanes);
}
MEANDER_TERM Pack smaller(const Pack& a, const Pack& b) {
#ifdef MEANDER_PACK_INTRINSICS
  return Pack::Batch(
      _mm512_range_pd(a.lanes, b.lanes, 0b0110));  // of both magnitudes the smaller, with its sign
#else
  return xsimd::select(xsimd::abs(a.lanes) < xsimd::abs(b.lanes), a.lanes, b.lanes);
#endif
}
MEANDER_TERM Pack larger_magnitude(const Pack& a, const Pack& b) {
#ifdef MEANDER_PACK_INTRINSICS
  return Pack::Batch(_mm512_range_pd(a.lanes, b.lanes, 0b1011));
#else
  return xsimd::max(xsimd::abs(a.lanes), xsimd::abs(b.lanes));
#endif
}
MEANDER_TERM Pack smaller_if_same_sign(const Pack& a, const Pack& b, const Pack& c, const Pack& d) {
#ifdef MEANDER_PACK_INTRINSICS
  const __m512i signs = _mm512_castpd_si512(a.lanes ^ b.lanes);
  return Pack::Batch(_mm512_maskz_range_pd(_mm512_testn_epi64_mask(signs, _mm512_set1_epi64(INT64_MIN)),
                                           c.lanes, d.lanes, 0b0110));
#else
  const Pack::Batch one(1.0), sign = xsimd::bitofsign(a.lanes ^ b.lanes) | one;
  const auto differ = sign < Pack::Batch(0.0);
  return xsimd::select(differ, Pack::Batch(0.0), smaller(c, d).lanes);
#endif
}
MEANDER_TERM Pack fma(const Pack& a, const Pack& b, const Pack& c) {
#ifdef __AVX512F__
  return Pack::Batch(_mm512_fmadd_pd(a.lanes, b.lanes, c.lanes));
#elif defined(__FMA__)
  return Pack::Batch(_mm256_fmadd_pd(a.lanes, b.lanes, c.lanes));
#else
  alignas(64) double x[Pack::size], y[Pack::size], z[Pack::size];
  a.lanes.store_aligned(x);
  b.lanes.store_aligned(y);
  c.lanes.store_aligned(z);
  for (int i = 0; i < Pack::size; ++i) z[i] = fma(x[i], y[i], z[i]);
  return Pack::Batch::load_aligned(z);
#endif
}
// For power(): lane by lane, which the compiler vectorises.
MEANDER_TERM Pack split(const Pack& x, Pack& m) {
  alignas(64) double values[Pack::size], mantissas[Pack::size];
  x.lanes.store_aligned(values);
  for (int i = 0; i < Pack::size; ++i) values[i] = split(values[i], mantissas[i]);
  m = Pack::Batch::load_aligned(mantissas);
  return Pack::Batch::load_aligned(values);
}
MEANDER_TERM Pack power_of_two(const Pack& n) {
  alignas(64) double values[Pack::size];
  n.lanes.store_aligned(values);
  for (double& value : values) value = power_of_two(value);
  return Pack::Batch::load_aligned(values);
}
MEANDER_TERM Pack rough_inverse_cube_root(const Pack& x) {
#ifdef __AVX512F__
  const __m512i upper = _mm512_srli_epi64(_mm512_castpd_si512(x.lanes), 32);
  return Pack::Batch(_mm512_castsi512_pd(_mm512_sub_epi64(
      _mm512_set1_epi64(0x553ef00000000000), _mm512_mul_epu32(upper, _mm512_set1_epi64(0x55555555)))));
#else
  alignas(64) double values[Pack::size];
  x.lanes.store_aligned(values);
  for (double& value : values) value = rough_inverse_cube_root(value);
  return Pack::Batch::load_aligned(values);
#endif
}
// In each lane table[index] and table[index + 1], for integer-valued indices >= 0: one load of both.
MEANDER_TERM Neighbours<Pack> neighbours(const double* table, const Pack& index) {
#ifdef MEANDER_PACK_INTRINSICS
  alignas(32) int at[8];
  _mm256_store_si256(reinterpret_cast<__m256i*>(at), _mm512_cvttpd_epi32(index.lanes));
  const auto pair = [&](int lane) { return _mm_loadu_pd(table + at[lane]); };
  const auto pairs = [&](int lane) {
    __m512d four = _mm512_castpd128_pd512(pair(lane));
    four = _mm512_insertf64x2(four, pair(lane + 2), 1);
    four = _mm512_insertf64x2(four, pair(lane + 4), 2);
    return _mm512_insertf64x2(four, pair(lane + 6), 3);
  };
  const __m512d even = pairs(0), odd = pairs(1);
  return {Pack::Batch(_mm512_unpacklo_pd(even, odd)), Pack::Batch(_mm512_unpackhi_pd(even, odd))};
#else
  alignas(64) double at[Pack::size], first[Pack::size], second[Pack::size];
  index.lanes.store_aligned(at);
  for (int i = 0; i < Pack::size; ++i) {
    const Neighbours<double> pair = neighbours(table, at[i]);
    first[i] = pair.first;
    second[i] = pair.second;
  }
  return {Pack::Batch::load_aligned(first), Pack::Batch::load_aligned(second)};
#endif
}

template <class V>
inline constexpr int lanes = 1;
template <>
inline constexpr int lanes<Pack> = Pack::size;

template <class V>
MEANDER_TERM V load(const double* from) {
  if constexpr (lanes<V> == 1) {
    return *from;
  } else {
#if defined(__GNUC__) && !defined(__clang__) && defined(__AVX512F__)
    // g++ tends to reload a value for each of its uses, and kernels are bound by loads across cache lines.
    __m512d value = _mm512_loadu_pd(from);
    __asm__("" : "+v"(value));
    return Pack::Batch(value);
#else
    return Pack::Batch::load_unaligned(from);
#endif
  }
}
// The first `count` values, and the last of them in all further lanes.
MEANDER_TERM Pack load_at_most(const double* from, int count) {
  if (count >= Pack::size) return load<Pack>(from);
  alignas(64) double values[Pack::size];
  for (int lane = 0; lane < Pack::size; ++lane) values[lane] = from[lane < count ? lane : count - 1];
  return Pack::Batch::load_aligned(values);
}
MEANDER_TERM void store(double* to, double value) {
  *to = value;
}
MEANDER_TERM void store(double* to, const Pack& value) {
  value.lanes.store_unaligned(to);
}

// Values of the volumes of one plane by rows: row n at base + n * stride.
struct Rows {
  double* base;
  std::ptrdiff_t stride;

  Rows from(std::ptrdiff_t offset) const { return {base + offset, stride}; }
};
template <int N, class V>
MEANDER_TERM void read(const Rows& rows, std::ptrdiff_t at, V* values) {
  for (int n = 0; n < N; ++n) values[n] = load<V>(rows.base + n * rows.stride + at);
}
template <int N, class V>
MEANDER_TERM void write(const Rows& rows, std::ptrdiff_t at, const V* values) {
  for (int n = 0; n < N; ++n) store(rows.base + n * rows.stride + at, values[n]);
}

// Prefetches the data of a later read of the same rows.
template <int N>
MEANDER_TERM void prefetch(const Rows& rows, std::ptrdiff_t at) {
  for (int n = 0; n < N; ++n) __builtin_prefetch(rows.base + n * rows.stride + at, 0, 3);
}

// Moves every lane up by one. The last lane of `previous` becomes the first.
MEANDER_TERM double shift_in(double previous, double) {
  return previous;
}
MEANDER_TERM Pack shift_in(const Pack& previous, const Pack& current) {
#ifdef __AVX512F__
  return Pack::Batch(_mm512_castsi512_pd(
      _mm512_alignr_epi64(_mm512_castpd_si512(current.lanes), _mm512_castpd_si512(previous.lanes), 7)));
#else
  alignas(64) double both[2 * Pack::size];
  previous.lanes.store_aligned(both);
  current.lanes.store_aligned(both + Pack::size);
  return Pack::Batch::load_unaligned(both + Pack::size - 1);
#endif
}

MEANDER_TERM bool any(const PackMask& mask) {
  return xsimd::any(mask);
}
MEANDER_TERM bool all(const PackMask& mask) {
  return xsimd::all(mask);
}

// Sum and maximum over the lanes.
MEANDER_TERM double total(double value) {
  return value;
}
inline double total(const Pack& value) {
  alignas(64) double all[Pack::size];
  value.lanes.store_aligned(all);
  double result = 0;
  for (const double one : all) result += one;
  return result;
}
MEANDER_TERM double largest(double value) {
  return value;
}
inline double largest(const Pack& value) {
  alignas(64) double all[Pack::size];
  value.lanes.store_aligned(all);
  double result = all[0];
  for (const double one : all) result = max(result, one);
  return result;
}

}  // namespace meander::solvers
