// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// A step fills halos piece by piece while leaves are updated and corrected. The result equals a fill of all
// halos from the interiors after the step.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/vec.hpp"
#include "gpu/host_device.hpp"
#include "physics/euler/solver.hpp"
#include "tasks/traversal.hpp"

namespace meander::tasks {
namespace {

// A gas without smooth regions, so that every flux correction and every restriction has an effect.
template <int D>
void fill(const solvers::PatchLayout& layout, const solvers::PatchTask& patch) {
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

struct Case {
  int p;
  std::string scheme;
  bool device;
};

// Refined towards the centre as fast as balance permits: some leaves have a coarser neighbour on one side and
// a finer one on the other. The volumes that coarser halos read of small patches include those that flux
// correction changes.
template <int D>
void expect_full_halos(const Case& c) {
  const auto solver = euler::make_solver(D, {}, {.scheme = c.scheme});
  mesh::Domain<D> domain;
  domain.base_cells.fill(1);
  mesh::Boundaries<D> boundaries;
  boundaries.fill(&mesh::boundary::outflow);
  mesh::PatchMesh<D> mesh(mesh::DistributedTree<D>::uniform(domain, 1, {}), *solver, c.p, boundaries, {},
                          gpu::host_memory());
  ThreadTeam team(2);
  const int finest = 3;
  for (int level = 1; level < finest; ++level) {
    std::vector<mesh::Adapt> flags(mesh.size(), mesh::Adapt::keep);
    for (std::size_t leaf = 0; leaf < mesh.size(); ++leaf) {
      const auto& patch = mesh.patches()[leaf];
      const double width = c.p * patch.dx;
      if (std::all_of(patch.lower, patch.lower + D, [&](double x) { return x < 0.5 && x + width > 0.5; }))
        flags[leaf] = mesh::Adapt::refine;
    }
    ASSERT_TRUE(mesh.adapt(flags, 1, finest, 0, team));
  }
  for (const auto& patch : mesh.patches()) fill<D>(mesh.layout(), patch);
  mesh.fill_halos(0, team);

  std::unique_ptr<OffloadEngine> engine;
  if (c.device) {
    std::vector<std::unique_ptr<gpu::Device>> devices;
    devices.push_back(std::make_unique<gpu::HostDevice>(gpu::HostDeviceSettings{}));
    OffloadOptions options;
    options.batch = 2;
    engine = std::make_unique<OffloadEngine>(std::move(devices), options);
  }
  Traversal<D> traversal(mesh, *solver, team, engine.get());
  double t = 0;
  for (int step = 0; step < 3; ++step) {
    const double dt = 0.1 / (ipow(3.0, finest) * c.p * D);
    ASSERT_FALSE(traversal.advance(t, dt, t + dt).failed)
        << D << "D, p = " << c.p << ", scheme " << c.scheme << ", step " << step;
    t += dt;
    const auto size = static_cast<std::size_t>(mesh.layout().slot_size());
    std::vector<std::vector<double>> left;
    for (const auto& patch : mesh.patches()) left.emplace_back(patch.q, patch.q + size);
    mesh.fill_halos(t, team);
    for (std::size_t leaf = 0; leaf < mesh.size(); ++leaf) {
      ASSERT_EQ(std::memcmp(left[leaf].data(), mesh.patches()[leaf].q, size * sizeof(double)), 0)
          << D << "D, p = " << c.p << ", step " << step << ", leaf " << leaf << " of level "
          << mesh.levels()[leaf];
    }
  }
}

TEST(HalosAfterAStep, EqualThoseOfTheNewState) {
  for (const int p : {3, 4, 6, 7}) {
    for (const std::string scheme : {"godunov", "muscl"}) {
      if (scheme == "muscl" && p < 6) continue;  // an adaptive mesh takes three times the halo
      for (const bool device : {false, true}) {
        expect_full_halos<2>({p, scheme, device});
        if (p < 7) expect_full_halos<3>({p, scheme, device});
      }
    }
  }
}

}  // namespace
}  // namespace meander::tasks
