// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/poisson.hpp"

namespace meander::solvers::poisson {
namespace {

// Calls body(offset) for all volumes of a box, in storage order.
template <int D, class Body>
void for_offsets(const PatchLayout& layout, const Box<D>& box, const Body& body) {
  for_rows<D>(box, [&](const Index<D>& i) {
    const std::ptrdiff_t row = layout.at(0, i);
    for (int x = 0; x < box.extent[0]; ++x) body(row + x);
  });
}

// The halo layer beyond a face, without edges.
template <int D>
Box<D> plane_of(const PatchLayout& layout, int face) {
  Box<D> box = interior_box<D>(layout.p);
  box.lower[face / 2] = face % 2 == 0 ? -1 : layout.p;
  box.extent[face / 2] = 1;
  return box;
}

// Towards the outside of a face.
std::ptrdiff_t outwards(const PatchLayout& layout, int face) {
  return face % 2 == 0 ? -layout.stride(face / 2) : layout.stride(face / 2);
}

// h^2 A u in one volume.
template <int D>
double differences(const double* u, const std::ptrdiff_t* stride) {
  double sum = 0;
  for (int a = 0; a < D; ++a) sum += (u[-stride[a]] - u[0]) + (u[stride[a]] - u[0]);
  return sum;
}

template <int D>
struct AxisStrides {
  explicit AxisStrides(const PatchLayout& layout) {
    for (int a = 0; a < D; ++a) of[a] = layout.stride(a);
  }
  std::ptrdiff_t of[D];
};

}  // namespace

template <int D>
void relax(const PatchLayout& layout, double* u, const Vec<const double*, 2 * D>& beside, const double* f,
           double h, const GhostSlopes<D>& slopes, int colour, double omega) {
  const AxisStrides<D> stride(layout);
  const int p = layout.p;
  // From a volume at a face to the one beyond, in the slot beside or in the halo.
  std::ptrdiff_t beyond[2 * D];
  const double* slot[2 * D];
  for (std::size_t face = 0; face < 2 * D; ++face) {
    const std::ptrdiff_t along = stride.of[face / 2];
    const bool lower = face % 2 == 0;
    slot[face] = beside[face] != nullptr ? beside[face] : u;
    beyond[face] = beside[face] != nullptr ? (lower ? p - 1 : 1 - p) * along : (lower ? -along : along);
  }
  const double square = h * h;
  for_rows<D>(interior_box<D>(p), [&](const Index<D>& i) {
    int diagonal = -2 * D, sum = colour;
    const std::ptrdiff_t row = layout.at(0, i);
    const double* next[2 * D];  // rows beyond
    for (int a = 1; a < D; ++a) {
      sum += i[a];
      next[2 * a] = u + row - stride.of[a];
      next[2 * a + 1] = u + row + stride.of[a];
      if (i[a] == 0) {
        diagonal += slopes[2 * a];
        next[2 * a] = slot[2 * a] + row + beyond[2 * a];
      }
      if (i[a] == p - 1) {
        diagonal += slopes[2 * a + 1];
        next[2 * a + 1] = slot[2 * a + 1] + row + beyond[2 * a + 1];
      }
    }
    double* const at = u + row;
    const double* const rhs = f + row;
    const auto relax_one = [&](int x, double lower, double upper, double factor) {
      double differences = (lower - at[x]) + (upper - at[x]);
      for (int a = 1; a < D; ++a) differences += (next[2 * a][x] - at[x]) + (next[2 * a + 1][x] - at[x]);
      at[x] += factor * (square * rhs[x] - differences);
    };
    const double factor = omega / diagonal;
    int x = sum % 2;
    if (x == 0) {
      relax_one(0, slot[0][row + beyond[0]], at[1], omega / (diagonal + slopes[0]));
      x = 2;
    }
    for (; x < p - 1; x += 2) relax_one(x, at[x - 1], at[x + 1], factor);
    if (x == p - 1) relax_one(x, at[x - 1], slot[1][row + x + beyond[1]], omega / (diagonal + slopes[1]));
  });
}

template <int D>
void residual(const PatchLayout& layout, const double* u, const double* f, double h, double* r) {
  const AxisStrides<D> stride(layout);
  const double scale = 1 / (h * h);
  for_offsets<D>(layout, interior_box<D>(layout.p),
                 [&](std::ptrdiff_t i) { r[i] = f[i] - scale * differences<D>(u + i, stride.of); });
}

template <int D>
void add_laplacian(const PatchLayout& layout, const double* u, double h, double* f) {
  const AxisStrides<D> stride(layout);
  const double scale = 1 / (h * h);
  for_offsets<D>(layout, interior_box<D>(layout.p),
                 [&](std::ptrdiff_t i) { f[i] += scale * differences<D>(u + i, stride.of); });
}

// Along the outer axes first, then along x.
template <int D>
void prolong(const PatchLayout& layout, double* u, const double* coarse, const Index<D>& child) {
  const AxisStrides<D> stride(layout);
  const int p = layout.p;
  // Of each fine volume: the nearest coarse one, the step to the next, and the weight of that.
  struct Place {
    int nearest, step;
    double weight;
  };
  const auto place = [&](int a, int i) {
    const int fine = child[a] * p + i, third = fine % 3;
    return Place{fine / 3, third - 1, third == 1 ? 0.0 : 1.0 / 3};
  };
  Place along_x[longest_row];
  for (int x = 0; x < p; ++x) along_x[x] = place(0, x);
  const int begin = along_x[0].nearest - 1, end = along_x[p - 1].nearest + 2;
  double row[longest_row / 3 + 4];
  for_rows<D>(interior_box<D>(p), [&](const Index<D>& i) {
    Index<D> nearest{};
    std::ptrdiff_t step[D];
    double weight[D];
    for (int a = 1; a < D; ++a) {
      const Place at = place(a, i[a]);
      nearest[a] = at.nearest;
      step[a] = at.step * stride.of[a];
      weight[a] = at.weight;
    }
    const double* const from = coarse + layout.at(0, nearest);
    for (int x = begin; x < end; ++x) {
      const auto along_y = [&](const double* at) {
        return (1 - weight[1]) * at[0] + weight[1] * at[step[1]];
      };
      double value = along_y(from + x);
      if constexpr (D == 3) value = (1 - weight[2]) * value + weight[2] * along_y(from + x + step[2]);
      row[x - begin] = value;
    }
    double* const to = u + layout.at(0, i);
    for (int x = 0; x < p; ++x) {
      const Place& at = along_x[x];
      const double* const middle = row + (at.nearest - begin);
      to[x] += (1 - at.weight) * middle[0] + at.weight * middle[at.step];
    }
  });
}

template <int D>
Box<D> prolongation_support(const PatchLayout& layout, const Index<D>& child) {
  Box<D> box;
  for (int a = 0; a < D; ++a) {
    box.lower[a] = child[a] * layout.p / 3 - 1;
    box.extent[a] = ((child[a] + 1) * layout.p - 1) / 3 + 2 - box.lower[a];
  }
  return box;
}

template <int D>
void interpolate_plane(const PatchLayout& layout, double* to, const double* coarse, const Index<D>& child,
                       int face) {
  // By fine volume % 3, for the coarse volumes -1, 0 and 1.
  constexpr double weights[3][3] = {{2.0 / 9, 8.0 / 9, -1.0 / 9}, {0, 1, 0}, {-1.0 / 9, 8.0 / 9, 2.0 / 9}};
  const AxisStrides<D> stride(layout);
  const Box<D> plane = plane_of<D>(layout, face);
  const int axis = face / 2, p = layout.p;
  const std::size_t s = axis == 0 ? 1 : 0, t = D == 3 ? (axis == 2 ? 1 : 2) : s;  // tangential axes
  Index<D> first = plane.lower;  // along the axis of the face it is the coarse halo
  first[s] = first[t] = 0;
  double* const fine = to + layout.at(0, first);
  const double* const from = coarse + layout.at(0, first);
  // Along s, in the coarse rows of t; then along t.
  const auto along_s = [&](int row, double* values) {
    for (int i = 0; i < p; ++i) {
      const int at = child[s] * p + i;
      const double* const middle = from + row * stride.of[t] + at / 3 * stride.of[s];
      const double* const w = weights[at % 3];
      values[i] = w[0] * middle[-stride.of[s]] + w[1] * middle[0] + w[2] * middle[stride.of[s]];
    }
  };
  if constexpr (D == 2) {
    double values[longest_row];
    along_s(0, values);
    for (int i = 0; i < p; ++i) fine[i * stride.of[s]] = values[i];
  } else {
    double rows[3][longest_row];  // coarse row n in rows[(n + 1) % 3]
    int known = child[t] * p / 3 - 2;
    for (int j = 0; j < p; ++j) {
      const int at = child[t] * p + j, row = at / 3;
      for (; known <= row; ++known) along_s(known + 1, rows[(known + 2) % 3]);
      const double* const w = weights[at % 3];
      const double *const a = rows[row % 3], *const b = rows[(row + 1) % 3], *const c = rows[(row + 2) % 3];
      double* const line = fine + j * stride.of[t];
      for (int i = 0; i < p; ++i) line[i * stride.of[s]] = w[0] * a[i] + w[1] * b[i] + w[2] * c[i];
    }
  }
}

template <int D>
void fill_jump(const PatchLayout& layout, double* u, const double* u_c, int face) {
  const std::ptrdiff_t out = outwards(layout, face);
  for_offsets<D>(layout, plane_of<D>(layout, face),
                 [&](std::ptrdiff_t i) { u[i] = u[i - out] + (u_c[i] - u[i - 2 * out]) * (1.0 / 3); });
}

template <int D>
void spread_gradient(const PatchLayout& layout, const double* u, double h, int face, double* to) {
  const std::ptrdiff_t out = outwards(layout, face);
  for_offsets<D>(layout, plane_of<D>(layout, face), [&](std::ptrdiff_t i) {
    to[i - out] = to[i - 2 * out] = to[i - 3 * out] = (u[i] - u[i - out]) / h;
  });
}

template <int D>
void mismatch(const PatchLayout& layout, const double* u, double h, int face, double* plane) {
  const std::ptrdiff_t out = outwards(layout, face);
  for_offsets<D>(layout, plane_of<D>(layout, face),
                 [&](std::ptrdiff_t i) { plane[i] = ((u[i] - u[i - out]) / h - plane[i]) / h; });
}

template <int D>
void add_plane_inside(const PatchLayout& layout, double* f, const double* plane, int face, double factor) {
  const std::ptrdiff_t out = outwards(layout, face);
  for_offsets<D>(layout, plane_of<D>(layout, face),
                 [&](std::ptrdiff_t i) { f[i - out] += factor * plane[i]; });
}

template <int D>
void add_plane(const PatchLayout& layout, double* u, const double* plane, int face, double factor) {
  for_offsets<D>(layout, plane_of<D>(layout, face), [&](std::ptrdiff_t i) { u[i] += factor * plane[i]; });
}

#define MEANDER_INSTANTIATE(D)                                                                          \
  template void relax<D>(const PatchLayout&, double*, const Vec<const double*, 2 * D>&, const double*,  \
                         double, const GhostSlopes<D>&, int, double);                                   \
  template void residual<D>(const PatchLayout&, const double*, const double*, double, double*);         \
  template void add_laplacian<D>(const PatchLayout&, const double*, double, double*);                   \
  template void prolong<D>(const PatchLayout&, double*, const double*, const Index<D>&);                \
  template Box<D> prolongation_support<D>(const PatchLayout&, const Index<D>&);                         \
  template void interpolate_plane<D>(const PatchLayout&, double*, const double*, const Index<D>&, int); \
  template void fill_jump<D>(const PatchLayout&, double*, const double*, int);                          \
  template void spread_gradient<D>(const PatchLayout&, const double*, double, int, double*);            \
  template void mismatch<D>(const PatchLayout&, const double*, double, int, double*);                   \
  template void add_plane_inside<D>(const PatchLayout&, double*, const double*, int, double);           \
  template void add_plane<D>(const PatchLayout&, double*, const double*, int, double);
MEANDER_INSTANTIATE(2)
MEANDER_INSTANTIATE(3)
#undef MEANDER_INSTANTIATE

}  // namespace meander::solvers::poisson
