// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/halo_plan_builder.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "mesh/halo_reads.hpp"
#include "solvers/prolongation.hpp"

namespace meander::mesh {

template <int D>
HaloPlan<D>::Builder::Builder(HaloPlan& plan, const DistributedTree<D>& tree, const LocalView<D>& view,
                              const solvers::PatchLayout& layout, const HaloNeeds& needs)
    : plan_(plan),
      tree_(tree),
      domain_(tree.domain()),
      view_(view),
      layout_(layout),
      needs_(needs),
      two_phases_(layout.point_values),
      regions_(layout, needs.shape),
      reads_(tree, view, layout) {
  for (const auto& neighbour : view.ghosts().neighbours) peer(neighbour.rank);
}

template <int D>
std::size_t HaloPlan<D>::Builder::peer(int rank) {
  const auto [found, is_new] = peer_of_.try_emplace(rank, plan_.peers_.size());
  if (is_new) {
    plan_.peers_.push_back({rank, 0, 0});
    incoming_.emplace_back();
    outgoing_.emplace_back();
  }
  return found->second;
}

template <int D>
void HaloPlan<D>::Builder::build(const ThreadTeam& team) {
  plan_.border_.assign(view_.own(), 0);
  plan_.arrival_.assign(view_.own(), Arrival::local);
  corrected_.resize(view_.own());
  is_finer_.resize(view_.own());
  team.for_chunks(view_.own(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t leaf = begin; leaf < end; ++leaf) {
      // Flux correction changes the state after the update.
      corrected_[leaf] = needs_.conservative && view_.has_finer(leaf);
      is_finer_[leaf] = is_finer(static_cast<std::int32_t>(leaf));
    }
  });
  collect_coarse_reads();
  list_own(team);
  list_ghosts();
  list_parts_by_leaf();
  list_outgoing();
  request_coarse_reads();
  set_message_offsets();
  list_second_phase();
  list_border();
}

// Whether the halo of a leaf reads a coarser one.
template <int D>
bool HaloPlan<D>::Builder::is_finer(std::int32_t leaf) const {
  if (needs_.shape == solvers::HaloShape::faces) return view_.has_coarser(static_cast<std::size_t>(leaf));
  const auto cells = view_.neighbours().cells();
  const int level = cells[static_cast<std::size_t>(leaf)].level;
  return std::ranges::any_of(regions_.all(), [&](const auto& region) {
    const Neighbour neighbour = view_.neighbours().of(leaf, region.direction);
    return neighbour.is_leaf() && cells[static_cast<std::size_t>(neighbour.leaf())].level < level;
  });
}

template <int D>
auto HaloPlan<D>::Builder::new_lists() const -> Lists {
  Lists lists;
  lists.doubles.assign(plan_.peers_.size(), 0);
  return lists;
}

template <int D>
void HaloPlan<D>::Builder::list_own(const ThreadTeam& team) {
  std::vector<Lists> of_chunk(static_cast<std::size_t>(team.size()), new_lists());
  of_chunk[0].ops.swap(plan_.ops_);
  team.for_chunks(view_.own(), [&](int thread, std::size_t begin, std::size_t end) {
    Lists& to = of_chunk[static_cast<std::size_t>(thread)];
    // The others are appended to the first ones.
    to.ops.reserve((thread == 0 ? view_.own() : end - begin) * regions_.all().size());
    to.ends.reserve(3 * (end - begin));
    for (std::size_t leaf = begin; leaf < end; ++leaf) list_own(leaf, to);
  });
  plan_.begin_.reserve(3 * view_.own() + 1);
  plan_.begin_.push_back(0);
  for (Lists& lists : of_chunk) append(lists, plan_.begin_);
}

