// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/ccz4/horizons/search.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "physics/ccz4/linear_algebra.hpp"

namespace meander::ccz4 {
namespace {

using std::numbers::pi;

constexpr double largest_step = 0.3;     // of Newton's method, in units of the radius
constexpr double smallest_radius = 0.1;  // of the flow, in units of the first
constexpr double flow_alpha = 1, flow_beta = 0.5;

// More points than modes, so that products of harmonics are integrated well.
int latitudes_of(int l_max) {
  return 3 * l_max / 2 + 4;
}

// Of the points between which a surface is verified.
int fine_latitudes_of(int l_max) {
  return (3 * latitudes_of(l_max) + 1) / 2;
}

std::vector<SphereFrame> frames_of(const SphereGrid& grid) {
  std::vector<SphereFrame> frames;
  frames.reserve(grid.size());
  for (std::size_t n = 0; n < grid.size(); ++n) frames.emplace_back(grid.theta[n], grid.phi[n]);
  return frames;
}

SampledSurface sampled(const SphereGrid& grid, const std::vector<SphereFrame>& frames,
                       const FieldSource& source, const HorizonShape& shape, bool slopes) {
  SampledSurface surface{shape, grid.evaluate(shape.a), {}};
  std::vector<Point<3>> points(grid.size()), directions;
  for (std::size_t n = 0; n < grid.size(); ++n) {
    for (std::size_t i = 0; i < 3; ++i)
      points[n][i] = shape.centre[i] + surface.h[n].value * frames[n].outwards[i];
    if (slopes) directions.push_back(frames[n].outwards);
  }
  surface.samples = source(points, directions);
  return surface;
}

std::vector<double> expansions(const SampledSurface& surface, const std::vector<SphereFrame>& frames) {
  std::vector<double> theta(frames.size());
  for (std::size_t n = 0; n < theta.size(); ++n)
    theta[n] = expansion(surface.samples.values[n], frames[n], surface.h[n]).theta;
  return theta;
}

double rms_of(const SphereGrid& grid, const std::vector<double>& f) {
  double sum = 0;
  for (std::size_t n = 0; n < f.size(); ++n) sum += grid.weight[n] * f[n] * f[n];
  return std::sqrt(sum / (4 * pi));
}

double irreducible_mass(const SphereGrid& grid, const std::vector<SphereFrame>& frames,
                        const SampledSurface& surface) {
  double area = 0;
  for (std::size_t n = 0; n < grid.size(); ++n)
    area += grid.weight[n] * surface_element(surface.samples.values[n], frames[n], surface.h[n]).area;
  return std::sqrt(area / (16 * pi));
}

double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) most = std::isfinite(value) ? std::max(most, std::abs(value)) : INFINITY;
  return most;
}

bool is_star_shaped(const SampledSurface& surface) {
  return std::ranges::all_of(surface.h, [](const auto& h) { return h.value > 0; });
}

// The derivatives of Theta at a point with respect to h and its derivatives, by central differences. `slope`: radial
// derivatives of the fields.
SphereDerivatives expansion_derivatives(const HorizonFields& fields, const HorizonFields& slope,
                                        const SphereFrame& frame, const SphereDerivatives& h) {
  const double step = 1e-4 * h.value;
  SphereDerivatives result;
  for (double SphereDerivatives::*by :
       {&SphereDerivatives::value, &SphereDerivatives::t, &SphereDerivatives::p, &SphereDerivatives::tt,
        &SphereDerivatives::tp, &SphereDerivatives::pp}) {
    double theta[2];
    for (int side = 0; side < 2; ++side) {
      const double change = side == 0 ? -step : step;
      SphereDerivatives moved = h;
      moved.*by += change;
      HorizonFields there = fields;
      if (by == &SphereDerivatives::value) {
        for (std::size_t u = 0; u < horizon_unknowns.size(); ++u) there.of[u] += change * slope.of[u];
      }
      theta[side] = expansion(there, frame, moved).theta;
    }
    result.*by = (theta[1] - theta[0]) / (2 * step);
  }
  return result;
}

}  // namespace

