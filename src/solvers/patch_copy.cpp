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

// Blocks of `planes` x `rows` rows of Width doubles. A width known to the compiler makes a row a few moves,
// where a memcpy of any length would cost a call.
template <int Width>
void copy_block(double* to, const double* from, int rows, int planes, Strides stride) {
  for (int plane = 0; plane < planes; ++plane) {
    double* t = to + plane * stride.plane;
    const double* f = from + plane * stride.plane;
    for (int row = 0; row < rows; ++row, t += stride.row, f += stride.row)
      std::memcpy(t, f, Width * sizeof(double));
  }
}

void copy_block(int width, double* to, const double* from, int rows, int planes, Strides stride) {
  using Copy = void (*)(double*, const double*, int, int, Strides);
  constexpr Copy of_width[] = {nullptr,       copy_block<1>, copy_block<2>, copy_block<3>, copy_block<4>,
                               copy_block<5>, copy_block<6>, copy_block<7>, copy_block<8>, copy_block<9>};
  if (width < static_cast<int>(std::size(of_width))) return of_width[width](to, from, rows, planes, stride);
  // Eights first, the rest (and what they cover already) once more.
  for (int x = 0; x + 8 <= width; x += 8) copy_block<8>(to + x, from + x, rows, planes, stride);
  copy_block<8>(to + width - 8, from + width - 8, rows, planes, stride);
}

}  // namespace

template <int D>
void copy(const PatchLayout& layout, double* destination, const double* source, const Box<D>& box,
          const Index<D>& shift) {
  Index<D> from = box.lower;
  for (int a = 0; a < D; ++a) from[a] += shift[a];
  const Strides stride{layout.stride(1), layout.stride(2)};
  for (int u = 0; u < layout.unknowns; ++u) {
    copy_block(box.extent[0], destination + layout.at(u, box.lower), source + layout.at(u, from),
               box.extent[1], D == 3 ? box.extent[D - 1] : 1, stride);
  }
}

template void copy<2>(const PatchLayout&, double*, const double*, const Box<2>&, const Index<2>&);
template void copy<3>(const PatchLayout&, double*, const double*, const Box<3>&, const Index<3>&);

}  // namespace meander::solvers
