// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Search for a marginally outer trapped surface, Theta = 0, as r = h(theta, phi) = sum a_lm Y_lm about a centre: Newton's
// method on the coefficients, from a known surface, or after the fast flow of Gundlach (1998, Phys. Rev. D 57, 863) from
// a sphere outside.

#include <optional>
#include <vector>

#include "physics/ccz4/horizons/surface.hpp"

namespace meander::ccz4 {

struct HorizonShape {
  Point<3> centre{};
  std::vector<double> a;  // by mode (sphere_grid.hpp)

  // A sphere.
  static HorizonShape sphere(const Point<3>& centre, double radius, int l_max);
  double mean_radius() const;
  bool surrounds(const Point<3>& point) const;
};

struct SearchLimits {
  double residual = 1e-8;  // largest coefficient of Theta, times the irreducible mass
  double rms = 1e-3;       // of Theta on the finer grid, times the irreducible mass
  double flow = 3e-3;  // rms of the modes of Theta at which Newton's method takes over, times the mean radius
  int flow_steps = 100, newton_steps = 12;
};

enum class SearchStatus {
  found,
  under_resolved,  // converged, but Theta does not vanish between the points
  flow_shrank,     // the flow passed through the centre: there is no horizon
  flow_unfinished,
  newton_diverged,
  left_domain,
};
inline bool has_surface(SearchStatus status) {
  return status == SearchStatus::found || status == SearchStatus::under_resolved;
}

// A surface at the points of the finder's grid.
struct SampledSurface {
  HorizonShape shape;
  std::vector<SphereDerivatives> h;
  FieldSamples samples;
};

struct SearchResult {
  SearchStatus status = SearchStatus::newton_diverged;
  int flow_steps = 0, newton_steps = 0;
  double residual = 0;  // of Theta, as in SearchLimits
  double rms = 0;
  SampledSurface surface;  // the last one
};

// Of a finder, in bytes: what it keeps, and the largest arrays of a search and of its measures, which depend on l_max only.
struct HorizonMemory {
  double tables = 0, search = 0;
};

class HorizonFinder {
 public:
  explicit HorizonFinder(int l_max);
  static HorizonMemory memory(int l_max);

  // Starts with Newton's method: for a guess near the horizon.
  SearchResult track(const FieldSource& source, const HorizonShape& guess,
                     const SearchLimits& limits = {}) const;
  // Starts with the flow.
  SearchResult search(const FieldSource& source, const HorizonShape& guess,
                      const SearchLimits& limits = {}) const;

  // The surface with the fields on it; slopes: also their radial derivatives.
  SampledSurface sample(const FieldSource& source, const HorizonShape& shape, bool slopes) const;
  const SphereGrid& grid() const { return grid_; }
  const std::vector<SphereFrame>& frames() const { return frames_; }

 private:
  bool newton(const FieldSource& source, const HorizonShape& guess, const SearchLimits& limits,
              SearchResult& result) const;
  std::vector<double> newton_step(const SampledSurface& surface, const std::vector<double>& residual) const;
  void verify(const FieldSource& source, const SearchLimits& limits, SearchResult& result) const;

  SphereGrid grid_, fine_;
  std::vector<SphereFrame> frames_, fine_frames_;
};

}  // namespace meander::ccz4
