// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The halo exchange of one rank as a flat plan: trivially copyable operations on leaves, grouped by the leaf
// whose halo they fill. Operations that fetch from other leaves read interiors only and come first; boundary
// conditions, which read their own leaf, come last, axis by axis. So all leaves can be filled at once.

#include <cstdint>
#include <span>
#include <vector>

#include "mesh/boundary.hpp"
#include "mesh/neighbours.hpp"
#include "solvers/restriction.hpp"
#include "solvers/solver.hpp"

namespace meander::mesh {

template <int D>
struct HaloOp {
  enum class Kind : std::uint8_t { copy, prolong, restrict_parts, boundary };
  Vec<std::int16_t, D> lower{}, extent{};  // the box of the destination
  Vec<std::int16_t, D> shift{};            // as solvers::copy, prolong (its offset) or restrict_to take it
  std::int32_t source = 0;                 // copy, prolong: leaf; restrict_parts: first entry of parts()
  std::int16_t parts = 0;                  // restrict_parts: how many
  Kind kind = Kind::copy;
  std::uint8_t face = 0;  // boundary: 2 * axis + side

  solvers::Box<D> box() const;
  Index<D> offset() const;
  solvers::Restriction<D> restriction() const { return {box(), offset()}; }
  // Of a copy: the one that takes the same layers of this leaf to the source's halo.
  HaloOp reversed(std::int32_t leaf) const;
};

// A fine leaf's part in a restrict_parts operation.
template <int D>
struct FineSource {
  std::int32_t leaf = 0;
  Vec<std::int8_t, D> child{};  // position in the refined cell
  std::size_t offset = 0;       // of its part in a block of part_doubles() doubles

  Index<D> position() const;
};

// The same, listed with the fine leaf.
struct PartJob {
  std::int32_t op = 0, part = 0;
};

template <int D>
class HaloPlan {
 public:
  HaloPlan() = default;
  HaloPlan(const Spacetree<D>& tree, const Neighbours<D>& neighbours, const solvers::PatchLayout& layout,
           solvers::HaloShape shape);

  // Copies that may be done once both leaves are updated; for each, the other leaf has the reverse one.
  std::span<const HaloOp<D>> early(std::size_t leaf) const {
    return range(begin_[2 * leaf], begin_[2 * leaf + 1]);
  }
  // All others, in the order to be done; after the flux correction.
  std::span<const HaloOp<D>> late(std::size_t leaf) const {
    return range(begin_[2 * leaf + 1], begin_[2 * leaf + 2]);
  }
  std::span<const FineSource<D>> parts(const HaloOp<D>& op) const {
    return {parts_.data() + op.source, static_cast<std::size_t>(op.parts)};
  }
  // The parts that a fine leaf contributes to coarser halos; they can be summed up once it is updated.
  std::span<const PartJob> jobs(std::size_t leaf) const {
    return {jobs_.data() + job_begin_[leaf], job_begin_[leaf + 1] - job_begin_[leaf]};
  }
  const HaloOp<D>& op(const PartJob& job) const { return ops_[static_cast<std::size_t>(job.op)]; }
  const FineSource<D>& part(const PartJob& job) const { return parts_[static_cast<std::size_t>(job.part)]; }
  std::size_t part_doubles() const { return part_doubles_; }

 private:
  void list_parts_by_leaf(std::size_t leaves, const solvers::PatchLayout& layout);
  std::span<const HaloOp<D>> range(std::size_t begin, std::size_t end) const {
    return {ops_.data() + begin, end - begin};
  }

  std::vector<HaloOp<D>> ops_;
  std::vector<FineSource<D>> parts_;
  std::vector<PartJob> jobs_;
  std::vector<std::size_t> job_begin_;
  std::size_t part_doubles_ = 0;
  std::vector<std::size_t> begin_;  // of the early and of the late operations of each leaf, alternately
};

}  // namespace meander::mesh