HorizonShape HorizonShape::sphere(const Point<3>& centre, double radius, int l_max) {
  HorizonShape shape{centre, std::vector<double>(mode_count(l_max), 0.0)};
  shape.a.front() = radius * std::sqrt(4 * pi);
  return shape;
}

double HorizonShape::mean_radius() const {
  return a.front() / std::sqrt(4 * pi);
}

bool HorizonShape::surrounds(const Point<3>& point) const {
  Point<3> from_centre;
  for (std::size_t i = 0; i < 3; ++i) from_centre[i] = point[i] - centre[i];
  const double distance = std::hypot(from_centre[0], from_centre[1], from_centre[2]);
  if (distance == 0) return true;
  for (double& along : from_centre) along /= distance;
  const std::vector<double> of_modes = harmonics(degree_of(a.size() - 1), from_centre);
  return distance < std::inner_product(a.begin(), a.end(), of_modes.begin(), 0.0);
}

HorizonFinder::HorizonFinder(int l_max)
    : grid_(l_max, latitudes_of(l_max)),
      fine_(l_max, fine_latitudes_of(l_max)),
      frames_(frames_of(grid_)),
      fine_frames_(frames_of(fine_)) {}

HorizonMemory HorizonFinder::memory(int l_max) {
  const auto modes = static_cast<double>(mode_count(l_max));
  const auto points = [](int latitudes) { return 2.0 * latitudes * latitudes; };
  const double coarse = points(latitudes_of(l_max)), fine = points(fine_latitudes_of(l_max));
  HorizonMemory memory;
  memory.tables = SphereGrid::bytes(l_max, latitudes_of(l_max)) +
                  SphereGrid::bytes(l_max, fine_latitudes_of(l_max)) + sizeof(SphereFrame) * (coarse + fine);
  // Two rows of each of two matrices a point, and the matrices of the eigenvalue problem (measures.cpp).
  memory.search = sizeof(double) * (4 * coarse * modes + 7 * modes * modes);
  return memory;
}

SampledSurface HorizonFinder::sample(const FieldSource& source, const HorizonShape& shape,
                                     bool slopes) const {
  return sampled(grid_, frames_, source, shape, slopes);
}

std::vector<double> HorizonFinder::newton_step(const SampledSurface& surface,
                                               const std::vector<double>& residual) const {
  Matrix y(grid_.size(), grid_.modes), jacobian = y;  // the latter weighted for the integral over the sphere
  for (std::size_t n = 0; n < grid_.size(); ++n) {
    const SphereDerivatives by =
        expansion_derivatives(surface.samples.values[n], surface.samples.slopes[n], frames_[n], surface.h[n]);
    const SphereGrid::Harmonics harmonics = grid_.at(n);
    for (std::size_t m = 0; m < grid_.modes; ++m) {
      const SphereDerivatives at = harmonics[m];
      y(n, m) = at.value;
      jacobian(n, m) = grid_.weight[n] * (by.value * at.value + by.t * at.t + by.p * at.p + by.tt * at.tt +
                                          by.tp * at.tp + by.pp * at.pp);
    }
  }
  std::vector<double> right(residual.begin(), residual.end());
  for (double& value : right) value = -value;
  return solve(transposed_product(y, jacobian), right);
}

