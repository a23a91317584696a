// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/interpolation.hpp"

#include <array>
#include <limits>
#include <vector>

#include "base/assert.hpp"
#include "solvers/lagrange.hpp"

namespace meander::solvers {
namespace {

// The value a third of a width from q[0] towards q[step]. A sum of differences to q[0] reproduces constants
// exactly. The order of the sum gives bitwise mirrored results for mirrored data.
template <int R>
double at_a_third(const double* q, std::ptrdiff_t step) {
  constexpr std::array<double, 2 * R> weight = weights_at_a_third<R>();
  const double own = q[0];
  double sum = own;
  for (int m = 1; m <= R; ++m) {
    sum += weight[static_cast<std::size_t>(R - 1 + m)] * (q[m * step] - own);
    if (m < R) sum += weight[static_cast<std::size_t>(R - 1 - m)] * (q[-m * step] - own);
  }
  return sum;
}

// Values of a box. `at`: position of its first volume.
struct Values {
  double* at;
  std::array<std::ptrdiff_t, 3> stride{1, 0, 0};
};

// One axis of the tensor product. `to` has the given extents. Along `axis`, the first volume of `to` is fine
// volume `fine`, and the first of `from` is coarse volume `coarse`. The inner loop runs along `row`.
struct Sweep {
  int axis, row;
  std::array<int, 3> extent;
  int fine, coarse;

  template <int R>
  void run(const Values& from, const Values& to) const {
    const auto a = static_cast<std::size_t>(axis), r = static_cast<std::size_t>(row);
    if (axis == row) return along_rows<R>(from, to);
    const auto other = 3 - a - r;
    for (int f = 0; f < extent[a]; ++f) {
      const int c = floor_third(fine + f), third = fine + f - 3 * c - 1;
      for (int o = 0; o < extent[other]; ++o) {
        const double* in = from.at + (c - coarse) * from.stride[a] + o * from.stride[other];
        double* out = to.at + f * to.stride[a] + o * to.stride[other];
        if (from.stride[r] == 1 && to.stride[r] == 1) {
          blend<R>(in, 1, out, 1, extent[r], third * from.stride[a]);
        } else {
          blend<R>(in, from.stride[r], out, to.stride[r], extent[r], third * from.stride[a]);
        }
      }
    }
  }

 private:
  // Computes fine volumes out[0], out[out_step] ... from coarse ones in[0], in[in_step] ... All are a third
  // of a width off in the direction of `step`, or at the centres if it is 0.
  template <int R>
  static void blend(const double* in, std::ptrdiff_t in_step, double* out, std::ptrdiff_t out_step, int count,
                    std::ptrdiff_t step) {
    if (step == 0) {
      for (int x = 0; x < count; ++x) out[x * out_step] = in[x * in_step];
    } else {
      for (int x = 0; x < count; ++x) out[x * out_step] = at_a_third<R>(in + x * in_step, step);
    }
  }

