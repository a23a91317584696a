// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// A step with devices is bitwise identical to a step without: for schemes of one stage and of four stages,
// with stage blocks, without fluxes.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "gpu/host_device.hpp"
#include "physics/ccz4/solver.hpp"
#include "physics/ccz4/unknowns.hpp"
#include "tasks/step.hpp"

namespace meander::tasks {
namespace {

using ccz4::Scheme;
namespace at = ccz4::at;

// Nearly flat space.
double field(int unknown, const Point<3>& x) {
  const double ripple = 1e-4 * std::sin(6.28 * x[0] + unknown) * std::cos(6.28 * (x[1] - x[2]));
  const bool one = unknown == at::g || unknown == at::g + 3 || unknown == at::g + 5 || unknown == at::a ||
                   unknown == at::phi;
  return ripple + (one ? 1 : 0);
}

struct Outcome {
  std::vector<double> state;
  solvers::Status status;
  std::int64_t offloaded = 0;
};

Outcome steps(Scheme scheme, int p, bool adaptive, int threads, offload::Engine* engine) {
  ccz4::Parameters parameters;
  parameters.scheme = scheme;
  const auto solver = ccz4::make_solver(parameters);
  mesh::Domain<3> domain;
  domain.base_cells.fill(1);
  domain.periodic.fill(true);
  mesh::Boundaries<3> boundaries;
  boundaries.fill(&mesh::boundary::periodic);
  mesh::PatchMesh<3> mesh(mesh::DistributedTree<3>::uniform(domain, 1, {}), *solver, p, boundaries, {},
                          gpu::host_memory());
  ThreadTeam team(threads);
  if (adaptive) {
    std::vector<mesh::Adapt> flags(mesh.size(), mesh::Adapt::keep);
    flags[13] = mesh::Adapt::refine;
    EXPECT_TRUE(mesh.adapt(flags, 1, 2, 0, team));
  }
  const auto& layout = mesh.layout();
  for (const auto& patch : mesh.patches()) {
    for (int v = 0; v < p * p * p; ++v) {
      const Index<3> i{v % p, v / p % p, v / p / p};
      Point<3> x;
      for (std::size_t a = 0; a < 3; ++a) x[a] = patch.lower[a] + (i[a] + 0.5) * patch.dx;
      for (int u = 0; u < layout.unknowns; ++u) patch.q[layout.at(u, i)] = field(u, x);
    }
  }
  mesh.fill_halos(0, team);
  Step<3> traversal(mesh, *solver, team, engine);
  Outcome outcome;
  const double dt = 0.1 * mesh.patches().back().dx / 3;
  for (int step = 0; step < 2; ++step) outcome.status = traversal.advance(step * dt, dt, (step + 1) * dt);
  EXPECT_FALSE(outcome.status.failed);
  for (const auto& patch : mesh.patches()) {
    for (int v = 0; v < p * p * p; ++v) {
      const Index<3> i{v % p, v / p % p, v / p / p};
      for (int u = 0; u < layout.unknowns; ++u) outcome.state.push_back(patch.q[layout.at(u, i)]);
    }
  }
  if (engine != nullptr) outcome.offloaded = engine->counts().patches;
  return outcome;
}

void expect_same_bits(Scheme scheme, int p, bool adaptive) {
  const Outcome reference = steps(scheme, p, adaptive, 1, nullptr);
  for (const char* memory : {"pooled", "map", "unified"}) {
    for (const bool failing : {false, true}) {
      gpu::HostDeviceSettings settings;
      if (failing) settings.failing_launch = 2;
      std::vector<std::unique_ptr<gpu::Device>> devices;
      devices.push_back(std::make_unique<gpu::HostDevice>(settings));
      offload::Options options;
      options.batch = adaptive ? 1 : 3;
      options.memory = memory;
      offload::Engine engine(std::move(devices), options);
      const Outcome outcome = steps(scheme, p, adaptive, 3, &engine);
      EXPECT_GT(outcome.offloaded, 0);
      ASSERT_EQ(outcome.state.size(), reference.state.size());
      EXPECT_EQ(
          std::memcmp(outcome.state.data(), reference.state.data(), sizeof(double) * reference.state.size()),
          0)
          << memory;
      EXPECT_EQ(outcome.status.min_crossing(), reference.status.min_crossing());
      EXPECT_EQ(outcome.status.floored, reference.status.floored);
    }
  }
}

TEST(EnclaveSweep, FourStagesAreBitwiseIdentical) {
  expect_same_bits(Scheme::fourth_order, 4, false);
}
TEST(EnclaveSweepLong, FourStagesAtAResolutionJumpAreBitwiseIdentical) {
  expect_same_bits(Scheme::fourth_order, 9, true);
}
TEST(EnclaveSweep, SingleStageIsBitwiseIdentical) {
  expect_same_bits(Scheme::rusanov, 4, true);
}

}  // namespace
}  // namespace meander::tasks
