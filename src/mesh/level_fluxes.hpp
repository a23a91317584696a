// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Refluxing with local time steps (Berger & Colella 1989, section 4), between the leaves of one level and the
// next finer ones, which take several steps in one of the coarse level. A fine face adds up its fluxes over
// these steps: for each coarse volume face, the first flux f_0 of its first step and the sum of differences
// to it. The coarse flux is replaced by f_0 + sum / (steps * 3^(D-1)), so equal fluxes are reproduced exactly
// and no bit depends on rank or thread.

#include <cstdint>
#include <span>
#include <vector>

#include "base/thread_team.hpp"
#include "mesh/flux_correction.hpp"

namespace meander::mesh {

template <int D>
class LevelFluxes {
 public:
  // The ranks of the ghost layer construct the matching objects.
  LevelFluxes(const LocalView<D>& view, const solvers::PatchLayout& layout, int coarse_level,
              const parallel::Communicator& communicator);

  // Points the flux blocks of the faces between both levels to their registers.
  void attach(std::span<solvers::PatchTask> patches) { correction_.attach(patches); }

  // After an update of a fine leaf: adds the fluxes of its step number `substep` within the coarse step. No
  // effect on other leaves. Calls for different leaves may run concurrently.
  void add_step(std::int32_t leaf, int substep);

  // After all fine steps of a coarse step: sends the sums at rank borders and begins to receive, which ends with
  // messages().wait(). To be called by the thread that initialised MPI.
  void start_exchange(ThreadTeam& team);
  parallel::NeighbourMessages& messages() { return messages_; }

  // Own leaves of the coarse level beside finer ones, in curve order.
  std::span<const std::int32_t> coarse_leaves() const { return correction_.coarse_leaves(); }
  // Corrects the interior of coarse_leaves()[i] for its step dt, in which its finer neighbours took `steps`
  // steps. Calls for different i may run concurrently.
  void correct(std::size_t i, const solvers::PatchTask& patch, double dt, int steps) const;

  // For work on devices: the plan, and the fine faces by leaf, with the offsets of their fluxes
  // among the registers of the plan and of their sums in a block of sums() doubles.
  struct FineFace {
    std::int32_t leaf;
    typename FluxCorrection<D>::SubFace sub_face{};
    std::size_t fluxes, sums;
  };
  const FluxCorrection<D>& correction() const { return correction_; }
  const parallel::NeighbourMessages& messages() const { return messages_; }
  std::span<const FineFace> fine_faces() const { return fine_faces_; }
  std::size_t sums() const { return sums_.size(); }

  std::size_t bytes() const {
    return correction_.bytes() + sums_.size() * sizeof(double) + 2 * messages_.sent_bytes();
  }

 private:
  using SubFace = typename FluxCorrection<D>::SubFace;
  // The sums of a fine face, by the offset of its register.
  const double* sums_of(std::size_t register_offset) const {
    return sums_.data() + sums_offset_[register_offset / register_size_];
  }
  template <class Body>
  void for_blocks_of(const SubFace& sub_face, const Body& body) const;

  solvers::PatchLayout layout_;
  std::size_t register_size_;
  FluxCorrection<D> correction_;
  parallel::NeighbourMessages messages_;
  std::vector<FineFace> fine_faces_;      // by leaf
  std::vector<std::size_t> sums_offset_;  // by register
  std::vector<double> sums_;              // laid out as the parts of FluxCorrection
};

}  // namespace meander::mesh
