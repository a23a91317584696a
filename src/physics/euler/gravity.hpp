// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Gravity, the step data of the Euler solver: an external field, which does not change, and the radial field of the
// gas, in supercomoving variables (Martel & Shapiro 1998, MNRAS 297, 467). They add up.
//   external: uniform, or of a point mass M with softening length s (G = 1),
//     g(x) = -M (x - centre) / (r^2 + s^2)^(3/2) in 3D, -M (x - centre) / (r^2 + s^2) in 2D,
//     or the fields of the patches, one for each axis
//   radial: g(x) = -strength(a) * G(r) * (x - centre),  G(r) = dM(<r) / r^d,
//     with strength = 3 a / (2 pi) in 3D, 3 a / pi in 2D, and a = tau^-2. dM(<r) is the mass excess over the mean
//     density 1 inside radius r. G is tabulated at equidistant radii and interpolated linearly. The field at a later
//     time t follows by the rates of strength, G and total, linearly.

#include <cstdint>
#include <type_traits>

#include "physics/euler/parameters.hpp"

namespace meander::euler {

// A step lasts at most this times sqrt(dx / g), the time to fall across half a volume from rest.
inline constexpr double gravity_cfl = 0.5;
// In supercomoving variables, times |tau|; a tenth of this changes the scale factor by a thousandth. Larger steps miss the
// turnaround.
inline constexpr double expansion_fraction = 0.005;
// In supercomoving variables.
inline double scale_factor(double tau) {
  return 1 / (tau * tau);
}

struct ExternalGravity {
  enum class Kind : std::uint8_t { none, uniform, point, fields };
  Kind kind = Kind::none;
  double vector[3] = {0, 0, 0};  // uniform: the acceleration; point: the position of the mass
  double mass = 0, softening_squared = 0;
  double largest = 0;  // fields: the largest acceleration of all volumes
};

// The part of the step data that does not change in time.
struct FixedGravity {
  // The field in the halo beyond a face of the domain: at the point itself, at its periodic image, or mirrored.
  enum class Beyond : std::uint8_t { same, periodic, mirrored };
  ExternalGravity external;
  // Reconstructs the pressure about equilibrium (Balanced of pde.hpp); needs Kind::fields, and no radial field.
  bool balances = false;
  double lower[3] = {0, 0, 0}, upper[3] = {0, 0, 0};  // of the domain
  Beyond beyond[6] = {};                              // face = 2 * axis + side
};

struct Gravity : FixedGravity {
  static constexpr int max_bins = 2048;
  bool radial = false;  // false: nothing below matters
  int dim = 3;
  int bins = 0;  // table has bins + 1 entries, at r = i * dr
  double centre[3] = {0, 0, 0};
  double dr = 1;
  double strength = 0, strength_rate = 0;  // at the beginning of the step
  double g_max = 0;                        // largest |g| over the table, for the time step
  double table[max_bins + 2] =
      {};  // G(i * dr); beyond the last radius G falls as r^-d (the excess is constant there)
  double table_rate[max_bins + 2] = {};      // dG/dt
  double excess_total = 0, excess_rate = 0;  // dM inside the last radius, and its rate
};
static_assert(std::is_trivially_copyable_v<Gravity>);

// The largest external acceleration at the centre of a volume of width dx, or a bound of it: the field of a softened
// mass is largest at a distance from it.
double largest_external(const FixedGravity& gravity, int dim, double dx);

}  // namespace meander::euler
