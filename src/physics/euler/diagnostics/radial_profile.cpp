// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/euler/diagnostics/radial_profile.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/vec.hpp"
#include "simulation/diagnostics/totals.hpp"

namespace meander::euler {

using namespace simulation;

namespace {

// Fills entries without weight by linear interpolation between the nearest entries with weight.
void fill_gaps(std::vector<double>& values, const std::vector<double>& weight) {
  const std::size_t none = values.size();
  std::size_t last = none;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!(weight[i] > 0)) continue;
    for (std::size_t gap = last == none ? 0 : last + 1; gap < i; ++gap) {
      const double f = last == none ? 1.0 : static_cast<double>(gap - last) / static_cast<double>(i - last);
      values[gap] = last == none ? values[i] : values[last] + f * (values[i] - values[last]);
    }
    last = i;
  }
  if (last == none) return;
  for (std::size_t gap = last + 1; gap < values.size(); ++gap) values[gap] = values[last];
}

// A power of two such that integrals over `count` leaves of magnitude `largest` are within 2^62 quanta, and one within
// 2^50.
double quantum_for(double largest, std::int64_t count) {
  if (!(largest > 0) || !std::isfinite(largest)) return 1.0;
  const double bound =
      std::max(std::ldexp(largest, -50), std::ldexp(largest * static_cast<double>(count), -62));
  return std::ldexp(1.0, std::ilogb(bound) + 1);
}

// Of volume, mass, radial momentum and pressure, from bounds of their integrals over a leaf: with its mass M and energy E,
// sqrt(2 M E) for the momentum (by the inequality of Cauchy and Schwarz) and (gamma - 1) E for the pressure.
std::array<double, 4> quanta(const StateView& view, double gamma) {
  const auto unknowns = static_cast<std::size_t>(view.layout.unknowns),
             of_energy = static_cast<std::size_t>(view.layout.dim) + 1;
  const std::vector<double> sums = sums_over_leaves(view);
  std::array<std::int64_t, 4>
      largest{};  // magnitudes compare like the integers that hold them, NaN as the largest
  const auto take = [&largest](std::size_t q, double value) {
    largest[q] = std::max(largest[q], std::bit_cast<std::int64_t>(std::abs(value)));
  };
  for (std::size_t leaf = 0; leaf < view.patches.size(); ++leaf) {
    const double volume = ipow(view.patches.geometry()[leaf].dx, view.layout.dim),
                 mass = volume * std::abs(sums[leaf * unknowns]),
                 energy = volume * std::abs(sums[leaf * unknowns + of_energy]);
    take(0, volume * static_cast<double>(view.layout.volumes()));
    take(1, mass);
    take(2, std::sqrt(2 * mass * energy));
    take(3, (gamma - 1) * energy);
  }
  view.communicator.max(std::span<std::int64_t>(largest));
  const std::int64_t leaves = view.communicator.sum(static_cast<std::int64_t>(view.patches.size()));
  std::array<double, 4> quanta{};
  for (std::size_t q = 0; q < 4; ++q) quanta[q] = quantum_for(std::bit_cast<double>(largest[q]), leaves);
  return quanta;
}

// Volume, mass, radial momentum and pressure of each volume.
template <int D>
void integrate(const PlaneView& plane, double gamma, double* const* out) {
  const double *__restrict__ rho = plane.unknown[0], *__restrict__ mx = plane.unknown[1],
               *__restrict__ my = plane.unknown[2], *__restrict__ mz = plane.unknown[3],
               *__restrict__ energy = plane.unknown[D + 1], *__restrict__ x = plane.x, *__restrict__ y = plane.y,
               *__restrict__ r = plane.r;
  double* __restrict__ volume = out[0], * __restrict__ mass = out[1], * __restrict__ momentum = out[2], * __restrict__ pressure = out[3];
  for (int n = 0; n < plane.n; ++n) {
    double outward = mx[n] * x[n] + my[n] * y[n], momentum2 = mx[n] * mx[n] + my[n] * my[n];
    if constexpr (D == 3) {
      outward += mz[n] * plane.z;
      momentum2 += mz[n] * mz[n];
    }
    volume[n] = plane.volume;
    mass[n] = rho[n] * plane.volume;
    // At the centre the momentum has no radial part.
    momentum[n] = outward / (r[n] > 0 ? r[n] : 1.0) * plane.volume;
    pressure[n] = (gamma - 1) * (energy[n] - 0.5 * momentum2 / rho[n]) * plane.volume;
  }
}

}  // namespace