template <int D>
void HaloPlan<D>::Builder::append(Lists& lists, std::vector<std::size_t>& ends) {
  const std::size_t ops = plan_.ops_.size(), parts = plan_.parts_.size();
  if (ops + parts > 0) {
    for (HaloOp<D>& op : lists.ops) {
      if (op.kind == Kind::restrict_parts) op.source += static_cast<std::int32_t>(parts);
      if (op.kind == Kind::receive && op.source >= 0) op.offset += incoming_[peer_of(op.source)].doubles;
    }
    for (FineSource<D>& part : lists.parts) {
      if (part.leaf >= 0 && !view_.is_own(part.leaf)) part.offset += incoming_[peer_of(part.leaf)].doubles;
    }
  }
  for (Expected& expected : lists.expected) {
    expected.index += expected.is_part ? parts : ops;
    expected_.push_back(expected);
  }
  for (std::size_t i = 0; i < lists.doubles.size(); ++i) incoming_[i].doubles += lists.doubles[i];
  for (const std::size_t end : lists.ends) ends.push_back(ops + end);
  for (const std::size_t op : lists.restricting) restricting_.push_back(ops + op);
  const auto join = [](auto& to, auto& from) {
    if (to.empty())
      to.swap(from);
    else
      to.insert(to.end(), from.begin(), from.end());
  };
  join(plan_.ops_, lists.ops);
  join(plan_.parts_, lists.parts);
}

template <int D>
void HaloPlan<D>::Builder::list_own(std::size_t leaf, Lists& to) {
  const auto own = static_cast<std::int32_t>(leaf);
  to.late.clear();
  to.second.clear();
  const auto visit = [&](int, HaloOp<D>& op, std::vector<FineSource<D>>& sources) {
    if (op.kind == Kind::restrict_parts) {
      add_parts(leaf, op, sources, to);
      to.late.push_back(op);
    } else if (op.kind == Kind::prolong) {
      if (!two_phases_ && !view_.is_own(op.source)) plan_.arrival_[leaf] = Arrival::received;
      (two_phases_ ? to.second : to.late).push_back(op);
    } else if (!view_.is_own(op.source)) {
      plan_.arrival_[leaf] = Arrival::received;
      op.kind = Kind::receive;
      op.offset =
          to.take(peer_of(op.source), op.box().volumes() * static_cast<std::size_t>(layout_.unknowns));
      to.late.push_back(op);
    } else {
      const bool early = !corrected_[leaf] && !corrected_[static_cast<std::size_t>(op.source)];
      (early ? to.ops : to.late).push_back(op);
    }
  };
  if (fills(own)) visit_reads<D>(view_, own, regions_, to.sources, visit);
  to.end_group();
  add_coarse_reads(own, to);
  const std::size_t first_boundary = to.late.size();
  add_boundaries(own, to);
  if (!to.second.empty() && needs_.shape != solvers::HaloShape::faces)
    repeat_boundaries(own, first_boundary, to);
  to.append(to.late);
  to.end_group();
  to.append(to.second);
  to.end_group();
}

template <int D>
void HaloPlan<D>::Builder::list_ghosts() {
  for (const auto& [leaf, reads] : reads_of_) {
    if (!view_.is_own(leaf)) plan_.ghost_patches_.push_back(leaf);
  }
  std::ranges::sort(plan_.ghost_patches_);
  Lists lists = new_lists();
  for (const std::int32_t leaf : plan_.ghost_patches_) {
    lists.late.clear();
    add_coarse_reads(leaf, lists);
    add_boundaries(leaf, lists);
    lists.append(lists.late);
    lists.end_group();
  }
  plan_.ghost_begin_.push_back(plan_.ops_.size());
  append(lists, plan_.ghost_begin_);
}

template <int D>
void HaloPlan<D>::Builder::add_parts(std::size_t leaf, HaloOp<D>& op, std::vector<FineSource<D>>& sources,
                                     Lists& to) {
  op.source = static_cast<std::int32_t>(to.parts.size());
  op.parts = static_cast<std::int16_t>(sources.size());
  for (FineSource<D>& source : sources) {
    if (view_.is_own(source.leaf)) continue;
    plan_.arrival_[leaf] = Arrival::received;
    source.offset =
        to.take(peer_of(source.leaf), solvers::part_size<D>(layout_, source.position(), op.restriction()));
  }
  to.parts.insert(to.parts.end(), sources.begin(), sources.end());
}

