// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Halos with local time steps: those of the leaves of one level and of all finer ones, which begin a step at
// the same time, while the next coarser level is within its step. What is prolonged from the coarser level is
// interpolated linearly in time between the beginning of its step and its end (before refluxing):
// q_old + theta (q_new - q_old). A mean of admissible states is admissible. Equal states are reproduced
// exactly.

#include <span>
#include <vector>

#include "mesh/halo_exchange.hpp"

namespace meander::mesh {

template <int D>
class LevelHalos {
 public:
  // For solvers of means. All outlive this; `patches`: of all leaves of the view, own ones with slots. Throws
  // gpu::OutOfMemory (several ranks: parallel::AgreedFailure). Collective.
  LevelHalos(const DistributedTree<D>& tree, const LocalView<D>& view, const solvers::Solver& solver,
             const solvers::PatchLayout& layout, const BoundaryFill<D>& boundaries, gpu::Resource& memory,
             std::span<const solvers::PatchTask> patches, int level);

  // Before the update of a leaf of the next coarser level: keeps what finer halos read. No effect on other
  // leaves. Calls for different leaves may run concurrently.
  void keep(std::int32_t leaf);

  // Fills the halos of the leaves of `level` and finer ones at time t, from interiors and boundary conditions.
  // theta: the fraction of the coarser level's step that has passed at t, for which keep() was called.
  // Collective among neighbours.
  void fill(double theta, double t, ThreadTeam& team) {
    start_fill(theta, t, team);
    finish_fill(t, team);
  }
  // fill() in two parts. In between the leaves that do not wait() may be updated; their halos are complete.
  void start_fill(double theta, double t, ThreadTeam& team);
  void finish_fill(double t, ThreadTeam& team);
  // Whether the halo of an own leaf needs messages of other ranks.
  bool waits(std::int32_t leaf) const {
    return exchange_.plan().arrival(static_cast<std::size_t>(leaf)) == Arrival::received;
  }
  parallel::NeighbourMessages& messages() { return exchange_.messages(); }

  // Whether finer halos read this leaf within its step, and keep() has an effect.
  bool reads(std::int32_t leaf) const {
    const Source* const source = find(leaf);
    return source != nullptr && source->box.volumes() > 0;
  }

  // For work on devices: the exchange, and the own coarse leaves that finer halos read, by leaf. Its plan reads the
  // interpolated state in place of their slots.
  struct Source {
    std::int32_t leaf;
    solvers::Box<D> box{};   // that is read
    std::size_t kept = 0;    // offset of its state at the beginning of the leaf's step, in a block of kept()
    double* slot = nullptr;  // of the interpolated state
  };
  HaloExchange<D>& exchange() { return exchange_; }
  std::span<const Source> sources() const { return sources_; }
  std::size_t kept() const { return kept_.size(); }

  std::size_t bytes() const {
    return interpolated_.capacity() * interpolated_.slot_doubles() * sizeof(double) +
           kept_.size() * sizeof(double) + exchange_.ghost_bytes() + exchange_.buffer_bytes();
  }

 private:
  const Source* find(std::int32_t leaf) const;
  void interpolate(const Source& source, double theta) const;

  solvers::PatchLayout layout_;
  std::span<const solvers::PatchTask> patches_;
  PatchPool interpolated_;
  HaloExchange<D> exchange_;
  std::vector<Source> sources_;  // by leaf
  std::vector<double> kept_;
};

}  // namespace meander::mesh
