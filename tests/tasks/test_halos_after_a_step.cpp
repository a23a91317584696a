// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// A step fills halos piece by piece while leaves are updated and corrected. The result equals a fill of all
// halos from the interiors after the step.

#include <gtest/gtest.h>

#include <cstring>

#include "physics/euler/solver.hpp"
#include "tasks/step.hpp"
#include "tests/solvers/patches.hpp"
#include "tests/tasks/nested_gas.hpp"

namespace meander::tasks {
namespace {

struct Case {
  int p;
  std::string scheme;
  bool device;
};

// The volumes that coarser halos read of small patches include those that flux correction changes.
template <int D>
void expect_full_halos(const Case& c) {
  const auto solver = euler::make_solver(D, {}, {.scheme = c.scheme});
  ThreadTeam team(2);
  const auto nested = nested_mesh<D>(*solver, c.p, mesh::boundary::outflow, team);
  mesh::PatchMesh<D>& mesh = *nested;
  const solvers::PatchLayout& layout = mesh.layout();
  const solvers::HaloShape shape = solver->traits().halo_shape;

  const auto engine = c.device ? engine_of_small_batches() : nullptr;
  Step<D> traversal(mesh, *solver, team, engine.get());
  double t = 0;
  for (int step = 0; step < 3; ++step) {
    const double dt = 0.1 / (27 * c.p * D);
    ASSERT_FALSE(traversal.advance(t, dt, t + dt).failed)
        << D << "D, p = " << c.p << ", scheme " << c.scheme << ", step " << step;
    t += dt;
    const auto left = slots_of<D>(mesh);
    mesh.fill_halos(t, team);
    for (std::size_t leaf = 0; leaf < mesh.size(); ++leaf) {
      const double* filled = mesh.patches()[leaf].q;
      solvers::test::for_volumes(layout, layout.h, [&](int i, int j, int k) {
        if (!solvers::test::is_read(layout, shape, i, j, k)) return;
        for (int n = 0; n < layout.unknowns; ++n) {
          const auto at = static_cast<std::size_t>(layout.at(n, i, j, k));
          ASSERT_EQ(std::memcmp(&left[leaf][at], &filled[at], sizeof(double)), 0)
              << D << "D, p = " << c.p << ", scheme " << c.scheme << ", step " << step << ", leaf " << leaf
              << " of level " << mesh.levels()[leaf] << ", volume " << i << ' ' << j << ' ' << k;
        }
      });
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
