// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// SIMD packs for CPU translation units: loads, stores and lane moves that kernels need beyond arithmetic, for
// packs and, with one lane, for double. Never included from device code or from PDE terms.

#include <xsimd/xsimd.hpp>

#include "solvers/math.hpp"

namespace meander::solvers {

using Pack = xsimd::batch<double>;
using PackMask = xsimd::batch_bool<double>;

template <class V>
inline constexpr int lanes = 1;
template <>
inline constexpr int lanes<Pack> = static_cast<int>(Pack::size);

template <class V>
MEANDER_TERM V load(const double* from) {
  if constexpr (lanes<V> == 1) {
    return *from;
  } else {
    return V::load_unaligned(from);
  }
}
MEANDER_TERM void store(double* to, double value) {
  *to = value;
}
MEANDER_TERM void store(double* to, const Pack& value) {
  value.store_unaligned(to);
}

// Moves every lane up by one; the last lane of `previous` enters at the bottom.
MEANDER_TERM double shift_in(double previous, double) {
  return previous;
}
MEANDER_TERM Pack shift_in(const Pack& previous, const Pack& current) {
#ifdef __AVX512F__
  return Pack(_mm512_castsi512_pd(
      _mm512_alignr_epi64(_mm512_castpd_si512(current), _mm512_castpd_si512(previous), 7)));
#else
  alignas(64) double both[2 * lanes<Pack>];
  previous.store_aligned(both);
  current.store_aligned(both + lanes<Pack>);
  return Pack::load_unaligned(both + lanes<Pack> - 1);
#endif
}

// table[index] lane by lane, for whole numbers index >= 0.
inline Pack gather(const double* table, const Pack& index) {
  alignas(64) double at[lanes<Pack>];
  index.store_aligned(at);
  for (double& entry : at) entry = gather(table, entry);
  return Pack::load_aligned(at);
}

MEANDER_TERM bool any(bool mask) {
  return mask;
}
MEANDER_TERM bool any(const PackMask& mask) {
  return xsimd::any(mask);
}
MEANDER_TERM double total(double value) {
  return value;
}
inline double total(const Pack& value) {
  alignas(64) double all[lanes<Pack>];
  value.store_aligned(all);
  double result = 0;
  for (const double one : all) result += one;
  return result;
}

MEANDER_TERM double largest(double value) {
  return value;
}
inline double largest(const Pack& value) {
  alignas(64) double all[lanes<Pack>];
  value.store_aligned(all);
  double result = all[0];
  for (const double one : all) result = max(result, one);
  return result;
}

}  // namespace meander::solvers
