// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/diagnostics/point_gather.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/assert.hpp"
#include "mesh/neighbours.hpp"

namespace meander::simulation {

namespace {

constexpr double face_tolerance = 1e-9;  // of a volume
constexpr int most_nodes = PointStencil::most_nodes;

// Lagrange polynomials through 0 .. nodes - 1 and their derivatives, at `at`.
void lagrange(int nodes, double at, double* weight, double* slope) {
  for (int m = 0; m < nodes; ++m) {
    weight[m] = 1;
    slope[m] = 0;
    for (int n = 0; n < nodes; ++n) {
      if (n == m) continue;
      const double over = 1.0 / (m - n), factor = (at - n) * over;
      slope[m] = slope[m] * factor + weight[m] * over;
      weight[m] *= factor;
    }
  }
}

// The volumes that a stencil may read: along each axis begin .. end - 1.
struct Window {
  std::array<int, 3> begin, end;
};

void place(PointStencil& stencil, const Window& window, const SamplePoint& centres) {
  for (std::size_t a = 0; a < 3; ++a) {
    const int nodes = stencil.nodes[a] = std::min(most_nodes, window.end[a] - window.begin[a]);
    // An even number of nodes lies on both sides of the point; of an odd number the middle is nearest to it.
    const int below = static_cast<int>(std::floor(centres[a] + (nodes % 2 == 0 ? 0.0 : 0.5)));
    stencil.first[a] = std::clamp(below - (nodes - 1) / 2, window.begin[a], window.end[a] - nodes);
  }
}

// Removes from the window the sides across which the stencil reads inexact halos, in directions along `axes`
// axes. Returns whether there were any.
bool narrow(Window& window, const PointStencil& stencil, int p, std::uint32_t inexact_halos, int axes) {
  const Window before = window;
  for (int direction = 0; direction < mesh::children<3>; ++direction) {
    if ((inexact_halos >> direction & 1) == 0) continue;
    const Index<3> offset = mesh::offset_of<3>(direction);
    bool reads = 3 - std::count(offset.begin(), offset.end(), 0) == axes;
    for (std::size_t a = 0; a < 3; ++a) {
      if (offset[a] < 0) reads = reads && stencil.first[a] < 0;
      if (offset[a] > 0) reads = reads && stencil.first[a] + stencil.nodes[a] > p;
    }
    for (std::size_t a = 0; a < 3 && reads; ++a) {
      if (offset[a] < 0) window.begin[a] = 0;
      if (offset[a] > 0) window.end[a] = p;
    }
  }
  return window.begin != before.begin || window.end != before.end;
}

}  // namespace

bool holds(const solvers::PatchTask& patch, const solvers::PatchLayout& layout, const SamplePoint& x) {
  for (std::size_t a = 0; a < 3; ++a) {
    const double volumes = (x[a] - patch.lower[a]) / patch.dx;
    if (!(volumes >= -face_tolerance && volumes <= layout.p + face_tolerance)) return false;
  }
  return true;
}

bool reads_halo(const PointStencil& stencil, int p) {
  for (std::size_t a = 0; a < 3; ++a) {
    if (stencil.first[a] < 0 || stencil.first[a] + stencil.nodes[a] > p) return true;
  }
  return false;
}

PointStencil stencil_at(const solvers::PatchTask& patch, const solvers::PatchLayout& layout,
                        const SamplePoint& x, std::uint32_t inexact_halos) {
  MEANDER_ASSERT(holds(patch, layout, x));
  const int h = layout.h, p = layout.p;
  SamplePoint centres;
  for (std::size_t a = 0; a < 3; ++a) centres[a] = (x[a] - patch.lower[a]) / patch.dx - 0.5;
  Window window{{-h, -h, -h}, {p + h, p + h, p + h}};
  PointStencil stencil;
  place(stencil, window, centres);
  // Faces first: afterwards the stencil may no longer read inexact edges and corners.
  for (int axes = 1; inexact_halos != 0 && axes <= 3;) {
    const bool narrowed = narrow(window, stencil, p, inexact_halos, axes);
    if (narrowed) place(stencil, window, centres);
    axes = narrowed ? 1 : axes + 1;
  }
  for (std::size_t a = 0; a < 3; ++a) {
    lagrange(stencil.nodes[a], centres[a] - stencil.first[a], stencil.weight[a], stencil.slope[a]);
    for (double& slope : stencil.slope[a]) slope /= patch.dx;
  }
  return stencil;
}

void sample_at(const PointStencil& stencil, const solvers::PatchTask& patch,
               const solvers::PatchLayout& layout, const PointQuery& query, double* sample) {
  const double* const first = patch.q + layout.at(0, stencil.first[0], stencil.first[1], stencil.first[2]);
  const auto set = stencil.has_all_nodes() ? solvers::sample_unknown<true> : solvers::sample_unknown<false>;
  for (int n = 0; n < query.unknowns; ++n) set(stencil, first, layout, query, n, sample);
}

namespace {

// The box about the points.
struct Bounds {
  SamplePoint lower, upper;
};

Bounds bounds_of(std::span<const SamplePoint> points) {
  constexpr double far = std::numeric_limits<double>::infinity();
  Bounds bounds{{far, far, far}, {-far, -far, -far}};
  for (const SamplePoint& x : points) {
    for (std::size_t a = 0; a < 3; ++a) {
      bounds.lower[a] = std::min(bounds.lower[a], x[a]);
      bounds.upper[a] = std::max(bounds.upper[a], x[a]);
    }
  }
  return bounds;
}

bool meets(const solvers::PatchTask& patch, int p, const Bounds& bounds) {
  for (std::size_t a = 0; a < 3; ++a) {
    if (bounds.upper[a] < patch.lower[a] - patch.dx || bounds.lower[a] > patch.lower[a] + (p + 1) * patch.dx)
      return false;
  }
  return true;
}

// A sample in a message follows its point and level.
constexpr std::size_t head = 2;

void add(GatheredPoints& to, std::size_t point, const double* sample) {
  for (std::size_t n = 0; n < to.unknowns; ++n) to.values[point * to.unknowns + n] += sample[n];
  for (std::size_t n = 0; n < to.slopes; ++n) {
    for (std::size_t a = 0; a < 3; ++a)
      to.derivatives[point * to.slopes + n][a] += sample[to.unknowns + 3 * n + a];
  }
}

void divide(GatheredPoints& samples, std::size_t point, int count) {
  for (std::size_t n = 0; n < samples.unknowns; ++n) samples.values[point * samples.unknowns + n] /= count;
  for (std::size_t n = 0; n < samples.slopes; ++n) {
    for (double& slope : samples.derivatives[point * samples.slopes + n]) slope /= count;
  }
}

}  // namespace

PointGather::Images PointGather::images(std::span<const SamplePoint> points) const {
  Images all;
  if (!view_.mirrors->any()) return all;
  all.reserve(points.size());
  for (const SamplePoint& x : points) all.push_back(view_.mirrors->image(x));
  return all;
}

void PointGather::unfold(HeldSamples& samples, const Images& images, const PointQuery& query) const {
  if (images.empty()) return;
  for (std::size_t i = 0; i < samples.points.size(); ++i)
    view_.mirrors->unfold(images[samples.points[i].point], query,
                          std::span(samples.values).subspan(i * samples.size, samples.size));
}

std::vector<HeldPoint> PointGather::hold(std::span<const SamplePoint> points) const {
  const auto patches = view_.patches.geometry();
  std::vector<std::vector<HeldPoint>> of_leaf(patches.size());
  const Bounds bounds = bounds_of(points);
  view_.team.for_chunks(of_leaf.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t leaf = begin; leaf < end; ++leaf) {
      const solvers::PatchTask& patch = patches[leaf];
      if (!meets(patch, view_.layout.p, bounds)) continue;
      const std::uint32_t inexact = view_.source->inexact_halos(leaf);
      for (std::size_t n = 0; n < points.size(); ++n) {
        if (holds(patch, view_.layout, points[n]))
          of_leaf[leaf].push_back({leaf, n, stencil_at(patch, view_.layout, points[n], inexact)});
      }
    }
  });
  std::vector<HeldPoint> held;
  for (const auto& some : of_leaf) held.insert(held.end(), some.begin(), some.end());
  return held;
}

