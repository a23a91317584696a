// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A solver without kernels, for tests of data movement, and random adaptation of meshes.

#include <algorithm>
#include <random>

#include "mesh/patch_mesh.hpp"
#include "solvers/solver.hpp"

namespace meander::mesh {

class InertSolver final : public solvers::Solver {
 public:
  InertSolver(int dim, int halo, solvers::HaloShape shape, solvers::Prolongation prolongation,
              int unknowns = 2) {
    traits_.name = "inert";
    traits_.dim = dim;
    traits_.unknowns = unknowns;
    traits_.halo = halo;
    traits_.halo_shape = shape;
    traits_.prolongation = prolongation;
  }
  const solvers::Traits& traits() const override { return traits_; }
  void update(std::span<const solvers::PatchTask>, const solvers::PatchLayout&, int, double, double,
              std::span<solvers::PatchStatus>) const override {}
  solvers::PatchStatus inspect(const solvers::PatchTask&, const solvers::PatchLayout&) const override {
    return {};
  }
  bool admissible(const double*) const override { return true; }
  void reflection_signs(int axis, std::span<double> signs) const override {
    std::fill(signs.begin(), signs.end(), 1.0);
    if (signs.size() > 1) signs[1] = axis == 0 ? -1.0 : 1.0;
  }
  double step_limit(double, double) const override { return 1; }
  const std::vector<solvers::Derived>& derived() const override { return derived_; }
  const void* parameters() const override { return nullptr; }

 private:
  solvers::Traits traits_;
  std::vector<solvers::Derived> derived_;
};

// Calls body(index, centre) for all volumes with indices from -layer to p + layer - 1.
template <int D, class Body>
void for_volumes(const solvers::PatchLayout& layout, const solvers::PatchTask& patch, int layer,
                 const Body& body) {
  Index<D> i;
  i.fill(-layer);
  for (std::ptrdiff_t v = 0; v < ipow<std::ptrdiff_t>(layout.p + 2 * layer, D); ++v) {
    Point<D> x;
    for (std::size_t a = 0; a < D; ++a) x[a] = patch.lower[a] + (i[a] + 0.5) * patch.dx;
    body(i, x);
    for (std::size_t a = 0; a < D && ++i[a] == layout.p + layer; ++a) i[a] = -layer;
  }
}

template <int D, class Function>
void fill_interior(PatchMesh<D>& mesh, const Function& function) {
  for (const auto& patch : mesh.patches()) {
    for_volumes<D>(mesh.layout(), patch, 0, [&](const Index<D>& i, const Point<D>& x) {
      for (int u = 0; u < mesh.layout().unknowns; ++u) patch.q[mesh.layout().at(u, i)] = function(u, x);
    });
  }
}

// One round of adaptation with random flags: a few leaves are refined, fine ones with higher probability, and
// some families are coarsened (flags are drawn for whole families; independent flags would hardly ever
// agree).
template <int D>
bool adapt_at_random(PatchMesh<D>& mesh, int max_level, std::mt19937& random, ThreadTeam& team) {
  std::vector<Adapt> flags(mesh.size());
  std::uniform_real_distribution<double> dice(0, 1);
  double family = 0;
  for (std::size_t leaf = 0; leaf < mesh.size(); ++leaf) {
    if (leaf % children<D> == 0 || mesh.levels()[leaf] != mesh.levels()[leaf - 1]) family = dice(random);
    flags[leaf] = family < 0.4 ? Adapt::coarsen : Adapt::keep;
  }
  const int finest = std::min(std::ranges::max(mesh.levels()), max_level - 1);
  for (int picks = 0; picks < 2;) {
    const auto leaf = random() % mesh.size();
    if (mesh.levels()[leaf] < finest && dice(random) < 0.8) continue;
    flags[leaf] = Adapt::refine;
    ++picks;
  }
  mesh.fill_halos(0, team);
  return mesh.adapt(flags, mesh.tree().domain().base_level, max_level, 0, team);
}

}  // namespace meander::mesh
