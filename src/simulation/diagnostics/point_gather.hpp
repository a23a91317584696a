// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Unknowns and their derivatives at points anywhere in the domain, 3D: interpolated with six nodes along each axis across
// the faces of patches (see stencil_at()), where the patches live: on the host, or by one kernel on a device
// (solvers/gather.hpp), to the same bits. Nothing is brought home.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "simulation/state_view.hpp"

namespace meander::simulation {

using SamplePoint = std::array<double, 3>;
using solvers::PointQuery;
using solvers::PointStencil;

// Whether the point lies in the closed patch, up to rounding of its faces. Points on a face belong to all
// patches that touch it.
bool holds(const solvers::PatchTask& patch, const solvers::PatchLayout& layout, const SamplePoint& x);

// The stencil of a point that the patch holds: the tensor product of Lagrange
// polynomials through six volumes along each axis, three on either side of the point. Values are of sixth
// order, derivatives of fifth; polynomials of degree 5 in each coordinate are reproduced.
//
// Stencils cross the faces of the leaf and read its halo, edges and corners included. Leaves of one level
// read the same volumes for a point on their common face, so that the interpolant is continuous there.
// Stencils are shifted inwards where they would read
// - inexact halos (inexact_halos.hpp): those prolonged from coarser leaves are of lower order than the
//   interpolant. At a resolution jump the finer leaf reads its own volumes only, the coarser leaf the
//   restricted ones of the finer;
// - beyond the slot, where the halo is narrower than three volumes.
// Shifted stencils have the same order, but continuity is lost. If fewer than six volumes remain along an
// axis, the stencil uses all of them, and the order decreases by one for each missing volume.
//
// inexact_halos: see StateSource.
PointStencil stencil_at(const solvers::PatchTask& patch, const solvers::PatchLayout& layout,
                        const SamplePoint& x, std::uint32_t inexact_halos = 0);

bool reads_halo(const PointStencil& stencil, int p);

// Sets sample[query.sample_size()]. Reads the whole halo as far as the stencil does.
void sample_at(const PointStencil& stencil, const solvers::PatchTask& patch,
               const solvers::PatchLayout& layout, const PointQuery& query, double* sample);

// A point in the closed patch of a leaf of this rank.
struct HeldPoint {
  std::size_t leaf = 0, point = 0;
  PointStencil stencil;
};

// The samples of this rank.
struct HeldSamples {
  // All leaves that hold any of the points, in curve order, and the points of each in the given order. A point on a face
  // is held by all leaves that touch it, possibly of several ranks.
  std::vector<HeldPoint> points;
  std::size_t size = 0;        // of a sample (PointQuery)
  std::vector<double> values;  // [held point][size]

  std::span<const double> of(std::size_t held) const { return std::span(values).subspan(held * size, size); }
};

// On all ranks.
struct GatheredPoints {
  std::size_t unknowns = 0, slopes = 0;  // of the query
  std::vector<double> values;            // [point * unknowns + n]; 0 outside the domain
  std::vector<std::array<double, 3>>
      derivatives;          // [point * slopes + n], along each axis; 0 outside the domain
  std::vector<int> levels;  // of the leaves that were read; -1 outside the domain

  bool is_inside(std::size_t point) const { return levels[point] >= 0; }
};

// Gathers from the state of a view. Valid as long as the view. Any number of gathers fill the halos of a leaf once, and
// only of leaves whose stencils read them.
class PointGather {
 public:
  // The view must outlive this object.
  explicit PointGather(const StateView& view) : view_(view), filled_(view.patches.size(), 0) {}

  // `points` and `query` are the same on all ranks. Results are bitwise identical for any number of ranks and threads, and
  // on devices. Throw DeviceError and gpu::OutOfMemory (several ranks: parallel::AgreedFailure) if patches live on a
  // device. Points beyond a plane of symmetry have the values of their images (mirrors.hpp). Collective.

  // On the rank of each leaf that holds a point.
  HeldSamples gather_own(std::span<const SamplePoint> points, const PointQuery& query);
  // On all ranks. A point on a face has the mean of the values in the leaves of the finest level that touch it.
  GatheredPoints gather(std::span<const SamplePoint> points, const PointQuery& query);

 private:
  using Images = std::vector<Mirrors::Image>;  // of points, empty without planes of symmetry
  Images images(std::span<const SamplePoint> points) const;
  std::vector<HeldPoint> hold(std::span<const SamplePoint> points) const;
  void unfold(HeldSamples& samples, const Images& images, const PointQuery& query) const;
  void fill_halos(std::span<const HeldPoint> held);
  bool gather_on_device(HeldSamples& samples, const PointQuery& query) const;

  const StateView& view_;
  std::vector<char> filled_;  // leaves whose whole halos are filled
};

}  // namespace meander::simulation
