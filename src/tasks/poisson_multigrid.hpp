// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Poisson's equation, Laplacian(u) = f, on the leaves of a balanced tree: cell-centred, 2 D + 1 points, of second order also
// where levels meet, with one gradient a face (solvers/poisson.hpp). The sum of f over the volumes is therefore the flux
// through the domain's faces.
//
// Composite FAS multigrid with ratio 3: every cell, leaf or refined, has a patch. V(2,2), red-black with over-relaxation and
// fresh ghosts before each colour, restriction by means, linear prolongation of the correction, and an exact solution on the
// coarsest level. A cycle reduces the L2 norm of the residual to 0.03 to 0.05 of it in 2D and 0.06 to 0.07 in 3D, on any mesh; to
// 0.08 to 0.14 if a periodic axis has an odd number of volumes, where volumes of one colour touch.
//
// The gradient is of first order in a few volumes beside concave corners of a refined region, and where a jump meets a face
// with values: interpolation along the jump reads restricted volumes or ghosts there.
//
// No bit depends on ranks or threads.

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "mesh/cell_level.hpp"
#include "solvers/box_poisson.hpp"
#include "solvers/poisson.hpp"

namespace meander::tasks {

template <int D>
class PoissonMultigrid {
 public:
  using Boundaries = Vec<solvers::EllipticBoundary, 2 * D>;

  // p >= 3 volumes along an axis of each leaf. boundaries: by face; periodic exactly where the domain is. tree: balanced; not
  // kept. Throws gpu::OutOfMemory (several ranks: parallel::AgreedFailure). Collective.
  PoissonMultigrid(const mesh::DistributedTree<D>& tree, int p, const Boundaries& boundaries,
                   gpu::Resource& memory);

  // Own leaves in curve order: slots with the layout of one unknown and a halo of one layer. The potential is the start of
  // the next cycle and its result. To be set in the interior before begin(): the source, which cycles change, and the potential
  // (zero at first) as a guess.
  const solvers::PatchLayout& layout() const { return layout_; }
  double* potential(std::size_t leaf) { return leaves_[leaf]->slot + of(potential_); }
  double* source(std::size_t leaf) { return leaves_[leaf]->slot + of(rhs_); }
  // Whether a face of a leaf is one of the domain with values; the halo beyond it holds 2 value - potential.
  bool has_values(std::size_t leaf, int face) const {
    const auto number = static_cast<std::size_t>(face);
    return leaves_[leaf]->beyond[number] == mesh::Beyond::outside &&
           boundaries_[number] == solvers::EllipticBoundary::value;
  }
  double width(std::size_t leaf) const { return width(leaves_[leaf]->cell.level); }  // of a volume

  // Whether the solution is free up to a constant: no face has a value. Then the mean of the source must be zero.
  bool is_singular() const { return is_singular_; }
  // The potential on faces of kind `value`, at points on the domain's faces and on their planes close by; zero at first.
  // Calls `value` concurrently.
  void set_boundary_values(const std::function<double(const Point<D>&)>& value, ThreadTeam& team);

  // Before the first cycle, or differentiate(), after a change of potential, source or boundary values. Collective.
  enum class Before : bool { cycle, differentiate };
  void begin(ThreadTeam& team, Before what = Before::differentiate) { begin(team, coarsest_level(), what); }
  // One V(2,2). Collective.
  void cycle(ThreadTeam& team) { cycle(team, coarsest_level()); }

  // Makes differences() those of the present potential, until the next begin() or cycle(). Collective.
  void differentiate(ThreadTeam& team) { differentiate(team, coarsest_level()); }

  // The same for cells of level `first` and finer only, beside a given potential of coarser leaves, of which only those of the next
  // coarser level are read: the refined cells of that level are relaxed, not solved for, and no coarser one is looked at. The
  // result is close to the solution if the potential before was: errors that extend over many volumes of that level are left as
  // they are. For steps of fine levels within those of coarser ones. first: coarsest_level() or finer.
  void begin(ThreadTeam& team, int first, Before what = Before::differentiate);
  void cycle(ThreadTeam& team, int first);
  void differentiate(ThreadTeam& team, int first);
  // Of the grid that is solved exactly; leaves may all be finer.
  int coarsest_level() const { return levels_.front()->level(); }

  // Of a leaf: the differences of the potentials beside each volume along each axis, which give the mean of the gradients
  // through its two faces, and h^2 A u: [axis][volume] and [volume]. Concurrently.
  void differences(std::size_t leaf, double* first, double* second) const;

