// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/transfer.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/assert.hpp"

namespace meander::solvers {
namespace {

// Calls body(index) for all indices of the box whose x is its first: one call a row.
template <int D, class Body>
void for_rows(const Box<D>& box, const Body& body) {
  Index<D> i = box.lower;
  if constexpr (D == 3) {
    for (i[2] = box.lower[2]; i[2] < box.lower[2] + box.extent[2]; ++i[2]) {
      for (i[1] = box.lower[1]; i[1] < box.lower[1] + box.extent[1]; ++i[1]) body(i);
    }
  } else {
    for (i[1] = box.lower[1]; i[1] < box.lower[1] + box.extent[1]; ++i[1]) body(i);
  }
}

template <int Width>
void copy_narrow_rows(double* to, const double* from, int rows, std::ptrdiff_t row_stride) {
  for (int row = 0; row < rows; ++row, to += row_stride, from += row_stride) {
    for (int x = 0; x < Width; ++x) to[x] = from[x];
  }
}

// Rows of `width` doubles. A memcpy call a row would cost more than the few doubles it moves.
void copy_rows(double* to, const double* from, int width, int rows, std::ptrdiff_t row_stride) {
  switch (width) {
    case 1:
      return copy_narrow_rows<1>(to, from, rows, row_stride);
    case 2:
      return copy_narrow_rows<2>(to, from, rows, row_stride);
    case 3:
      return copy_narrow_rows<3>(to, from, rows, row_stride);
    default:
      break;
  }
  for (int row = 0; row < rows; ++row, to += row_stride, from += row_stride) {
    // Overlapping blocks of 4 at the end spare a scalar remainder.
    if (width >= 4) {
      int x = 0;
      for (; x + 4 <= width; x += 4) std::memcpy(to + x, from + x, 4 * sizeof(double));
      if (x < width) std::memcpy(to + width - 4, from + width - 4, 4 * sizeof(double));
    }
  }
}

constexpr int floor_third(int i) {
  return i >= 0 ? i / 3 : -((2 - i) / 3);
}
constexpr int ceil_third(int i) {
  return floor_third(i + 2);
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

// The rows of fine volumes, up to 3^(D-1), that a row of coarse volumes has in one fine patch.
struct FineRows {
  const double* row[9];
  int count = 0;

  double differences(int begin, int end, double q0) const {
    double sum = 0;
    for (int r = 0; r < count; ++r) {
      double of_row = 0;
      for (int i = begin; i < end; ++i) of_row += row[r][i] - q0;
      sum += of_row;
    }
    return sum;
  }
  // The same sum, for the common case that nothing is cut off along x.
  double differences_of_three(int begin, double q0) const {
    double sum = 0;
    for (int r = 0; r < count; ++r) {
      const double* q = row[r] + begin;
      sum += ((q[0] - q0) + (q[1] - q0)) + (q[2] - q0);
    }
    return sum;
  }
};

template <int D>
FineRows fine_rows(const PatchLayout& layout, const FinePart<D>& part, int unknown, const Index<D>& coarse,
                   const Index<D>& shift) {
  Index<D> begin{}, end{};
  for (int a = 1; a < D; ++a) {
    const int origin = 3 * (coarse[a] + shift[a]) - part.child[a] * layout.p;
    begin[a] = std::max(origin, 0);
    end[a] = std::min(origin + 3, layout.p);
  }
  FineRows rows;
  Index<D> f = begin;
  for (int k = D == 3 ? begin[D - 1] : 0; k < (D == 3 ? end[D - 1] : 1); ++k) {
    if (D == 3) f[D - 1] = k;
    for (f[1] = begin[1]; f[1] < end[1]; ++f[1]) rows.row[rows.count++] = part.fine + layout.at(unknown, f);
  }
  return rows;
}

}  // namespace

template <int D>
void copy(const PatchLayout& layout, double* destination, const double* source, const Box<D>& box,
          const Index<D>& shift) {
  Index<D> from = box.lower;
  for (int a = 0; a < D; ++a) from[a] += shift[a];
  const std::ptrdiff_t row_stride = layout.stride(1);
  for (int u = 0; u < layout.unknowns; ++u) {
    double* to_u = destination + layout.at(u, box.lower);
    const double* from_u = source + layout.at(u, from);
    const int planes = D == 3 ? box.extent[D - 1] : 1;
    for (int k = 0; k < planes; ++k) {
      copy_rows(to_u + k * layout.stride(2), from_u + k * layout.stride(2), box.extent[0], box.extent[1],
                row_stride);
    }
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
  double q[max_unknowns], slope[D][max_unknowns];
  for_rows<D>(coarse_box, [&](Index<D> c) {
    for (int x = 0; x < coarse_box.extent[0]; ++x, ++c[0]) {
      for (int u = 0; u < n; ++u) {
        const double* value = coarse + layout.at(u, c);
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
          for (int u = 0; u < n; ++u) {
            double value = q[u];
            if (sloped) {
              for (int a = 0; a < D; ++a) value += place[a] * slope[a][u];
            }
            fine[layout.at(u, f)] = value;
          }
        }
      });
    }
  });
}

template <int D>
void restrict_to(const PatchLayout& layout, double* coarse, std::span<const FinePart<D>> parts,
                 const Box<D>& box, const Index<D>& shift) {
  // First value and sum of differences to it, for each coarse volume of the box; reused from call to call.
  thread_local std::vector<double> first, sum;
  thread_local std::vector<int> count;
  std::size_t volumes = 1;
  for (int a = 0; a < D; ++a) volumes *= static_cast<std::size_t>(box.extent[a]);
  first.resize(std::max(first.size(), volumes));
  sum.resize(std::max(sum.size(), volumes));
  count.resize(std::max(count.size(), volumes));
  const int p = layout.p;
  const double weight = 1.0 / ipow(3.0, D);

  for (int u = 0; u < layout.unknowns; ++u) {
    std::fill_n(count.begin(), volumes, 0);
    for (const FinePart<D>& part : parts) {
      Box<D> touched;  // coarse volumes that this child has a share in
      bool empty = false;
      for (int a = 0; a < D; ++a) {
        const int begin = std::max(floor_third(part.child[a] * p) - shift[a], box.lower[a]);
        const int end =
            std::min(ceil_third((part.child[a] + 1) * p) - shift[a], box.lower[a] + box.extent[a]);
        touched.lower[a] = begin;
        touched.extent[a] = end - begin;
        empty = empty || end <= begin;
      }
      if (empty) continue;
      for_rows<D>(touched, [&](const Index<D>& c) {
        const FineRows rows = fine_rows<D>(layout, part, u, c, shift);
        std::size_t slot = 0;
        for (int a = D - 1; a >= 0; --a) {
          slot =
              slot * static_cast<std::size_t>(box.extent[a]) + static_cast<std::size_t>(c[a] - box.lower[a]);
        }
        int origin = 3 * (c[0] + shift[0]) - part.child[0] * p;
        for (int x = 0; x < touched.extent[0]; ++x, ++slot, origin += 3) {
          const int begin = std::max(origin, 0), end = std::min(origin + 3, p);
          const double q0 = rows.row[0][begin];
          const double differences =
              end - begin == 3 ? rows.differences_of_three(begin, q0) : rows.differences(begin, end, q0);
          const int n = rows.count * (end - begin);
          if (count[slot] == 0) {
            first[slot] = q0;
            sum[slot] = differences;
          } else {
            sum[slot] += differences + n * (q0 - first[slot]);
          }
          count[slot] += n;
        }
      });
    }
    std::size_t slot = 0;
    for_rows<D>(box, [&](const Index<D>& c) {
      double* row = coarse + layout.at(u, c);
      for (int x = 0; x < box.extent[0]; ++x, ++slot) {
        MEANDER_ASSERT(count[slot] == ipow(3, D));
        row[x] = first[slot] + sum[slot] * weight;
      }
    });
  }
}

template void copy<2>(const PatchLayout&, double*, const double*, const Box<2>&, const Index<2>&);
template void copy<3>(const PatchLayout&, double*, const double*, const Box<3>&, const Index<3>&);
template void prolong<2>(const Solver&, const PatchLayout&, double*, const double*, const Box<2>&,
                         const Index<2>&);
template void prolong<3>(const Solver&, const PatchLayout&, double*, const double*, const Box<3>&,
                         const Index<3>&);
template void restrict_to<2>(const PatchLayout&, double*, std::span<const FinePart<2>>, const Box<2>&,
                             const Index<2>&);
template void restrict_to<3>(const PatchLayout&, double*, std::span<const FinePart<3>>, const Box<3>&,
                             const Index<3>&);

}  // namespace meander::solvers
