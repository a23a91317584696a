// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/patch_copy.hpp"

#include <cstring>
#include <iterator>

namespace meander::solvers {
namespace {

struct Strides {
  std::ptrdiff_t row, plane;
};

// Copies blocks of `planes` x `rows` rows of Width doubles. A width known at compile time makes a row a few
// moves, where a memcpy of variable length would be a call.
template <int Width>
void copy_block(double* to, Strides to_stride, const double* from, Strides from_stride, int rows,
                int planes) {
  for (int plane = 0; plane < planes; ++plane) {
    double* t = to + plane * to_stride.plane;
    const double* f = from + plane * from_stride.plane;
    for (int row = 0; row < rows; ++row, t += to_stride.row, f += from_stride.row)
      std::memcpy(t, f, Width * sizeof(double));
  }
}

template <int D>
void copy_block(const Index<D>& extent, double* to, Strides to_stride, const double* from,
                Strides from_stride) {
  using Copy = void (*)(double*, Strides, const double*, Strides, int, int);
  constexpr Copy of_width[] = {nullptr,       copy_block<1>, copy_block<2>, copy_block<3>, copy_block<4>,
                               copy_block<5>, copy_block<6>, copy_block<7>, copy_block<8>, copy_block<9>};
  const int width = extent[0], rows = extent[1], planes = D == 3 ? extent[D - 1] : 1;
  if (width < static_cast<int>(std::size(of_width))) {
    return of_width[width](to, to_stride, from, from_stride, rows, planes);
  }
  for (int plane = 0; plane < planes; ++plane) {
    double* t = to + plane * to_stride.plane;
    const double* f = from + plane * from_stride.plane;
    for (int row = 0; row < rows; ++row, t += to_stride.row, f += from_stride.row) {
      // Groups of eight first, then the rest, with some overlap.
      for (int x = 0; x + 8 <= width; x += 8) std::memcpy(t + x, f + x, 8 * sizeof(double));
      std::memcpy(t + width - 8, f + width - 8, 8 * sizeof(double));
    }
  }
}

}  // namespace

template <int D>
void copy(const PatchLayout& layout, double* destination, const double* source, const Box<D>& box,
          const Index<D>& shift) {
  Index<D> from = box.lower;
  for (int a = 0; a < D; ++a) from[a] += shift[a];
  const Strides stride{layout.stride(1), layout.stride(2)};
  for (int u = 0; u < layout.unknowns; ++u) {
    copy_block<D>(box.extent, destination + layout.at(u, box.lower), stride, source + layout.at(u, from),
                  stride);
  }
}

template <int D>
void pack(const PatchLayout& layout, const double* patch, const Box<D>& box, double* packed) {
  const Strides stride{layout.stride(1), layout.stride(2)},
      dense{box.extent[0], box.extent[0] * box.extent[1]};
  for (int u = 0; u < layout.unknowns; ++u, packed += box.volumes()) {
    copy_block<D>(box.extent, packed, dense, patch + layout.at(u, box.lower), stride);
  }
}

template <int D>
void unpack(const PatchLayout& layout, double* patch, const Box<D>& box, const double* packed) {
  const Strides stride{layout.stride(1), layout.stride(2)},
      dense{box.extent[0], box.extent[0] * box.extent[1]};
  for (int u = 0; u < layout.unknowns; ++u, packed += box.volumes()) {
    copy_block<D>(box.extent, patch + layout.at(u, box.lower), stride, packed, dense);
  }
}

template void copy<2>(const PatchLayout&, double*, const double*, const Box<2>&, const Index<2>&);
template void copy<3>(const PatchLayout&, double*, const double*, const Box<3>&, const Index<3>&);
template void pack<2>(const PatchLayout&, const double*, const Box<2>&, double*);
template void pack<3>(const PatchLayout&, const double*, const Box<3>&, double*);
template void unpack<2>(const PatchLayout&, double*, const Box<2>&, const double*);
template void unpack<3>(const PatchLayout&, double*, const Box<3>&, const double*);

}  // namespace meander::solvers
