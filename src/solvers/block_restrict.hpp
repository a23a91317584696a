// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Restriction of one coarse volume from fine patches, with the operations of restriction.hpp in the same
// order. Usable in device code.

#include "solvers/boxes.hpp"
#include "solvers/math.hpp"
#include "solvers/resident.hpp"

namespace meander::solvers {

// Positions of volumes in a slot, with the strides of a PatchLayout. D: 2 or 3.
template <int D>
struct SlotShape {
  int p, h, edge;
  std::ptrdiff_t unknown_stride;

  MEANDER_HOST_DEVICE explicit SlotShape(const PatchLayout& layout)
      : p(layout.p), h(layout.h), edge(layout.edge()), unknown_stride(layout.unknown_stride()) {}
  MEANDER_TERM int at(const int* i) const {
    return ((D == 3 ? (i[D - 1] + h) * edge : 0) + i[1] + h) * edge + i[0] + h;
  }
  MEANDER_TERM int stride(int axis) const { return axis == 0 ? 1 : axis == 1 ? edge : edge * edge; }
  MEANDER_TERM int volumes() const { return D == 3 ? p * p * p : p * p; }
  // The volume of the interior with that number, x fastest.
  MEANDER_TERM void volume(int number, int* i) const {
    i[0] = number % p;
    i[1] = number / p % p;
    if constexpr (D == 3) i[2] = number / (p * p);
  }
  // The inverse.
  MEANDER_TERM int number(const int* i) const { return ((D == 3 ? i[D - 1] * p : 0) + i[1]) * p + i[0]; }
};

// The volume with that number of a box, x fastest.
template <int D>
MEANDER_TERM void volume_of_box(const std::int16_t* lower, const std::int16_t* extent, int number, int* i) {
  i[0] = lower[0] + number % extent[0];
  number /= extent[0];
  i[1] = lower[1] + number % extent[1];
  if constexpr (D == 3) i[2] = lower[2] + number / extent[1];
}
template <int D>
MEANDER_TERM int volumes_of_box(const std::int16_t* extent) {
  return extent[0] * extent[1] * (D == 3 ? extent[2] : 1);
}

// First value of the fine volumes that one fine patch contributes to a coarse volume, sum of their
// differences to it, and their number.
struct RestrictedShare {
  double first, sum;
  int count;

  MEANDER_TERM void add(double q0, double differences, int n) {
    if (count == 0) {
      first = q0;
      sum = differences;
      count = n;
    } else {
      sum += differences + n * (q0 - first);
      count += n;
    }
  }
};

// The fine volumes of one fine patch in one coarse volume: [begin, end) along each axis, in the fine patch's
// numbering.
template <int D>
struct FineRange {
  int begin[D], end[D];

  // `coarse`: index of the coarse volume in the refined cell.
  MEANDER_TERM FineRange(const int* coarse, const std::int8_t* child, int p) {
    for (int a = 0; a < D; ++a) {
      const int origin = 3 * coarse[a] - child[a] * p;
      begin[a] = origin > 0 ? origin : 0;
      end[a] = origin + 3 < p ? origin + 3 : p;
    }
  }
  MEANDER_TERM int count() const {
    int n = 1;
    for (int a = 0; a < D; ++a) n *= end[a] - begin[a];
    return n;
  }
  // The value of the first fine volume, and the sum of the differences to it. `fine`: the unknown's values.
  MEANDER_TERM void sum(const SlotShape<D>& shape, const double* fine, double& first,
                        double& differences) const {
    int i[3] = {begin[0], begin[1], D == 3 ? begin[D - 1] : 0};
    const double* const row0 = fine + shape.at(i) - begin[0];
    const int planes = D == 3 ? end[D - 1] - begin[D - 1] : 1, rows = end[1] - begin[1];
    first = row0[begin[0]];
    differences = 0;
    for (int x = begin[0]; x < end[0]; ++x) {
      double excess = 0;
      for (int k = 0; k < planes; ++k) {
        for (int j = 0; j < rows; ++j) {
          if (j + k > 0) excess += row0[k * shape.stride(2) + j * shape.edge + x] - row0[x];
        }
      }
      differences += excess + planes * rows * (row0[x] - first);
    }
  }
};

// The coarse volumes of a box that one child contributes to, as share_of(): [lower, lower + extent).
template <int D>
struct ChildShare {
  int lower[D], extent[D];

