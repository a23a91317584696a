// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/interpolation.hpp"

#include <array>
#include <limits>
#include <vector>

#include "base/assert.hpp"
#include "solvers/lagrange.hpp"
#include "solvers/pack.hpp"

namespace meander::solvers {
namespace {

// The values a third of a width from q[0] towards q[step], one in each lane of V. A sum of differences to
// q[0] reproduces constants exactly. The order of the sum gives bitwise mirrored results for mirrored data.
template <int R, class V>
MEANDER_TERM V at_a_third(const double* q, std::ptrdiff_t step) {
  const V own = load<V>(q);
  V sum = own;
  for (int m = 1; m <= R; ++m) {
    sum = sum + V(weight_at_a_third<R>(R - 1 + m)) * (load<V>(q + m * step) - own);
    if (m < R) sum = sum + V(weight_at_a_third<R>(R - 1 - m)) * (load<V>(q - m * step) - own);
  }
  return sum;
}

// Where the volumes of a box lie. `at`: offset of the first.
struct Places {
  std::ptrdiff_t at;
  std::array<std::ptrdiff_t, 3> stride{0, 0, 0};
};

// One axis of the tensor product, from `from` to `to`, a box of the given extents. Along `axis`, the first
// volume of `to` is fine volume `fine`, and the first of `from` is coarse volume `coarse`.
struct Sweep {
  int axis;
  std::array<int, 3> extent;
  int fine, coarse;
  Places from, to;

  // keep(place, value) for each volume of `to`.
  template <int R, class V, class Keep>
  void run(const double* values, const Keep& keep) const {
    const auto a = static_cast<std::size_t>(axis), b = (a + 1) % 3, c = (a + 2) % 3;
    for (int f = 0; f < extent[a]; ++f) {
      const int own = floor_third(fine + f), third = fine + f - 3 * own - 1;
      const std::ptrdiff_t step = third * from.stride[a];
      for (int j = 0; j < extent[c]; ++j) {
        const double* in = values + from.at + (own - coarse) * from.stride[a] + j * from.stride[c];
        std::ptrdiff_t out = to.at + f * to.stride[a] + j * to.stride[c];
        if (step == 0) {
          for (int i = 0; i < extent[b]; ++i, in += from.stride[b], out += to.stride[b])
            keep(out, load<V>(in));
        } else {
          for (int i = 0; i < extent[b]; ++i, in += from.stride[b], out += to.stride[b])
            keep(out, at_a_third<R, V>(in, step));
        }
      }
    }
  }
};

// The sweeps along all axes, for as many unknowns at a time as V has lanes. Between the sweeps these unknowns
// lie side by side: boxes are thin, and their rows too short to vectorise.
template <int D, int R, class V>
class Interpolation {
 public:
  Interpolation(const PatchLayout& layout, const Box<D>& box, const Index<D>& offset)
      : layout_(layout), support_(interpolation_support<D>(layout, box, offset)) {
    int order[3];
    interpolation_order<D>(box.extent, order);
    std::array<int, 3> extent{1, 1, 1};
    Places halo{layout.at(0, box.lower)};
    for (std::size_t a = 0; a < D; ++a) {
      extent[a] = support_.extent[a];
      halo.stride[a] = layout.stride(static_cast<int>(a));
    }
    Places from = compact(extent);
    for (std::size_t n = 0; n < D; ++n) {
      const auto a = static_cast<std::size_t>(order[n]);
      extent[a] = box.extent[a];
      const Places to = n == D - 1 ? halo : compact(extent);
      sweeps_[n] = {order[n], extent, box.lower[a] + offset[a], support_.lower[a], from, to};
      from = to;
    }
  }

  // There are at least as many unknowns as lanes.
  void run(double* fine, const double* coarse) const {
    thread_local std::vector<double> storage;
    storage.resize(std::max(storage.size(), static_cast<std::size_t>(used_)));
    int u = 0;
    for (; u + lanes<V> <= layout_.unknowns; u += lanes<V>) interpolate(u, fine, coarse, storage.data());
    // The last group overlaps the one before it.
    if (u < layout_.unknowns) interpolate(layout_.unknowns - lanes<V>, fine, coarse, storage.data());
  }

 private:
  // Places for a box in the storage.
  Places compact(const std::array<int, 3>& extent) {
    Places places{used_};
    std::ptrdiff_t size = lanes<V>;
    for (std::size_t a = 0; a < 3; ++a) {
      places.stride[a] = size;
      size *= extent[a];
    }
    used_ += size;
    return places;
  }

  void interpolate(int first, double* fine, const double* coarse, double* storage) const {
    const std::ptrdiff_t unknown = layout_.unknown_stride();
    double* next = storage;
    for_rows<D>(support_, [&](const Index<D>& row) {
      const double* const from = coarse + layout_.at(first, row);
      for (int x = 0; x < support_.extent[0]; ++x) {
        for (int lane = 0; lane < lanes<V>; ++lane) *next++ = from[lane * unknown + x];
      }
    });
    for (std::size_t n = 0; n + 1 < D; ++n)
      sweeps_[n].template run<R, V>(storage,
                                    [&](std::ptrdiff_t at, const V& value) { store(storage + at, value); });
    double* const halo = fine + first * unknown;
    sweeps_[D - 1].template run<R, V>(storage, [&](std::ptrdiff_t at, const V& value) {
      double values[lanes<V>];
      store(values, value);
      for (int lane = 0; lane < lanes<V>; ++lane) halo[lane * unknown + at] = values[lane];
    });
  }

  const PatchLayout& layout_;
  Box<D> support_;
  std::ptrdiff_t used_ = 0;  // doubles of storage
  Sweep sweeps_[D];
};

template <int D, int R>
void interpolate_with(const PatchLayout& layout, double* fine, const double* coarse, const Box<D>& box,
                      const Index<D>& offset) {
  if (layout.unknowns < lanes<Pack>)
    return Interpolation<D, R, double>(layout, box, offset).run(fine, coarse);
  Interpolation<D, R, Pack>(layout, box, offset).run(fine, coarse);
}

// Sets the inadmissible fine volumes of the box to the value of the coarse volume that contains them.
template <int D>
void mend(const Solver& solver, const PatchLayout& layout, double* fine, const double* coarse,
          const Box<D>& box, const Index<D>& offset) {
  double q[most_unknowns];
  for_rows<D>(box, [&](Index<D> f) {
    if (solver.row_surely_admissible(fine + layout.at(0, f), layout.unknown_stride(), box.extent[0])) return;
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
