// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Dense output of the classical Runge-Kutta method: the stage inputs of shorter steps within a step, from the
// rates k_1 .. k_4 of its stages (McCorquodale & Colella 2011, section 3.4; Mongwane 2015, eqs. 13 to 21).
//
// A step H from u is divided into m steps h = H / m. The inputs Y_1 .. Y_4 of the stages of a short step that
// begins at theta H differ from those of an integration of the same equation by h in O(H^4). To take the state
// at the time of the stage instead would lose the order. With m = 1 the Y_i are the stage inputs themselves.

#include <array>

#include "solvers/boxes.hpp"
#include "solvers/dense_factors.hpp"
#include "solvers/patch_layout.hpp"
#include "solvers/solver.hpp"

namespace meander::solvers {

// Whether the solver's stage blocks are those that the functions below read: the state at the start of the
// step, and k_1 + 2 k_2 + 2 k_3 after its end.
inline bool has_dense_output(const Traits& traits) {
  return traits.stages == 4 && traits.stage_blocks == 2 && traits.point_values();
}

// The input of stage `stage` (0 .. 3) of the short step number `substep` of `ratio`.
struct ShortStage {
  int ratio = 1, substep = 0, stage = 0;
  double dt = 0;  // H
};

// Y = u + H sum_i w_i k_i: the four w_i.
std::array<double, 4> dense_weights(const ShortStage& at);
// The same sum by the figures that are at hand after the step.
DenseFactors dense_factors(const ShortStage& at);

// The rates that no stage block holds after the step: k_1 and k_1 + 2 k_2 in a box of a patch, unknown by
// unknown, x fastest. Called after the update of a patch by stages 0 and 1; writes its half of
// kept[2 * box.volumes() * unknowns].
template <int D>
void keep_rates(const PatchLayout& layout, const PatchTask& task, int stage, const Box<D>& box, double* kept);

// Writes Y to the same box of another slot. `task` is the patch after the step. Its constraints are not
// enforced. Exact if the rates are 0.
template <int D>
void dense_output(const PatchLayout& layout, const PatchTask& task, const Box<D>& box, const double* kept,
                  const ShortStage& at, double* slot);

}  // namespace meander::solvers
