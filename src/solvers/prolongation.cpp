// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/prolongation.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "base/assert.hpp"
#include "solvers/interpolation.hpp"

namespace meander::solvers {
namespace {

// Without branches: the signs of differences are unpredictable.
double minmod(double a, double b) {
  const double smaller = std::abs(a) < std::abs(b) ? a : b;
  return a * b > 0.0 ? smaller : 0.0;
}

// Slope in a volume along one axis from values of the interior alone. `q` points to the volume, whose index
// along the axis is i.
inline double interior_slope(const double* q, std::ptrdiff_t stride, int i, int p) {
  if (i == 0) return minmod(q[stride] - q[0], q[2 * stride] - q[stride]);
  if (i == p - 1) return minmod(q[0] - q[-stride], q[-stride] - q[-2 * stride]);
  return minmod(q[0] - q[-stride], q[stride] - q[0]);
}

constexpr int max_patch_size = 32;

// The coarse volumes that contain the fine volumes of a box.
template <int D>
Box<D> coarse_box_of([[maybe_unused]] const PatchLayout& layout, const Box<D>& box, const Index<D>& offset) {
  Box<D> coarse;
  for (int a = 0; a < D; ++a) {
    const int first = box.lower[a] + offset[a];
    coarse.lower[a] = floor_third(first);
    coarse.extent[a] = floor_third(first + box.extent[a] - 1) - coarse.lower[a] + 1;
    MEANDER_ASSERT(coarse.lower[a] >= 0 && coarse.lower[a] + coarse.extent[a] <= layout.p);
  }
  return coarse;
}

// Whether all fine values of a coarse volume are admissible. The admissible states of a conservation law form
// a convex set, so checking the 2^D outermost fine values is sufficient. For most volumes a bound decides.
template <int D>
bool corners_admissible(const Solver& solver, int unknowns, const double* value, const double (*slope)[D]) {
  double spread[most_unknowns];
  for (int u = 0; u < unknowns; ++u) {
    double sum = 0;
    for (int a = 0; a < D; ++a) sum += std::abs(slope[u][a]);
    spread[u] = sum / 3;
  }
  if (solver.surely_admissible(value, spread)) return true;
  double corner[most_unknowns];
  for (int k = 0; k < (1 << D); ++k) {
    for (int u = 0; u < unknowns; ++u) {
      corner[u] = value[u];
      for (int a = 0; a < D; ++a) corner[u] += ((k >> a) & 1 ? 1.0 / 3.0 : -1.0 / 3.0) * slope[u][a];
    }
    if (!solver.admissible(corner)) return false;
  }
  return true;
}

// Limited slopes of all unknowns in a box of coarse volumes: [unknown][axis][volume]. Slopes are zero where a
// fine value would be inadmissible.
template <int D>
class Slopes {
 public:
  Slopes(const Solver& solver, const PatchLayout& layout, const double* coarse, const Box<D>& box)
      : unknowns_(layout.unknowns), volumes_(box.volumes()) {
    thread_local std::vector<double> storage;
    storage.resize(std::max(storage.size(), static_cast<std::size_t>(unknowns_) * D * volumes_));
    slopes_ = storage.data();
    double value[most_unknowns], slope[most_unknowns][D];
    std::size_t v = 0;
    for_rows<D>(box, [&](Index<D> c) {
      for (int x = 0; x < box.extent[0]; ++x, ++c[0], ++v) {
        const double* q = coarse + layout.at(0, c);
        for (int u = 0; u < unknowns_; ++u, q += layout.unknown_stride()) {
          value[u] = *q;
          for (int a = 0; a < D; ++a) slope[u][a] = interior_slope(q, layout.stride(a), c[a], layout.p);
        }
        const bool admissible = corners_admissible<D>(solver, unknowns_, value, slope);
        for (int u = 0; u < unknowns_; ++u) {
          for (int a = 0; a < D; ++a) at(u, a)[v] = admissible ? slope[u][a] : 0.0;
        }
      }
    });
  }

  double* at(int unknown, int axis) const {
    return slopes_ + static_cast<std::size_t>(unknown * D + axis) * volumes_;
  }

 private:
  int unknowns_;
  std::size_t volumes_;
  double* slopes_;
};

// For each fine volume of a row of the box along x: its coarse volume, counted from the coarse box, and its
// offset from that volume's centre in coarse widths: -1/3, 0 or 1/3.
struct RowMap {
  int width;
  int coarse[max_patch_size];
  double place[max_patch_size];

