// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tasks/poisson_multigrid.hpp"

#include <algorithm>
#include <cmath>

#include "base/thread_team.hpp"
#include "mesh/neighbours.hpp"

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
PoissonMultigrid<D>::PoissonMultigrid(const mesh::DistributedTree<D>& tree, int p,
                                      const Boundaries& boundaries, gpu::Resource& memory)
    : domain_(tree.domain()), boundaries_(boundaries), layout_(D, p, 1, 1), leaves_(tree.size()) {
  is_singular_ = std::ranges::find(boundaries, EllipticBoundary::value) == boundaries.end();
  for (auto& cut : mesh::cut_at_all_levels(tree)) {
    Level* const coarser = levels_.empty() ? nullptr : levels_.back().get();
    levels_.push_back(
        std::make_unique<Level>(std::move(cut), coarser, solvers::PatchLayout(D, p, 1, 3), memory));
    plan_boundary(*levels_.back());
    auto& weights = weights_of_.emplace_back();
    for (const Patch& patch : levels_.back()->patches()) {
      const auto slopes = slopes_of(patch);
      auto found = weights_.find(slopes);
      if (found == weights_.end()) {
        const BothWeights both{Weights(layout_, slopes, omega), Weights(layout_, slopes, omega_of_refined)};
        found = weights_.emplace(slopes, both).first;
      }
      weights.push_back(&found->second);
    }
    for (const Patch& patch : levels_.back()->patches()) {
      if (patch.is_refined) continue;
      const auto leaf = std::ranges::lower_bound(tree.leaves(), patch.key) - tree.leaves().begin();
      leaves_[static_cast<std::size_t>(leaf)] = &patch;
    }
  }
  Index<D> volumes;
  const Level& base = *levels_.front();
  for (int a = 0; a < D; ++a) volumes[a] = base.domain().cells(base.level(), a) * p;
  coarsest_ = std::make_unique<solvers::BoxPoisson<D>>(volumes, boundaries);
  std::vector<mesh::Cell<D>> cells;
  for (const Patch& patch : base.patches()) cells.push_back(patch.cell);
  coarsest_cells_ = base.communicator().all_gather(std::span<const mesh::Cell<D>>(cells));
}

template <int D>
void PoissonMultigrid<D>::plan_boundary(const Level& level) {
  LevelBoundary& boundary = of_boundary_.emplace_back();
  for (std::size_t i = 0; i < level.patches().size(); ++i) {
    const Patch& patch = level.patches()[i];
    const auto is_outside = [&](int axis, int offset) {
      return offset != 0 &&
             patch.beyond[static_cast<std::size_t>(2 * axis + (offset > 0 ? 1 : 0))] == Beyond::outside;
    };
    // A halo beyond several faces mirrors one that is beyond fewer of them.
    for (int axes_outside = 1; axes_outside <= D; ++axes_outside) {
      for (int direction = 0; direction < mesh::children<D>; ++direction) {
        const Index<D> offset = mesh::offset_of<D>(direction);
        Ghosts ghosts{static_cast<std::int32_t>(i), 0, solvers::halo_box<D>(layout_.p, offset)};
        int outside = 0, axes = 0;
        for (int a = 0; a < D; ++a) {
          axes += offset[a] != 0 ? 1 : 0;
          if (!is_outside(a, offset[a])) continue;
          ++outside;
          ghosts.face = static_cast<std::uint8_t>(2 * a + (offset[a] > 0 ? 1 : 0));
        }
        if (outside != axes_outside || (axes > 1 && !patch.is_refined)) continue;
        if (boundaries_[ghosts.face] == EllipticBoundary::value) {
          ghosts.values = boundary.values.size();
          boundary.values.resize(ghosts.values + ghosts.box.volumes(), 0.0);
        }
        (axes > 1 ? boundary.edges : boundary.faces).push_back(ghosts);
      }
    }
  }
}

