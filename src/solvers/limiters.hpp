// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Slope limiters (van Leer 1979; LeVeque 2002, section 6.9). A limiter maps the differences to the volumes
// below and above to the offset of the states at a volume's faces from that at its centre: half the limited difference
// across the volume. It is symmetric, odd in both arguments together, and zero where their signs differ. A limiter is a
// class with limit(), and `word` and `meaning` for the input file. To add one, add the class and its entry in the list at
// the end of this file.

#include "solvers/list.hpp"
#include "solvers/math.hpp"

namespace meander::solvers {

// The difference of smaller magnitude, zero where signs differ: the slope of prolongation. Defined for NaN.
template <class T>
MEANDER_TERM T minmod(const T& below, const T& above) {
  const T zero(0.0);
  return max(zero, min(below, above)) + min(zero, max(below, above));
}

struct MinMod {
  static constexpr const char *word = "minmod", *meaning = "the smaller difference";

  template <class T>
  MEANDER_TERM static T limit(T below, T above) {
    return T(0.5) * smaller_if_same_sign(below, above, below, above);
  }
};

// Monotonized central: the central difference, at most twice either one-sided difference.
struct MonotonizedCentral {
  static constexpr const char *word = "mc", *meaning = "monotonised central";

  template <class T>
  MEANDER_TERM static T limit(T below, T above) {
    return smaller_if_same_sign(below, above, T(0.25) * (below + above), smaller(below, above));
  }
};

// Van Leer's limiter (1974): the harmonic mean of both differences, smooth where they have the same sign.
struct VanLeer {
  static constexpr const char *word = "van-leer", *meaning = "van Leer's harmonic mean, smooth";

  template <class T>
  MEANDER_TERM static T limit(T below, T above) {
    const T zero(0.0), sum = below + above, least = smaller_if_same_sign(below, above, below, above),
                       larger = select(sum > zero, max(below, above), min(below, above));
    // This order of operations returns half of equal differences exactly and is bitwise symmetric in its arguments.
    return select(abs(least) > zero, least * (larger / sum), zero);
  }
};

using Limiters = List<MinMod, MonotonizedCentral, VanLeer>;

}  // namespace meander::solvers
