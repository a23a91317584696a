// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A closed surface r = h(theta, phi) about a centre, point by point: its expansion and its metric, from the unknowns
// and the derivatives of h. First-order unknowns suffice: P_k and D_kij replace all derivatives of the metric.

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "base/vec.hpp"
#include "physics/ccz4/horizons/sphere_grid.hpp"
#include "physics/ccz4/unknowns.hpp"

namespace meander::ccz4 {

// The unknowns that a surface reads.
inline constexpr std::array<int, 35> horizon_unknowns = [] {
  std::array<int, 35> list{};
  std::size_t n = 0;
  const auto add = [&](int first, int count) {
    for (int i = 0; i < count; ++i) list[n++] = first + i;
  };
  add(at::g, 6);
  add(at::At, 6);
  add(at::D, 18);
  add(at::K, 1);
  add(at::phi, 1);
  add(at::P, 3);
  return list;
}();

// Their values at a point, in that order.
struct HorizonFields {
  double of[horizon_unknowns.size()] = {};

  double g(int i, int j) const { return of[pair(i, j)]; }
  double At(int i, int j) const { return of[6 + pair(i, j)]; }
  double D(int k, int i, int j) const { return of[12 + 6 * k + pair(i, j)]; }
  double K() const { return of[30]; }
  double phi() const { return of[31]; }
  double P(int k) const { return of[32 + k]; }
};

struct FieldSamples {
  std::vector<HorizonFields> values;
  std::vector<HorizonFields> slopes;  // derivatives along the directions; empty without directions
  bool is_inside = true;              // all points lie in the domain; otherwise the rest is meaningless
  int coarsest_level = 0, finest_level = 0;  // of the mesh at the points
};
// The fields at points, and their derivatives along a unit vector at each point if there are any.
using FieldSource =
    std::function<FieldSamples(std::span<const Point<3>> points, std::span<const Point<3>> directions)>;

// Unit vectors of spherical coordinates.
struct SphereFrame {
  SphereFrame(double theta, double phi);
  double cosine, sine;  // of theta
  Point<3> outwards, along_theta, along_phi;
};

struct Expansion {
  double theta = 0;  // expansion of outgoing light, 1 / length
  double flow_weight =
      0;  // rho of the fast flow: Gundlach 1998, Phys. Rev. D 57, 863 (gr-qc/9707050), eq. 32
};
// Theta = D_i s^i + K_ij s^i s^j - K for the outward unit normal s. h: the radius and its derivatives.
Expansion expansion(const HorizonFields& fields, const SphereFrame& frame, const SphereDerivatives& h);

// The surface about a point. Coordinates: A = 0 is theta, A = 1 is phi.
struct SurfaceElement {
  double area = 0;                  // of a unit of solid angle of the coordinates
  double metric[2][2] = {};         // q_AB
  double connection[2][2][2] = {};  // Gamma^C_AB, [C][A][B]
  Point<3> tangent[2] = {};         // d x^i / d A
  Point<3> momentum = {};           // (K_ij - g_ij K / 3) s^i, the density of angular momentum along xi^j
};
SurfaceElement surface_element(const HorizonFields& fields, const SphereFrame& frame,
                               const SphereDerivatives& h);

// Length of a coordinate vector.
double length_of(const HorizonFields& fields, const Point<3>& vector);

}  // namespace meander::ccz4
