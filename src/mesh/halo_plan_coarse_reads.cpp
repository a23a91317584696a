// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The reads of coarse slots at resolution jumps in a HaloPlan: their collection, and the operations that fill
// the volumes that are read.
#include <algorithm>

#include "base/assert.hpp"
#include "mesh/halo_plan_builder.hpp"
#include "mesh/halo_reads.hpp"
#include "solvers/prolongation.hpp"

namespace meander::mesh {

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

// Adds the operations that fill the volumes read of the slot of an own leaf or of a ghost. The first element
// of late_ becomes operation number first_op.
template <int D>
void HaloPlan<D>::Builder::add_coarse_reads(std::int32_t leaf, std::size_t first_op) {
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
      op.source = static_cast<std::int32_t>(plan_.parts_.size());
      op.parts = 1;
      plan_.parts_.push_back(part);
    }
    if (received) {
      if (view_.is_own(leaf)) plan_.arrival_[static_cast<std::size_t>(leaf)] = Arrival::received;
      expected_.push_back(
          {index, read.is_finer ? plan_.parts_.size() - 1 : first_op + late_.size(), read.is_finer});
    }
    late_.push_back(op);
  }
}

template <int D>
std::int32_t HaloPlan<D>::Builder::own_leaf(Key<D> key) const {
  const auto leaves = tree_.leaves();
  const auto found = std::lower_bound(leaves.begin(), leaves.end(), key);
  MEANDER_ASSERT(found != leaves.end() && *found == key);
  return static_cast<std::int32_t>(found - leaves.begin());
}

#define MEANDER_INSTANTIATE(D)                                                     \
  template void HaloPlan<D>::Builder::collect_coarse_reads();                      \
  template void HaloPlan<D>::Builder::add_coarse_reads(std::int32_t, std::size_t); \
  template std::int32_t HaloPlan<D>::Builder::own_leaf(Key<D>) const;
MEANDER_INSTANTIATE(2)
MEANDER_INSTANTIATE(3)
#undef MEANDER_INSTANTIATE

}  // namespace meander::mesh
