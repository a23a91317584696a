// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The multigrid method on patches in the memory of a device: each operation of a level is a launch over its cells
// (solvers/poisson_batch.hpp). Halos of patches beside each other are read in the launch that needs them, so that a half sweep is
// one launch on one rank. The coarsest grid is solved by the host.

#include <memory>
#include <vector>

#include "gpu/device_array.hpp"
#include "mesh/device_messages.hpp"
#include "tasks/poisson_multigrid.hpp"

namespace meander::tasks {

template <int D>
class DevicePoisson final : public PoissonMultigrid<D> {
  using Base = PoissonMultigrid<D>;

 public:
  using typename Base::Boundaries;

  // As of PoissonMultigrid. memory: of the device. Work goes to the queue of the launches. All outlive this.
  DevicePoisson(const mesh::DistributedTree<D>& tree, int p, const Boundaries& boundaries,
                mesh::DeviceLaunches& launches, gpu::Resource& memory);
  ~DevicePoisson() override;
  // Sends the tables to the device: before all other calls. Throws gpu::OutOfMemory, DeviceError.
  void upload();

  void set_boundary_values(const std::function<double(const Point<D>&)>& value, ThreadTeam& team) override;
  std::size_t bytes() const override;
  // Before there is one, without messages.
  static std::size_t estimated_bytes(std::size_t leaves, int p);

 private:
  using typename Base::Fill;
  using typename Base::Halo;
  using typename Base::Level;
  using typename Base::Patch;
  using typename Base::Relaxation;
  using typename Base::Residuals;
  using CellKind = solvers::poisson::CellBatch::Kind;
  using Base::boundaries_, Base::layout_, Base::levels_, Base::of_boundary_;
  using Base::omega, Base::omega_of_refined, Base::sweeps, Base::sweeps_of_refined;
  using Base::width_at;

  void keep_source(std::size_t l, ThreadTeam& team) override;
  void relax(std::size_t l, Relaxation relaxation, ThreadTeam& team) override;
  void fill_faces(std::size_t l, ThreadTeam& team) override;
  void pass_potential_down(std::size_t l, Fill fill, ThreadTeam& team) override;
  void restrict_potential(std::size_t l, ThreadTeam& team) override;
  void restrict_residual(std::size_t l, Residuals residuals, ThreadTeam& team) override;
  void keep_potential(std::size_t l, ThreadTeam& team) override;
  void add_correction(std::size_t l, ThreadTeam& team) override;
  void add_mismatch(std::size_t l, ThreadTeam& team) override;
  std::vector<double> coarsest_residual(ThreadTeam& team) override;
  void add_to_coarsest(const std::vector<double>& correction, ThreadTeam& team) override;

  template <class T>
  using Array = gpu::DeviceArray<T>;
  using CopyItem = solvers::poisson::CopyItem;
  // Copies on this rank, and those from and to the buffers of messages.
  struct Copies {
    Copies(mesh::DeviceLaunches& launches, gpu::Resource& memory);
    Array<CopyItem> here, packed, unpacked;
    mesh::DeviceMessages messages;
  };
  struct OfLevel {
    OfLevel(mesh::DeviceLaunches& launches, gpu::Resource& memory);
    Array<solvers::poisson::DeviceCell> cells;
    Array<solvers::poisson::DeviceGhosts> ghosts;
    Array<double> values;
    Copies faces, edges, planes, parents;
    // Restrictions to the coarser level.
    Array<solvers::poisson::DeviceFamily> families;
    Array<solvers::FillPart> parts;
    Array<solvers::poisson::PartItem> part_items;
    mesh::DeviceMessages part_messages;
  };

  void upload(std::size_t l);
  void upload_cells(std::size_t l);
  void upload_restrictions(std::size_t l);
  void upload_copies(Copies& copies, typename Level::Mail& mail,
                     const std::vector<typename Level::Copy>& here);
  Copies& of_halo(std::size_t l, Halo halo);
  void exchange(Copies& copies, int unknown);
  // A launch over all cells of a level.
  solvers::poisson::CellBatch cells(std::size_t l, CellKind kind) const;
  void launch(const char* name, std::size_t l, CellKind kind, bool only_refined = false);
  void restrict_to_parents(std::size_t l, solvers::poisson::Restricted what);

  mesh::DeviceLaunches& launches_;
  gpu::Resource& memory_;
  std::vector<std::unique_ptr<OfLevel>> of_level_;
  Array<double> coarsest_;  // numbers of its volumes
  parallel::MessageBuffer coarsest_here_;
};

}  // namespace meander::tasks