  MEANDER_TERM ChildShare(const PatchLayout& layout, const std::int8_t* child, const std::int16_t* box_lower,
                          const std::int16_t* box_extent, const std::int16_t* shift) {
    const int middle = layout.point_values ? 1 : 0;
    for (int a = 0; a < D; ++a) {
      const int first =
          layout.point_values ? ceil_third(child[a] * layout.p - 1) : floor_third(child[a] * layout.p);
      const int last = ceil_third((child[a] + 1) * layout.p - middle);
      int begin = first - shift[a], end = last - shift[a];
      if (begin < box_lower[a]) begin = box_lower[a];
      if (end > box_lower[a] + box_extent[a]) end = box_lower[a] + box_extent[a];
      lower[a] = begin;
      extent[a] = end > begin ? end - begin : 0;
    }
  }
  MEANDER_TERM int volumes() const {
    int n = 1;
    for (int a = 0; a < D; ++a) n *= extent[a];
    return n;
  }
  MEANDER_TERM bool contains(const int* i) const {
    for (int a = 0; a < D; ++a) {
      if (i[a] < lower[a] || i[a] >= lower[a] + extent[a]) return false;
    }
    return true;
  }
  // Number of a volume, x fastest.
  MEANDER_TERM int number(const int* i) const {
    int n = 0;
    for (int a = D - 1; a >= 0; --a) n = n * extent[a] + i[a] - lower[a];
    return n;
  }
  MEANDER_TERM void volume(int n, int* i) const {
    for (int a = 0; a < D; ++a) {
      i[a] = lower[a] + n % extent[a];
      n /= extent[a];
    }
  }
};

// Sets `value` to the restricted value of unknown `unknown` in volume i of an operation's box. Returns false
// if the parts do not cover the volume.
template <int D>
MEANDER_TERM bool restricted_value(const PatchLayout& layout, const SlotShape<D>& shape,
                                   const DeviceAddresses& address, const FillOp& op, const FillPart* parts,
                                   int unknown, const int* i, double& value) {
  constexpr int whole = D == 3 ? 27 : 9;
  constexpr double weight = 1.0 / whole;
  int coarse[D];
  for (int a = 0; a < D; ++a) coarse[a] = i[a] + op.shift[a];
  // The fine volumes that count: the middle one, or all.
  const int begin = layout.point_values ? 1 : 0, end = layout.point_values ? 2 : 3;
  RestrictedShare all{0, 0, 0};
  for (int k = 0; k < op.parts && all.count < whole; ++k) {
    const FillPart& part = parts[k];
    bool has_any = true;
    int middle[3] = {0, 0, 0};
    for (int a = 0; a < D; ++a) {
      const int fine = 3 * coarse[a] - part.child[a] * layout.p;
      has_any = has_any && fine + end > 0 && fine + begin < layout.p;
      middle[a] = fine + 1;
    }
    if (!has_any) continue;
    const double* const from = global(address(part.from));
    const double* const values = from + unknown * shape.unknown_stride;
    const auto place = [&] {
      const ChildShare<D> share(layout, part.child, op.lower, op.extent, op.shift);
      return unknown * share.volumes() + share.number(i);
    };
    if (layout.point_values) {
      value = part.received ? from[place()] : values[shape.at(middle)];
      return true;
    }
    const FineRange<D> range(coarse, part.child, layout.p);
    double first, differences;
    if (part.received) {
      const int at = 2 * place();
      first = from[at];
      differences = from[at + 1];
    } else {
      range.sum(shape, values, first, differences);
    }
    all.add(first, differences, range.count());
  }
  value = all.first + all.sum * weight;
  return all.count == whole;
}

}  // namespace meander::solvers