  // Every third fine volume of a row has the same position in its coarse volume.
  template <int R>
  void along_rows(const Values& from, const Values& to) const {
    const auto r = static_cast<std::size_t>(row), b = (r + 1) % 3, c = (r + 2) % 3;
    for (int j = 0; j < extent[b]; ++j) {
      for (int k = 0; k < extent[c]; ++k) {
        const double* in = from.at + j * from.stride[b] + k * from.stride[c];
        double* out = to.at + j * to.stride[b] + k * to.stride[c];
        for (int first = 0; first < std::min(3, extent[r]); ++first) {
          const int own = floor_third(fine + first), third = fine + first - 3 * own - 1;
          blend<R>(in + (own - coarse) * from.stride[r], from.stride[r], out + first * to.stride[r],
                   3 * to.stride[r], (extent[r] - first + 2) / 3, third * from.stride[r]);
        }
      }
    }
  }
};

// Sets the inadmissible fine volumes of the box to the value of the coarse volume that contains them.
template <int D>
void mend(const Solver& solver, const PatchLayout& layout, double* fine, const double* coarse,
          const Box<D>& box, const Index<D>& offset) {
  double q[most_unknowns];
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

template <int D, int R>
void interpolate_with(const PatchLayout& layout, double* fine, const double* coarse, const Box<D>& box,
                      const Index<D>& offset) {
  const Box<D> support = interpolation_support<D>(layout, box, offset);
  int order[3];
  interpolation_order<D>(box.extent, order);
  const int row = order[D - 1];

  std::array<int, 3> extent{1, 1, 1};
  std::size_t largest = 1;
  for (std::size_t a = 0; a < D; ++a) {
    extent[a] = support.extent[a];
    largest *= static_cast<std::size_t>(std::max(support.extent[a], box.extent[a]));
  }
  thread_local std::vector<double> storage;
  storage.resize(std::max(storage.size(), 2 * largest));
  Sweep sweeps[D];
  Values targets[D];
  for (std::size_t n = 0; n < D; ++n) {
    const auto a = static_cast<std::size_t>(order[n]);
    extent[a] = box.extent[a];
    sweeps[n] = {order[n], row, extent, box.lower[a] + offset[a], support.lower[a]};
    if (n == D - 1) break;
    Values& to = targets[n];
    to.at = storage.data() + n * largest;
    std::ptrdiff_t stride = 1;
    for (int step = 0; step < D; ++step) {
      const auto b = static_cast<std::size_t>((row + step) % D);
      to.stride[b] = stride;
      stride *= extent[b];
    }
  }
  // The first sweep reads the slot itself and does not change it.
  Values slot{const_cast<double*>(coarse)}, halo{fine};
  for (int a = 0; a < D; ++a) {
    slot.stride[static_cast<std::size_t>(a)] = halo.stride[static_cast<std::size_t>(a)] = layout.stride(a);
  }
  for (int u = 0; u < layout.unknowns; ++u) {
    slot.at = const_cast<double*>(coarse) + layout.at(u, support.lower);
    halo.at = fine + layout.at(u, box.lower);
    for (std::size_t n = 0; n < D; ++n)
      sweeps[n].template run<R>(n == 0 ? slot : targets[n - 1], n == D - 1 ? halo : targets[n]);
  }
}

}  // namespace

template <int D>
Box<D> interpolation_support(const PatchLayout& layout, const Box<D>& box, const Index<D>& offset) {
  const int reach = interpolation_reach(layout);
  Box<D> support;
  for (std::size_t a = 0; a < D; ++a) {
    int lower = std::numeric_limits<int>::max(), upper = std::numeric_limits<int>::min();
    for (int f = box.lower[a] + offset[a]; f < box.lower[a] + offset[a] + box.extent[a]; ++f) {
      const int c = floor_third(f), third = f - 3 * c - 1;
      lower = std::min(lower, third == 0 ? c : third < 0 ? c - reach : c - reach + 1);
      upper = std::max(upper, third == 0 ? c : third < 0 ? c + reach - 1 : c + reach);
    }
    MEANDER_ASSERT(lower >= -layout.h && upper < layout.p + layout.h);
    support.lower[a] = lower;
    support.extent[a] = upper - lower + 1;
  }
  return support;
}

template <int D>
void interpolate(const Solver& solver, const PatchLayout& layout, double* fine, const double* coarse,
                 const Box<D>& box, const Index<D>& offset) {
  MEANDER_ASSERT(layout.unknowns <= most_unknowns);
  switch (interpolation_reach(layout)) {
    case 1:
      interpolate_with<D, 1>(layout, fine, coarse, box, offset);
      break;
    case 2:
      interpolate_with<D, 2>(layout, fine, coarse, box, offset);
      break;
    default:
      interpolate_with<D, 3>(layout, fine, coarse, box, offset);
      break;
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
