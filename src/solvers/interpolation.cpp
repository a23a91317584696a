// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/interpolation.hpp"

#include <algorithm>
#include <vector>

#include "base/assert.hpp"

namespace meander::solvers {
namespace {

constexpr int most_nodes = 5, max_patch_size = 32, max_unknowns = 64;

// What one fine volume reads along one axis: coarse volumes first, first + 1, ...; the weights are those of
// the differences to the volume it lies in, so that constants come out exactly.
struct Taps {
  int own = 0, first = 0;
  double weight[most_nodes] = {};
};

int nodes(const PatchLayout& layout) {
  return std::min(most_nodes, layout.p);
}

// Of fine volume f, counted from the lower corner of the coarse cell.
Taps taps_of(const PatchLayout& layout, int f) {
  const int count = nodes(layout);
  Taps taps;
  taps.own = floor_third(f);
  taps.first = std::clamp(taps.own - count / 2, 0, layout.p - count);
  const double x = taps.own - taps.first + (f - 3 * taps.own - 1) / 3.0;
  for (int m = 0; m < count; ++m) {
    taps.weight[m] = 1;
    for (int n = 0; n < count; ++n) {
      if (n != m) taps.weight[m] *= (x - n) / (m - n);
    }
  }
  return taps;
}

struct Values {
  double* at;
  std::ptrdiff_t stride[3] = {1, 0, 0};
};

// One axis of the tensor product: `to` has the extents given; along `axis` its volume n is made of those of
// `from` that taps[n] names, of which the first is number `lower`.
template <int D>
void sweep(const Values& from, const Values& to, const Index<D>& extent, int axis, const Taps* taps,
           int count, int lower) {
  const auto a = static_cast<std::size_t>(axis);
  Box<D> box;
  box.extent = extent;
  for_rows<D>(box, [&](const Index<D>& i) {
    const double* row = from.at;
    double* out = to.at;
    for (int b = 1; b < D; ++b) {
      if (b != axis) row += i[static_cast<std::size_t>(b)] * from.stride[b];
      out += i[static_cast<std::size_t>(b)] * to.stride[b];
    }
    for (int x = 0; x < extent[0]; ++x) {
      const Taps& tap = taps[axis == 0 ? x : i[a]];
      const double* first = row + (tap.first - lower) * from.stride[axis] + (axis == 0 ? 0 : x);
      const double own = first[(tap.own - tap.first) * from.stride[axis]];
      double sum = own;
      for (int m = 0; m < count; ++m) sum += tap.weight[m] * (first[m * from.stride[axis]] - own);
      out[x] = sum;
    }
  });
}

// Fine volumes of the box that are inadmissible take the value of the coarse volume they lie in.
template <int D>
void mend(const Solver& solver, const PatchLayout& layout, double* fine, const double* coarse,
          const Box<D>& box, const Index<D>& offset) {
  double q[max_unknowns];
  for_rows<D>(box, [&](Index<D> f) {
    for (int x = 0; x < box.extent[0]; ++x, ++f[0]) {
      for (int u = 0; u < layout.unknowns; ++u) q[u] = fine[layout.at(u, f)];
      if (solver.admissible(q)) continue;
      Index<D> c;
      for (std::size_t a = 0; a < D; ++a) c[a] = floor_third(f[a] + offset[a]);
      for (int u = 0; u < layout.unknowns; ++u) fine[layout.at(u, f)] = coarse[layout.at(u, c)];
    }
  });
}

}  // namespace

template <int D>
Box<D> interpolation_support(const PatchLayout& layout, const Box<D>& box, const Index<D>& offset) {
  Box<D> support;
  for (std::size_t a = 0; a < D; ++a) {
    const int first = box.lower[a] + offset[a], last = first + box.extent[a] - 1;
    MEANDER_ASSERT(first >= 0 && last < 3 * layout.p);
    support.lower[a] = taps_of(layout, first).first;
    support.extent[a] = taps_of(layout, last).first + nodes(layout) - support.lower[a];
  }
  return support;
}

template <int D>
void interpolate(const Solver& solver, const PatchLayout& layout, double* fine, const double* coarse,
                 const Box<D>& box, const Index<D>& offset) {
  MEANDER_ASSERT(layout.unknowns <= max_unknowns && layout.p <= max_patch_size);
  const Box<D> support = interpolation_support<D>(layout, box, offset);
  Taps taps[D][max_patch_size];
  for (std::size_t a = 0; a < D; ++a) {
    for (int n = 0; n < box.extent[a]; ++n) taps[a][n] = taps_of(layout, box.lower[a] + offset[a] + n);
  }
  // After each axis the extent along it is that of the fine box; the last sweep writes where the values
  // belong.
  Index<D> extent = support.extent;
  std::size_t largest = 1;
  for (std::size_t a = 0; a < D; ++a)
    largest *= static_cast<std::size_t>(std::max(support.extent[a], box.extent[a]));
  thread_local std::vector<double> storage;
  storage.resize(std::max(storage.size(), 2 * largest));
  for (int u = 0; u < layout.unknowns; ++u) {
    // The first sweep reads the slot itself and changes nothing there.
    Values from{const_cast<double*>(coarse) + layout.at(u, support.lower)};
    for (int b = 1; b < D; ++b) from.stride[b] = layout.stride(b);
    extent = support.extent;
    for (int axis = 0; axis < D; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      extent[a] = box.extent[a];
      Values to{axis == D - 1 ? fine + layout.at(u, box.lower) : storage.data() + a * largest};
      for (int b = 1; b < D; ++b) {
        to.stride[b] =
            axis == D - 1 ? layout.stride(b) : to.stride[b - 1] * extent[static_cast<std::size_t>(b - 1)];
      }
      sweep<D>(from, to, extent, axis, taps[a], nodes(layout), support.lower[a]);
      from = to;
    }
  }
  mend<D>(solver, layout, fine, coarse, box, offset);
}

template Box<2> interpolation_support<2>(const PatchLayout&, const Box<2>&, const Index<2>&);
template Box<3> interpolation_support<3>(const PatchLayout&, const Box<3>&, const Index<3>&);
template void interpolate<2>(const Solver&, const PatchLayout&, double*, const double*, const Box<2>&,
                             const Index<2>&);
template void interpolate<3>(const Solver&, const PatchLayout&, double*, const double*, const Box<3>&,
                             const Index<3>&);

}  // namespace meander::solvers