  // Coarse values at the fine volumes of a row.
  void expand(const double* values, double* row) const {
    for (int x = 0; x < width; ++x) row[x] = values[coarse[x]];
  }
};

constexpr double place_of(int fine, int coarse) {
  return (fine - 3 * coarse - 1) / 3.0;
}

// Calls body(c, volume, rows) for the first volume c of each row of the coarse box: its number in the box, and the
// rows of fine volumes of `box` within the coarse row.
template <int D, class Body>
void for_coarse_rows(const Box<D>& box, const Index<D>& offset, const Box<D>& coarse_box, const Body& body) {
  std::size_t volume = 0;
  for_rows<D>(coarse_box, [&](const Index<D>& c) {
    Box<D> rows = box;
    for (int a = 1; a < D; ++a) {
      const int begin = std::max(3 * c[a] - offset[a], box.lower[a]);
      rows.lower[a] = begin;
      rows.extent[a] = std::min(3 * c[a] + 3 - offset[a], box.lower[a] + box.extent[a]) - begin;
    }
    body(c, volume, rows);
    volume += static_cast<std::size_t>(coarse_box.extent[0]);
  });
}

// Sets unknown u in the fine rows: calls begin(first volume) for each row, then value(x) for its volumes.
template <int D, class Begin, class Value>
void write_rows(const PatchLayout& layout, double* fine, int u, const Box<D>& rows, const Begin& begin,
                const Value& value) {
  const std::ptrdiff_t row = layout.stride(1), plane = layout.stride(2);
  double* const first = fine + layout.at(u, rows.lower);
  const auto write = [&](auto width) {
    for_rows<D>(rows, [&](const Index<D>& f) {
      begin(f);
      double* const to =
          first + (f[1] - rows.lower[1]) * row + (D == 3 ? (f[D - 1] - rows.lower[D - 1]) * plane : 0);
      for (int x = 0; x < width; ++x) to[x] = value(x);
    });
  };
  // Halos across x faces have narrow rows.
  switch (rows.extent[0]) {
    case 1:
      return write(std::integral_constant<int, 1>());
    case 2:
      return write(std::integral_constant<int, 2>());
    default:
      return write(rows.extent[0]);
  }
}

}  // namespace

template <int D>
void prolong(const Solver& solver, const PatchLayout& layout, double* fine, const double* coarse,
             const Box<D>& box, const Index<D>& offset) {
  MEANDER_ASSERT(layout.unknowns <= most_unknowns && layout.p <= max_patch_size);
  MEANDER_ASSERT(layout.point_values == solver.traits().point_values());
  if (layout.point_values) {
    interpolate<D>(solver, layout, fine, coarse, box, offset);
    return;
  }
  const Box<D> coarse_box = coarse_box_of<D>(layout, box, offset);
  RowMap map;
  map.width = box.extent[0];
  for (int x = 0; x < map.width; ++x) {
    const int f = box.lower[0] + offset[0] + x, c = floor_third(f);
    map.coarse[x] = c - coarse_box.lower[0];
    map.place[x] = place_of(f, c);
  }
  if (solver.traits().prolongation == Prolongation::constant) {
    for_coarse_rows<D>(box, offset, coarse_box, [&](const Index<D>& c, std::size_t, const Box<D>& rows) {
      for (int u = 0; u < layout.unknowns; ++u) {
        double row[max_patch_size];
        map.expand(coarse + layout.at(u, c), row);
        write_rows<D>(
            layout, fine, u, rows, [](const Index<D>&) {}, [&](int x) { return row[x]; });
      }
    });
    return;
  }
  const Slopes<D> slopes(solver, layout, coarse, coarse_box);
  for_coarse_rows<D>(box, offset, coarse_box, [&](const Index<D>& c, std::size_t volume, const Box<D>& rows) {
    for (int u = 0; u < layout.unknowns; ++u) {
      double row[max_patch_size], slope[D][max_patch_size];
      map.expand(coarse + layout.at(u, c), row);
      for (int a = 0; a < D; ++a) map.expand(slopes.at(u, a) + volume, slope[a]);
      for (int x = 0; x < map.width; ++x) row[x] += map.place[x] * slope[0][x];
      double place[D] = {};
      write_rows<D>(
          layout, fine, u, rows,
          [&](const Index<D>& f) {
            for (int a = 1; a < D; ++a) place[a] = place_of(f[a] + offset[a], c[a]);
          },
          [&](int x) {
            double value = row[x];
            for (int a = 1; a < D; ++a) value += place[a] * slope[a][x];
            return value;
          });
    }
  });
}

template <int D>
Box<D> prolongation_support(const PatchLayout& layout, const Box<D>& box, const Index<D>& offset) {
  if (layout.point_values) return interpolation_support<D>(layout, box, offset);
  // A slope reads the neighbouring volumes, or at the patch's border the two volumes further inside.
  Box<D> support = coarse_box_of<D>(layout, box, offset);
  for (int a = 0; a < D; ++a) {
    const int end = std::min(support.lower[a] + support.extent[a] + 2, layout.p);
    support.lower[a] = std::max(support.lower[a] - 2, 0);
    support.extent[a] = end - support.lower[a];
  }
  return support;
}

template Box<2> prolongation_support<2>(const PatchLayout&, const Box<2>&, const Index<2>&);
template Box<3> prolongation_support<3>(const PatchLayout&, const Box<3>&, const Index<3>&);
template void prolong<2>(const Solver&, const PatchLayout&, double*, const double*, const Box<2>&,
                         const Index<2>&);
template void prolong<3>(const Solver&, const PatchLayout&, double*, const double*, const Box<3>&,
                         const Index<3>&);

}  // namespace meander::solvers
