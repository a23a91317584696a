// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/transfer.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/assert.hpp"
#include "solvers/boxes.hpp"

namespace meander::solvers {
namespace {

struct Strides {
  std::ptrdiff_t row, plane;
};

// Blocks of `planes` x `rows` rows of Width doubles. A width known to the compiler makes a row a few moves,
// where a memcpy of any length would cost a call.
template <int Width>
void copy_block(double* to, const double* from, int rows, int planes, Strides stride) {
  for (int plane = 0; plane < planes; ++plane) {
    double* t = to + plane * stride.plane;
    const double* f = from + plane * stride.plane;
    for (int row = 0; row < rows; ++row, t += stride.row, f += stride.row)
      std::memcpy(t, f, Width * sizeof(double));
  }
}

void copy_block(int width, double* to, const double* from, int rows, int planes, Strides stride) {
  switch (width) {
    case 1:
      return copy_block<1>(to, from, rows, planes, stride);
    case 2:
      return copy_block<2>(to, from, rows, planes, stride);
    case 3:
      return copy_block<3>(to, from, rows, planes, stride);
    case 4:
      return copy_block<4>(to, from, rows, planes, stride);
    case 5:
      return copy_block<5>(to, from, rows, planes, stride);
    case 6:
      return copy_block<6>(to, from, rows, planes, stride);
    case 7:
      return copy_block<7>(to, from, rows, planes, stride);
    case 8:
      return copy_block<8>(to, from, rows, planes, stride);
    case 9:
      return copy_block<9>(to, from, rows, planes, stride);
    default:
      break;
  }
  // Eights first, the rest (and what they cover already) once more.
  for (int x = 0; x + 8 <= width; x += 8) copy_block<8>(to + x, from + x, rows, planes, stride);
  copy_block<8>(to + width - 8, from + width - 8, rows, planes, stride);
}

double minmod(double a, double b) {
  if (a * b <= 0.0) return 0.0;
  return std::abs(a) < std::abs(b) ? a : b;
}

// Slope a volume along one axis from values of the interior alone; `q` points at the volume with index i
// there.
double interior_slope(const double* q, std::ptrdiff_t stride, int i, int p) {
  if (i == 0) return minmod(q[stride] - q[0], q[2 * stride] - q[stride]);
  if (i == p - 1) return minmod(q[0] - q[-stride], q[-stride] - q[-2 * stride]);
  return minmod(q[0] - q[-stride], q[stride] - q[0]);
}

constexpr int max_unknowns = 64;

// The admissible states of a conservation law form a convex set, so that the 2^D outermost fine values speak
// for all.
template <int D>
bool corners_admissible(const Solver& solver, int unknowns, const double* q,
                        const double slope[][max_unknowns]) {
  double corner[max_unknowns];
  for (int c = 0; c < (1 << D); ++c) {
    for (int u = 0; u < unknowns; ++u) {
      double value = q[u];
      for (int a = 0; a < D; ++a) value += ((c >> a) & 1 ? 1.0 : -1.0) / 3.0 * slope[a][u];
      corner[u] = value;
    }
    if (!solver.admissible(corner)) return false;
  }
  return true;
}

}  // namespace

template <int D>
void copy(const PatchLayout& layout, double* destination, const double* source, const Box<D>& box,
          const Index<D>& shift) {
  Index<D> from = box.lower;
  for (int a = 0; a < D; ++a) from[a] += shift[a];
  const Strides stride{layout.stride(1), layout.stride(2)};
  for (int u = 0; u < layout.unknowns; ++u) {
    copy_block(box.extent[0], destination + layout.at(u, box.lower), source + layout.at(u, from),
               box.extent[1], D == 3 ? box.extent[D - 1] : 1, stride);
  }
}

template <int D>
void prolong(const Solver& solver, const PatchLayout& layout, double* fine, const double* coarse,
             const Box<D>& box, const Index<D>& offset) {
  MEANDER_ASSERT(layout.unknowns <= max_unknowns);
  const bool linear = solver.traits().prolongation == Prolongation::limited_linear;
  const int n = layout.unknowns;
  Box<D> coarse_box;
  for (int a = 0; a < D; ++a) {
    const int first = box.lower[a] + offset[a];
    coarse_box.lower[a] = floor_third(first);
    coarse_box.extent[a] = floor_third(first + box.extent[a] - 1) - coarse_box.lower[a] + 1;
    MEANDER_ASSERT(coarse_box.lower[a] >= 0 && coarse_box.lower[a] + coarse_box.extent[a] <= layout.p);
  }
  const std::ptrdiff_t unknown_stride = layout.unknown_stride();
  double q[max_unknowns], slope[D][max_unknowns];
  for_rows<D>(coarse_box, [&](Index<D> c) {
    for (int x = 0; x < coarse_box.extent[0]; ++x, ++c[0]) {
      const double* value = coarse + layout.at(0, c);
      for (int u = 0; u < n; ++u, value += unknown_stride) {
        q[u] = *value;
        for (int a = 0; a < D; ++a) {
          slope[a][u] = linear ? interior_slope(value, layout.stride(a), c[a], layout.p) : 0.0;
        }
      }
      const bool sloped = linear && corners_admissible<D>(solver, n, q, slope);
      // The fine volumes of this coarse one that lie in the box.
      Box<D> part;
      for (int a = 0; a < D; ++a) {
        const int begin = std::max(3 * c[a] - offset[a], box.lower[a]);
        const int end = std::min(3 * c[a] + 3 - offset[a], box.lower[a] + box.extent[a]);
        part.lower[a] = begin;
        part.extent[a] = end - begin;
      }
      for_rows<D>(part, [&](Index<D> f) {
        for (int i = 0; i < part.extent[0]; ++i, ++f[0]) {
          double place[D];
          for (int a = 0; a < D; ++a) place[a] = (f[a] + offset[a] - 3 * c[a] - 1) / 3.0;
          double* to = fine + layout.at(0, f);
          for (int u = 0; u < n; ++u, to += unknown_stride) {
            double result = q[u];
            if (sloped) {
              for (int a = 0; a < D; ++a) result += place[a] * slope[a][u];
            }
            *to = result;
          }
        }
      });
    }
  });
}

template void copy<2>(const PatchLayout&, double*, const double*, const Box<2>&, const Index<2>&);
template void copy<3>(const PatchLayout&, double*, const double*, const Box<3>&, const Index<3>&);
template void prolong<2>(const Solver&, const PatchLayout&, double*, const double*, const Box<2>&,
                         const Index<2>&);
template void prolong<3>(const Solver&, const PatchLayout&, double*, const double*, const Box<3>&,
                         const Index<3>&);

}  // namespace meander::solvers
