// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Input of local time steps, and runs for which they make no difference.

#include "physics/euler/gravity.hpp"
#include "simulation/refinement_criterion.hpp"
#include "tests/simulation/physics_run.hpp"

namespace meander::simulation {
namespace {

const std::string two_levels =
    "[domain]\ndimensions = 2\n[mesh]\npatch-size = 6\nmin-level = 1\nmax-level = 3\nregrid-every = 1\n"
    "[[refinement]]\nkind = \"jump\"\nvariable = \"density\"\nrefine = 0.1\n"
    "[scenario]\nname = \"riemann-2d\"\n[time]\nstepping = \"local\"\nend = 0.1\n";

TEST(LocalStepsInput, IsRefusedWhereTheyDoNotExist) {
  EXPECT_EQ(refusal(two_levels, {}), "accepted");
  const auto says = [](const std::string& text, const std::vector<std::string>& settings,
                       const std::string& expected) {
    const std::string found = refusal(text, settings);
    EXPECT_NE(found.find(expected), std::string::npos) << found;
  };
  says(two_levels, {"offload.device=host"},
       "test.toml:15:12: time.stepping: \"local\" with offload.device = \"host\" requires gpu-memory.patches "
       "= "
       "\"device\", but it is \"host\"");
  EXPECT_EQ(refusal(two_levels, {"offload.device=host", "gpu-memory.patches=device"}), "accepted");
  const std::string flat =
      "[time]\nstepping = \"local\"\n[solver]\nequation = \"ccz4\"\n[scenario]\nname = \"minkowski\"\n";
  EXPECT_EQ(refusal(flat, {}), "accepted");
  EXPECT_EQ(refusal(flat, {"offload.device=host", "gpu-memory.patches=device"}), "accepted");
  says(flat, {"solver.scheme=godunov"}, "does not exist for the scheme ccz4 rusanov");
  EXPECT_EQ(refusal("[time]\nstepping = \"local\"\n[solver]\ngamma = 1.6666666666666667\n[scenario]\nname = "
                    "\"accretion\"\n",
                    {}),
            "accepted");
  says(two_levels, {"time.stepping=lokal"}, "did you mean");
}

// 9 steps of the finest level a step, 0.4 volumes each; the buffer has 6.
TEST(LocalStepsInput, DemandsABufferAsWideAsSignalsTravel) {
  EXPECT_NE(refusal(two_levels, {"mesh.regrid-every=2"}).find("set at most 1"), std::string::npos);
  EXPECT_EQ(refusal(two_levels, {"mesh.regrid-every=3", "mesh.buffer=2"}), "accepted");
  EXPECT_EQ(refusal(two_levels, {"mesh.regrid-every=5", "mesh.subcycled-levels=1"}), "accepted");
  EXPECT_NE(refusal(two_levels, {"mesh.regrid-every=6", "mesh.subcycled-levels=1"}).find("set at most 5"),
            std::string::npos);
  EXPECT_NE(refusal(two_levels, {"solver.cfl=0.9"}).find("fewer subcycled levels"), std::string::npos);
  EXPECT_EQ(refusal(two_levels, {"mesh.regrid-every=9", "time.stepping=global"}), "accepted");
}

// The ball's surface crosses several leaves between two regrids. Level 3, wherever it stands.
TEST(RegionsOfLocalSteps, AreRefinedUntilTheNextRegrid) {
  const auto simulation = make_simulation(
      physics_input("[domain]\ndimensions = 2\n[mesh]\npatch-size = 6\nmin-level = 1\nmax-level = 3\n"
                    "buffer = 0\nregrid-every = 3\n[[refinement]]\nkind = \"ball\"\nradius = 0.01\n"
                    "centre = [0.4, 0.45]\nspeed = 3.0\n[scenario]\nname = \"uniform\"\n"
                    "[time]\nstepping = \"local\"\nend = 0.15\n"),
      2);
  simulation->advance(0.15);
  while (simulation->step() % 3 != 0) simulation->advance(0.15);
  std::int64_t refined = 0;
  while (simulation->time() < 0.15) {
    const StateView view = simulation->view();
    const double radius = 0.01 + 3 * view.t;
    for (std::size_t leaf = 0; leaf < view.levels.size(); ++leaf) {
      const auto& patch = view.patches[leaf];
      double square = 0;
      for (int a = 0; a < 2; ++a) {
        const double low = patch.lower[a] - (a == 0 ? 0.4 : 0.45), high = low + 6 * patch.dx;
        square += low > 0 ? low * low : high < 0 ? high * high : 0;
      }
      if (square >= radius * radius) continue;
      EXPECT_EQ(view.levels[leaf], 3) << "step " << simulation->step() << ", leaf " << leaf;
      ++refined;
    }
    simulation->advance(0.15);
  }
  EXPECT_GT(refined, 100);
  EXPECT_GT(simulation->local_steps()->gain(), 1.05);
}

// Between two regrids the shell moves by more than the width of a coarse leaf, a third.
TEST(RegionsOfLocalSteps, AreRefinedAllTheWayToTheNextRegrid) {
  const auto simulation = make_simulation(
      physics_input("[domain]\ndimensions = 2\n[mesh]\npatch-size = 6\nmin-level = 1\nmax-level = 2\n"
                    "buffer = 0\nregrid-every = 8\n[[refinement]]\nkind = \"shell\"\nradius = 0.01\n"
                    "width = 0.01\ncentre = [0.0, 0.0]\nspeed = 8.0\n[scenario]\nname = \"uniform\"\n"
                    "[time]\nstepping = \"local\"\nend = 1.0\n"),
      2);
  const RefinementCriterion& shell = *simulation->config().refinement.at(0);
  std::int64_t refined = 0;
  while (simulation->step() < 8) simulation->advance(1);
  while (simulation->step() < 20) {
    const StateView view = simulation->view();
    for (std::size_t leaf = 0; leaf < view.levels.size(); ++leaf) {
      if (shell.flag({view.patches[leaf], view.layout, view.levels[leaf]}, view) != Flag::refine) continue;
      EXPECT_EQ(view.levels[leaf], 2) << "step " << simulation->step() << ", leaf " << leaf;
      ++refined;
    }
    simulation->advance(1);
  }
  EXPECT_GT(refined, 50);
  EXPECT_GT(8 * 8 * simulation->last_dt(), 0.4) << "the way between two regrids";
}

// The ball would fill the domain at t = 0, which a regrid at t = -0.2 sees at the end of two more steps.
TEST(RegionsOfLocalSteps, DoNotGrowBeyondTheEndOfTheRun) {
  const auto simulation = make_simulation(
      physics_input(
          "[domain]\ndimensions = 2\nlower = [-10.0, -10.0]\nupper = [10.0, 10.0]\n[mesh]\n"
          "patch-size = 6\nmin-level = 1\nmax-level = 3\nbuffer = 0\nregrid-every = 2\n"
          "[[refinement]]\nkind = \"ball\"\nradius = 0.05\npower = -1.0\n[scenario]\n"
          "name = \"uniform\"\n[time]\nstepping = \"local\"\nstart = -1.0\nend = -0.1\nmax-dt = 0.1\n"),
      2);
  const auto leaves = simulation->leaves().per_level;
  EXPECT_EQ(leaves[3], 9);
  while (simulation->time() < -0.1) {
    simulation->advance(-0.1);
    EXPECT_EQ(simulation->leaves().per_level, leaves) << "t = " << simulation->time();
  }
}

std::vector<double> state_of(Simulation& simulation) {
  std::vector<double> state;
  for_volumes(simulation, [&](const Volume& volume) { state.insert(state.end(), volume.q, volume.q + 4); });
  return state;
}

// One level, or levels that share their steps.
TEST(LocalStepsWithoutRatios, ChangeNoBit) {
  for (const char* levels : {"mesh.max-level=1", "mesh.subcycled-levels=0"}) {
    const auto local = run(physics_input(two_levels, {levels, "mesh.regrid-every=4"}), 12),
               global = run(
                   physics_input(two_levels, {levels, "mesh.regrid-every=4", "time.stepping=global"}), 12);
    EXPECT_EQ(local->time(), global->time());
    EXPECT_EQ(local->last_dt(), global->last_dt());
    EXPECT_EQ(local->volume_updates(), global->volume_updates());
    EXPECT_EQ(local->local_steps()->gain(), 1);
    EXPECT_FALSE(global->local_steps());
    EXPECT_EQ(state_of(*local), state_of(*global));
  }
}

// Cold gas at rest under a table of no pull, which makes the solver ask for step data. Records when it is
// asked to set them.
class Watched final : public Scenario {
 public:
  explicit Watched(StepData data) : data_(data) {}
  void describe(io::KeyTable&) override {}
  void set_up(const io::KeyTable&, const ProblemSetup&) override {}
  void initial(const double*, double, double* q) const override {
    q[0] = 1;
    q[1] = q[2] = 0;
    q[3] = 2.5;
  }
  StepData step_data() const override { return data_; }
  void prepare_step(const StateView& view, solvers::Solver& solver) override {
    auto& gravity = *static_cast<euler::Gravity*>(solver.step_data());
    gravity.radial = true;
    gravity.dim = 2;
    gravity.bins = 1;
    gravity.dr = 1;
    calls.push_back({0, view.t, {}});
  }
  void prepare_levels(const StateView& view, const LevelTimes& times, solvers::Solver&) override {
    calls.push_back({times.first, view.t, {times.passed.begin(), times.passed.end()}});
  }
  struct Call {
    int first;
    double t;
    std::vector<double> passed;
  };
  std::vector<Call> calls;

