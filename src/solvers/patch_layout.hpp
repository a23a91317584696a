// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// PatchLayout: the layout of a patch in its slot. Unknown by unknown (SoA), each a box of (p + 2h)^d doubles
// including the halo, x fastest. Every unknown starts on a 64-byte boundary. Fields, which belong to the place of a
// patch and not to its state, follow as if they were more unknowns: field f is at(unknowns + f, ...). Then come the carried
// rows, which belong to the state but to no update: in interiors only. A slot ends with 8 spare doubles, so that a pack that
// starts inside the slot can be loaded whole. Trivially copyable; usable in device code.

#include <array>
#include <cstddef>

namespace meander::solvers {

inline constexpr int longest_row = 32;  // volumes along an axis of the largest patch

struct PatchLayout {
  int dim = 3;       // 2 or 3
  int p = 0;         // volumes along an axis, without halo
  int h = 0;         // halo width
  int unknowns = 0;  // N
  int fields = 0;    // F
  int carried = 0;
  bool point_values =
      false;  // from the solver's traits: unknowns are point values for restriction and prolongation

  constexpr PatchLayout() = default;
  constexpr PatchLayout(int dimensions, int patch_size, int halo, int unknown_count, int field_count = 0,
                        int carried_count = 0)
      : dim(dimensions),
        p(patch_size),
        h(halo),
        unknowns(unknown_count),
        fields(field_count),
        carried(carried_count) {}

  constexpr int edge() const { return p + 2 * h; }
  // Distance in doubles between neighbouring volumes along an axis.
  constexpr std::ptrdiff_t stride(int axis) const {
    std::ptrdiff_t s = 1;
    for (int a = 0; a < axis; ++a) s *= edge();
    return s;
  }
  constexpr std::ptrdiff_t unknown_stride() const { return (stride(dim) + 7) / 8 * 8; }
  // Size of a slot in doubles; a multiple of 8.
  constexpr std::ptrdiff_t slot_size() const { return (unknowns + fields + carried) * unknown_stride() + 8; }
  // What the state consists of, with its rows: the unknowns, then what is carried.
  constexpr int saved() const { return unknowns + carried; }
  constexpr int saved_row(int n) const { return n < unknowns ? n : n + fields; }
  // A layout whose unknowns are the carried rows, from at(unknowns + fields, ...) on.
  constexpr PatchLayout of_carried() const { return {dim, p, h, carried}; }
  constexpr std::ptrdiff_t carried_begin() const { return (unknowns + fields) * unknown_stride(); }
  // Offset of volume (i, j, k) of an unknown. Indices run from -h to p + h - 1 (k is ignored in 2D).
  constexpr std::ptrdiff_t at(int unknown, int i, int j, int k = 0) const {
    const std::ptrdiff_t e = edge();
    const std::ptrdiff_t plane = dim == 3 ? (k + h) * e : 0;
    return unknown * unknown_stride() + (plane + (j + h)) * e + (i + h);
  }
  template <std::size_t D>
  constexpr std::ptrdiff_t at(int unknown, const std::array<int, D>& i) const {
    return at(unknown, i[0], i[1], i[D - 1]);
  }
  // Number of volumes of the interior, p^d, and of one face, p^(d-1).
  constexpr std::ptrdiff_t volumes() const { return face_volumes() * p; }
  constexpr std::ptrdiff_t face_volumes() const { return dim == 3 ? std::ptrdiff_t{p} * p : p; }
  // Doubles in one stage block: the interior volumes of all unknowns, unknown by unknown; a multiple of 8.
  constexpr std::ptrdiff_t stage_block_size() const { return (volumes() * unknowns + 7) / 8 * 8; }
  // Doubles in the flux block of one face: [unknown][tangential index, lower axis fastest].
  constexpr std::ptrdiff_t face_flux_size() const { return unknowns * face_volumes(); }
};

}  // namespace meander::solvers