RadialProfile radial_profile(const StateView& view, const std::array<double, 3>& centre, double radius,
                             double gamma) {
  const int dim = view.layout.dim;
  double finest = std::numeric_limits<double>::infinity();
  for (const double dx : view.level_dx) finest = dx > 0 ? std::min(finest, dx) : finest;
  ShellGrid grid{dim, centre, 0, 0};
  grid.count = static_cast<int>(std::clamp(std::floor(radius / finest), 1.0, 4096.0));
  grid.dr = radius / grid.count;

  const auto integrand = [dim, gamma](const PlaneView& plane, double* const* out) {
    dim == 3 ? integrate<3>(plane, gamma, out) : integrate<2>(plane, gamma, out);
  };
  using Kind = solvers::ShellBatch::Kind;
  std::array<solvers::ShellBatch, 4> batches;
  batches[0].kind = Kind::volume;
  batches[2].kind = Kind::radial;
  batches[2].unknown = 1;
  batches[3].kind = Kind::remainder;  // gamma - 1 times the thermal energy: the pressure
  batches[3].constant = gamma - 1;
  ShellSums<4> sums;
  sums.sum(view, grid, dim + 2, quanta(view, gamma), batches, integrand);

  const auto volume = sums.shells(0), mass = sums.shells(1), momentum = sums.shells(2),
             pressure = sums.shells(3);
  RadialProfile profile;
  profile.dr = grid.dr;
  profile.density.resize(volume.size());
  profile.radial_velocity.resize(volume.size());
  profile.pressure.resize(volume.size());
  for (std::size_t i = 0; i < volume.size(); ++i) {
    if (!(volume[i] > 0)) continue;
    profile.excess += mass[i] - volume[i];
    profile.density[i] = mass[i] / volume[i];
    profile.radial_velocity[i] = mass[i] > 0 ? momentum[i] / mass[i] : 0;
    profile.pressure[i] = pressure[i] / volume[i];
  }
  for (auto* values : {&profile.density, &profile.radial_velocity, &profile.pressure})
    fill_gaps(*values, volume);
  return profile;
}

double outermost_sign_change(const RadialProfile& profile, const std::vector<double>& values) {
  for (std::size_t i = values.size(); i-- > 1;) {
    const double inner = values[i - 1], outer = values[i];
    if (inner <= 0 && outer > 0) return profile.radius(i - 1) + profile.dr * (-inner) / (outer - inner);
  }
  return 0;
}

namespace {

// Radial velocity including the expansion, proportional to the physical one.
std::vector<double> physical_velocity(const RadialProfile& profile, double tau) {
  std::vector<double> velocity(profile.size());
  for (std::size_t i = 0; i < velocity.size(); ++i)
    velocity[i] = profile.radial_velocity[i] - 2 * profile.radius(i) / tau;
  return velocity;
}

}  // namespace

double turnaround_radius(const RadialProfile& profile, double tau) {
  return outermost_sign_change(profile, physical_velocity(profile, tau));
}

double accretion_shock_radius(const RadialProfile& profile, double tau) {
  const auto velocity = physical_velocity(profile, tau);
  const double turnaround = outermost_sign_change(profile, velocity);
  std::size_t fastest = 0;
  for (std::size_t i = 0; i < velocity.size() && profile.radius(i) < turnaround; ++i) {
    if (velocity[i] < velocity[fastest]) fastest = i;
  }
  const double half = 0.5 * velocity[fastest];
  if (turnaround == 0 || half >= 0) return 0;
  for (std::size_t i = fastest; i > 0; --i) {
    const double inner = velocity[i - 1], outer = velocity[i];
    if (inner >= half) return profile.radius(i) - profile.dr * (half - outer) / (inner - outer);
  }
  return profile.radius(0);
}

double blast_radius(const RadialProfile& profile) {
  const auto& p = profile.pressure;
  const auto fall = [&](std::size_t i) { return i + 1 < p.size() ? p[i] - p[i + 1] : 0.0; };
  std::size_t steepest = 0;
  for (std::size_t i = 1; i + 1 < p.size(); ++i) {
    if (fall(i) > fall(steepest)) steepest = i;
  }
  const double most = fall(steepest);
  // Excludes round-off in an undisturbed gas.
  if (!(most > 1e-6 * p[steepest])) return 0;
  // The pressure differences lie between the shells. The maximum is that of the parabola through three of
  // them.
  const double before = steepest > 0 ? fall(steepest - 1) : 0.0, after = fall(steepest + 1);
  const double curvature = 2 * most - before - after;
  const double shift = curvature > 0 ? 0.5 * (after - before) / curvature : 0.0;
  return profile.radius(steepest) + (0.5 + shift) * profile.dr;
}

}  // namespace meander::euler
