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
// No bit depends on ranks or threads, nor on where the patches live: the cycle is here, its operations on the cells of a level are
// in host_poisson.hpp and device_poisson.hpp.

#include <functional>
#include <memory>
#include <memory_resource>
#include <span>
#include <vector>

#include "mesh/cell_level.hpp"
#include "solvers/box_poisson.hpp"
#include "solvers/poisson_batch.hpp"

namespace meander::tasks {

template <int D>
class PoissonMultigrid {
 public:
  using Boundaries = Vec<solvers::EllipticBoundary, 2 * D>;

  virtual ~PoissonMultigrid() = default;
  PoissonMultigrid(const PoissonMultigrid&) = delete;
  PoissonMultigrid& operator=(const PoissonMultigrid&) = delete;

  // Own leaves in curve order: slots with the layout of one unknown and a halo of one layer. The potential is the start of
  // the next cycle and its result. To be set in the interior before begin(): the source, which cycles change, and the potential
  // (zero at first) as a guess. Where the patches live on a device, these are its addresses.
  const solvers::PatchLayout& layout() const { return layout_; }
  double* potential(std::size_t leaf) const {
    return leaves_[leaf]->slot + of(solvers::poisson::potential_row);
  }
  double* source(std::size_t leaf) const { return leaves_[leaf]->slot + of(solvers::poisson::rhs_row); }
  // Whether a face of a leaf is one of the domain with values; the halo beyond it holds 2 value - potential.
  bool has_values(std::size_t leaf, int face) const {
    const auto number = static_cast<std::size_t>(face);
    return leaves_[leaf]->beyond[number] == mesh::Beyond::outside &&
           boundaries_[number] == solvers::EllipticBoundary::value;
  }
  double width(std::size_t leaf) const { return width_at(leaves_[leaf]->cell.level); }  // of a volume

  // Whether the solution is free up to a constant: no face has a value. Then the mean of the source must be zero.
  bool is_singular() const { return is_singular_; }
  // The potential on faces of kind `value`, at points on the domain's faces and on their planes close by; zero at first.
  // Calls `value` concurrently.
  virtual void set_boundary_values(const std::function<double(const Point<D>&)>& value, ThreadTeam& team);

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

  // Memory of the host, or of the device.
  virtual std::size_t bytes() const;

 protected:
  using Level = mesh::CellLevel<D>;
  using Patch = typename Level::Patch;
  using Halo = typename Level::Halo;

  // p >= 3 volumes along an axis of each leaf. boundaries: by face; periodic exactly where the domain is. tree: balanced; not
  // kept. memory: of the residence. Throws gpu::OutOfMemory (several ranks: parallel::AgreedFailure). Collective.
  PoissonMultigrid(const mesh::DistributedTree<D>& tree, int p, const Boundaries& boundaries,
                   gpu::Resource& memory, mesh::Residence residence,
                   std::pmr::memory_resource& message_memory);

  // ---- What a cycle does to the cells of level l of levels_. Collective.
  virtual void keep_source(std::size_t l, ThreadTeam& team) = 0;
  enum class Relaxation : bool {
    of_cycle,
    of_refined  // in place of a solution for refined cells whose coarser neighbours are given
  };
  virtual void relax(std::size_t l, Relaxation relaxation, ThreadTeam& team) = 0;
  // Halos of all faces.
  virtual void fill_faces(std::size_t l, ThreadTeam& team) = 0;
  // Fills all halos of level l that level l + 1 reads, and interpolates the potential to it. Halos of leaves are filled if they are
  // read before the next relaxation.
  enum class Fill : bool { refined, all };
  virtual void pass_potential_down(std::size_t l, Fill fill, ThreadTeam& team) = 0;
  virtual void restrict_potential(std::size_t l, ThreadTeam& team) = 0;
  // Residuals and fluxes of level l to the right-hand side of level l - 1; or only the fluxes, to its leaves, whose halos are full.
  enum class Residuals : bool { left_out, restricted };
  virtual void restrict_residual(std::size_t l, Residuals residuals, ThreadTeam& team) = 0;
  virtual void keep_potential(std::size_t l, ThreadTeam& team) = 0;  // of refined cells
  // To level l: the change of the potential of level l - 1 since keep_potential().
  virtual void add_correction(std::size_t l, ThreadTeam& team) = 0;
  // Makes the potentials in halos of leaves beside refined cells those of the gradients there.
  virtual void add_mismatch(std::size_t l, ThreadTeam& team) = 0;
  // h^2 times the residual of own cells of the coarsest level, whose halos are full, in curve order; and what to add to them.
  virtual std::vector<double> coarsest_residual(ThreadTeam& team) = 0;
  virtual void add_to_coarsest(const std::vector<double>& correction, ThreadTeam& team) = 0;

  std::ptrdiff_t of(int unknown) const { return unknown * layout_.unknown_stride(); }
  double width_at(int level) const { return domain_.width(level) / layout_.p; }

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

  static constexpr double omega = 1.25;
  static constexpr int sweeps = 2;
  // Without a coarser level: a compromise for 10 to 50 volumes between leaves.
  static constexpr double omega_of_refined = 1.7;
  static constexpr int sweeps_of_refined = 12;

  mesh::Domain<D> domain_;
  Boundaries boundaries_;
  solvers::PatchLayout layout_;  // of one unknown
  std::vector<std::unique_ptr<Level>> levels_;
  std::vector<LevelBoundary> of_boundary_;

 private:
  void plan_boundary(const Level& level);
  void solve_coarsest(ThreadTeam& team);
  // To the level before l0, if there is one, and the potential back to l0 and finer levels.
  void restrict_everywhere(ThreadTeam& team, std::size_t l0, Fill fill);

  bool is_singular_ = false;
  std::vector<const Patch*> leaves_;
  std::unique_ptr<solvers::BoxPoisson<D>> coarsest_;
  std::vector<mesh::Cell<D>> coarsest_cells_;  // of all ranks, in curve order
};

}  // namespace meander::tasks