template <int D>
void HaloPlan<D>::Builder::add_boundaries(std::int32_t leaf, Lists& to) {
  const Cell<D>& cell = view_.neighbours().cells()[static_cast<std::size_t>(leaf)];
  for (int a = 0; a < D; ++a) {
    if (domain_.periodic[a]) continue;
    for (int side = 0; side < 2; ++side) {
      if (cell.at[a] != (side == 0 ? 0 : domain_.cells(cell.level, a) - 1)) continue;
      const HaloOp<D> op = boundary_op(leaf, 2 * a + side);
      if (op.box().volumes() > 0) to.late.push_back(op);
    }
  }
}

// Adds to the second phase the parts of the boundary conditions, to.late[first] and the following, that read
// prolonged volumes: beyond edges of the domain, beside a coarser neighbour. Finer leaves, which may be filled
// at the same time, do not read these volumes (coarse_reads.hpp).
template <int D>
void HaloPlan<D>::Builder::repeat_boundaries(std::int32_t leaf, std::size_t first, Lists& to) {
  const auto cells = view_.neighbours().cells();
  const Cell<D>& cell = cells[static_cast<std::size_t>(leaf)];
  for (std::size_t i = first; i < to.late.size(); ++i) {
    HaloOp<D> part = to.late[i];
    for (int direction = 0; direction < children<D>; ++direction) {
      const Index<D> offset = offset_of<D>(direction);
      if (offset[static_cast<std::size_t>(part.face / 2)] != 2 * (part.face % 2) - 1) continue;
      Index<D> inside = offset;  // the direction of the volumes that the values follow from
      for (int a = 0; a < D; ++a) {
        const auto axis = static_cast<std::size_t>(a);
        const int beyond = offset[axis] < 0 ? 0 : domain_.cells(cell.level, a) - 1;
        if (!domain_.periodic[axis] && cell.at[axis] == beyond) inside[axis] = 0;
      }
      if (!reads<D>(needs_.shape, inside)) continue;
      const Neighbour neighbour = view_.neighbours().of(leaf, direction_of<D>(inside));
      if (!neighbour.is_leaf() || cells[static_cast<std::size_t>(neighbour.leaf())].level >= cell.level)
        continue;
      set_region<D>(part, needs_.shape, offset, layout_);
      to.second.push_back(part);
    }
  }
}

// The box of a boundary condition: for an own leaf with a filled halo, the extent of the halo shape; and for
// any leaf, the volumes that are read of its slot.
template <int D>
HaloOp<D> HaloPlan<D>::Builder::boundary_op(std::int32_t leaf, int face) const {
  const auto axis = static_cast<std::size_t>(face / 2);
  HaloOp<D> op;
  op.kind = Kind::boundary;
  op.face = static_cast<std::uint8_t>(face);
  Index<D> offset{}, lower{}, upper{};
  offset[axis] = 2 * (face % 2) - 1;
  set_region<D>(op, needs_.shape, offset, layout_);
  if (view_.is_own(leaf) && fills(leaf)) {
    // Also across edges: there the condition reads halo volumes that are filled already.
    const int beside = layers_across_edges(needs_.shape, layout_.h);
    lower.fill(-beside);
    upper.fill(layout_.p + beside);
  }
  if (const auto found = reads_of_.find(leaf); found != reads_of_.end()) {
    for (const std::size_t index : found->second) {
      const CoarseRead<D>& read = reads_.all()[index];
      if (read.rank != CoarseRead<D>::outside || offset_of<D>(read.direction)[axis] != offset[axis]) continue;
      const bool is_first = lower == upper;
      for (std::size_t a = 0; a < D; ++a) {
        lower[a] = is_first ? read.lower[a] : std::min(lower[a], read.lower[a]);
        upper[a] = is_first ? read.upper[a] : std::max(upper[a], read.upper[a]);
      }
    }
  }
  for (std::size_t a = 0; a < D; ++a) {
    if (a == axis) continue;
    op.lower[a] = static_cast<std::int16_t>(lower[a]);
    op.extent[a] = static_cast<std::int16_t>(upper[a] - lower[a]);
  }
  return op;
}

