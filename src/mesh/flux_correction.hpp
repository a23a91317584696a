// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Refluxing (Berger & Colella 1989): where a coarse leaf touches finer ones, its own face flux is replaced by
// the mean of the fine fluxes, so that what leaves one side enters the other.

#include <cstdint>
#include <vector>

#include "mesh/halo_plan.hpp"
#include "mesh/neighbours.hpp"
#include "solvers/solver.hpp"

namespace meander::mesh {

template <int D>
class FluxCorrection {
 public:
  FluxCorrection() = default;
  FluxCorrection(const Spacetree<D>& tree, const Neighbours<D>& neighbours,
                 const solvers::PatchLayout& layout);

  // Points the flux blocks of all faces at a resolution jump to their registers, the others to null.
  void attach(std::span<solvers::PatchTask> patches);

  // Leaves with at least one coarse face, in curve order.
  std::span<const std::int32_t> coarse_leaves() const { return coarse_leaves_; }

  // Corrects the interior of coarse_leaves()[i] for the step dt that wrote the registers. Calls for different
  // i may run at once.
  void apply(std::size_t i, const solvers::PatchTask& patch, double dt) const;

  std::size_t bytes() const { return registers_.size() * sizeof(double); }

 private:
  struct Register {
    std::int32_t leaf;
    std::uint8_t face;
    std::size_t offset;
  };
  struct Part {
    std::size_t offset;               // of the fine leaf's register
    Vec<std::int8_t, D - 1> child{};  // position of the fine leaf on the coarse face
  };
  struct CoarseFace {
    std::uint8_t face;
    std::size_t own;  // offset of the coarse leaf's register
    std::size_t first_part, parts;
  };

  solvers::PatchLayout layout_;
  std::vector<double> registers_;
  std::vector<Register> table_;  // of all faces at a jump, sorted by leaf and face
  std::vector<CoarseFace> faces_;
  std::vector<Part> parts_;
  std::vector<std::int32_t> coarse_leaves_;
  std::vector<std::size_t> face_begin_;  // faces of coarse leaf i: face_begin_[i] .. face_begin_[i + 1]
};

}  // namespace meander::mesh
