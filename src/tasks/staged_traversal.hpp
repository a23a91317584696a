// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Local time steps of a Runge-Kutta solver of point values. In a tick the levels that begin a step advance
// group by group, the coarsest first: levels with the same step stage by stage, as with global steps, with the
// shadows of the finest of them. Their halos beside the next coarser level are those of dense output
// (solvers/dense_output.hpp).

#include <memory>

#include "tasks/local_traversal.hpp"

namespace meander::tasks {

// Whether StagedTraversal can advance states of the solver.
bool has_staged_local_steps(const solvers::Solver& solver);

template <int D>
class StagedTraversal final : public LocalTraversal<D> {
 public:
  // As LocalTraversal, for solvers with has_staged_local_steps().
  using LocalTraversal<D>::LocalTraversal;

 private:
  using Base = LocalTraversal<D>;
  using Base::clock_, Base::counts_, Base::level, Base::levels_, Base::mesh_, Base::solver_, Base::team_,
      Base::times_;

  typename Base::Levels levels_of_mesh() override;
  void advance_levels(bool is_first) override;
  void end_step(std::size_t, int) override {}
  // One step of levels first to last, by their number in the clock.
  void advance_group(std::size_t first, std::size_t last);
  void update(mesh::StepGroup<D>& group, std::size_t last, int stage);
};

// The traversal for a solver and the memory where the patches live.
template <int D>
std::unique_ptr<LocalTraversal<D>> make_local_traversal(mesh::PatchMesh<D>& mesh,
                                                        const solvers::Solver& solver, ThreadTeam& team);

}  // namespace meander::tasks
