// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/ccz4/horizons/measures.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "physics/ccz4/linear_algebra.hpp"

namespace meander::ccz4 {
namespace {

// Components of a tensor along an orthonormal pair of vectors.
struct Dyad {
  double e[2][2];
  explicit Dyad(const double (&q)[2][2]) {
    const double l = std::sqrt(q[0][0]), down = q[0][1] / l, rest = std::sqrt(q[1][1] - down * down);
    e[0][0] = 1 / l;
    e[0][1] = 0;
    e[1][0] = -down / (l * rest);
    e[1][1] = 1 / rest;
  }
};

}  // namespace

KillingPotentials killing_potentials(const SphereGrid& grid, const std::vector<SurfaceElement>& elements) {
  const std::size_t modes = grid.modes - 1, rows = 2 * grid.size();
  // Rows: the gradient, and the trace-free second derivatives, whose squares add up to the integrals.
  Matrix gradient(rows, modes), shear(rows, modes);
  double area = 0;
  for (std::size_t n = 0; n < grid.size(); ++n) {
    const SurfaceElement& at = elements[n];
    const Dyad dyad(at.metric);
    area += grid.weight[n] * at.area;
    const double weight = std::sqrt(grid.weight[n] * at.area);
    const std::size_t row = 2 * n;
    const SphereGrid::Harmonics harmonics = grid.at(n);
    for (std::size_t m = 0; m < modes; ++m) {
      const SphereDerivatives y = harmonics[m + 1];
      const double slope[2] = {y.t, y.p};
      const double second[2][2] = {{y.tt, y.tp}, {y.tp, y.pp}};
      double covariant[2][2], along[2] = {}, bend[2][2] = {};
      for (int A = 0; A < 2; ++A) {
        for (int B = 0; B < 2; ++B) {
          covariant[A][B] =
              second[A][B] - at.connection[0][A][B] * slope[0] - at.connection[1][A][B] * slope[1];
          along[A] += dyad.e[A][B] * slope[B];
        }
      }
      for (int A = 0; A < 2; ++A) {
        for (int B = 0; B < 2; ++B) {
          for (int C = 0; C < 2; ++C) {
            for (int E = 0; E < 2; ++E) bend[A][B] += dyad.e[A][C] * dyad.e[B][E] * covariant[C][E];
          }
        }
      }
      gradient(row, m) = weight * along[0];
      gradient(row + 1, m) = weight * along[1];
      shear(row, m) = weight * std::numbers::sqrt2 / 2 * (bend[0][0] - bend[1][1]);
      shear(row + 1, m) = weight * std::numbers::sqrt2 * bend[0][1];
    }
  }
  const Eigenpairs pairs =
      generalized_eigenpairs(transposed_product(shear, shear), transposed_product(gradient, gradient));
  KillingPotentials result;
  for (std::size_t which = 0; which < 3; ++which) {
    result.eigenvalue[which] = pairs.values[which];
    std::vector<double>& z = result.z[which];
    z.assign(grid.modes, 0.0);
    for (std::size_t m = 0; m < modes; ++m) z[m + 1] = pairs.vectors(which, m);
    const std::vector<SphereDerivatives> at = grid.evaluate(z);
    double mean = 0, square = 0;
    for (std::size_t n = 0; n < grid.size(); ++n)
      mean += grid.weight[n] * elements[n].area * at[n].value / area;
    for (std::size_t n = 0; n < grid.size(); ++n) {
      const double from_mean = at[n].value - mean;
      square += grid.weight[n] * elements[n].area * from_mean * from_mean;
    }
    const double scale = std::sqrt(area * area * area / (48 * std::numbers::pi * std::numbers::pi) / square);
    for (double& mode : z) mode *= scale;
  }
  return result;
}

namespace {

using std::numbers::pi;

constexpr double least_chi = 0.01;  // of a spin whose direction is the axis

double dot(const Point<3>& a, const Point<3>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
Point<3> cross(const Point<3>& a, const Point<3>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Point<3> scaled(const Point<3>& a, double by) {
  return {a[0] * by, a[1] * by, a[2] * by};
}
Point<3> unit(const Point<3>& a) {
  return scaled(a, 1 / std::sqrt(dot(a, a)));
}

// The point of the surface in a direction from `from`, a point inside, by the secant method.
Point<3> point_towards(const HorizonShape& shape, int l_max, const Point<3>& from,
                       const Point<3>& direction) {
  Point<3> x{};
  const auto excess = [&](double distance) {
    for (std::size_t i = 0; i < 3; ++i) x[i] = from[i] + distance * direction[i];
    const Point<3> offset = {x[0] - shape.centre[0], x[1] - shape.centre[1], x[2] - shape.centre[2]};
    const double r = std::sqrt(dot(offset, offset));
    const std::vector<double> y = harmonics(l_max, scaled(offset, 1 / r));
    double radius = 0;
    for (std::size_t m = 0; m < shape.a.size(); ++m) radius += shape.a[m] * y[m];
    return r - radius;
  };
  constexpr int most_rounds = 50;
  double before = 0.9 * shape.mean_radius(), here = shape.mean_radius(), value = excess(before);
  for (int round = 0; round < most_rounds; ++round) {
    const double next = excess(here);
    if (std::abs(next) < 1e-15 * here || next == value) break;
    const double change = next * (here - before) / (next - value);
    before = here;
    value = next;
    here -= change;
    if (std::abs(change) < 1e-15 * here) break;
  }
  return x;
}

// The closed curve on the surface in the directions a cos(s) + b sin(s) from a point inside.
double circumference(const FieldSource& source, const HorizonShape& shape, int l_max, const Point<3>& from,
                     const Point<3>& a, const Point<3>& b) {
  const std::size_t count = 4 * static_cast<std::size_t>(l_max + 1);
  const double step = 2 * pi / static_cast<double>(count);
  std::vector<Point<3>> points(count);
  for (std::size_t n = 0; n < count; ++n) {
    const double s = static_cast<double>(n) * step;
    Point<3> direction;
    for (std::size_t i = 0; i < 3; ++i) direction[i] = a[i] * std::cos(s) + b[i] * std::sin(s);
    points[n] = point_towards(shape, l_max, from, direction);
  }
  const FieldSamples samples = source(points, {});
  if (!samples.is_inside) return NAN;
  double length = 0;
  for (std::size_t n = 0; n < count; ++n) {
    Point<3> tangent{};  // of the trigonometric polynomial through the points
    for (std::size_t k = 1; k < count; ++k) {
      const Point<3>& other = points[(n + k) % count];
      const double weight = (k % 2 == 0 ? -0.5 : 0.5) / std::tan(0.5 * static_cast<double>(k) * step);
      for (std::size_t i = 0; i < 3; ++i) tangent[i] += weight * (other[i] - shape.centre[i]);
    }
    length += step * length_of(samples.values[n], tangent);
  }
  return length;
}

// Integrals over the surface of 1, position, and momentum times a vector field.
struct Integrals {
  const SphereGrid& grid;
  const std::vector<SurfaceElement>& elements;

  template <class F>
  double of(const F& f) const {
    double sum = 0;
    for (std::size_t n = 0; n < grid.size(); ++n) sum += grid.weight[n] * elements[n].area * f(n);
    return sum;
  }
};

// Each potential z contributes its angular momentum along its dipole. from_centroid: the points of the surface.
Point<3> spin_by_killing_vectors(const Integrals& over, const KillingPotentials& potentials,
                                 const std::vector<SphereFrame>& frames,
                                 const std::vector<Point<3>>& from_centroid) {
  Point<3> spin{};
  for (const std::vector<double>& potential : potentials.z) {
    const std::vector<SphereDerivatives> z = over.grid.evaluate(potential);
    Point<3> axis;
    for (std::size_t i = 0; i < 3; ++i)
      axis[i] = over.of([&](std::size_t n) { return z[n].value * from_centroid[n][i]; });
    axis = unit(axis);
    const double along = over.of([&](std::size_t n) {
      const SurfaceElement& at = over.elements[n];
      const double root = at.area * frames[n].sine;  // of det q
      return (z[n].p * dot(at.tangent[0], at.momentum) - z[n].t * dot(at.tangent[1], at.momentum)) / root;
    });
    for (std::size_t i = 0; i < 3; ++i) spin[i] += along / (8 * pi) * axis[i];
  }
  return spin;
}

double power_in_tail(const HorizonShape& shape, int l_max) {
  double all = 0, tail = 0;
  for (std::size_t m = 0; m < shape.a.size(); ++m) {
    const double power = shape.a[m] * shape.a[m];
    all += power;
    if (degree_of(m) > l_max - 2) tail += power;
  }
  return tail / all;
}

}  // namespace

HorizonMeasures measure_horizon(const HorizonFinder& finder, const FieldSource& source,
                                const SampledSurface& surface) {
  const SphereGrid& grid = finder.grid();
  const std::vector<SphereFrame>& frames = finder.frames();
  std::vector<SurfaceElement> elements(grid.size());
  std::vector<Point<3>> points(grid.size());
  for (std::size_t n = 0; n < grid.size(); ++n) {
    elements[n] = surface_element(surface.samples.values[n], frames[n], surface.h[n]);
    for (std::size_t i = 0; i < 3; ++i)
      points[n][i] = surface.shape.centre[i] + surface.h[n].value * frames[n].outwards[i];
  }
  const Integrals over{grid, elements};
  HorizonMeasures result;
  result.area = over.of([](std::size_t) { return 1.0; });
  result.irreducible_mass = std::sqrt(result.area / (16 * pi));
  for (std::size_t i = 0; i < 3; ++i)
    result.centroid[i] = over.of([&](std::size_t n) { return points[n][i]; }) / result.area;
  std::vector<double> radius(points.size());
  for (std::size_t n = 0; n < points.size(); ++n) {
    Point<3>& from = points[n];
    for (std::size_t i = 0; i < 3; ++i) from[i] -= result.centroid[i];
    radius[n] = std::sqrt(dot(from, from));
  }
  result.mean_radius = over.of([&](std::size_t n) { return radius[n]; }) / result.area;
  result.least_radius = *std::ranges::min_element(radius);
  result.largest_radius = *std::ranges::max_element(radius);
  for (std::size_t i = 0; i < 3; ++i) {
    Point<3> axis{};
    axis[i] = 1;
    result.coordinate_spin[i] =
        over.of([&](std::size_t n) { return dot(cross(axis, points[n]), elements[n].momentum); }) / (8 * pi);
  }
  const KillingPotentials potentials = killing_potentials(grid, elements);
  result.killing_eigenvalue = potentials.eigenvalue[0] * result.area / (4 * pi);
  result.spin = spin_by_killing_vectors(over, potentials, frames, points);
  const double m2 = result.irreducible_mass * result.irreducible_mass, j2 = dot(result.spin, result.spin);
  const double mass2 = m2 + j2 / (4 * m2);
  result.christodoulou_mass = std::sqrt(mass2);
  result.chi = std::sqrt(j2) / mass2;
  const Point<3> axis = result.chi < least_chi ? Point<3>{0, 0, 1} : unit(result.spin);
  const Point<3> helper = std::abs(axis[2]) < 0.5 ? Point<3>{0, 0, 1} : Point<3>{1, 0, 0};
  const Point<3> first = unit(cross(helper, axis)), second = cross(axis, first);
  const int l_max = grid.l_max;
  result.equatorial = circumference(source, surface.shape, l_max, result.centroid, first, second);
  result.polar = 0.5 * (circumference(source, surface.shape, l_max, result.centroid, axis, first) +
                        circumference(source, surface.shape, l_max, result.centroid, axis, second));
  result.tail = power_in_tail(surface.shape, l_max);
  return result;
}

}  // namespace meander::ccz4
