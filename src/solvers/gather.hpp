// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Interpolation of unknowns at points of patches, 3D, on the host and on devices by the same operations, so that the bits
// are equal. Stencils are made by simulation/diagnostics/point_gather.hpp. Usable in device code; all structures are
// trivially copyable.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "solvers/resident.hpp"

namespace meander::solvers {

// The tensor product of polynomials through up to six volumes along each axis.
struct PointStencil {
  static constexpr int most_nodes = 6;
  std::array<int, 3> nodes{};  // along each axis
  std::array<int, 3> first{};  // volume of the first node: from -h on
  double weight[3][most_nodes] = {};
  double slope[3][most_nodes] = {};  // of the derivative along that axis, 1 / length

  constexpr bool has_all_nodes() const {
    return nodes[0] == most_nodes && nodes[1] == most_nodes && nodes[2] == most_nodes;
  }
};

// The unknowns to interpolate. A sample is what they give at one point: the values of all of them, then three
// derivatives, along each axis, of each of the first `slopes`.
struct PointQuery {
  int unknowns = 0, slopes = 0;
  std::int16_t unknown[most_unknowns] = {};

  constexpr PointQuery() = default;
  // At most most_unknowns, of which at most all have derivatives.
  constexpr explicit PointQuery(std::span<const int> list, std::size_t with_derivatives = 0)
      : unknowns(static_cast<int>(list.size())), slopes(static_cast<int>(with_derivatives)) {
    for (std::size_t n = 0; n < list.size(); ++n) unknown[n] = static_cast<std::int16_t>(list[n]);
  }
  constexpr std::size_t sample_size() const { return static_cast<std::size_t>(unknowns + 3 * slopes); }
};

// Sets the entries of unknown[n] in a sample. `first`: the value of unknown 0 in the volume of the first node. `full`: the stencil
// has all nodes.
template <bool full>
MEANDER_TERM void sample_unknown(const PointStencil& stencil, const double* first, const PatchLayout& layout,
                                 const PointQuery& query, int n, double* sample) {
  constexpr int most = PointStencil::most_nodes;
  const auto reads = [&](std::size_t axis, int node) { return full || node < stencil.nodes[axis]; };
  const double* const values = first + query.unknown[n] * layout.unknown_stride();
  const std::ptrdiff_t stride_y = layout.stride(1), stride_z = layout.stride(2);
  if (n >= query.slopes) {
    double line[most] = {};
    for (int k = 0; k < most && reads(2, k); ++k) {
      double plane[most] = {};
      for (int j = 0; j < most && reads(1, j); ++j) {
        const double* const row = values + k * stride_z + j * stride_y;
        for (int i = 0; i < most; ++i) {
          if (reads(0, i)) plane[i] += stencil.weight[1][j] * row[i];
        }
      }
      for (int i = 0; i < most; ++i) line[i] += stencil.weight[2][k] * plane[i];
    }
    double sum = 0;
    for (int i = 0; i < most; ++i) {
      if (reads(0, i)) sum += stencil.weight[0][i] * line[i];
    }
    sample[n] = sum;
    return;
  }
  double line[most] = {}, line_y[most] = {}, line_z[most] = {};
  for (int k = 0; k < most && reads(2, k); ++k) {
    double plane[most] = {}, plane_y[most] = {};
    for (int j = 0; j < most && reads(1, j); ++j) {
      const double* const row = values + k * stride_z + j * stride_y;
      for (int i = 0; i < most; ++i) {
        if (!reads(0, i)) continue;
        plane[i] += stencil.weight[1][j] * row[i];
        plane_y[i] += stencil.slope[1][j] * row[i];
      }
    }
    for (int i = 0; i < most; ++i) {
      line[i] += stencil.weight[2][k] * plane[i];
      line_y[i] += stencil.weight[2][k] * plane_y[i];
      line_z[i] += stencil.slope[2][k] * plane[i];
    }
  }
  double sum = 0, along[3] = {0, 0, 0};
  for (int i = 0; i < most; ++i) {
    if (!reads(0, i)) continue;
    sum += stencil.weight[0][i] * line[i];
    along[0] += stencil.slope[0][i] * line[i];
    along[1] += stencil.weight[0][i] * line_y[i];
    along[2] += stencil.weight[0][i] * line_z[i];
  }
  sample[n] = sum;
  for (int a = 0; a < 3; ++a) sample[query.unknowns + 3 * n + a] = along[a];
}

// A point of a patch, whose halo is filled as far as the stencil reads it.
struct PointInPatch {
  std::int32_t patch = 0;
  PointStencil stencil;
};

// The samples at `count` points.
struct GatherBatch {
  int count = 0;
  const DevicePatch* patches = nullptr;
  const PointInPatch* points = nullptr;
  double* samples = nullptr;  // [point][query.sample_size()]
  PatchLayout layout;
  PointQuery query;
  DeviceAddresses at;
};

// Submits the kernel to the device of the queue `execution`. Returns after it is submitted (emulated device:
// completed). Throws DeviceError.
void launch_gather(const gpu::Execution& execution, const GatherBatch& batch);

static_assert(std::is_trivially_copyable_v<PointInPatch> && std::is_trivially_copyable_v<GatherBatch>);

}  // namespace meander::solvers