bool HorizonFinder::newton(const FieldSource& source, const HorizonShape& guess, const SearchLimits& limits,
                           SearchResult& result) const {
  HorizonShape shape = guess;
  shape.a.resize(grid_.modes, 0.0);
  result.status = SearchStatus::newton_diverged;
  for (int step = 0;; ++step) {
    result.surface = sample(source, shape, true);
    if (!is_star_shaped(result.surface)) return false;
    if (!result.surface.samples.is_inside) {
      result.status = SearchStatus::left_domain;
      return false;
    }
    const std::vector<double> residual = grid_.project(expansions(result.surface, frames_));
    result.residual = largest(residual) * irreducible_mass(grid_, frames_, result.surface);
    if (!std::isfinite(result.residual)) return false;
    if (result.residual < limits.residual) return true;
    if (step == limits.newton_steps) return false;
    ++result.newton_steps;
    const std::vector<double> change = newton_step(result.surface, residual);
    double relative = 0;
    const std::vector<SphereDerivatives> moved = grid_.evaluate(change);
    for (std::size_t n = 0; n < moved.size(); ++n)
      relative = std::max(relative, std::abs(moved[n].value) / result.surface.h[n].value);
    if (!std::isfinite(relative)) return false;
    const double share = relative > largest_step ? largest_step / relative : 1.0;
    for (std::size_t m = 0; m < change.size(); ++m) shape.a[m] += share * change[m];
  }
}

void HorizonFinder::verify(const FieldSource& source, const SearchLimits& limits,
                           SearchResult& result) const {
  result.status = SearchStatus::found;
  const SampledSurface between = sampled(fine_, fine_frames_, source, result.surface.shape, false);
  if (!between.samples.is_inside) return;
  result.rms =
      rms_of(fine_, expansions(between, fine_frames_)) * irreducible_mass(fine_, fine_frames_, between);
  if (!(result.rms < limits.rms)) result.status = SearchStatus::under_resolved;
}

SearchResult HorizonFinder::track(const FieldSource& source, const HorizonShape& guess,
                                  const SearchLimits& limits) const {
  SearchResult result;
  if (newton(source, guess, limits, result)) verify(source, limits, result);
  return result;
}

SearchResult HorizonFinder::search(const FieldSource& source, const HorizonShape& guess,
                                   const SearchLimits& limits) const {
  SearchResult result;
  HorizonShape shape = guess;
  shape.a.resize(grid_.modes, 0.0);
  const double first = shape.mean_radius(), l = grid_.l_max;
  const double all = flow_alpha / (l * (l + 1)) + flow_beta, ratio = flow_beta / flow_alpha;
  double tolerance = limits.flow;
  for (;;) {
    const SampledSurface surface = sample(source, shape, false);
    const auto ends = [&](SearchStatus status) {
      result.surface = surface;
      result.status = status;
      return result;
    };
    if (!surface.samples.is_inside) return ends(SearchStatus::left_domain);
    if (!is_star_shaped(surface) || shape.mean_radius() < smallest_radius * first)
      return ends(SearchStatus::flow_shrank);
    std::vector<double> theta(grid_.size()), weighted(grid_.size());
    for (std::size_t n = 0; n < grid_.size(); ++n) {
      const Expansion here = expansion(surface.samples.values[n], frames_[n], surface.h[n]);
      theta[n] = here.theta;
      weighted[n] = here.flow_weight * here.theta;
    }
    // The part of Theta that the modes can remove.
    double square = 0;
    for (const double mode : grid_.project(theta)) square += mode * mode;
    const double rms = std::sqrt(square / (4 * pi)) * shape.mean_radius();
    if (!std::isfinite(rms)) return ends(SearchStatus::flow_unfinished);
    if (rms < tolerance || result.flow_steps == limits.flow_steps) {
      if (newton(source, shape, limits, result)) {
        verify(source, limits, result);
        return result;
      }
      tolerance *= 0.1;  // the flow may be passing a place where there is nearly a horizon
    }
    if (result.flow_steps == limits.flow_steps) return ends(SearchStatus::flow_unfinished);
    ++result.flow_steps;
    const std::vector<double> change = grid_.project(weighted);
    for (std::size_t m = 0; m < change.size(); ++m) {
      const int degree = degree_of(m);
      shape.a[m] -= all / (1 + ratio * degree * (degree + 1)) * change[m];
    }
  }
}

}  // namespace meander::ccz4
