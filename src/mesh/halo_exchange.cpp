// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/halo_exchange.hpp"

#include <algorithm>

#include "base/trace.hpp"
#include "solvers/patch_copy.hpp"
#include "solvers/prolongation.hpp"
#include "solvers/restriction.hpp"

namespace meander::mesh {

template <int D>
HaloExchange<D>::HaloExchange(const solvers::Solver& solver, const solvers::PatchLayout& layout,
                              const BoundaryFill<D>& boundaries, gpu::Resource& memory,
                              std::pmr::memory_resource& message_memory)
    : solver_(solver),
      layout_(layout),
      boundaries_(boundaries),
      message_memory_(message_memory),
      ghost_pool_(memory, static_cast<std::size_t>(layout.slot_size())) {}

template <int D>
void HaloExchange<D>::plan(const DistributedTree<D>& tree, const LocalView<D>& view, const HaloNeeds& needs,
                           std::span<const solvers::PatchTask> patches, int tag, const char* name,
                           const ThreadTeam& team) {
  view_ = &view;
  plan_ = HaloPlan<D>(tree, view, layout_, needs, team, std::move(plan_));
  parts_.resize(plan_.part_doubles());
  patches_.assign(patches.begin(), patches.end());
  const auto ghosts = plan_.ghost_patches();
  while (ghost_pool_.held() > 0) ghost_pool_.release(static_cast<int>(ghost_pool_.held()) - 1);
  tree.communicator().agree([&] {
    messages_ = parallel::NeighbourMessages(tree.communicator(), tag, plan_.peers(), name, message_memory_);
    ghost_pool_.reserve(ghosts.size());
  });
  for (const std::int32_t ghost : ghosts)
    patches_[static_cast<std::size_t>(ghost)].q = ghost_pool_[ghost_pool_.acquire()];
  is_deferred_ = false;
  defers_.resize(view.own());
  team.for_chunks(view.own(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t leaf = begin; leaf < end; ++leaf) {
      defers_[leaf] = std::ranges::any_of(plan_.late(leaf), [this](const auto& op) {
        return is_deferrable(op) && op.kind != HaloOp<D>::Kind::boundary;
      });
    }
  });
  filled_.clear();
  summed_.clear();
  packed_.clear();
  for (std::size_t leaf = 0; leaf < view.own(); ++leaf) {
    if (!plan_.early(leaf).empty() || !plan_.late(leaf).empty()) filled_.push_back(leaf);
    if (!plan_.jobs(leaf).empty()) summed_.push_back(leaf);
    if (!plan_.outgoing_volumes(leaf).empty() || !plan_.outgoing_parts(leaf).empty()) packed_.push_back(leaf);
  }
}

template <int D>
void HaloExchange<D>::send(ThreadTeam& team) {
  is_deferred_ = false;
  expect_messages();
  team.for_chunks(packed_.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      pack(plan_.outgoing_volumes(packed_[i]), plan_.outgoing_parts(packed_[i]));
  });
  start_sends(team);
}

template <int D>
void HaloExchange<D>::fill_local(double t, ThreadTeam& team) {
  team.for_chunks(summed_.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) sum_parts(summed_[i]);
  });
  team.for_chunks(filled_.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) apply_first_phase(filled_[i], Arrival::local, t);
  });
  second_phase(Arrival::local, t, team);
}

template <int D>
void HaloExchange<D>::finish_fill(double t, ThreadTeam& team) {
  finish_receives(t, team);
  team.for_chunks(filled_.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (plan_.arrival(filled_[i]) == Arrival::received) apply_first_phase(filled_[i], Arrival::received, t);
    }
  });
  second_phase(Arrival::received, t, team);
}

// Fetching operations fill separate boxes, so their order is free. Boundary conditions read the halo of their
// leaf and follow them.
template <int D>
void HaloExchange<D>::apply_first_phase(std::size_t leaf, Arrival part, double t) {
  using Kind = typename HaloOp<D>::Kind;
  const auto part_of = [&](const HaloOp<D>& op) {
    bool is_received = false;
    switch (op.kind) {
      case Kind::copy:
        break;
      case Kind::receive:
        is_received = true;
        break;
      case Kind::prolong:
        is_received = !view_->is_own(op.source);
        break;
      case Kind::restrict_parts:
        is_received = std::ranges::any_of(
            plan_.parts(op), [&](const FineSource<D>& source) { return !view_->is_own(source.leaf); });
        break;
      case Kind::boundary:
        is_received = plan_.arrival(leaf) == Arrival::received;
        break;
    }
    return is_received ? Arrival::received : Arrival::local;
  };
  if (part == Arrival::local) {
    for (const HaloOp<D>& op : plan_.early(leaf)) apply(op, leaf, t);
  }
  for (const HaloOp<D>& op : plan_.late(leaf)) {
    if (part_of(op) == part) apply(op, leaf, t);
  }
}

template <int D>
void HaloExchange<D>::expect_messages() {
  expects_ = !is_deferred_;
  if (expects_) messages_.start_receives();
}

