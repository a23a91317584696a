// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/prolongation.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/assert.hpp"
#include "solvers/interpolation.hpp"
#include "solvers/pack.hpp"
#include "solvers/poisson.hpp"

namespace meander::solvers {
namespace {

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

// The values of `count` unknowns of a volume; 0 in the other lanes.
template <int count>
MEANDER_TERM Pack unknowns_of(const double* q, std::ptrdiff_t stride) {
  return [&]<int... lane>(std::integer_sequence<int, lane...>) {
    return Pack(Pack::Batch(Pack::Batch::register_type{(lane < count ? q[lane * stride] : 0.0)...}));
  }
  (std::make_integer_sequence<int, Pack::size>());
}

// A coarse volume: its unknowns, and how they differ over a third of its width along each axis.
template <int D>
struct CoarseVolume {
  static constexpr int padded = (most_unknowns + Pack::size - 1) / Pack::size * Pack::size;
  alignas(64) double value[padded];
  double step[D][padded];
  double spread[padded];  // the largest difference of a fine value from `value`
};

// The three fine values of a coarse volume in a row along x.
class Thirds {
 public:
  explicit MEANDER_TERM Thirds(double value) : first_{value, value}, last_(value) {}
  // The sum in the middle is bitwise the value.
  MEANDER_TERM Thirds along_row(double step) const { return {first_ + Two{-step, -0.0}, last_ + step}; }
  MEANDER_TERM Thirds beside_row(int third, double step) const {
    const Two both{step, step};
    return third > 0   ? Thirds(first_ + both, last_ + step)
           : third < 0 ? Thirds(first_ - both, last_ - step)
                       : *this;
  }
  // Stores those from number begin to number end - 1; number 0 belongs to to[0].
  template <int begin, int end>
  MEANDER_TERM void store(double* to) const {
    if constexpr (begin == 0 && end > 1) {
      std::memcpy(to, &first_, sizeof(first_));
    } else {
      if constexpr (begin == 0) to[0] = first_[0];
      if constexpr (begin <= 1 && end > 1) to[1] = first_[1];
    }
    if constexpr (end == 3) to[2] = last_;
  }

 private:
  using Two __attribute__((vector_size(16))) = double;
  MEANDER_TERM Thirds(const Two& first, double last) : first_(first), last_(last) {}
  Two first_;
  double last_;
};

// Prolongation of means, one coarse volume at a time: the steps of all its unknowns side by side in packs, then its fine volumes.
template <int D>
class MeansProlongation {
 public:
  MeansProlongation(const Solver& solver, const PatchLayout& layout, double* fine, const double* coarse,
                    const Box<D>& box, const Index<D>& offset)
      : solver_(solver),
        layout_(layout),
        unknown_stride_(layout.unknown_stride()),
        reads_halo_(is_in_new_leaf<D>(box.lower, box.extent, layout.p)),
        fine_(fine),
        coarse_(coarse),
        box_(box),
        offset_(offset) {}

  template <bool has_slopes>
  void run() {
    const Box<D> coarse_box = coarse_box_of<D>(layout_, box_, offset_);
    for_rows<D>(coarse_box, [&](Index<D> c) {
      for (int x = 0; x < coarse_box.extent[0]; ++x, ++c[0]) {
        if constexpr (has_slopes) {
          find_steps(c);
          if (!may_slope()) std::fill_n(&volume_.step[0][0], D * CoarseVolume<D>::padded, 0.0);
        }
        write<has_slopes>(c);
        if constexpr (has_slopes) complete(c);
      }
    });
  }

 private:
  void find_steps(const Index<D>& c) {
    int n = 0;
    for (; layout_.unknowns - n >= Pack::size; n += Pack::size) find_steps_of<Pack::size>(c, n);
    [&]<int... less>(std::integer_sequence<int, less...>) {
      const int rest = layout_.unknowns - n;
      ((rest == less + 1 ? find_steps_of<less + 1>(c, n) : void()), ...);
    }
    (std::make_integer_sequence<int, Pack::size - 1>());
  }

