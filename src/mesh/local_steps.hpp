// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The parts of a patch mesh that local time steps need in addition, by level: halos, what they read of
// coarser levels in time, and flux registers (means) or shadows (point values). They hold nothing that
// outlives a step of the coarsest level.

#include <functional>
#include <map>
#include <memory>
#include <memory_resource>
#include <span>
#include <utility>
#include <vector>

#include "mesh/coarse_in_time.hpp"
#include "mesh/flux_correction.hpp"
#include "mesh/halo_exchange.hpp"

namespace meander::mesh {

// Halos with local time steps: those of the levels from a first to a last one, which stand at the same time.
// The next coarser level has been updated by a step that contains this time; what is read of it are states
// within that step (coarse_in_time.hpp).
template <int D>
class LevelExchange {
 public:
  struct Member {
    std::int32_t patch = 0;         // own leaf of the tree
    std::int32_t leaf_of_mesh = 0;  // -1: a shadow
    int level = 0;
  };

  // Of levels first to last; `tree`: the mesh cut at `last`, or the mesh; `coarser`: of level first - 1, or
  // null if first is the coarsest. All outlive this, `tree` what it refers to. Throws gpu::OutOfMemory
  // (several ranks: parallel::AgreedFailure). Collective.
  LevelExchange(const TreePatches<D>& tree, int first, const CoarseInTime<D>* coarser,
                const solvers::Solver& solver, const solvers::PatchLayout& layout,
                const BoundaryFill<D>& boundaries, gpu::Resource& memory,
                std::pmr::memory_resource& message_memory);

  // Own leaves and shadows, in curve order.
  std::span<const Member> members() const { return members_; }
  std::int64_t shadows() const { return shadows_; }  // of all ranks
  const solvers::PatchTask& patch(const Member& member) const {
    return tree_.patches[static_cast<std::size_t>(member.patch)];
  }

  // The halos of all members for time t are filled in three parts, after CoarseInTime::evaluate() for that
  // time. The first reads the coarser states and the members that other ranks read: others may be updated
  // until the second, which does what needs no messages. In between the second and the third, members that do
  // not wait may be updated; their halos are complete. The third waits for the messages. Collective among
  // neighbours.
  void send(ThreadTeam& team) { exchange_.send(team); }
  void fill_local(double t, ThreadTeam& team) { exchange_.fill_local(t, team); }
  void finish_fill(double t, ThreadTeam& team) { exchange_.finish_fill(t, team); }
  // By own leaf of the tree: whether other ranks read it; whether the halo of a member needs messages, or a
  // halo that does is filled from the member.
  bool is_border(std::int32_t patch) const {
    return exchange_.plan().is_border(static_cast<std::size_t>(patch));
  }
  bool waits(std::int32_t patch) const { return waits_[static_cast<std::size_t>(patch)] != 0; }
  parallel::NeighbourMessages& messages() { return exchange_.messages(); }

  // For work on devices.
  HaloExchange<D>& exchange() { return exchange_; }
  const HaloExchange<D>& exchange() const { return exchange_; }

  std::size_t bytes() const { return exchange_.ghost_bytes() + exchange_.buffer_bytes(); }

 private:
  // Whether the plan reads leaves of coarser levels only where `coarser` has their states.
  bool reads_in_time(const solvers::PatchLayout& layout, int first, const CoarseInTime<D>* coarser) const;

  TreePatches<D> tree_;
  std::vector<Member> members_;
  std::int64_t shadows_ = 0;
  HaloExchange<D> exchange_;
  std::vector<char> waits_;  // by own leaf of the tree
};

template <int D>
class LocalSteps {
 public:
  // For conservative solvers of means, or solvers of point values with dense output; all outlive this.
  // patches: of all leaves of the view, own ones with slots. residence: of the own ones. Throws
  // gpu::OutOfMemory (several ranks: parallel::AgreedFailure). Collective.
  LocalSteps(const DistributedTree<D>& tree, const LocalView<D>& view, const solvers::Solver& solver,
             const solvers::PatchLayout& layout, const BoundaryFill<D>& boundaries, gpu::Resource& memory,
             std::pmr::memory_resource& message_memory, std::span<const solvers::PatchTask> patches,
             Residence residence);

  // The coarsest and finest level with leaves on any rank.
  int coarsest() const { return coarsest_; }
  int finest() const { return finest_; }

  // Own patches, whose faces between levels record fluxes for fluxes().
  std::span<const solvers::PatchTask> patches() const { return patches_; }
  // Leaves of a level < finest() within its step.
  CoarseInTime<D>& coarse(int level) { return *coarse_[index(level)]; }

  // Halos of levels first to last, made at the first call. Means: last = finest(), of levels > coarsest()
  // made at construction. Throws gpu::OutOfMemory (several ranks: parallel::AgreedFailure). Collective.
  LevelExchange<D>& exchange(int first, int last);
  LevelExchange<D>& exchange(int first) { return exchange(first, finest_); }
  // Makes those of a step in which the finest levels, `subcycled` in number, take steps of their own.
  void make_exchanges(int subcycled);

  // Means: between the leaves of a level < finest() and the next finer ones.
  FluxCorrection<D>& fluxes(int coarse_level) { return fluxes_[index(coarse_level)]; }

  // Point values, before the step of levels >= level, which stand at one time: sets the shadows of these
  // levels and the refined cells around them to the state of the finest leaves. wait(): called while the
  // messages of a level are under way, if it is not empty; may update leaves of coarser levels. Collective
  // among neighbours.
  using Wait = std::function<void(parallel::NeighbourMessages& messages)>;
  void restrict_from(int level, ThreadTeam& team, const Wait& wait);

  // For work on devices: point values: the trees cut at levels < finest(); the mesh cut at a level, or the
  // mesh; all exchanges made so far.
  CutTree<D>& cut(int level) { return *cuts_[index(level)]; }
  TreePatches<D> tree(int last) const { return last == finest_ ? mesh_ : cuts_[index(last)]->patches(); }
  const std::map<std::pair<int, int>, std::unique_ptr<LevelExchange<D>>>& exchanges() const {
    return exchanges_;
  }

  std::size_t bytes() const;

 private:
  std::size_t index(int level) const { return static_cast<std::size_t>(level - coarsest_); }

  const solvers::Solver& solver_;
  solvers::PatchLayout layout_;
  const BoundaryFill<D>& boundaries_;
  gpu::Resource& memory_;
  std::pmr::memory_resource& message_memory_;
  int coarsest_ = 0, finest_ = 0;
  std::vector<solvers::PatchTask> patches_;  // of all leaves of the view
  std::vector<std::int32_t> leaf_of_mesh_;   // 0, 1, 2, ...
  TreePatches<D> mesh_;
  std::vector<std::unique_ptr<CoarseInTime<D>>> coarse_;  // by level, as fluxes and cuts
  std::vector<FluxCorrection<D>> fluxes_;
  std::vector<std::unique_ptr<CutTree<D>>> cuts_;
  std::map<std::pair<int, int>, std::unique_ptr<LevelExchange<D>>> exchanges_;
};

}  // namespace meander::mesh