template <int D>
void PoissonMultigrid<D>::set_boundary_values(const std::function<double(const Point<D>&)>& value,
                                              ThreadTeam& team) {
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    for (const auto* list : {&of_boundary_[l].faces, &of_boundary_[l].edges}) {
      team.for_chunks(list->size(), [&](int, std::size_t begin, std::size_t end) {
        for (const Ghosts& ghosts : std::span(*list).subspan(begin, end - begin)) {
          if (boundaries_[ghosts.face] != EllipticBoundary::value) continue;
          const mesh::Cell<D>& cell = levels_[l]->patches()[static_cast<std::size_t>(ghosts.patch)].cell;
          const Point<D> lower = levels_[l]->domain().lower_corner(cell);
          double* next = of_boundary_[l].values.data() + ghosts.values;
          solvers::for_volumes<D>(ghosts.box, [&](const Index<D>& i) {
            Point<D> x;
            for (int a = 0; a < D; ++a)
              x[a] = lower[a] +
                     width(cell.level) * (a == ghosts.face / 2 ? (ghosts.face % 2) * layout_.p : i[a] + 0.5);
            *next++ = value(x);
          });
        }
      });
    }
  }
}

// ghost = u1 at a mirror, 2 value - u1 beyond a value. Edges read what faces and other edges of their patch have filled.
template <int D>
void PoissonMultigrid<D>::fill_boundary(std::size_t l, const std::vector<Ghosts>& ghosts,
                                        const Patch& patch) const {
  const auto number = static_cast<std::int32_t>(&patch - levels_[l]->patches().data());
  auto next = std::ranges::lower_bound(ghosts, number, {}, &Ghosts::patch);
  for (; next != ghosts.end() && next->patch == number; ++next) {
    double* const u = patch.slot + of(potential_);
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
kernels::GhostSlopes<D> PoissonMultigrid<D>::slopes_of(const Patch& patch) const {
  kernels::GhostSlopes<D> slopes{};
  for (std::size_t face = 0; face < 2 * D; ++face) {
    if (patch.beyond[face] == Beyond::coarser) slopes[face] = 1;
    if (patch.beyond[face] == Beyond::outside)
      slopes[face] = boundaries_[face] == EllipticBoundary::mirror ? 1 : -1;
  }
  return slopes;
}

template <int D>
void PoissonMultigrid<D>::fill_ends(std::size_t l, const Patch& patch) const {
  fill_boundary(l, of_boundary_[l].faces, patch);
  for (int face = 0; face < 2 * D; ++face) {
    if (patch.beyond[static_cast<std::size_t>(face)] == Beyond::coarser)
      kernels::fill_jump<D>(layout_, patch.slot + of(potential_), patch.slot + of(rhs_), face);
  }
}

template <int D>
void PoissonMultigrid<D>::fill_halo(std::size_t l, const Patch& patch) const {
  kernels::copy_beside<D>(layout_, patch.slot + of(potential_), patch.beside);
  fill_ends(l, patch);
}

template <int D>
void PoissonMultigrid<D>::fill_faces(std::size_t l, ThreadTeam& team) {
  levels_[l]->exchange(Halo::faces, potential_, team);
  levels_[l]->for_patches(team, [&](const Patch& patch) { fill_halo(l, patch); });
}

template <int D>
void PoissonMultigrid<D>::pass_potential_down(std::size_t l, Fill fill, ThreadTeam& team) {
  levels_[l]->exchange(Halo::faces, potential_, team);
  levels_[l]->for_patches(team, [&](const Patch& patch) {
    if (fill == Fill::all || patch.is_refined) fill_halo(l, patch);
  });
  levels_[l]->exchange(Halo::edges, potential_, team);
  if (!of_boundary_[l].edges.empty())
    levels_[l]->for_patches(team,
                            [&](const Patch& patch) { fill_boundary(l, of_boundary_[l].edges, patch); });
  if (l + 1 == levels_.size()) return;
  levels_[l + 1]->read_parents(potential_, team);
  levels_[l + 1]->for_patches(team, [&](const Patch& patch) {
    for (int face = 0; face < 2 * D; ++face) {
      if (patch.beyond[static_cast<std::size_t>(face)] == Beyond::coarser)
        kernels::interpolate_plane<D>(layout_, patch.slot + of(rhs_), patch.coarse + of(potential_),
                                      patch.child, face);
    }
  });
}

template <int D>
void PoissonMultigrid<D>::relax_once(std::size_t l, const Patch& patch, int half,
                                     Weights BothWeights::*weights) const {
  int colour = half;
  for (const int at : patch.cell.at) colour += at * layout_.p;
  static_assert(potential_ == 0);  // of Patch::beside, too
  kernels::copy_beside<D>(layout_, patch.slot, patch.beside, colour % 2);
  fill_ends(l, patch);
  const auto number = static_cast<std::size_t>(&patch - levels_[l]->patches().data());
  kernels::relax<D>(layout_, patch.slot + of(potential_), patch.slot + of(rhs_), width(patch.cell.level),
                    weights_of_[l][number]->*weights, colour % 2);
}

template <int D>
void PoissonMultigrid<D>::relax(std::size_t l, ThreadTeam& team) {
  levels_[l]->for_steps(2 * sweeps, potential_, team, [&](const Patch& patch, int half) {
    relax_once(l, patch, half, &BothWeights::of_cycle);
  });
}

template <int D>
void PoissonMultigrid<D>::relax_refined(std::size_t l, ThreadTeam& team) {
  levels_[l]->for_steps(2 * sweeps_of_refined, potential_, team, [&](const Patch& patch, int half) {
    if (patch.is_refined) relax_once(l, patch, half, &BothWeights::of_refined);
  });
}

template <int D>
void PoissonMultigrid<D>::restrict_potential(std::size_t l, ThreadTeam& team) {
  const auto whole = Level::whole(layout_);
  levels_[l]->restrict_to_parents(
      [&](const Patch& patch, double* part) {
        solvers::restrict_part<D>(layout_, patch.slot + of(potential_), patch.child, whole, part);
      },
      [&](const Patch& parent, std::span<const solvers::RestrictedPart<D>> parts) {
        solvers::combine_parts<D>(layout_, parent.slot + of(potential_), parts, whole);
      },
      team);
}

template <int D>
void PoissonMultigrid<D>::restrict_residual(std::size_t l, Residuals residuals, ThreadTeam& team) {
  const bool restricts = residuals == Residuals::restricted;
  const auto whole = Level::whole(layout_);
  const double h = width(levels_[l]->level()), coarse_h = width(levels_[l - 1]->level());
  levels_[l]->restrict_to_parents(
      [&](const Patch& patch, double* part) {
        thread_local std::vector<double> work;
        work.resize(static_cast<std::size_t>(layout_.slot_size()));
        if (restricts) {
          fill_halo(l, patch);
          kernels::residual<D>(layout_, patch.slot + of(potential_), patch.slot + of(rhs_), h, work.data());
          solvers::restrict_part<D>(layout_, work.data(), patch.child, whole, part);
        }
        part += solvers::part_size<D>(layout_, patch.child, whole);
        for (int face = 0; face < 2 * D; ++face) {
          if (patch.beyond[static_cast<std::size_t>(face)] != Beyond::coarser) continue;
          const auto plane = Level::plane(layout_, face);
          kernels::spread_gradient<D>(layout_, patch.slot + of(potential_), h, face, work.data());
          solvers::restrict_part<D>(layout_, work.data(), patch.child, plane, part);
          part += solvers::part_size<D>(layout_, patch.child, plane);
        }
      },
      [&](const Patch& parent, std::span<const solvers::RestrictedPart<D>> parts) {
        double* const rhs = parent.slot + of(rhs_);
        if (restricts) {
          solvers::combine_parts<D>(layout_, rhs, parts, whole);
          kernels::add_laplacian<D>(layout_, parent.slot + of(potential_), coarse_h, rhs);
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
          kernels::mismatch<D>(layout_, parent.slot + of(potential_), coarse_h, face, rhs);
        }
      },
      team);
  levels_[l - 1]->exchange(Halo::planes, rhs_, team);
  levels_[l - 1]->for_patches(team, [&](const Patch& patch) {
    if (!touches_refined(patch)) return;
    double* const rhs = patch.slot + of(rhs_);
    const double* const source = patch.slot + of(source_);
    for_interior<D>(layout_, [&](std::ptrdiff_t i) { rhs[i] = source[i]; });
    for (int face = 0; face < 2 * D; ++face) {
      if (patch.beyond[static_cast<std::size_t>(face)] == Beyond::refined)
        kernels::add_plane_inside<D>(layout_, rhs, rhs, face, -1);
    }
  });
}

// The right-hand side of level l - 1, whose ghosts and those of level l depend on the restricted potential.
template <int D>
void PoissonMultigrid<D>::start_correction(std::size_t l, ThreadTeam& team) {
  restrict_potential(l, team);
  pass_potential_down(l - 1, Fill::refined, team);
  levels_[l]->exchange(Halo::faces, potential_, team);
  restrict_residual(l, Residuals::restricted, team);
  levels_[l - 1]->for_patches(team, [&](const Patch& patch) {
    if (patch.is_refined)
      std::copy_n(patch.slot + of(potential_), layout_.unknown_stride(), patch.slot + of(before_));
  });
}

template <int D>
void PoissonMultigrid<D>::correct(std::size_t l, ThreadTeam& team) {
  pass_potential_down(l - 1, Fill::refined, team);
  levels_[l - 1]->for_patches(team, [&](const Patch& patch) {
    if (!patch.is_refined) return;
    double* const correction = patch.slot + of(before_);
    const double* const after = patch.slot + of(potential_);
    for (std::ptrdiff_t i = 0; i < layout_.unknown_stride(); ++i) correction[i] = after[i] - correction[i];
  });
  levels_[l]->read_parents(before_, team);
  levels_[l]->for_patches(team, [&](const Patch& patch) {
    kernels::prolong<D>(layout_, patch.slot + of(potential_), patch.coarse + of(before_), patch.child);
  });
}

template <int D>
void PoissonMultigrid<D>::solve_coarsest(ThreadTeam& team) {
  fill_faces(0, team);
  const Level& base = *levels_.front();
  const double h = width(base.level());
  std::vector<double> own, work(static_cast<std::size_t>(layout_.slot_size()));
  for (const Patch& patch : base.patches()) {
    kernels::residual<D>(layout_, patch.slot + of(potential_), patch.slot + of(rhs_), h, work.data());
    for_interior<D>(layout_,
                    [&](std::ptrdiff_t i) { own.push_back(work[static_cast<std::size_t>(i)] * (h * h)); });
  }
  const std::vector<double> all = base.communicator().all_gather(std::span<const double>(own));
  std::vector<double> grid(all.size());
  // Calls body(number in the grid, number in curve order) for the volumes of a cell with that number in curve order.
  const auto for_grid = [&](std::size_t cell, const auto& body) {
    std::size_t next = cell * static_cast<std::size_t>(layout_.volumes());
    solvers::for_volumes<D>(solvers::interior_box<D>(layout_.p), [&](const Index<D>& i) {
      std::size_t at = 0;
      for (int a = D - 1; a >= 0; --a)
        at = at * static_cast<std::size_t>(base.domain().cells(base.level(), a) * layout_.p) +
             static_cast<std::size_t>(coarsest_cells_[cell].at[a] * layout_.p + i[a]);
      body(at, next++);
    });
  };
  for (std::size_t cell = 0; cell < coarsest_cells_.size(); ++cell)
    for_grid(cell, [&](std::size_t at, std::size_t from) { grid[at] = all[from]; });
  coarsest_->solve(grid, team);
  std::size_t first = 0;
  if (!base.patches().empty())
    first = static_cast<std::size_t>(std::ranges::find(coarsest_cells_, base.patches()[0].cell) -
                                     coarsest_cells_.begin());
  for (std::size_t i = 0; i < base.patches().size(); ++i) {
    std::vector<double> correction;
    for_grid(first + i, [&](std::size_t at, std::size_t) { correction.push_back(grid[at]); });
    const double* next = correction.data();
    double* const u = base.patches()[i].slot + of(potential_);
    for_interior<D>(layout_, [&](std::ptrdiff_t at) { u[at] += *next++; });
  }
}

template <int D>
void PoissonMultigrid<D>::restrict_everywhere(ThreadTeam& team, std::size_t l0, Fill fill) {
  for (std::size_t l = levels_.size(); l-- > std::max<std::size_t>(l0, 1);) restrict_potential(l, team);
  const std::size_t finest = levels_.size() - 1;
  for (std::size_t l = l0 > 0 ? l0 - 1 : 0; l < finest; ++l) pass_potential_down(l, fill, team);
  if (fill == Fill::all) fill_faces(finest, team);
}

template <int D>
void PoissonMultigrid<D>::begin(ThreadTeam& team, int first, Before what) {
  const auto l0 = static_cast<std::size_t>(first - coarsest_level());
  for (std::size_t l = l0; l < levels_.size(); ++l) {
    levels_[l]->for_patches(team, [&](const Patch& patch) {
      if (!touches_refined(patch)) return;
      double* const source = patch.slot + of(source_);
      const double* const rhs = patch.slot + of(rhs_);
      for_interior<D>(layout_, [&](std::ptrdiff_t i) { source[i] = rhs[i]; });
    });
  }
  restrict_everywhere(team, l0, what == Before::cycle ? Fill::refined : Fill::all);
}

template <int D>
void PoissonMultigrid<D>::cycle(ThreadTeam& team, int first) {
  const auto l0 = static_cast<std::size_t>(first - coarsest_level());
  const std::size_t end = std::max<std::size_t>(l0, 1);
  for (std::size_t l = levels_.size(); l-- > end;) {
    relax(l, team);
    start_correction(l, team);
  }
  if (l0 == 0)
    solve_coarsest(team);
  else
    relax_refined(l0 - 1, team);
  for (std::size_t l = end; l < levels_.size(); ++l) {
    correct(l, team);
    relax(l, team);
  }
  restrict_everywhere(team, l0, Fill::all);
}

template <int D>
void PoissonMultigrid<D>::differentiate(ThreadTeam& team, int first) {
  const auto l0 = static_cast<std::size_t>(first - coarsest_level());
  for (std::size_t l = levels_.size(); l-- > std::max<std::size_t>(l0, 1);)
    restrict_residual(l, Residuals::left_out, team);
  for (std::size_t l = l0; l < levels_.size(); ++l) {
    const double h = width(levels_[l]->level());
    levels_[l]->for_patches(team, [&](const Patch& patch) {
      for (int face = 0; face < 2 * D; ++face) {
        if (patch.beyond[static_cast<std::size_t>(face)] == Beyond::refined)
          kernels::add_plane<D>(layout_, patch.slot + of(potential_), patch.slot + of(rhs_), face, h * h);
      }
    });
  }
}

template <int D>
void PoissonMultigrid<D>::differences(std::size_t leaf, double* first, double* second) const {
  kernels::differences<D>(layout_, leaves_[leaf]->slot + of(potential_), first, second);
}

template <int D>
std::size_t PoissonMultigrid<D>::bytes() const {
  std::size_t sum = 0;
  for (const auto& level : levels_) sum += level->bytes();
  return sum;
}

template class PoissonMultigrid<2>;
template class PoissonMultigrid<3>;

}  // namespace meander::tasks