void PointGather::fill_halos(std::span<const HeldPoint> held) {
  std::vector<char> marked = filled_;
  for (const HeldPoint& point : held) {
    if (reads_halo(point.stencil, view_.layout.p)) marked[point.leaf] = 1;
  }
  if (view_.communicator.any(marked != filled_)) view_.source->fill_whole_halos(marked);
  filled_ = std::move(marked);
}

bool PointGather::gather_on_device(HeldSamples& samples, const PointQuery& query) const {
  if (!view_.source->uses_devices()) return false;
  std::vector<solvers::PointInPatch> points;
  for (const HeldPoint& held : samples.points)
    points.push_back({static_cast<std::int32_t>(held.leaf), held.stencil});
  bool done = false;
  view_.communicator.agree([&] { done = view_.source->gather_points(points, query, samples.values); });
  return done;
}

HeldSamples PointGather::gather_own(std::span<const SamplePoint> points, const PointQuery& query) {
  const Images images = this->images(points);
  std::vector<SamplePoint> inside;
  for (const Mirrors::Image& image : images) inside.push_back(image.x);
  HeldSamples samples{
      .points = hold(images.empty() ? points : inside), .size = query.sample_size(), .values = {}};
  fill_halos(samples.points);
  samples.values.resize(samples.points.size() * samples.size);
  if (gather_on_device(samples, query)) {
    unfold(samples, images, query);
    return samples;
  }
  view_.team.for_chunks(samples.points.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const HeldPoint& held = samples.points[i];
      sample_at(held.stencil, view_.patches[held.leaf], view_.layout, query,
                samples.values.data() + i * samples.size);
    }
  });
  unfold(samples, images, query);
  return samples;
}

