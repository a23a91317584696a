// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/box_poisson.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/thread_team.hpp"

namespace meander::solvers {
namespace {

// The second difference of n volumes has the eigenvectors sin(angle (i + 1/2)) or cos(...), eigenvalue 2 cos(angle) - 2.
struct Mode {
  double angle;
  bool is_sine;
};

Mode mode_of(int k, int n, EllipticBoundary lower, EllipticBoundary upper) {
  const double pi = std::numbers::pi;
  if (lower == EllipticBoundary::periodic) return {2 * pi * ((k + 1) / 2) / n, k % 2 == 1};
  const bool sine = lower == EllipticBoundary::value;
  if (lower != upper) return {pi * (k + 0.5) / n, sine};
  return {pi * (sine ? k + 1 : k) / n, sine};
}

// to[x] = sum over i < n of weight[i] * from[i * step + x] for x < count, in blocks that stay in registers.
void combine(double* to, std::size_t count, std::size_t n, const double* weight, const double* from,
             std::size_t step) {
  constexpr std::size_t block = 16;
  std::size_t x = 0;
  for (; x + block <= count; x += block) {
    double sums[block] = {};
    for (std::size_t i = 0; i < n; ++i) {
      const double factor = weight[i];
      for (std::size_t b = 0; b < block; ++b) sums[b] += factor * from[i * step + x + b];
    }
    std::copy_n(sums, block, to + x);
  }
  for (; x < count; ++x) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += weight[i] * from[i * step + x];
    to[x] = sum;
  }
}

}  // namespace

template <int D>
BoxPoisson<D>::BoxPoisson(const Index<D>& volumes, const Vec<EllipticBoundary, 2 * D>& boundaries)
    : volumes_(volumes) {
  for (std::size_t a = 0; a < D; ++a) {
    const int n = volumes[a];
    for (int k = 0; k < n; ++k) {
      const Mode mode = mode_of(k, n, boundaries[2 * a], boundaries[2 * a + 1]);
      eigenvalues_[a].push_back(2 * std::cos(mode.angle) - 2);
      double norm = 0;
      for (int i = 0; i < n; ++i) {
        const double x = mode.angle * (i + 0.5);
        modes_[a].push_back(mode.is_sine ? std::sin(x) : std::cos(x));
        norm += modes_[a].back() * modes_[a].back();
      }
      for (int i = 0; i < n; ++i) modes_[a][static_cast<std::size_t>(k * n + i)] /= std::sqrt(norm);
    }
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k < n; ++k)
        modes_by_volume_[a].push_back(modes_[a][static_cast<std::size_t>(k * n + i)]);
    }
  }
}

// Along one axis: f_k = sum_i mode_k(i) f_i, or back. The inner loops run over what is contiguous.
template <int D>
void BoxPoisson<D>::transform(std::span<double> f, int axis, bool back, ThreadTeam& team) {
  const auto n = static_cast<std::size_t>(volumes_[axis]);
  std::size_t inner = 1;
  for (int a = 0; a < axis; ++a) inner *= static_cast<std::size_t>(volumes_[a]);
  // Of the i-th number in the k-th: [k][i] or, along x, [i][k].
  const double* const weights = (back == (axis == 0) ? modes_[axis] : modes_by_volume_[axis]).data();
  work_.resize(f.size());
  team.for_chunks(f.size() / (axis == 0 ? n : inner), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      if (axis == 0)
        combine(work_.data() + row * n, n, n, f.data() + row * n, weights, n);
      else
        combine(work_.data() + row * inner, inner, n, weights + row % n * n,
                f.data() + (row - row % n) * inner, inner);
    }
  });
  std::ranges::copy(work_, f.begin());
}

template <int D>
void BoxPoisson<D>::solve(std::span<double> f, ThreadTeam& team) {
  for (int a = 0; a < D; ++a) transform(f, a, false, team);
  Index<D> k{};
  for (double& value : f) {
    double eigenvalue = 0;
    for (std::size_t a = 0; a < D; ++a) eigenvalue += eigenvalues_[a][static_cast<std::size_t>(k[a])];
    value = eigenvalue == 0 ? 0 : value / eigenvalue;
    for (std::size_t a = 0; a < D && ++k[a] == volumes_[a]; ++a) k[a] = 0;
  }
  for (int a = 0; a < D; ++a) transform(f, a, true, team);
}

template class BoxPoisson<2>;
template class BoxPoisson<3>;

}  // namespace meander::solvers