template <int D>
void HaloPlan<D>::Builder::list_parts_by_leaf() {
  auto& begin = plan_.job_begin_;
  begin.assign(view_.own() + 1, 0);
  for (const FineSource<D>& part : plan_.parts_) {
    if (view_.is_own(part.leaf)) ++begin[static_cast<std::size_t>(part.leaf) + 1];
  }
  for (std::size_t leaf = 0; leaf < view_.own(); ++leaf) begin[leaf + 1] += begin[leaf];
  plan_.jobs_.resize(begin.back());
  std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
  for (const std::size_t o : restricting_) {
    const HaloOp<D>& op = plan_.ops_[o];
    for (int k = 0; k < op.parts; ++k) {
      FineSource<D>& part = plan_.parts_[static_cast<std::size_t>(op.source + k)];
      if (!view_.is_own(part.leaf)) continue;
      part.offset = plan_.part_doubles_;
      plan_.part_doubles_ += solvers::part_size<D>(layout_, part.position(), op.restriction());
      plan_.jobs_[next[static_cast<std::size_t>(part.leaf)]++] = {static_cast<std::int32_t>(o),
                                                                  static_cast<std::int32_t>(op.source + k)};
    }
  }
}

// A leaf waits for messages if a coarse slot from which it prolongs does, or if its boundary conditions read
// received volumes.
template <int D>
void HaloPlan<D>::Builder::list_second_phase() {
  for (const bool waiting : {false, true}) {
    if (waiting) plan_.second_waiting_from_ = plan_.second_.size();
    for (std::size_t leaf = 0; leaf < view_.own(); ++leaf) {
      if (plan_.second(leaf).empty()) continue;
      const bool waits = std::ranges::any_of(plan_.second(leaf), [&](const HaloOp<D>& op) {
        if (op.kind == Kind::boundary) return plan_.arrival_[leaf] == Arrival::received;
        return !view_.is_own(op.source) ||
               plan_.arrival_[static_cast<std::size_t>(op.source)] == Arrival::received;
      });
      if (waits == waiting) plan_.second_.push_back(static_cast<std::int32_t>(leaf));
    }
  }
}

// The reads of coarse slots at resolution jumps in a HaloPlan: their collection, and the operations that fill
// the volumes that are read.

// Whether the read needs an operation: not if the slot holds the volumes anyway.
template <int D>
bool HaloPlan<D>::Builder::is_wanted(const CoarseRead<D>& read) const {
  if (!view_.is_own(read.coarse)) return true;
  if (read.direction == CoarseRead<D>::interior) return false;
  const Index<D> offset = offset_of<D>(read.direction);
  if (!fills(read.coarse) || !reads<D>(needs_.shape, offset)) return true;
  HaloOp<D> filled;
  set_region<D>(filled, needs_.shape, offset, layout_);
  for (std::size_t a = 0; a < D; ++a) {
    if (read.lower[a] < filled.lower[a] || read.upper[a] > filled.lower[a] + filled.extent[a]) return true;
  }
  return false;
}

template <int D>
void HaloPlan<D>::Builder::collect_coarse_reads() {
  std::map<int, Questions> questions;
  const auto visit = [&](int direction, const HaloOp<D>& op, const std::vector<FineSource<D>>&) {
    if (op.kind != Kind::prolong) return;
    const auto support = solvers::prolongation_support<D>(layout_, op.box(), op.shifts());
    if (two_phases_ && !view_.is_own(op.source)) {
      Questions& of_rank = questions[view_.rank(op.source)];
      of_rank.queries.push_back(
          {key_of<D>(view_.neighbours().cells()[static_cast<std::size_t>(op.source)]), support});
      of_rank.asked.push_back({op.source, direction});
    } else {
      for (const CoarseRead<D>& read : reads_.reads_of(op.source, support)) add_read(read, direction);
    }
  };
  for (std::size_t leaf = 0; leaf < view_.own(); ++leaf) {
    const auto fine = static_cast<std::int32_t>(leaf);
    if (fills(fine) && is_finer_[leaf] != 0) visit_reads<D>(view_, fine, regions_, sources_, visit);
  }
  if (two_phases_ && tree_.communicator().size() > 1) ask(questions);
  for (std::size_t i = 0; i < reads_.all().size(); ++i) reads_of_[reads_.all()[i].coarse].push_back(i);
}