  std::size_t bytes() const;

 private:
  using Level = mesh::CellLevel<D>;
  using Patch = typename Level::Patch;
  using Halo = typename Level::Halo;

  // The unknowns of a slot. Of a leaf the halo planes of the right-hand side hold u_c beside coarser leaves and the mismatch
  // beside finer ones, where the layer inside has it subtracted; of a refined cell, the mean gradients of its children beside
  // leaves, then the mismatch. The source is kept by leaves beside refined cells only.
  enum Unknown : int {
    potential_,
    rhs_,
    source_,
    before_ = source_
  };  // before: of refined cells, then the correction
  std::ptrdiff_t of(int unknown) const { return unknown * layout_.unknown_stride(); }
  double width(int level) const { return domain_.width(level) / layout_.p; }

  // Halo volumes beyond a face of the domain, in the order in which they are filled.
  struct Ghosts {
    std::int32_t patch;
    std::uint8_t face;
    solvers::Box<D> box;
    std::size_t values = 0;  // number of the first; only at faces of kind `value`
  };
  struct LevelBoundary {
    std::vector<Ghosts> faces, edges;
    std::vector<double> values;
  };

  using Weights = solvers::poisson::RelaxationWeights<D>;
  struct BothWeights {
    Weights of_cycle, of_refined;
  };

  void plan_boundary(const Level& level);
  void fill_boundary(std::size_t l, const std::vector<Ghosts>& ghosts, const Patch& patch) const;
  solvers::poisson::GhostSlopes<D> slopes_of(const Patch& patch) const;
  static bool touches_refined(const Patch& patch) {
    return !patch.is_refined && std::ranges::find(patch.beyond, mesh::Beyond::refined) != patch.beyond.end();
  }
  // Fills the halos of a patch beyond faces of the domain and beside coarser leaves; those of all faces but what comes from far; of
  // a level, those of all faces.
  void fill_ends(std::size_t l, const Patch& patch) const;
  void fill_halo(std::size_t l, const Patch& patch) const;
  void fill_faces(std::size_t l, ThreadTeam& team);
  // Fills all halos of level l that level l + 1 reads, and interpolates the potential to it. Halos of leaves are filled if they are
  // read before the next relaxation.
  enum class Fill : bool { refined, all };
  void pass_potential_down(std::size_t l, Fill fill, ThreadTeam& team);
  void relax(std::size_t l, ThreadTeam& team);
  // In place of a solution for refined cells whose coarser neighbours are given.
  void relax_refined(std::size_t l, ThreadTeam& team);
  void restrict_potential(std::size_t l, ThreadTeam& team);
  // Residuals and fluxes of level l to the right-hand side of level l - 1; or only the fluxes, to its leaves.
  enum class Residuals : bool { left_out, restricted };
  void restrict_residual(std::size_t l, Residuals residuals, ThreadTeam& team);
  void start_correction(std::size_t l, ThreadTeam& team);
  void correct(std::size_t l, ThreadTeam& team);
  void solve_coarsest(ThreadTeam& team);
  // To the level before l0, if there is one, and the potential back to l0 and finer levels.
  void restrict_everywhere(ThreadTeam& team, std::size_t l0, Fill fill);
  void relax_once(std::size_t l, const Patch& patch, int half, Weights BothWeights::*weights) const;

  static constexpr double omega = 1.25;
  static constexpr int sweeps = 2;
  // Without a coarser level: a compromise for 10 to 50 volumes between leaves.
  static constexpr double omega_of_refined = 1.7;
  static constexpr int sweeps_of_refined = 12;

  mesh::Domain<D> domain_;
  Boundaries boundaries_;
  bool is_singular_ = false;
  solvers::PatchLayout layout_;  // of one unknown
  std::vector<std::unique_ptr<Level>> levels_;
  std::vector<LevelBoundary> of_boundary_;
  std::map<solvers::poisson::GhostSlopes<D>, BothWeights> weights_;
  std::vector<std::vector<const BothWeights*>> weights_of_;  // [level][patch]
  std::vector<const Patch*> leaves_;
  std::unique_ptr<solvers::BoxPoisson<D>> coarsest_;
  std::vector<mesh::Cell<D>> coarsest_cells_;  // of all ranks, in curve order
};

}  // namespace meander::tasks
