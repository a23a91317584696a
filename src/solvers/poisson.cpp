// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/poisson.hpp"

#include <utility>

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
double second_difference(const double* u, const std::ptrdiff_t* stride) {
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

// The volumes of a plane across the last axis (2D: all) with what lies between their rows, as one row, which is long enough for
// vectors: what is done between rows is not used.
template <int D>
std::ptrdiff_t plane_length(const PatchLayout& layout) {
  return (layout.p - 1) * layout.stride(1) + layout.p;
}
// Calls body(k, offset of the first volume).
template <int D, class Body>
void for_planes(const PatchLayout& layout, const Body& body) {
  for (int k = 0; k < (D == 3 ? layout.p : 1); ++k) {
    Index<D> i{};
    i[D - 1] = D == 3 ? k : 0;
    body(k, layout.at(0, i));
  }
}

}  // namespace

template <int D>
void copy_beside(const PatchLayout& layout, double* u, const Vec<const double*, 2 * D>& beside,
                 std::optional<int> colour) {
  const int p = layout.p;
  for (int face = 0; face < 2 * D; ++face) {
    const double* const from = beside[static_cast<std::size_t>(face)];
    if (from == nullptr) continue;
    const int axis = face / 2, side = face % 2 == 0 ? 0 : p - 1;
    const std::ptrdiff_t along = layout.stride(axis == 0 ? 1 : 0), out = outwards(layout, face);
    const int rows = D == 3 ? p : 1, across = axis == D - 1 ? D - 2 : D - 1;
    Index<D> inside{};
    inside[axis] = side;
    for (int k = 0; k < rows; ++k) {
      if (D == 3) inside[across] = k;
      const std::ptrdiff_t first = layout.at(0, inside) + out;
      double* const to = u + first;
      const double* const source = from + first - p * out;
      if (colour) {
        for (int j = (*colour + side + (D == 3 ? k : 0)) % 2; j < p; j += 2)
          to[j * along] = source[j * along];
      } else {
        for (int j = 0; j < p; ++j) to[j * along] = source[j * along];
      }
    }
  }
}

template <int D>
RelaxationWeights<D>::RelaxationWeights(const PatchLayout& layout, const GhostSlopes<D>& slopes, double omega)
    : p_(layout.p), length_(static_cast<std::size_t>(plane_length<D>(layout))) {
  constexpr int planes = D == 3 ? 3 : 1;
  weights_.assign(planes * 2 * length_, 0.0);
  for (int plane = 0; plane < planes; ++plane) {
    for (int y = 0; y < p_; ++y) {
      for (int x = 0; x < p_; ++x) {
        int diagonal = -2 * D;
        for (const auto& [at, axis] : {std::pair(x, 0), std::pair(y, 1)}) {
          if (at == 0) diagonal += slopes[static_cast<std::size_t>(2 * axis)];
          if (at == p_ - 1) diagonal += slopes[static_cast<std::size_t>(2 * axis + 1)];
        }
        if (plane != inner) diagonal += slopes[2 * D - (plane == first ? 2 : 1)];
        const std::size_t offset = static_cast<std::size_t>(y * layout.stride(1) + x);
        weights_[static_cast<std::size_t>(2 * plane + (x + y) % 2) * length_ + offset] = omega / diagonal;
      }
    }
  }
}

template <int D>
const double* RelaxationWeights<D>::plane(int k, int parity) const {
  const int plane = D == 2 ? inner : k == 0 ? first : k == p_ - 1 ? last : inner;
  return weights_.data() + static_cast<std::size_t>(2 * plane + parity) * length_;
}