  // Of `count` unknowns from number n on.
  template <int count>
  MEANDER_TERM void find_steps_of(const Index<D>& c, int n) {
    const double* const q = coarse_ + layout_.at(n, c);
    const auto unknowns_at = [&](std::ptrdiff_t to) { return unknowns_of<count>(q + to, unknown_stride_); };
    const Pack third(1.0 / 3.0), own = unknowns_at(0);
    Pack spread(0.0);
    for (int a = 0; a < D; ++a) {
      const std::ptrdiff_t up = layout_.stride(a);
      const bool is_first = c[a] == 0, is_last = c[a] == layout_.p - 1;
      Pack slope;
      if (reads_halo_ || !(is_first || is_last)) {
        slope = minmod(own - unknowns_at(-up), unknowns_at(up) - own);
      } else {
        Pack value = own;
        slope = slope_at_border<Pack>(differences_at_border(layout_.p), [&](int m) {
          const Pack last = value;
          value = unknowns_at((m + 1) * (is_first ? up : -up));
          return is_first ? value - last : last - value;
        });
      }
      const Pack step = third * slope;
      store(volume_.step[a] + n, step);
      spread = spread + abs(step);
    }
    store(volume_.value + n, own);
    store(volume_.spread + n, spread);
  }

  // Whether all fine values of the volume may be used. Those that may form a convex set for a conservation law, so
  // checking the 2^D outermost fine values is sufficient.
  bool may_slope() const {
    const double* steps[D];
    for (int a = 0; a < D; ++a) steps[a] = volume_.step[a];
    return solver_.continues(volume_.value, steps, volume_.spread);
  }

  // A redundant unknown of the fine volumes of c in the box.
  void complete(const Index<D>& c) const {
    double state[most_unknowns];
    std::copy_n(volume_.value, layout_.unknowns, state);
    if (!solver_.complete_prolonged(volume_.value, state)) return;
    Box<D> fine;
    for (int a = 0; a < D; ++a) {
      const int first = 3 * c[a] - offset_[a];
      fine.lower[a] = std::max(box_.lower[a], first);
      fine.extent[a] = std::min(box_.lower[a] + box_.extent[a], first + 3) - fine.lower[a];
    }
    for_volumes<D>(fine, [&](const Index<D>& i) {
      for (int u = 0; u < layout_.unknowns; ++u) state[u] = fine_[layout_.at(u, i)];
      solver_.complete_prolonged(volume_.value, state);
      for (int u = 0; u < layout_.unknowns; ++u) fine_[layout_.at(u, i)] = state[u];
    });
  }

  // Sets the fine volumes of coarse volume c that lie in the box.
  template <bool has_slopes>
  MEANDER_TERM void write(const Index<D>& c) const {
    Index<D> first, begin, end;  // the first fine volume of c; from it, those in the box
    for (int a = 0; a < D; ++a) {
      first[a] = 3 * c[a] - offset_[a];
      begin[a] = std::max(box_.lower[a] - first[a], 0);
      end[a] = std::min(box_.lower[a] + box_.extent[a] - first[a], 3);
    }
    const auto rows = [&]<int from, int to>(std::integer_sequence<int, from, to>) {
      write_rows<has_slopes, from, to>(c, first, begin, end);
    };
    using std::integer_sequence;
    switch (4 * begin[0] + end[0]) {
      case 1:
        return rows(integer_sequence<int, 0, 1>());
      case 2:
        return rows(integer_sequence<int, 0, 2>());
      case 3:
        return rows(integer_sequence<int, 0, 3>());
      case 6:
        return rows(integer_sequence<int, 1, 2>());
      case 7:
        return rows(integer_sequence<int, 1, 3>());
      default:
        return rows(integer_sequence<int, 2, 3>());
    }
  }

  // from, to: the thirds along x in the box.
  template <bool has_slopes, int from, int to>
  MEANDER_TERM void write_rows(const Index<D>& c, const Index<D>& first, const Index<D>& begin,
                               const Index<D>& end) const {
    const std::ptrdiff_t row = layout_.stride(1), plane = layout_.stride(2);
    const double* coarse = coarse_ + layout_.at(0, c);
    double* fine = fine_ + layout_.at(0, first);
    for (int u = 0; u < layout_.unknowns; ++u, coarse += unknown_stride_, fine += unknown_stride_) {
      const auto shift = [&](const Thirds& thirds, int axis, int third) {
        return has_slopes ? thirds.beside_row(third, volume_.step[axis][u]) : thirds;
      };
      const Thirds middle =
          has_slopes ? Thirds(volume_.value[u]).along_row(volume_.step[0][u]) : Thirds(*coarse);
      MEANDER_UNROLL
      for (int j = 0; j < 3; ++j) {
        if (j < begin[1] || j >= end[1]) continue;
        const Thirds in_plane = shift(middle, 1, j - 1);
        if constexpr (D == 2) {
          in_plane.store<from, to>(fine + j * row);
        } else {
          MEANDER_UNROLL
          for (int k = 0; k < 3; ++k) {
            if (k < begin[2] || k >= end[2]) continue;
            shift(in_plane, 2, k - 1).template store<from, to>(fine + j * row + k * plane);
          }
        }
      }
    }
  }

