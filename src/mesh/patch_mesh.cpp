// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/patch_mesh.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/assert.hpp"
#include "solvers/patch_copy.hpp"
#include "solvers/prolongation.hpp"
#include "solvers/restriction.hpp"

namespace meander::mesh {
namespace {

solvers::PatchLayout layout_for(const solvers::Solver& solver, int patch_size) {
  const auto& traits = solver.traits();
  return {traits.dim, patch_size, traits.halo, traits.unknowns};
}

std::size_t slot_doubles(const solvers::PatchLayout& layout, const solvers::Traits& traits) {
  const auto stage = static_cast<std::size_t>((layout.volumes() * layout.unknowns + 7) / 8 * 8);
  return static_cast<std::size_t>(layout.slot_size()) + static_cast<std::size_t>(traits.stage_blocks) * stage;
}

// After coarsening, memory beyond this multiple of the held slots is given back.
constexpr double pool_slack = 1.1;

}  // namespace

template <int D>
PatchMesh<D>::PatchMesh(const Domain<D>& domain, int level, const solvers::Solver& solver, int patch_size,
                        const Boundaries<D>& boundaries, GivenBoundary given, gpu::Resource& memory)
    : solver_(solver),
      layout_(layout_for(solver, patch_size)),
      boundaries_(boundaries),
      given_(std::move(given)),
      tree_(Spacetree<D>::uniform(domain, level)),
      neighbours_(tree_),
      pool_(memory, slot_doubles(layout_, solver.traits())) {
  for (int a = 0; a < D; ++a) {
    reflection_[a].resize(static_cast<std::size_t>(layout_.unknowns));
    solver.reflection_signs(a, reflection_[a]);
  }
  pool_.reserve(tree_.size());
  slots_.resize(tree_.size());
  for (int& slot : slots_) slot = pool_.acquire();
  rebuild();
}

template <int D>
void PatchMesh<D>::rebuild() {
  neighbours_ = Neighbours<D>(tree_);
  plan_ = HaloPlan<D>(tree_, neighbours_, layout_, solver_.traits().halo_shape);
  levels_.resize(tree_.size());
  patches_.assign(tree_.size(), {});
  const auto all = cells();
  for (std::size_t leaf = 0; leaf < tree_.size(); ++leaf) {
    solvers::PatchTask& patch = patches_[leaf];
    patch.q = pool_[slots_[leaf]];
    if (solver_.traits().stage_blocks > 0) patch.stages = patch.q + layout_.slot_size();
    levels_[leaf] = all[leaf].level;
    patch.dx = tree_.domain().width(all[leaf].level) / layout_.p;
    const Point<D> lower = tree_.domain().lower_corner(all[leaf]);
    std::copy(lower.begin(), lower.end(), patch.lower);
  }
  if (solver_.traits().conservative) {
    flux_correction_ = FluxCorrection<D>(tree_, neighbours_, layout_);
    flux_correction_.attach(patches_);
  }
  parts_.resize(plan_.part_doubles());
}

template <int D>
void PatchMesh<D>::fill_halo(std::size_t leaf, double t) const {
  for (const HaloOp<D>& op : plan_.early(leaf)) apply(op, patches_[leaf], t);
  for (const HaloOp<D>& op : plan_.late(leaf)) apply(op, patches_[leaf], t);
}

template <int D>
void PatchMesh<D>::exchange_updated(std::size_t leaf, const Chunk& chunk) const {
  for (const HaloOp<D>& op : plan_.early(leaf)) {
    const auto other = static_cast<std::size_t>(op.source);
    if (other < chunk.begin || other > leaf) continue;
    apply(op, patches_[leaf], 0);
    if (other != leaf) apply(op.reversed(static_cast<std::int32_t>(leaf)), patches_[other], 0);
  }
  for (const PartJob& job : plan_.jobs(leaf)) {
    const FineSource<D>& part = plan_.part(job);
    solvers::restrict_part<D>(layout_, patches_[leaf].q, part.position(), plan_.op(job).restriction(),
                              parts_.data() + part.offset);
  }
}

template <int D>
void PatchMesh<D>::finish_halo(std::size_t leaf, const Chunk& chunk, double t) const {
  for (const HaloOp<D>& op : plan_.early(leaf)) {
    const auto other = static_cast<std::size_t>(op.source);
    if (other < chunk.begin || other >= chunk.end) apply(op, patches_[leaf], t);
  }
  for (const HaloOp<D>& op : plan_.late(leaf)) {
    if (op.kind != HaloOp<D>::Kind::restrict_parts) {
      apply(op, patches_[leaf], t);
      continue;
    }
    solvers::RestrictedPart<D> parts[children<D>];
    std::size_t n = 0;
    for (const FineSource<D>& source : plan_.parts(op)) {
      parts[n++] = {parts_.data() + source.offset, source.position()};
    }
    solvers::combine_parts<D>(layout_, patches_[leaf].q, {parts, n}, op.restriction());
  }
}

template <int D>
void PatchMesh<D>::apply(const HaloOp<D>& op, const solvers::PatchTask& patch, double t) const {
  using Kind = typename HaloOp<D>::Kind;
  switch (op.kind) {
    case Kind::copy:
      solvers::copy<D>(layout_, patch.q, patches_[static_cast<std::size_t>(op.source)].q, op.box(),
                       op.offset());
      break;
    case Kind::prolong:
      solvers::prolong<D>(solver_, layout_, patch.q, patches_[static_cast<std::size_t>(op.source)].q,
                          op.box(), op.offset());
      break;
    case Kind::restrict_parts: {
      solvers::FinePatch<D> parts[children<D>];
      std::size_t n = 0;
      for (const FineSource<D>& source : plan_.parts(op)) {
        parts[n++] = {patches_[static_cast<std::size_t>(source.leaf)].q, source.position()};
      }
      solvers::restrict_to<D>(layout_, patch.q, {parts, n}, op.restriction());
      break;
    }
    case Kind::boundary:
      apply_boundary(op, patch, t);
      break;
  }
}

template <int D>
void PatchMesh<D>::apply_boundary(const HaloOp<D>& op, const solvers::PatchTask& patch, double t) const {
  const int axis = op.face / 2, side = op.face % 2, p = layout_.p;
  const BoundaryKind kind = boundaries_[op.face];
  const solvers::Box<D> box = op.box();
  const bool mirror = kind == BoundaryKind::reflecting;
  // Where along the axis the value for a halo index comes from.
  const auto inside = [&](int i) {
    if (side == 0) return mirror ? -1 - i : 0;
    return mirror ? 2 * p - 1 - i : p - 1;
  };
  const int planes = D == 3 ? box.extent[D - 1] : 1;
  for (int row = 0; row < planes * box.extent[1]; ++row) {
    Index<D> i = box.lower;
    i[1] += row % box.extent[1];
    if (D == 3) i[D - 1] += row / box.extent[1];
    if (kind == BoundaryKind::given) {
      double state[64], x[3];
      for (int n = 0; n < box.extent[0]; ++n, ++i[0]) {
        for (int a = 0; a < D; ++a) x[a] = patch.lower[a] + (i[a] + 0.5) * patch.dx;
        given_(x, patch.dx, t, state);
        for (int u = 0; u < layout_.unknowns; ++u) patch.q[layout_.at(u, i)] = state[u];
      }
      continue;
    }
    for (int u = 0; u < layout_.unknowns; ++u) {
      const double sign = mirror ? reflection_[axis][static_cast<std::size_t>(u)] : 1.0;
      double* to = patch.q + layout_.at(u, i);
      if (axis == 0) {
        for (int n = 0; n < box.extent[0]; ++n) to[n] = sign * to[inside(i[0] + n) - i[0]];
      } else {
        const double* from = to + (inside(i[axis]) - i[axis]) * layout_.stride(axis);
        for (int n = 0; n < box.extent[0]; ++n) to[n] = sign * from[n];
      }
    }
  }
}

template <int D>
bool PatchMesh<D>::adapt(std::span<const Adapt> adapt, int min_level, int max_level, ThreadTeam& team) {
  Spacetree<D> next = tree_.adapted(adapt, min_level, max_level);
  if (std::ranges::equal(next.leaves(), tree_.leaves())) return false;
  move_state(next, team);
  tree_ = std::move(next);
  const std::vector<int> moved = pool_.shrink(pool_slack);
  if (!moved.empty()) {
    for (int& slot : slots_) slot = moved[static_cast<std::size_t>(slot)];
  }
  rebuild();
  return true;
}

// Coarsening comes first, so that its slots serve the refinement: the pool never holds more than the larger
// of both meshes. A family shares its memory with its parent, which is kept aside while it is overwritten.
template <int D>
void PatchMesh<D>::move_state(const Spacetree<D>& next, ThreadTeam& team) {
  const std::vector<Origin> origin = origins<D>(tree_, next);
  const auto slot_size = static_cast<std::size_t>(layout_.slot_size());
  const auto old_cells = cells();
  std::vector<int> slots(next.size(), -1);
  std::vector<std::size_t> coarsened, refined;  // refined: first child
  for (std::size_t leaf = 0; leaf < next.size(); ++leaf) {
    const Origin& from = origin[leaf];
    if (from.kind == Origin::Kind::same) slots[leaf] = slots_[static_cast<std::size_t>(from.old_leaf)];
    if (from.kind == Origin::Kind::coarsened) coarsened.push_back(leaf);
    if (from.kind == Origin::Kind::refined && (leaf == 0 || origin[leaf - 1].old_leaf != from.old_leaf)) {
      refined.push_back(leaf);
    }
  }

  team.for_chunks(coarsened.size(), [&](int, std::size_t begin, std::size_t end) {
    std::vector<double> parent(slot_size);
    for (std::size_t c = begin; c < end; ++c) {
      const Origin& from = origin[coarsened[c]];
      MEANDER_ASSERT(from.old_count == children<D>);
      solvers::FinePatch<D> parts[children<D>];
      for (int child = 0; child < children<D>; ++child) {
        const auto old = static_cast<std::size_t>(from.old_leaf + child);
        parts[child].fine = pool_[slots_[old]];
        for (int a = 0; a < D; ++a) parts[child].child[a] = old_cells[old].at[a] % 3;
      }
      solvers::Box<D> interior;
      interior.extent.fill(layout_.p);
      solvers::restrict_to<D>(layout_, parent.data(), {parts, children<D>}, {interior, {}});
      const int slot = slots_[static_cast<std::size_t>(from.old_leaf)];
      std::memcpy(pool_[slot], parent.data(), slot_size * sizeof(double));
      slots[coarsened[c]] = slot;
    }
  });
  for (const std::size_t leaf : coarsened) {
    for (int child = 1; child < children<D>; ++child) {
      pool_.release(slots_[static_cast<std::size_t>(origin[leaf].old_leaf + child)]);
    }
  }

  pool_.reserve(pool_.held() + refined.size() * (children<D> - 1));
  for (const std::size_t first : refined) {
    slots[first] = slots_[static_cast<std::size_t>(origin[first].old_leaf)];
    for (std::size_t child = 1; child < children<D>; ++child) slots[first + child] = pool_.acquire();
  }
  team.for_chunks(refined.size(), [&](int, std::size_t begin, std::size_t end) {
    std::vector<double> parent(slot_size);
    for (std::size_t r = begin; r < end; ++r) {
      const std::size_t first = refined[r];
      std::memcpy(parent.data(), pool_[slots[first]], slot_size * sizeof(double));
      for (std::size_t child = 0; child < children<D>; ++child) {
        const Cell<D> cell = cell_of<D>(next.leaves()[first + child]);
        solvers::Box<D> interior;
        interior.extent.fill(layout_.p);
        Index<D> offset{};
        for (int a = 0; a < D; ++a) offset[a] = cell.at[a] % 3 * layout_.p;
        solvers::prolong<D>(solver_, layout_, pool_[slots[first + child]], parent.data(), interior, offset);
      }
    }
  });
  slots_ = std::move(slots);
}

template class PatchMesh<2>;
template class PatchMesh<3>;

}  // namespace meander::mesh