// Queries the ranks of coarse leaves, which know all leaves that touch these.
template <int D>
void HaloPlan<D>::Builder::ask(const std::map<int, Questions>& questions) {
  std::vector<parallel::Parcel<Query>> queries;
  for (const auto& [rank, of_rank] : questions) queries.push_back({rank, of_rank.queries});
  std::vector<parallel::Parcel<Answer>> answers;
  for (const auto& parcel : parallel::exchange_sparsely(tree_.communicator(), queries)) {
    auto& answer = answers.emplace_back(parallel::Parcel<Answer>{parcel.rank, {}});
    for (std::size_t i = 0; i < parcel.items.size(); ++i) {
      const Query& query = parcel.items[i];
      for (const CoarseRead<D>& read : reads_.reads_of(own_leaf(query.coarse), query.box))
        answer.items.push_back({i, read});
    }
  }
  for (const auto& parcel : parallel::exchange_sparsely(tree_.communicator(), answers)) {
    const auto& asked = questions.at(parcel.rank).asked;
    for (const Answer& answer : parcel.items) {
      CoarseRead<D> read = answer.read;
      read.coarse = asked[answer.query].coarse;
      add_read(read, asked[answer.query].direction);
    }
  }
}

template <int D>
void HaloPlan<D>::Builder::add_read(const CoarseRead<D>& read, int direction) {
  if (is_wanted(read)) reads_.add(read, direction);
}

// Adds the operations that fill the volumes read of the slot of an own leaf or of a ghost to to.late, which follows
// to.ops.
template <int D>
void HaloPlan<D>::Builder::add_coarse_reads(std::int32_t leaf, Lists& to) {
  const auto found = reads_of_.find(leaf);
  if (found == reads_of_.end()) return;
  const int own_rank = tree_.communicator().rank();
  for (const std::size_t index : found->second) {
    const CoarseRead<D>& read = reads_.all()[index];
    if (read.rank == CoarseRead<D>::outside) continue;
    const bool received = read.rank != own_rank;
    HaloOp<D> op;
    op.set_box(read.box(), read.shift(layout_));
    op.source = received ? -1 : own_leaf(read.source);
    op.kind = received ? Kind::receive : Kind::copy;
    if (read.is_finer) {
      FineSource<D> part;
      part.leaf = op.source;
      for (std::size_t a = 0; a < D; ++a) part.child[a] = static_cast<std::int8_t>(read.child[a]);
      op.kind = Kind::restrict_parts;
      op.source = static_cast<std::int32_t>(to.parts.size());
      op.parts = 1;
      to.parts.push_back(part);
    }
    if (received) {
      if (view_.is_own(leaf)) plan_.arrival_[static_cast<std::size_t>(leaf)] = Arrival::received;
      to.expected.push_back(
          {index, read.is_finer ? to.parts.size() - 1 : to.ops.size() + to.late.size(), read.is_finer});
    }
    to.late.push_back(op);
  }
}

template <int D>
std::int32_t HaloPlan<D>::Builder::own_leaf(Key<D> key) const {
  const auto leaves = tree_.leaves();
  const auto found = std::lower_bound(leaves.begin(), leaves.end(), key);
  MEANDER_ASSERT(found != leaves.end() && *found == key);
  return static_cast<std::int32_t>(found - leaves.begin());
}

template class HaloPlan<2>::Builder;
template class HaloPlan<3>::Builder;

}  // namespace meander::mesh
