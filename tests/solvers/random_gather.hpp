// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Samples at random points by BlockGather, by the host's function, and by sums over all nodes at once.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "solvers/block_gather.hpp"
#include "tests/solvers/random_fill.hpp"

namespace meander::solvers::test {

// Stencils of random places, weights and, if not full, numbers of nodes in random patches.
class RandomGather {
 public:
  static constexpr double undefined = std::numeric_limits<double>::quiet_NaN();

  RandomGather(int p, int h, int unknowns, const PointQuery& query, int count, bool full) : query_(query) {
    std::mt19937 random(static_cast<unsigned>(p + 10 * h + 100 * count));
    std::uniform_real_distribution<double> uniform(-1, 1);
    patches_.reserve(3);  // the table points to their slots
    for (unsigned seed = 0; seed < 3; ++seed) {
      patches_.push_back(random_slot(PatchLayout(3, p, h, unknowns), seed));
      table_.emplace_back().q = patches_.back().q;
    }
    const auto up_to = [&](int last) { return static_cast<int>(random() % static_cast<unsigned>(last + 1)); };
    for (int n = 0; n < count; ++n) {
      PointInPatch& point = points_.emplace_back();
      point.patch = up_to(2);
      for (std::size_t a = 0; a < 3; ++a) {
        point.stencil.nodes[a] = full ? 6 : 1 + up_to(std::min(6, p + 2 * h) - 1);
        point.stencil.first[a] = up_to(p + 2 * h - point.stencil.nodes[a]) - h;
        for (int node = 0; node < 6; ++node) {
          const bool counts = node < point.stencil.nodes[a];
          point.stencil.weight[a][node] = counts ? uniform(random) : undefined;
          point.stencil.slope[a][node] = counts ? uniform(random) : undefined;
        }
      }
    }
  }

  template <class Launcher>
  std::vector<double> by(const Launcher& launcher) const {
    GatherBatch batch;
    std::vector<double> samples(points_.size() * query_.sample_size(), undefined);
    batch.count = static_cast<int>(points_.size());
    batch.patches = table_.data();
    batch.points = points_.data();
    batch.samples = samples.data();
    batch.layout = patches_.front().layout;
    batch.query = query_;
    launcher(BlockGather(batch), BlockGather::blocks(batch));
    return samples;
  }
  template <bool full>
  std::vector<double> by_stencils() const {
    std::vector<double> samples(points_.size() * query_.sample_size(), undefined);
    const PatchLayout& layout = patches_.front().layout;
    for (std::size_t n = 0; n < points_.size(); ++n) {
      const PointStencil& of = points_[n].stencil;
      const double* const first = patches_[static_cast<std::size_t>(points_[n].patch)].q +
                                  layout.at(0, of.first[0], of.first[1], of.first[2]);
      for (int u = 0; u < query_.unknowns; ++u)
        sample_unknown<full>(of, first, layout, query_, u, samples.data() + n * query_.sample_size());
    }
    return samples;
  }
  // A sum over all nodes at once, and the sum of the absolute values of its terms.
  std::array<double, 2> naive(std::size_t n, int u, int axis) const {
    const PointStencil& of = points_[n].stencil;
    const Patch& patch = patches_[static_cast<std::size_t>(points_[n].patch)];
    const auto weights = [&](int a) { return a == axis ? of.slope[a] : of.weight[a]; };
    std::array<double, 2> sum{};
    for (int k = 0; k < of.nodes[2]; ++k) {
      for (int j = 0; j < of.nodes[1]; ++j) {
        for (int i = 0; i < of.nodes[0]; ++i) {
          const double term = weights(0)[i] * weights(1)[j] * weights(2)[k] *
                              patch.at(query_.unknown[u], of.first[0] + i, of.first[1] + j, of.first[2] + k);
          sum[0] += term;
          sum[1] += std::abs(term);
        }
      }
    }
    return sum;
  }
  std::size_t size() const { return points_.size(); }

 private:
  PointQuery query_;
  std::vector<Patch> patches_;
  std::vector<DevicePatch> table_;
  std::vector<PointInPatch> points_;
};

}  // namespace meander::solvers::test
