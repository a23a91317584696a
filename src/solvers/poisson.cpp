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
void relax(const PatchLayout& layout, double* u, const double* f, double h, const GhostSlopes<D>& slopes,
           int colour, double omega) {
  const AxisStrides<D> stride(layout);
  const int p = layout.p;
  for_rows<D>(interior_box<D>(layout.p), [&](const Index<D>& i) {
    int diagonal = -2 * D, sum = colour;
    for (int a = 1; a < D; ++a) {
      sum += i[a];
      if (i[a] == 0) diagonal += slopes[2 * a];
      if (i[a] == p - 1) diagonal += slopes[2 * a + 1];
    }
    const std::ptrdiff_t row = layout.at(0, i);
    const auto relax_one = [&](int x, double factor) {
      double* const at = u + row + x;
      *at += factor * (h * h * f[row + x] - differences<D>(at, stride.of));
    };
    const double factor = omega / diagonal;
    for (int x = sum % 2; x < p; x += 2) {
      if (x == 0 || x == p - 1) {
        relax_one(x, omega / (diagonal + slopes[x == 0 ? 0 : 1]));
      } else {
        relax_one(x, factor);
      }
    }
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

template <int D>
void prolong(const PatchLayout& layout, double* u, const double* coarse, const Index<D>& child) {
  const AxisStrides<D> stride(layout);
  for_rows<D>(interior_box<D>(layout.p), [&](Index<D> i) {
    const std::ptrdiff_t row = layout.at(0, i);
    for (int x = 0; x < layout.p; ++x) {
      i[0] = x;
      // The nearest coarse volume, and the steps to the next one along each axis with its weight.
      Index<D> nearest{};
      std::ptrdiff_t step[D];
      double weight[D];
      for (int a = 0; a < D; ++a) {
        const int fine = child[a] * layout.p + i[a];
        nearest[a] = fine / 3;
        step[a] = (fine % 3 - 1) * stride.of[a];
        weight[a] = fine % 3 == 1 ? 0.0 : 1.0 / 3;
      }
      const double* const from = coarse + layout.at(0, nearest);
      double value = 0;
      for (int corner = 0; corner < 1 << D; ++corner) {
        double product = 1;
        std::ptrdiff_t at = 0;
        for (int a = 0; a < D; ++a) {
          const bool next = (corner >> a & 1) != 0;
          product *= next ? weight[a] : 1 - weight[a];
          if (next) at += step[a];
        }
        value += product * from[at];
      }
      u[row + x] += value;
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
  const AxisStrides<D> stride(layout);
  // By fine volume % 3, for the coarse volumes -1, 0 and 1.
  constexpr double weights[3][3] = {{2.0 / 9, 8.0 / 9, -1.0 / 9}, {0, 1, 0}, {-1.0 / 9, 8.0 / 9, 2.0 / 9}};
  const Box<D> plane = plane_of<D>(layout, face);
  const int axis = face / 2;
  const std::size_t s = axis == 0 ? 1 : 0, t = D == 3 ? (axis == 2 ? 1 : 2) : s;  // tangential axes
  for_rows<D>(plane, [&](Index<D> i) {
    for (int x = 0; x < plane.extent[0]; ++x, ++i[0]) {
      Index<D> nearest = i;  // along the axis of the face it is the coarse halo
      const int fine_s = child[s] * layout.p + i[s], fine_t = child[t] * layout.p + i[t];
      nearest[s] = fine_s / 3;
      nearest[t] = fine_t / 3;
      const double* const from = coarse + layout.at(0, nearest);
      double value = 0;
      for (int k = D == 3 ? -1 : 0; k <= (D == 3 ? 1 : 0); ++k) {
        double row = 0;
        for (int j = -1; j <= 1; ++j)
          row += weights[fine_s % 3][j + 1] * from[k * stride.of[t] + j * stride.of[s]];
        value += D == 3 ? weights[fine_t % 3][k + 1] * row : row;
      }
      to[layout.at(0, i)] = value;
    }
  });
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

#define MEANDER_INSTANTIATE(D)                                                                           \
  template void relax<D>(const PatchLayout&, double*, const double*, double, const GhostSlopes<D>&, int, \
                         double);                                                                        \
  template void residual<D>(const PatchLayout&, const double*, const double*, double, double*);          \
  template void add_laplacian<D>(const PatchLayout&, const double*, double, double*);                    \
  template void prolong<D>(const PatchLayout&, double*, const double*, const Index<D>&);                 \
  template Box<D> prolongation_support<D>(const PatchLayout&, const Index<D>&);                          \
  template void interpolate_plane<D>(const PatchLayout&, double*, const double*, const Index<D>&, int);  \
  template void fill_jump<D>(const PatchLayout&, double*, const double*, int);                           \
  template void spread_gradient<D>(const PatchLayout&, const double*, double, int, double*);             \
  template void mismatch<D>(const PatchLayout&, const double*, double, int, double*);                    \
  template void add_plane_inside<D>(const PatchLayout&, double*, const double*, int, double);            \
  template void add_plane<D>(const PatchLayout&, double*, const double*, int, double);
MEANDER_INSTANTIATE(2)
MEANDER_INSTANTIATE(3)
#undef MEANDER_INSTANTIATE

}  // namespace meander::solvers::poisson