template <int D>
void relax(const PatchLayout& layout, double* u, const double* f, double h,
           const RelaxationWeights<D>& weights, int colour) {
  const AxisStrides<D> stride(layout);
  const std::ptrdiff_t length = plane_length<D>(layout);
  const double square = h * h;
  // Volumes beside those that change have the weight 0, and are not written: other threads may read them. A plane changes when
  // all of it is computed: loads that overlap what was just stored would wait for it.
  double changes[longest_row * (longest_row + 2)];
  for_planes<D>(layout, [&](int k, std::ptrdiff_t begin) {
    const double* const weight = weights.plane(k, (colour + k) % 2);
    const double* const rhs = f + begin;
    double* const at = u + begin;
    for (std::ptrdiff_t i = 0; i < length; ++i)
      changes[i] = weight[i] * (square * rhs[i] - second_difference<D>(at + i, stride.of));
    for (std::ptrdiff_t i = 0; i < length; ++i) {
      if (weight[i] != 0) at[i] += changes[i];
    }
  });
}

template <int D>
void residual(const PatchLayout& layout, const double* u, const double* f, double h, double* r) {
  const AxisStrides<D> stride(layout);
  const std::ptrdiff_t length = plane_length<D>(layout);
  const double scale = 1 / (h * h);
  for_planes<D>(layout, [&](int, std::ptrdiff_t begin) {
    const double *const at = u + begin, *const rhs = f + begin;
    double* __restrict__ to = r + begin;
    for (std::ptrdiff_t i = 0; i < length; ++i)
      to[i] = rhs[i] - scale * second_difference<D>(at + i, stride.of);
  });
}

template <int D>
void differences(const PatchLayout& layout, const double* u, double* first, double* second) {
  const AxisStrides<D> stride(layout);
  const std::ptrdiff_t volumes = layout.volumes();
  for_rows<D>(interior_box<D>(layout.p), [&](const Index<D>& i) {
    const double* const at = u + layout.at(0, i);
    for (int a = 0; a < D; ++a) {
      const double *const below = at - stride.of[a], *const above = at + stride.of[a];
      double* __restrict__ along = first + a * volumes;
      for (int x = 0; x < layout.p; ++x) along[x] = above[x] - below[x];
    }
    double* __restrict__ to = second;
    for (int x = 0; x < layout.p; ++x) to[x] = second_difference<D>(at + x, stride.of);
    first += layout.p;
    second += layout.p;
  });
}

template <int D>
void add_laplacian(const PatchLayout& layout, const double* u, double h, double* f) {
  const AxisStrides<D> stride(layout);
  const double scale = 1 / (h * h);
  for_offsets<D>(layout, interior_box<D>(layout.p),
                 [&](std::ptrdiff_t i) { f[i] += scale * second_difference<D>(u + i, stride.of); });
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

#define MEANDER_INSTANTIATE(D)                                                                            \
  template void copy_beside<D>(const PatchLayout&, double*, const Vec<const double*, 2 * D>&,             \
                               std::optional<int>);                                                       \
  template class RelaxationWeights<D>;                                                                    \
  template void relax<D>(const PatchLayout&, double*, const double*, double, const RelaxationWeights<D>&, \
                         int);                                                                            \
  template void residual<D>(const PatchLayout&, const double*, const double*, double, double*);           \
  template void differences<D>(const PatchLayout&, const double*, double*, double*);                      \
  template void add_laplacian<D>(const PatchLayout&, const double*, double, double*);                     \
  template void prolong<D>(const PatchLayout&, double*, const double*, const Index<D>&);                  \
  template Box<D> prolongation_support<D>(const PatchLayout&, const Index<D>&);                           \
  template void interpolate_plane<D>(const PatchLayout&, double*, const double*, const Index<D>&, int);   \
  template void fill_jump<D>(const PatchLayout&, double*, const double*, int);                            \
  template void spread_gradient<D>(const PatchLayout&, const double*, double, int, double*);              \
  template void mismatch<D>(const PatchLayout&, const double*, double, int, double*);                     \
  template void add_plane_inside<D>(const PatchLayout&, double*, const double*, int, double);             \
  template void add_plane<D>(const PatchLayout&, double*, const double*, int, double);
MEANDER_INSTANTIATE(2)
MEANDER_INSTANTIATE(3)
#undef MEANDER_INSTANTIATE

}  // namespace meander::solvers::poisson