template <int D>
void HaloExchange<D>::begin_first_phase(bool deferred, double t) {
  is_deferred_ = deferred;
  deferred_t_ = t;
}

template <int D>
void HaloExchange<D>::finish_deferred(std::size_t leaf) {
  if (!is_deferred_ || defers_[leaf] == 0) return;
  for (const HaloOp<D>& op : plan_.late(leaf)) {
    if (is_deferrable(op)) apply(op, leaf, deferred_t_);
  }
}

template <int D>
void HaloExchange<D>::finish_deferred(ThreadTeam& team) {
  if (!is_deferred_) return;
  team.for_chunks(filled_.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) finish_deferred(filled_[i]);
  });
  is_deferred_ = false;
}

template <int D>
void HaloExchange<D>::sum_parts(std::size_t leaf) {
  for (const PartJob& job : plan_.jobs(leaf)) {
    const FineSource<D>& part = plan_.part(job);
    solvers::restrict_part<D>(layout_, patches_[leaf].q, part.position(), plan_.op(job).restriction(),
                              parts_.data() + part.offset);
  }
}

template <int D>
void HaloExchange<D>::start_sends(ThreadTeam& team) {
  const auto volumes = plan_.late_outgoing_volumes();
  team.for_chunks(volumes.size(), [&](int, std::size_t begin, std::size_t end) {
    pack(volumes.subspan(begin, end - begin), {});
  });
  const auto parts = plan_.late_outgoing_parts();
  team.for_chunks(parts.size(), [&](int, std::size_t begin, std::size_t end) {
    pack({}, parts.subspan(begin, end - begin));
  });
  if (!expects_) messages_.start_receives();
  messages_.start_sends();
}

template <int D>
void HaloExchange<D>::pack(std::span<const OutgoingVolumes<D>> volumes,
                           std::span<const OutgoingPart<D>> parts) {
  double* const buffer = messages_.send_buffer();
  for (const auto& item : volumes) {
    solvers::pack<D>(layout_, patches_[static_cast<std::size_t>(item.leaf)].q, item.box,
                     buffer + item.offset);
  }
  for (const auto& item : parts) {
    solvers::restrict_part<D>(layout_, patches_[static_cast<std::size_t>(item.leaf)].q, item.child,
                              item.restriction, buffer + item.offset);
  }
}

template <int D>
void HaloExchange<D>::finish_receives(double t, ThreadTeam& team) {
  {
    const trace::Scope scope("wait for halos");
    messages_.wait();
  }
  const auto ghosts = plan_.ghost_patches();
  team.for_chunks(ghosts.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (const HaloOp<D>& op : plan_.ghost(i)) apply(op, static_cast<std::size_t>(ghosts[i]), t);
    }
  });
}

template <int D>
void HaloExchange<D>::second_phase(Arrival arrival, double t, ThreadTeam& team) {
  const auto leaves = arrival == Arrival::local ? plan_.second_local() : plan_.second_waiting();
  team.for_chunks(leaves.size(), [&](int, std::size_t begin, std::size_t end) {
    const trace::Scope scope("prolong", static_cast<std::int64_t>(end - begin));
    for (std::size_t i = begin; i < end; ++i) {
      const auto leaf = static_cast<std::size_t>(leaves[i]);
      for (const HaloOp<D>& op : plan_.second(leaf)) apply(op, leaf, t);
    }
  });
}

template <int D>
void HaloExchange<D>::apply(const HaloOp<D>& op, std::size_t leaf, double t) {
  using Kind = typename HaloOp<D>::Kind;
  const solvers::PatchTask& patch = patches_[leaf];
  switch (op.kind) {
    case Kind::copy:
      solvers::copy<D>(layout_, patch.q, patches_[static_cast<std::size_t>(op.source)].q, op.box(),
                       op.shifts());
      break;
    case Kind::receive:
      solvers::unpack<D>(layout_, patch.q, op.box(), messages_.received(op.offset));
      break;
    case Kind::prolong:
      solvers::prolong<D>(solver_, layout_, patch.q, patches_[static_cast<std::size_t>(op.source)].q,
                          op.box(), op.shifts());
      break;
    case Kind::restrict_parts:
      combine(op, patch.q);
      break;
    case Kind::boundary:
      boundaries_.fill(patch, op.box(), op.face, t);
      break;
  }
}

template <int D>
void HaloExchange<D>::combine(const HaloOp<D>& op, double* slot) {
  solvers::RestrictedPart<D> parts[children<D>];
  std::size_t n = 0;
  for (const FineSource<D>& source : plan_.parts(op)) {
    const double* const part =
        view_->is_own(source.leaf) ? parts_.data() + source.offset : messages_.received(source.offset);
    parts[n++] = {part, source.position()};
  }
  solvers::combine_parts<D>(layout_, slot, {parts, n}, op.restriction());
}

template class HaloExchange<2>;
template class HaloExchange<3>;

}  // namespace meander::mesh
