// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Traversal of the domain's base cells in curve order: every walk through a tree begins here.

#include "mesh/domain.hpp"
#include "mesh/peano_tables.hpp"

namespace meander::mesh {

template <int D>
struct BaseCell {
  Key<D> key;
  Cursor<D> cursor;
};

namespace detail {
// Returns false if `visit` has returned false.
template <int D, class Visit>
bool visit_base_cells(const Domain<D>& domain, const BaseCell<D>& cell, const Visit& visit) {
  const int level = cell.key.level();
  if (level == domain.base_level) return visit(cell);
  const int scale = ipow(3, domain.base_level - level - 1);
  for (int digit = 0; digit < children<D>; ++digit) {
    const int position = cell.cursor.position(digit);
    const BaseCell<D> child{cell.key.child(digit), cell.cursor.child_at(position)};
    bool inside = true;
    for (int a = 0; a < D; ++a)
      inside = inside && Packed<D>::axis(child.cursor.at, a) * scale < domain.base_cells[a];
    if (inside && !visit_base_cells(domain, child, visit)) return false;
  }
  return true;
}
}  // namespace detail

// Calls visit(BaseCell) for the base cells in curve order until it returns false. Returns true if all were
// visited.
template <int D, class Visit>
bool visit_base_cells(const Domain<D>& domain, const Visit& visit) {
  return detail::visit_base_cells(domain, BaseCell<D>{}, visit);
}

}  // namespace meander::mesh
