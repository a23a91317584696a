// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A gas without smooth regions on nested levels, for tests of whole steps.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/vec.hpp"
#include "gpu/host_device.hpp"
#include "mesh/patch_mesh.hpp"
#include "offload/engine.hpp"
#include "tests/solvers/patches.hpp"

namespace meander::tasks {

// Sizes of patches and schemes of one stage.
struct GasCase {
  int p;
  std::string scheme, riemann;
};
inline const std::vector<GasCase> gas_cases = {
    {3, "godunov", "rusanov"}, {4, "godunov", "hllc"}, {7, "muscl", "rusanov"}, {6, "muscl", "hllc"}};

// Offloads to one emulated device, two patches at a time.
inline std::unique_ptr<offload::Engine> engine_of_small_batches() {
  std::vector<std::unique_ptr<gpu::Device>> devices;
  devices.push_back(std::make_unique<gpu::HostDevice>(gpu::HostDeviceSettings{}));
  offload::Options options;
  options.batch = 2;
  return std::make_unique<offload::Engine>(std::move(devices), options);
}

// Every flux correction and every restriction has an effect.
template <int D>
void fill_with_gas(const solvers::PatchLayout& layout, const solvers::PatchTask& patch) {
  const int p = layout.p;
  for (int v = 0; v < layout.volumes(); ++v) {
    Index<D> i{};
    double phase = 0;
    for (int a = 0, rest = v; a < D; ++a, rest /= p) {
      i[a] = rest % p;
      phase += (17.0 + 8 * a) * (patch.lower[a] + (i[a] + 0.5) * patch.dx);
    }
    const double rho = 1 + 0.3 * std::sin(phase);
    double kinetic = 0;
    patch.q[layout.at(0, i)] = rho;
    for (int a = 0; a < D; ++a) {
      const double u = 0.2 * std::cos(3 * phase + a);
      patch.q[layout.at(1 + a, i)] = rho * u;
      kinetic += 0.5 * rho * u * u;
    }
    patch.q[layout.at(D + 1, i)] = kinetic + 1.5 + 0.5 * std::sin(5 * phase);
  }
}

// Levels 1 to 3, or three levels from another coarsest one, refined towards the centre as fast as balance permits:
// some leaves have a coarser neighbour on one side and a finer one on the other.
template <int D>
std::unique_ptr<mesh::PatchMesh<D>> nested_mesh(const solvers::Solver& solver, int p,
                                                const mesh::BoundaryCondition& boundary, ThreadTeam& team,
                                                const parallel::Communicator& communicator = {},
                                                mesh::GivenBoundary given = nullptr, int coarsest = 1) {
  mesh::Domain<D> domain;
  domain.base_cells.fill(1);
  domain.periodic.fill(boundary.is_periodic());
  mesh::Boundaries<D> boundaries;
  boundaries.fill(&boundary);
  auto mesh =
      std::make_unique<mesh::PatchMesh<D>>(mesh::DistributedTree<D>::uniform(domain, coarsest, communicator),
                                           solver, p, boundaries, std::move(given), gpu::host_memory());
  const int finest = coarsest + 2;
  for (int level = coarsest; level < finest; ++level) {
    std::vector<mesh::Adapt> flags(mesh->size(), mesh::Adapt::keep);
    for (std::size_t leaf = 0; leaf < mesh->size(); ++leaf) {
      const auto& patch = mesh->patches()[leaf];
      const double width = p * patch.dx;
      if (std::all_of(patch.lower, patch.lower + D, [&](double x) { return x < 0.5 && x + width > 0.5; }))
        flags[leaf] = mesh::Adapt::refine;
    }
    EXPECT_TRUE(mesh->adapt(flags, coarsest, finest, 0, team));
  }
  for (const auto& patch : mesh->patches()) {
    std::fill_n(patch.q, mesh->layout().slot_size(), 0.0);  // corners, which no scheme reads
    fill_with_gas<D>(mesh->layout(), patch);
  }
  mesh->fill_halos(0, team);
  return mesh;
}

// The slots of all leaves, with halos.
template <int D>
std::vector<std::vector<double>> slots_of(const mesh::PatchMesh<D>& mesh) {
  const auto size = static_cast<std::size_t>(mesh.layout().slot_size());
  std::vector<std::vector<double>> slots;
  for (const auto& patch : mesh.patches()) slots.emplace_back(patch.q, patch.q + size);
  return slots;
}
// To the bit: kernels leave values that are no numbers in volumes that no scheme reads.
template <int D>
bool slots_equal(const mesh::PatchMesh<D>& a, const mesh::PatchMesh<D>& b) {
  const auto of_a = slots_of<D>(a), of_b = slots_of<D>(b);
  return std::ranges::equal(of_a, of_b, [](const auto& x, const auto& y) {
    return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(double)) == 0;
  });
}
// Without what schemes with halos of this shape do not read: two ways to fill halos may leave different values there.
template <int D>
std::vector<std::vector<double>> slots_of(const mesh::PatchMesh<D>& mesh, solvers::HaloShape shape) {
  auto slots = slots_of<D>(mesh);
  for (auto& slot : slots) solvers::test::poison_unread(mesh.layout(), slot.data(), shape);
  return slots;
}

}  // namespace meander::tasks
