// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/simulation.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "simulation/run.hpp"
#include "simulation/scenario.hpp"
#include "tests/simulation/physics_run.hpp"

namespace meander::simulation {
namespace {

std::string text_of(const std::string& file) {
  std::ifstream stream(file);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

// A state: leaves, interior data, time.
struct Snapshot {
  double t = 0;
  std::vector<double> places, data;
  friend bool operator==(const Snapshot& a, const Snapshot& b) {
    return a.t == b.t && a.places == b.places && a.data.size() == b.data.size() &&
           std::memcmp(a.data.data(), b.data.data(), a.data.size() * sizeof(double)) == 0;
  }
};

Snapshot snapshot(Simulation& simulation) {
  const StateView view = simulation.view();
  Snapshot result;
  result.t = view.t;
  const auto& layout = view.layout;
  for (const auto& patch : view.patches) {
    result.places.insert(result.places.end(), patch.lower, patch.lower + 3);
    result.places.push_back(patch.dx);
    for (int u = 0; u < layout.unknowns; ++u) {
      for (int k = 0; k < (layout.dim == 3 ? layout.p : 1); ++k) {
        for (int j = 0; j < layout.p; ++j) {
          const double* row = patch.q + layout.at(u, 0, j, k);
          result.data.insert(result.data.end(), row, row + layout.p);
        }
      }
    }
  }
  return result;
}

// A blast in 3D and a refined ball that grows fast, so that a few steps include many meshes.
constexpr const char* blast = R"(
[domain]
dimensions = 3
cells = [4, 4, 4]
[mesh]
min-level = 2
max-level = 3
regrid-every = 2
buffer = 0
[[refinement]]
kind = "jump"
variable = "pressure"
refine = 0.2
[[refinement]]
kind = "ball"
centre = [0.2, 0.3, 0.4]
radius = 0.02
reference-time = 0.0
speed = 150.0
[solver]
pressure-floor = 1e-8
[scenario]
name = "sedov"
radius = 0.06
)";

// An input that is shipped, or the blast.
struct Case {
  std::string input;
  std::vector<std::string> settings;
  int steps;
};

Config config_of(const Case& c) {
  if (c.input != "blast") return shipped_input(c.input, c.settings);
  return load_config_text(blast, "blast.toml", c.settings, scenarios(), 1e12);
}

class ThreadsLong : public testing::TestWithParam<Case> {};

// Dynamic refinement, refluxing, gravity, limiters: the number of threads changes no bit.
TEST_P(ThreadsLong, ChangeNoBit) {
  const int steps = GetParam().steps;
  Snapshot reference;
  std::vector<double> totals;
  for (const int threads : {1, 2, 5}) {
    const Config config = config_of(GetParam());
    const auto simulation = make_simulation(config, threads);
    std::int64_t meshes = 0, leaves = simulation->leaves().total;
    while (simulation->step() < steps) {
      simulation->advance(config.time.end);
      if (simulation->leaves().total != leaves) ++meshes;
      leaves = simulation->leaves().total;
    }
    EXPECT_GT(meshes, 0) << "the mesh never changed";
    const Snapshot state = snapshot(*simulation);
    if (threads == 1) {
      reference = state;
      totals = simulation->totals();
    }
    EXPECT_TRUE(state == reference) << threads << " threads";
    EXPECT_EQ(simulation->totals(), totals) << threads << " threads";
  }
}

INSTANTIATE_TEST_SUITE_P(
    Simulation, ThreadsLong,
    testing::Values(
        Case{"riemann-2d", {"mesh.patch-size=7", "mesh.min-level=2", "mesh.max-level=4"}, 60},
        Case{"accretion-2d", {"mesh.patch-size=6", "mesh.regrid-every=2", "mesh.max-level=5"}, 700},
        Case{"blast", {"mesh.patch-size=6", "solver.scheme=muscl"}, 12},
        Case{"blast", {"mesh.patch-size=5", "solver.scheme=rusanov"}, 20}),
    [](const auto& param) {
      std::string name = param.param.input + std::to_string(param.index);
      std::erase(name, '-');
      return name;
    });

class NextStepLong : public testing::TestWithParam<Case> {};

// A step depends on the state alone: its other data are recomputed from it, bitwise identically, also for
// volumes that fell back to first order, were raised to a floor or corrected by the fluxes of finer
// neighbours. A restart is therefore bitwise identical to an uninterrupted run.
TEST_P(NextStepLong, FollowsFromTheState) {
  const Config config = config_of(GetParam());
  const auto simulation = make_simulation(config, 2);
  const auto& solver = simulation->solver();
  while (simulation->step() < GetParam().steps) {
    const StateView view = simulation->view();
    double crossing = std::numeric_limits<double>::infinity(), finest = crossing;
    for (const auto& patch : view.patches) {
      crossing = std::min(crossing, patch.dx / solver.inspect(patch, view.layout).max_rate);
      finest = std::min(finest, patch.dx);
    }
    const double expected = std::min(config.time.cfl * crossing, solver.step_limit(view.t, finest));
    simulation->advance(std::numeric_limits<double>::infinity());
    ASSERT_EQ(simulation->last_dt(), expected) << "step " << simulation->step();
  }
  EXPECT_GT(simulation->treated_volumes().floored, 0);
  if (GetParam().input == "blast" && config.solver->traits().name.find("muscl") != std::string::npos) {
    EXPECT_GT(simulation->treated_volumes().first_order, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Simulation, NextStepLong,
    testing::Values(
        Case{"accretion-2d",
             {"mesh.patch-size=6", "mesh.regrid-every=2", "mesh.max-level=5", "solver.pressure-floor=1e-7",
              "solver.density-floor=0.9"},
             200},
        Case{"blast", {"mesh.patch-size=6", "solver.density-floor=0.5", "scenario.radius=0.02"}, 30},
        Case{"blast", {"solver.density-floor=0.9", "solver.scheme=rusanov"}, 30}));

TEST(SimulationMemory, IsAtMostATenthAboveTheLeaves) {
  const Config config =
      shipped_input("sedov-2d", {"mesh.min-level=2", "mesh.max-level=4", "mesh.patch-size=6"});
  const auto simulation = make_simulation(config, 2);
  for (int step = 0; step < 100; ++step) {
    simulation->advance(config.time.end);
    const auto slot = static_cast<double>(simulation->view().layout.slot_size()) * sizeof(double);
    ASSERT_LE(static_cast<double>(simulation->bytes().state),
              1.1 * slot * static_cast<double>(simulation->leaves().total));
  }
}

// Uniform gas; the inflow changes at t = 0.05.
class Turning final : public Scenario {
 public:
  explicit Turning(double pressure) : pressure_(pressure) {}
  void describe(io::KeyTable&) override {}
  void set_up(const io::KeyTable&, const ProblemSetup&) override {}
  void initial(const double*, double, double* q) const override { fill(q, 1.0); }
  void boundary(const double*, double, double t, double* q) const override {
    fill(q, t > 0.05 ? pressure_ : 1.0);
  }

 private:
  static void fill(double* q, double pressure) {
    q[0] = 1;
    q[1] = 0.5;
    q[2] = 0;
    q[3] = pressure / 0.4 + 0.125;
  }
  double pressure_;
};

struct Directory {
  std::filesystem::path path;
  // Named after this process, since tests run in parallel.
  explicit Directory(const char* name)
      : path(std::filesystem::temp_directory_path() / fmt::format("{}-{}", name, ::getpid())) {
    std::filesystem::remove_all(path);
  }
  ~Directory() { std::filesystem::remove_all(path); }
};

class BadState : public testing::TestWithParam<double> {};

TEST_P(BadState, StopsTheRunAndKeepsItsFiles) {
  const Directory directory("meander-test-bad-state");
  Config config = load_config_text(
      "[domain]\ndimensions = 2\n[boundary]\nall = \"scenario\"\n[mesh]\npatch-size = 5\nmin-level = 2\n"
      "[scenario]\nname = \"uniform\"\n[output]\nplot-every = 0.02\n[time]\nend = 0.2\n",
      "bad.toml", {}, scenarios(), 1e12);
  config.scenario = std::make_shared<Turning>(GetParam());
  testing::internal::CaptureStderr();
  const int code = run(config, {.threads = 1, .output = directory.path.string()});
  const std::string message = testing::internal::GetCapturedStderr();
  EXPECT_EQ(code, exit_failure);
  for (const char* part : {"patch centre (", "level 2", "volume at (", "step ", "t = ", "density = ",
                           "pressure = ", "momentum_x = ", "energy = ", "files written before are intact"}) {
    EXPECT_NE(message.find(part), std::string::npos) << part << " is missing in: " << message;
  }
  int failed = 0, plots = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory.path)) {
    const std::string name = entry.path().filename().string();
    failed += name.starts_with("failed_") ? 1 : 0;
    plots += name.starts_with("plot_") ? 1 : 0;
  }
  EXPECT_EQ(failed, 1);
  EXPECT_EQ(plots, 3) << "at t = 0, 0.02 and 0.04";
  EXPECT_NE(text_of((directory.path / "history.csv").string()).find("\n10,"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Simulation, BadState,
                         testing::Values(-0.5, std::numeric_limits<double>::quiet_NaN()));

// The resolved input in the output directory repeats the run bitwise.
TEST(RunQuick, IsRepeatedByItsResolvedInput) {
  const Directory first("meander-test-run-1"), second("meander-test-run-2");
  const Config config =
      shipped_input("sod", {"mesh.patch-size=6", "time.max-steps=20", "output.history-steps=1"});
  ASSERT_EQ(run(config, {.threads = 2, .output = first.path.string()}), exit_done);
  const Config again = load_config((first.path / "input.toml").string());
  ASSERT_EQ(run(again, {.threads = 1, .output = second.path.string()}), exit_done);
  const std::string history = text_of((first.path / "history.csv").string());
  EXPECT_EQ(std::count(history.begin(), history.end(), '\n'), 22);
  EXPECT_EQ(history, text_of((second.path / "history.csv").string()));
}

// Steps are shortened to meet the plot times and the end exactly, and no step is very short.
TEST(RunQuick, MeetsPlotTimesExactly) {
  const Directory directory("meander-test-run-3");
  const Config config =
      shipped_input("uniform", {"mesh.patch-size=4", "mesh.max-level=1", "mesh.min-level=1", "time.end=0.1",
                                "output.plot-times=[0.03, 0.071]", "output.history-steps=1"});
  ASSERT_EQ(run(config, {.threads = 1, .output = directory.path.string()}), exit_done);
  std::ifstream file(directory.path / "history.csv");
  std::vector<double> times;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) times.push_back(std::stod(line.substr(line.find(',') + 1)));
  for (const double t : {0.0, 0.03, 0.071, 0.1}) {
    EXPECT_EQ(std::count(times.begin(), times.end(), t), 1) << t;
  }
  double longest = 0, shortest = 1;
  for (std::size_t i = 1; i < times.size(); ++i) {
    longest = std::max(longest, times[i] - times[i - 1]);
    shortest = std::min(shortest, times[i] - times[i - 1]);
  }
  EXPECT_GT(shortest, 0.49 * longest);
}

}  // namespace
}  // namespace meander::simulation
