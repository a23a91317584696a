// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/euler/fields/device_gravity.hpp"

#include <algorithm>

#include "mesh/device_local_steps.hpp"
#include "mesh/device_tables.hpp"

namespace meander::euler {

template <int D>
DeviceGravity<D>::DeviceGravity(mesh::PatchMesh<D>& mesh, const tasks::PoissonMultigrid<D>& solver,
                                bool conserves_energy, std::span<const solvers::Multipoles<D>> of_volume)
    : mesh_(mesh),
      patches_(*mesh.residence().device()),
      launches_(patches_.launches()),
      of_potential_(solver.layout()),
      leaves_(launches_.device, patches_.memory()),
      acceleration_(launches_.device, patches_.memory()),
      work_(launches_.device, patches_.memory()),
      given_(launches_.device, patches_.memory()),
      numbers_(launches_.device, patches_.memory()),
      lanes_(launches_.device, patches_.memory()),
      of_volume_(launches_.device, patches_.memory()) {
  using Moments = solvers::Multipoles<D>;
  const std::size_t leaves = mesh.size();
  const auto volumes = static_cast<std::size_t>(mesh.layout().volumes());
  acceleration_.resize(launches_.queue, leaves * D * volumes);
  if (conserves_energy) work_.resize(launches_.queue, leaves * volumes);
  given_.resize(launches_.queue, leaves * D);
  numbers_.resize(launches_.queue, leaves * numbers_of_leaf);
  lanes_.resize(launches_.queue,
                leaves * std::size_t{solvers::PotentialNumbers<D>::count * solvers::potential_lanes});
  numbers_here_ = {launches_.host_memory, leaves * numbers_of_leaf};
  std::vector<solvers::PotentialLeaf> table(leaves);
  for (std::size_t index = 0; index < leaves; ++index) {
    const auto leaf = static_cast<std::size_t>(mesh.exchange().order()[index]);
    solvers::PotentialLeaf& entry = table[leaf];
    entry.q = patches_.table()[index].slot;
    entry.u = solver.potential(leaf);
    entry.acceleration = acceleration_.data() + leaf * D * volumes;
    if (conserves_energy) entry.work = work_.data() + leaf * volumes;
    entry.given = given_.data() + leaf * D;
    entry.level = static_cast<std::uint8_t>(mesh.levels()[leaf]);
    entry.h = solver.width(leaf);
    for (int face = 0; face < 2 * D; ++face) {
      if (solver.has_values(leaf, face))
        entry.open = static_cast<solvers::poisson::Faces>(entry.open | 1 << face);
    }
  }
  launches_.upload(leaves_, table);
  std::vector<double> moments;
  for (const Moments& of_one : of_volume) {
    for (int n = 0; n < Moments::count; ++n)
      moments.insert(moments.end(), {of_one[n].real(), of_one[n].imag()});
  }
  launches_.upload(of_volume_, moments);
}

template <int D>
void DeviceGravity<D>::run(const char* name, const Work& work, ThreadTeam&) {
  using Kind = Work::Kind;
  if (work.kind == Kind::kick || work.kind == Kind::keep || work.clears)
    mesh_.residence().changed_on_device();
  if (work.kind == Kind::differentiate) is_here_ = false;
  submit(name, work);
}

template <int D>
void DeviceGravity<D>::submit(const char* name, const Work& work,
                              const Array<solvers::PotentialCopy>* copies) {
  solvers::PotentialBatch batch;
  static_cast<Work&>(batch) = work;
  batch.count = static_cast<int>(copies == nullptr ? leaves_.size() : copies->size());
  batch.leaves = leaves_.data();
  batch.copies = copies == nullptr ? nullptr : copies->data();
  batch.numbers = numbers_.data();
  batch.lanes = lanes_.data();
  batch.layout = mesh_.layout();
  batch.of_potential = of_potential_;
  batch.of_volume = of_volume_.data();
  batch.moments = 2 * solvers::Multipoles<D>::count;
  launches_.launch(name, solvers::FieldBatch(batch));
}

template <int D>
void DeviceGravity<D>::list_copies() {
  mesh::LocalSteps<D>& steps = mesh_.local_steps();
  for (int level = steps.coarsest(); level < steps.finest(); ++level) {
    const auto sources = steps.coarse(level).sources();
    std::vector<solvers::PotentialCopy> table(sources.size());
    for (std::size_t i = 0; i < sources.size(); ++i) {
      table[i].q = mesh_.residence().local_steps().combined(i);
      table[i].leaf = sources[i].leaf;
      mesh::set_box<D>(table[i], sources[i].box);
    }
    launches_.upload(copies_.try_emplace(level, launches_.device, patches_.memory()).first->second, table);
  }
}

template <int D>
void DeviceGravity<D>::kick_copies(int level, const Work& work, ThreadTeam&) {
  submit("kick copies", work, &copies_.at(level));
}

template <int D>
std::span<const double> DeviceGravity<D>::numbers(const char* name, const Work& work, int count,
                                                  ThreadTeam& team) {
  run(name, work, team);
  const std::size_t all = leaves_.size() * static_cast<std::size_t>(count);
  launches_.copy_out(numbers_here_.data(), numbers_.data(), all);
  launches_.wait_for_all();
  return {numbers_here_.data(), all};
}

template <int D>
const double* DeviceGravity<D>::acceleration(std::size_t leaf) const {
  if (!is_here_.load(std::memory_order_acquire)) {
    const std::lock_guard lock(fetching_);
    if (!is_here_.load(std::memory_order_relaxed)) {
      acceleration_here_.resize(acceleration_.size());
      launches_.copy_out(acceleration_here_.data(), acceleration_.data(), acceleration_.size());
      launches_.wait_for_all();
      is_here_.store(true, std::memory_order_release);
    }
  }
  return acceleration_here_.data() + leaf * static_cast<std::size_t>(D * mesh_.layout().volumes());
}

template <int D>
std::size_t DeviceGravity<D>::bytes() const {
  return leaves_.bytes() + acceleration_.bytes() + work_.bytes() + given_.bytes() + numbers_.bytes() +
         lanes_.bytes() + of_volume_.bytes();
}

template <int D>
std::size_t DeviceGravity<D>::estimated_bytes(std::size_t leaves, int p, bool conserves_energy) {
  const solvers::PatchLayout layout(D, p, 0, 1);
  const auto volumes = static_cast<std::size_t>(layout.volumes());
  const std::size_t doubles = (D + (conserves_energy ? 1 : 0)) * volumes + D + numbers_of_leaf +
                              std::size_t{solvers::PotentialNumbers<D>::count * solvers::potential_lanes};
  return leaves * (doubles * sizeof(double) + sizeof(solvers::PotentialLeaf));
}

template class DeviceGravity<2>;
template class DeviceGravity<3>;

}  // namespace meander::euler
