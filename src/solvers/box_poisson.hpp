// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Poisson's equation on a box of volumes, Laplacian(u) = f by 2 D + 1 points, solved exactly in the basis of the eigenvectors
// of the second difference along each axis. Costs 4 n operations a volume and axis with n volumes: for grids of up to about
// 100 volumes along an axis. Sums have a fixed order: no bit depends on the number of threads.

#include <span>
#include <vector>

#include "base/vec.hpp"

namespace meander {
class ThreadTeam;
}

namespace meander::solvers {

// At a face of a domain: the opposite end; a wall, which mirrors the volumes inside; a given value on the face.
enum class EllipticBoundary : unsigned char { periodic, mirror, value };

template <int D>
class BoxPoisson {
 public:
  // volumes along each axis; boundaries by face = 2 * axis + side: both sides of an axis are periodic or none is.
  BoxPoisson(const Index<D>& volumes, const Vec<EllipticBoundary, 2 * D>& boundaries);

  // Replaces f (x fastest, in units of u / h^2) by h^2 times the solution that vanishes on faces with values. If there are
  // none, the mean of f is ignored and the solution has mean zero.
  void solve(std::span<double> f, ThreadTeam& team);

 private:
  void transform(std::span<double> f, int axis, bool back, ThreadTeam& team);

  Index<D> volumes_;
  std::vector<double> modes_[D];            // [mode][volume], orthonormal
  std::vector<double> modes_by_volume_[D];  // [volume][mode]
  std::vector<double> eigenvalues_[D];
  std::vector<double> work_;
};

}  // namespace meander::solvers
