// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Unknowns gathered at points are the same bits on all ranks, for any number of them, and where patches live on devices.

#include <algorithm>
#include <cmath>

#include "gpu/host_device.hpp"
#include "physics/ccz4/unknowns.hpp"
#include "simulation/diagnostics/point_gather.hpp"
#include "tests/simulation/mpi/outcome.hpp"
#include "tests/simulation/physics_run.hpp"

namespace meander::simulation {
namespace {

// A hole in a refined cell. Spheres about its middle cross faces, the resolution jump and the boundary of the domain.
constexpr const char* hole =
    "[domain]\nlower = [-2, -2, -2]\nupper = [2, 2, 2]\ncells = [2, 2, 2]\n[boundary]\nall = \"scenario\"\n"
    "[mesh]\npatch-size = 9\nmin-level = 1\nmax-level = 2\nbuffer = 0\n[solver]\nequation = \"ccz4\"\n"
    "scheme = \"fourth-order\"\n[scenario]\nname = \"puncture\"\ncentre = [1.05, 1.1, 0.95]\n"
    "[[refinement]]\nkind = \"punctures\"\nradii = [0.1]\n";

const std::vector<std::string> on_device = {"offload.device=host", "gpu-memory.patches=device"};

// A row of leaves, whose order on a device differs from that of the curve: those at a border of ranks come first.
constexpr const char* row_of_leaves =
    "[domain]\nlower = [0, 0, 0]\nupper = [4, 0.5, 0.5]\ncells = [8, 1, 1]\n[boundary]\nx = \"scenario\"\n"
    "y = \"periodic\"\nz = \"periodic\"\n[mesh]\npatch-size = 6\n[solver]\nequation = \"ccz4\"\n"
    "slicing = \"harmonic\"\ns = 0\n[scenario]\nname = \"gauge-wave\"\n";

Outcome gathered(const Config& config, const parallel::Communicator& communicator, int threads) {
  const auto simulation = make_simulation(config, threads, communicator);
  const StateView view = simulation->view();
  std::vector<SamplePoint> points = {{0, 0, 0}, {1, 1, 1}};
  for (int n = 0; n < 200; ++n) {
    const double z = -1 + n / 100.0, across = std::sqrt(1 - z * z), angle = 2.4 * n,
                 r = n % 2 == 0 ? 0.9 : 1.2;
    points.push_back({1 + r * across * std::cos(angle), 1 + r * across * std::sin(angle), 1 + r * z});
  }
  const int unknowns[] = {ccz4::at::phi, ccz4::at::g, ccz4::at::D + 3, ccz4::at::P};
  const GatheredPoints all = PointGather(view).gather(points, PointQuery(unknowns, 3));
  Outcome outcome;
  outcome.figures = all.values;
  for (const auto& derivative : all.derivatives)
    outcome.figures.insert(outcome.figures.end(), derivative.begin(), derivative.end());
  outcome.numbers.assign(all.levels.begin(), all.levels.end());
  return outcome;
}

TEST(PointGatherOnRanks, ChangesNoBit) {
  for (const char* input : {hole, row_of_leaves}) {
    Config config = physics_input(input);
    const Outcome reference = alone([&](const auto& one) { return gathered(config, one, 1); });
    EXPECT_EQ(*std::ranges::min_element(reference.numbers), -1);
    EXPECT_EQ(*std::ranges::max_element(reference.numbers), 2);
    expect_same(gathered(config, world(), world().size() == 1 ? 2 : 1), reference, "several ranks");
    config = physics_input(input, on_device);
    config.offload.make_devices = [] {
      std::vector<std::unique_ptr<gpu::Device>> devices;
      if (world().rank() % 2 == 0)
        devices.push_back(std::make_unique<gpu::HostDevice>(gpu::HostDeviceSettings{}));
      return devices;
    };
    expect_same(gathered(config, world(), 1), reference, "some ranks on devices");
  }
}

// A search of a horizon that crosses faces of patches and the resolution jump, a restart, and a search from the first
// surface.
Outcome searched(const parallel::Communicator& communicator, int threads,
                 std::vector<std::string> settings = {}) {
  settings.insert(settings.end(), {"scenario.mass=1.1", "scenario.centre=[0.48, 1.05, 0.95]"});
  const Config config = physics_input(hole + std::string("[[horizon]]\nl-max = 6\n"), settings);
  const auto simulation = make_simulation(config, threads, communicator);
  StateView view = simulation->view();
  Outcome outcome;
  io::CheckpointState state;
  for (int n = 0; n < 2; ++n) {
    const auto searches = config.diagnostics.back()->start();
    if (n > 0) searches->resume(state);
    view.t = 1.5 * n;
    const io::Row row = searches->rows(view).rows.at(0);
    EXPECT_NE(row[5], "nan") << row.front();
    EXPECT_NE(row[row.size() - 2], row.back()) << "levels";
    for (std::size_t c = 1; c < row.size(); ++c) outcome.figures.push_back(std::stod(row[c]));
    searches->save(state);
    for (const auto& counter : state.counters) outcome.numbers.push_back(counter.second);
  }
  return outcome;
}

TEST(HorizonsOnRanksLong, ChangeNoBit) {
  const Outcome reference = alone([](const auto& one) { return searched(one, 1); });
  EXPECT_GT(reference.numbers.size(), 2 * 49U);
  expect_same(searched(world(), world().size() == 1 ? 2 : 1), reference, "several ranks");
  expect_same(searched(world(), 1, on_device), reference, "on devices");
}

}  // namespace
}  // namespace meander::simulation