 private:
  StepData data_;
};

const std::string nest =
    "[domain]\ndimensions = 2\n[mesh]\npatch-size = 6\nmin-level = 1\nmax-level = 3\nbuffer = 0\n"
    "regrid-every = 100\n[[refinement]]\nkind = \"ball\"\nradius = 0.01\ncentre = [0.4, 0.45]\n"
    "[scenario]\nname = \"uniform\"\n[time]\nstepping = \"local\"\nstart = -10.0\nend = 0.0\n";

TEST(StepDataOfLevels, AreSetBeforeEachStepOfALevelAtItsTime) {
  Config config = physics_input(nest);
  const auto watched = std::make_shared<Watched>(Scenario::StepData::of_levels);
  config.scenario = watched;
  const auto simulation = make_simulation(config, 2);
  EXPECT_EQ(watched->calls.size(), 1U);
  watched->calls.clear();
  simulation->advance(0);
  ASSERT_EQ(simulation->local_steps()->ratios, (std::vector{3, 3}));
  ASSERT_EQ(watched->calls.size(), 9U);
  const double dt = simulation->last_dt();
  for (int tick = 1; tick < 9; ++tick) {
    const auto& [first, t, passed] = watched->calls[static_cast<std::size_t>(tick - 1)];
    EXPECT_EQ(first, tick % 3 == 0 ? 2 : 3);
    EXPECT_DOUBLE_EQ(t, -10 + tick * dt / 9);
    ASSERT_EQ(passed.size(), 4U);
    EXPECT_EQ(passed[0], 0);
    EXPECT_DOUBLE_EQ(passed[1], tick / 9.0);
    EXPECT_DOUBLE_EQ(passed[2], tick % 3 / 3.0);
    EXPECT_EQ(passed[3], 0);
  }
  EXPECT_EQ(watched->calls.back().t, simulation->time());
}

TEST(StepDataOfLevels, AreDemanded) {
  Config config = physics_input(nest);
  config.scenario = std::make_shared<Watched>(Scenario::StepData::none);
  const auto simulation = make_simulation(config, 1);
  EXPECT_THROW(simulation->advance(0), InputError);
}

// 12 leaves of level 2, 9 of level 3, 27 of level 4; ratios 2 and 3.
TEST(StepPath, IsThatOfTheBusiestRankAtEachTick) {
  LocalStepsReport report;
  report.coarsest = 2;
  report.ratios = {2, 3};
  std::vector<int> levels(12, 2);
  levels.resize(21, 3);
  levels.resize(48, 4);
  const parallel::Communicator alone;
  const StepPath one = step_path(report, levels, 1, alone), four = step_path(report, levels, 4, alone);
  EXPECT_EQ(one.longest, 12 + 2 * 9 + 6 * 27);
  EXPECT_EQ(one.even, 192);
  EXPECT_EQ(one.share(), 1);
  // One tick with all leaves, one with those of levels 3 and 4, four with those of level 4.
  EXPECT_EQ(four.longest, 12 + 9 + 4 * 7);
  EXPECT_EQ(four.even, 48);
  EXPECT_NE(step_path_line(four).find("49 leaf updates in succession, 48 if"), std::string::npos)
      << step_path_line(four);
  // Enclaves of levels 2 and 3 occupy the threads that level 4 leaves idle, unless there are too many threads.
  report.has_enclaves = true;
  EXPECT_EQ(step_path(report, levels, 4, alone).longest, 48);
  EXPECT_EQ(step_path(report, levels, 30, alone).longest, 7);
  EXPECT_EQ(step_path(report, levels, 64, alone).longest, 6) << "six steps of level 4";
}

TEST(LocalStepsColumns, CountUpdatesAndRatiosByLevel) {
  Config config = physics_input(nest);
  const auto simulation = make_simulation(config, 2);
  for (int step = 0; step < 3; ++step) simulation->advance(0);
  const auto leaves = simulation->leaves().per_level;
  const auto columns = local_steps_columns(*simulation->local_steps(), 1, 4);
  const std::vector<std::pair<std::string, double>> expected = {
      {"updates_level_1", 3.0 * static_cast<double>(leaves[1])},
      {"updates_level_2", 9.0 * static_cast<double>(leaves[2])},
      {"updates_level_3", 27.0 * static_cast<double>(leaves[3])},
      {"updates_level_4", 0},
      {"ratio_level_2", 3},
      {"ratio_level_3", 3},
      {"ratio_level_4", 0},
      {"ratios_above_3", 0}};
  EXPECT_EQ(columns, expected);
}

// With global steps the relaxation of the algebraic constraints (tau) limits them to 0.5.
TEST(LocalStepsOfCcz4, AreLimitedByNoDampingIfThereIsNone) {
  const auto step = [](const char* k1) {
    const auto simulation = make_simulation(
        physics_input(
            "[domain]\ndimensions = 3\nupper = [1000.0, 1000.0, 1000.0]\n[mesh]\npatch-size = 9\n"
            "max-level = 1\nregrid-every = 1000\n[solver]\nequation = \"ccz4\"\ns = 0\nordering = 0.0\n"
            "[scenario]\nname = \"minkowski\"\n[time]\nstepping = \"local\"\nend = 1e6\n",
            {std::string("solver.k1=") + k1}),
        2);
    simulation->advance(1e6);
    return simulation->last_dt();
  };
  const double weak = step("1e-12");
  EXPECT_GT(weak, 3);
  EXPECT_EQ(step("0"), weak);
}

// A run with plot times reaches them exactly.
TEST(LocalStepsToATime, EndThereExactly) {
  const auto simulation = make_simulation(physics_input(two_levels), 2);
  for (const double t : {0.003, 0.0031, 0.011}) {
    while (simulation->time() < t) simulation->advance(t);
    EXPECT_EQ(simulation->time(), t);
  }
}

}  // namespace
}  // namespace meander::simulation