GatheredPoints PointGather::gather(std::span<const SamplePoint> points, const PointQuery& query) {
  const HeldSamples held = gather_own(points, query);
  const std::size_t length = head + held.size;
  std::vector<double> own;
  own.reserve(held.points.size() * length);
  for (std::size_t i = 0; i < held.points.size(); ++i) {
    own.push_back(static_cast<double>(held.points[i].point));
    own.push_back(view_.levels[held.points[i].leaf]);
    const auto sample = held.of(i);
    own.insert(own.end(), sample.begin(), sample.end());
  }
  // In the order of the curve, independent of the ranks. Of few points, reductions cost less than a number from each rank.
  const parallel::Communicator& communicator = view_.communicator;
  const bool few = points.size() < static_cast<std::size_t>(communicator.size());
  const std::vector<double> all = few ? communicator.all_gather_few(std::span<const double>(own))
                                      : communicator.all_gather(std::span<const double>(own));
  const auto unknowns = static_cast<std::size_t>(query.unknowns),
             slopes = static_cast<std::size_t>(query.slopes);
  GatheredPoints result{.unknowns = unknowns,
                        .slopes = slopes,
                        .values = std::vector<double>(points.size() * unknowns, 0.0),
                        .derivatives = std::vector<std::array<double, 3>>(points.size() * slopes),
                        .levels = std::vector<int>(points.size(), -1)};
  for (std::size_t at = 0; at < all.size(); at += length) {
    int& level = result.levels[static_cast<std::size_t>(all[at])];
    level = std::max(level, static_cast<int>(all[at + 1]));
  }
  std::vector<int> count(points.size(), 0);
  for (std::size_t at = 0; at < all.size(); at += length) {
    const auto point = static_cast<std::size_t>(all[at]);
    if (static_cast<int>(all[at + 1]) != result.levels[point]) continue;
    add(result, point, all.data() + at + head);
    ++count[point];
  }
  for (std::size_t point = 0; point < points.size(); ++point) {
    if (count[point] > 1) divide(result, point, count[point]);
  }
  return result;
}

}  // namespace meander::simulation
