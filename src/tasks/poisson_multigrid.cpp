// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tasks/poisson_multigrid.hpp"

#include <algorithm>

#include "base/thread_team.hpp"
#include "mesh/neighbours.hpp"

namespace meander::tasks {

namespace kernels = solvers::poisson;
using mesh::Beyond;
using solvers::EllipticBoundary;

template <int D>
PoissonMultigrid<D>::PoissonMultigrid(const mesh::DistributedTree<D>& tree, int p,
                                      const Boundaries& boundaries, gpu::Resource& memory,
                                      mesh::Residence residence, std::pmr::memory_resource& message_memory)
    : domain_(tree.domain()), boundaries_(boundaries), layout_(D, p, 1, 1), leaves_(tree.size()) {
  is_singular_ = std::ranges::find(boundaries, EllipticBoundary::value) == boundaries.end();
  for (auto& cut : mesh::cut_at_all_levels(tree)) {
    Level* const coarser = levels_.empty() ? nullptr : levels_.back().get();
    levels_.push_back(std::make_unique<Level>(std::move(cut), coarser,
                                              solvers::PatchLayout(D, p, 1, kernels::unknowns), memory,
                                              residence, message_memory));
    plan_boundary(*levels_.back());
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
              x[a] = lower[a] + width_at(cell.level) *
                                    (a == ghosts.face / 2 ? (ghosts.face % 2) * layout_.p : i[a] + 0.5);
            *next++ = value(x);
          });
        }
      });
    }
  }
}

template <int D>
void PoissonMultigrid<D>::solve_coarsest(ThreadTeam& team) {
  fill_faces(0, team);
  const Level& base = *levels_.front();
  const std::vector<double> own = coarsest_residual(team);
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
  std::vector<double> correction;
  for (std::size_t i = 0; i < base.patches().size(); ++i)
    for_grid(first + i, [&](std::size_t at, std::size_t) { correction.push_back(grid[at]); });
  add_to_coarsest(correction, team);
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
  for (std::size_t l = l0; l < levels_.size(); ++l) keep_source(l, team);
  restrict_everywhere(team, l0, what == Before::cycle ? Fill::refined : Fill::all);
}

// The right-hand side of level l - 1, whose ghosts and those of level l depend on the restricted potential, is found before the
// correction starts.
template <int D>
void PoissonMultigrid<D>::cycle(ThreadTeam& team, int first) {
  const auto l0 = static_cast<std::size_t>(first - coarsest_level());
  const std::size_t end = std::max<std::size_t>(l0, 1);
  for (std::size_t l = levels_.size(); l-- > end;) {
    relax(l, Relaxation::of_cycle, team);
    restrict_potential(l, team);
    pass_potential_down(l - 1, Fill::refined, team);
    restrict_residual(l, Residuals::restricted, team);
    keep_potential(l - 1, team);
  }
  if (l0 == 0)
    solve_coarsest(team);
  else
    relax(l0 - 1, Relaxation::of_refined, team);
  for (std::size_t l = end; l < levels_.size(); ++l) {
    pass_potential_down(l - 1, Fill::refined, team);
    add_correction(l, team);
    relax(l, Relaxation::of_cycle, team);
  }
  restrict_everywhere(team, l0, Fill::all);
}

template <int D>
void PoissonMultigrid<D>::differentiate(ThreadTeam& team, int first) {
  const auto l0 = static_cast<std::size_t>(first - coarsest_level());
  for (std::size_t l = levels_.size(); l-- > std::max<std::size_t>(l0, 1);)
    restrict_residual(l, Residuals::left_out, team);
  for (std::size_t l = l0; l < levels_.size(); ++l) add_mismatch(l, team);
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
