// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tasks/host_poisson.hpp"

#include <algorithm>

#include "base/thread_team.hpp"

namespace meander::tasks {

namespace kernels = solvers::poisson;
using mesh::Beyond;
using solvers::EllipticBoundary;

namespace {

// Calls body(offset) for all interior volumes.
template <int D, class Body>
void for_interior(const solvers::PatchLayout& layout, const Body& body) {
  solvers::for_rows<D>(solvers::interior_box<D>(layout.p), [&](const Index<D>& i) {
    const std::ptrdiff_t row = layout.at(0, i);
    for (int x = 0; x < layout.p; ++x) body(row + x);
  });
}

}  // namespace
template <int D>
HostPoisson<D>::HostPoisson(const mesh::DistributedTree<D>& tree, int p, const Boundaries& boundaries)
    : PoissonMultigrid<D>(tree, p, boundaries, gpu::host_memory(), mesh::Residence::host,
                          *std::pmr::new_delete_resource()) {
  for (const auto& level : levels_) {
    auto& weights = weights_of_.emplace_back();
    for (const Patch& patch : level->patches()) {
      const auto slopes = slopes_of(patch);
      auto found = weights_.find(slopes);
      if (found == weights_.end()) {
        const BothWeights both{Weights(layout_, slopes, omega), Weights(layout_, slopes, omega_of_refined)};
        found = weights_.emplace(slopes, both).first;
      }
      weights.push_back(&found->second);
    }
  }
}

template <int D>
void HostPoisson<D>::fill_boundary(std::size_t l, const std::vector<Ghosts>& ghosts,
                                   const Patch& patch) const {
  const auto number = static_cast<std::int32_t>(&patch - levels_[l]->patches().data());
  auto next = std::ranges::lower_bound(ghosts, number, {}, &Ghosts::patch);
  for (; next != ghosts.end() && next->patch == number; ++next) {
    double* const u = patch.slot + of(kernels::potential_row);
    const std::ptrdiff_t stride = layout_.stride(next->face / 2),
                         inwards = next->face % 2 == 0 ? stride : -stride;
    const bool has_value = boundaries_[next->face] == EllipticBoundary::value;
    const double* value = of_boundary_[l].values.data() + next->values;
    solvers::for_volumes<D>(next->box, [&](const Index<D>& i) {
      double* const ghost = u + layout_.at(0, i);
      *ghost = has_value ? 2 * *value++ - ghost[inwards] : ghost[inwards];
    });
  }
}

template <int D>
kernels::GhostSlopes<D> HostPoisson<D>::slopes_of(const Patch& patch) const {
  kernels::GhostSlopes<D> slopes{};
  for (std::size_t face = 0; face < 2 * D; ++face) {
    if (patch.beyond[face] == Beyond::coarser) slopes[face] = 1;
    if (patch.beyond[face] == Beyond::outside)
      slopes[face] = boundaries_[face] == EllipticBoundary::mirror ? 1 : -1;
  }
  return slopes;
}

template <int D>
void HostPoisson<D>::fill_ends(std::size_t l, const Patch& patch) const {
  fill_boundary(l, of_boundary_[l].faces, patch);
  for (int face = 0; face < 2 * D; ++face) {
    if (patch.beyond[static_cast<std::size_t>(face)] == Beyond::coarser)
      kernels::fill_jump<D>(layout_, patch.slot + of(kernels::potential_row),
                            patch.slot + of(kernels::rhs_row), face);
  }
}

template <int D>
void HostPoisson<D>::fill_halo(std::size_t l, const Patch& patch) const {
  kernels::copy_beside<D>(layout_, patch.slot + of(kernels::potential_row), patch.beside);
  fill_ends(l, patch);
}

template <int D>
void HostPoisson<D>::fill_faces(std::size_t l, ThreadTeam& team) {
  levels_[l]->exchange(Halo::faces, kernels::potential_row, team);
  levels_[l]->for_patches(team, [&](const Patch& patch) { fill_halo(l, patch); });
}

template <int D>
void HostPoisson<D>::pass_potential_down(std::size_t l, Fill fill, ThreadTeam& team) {
  levels_[l]->exchange(Halo::faces, kernels::potential_row, team);
  levels_[l]->for_patches(team, [&](const Patch& patch) {
    if (fill == Fill::all || patch.is_refined) fill_halo(l, patch);
  });
  levels_[l]->exchange(Halo::edges, kernels::potential_row, team);
  if (!of_boundary_[l].edges.empty())
    levels_[l]->for_patches(team,
                            [&](const Patch& patch) { fill_boundary(l, of_boundary_[l].edges, patch); });
  if (l + 1 == levels_.size()) return;
  levels_[l + 1]->read_parents(kernels::potential_row, team);
  levels_[l + 1]->for_patches(team, [&](const Patch& patch) {
    for (int face = 0; face < 2 * D; ++face) {
      if (patch.beyond[static_cast<std::size_t>(face)] == Beyond::coarser)
        kernels::interpolate_plane<D>(layout_, patch.slot + of(kernels::rhs_row),
                                      patch.coarse + of(kernels::potential_row), patch.child, face);
    }
  });
}

template <int D>
void HostPoisson<D>::relax_once(std::size_t l, const Patch& patch, int half,
                                Weights BothWeights::*weights) const {
  int colour = half;
  for (const int at : patch.cell.at) colour += at * layout_.p;
  static_assert(kernels::potential_row == 0);  // of Patch::beside, too
  kernels::copy_beside<D>(layout_, patch.slot, patch.beside, colour % 2);
  fill_ends(l, patch);
  const auto number = static_cast<std::size_t>(&patch - levels_[l]->patches().data());
  kernels::relax<D>(layout_, patch.slot + of(kernels::potential_row), patch.slot + of(kernels::rhs_row),
                    width_at(patch.cell.level), weights_of_[l][number]->*weights, colour % 2);
}

template <int D>
void HostPoisson<D>::relax(std::size_t l, Relaxation relaxation, ThreadTeam& team) {
  if (relaxation == Relaxation::of_cycle) {
    levels_[l]->for_steps(2 * sweeps, kernels::potential_row, team, [&](const Patch& patch, int half) {
      relax_once(l, patch, half, &BothWeights::of_cycle);
    });
    return;
  }
  levels_[l]->for_steps(2 * sweeps_of_refined, kernels::potential_row, team,
                        [&](const Patch& patch, int half) {
                          if (patch.is_refined) relax_once(l, patch, half, &BothWeights::of_refined);
                        });
}

template <int D>
void HostPoisson<D>::restrict_potential(std::size_t l, ThreadTeam& team) {
  const auto whole = Level::whole(layout_);
  levels_[l]->restrict_to_parents(
      [&](const Patch& patch, double* part) {
        solvers::restrict_part<D>(layout_, patch.slot + of(kernels::potential_row), patch.child, whole, part);
      },
      [&](const Patch& parent, std::span<const solvers::RestrictedPart<D>> parts) {
        solvers::combine_parts<D>(layout_, parent.slot + of(kernels::potential_row), parts, whole);
      },
      team);
}

template <int D>
void HostPoisson<D>::restrict_residual(std::size_t l, Residuals residuals, ThreadTeam& team) {
  const bool restricts = residuals == Residuals::restricted;
  if (restricts) levels_[l]->exchange(Halo::faces, kernels::potential_row, team);
  const auto whole = Level::whole(layout_);
  const double h = width_at(levels_[l]->level()), coarse_h = width_at(levels_[l - 1]->level());
  levels_[l]->restrict_to_parents(
      [&](const Patch& patch, double* part) {
        thread_local std::vector<double> work;
        work.resize(static_cast<std::size_t>(layout_.slot_size()));
        if (restricts) {
          fill_halo(l, patch);
          kernels::residual<D>(layout_, patch.slot + of(kernels::potential_row),
                               patch.slot + of(kernels::rhs_row), h, work.data());
          solvers::restrict_part<D>(layout_, work.data(), patch.child, whole, part);
        }
        part += solvers::part_size<D>(layout_, patch.child, whole);
        for (int face = 0; face < 2 * D; ++face) {
          if (patch.beyond[static_cast<std::size_t>(face)] != Beyond::coarser) continue;
          const auto plane = Level::plane(layout_, face);
          kernels::spread_gradient<D>(layout_, patch.slot + of(kernels::potential_row), h, face, work.data());
          solvers::restrict_part<D>(layout_, work.data(), patch.child, plane, part);
          part += solvers::part_size<D>(layout_, patch.child, plane);
        }
      },
      [&](const Patch& parent, std::span<const solvers::RestrictedPart<D>> parts) {
        double* const rhs = parent.slot + of(kernels::rhs_row);
        if (restricts) {
          solvers::combine_parts<D>(layout_, rhs, parts, whole);
          kernels::add_laplacian<D>(layout_, parent.slot + of(kernels::potential_row), coarse_h, rhs);
        }
        const double* next[mesh::children<D>];
        for (std::size_t i = 0; i < parts.size(); ++i)
          next[i] = parts[i].part + solvers::part_size<D>(layout_, parts[i].child, whole);
        for (int face = 0; face < 2 * D; ++face) {
          if (parent.beyond[static_cast<std::size_t>(face)] != Beyond::leaf) continue;
          const auto plane = Level::plane(layout_, face);
          solvers::RestrictedPart<D> of_face[mesh::children<D>];
          std::size_t count = 0;
          for (std::size_t i = 0; i < parts.size(); ++i) {
            if (!Level::touches(parts[i].child, face)) continue;
            of_face[count++] = {next[i], parts[i].child};
            next[i] += solvers::part_size<D>(layout_, parts[i].child, plane);
          }
          solvers::combine_parts<D>(layout_, rhs, {of_face, count}, plane);
          kernels::mismatch<D>(layout_, parent.slot + of(kernels::potential_row), coarse_h, face, rhs);
        }
      },
      team);
  levels_[l - 1]->exchange(Halo::planes, kernels::rhs_row, team);
  levels_[l - 1]->for_patches(team, [&](const Patch& patch) {
    if (!touches_refined(patch)) return;
    double* const rhs = patch.slot + of(kernels::rhs_row);
    const double* const source = patch.slot + of(kernels::source_row);
    for_interior<D>(layout_, [&](std::ptrdiff_t i) { rhs[i] = source[i]; });
    for (int face = 0; face < 2 * D; ++face) {
      if (patch.beyond[static_cast<std::size_t>(face)] == Beyond::refined)
        kernels::add_plane_inside<D>(layout_, rhs, rhs, face, -1);
    }
  });
}

// The right-hand side of level l - 1, whose ghosts and those of level l depend on the restricted potential.
template <int D>
void HostPoisson<D>::keep_source(std::size_t l, ThreadTeam& team) {
  levels_[l]->for_patches(team, [&](const Patch& patch) {
    if (!touches_refined(patch)) return;
    double* const source = patch.slot + of(kernels::source_row);
    const double* const rhs = patch.slot + of(kernels::rhs_row);
    for_interior<D>(layout_, [&](std::ptrdiff_t i) { source[i] = rhs[i]; });
  });
}

template <int D>
void HostPoisson<D>::keep_potential(std::size_t l, ThreadTeam& team) {
  levels_[l]->for_patches(team, [&](const Patch& patch) {
    if (patch.is_refined)
      std::copy_n(patch.slot + of(kernels::potential_row), layout_.unknown_stride(),
                  patch.slot + of(kernels::before_row));
  });
}

template <int D>
void HostPoisson<D>::add_correction(std::size_t l, ThreadTeam& team) {
  levels_[l - 1]->for_patches(team, [&](const Patch& patch) {
    if (!patch.is_refined) return;
    double* const correction = patch.slot + of(kernels::before_row);
    const double* const after = patch.slot + of(kernels::potential_row);
    for (std::ptrdiff_t i = 0; i < layout_.unknown_stride(); ++i) correction[i] = after[i] - correction[i];
  });
  levels_[l]->read_parents(kernels::before_row, team);
  levels_[l]->for_patches(team, [&](const Patch& patch) {
    kernels::prolong<D>(layout_, patch.slot + of(kernels::potential_row),
                        patch.coarse + of(kernels::before_row), patch.child);
  });
}

template <int D>
std::vector<double> HostPoisson<D>::coarsest_residual(ThreadTeam&) {
  const Level& base = *levels_.front();
  const double h = width_at(base.level());
  std::vector<double> own, work(static_cast<std::size_t>(layout_.slot_size()));
  for (const Patch& patch : base.patches()) {
    kernels::residual<D>(layout_, patch.slot + of(kernels::potential_row), patch.slot + of(kernels::rhs_row),
                         h, work.data());
    for_interior<D>(layout_,
                    [&](std::ptrdiff_t i) { own.push_back(work[static_cast<std::size_t>(i)] * (h * h)); });
  }
  return own;
}

template <int D>
void HostPoisson<D>::add_to_coarsest(const std::vector<double>& correction, ThreadTeam&) {
  const double* next = correction.data();
  for (const Patch& patch : levels_.front()->patches()) {
    double* const u = patch.slot + of(kernels::potential_row);
    for_interior<D>(layout_, [&](std::ptrdiff_t at) { u[at] += *next++; });
  }
}

template <int D>
void HostPoisson<D>::add_mismatch(std::size_t l, ThreadTeam& team) {
  const double h = width_at(levels_[l]->level());
  levels_[l]->for_patches(team, [&](const Patch& patch) {
    for (int face = 0; face < 2 * D; ++face) {
      if (patch.beyond[static_cast<std::size_t>(face)] == Beyond::refined)
        kernels::add_plane<D>(layout_, patch.slot + of(kernels::potential_row),
                              patch.slot + of(kernels::rhs_row), face, h * h);
    }
  });
}

template <int D>
void HostPoisson<D>::differences(std::size_t leaf, double* first, double* second) const {
  kernels::differences<D>(layout_, this->potential(leaf), first, second);
}

template class HostPoisson<2>;
template class HostPoisson<3>;

}  // namespace meander::tasks
