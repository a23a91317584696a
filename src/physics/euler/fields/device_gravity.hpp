// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Self-gravity of leaves in the memory of a device, by the kernels of solvers/field_batch.hpp. A few numbers of each leaf come to the
// host.

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <span>
#include <vector>

#include "gpu/device_array.hpp"
#include "mesh/patch_mesh.hpp"
#include "physics/euler/fields/leaf_gravity.hpp"
#include "solvers/multipoles.hpp"
#include "tasks/poisson_multigrid.hpp"

namespace meander::euler {

template <int D>
class DeviceGravity final : public LeafGravity {
 public:
  // For the leaves of the mesh as they are now; mesh and solver are on a device and outlive this. of_volume: multipoles of a unit
  // source in each volume of a patch. Throws gpu::OutOfMemory, DeviceError.
  DeviceGravity(mesh::PatchMesh<D>& mesh, const tasks::PoissonMultigrid<D>& solver, bool conserves_energy,
                std::span<const solvers::Multipoles<D>> of_volume);

  void run(const char* name, const Work& work, ThreadTeam& team) override;
  std::span<const double> numbers(const char* name, const Work& work, int count, ThreadTeam& team) override;
  void list_copies() override;
  void kick_copies(int level, const Work& work, ThreadTeam& team) override;
  const double* acceleration(std::size_t leaf) const override;
  std::size_t bytes() const override;
  // Before there is one, without tables of local steps.
  static std::size_t estimated_bytes(std::size_t leaves, int p, bool conserves_energy);

 private:
  template <class T>
  using Array = gpu::DeviceArray<T>;
  // Numbers of a leaf that come to the host, at most.
  static constexpr std::size_t numbers_of_leaf = std::max<std::size_t>(
      solvers::PotentialNumbers<D>::count, std::size_t{2 * solvers::Multipoles<D>::count});

  void submit(const char* name, const Work& work, const Array<solvers::PotentialCopy>* copies = nullptr);

  mesh::PatchMesh<D>& mesh_;
  mesh::DevicePatches<D>& patches_;
  mesh::DeviceLaunches& launches_;
  const solvers::PatchLayout of_potential_;
  Array<solvers::PotentialLeaf> leaves_;
  Array<double> acceleration_, work_, given_, numbers_, lanes_, of_volume_;
  std::map<int, Array<solvers::PotentialCopy>> copies_;  // by level
  parallel::MessageBuffer numbers_here_;
  mutable std::vector<double> acceleration_here_;
  mutable std::atomic<bool> is_here_{false};
  mutable std::mutex fetching_;
};

}  // namespace meander::euler
