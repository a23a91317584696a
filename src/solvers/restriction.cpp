// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/restriction.hpp"

#include <algorithm>
#include <vector>

namespace meander::solvers {
namespace {

// The fine indices, in the child's own numbering, that coarse index `coarse` covers along one axis: three, or
// fewer at the child's border.
struct Third {
  int begin, end;
};
Third third_of(const PatchLayout& layout, int coarse, int shift, int child) {
  const int origin = 3 * (coarse + shift) - child * layout.p;
  return {std::max(origin, 0), std::min(origin + 3, layout.p)};
}

// The rows of fine volumes, up to 3^(D-1), that a row of coarse volumes covers in one fine patch.
template <int D>
struct FineRows {
  std::ptrdiff_t row[ipow(3, D - 1)];  // offsets of their first volumes, for the first unknown
  int count = 0;
  double excess[longest_row];  // at each x: sum over rows of their difference to the first row

  // Along x first, which vectorises well. Exactly zero where the rows are equal.
  void sum_rows(const double* fine, int begin, int end) {
    if (count == ipow(3, D - 1)) return sum_all_rows(fine, begin, end);
    std::fill(excess + begin, excess + end, 0.0);
    for (int r = 1; r < count; ++r) {
      for (int x = begin; x < end; ++x) excess[x] += fine[row[r] + x] - fine[row[0] + x];
    }
  }
  // The same operations with all sums of a column in a register.
  void sum_all_rows(const double* fine, int begin, int end) {
    const double* __restrict__ first = fine + row[0];
    double* __restrict__ sums = excess;  // nothing else, which lets the loop be vectorised
    const double* rows[ipow(3, D - 1)];
    for (int r = 1; r < ipow(3, D - 1); ++r) rows[r] = fine + row[r];
    for (int x = begin; x < end; ++x) {
      double sum = 0;
      for (int r = 1; r < ipow(3, D - 1); ++r) sum += rows[r][x] - first[x];
      sums[x] = sum;
    }
  }
  // Sum of the differences to q0 over columns begin .. end - 1.
  double differences(const double* fine, int begin, int end, double q0) const {
    double sum = 0;
    for (int x = begin; x < end; ++x) sum += excess[x] + count * (fine[row[0] + x] - q0);
    return sum;
  }
};

// Point values: a part holds one number a volume, the middle fine value.
template <int D>
void pick_middles(const PatchLayout& layout, const double* fine, const Index<D>& child,
                  const Restriction<D>& restriction, const Box<D>& share, double* part) {
  for (int u = 0; u < layout.unknowns; ++u) {
    for_rows<D>(share, [&](const Index<D>& c) {
      Index<D> f;
      for (std::size_t a = 0; a < D; ++a) f[a] = 3 * (c[a] + restriction.shift[a]) + 1 - child[a] * layout.p;
      const double* from = fine + layout.at(u, f);
      for (int x = 0; x < share.extent[0]; ++x) part[x] = from[3 * x];
      part += share.extent[0];
    });
  }
}

template <int D>
void place_middles(const PatchLayout& layout, double* coarse, const Box<D>& share, const double* part) {
  for (int u = 0; u < layout.unknowns; ++u) {
    for_rows<D>(share, [&](const Index<D>& c) {
      std::copy_n(part, share.extent[0], coarse + layout.at(u, c));
      part += share.extent[0];
    });
  }
}

template <int D>
FineRows<D> fine_rows(const PatchLayout& layout, const Index<D>& child, const Index<D>& coarse,
                      const Index<D>& shift) {
  Box<D> box;
  box.extent.fill(1);
  for (int a = 1; a < D; ++a) {
    const Third third = third_of(layout, coarse[a], shift[a], child[a]);
    box.lower[a] = third.begin;
    box.extent[a] = third.end - third.begin;
  }
  FineRows<D> rows;
  for_rows<D>(box, [&](const Index<D>& f) { rows.row[rows.count++] = layout.at(0, f); });
  return rows;
}

}  // namespace

template <int D>
Box<D> share_of(const PatchLayout& layout, const Index<D>& child, const Restriction<D>& restriction) {
  const auto& [box, shift] = restriction;
  Box<D> share;
  for (int a = 0; a < D; ++a) {
    // Point values: the coarse volumes whose middle fine volume, number 3 c + 1, belongs to the child.
    const int first =
        layout.point_values ? ceil_third(child[a] * layout.p - 1) : floor_third(child[a] * layout.p);
    const int share_end = ceil_third((child[a] + 1) * layout.p - (layout.point_values ? 1 : 0));
    const int begin = std::max(first - shift[a], box.lower[a]);
    const int end = std::min(share_end - shift[a], box.lower[a] + box.extent[a]);
    share.lower[a] = begin;
    share.extent[a] = std::max(0, end - begin);
  }
  return share;
}

template <int D>
std::size_t part_size(const PatchLayout& layout, const Index<D>& child, const Restriction<D>& restriction) {
  const std::size_t figures = layout.point_values ? 1 : 2;
  return figures * static_cast<std::size_t>(layout.unknowns) *
         share_of<D>(layout, child, restriction).volumes();
}

template <int D>
void restrict_part(const PatchLayout& layout, const double* fine, const Index<D>& child,
                   const Restriction<D>& restriction, double* part) {
  const Box<D> share = share_of<D>(layout, child, restriction);
  if (share.volumes() == 0) return;
  if (layout.point_values) return pick_middles<D>(layout, fine, child, restriction, share, part);
  const int width = share.extent[0];
  Third thirds[longest_row];
  for (int x = 0; x < width; ++x)
    thirds[x] = third_of(layout, share.lower[0] + x, restriction.shift[0], child[0]);
  const std::ptrdiff_t of_unknown = 2 * static_cast<std::ptrdiff_t>(share.volumes());
  for_rows<D>(share, [&](const Index<D>& c) {
    FineRows<D> rows = fine_rows<D>(layout, child, c, restriction.shift);
    const double* from = fine;
    double* to = part;
    for (int u = 0; u < layout.unknowns; ++u, from += layout.unknown_stride(), to += of_unknown) {
      rows.sum_rows(from, thirds[0].begin, thirds[width - 1].end);
      for (int x = 0; x < width; ++x) {
        const auto [begin, end] = thirds[x];
        const double q0 = from[rows.row[0] + begin];
        to[2 * x] = q0;
        to[2 * x + 1] = end - begin == 3 ? rows.differences(from, begin, begin + 3, q0)
                                         : rows.differences(from, begin, end, q0);
      }
    }
    part += 2 * width;
  });
}

template <int D>
void combine_parts(const PatchLayout& layout, double* coarse, std::span<const RestrictedPart<D>> parts,
                   const Restriction<D>& restriction) {
  if (layout.point_values) {
    for (const RestrictedPart<D>& part : parts) {
      const Box<D> share = share_of<D>(layout, part.child, restriction);
      if (share.volumes() > 0) place_middles<D>(layout, coarse, share, part.part);
    }
    return;
  }
  // For coarse volumes with several contributing children: first value, sum of differences to it, and their
  // number.
  struct Shared {
    double first, sum;
    int count;
  };
  thread_local std::vector<Shared> all_shared;
  const Box<D>& box = restriction.box;
  const std::size_t volumes = box.volumes();
  // Volumes lie across leaves only if the leaves' size is not a multiple of 3.
  if (layout.p % 3 != 0) {
    const std::size_t size = volumes * static_cast<std::size_t>(layout.unknowns);
    all_shared.resize(std::max(all_shared.size(), size));
    std::fill_n(all_shared.data(), size, Shared{0, 0, 0});
  }
  Shared* const shared = all_shared.data();
  constexpr int whole = ipow(3, D);
  const double weight = 1.0 / whole;

  for (const RestrictedPart<D>& part : parts) {
    const Box<D> share = share_of<D>(layout, part.child, restriction);
    if (share.volumes() == 0) continue;
    const int width = share.extent[0];
    const std::ptrdiff_t of_unknown = 2 * static_cast<std::ptrdiff_t>(share.volumes());
    const double* of_row = part.part;
    for_rows<D>(share, [&](const Index<D>& c) {
      int rows = 1;
      std::size_t place = 0;
      for (int a = D - 1; a >= 0; --a) {
        place =
            place * static_cast<std::size_t>(box.extent[a]) + static_cast<std::size_t>(c[a] - box.lower[a]);
        if (a == 0) continue;
        const Third third = third_of(layout, c[a], restriction.shift[a], part.child[a]);
        rows *= third.end - third.begin;
      }
      int count[longest_row];
      bool all_whole = true;
      for (int x = 0; x < width; ++x) {
        const Third third = third_of(layout, c[0] + x, restriction.shift[0], part.child[0]);
        count[x] = rows * (third.end - third.begin);
        all_whole = all_whole && count[x] == whole;
      }
      double* to = coarse + layout.at(0, c);
      const double* figures = of_row;
      of_row += 2 * width;
      if (all_whole) {
        for (int u = 0; u < layout.unknowns; ++u, to += layout.unknown_stride(), figures += of_unknown) {
          for (int x = 0; x < width; ++x) to[x] = figures[2 * x] + figures[2 * x + 1] * weight;
        }
        return;
      }
      Shared* row = shared + place;
      for (int u = 0; u < layout.unknowns;
           ++u, to += layout.unknown_stride(), figures += of_unknown, row += volumes) {
        for (int x = 0; x < width; ++x) {
          const double first = figures[2 * x], sum = figures[2 * x + 1];
          if (count[x] == whole) {
            to[x] = first + sum * weight;
            continue;
          }
          Shared& volume = row[x];
          if (volume.count == 0) {
            volume = {first, sum, count[x]};
          } else {
            volume.sum += sum + count[x] * (first - volume.first);
            volume.count += count[x];
          }
          if (volume.count == whole) to[x] = volume.first + volume.sum * weight;
        }
      }
    });
  }
}

template <int D>
void restrict_to(const PatchLayout& layout, double* coarse, std::span<const FinePatch<D>> patches,
                 const Restriction<D>& restriction) {
  thread_local std::vector<double> figures;
  RestrictedPart<D> parts[ipow(3, D)];
  std::size_t size = 0;
  for (const auto& patch : patches) size += part_size<D>(layout, patch.child, restriction);
  figures.resize(std::max(figures.size(), size));
  double* part = figures.data();
  for (std::size_t k = 0; k < patches.size(); ++k) {
    restrict_part<D>(layout, patches[k].fine, patches[k].child, restriction, part);
    parts[k] = {part, patches[k].child};
    part += part_size<D>(layout, patches[k].child, restriction);
  }
  combine_parts<D>(layout, coarse, {parts, patches.size()}, restriction);
}

#define MEANDER_INSTANTIATE(D)                                                                              \
  template Box<D> share_of<D>(const PatchLayout&, const Index<D>&, const Restriction<D>&);                  \
  template std::size_t part_size<D>(const PatchLayout&, const Index<D>&, const Restriction<D>&);            \
  template void restrict_part<D>(const PatchLayout&, const double*, const Index<D>&, const Restriction<D>&, \
                                 double*);                                                                  \
  template void combine_parts<D>(const PatchLayout&, double*, std::span<const RestrictedPart<D>>,           \
                                 const Restriction<D>&);                                                    \
  template void restrict_to<D>(const PatchLayout&, double*, std::span<const FinePatch<D>>,                  \
                               const Restriction<D>&);
MEANDER_INSTANTIATE(2)
MEANDER_INSTANTIATE(3)
#undef MEANDER_INSTANTIATE

}  // namespace meander::solvers
