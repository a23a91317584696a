// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// A run gives the same leaves, data, times, totals and measures to the bit on any number of ranks and
// threads.

#include <algorithm>
#include <limits>
#include <numeric>

#include "mesh/partition.hpp"
#include "mesh/step_path.hpp"
#include "tests/simulation/mpi/cases.hpp"
#include "tests/simulation/mpi/outcome.hpp"

namespace meander::simulation {
namespace {

class Ranks : public testing::TestWithParam<RankCase> {};
const std::vector<std::string> quick_long = {"local_riemann"};
const std::vector<std::string> slow = {"accretion_muscl",
                                       "accretion_dual",
                                       "accretion_with_mass",
                                       "self_gravity",
                                       "riemann_auto",
                                       "riemann_measured",
                                       "ccz4_fourth_order",
                                       "ccz4_fourth_order_binary",
                                       "ccz4_fourth_order_symmetric",
                                       "local_riemann_auto",
                                       "local_riemann_measured",
                                       "local_riemann_rusanov",
                                       "local_sedov",
                                       "local_sod",
                                       "local_accretion",
                                       "local_accretion_falls",
                                       "local_self_gravity",
                                       "local_accretion_poisson"};
const std::vector<RankCase> quick = unnamed(unnamed(all_rank_cases(), quick_long), slow);
INSTANTIATE_TEST_SUITE_P(Quick, Ranks, testing::ValuesIn(quick), name_of);
INSTANTIATE_TEST_SUITE_P(QuickLong, Ranks, testing::ValuesIn(named(all_rank_cases(), quick_long)), name_of);
INSTANTIATE_TEST_SUITE_P(Long, Ranks, testing::ValuesIn(named(all_rank_cases(), slow)), name_of);

TEST_P(Ranks, ChangeNoBit) {
  const RankCase& tested = GetParam();
  const Config config = config_of(tested);
  // Punctures take longer than a test to reach another leaf.
  const bool moves =
      !config.refinement.empty() && config.resolved.find("kind = \"punctures\"") == std::string::npos;
  int meshes = 0;
  const auto run = [&](int threads, const parallel::Communicator& communicator) {
    Config mine = config;
    if (threads == 2) mine.mesh.windows = "off";
    if (threads == 4) mine.mesh.cuts = "levels";
    const auto simulation = make_simulation(mine, threads, communicator);
    meshes = 0;
    for (std::int64_t leaves = simulation->leaves().total; simulation->step() < tested.steps;) {
      simulation->advance(config.time.end);
      if (simulation->leaves().total != leaves) ++meshes;
      leaves = simulation->leaves().total;
    }
    return outcome_of(*simulation);
  };
  const Outcome reference = alone([&](const auto& one) { return run(1, one); });
  for (const int threads : {1, 2, 4}) {
    expect_same(run(threads, world()), reference, std::to_string(threads) + " threads");
    EXPECT_TRUE(meshes > 2 || !moves) << "the mesh changed " << meshes << " times";
  }
}

// Two ranks each are a node: messages within nodes by windows, between them by MPI, which one run of these tests has by TCP.
class RanksOnNodes : public testing::TestWithParam<RankCase> {};
INSTANTIATE_TEST_SUITE_P(Simulation, RanksOnNodes,
                         testing::ValuesIn(named(all_rank_cases(),
                                                 {"riemann", "local_sedov", "self_gravity"})),
                         name_of);

TEST_P(RanksOnNodes, ChangeNoBit) {
  const RankCase& tested = GetParam();
  const Config config = config_of(tested);
  const auto run = [&](const parallel::Communicator& communicator) {
    const auto simulation = make_simulation(config, 2, communicator);
    while (simulation->step() < tested.steps) simulation->advance(config.time.end);
    return outcome_of(*simulation);
  };
  const parallel::Communicator nodes = world().with_windows(world().rank() / 2);
  const int other = world().rank() ^ 1;
  EXPECT_EQ(nodes.has_window_to(other), other < world().size());
  EXPECT_FALSE(nodes.has_window_to(world().rank() ^ 2));
  expect_same(run(nodes), alone(run), "nodes of two ranks");
}

// Maximum number of leaves of a rank beyond its share during a run.
double most_beyond_share(const std::vector<std::string>& settings) {
  const RankCase tested = case_called("riemann");
  const Config config = config_of(tested, settings);
  const auto simulation = make_simulation(config, 1, world());
  double most = 0;
  while (simulation->step() < tested.steps) {
    simulation->advance(config.time.end);
    const double share = static_cast<double>(simulation->leaves().total) / world().size();
    most = std::max(most, static_cast<double>(simulation->partition().most_leaves) - share);
  }
  return most;
}

TEST(Partition, FollowsItsKeys) {
  if (world().size() == 1) return;
  EXPECT_LE(most_beyond_share({"partition.imbalance=1"}), 1);
  EXPECT_GT(most_beyond_share({"partition.imbalance=1000"}), 1);
  EXPECT_GT(most_beyond_share({"partition.imbalance=1", "partition.weights=measured"}), 1)
      << "no two updates take the same time";
}

// A nest that never changes: a fine leaf weighs as much as 9 coarse ones. The critical path is within
// partition.imbalance of that of the cut by these weights, or shorter.
TEST(Partition, FollowsTheStepsOfLevels) {
  const Config config =
      config_of({"nest", accretion_nest, {"refinement[0].speed=0.0", "mesh.regrid-every=9"}, 0});
  const auto simulation = make_simulation(config, 1, world());
  for (int step = 0; step < 2; ++step) simulation->advance(config.time.end);
  const auto report = *simulation->local_steps();
  ASSERT_EQ(report.ratios, (std::vector{3, 3}));
  const mesh::LevelSteps steps{1, {1, 3, 9}, false};
  std::vector<std::int64_t> weights;
  const std::vector<int> levels = world().all_gather(simulation->view().levels);
  for (const int level : levels) weights.push_back(steps.steps[steps.index(level)]);
  const auto cut = mesh::cut_by_weight(world().size(), weights);
  const auto rank = static_cast<std::size_t>(world().rank());
  const auto leaves = steps.count(std::span(levels).subspan(
      static_cast<std::size_t>(cut[rank]), static_cast<std::size_t>(cut[rank + 1] - cut[rank])));
  const std::int64_t of_sums = mesh::critical_path(steps, leaves, 1, world());
  const StepPath found = step_path(report, simulation->view().levels, 1, world());
  if (world().is_root())
    std::printf("critical path %ld, of the cut by sums %ld\n", static_cast<long>(found.longest),
                static_cast<long>(of_sums));
  EXPECT_LE(10 * found.longest, 11 * of_sums);
  const std::int64_t load = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
  EXPECT_DOUBLE_EQ(found.even, static_cast<double>(load) / world().size());
}

// The initial state, on a mesh built in many rounds.
TEST(RanksAtTheStart, ChangeNoBit) {
  for (const char* level : {"mesh.max-level=1", "mesh.max-level=5"}) {
    const Config config = config_of({"sedov", sedov, {level}, 0});
    const auto run = [&](const parallel::Communicator& communicator) {
      return outcome_of(*make_simulation(config, 1, communicator));
    };
    const Outcome reference = alone(run);
    expect_same(run(world()), reference, level);
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

// All ranks stop in the same step with the message of a single rank.
TEST(RanksWithABadState, ThrowTheSameMessageOnAllRanks) {
  for (const double pressure : {-0.5, std::numeric_limits<double>::quiet_NaN()}) {
    for (const char* upper : {"x-lower = \"scenario\"", "x-upper = \"scenario\""}) {
      Config config =
          load_config_text(std::string("[domain]\ndimensions = 2\n[boundary]\nall = \"outflow\"\n") + upper +
                               "\n[mesh]\npatch-size = 5\nmin-level = 2\n"
                               "[scenario]\nname = \"uniform\"\n[time]\nend = 0.2\n",
                           "bad.toml", {}, scenarios(), 1e12);
      config.scenario = std::make_shared<Turning>(pressure);
      const auto run = [&](const parallel::Communicator& communicator) -> std::string {
        const auto simulation = make_simulation(config, 1, communicator);
        try {
          while (simulation->step() < 100) simulation->advance(config.time.end);
        } catch (const StateFailure& failure) {
          return failure.what();
        }
        return "no failure";
      };
      std::string reference = world().is_root() ? run(parallel::Communicator{}) : "";
      world().broadcast(reference);
      EXPECT_NE(reference.find("volume at ("), std::string::npos) << reference;
      EXPECT_EQ(run(world()), reference);
    }
  }
}

// A lapse below its floor is reported once, by the root, with the message of a single rank.
TEST(RanksBeyondABound, AreReportedOnce) {
  const Config config = load_config_text(
      "[domain]\nlower = [-0.5, 0, 0]\nupper = [0.5, 0.125, 0.125]\ncells = [8, 1, 1]\n[mesh]\npatch-size = "
      "3\n"
      "[solver]\nequation = \"ccz4\"\nslicing = \"harmonic\"\ns = 0\nlapse-floor = 0.96\n"
      "[scenario]\nname = \"gauge-wave\"\namplitude = 0.1\n",
      "low.toml", {}, scenarios(), 1e12);
  const auto warnings = [&](const parallel::Communicator& communicator) {
    testing::internal::CaptureStderr();
    const auto simulation = make_simulation(config, 1, communicator);
    while (simulation->step() < 3) simulation->advance(config.time.end);
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_GT(simulation->treated_volumes().floored, 0);
    EXPECT_EQ(simulation->treated_volumes().strayed, 0);
    const auto begin = said.find("step ");
    return begin == std::string::npos ? "" : said.substr(begin);
  };
  std::string reference = world().is_root() ? warnings(parallel::Communicator{}) : "";
  world().broadcast(reference);
  EXPECT_EQ(reference.find("step 1, t = "), 0U) << reference;
  EXPECT_NE(reference.find(": lapse = 0.9"), std::string::npos) << reference;
  EXPECT_NE(reference.find(" is below its floor 0.96, and was lifted to it: volume at ("), std::string::npos)
      << reference;
  EXPECT_EQ(std::count(reference.begin(), reference.end(), '\n'), 1) << reference;
  EXPECT_EQ(warnings(world()), world().is_root() ? reference : "");
}

}  // namespace
}  // namespace meander::simulation