  const Solver& solver_;
  PatchLayout layout_;
  std::ptrdiff_t unknown_stride_;
  bool reads_halo_;  // of the coarse patch
  double* fine_;
  const double* coarse_;
  Box<D> box_;
  Index<D> offset_;
  CoarseVolume<D> volume_;
};

}  // namespace

template <int D>
void prolong(const Solver& solver, const PatchLayout& layout, double* fine, const double* coarse,
             const Box<D>& box, const Index<D>& offset) {
  MEANDER_ASSERT(layout.unknowns <= most_unknowns);
  MEANDER_ASSERT(layout.point_values == solver.traits().point_values());
  if (layout.point_values) return interpolate<D>(solver, layout, fine, coarse, box, offset);
  MeansProlongation<D> means(solver, layout, fine, coarse, box, offset);
  solver.traits().prolongation == Prolongation::constant ? means.template run<false>()
                                                         : means.template run<true>();
}

template <int D>
Box<D> prolongation_support(const PatchLayout& layout, const Box<D>& box, const Index<D>& offset) {
  if (layout.point_values) return interpolation_support<D>(layout, box, offset);
  const bool reads_halo = is_in_new_leaf<D>(box.lower, box.extent, layout.p);
  Box<D> support = coarse_box_of<D>(layout, box, offset);
  for (int a = 0; a < D; ++a) {
    int begin = support.lower[a] - 1, end = support.lower[a] + support.extent[a] + 1;
    if (!reads_halo) {
      const int known = differences_at_border(layout.p);
      const bool is_first = begin<0, is_last = end> layout.p;
      begin = std::max(is_last ? std::min(begin, layout.p - 1 - known) : begin, 0);
      end = std::min(is_first ? std::max(end, 1 + known) : end, layout.p);
    }
    support.lower[a] = begin;
    support.extent[a] = end - begin;
  }
  return support;
}

template <int D>
void continue_linearly(const PatchLayout& layout, double* q) {
  for (int u = 0; u < layout.unknowns; ++u) {
    Box<D> box = interior_box<D>(layout.p);
    for (int a = 0; a < D; ++a) {
      const std::ptrdiff_t step = layout.stride(a);
      box.extent[a] = 1;
      for (const bool is_upper : {false, true}) {
        box.lower[a] = is_upper ? layout.p : -1;
        const std::ptrdiff_t inwards = is_upper ? -step : step;
        for_volumes<D>(box, [&](const Index<D>& i) {
          double* const beyond = q + layout.at(u, i);
          *beyond = 2 * beyond[inwards] - beyond[2 * inwards];
        });
      }
      box.lower[a] = -1;  // the next axis includes these layers
      box.extent[a] = layout.p + 2;
    }
  }
}

template <int D>
void prolong_linearly(const PatchLayout& layout, double* fine, const double* coarse, const Index<D>& child) {
  for (int u = 0; u < layout.unknowns; ++u) {
    const std::ptrdiff_t row = u * layout.unknown_stride();
    for_volumes<D>(interior_box<D>(layout.p), [&](const Index<D>& i) { fine[layout.at(u, i)] = 0; });
    poisson::prolong<D>(layout, fine + row, coarse + row, child);
  }
}

template void continue_linearly<2>(const PatchLayout&, double*);
template void continue_linearly<3>(const PatchLayout&, double*);
template void prolong_linearly<2>(const PatchLayout&, double*, const double*, const Index<2>&);
template void prolong_linearly<3>(const PatchLayout&, double*, const double*, const Index<3>&);
template Box<2> prolongation_support<2>(const PatchLayout&, const Box<2>&, const Index<2>&);
template Box<3> prolongation_support<3>(const PatchLayout&, const Box<3>&, const Index<3>&);
template void prolong<2>(const Solver&, const PatchLayout&, double*, const double*, const Box<2>&,
                         const Index<2>&);
template void prolong<3>(const Solver&, const PatchLayout&, double*, const double*, const Box<3>&,
                         const Index<3>&);

}  // namespace meander::solvers
