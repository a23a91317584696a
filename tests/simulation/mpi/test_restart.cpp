// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// A run that is restarted from a checkpoint is bitwise identical to an uninterrupted one, on any number of ranks.

#include <filesystem>

#include "parallel/communicator.hpp"
#include "simulation/output.hpp"
#include "tests/simulation/mpi/cases.hpp"
#include "tests/simulation/mpi/directory.hpp"
#include "tests/simulation/mpi/outcome.hpp"
#include "tests/simulation/mpi/write_checkpoint.hpp"

namespace meander::simulation {
namespace {

namespace fs = std::filesystem;

// The lowest `ranks` of the world; one rank alone without MPI for the others.
parallel::Communicator lowest(int ranks) {
  MPI_Comm part = MPI_COMM_NULL;
  parallel::mpi_check(MPI_Comm_split(world().get(), world().rank() < ranks ? 0 : 1, world().rank(), &part),
                      "MPI_Comm_split");
  const auto communicator = parallel::Communicator::duplicate(part);
  parallel::mpi_check(MPI_Comm_free(&part), "MPI_Comm_free");
  return communicator;
}

Outcome to_the_end(Simulation& simulation, int steps) {
  while (simulation.step() < steps) simulation.advance(simulation.config().time.end);
  return outcome_of(simulation);
}

class Restart : public testing::TestWithParam<RankCase> {};
std::vector<RankCase> restart_cases() {
  std::vector<RankCase> cases = all_rank_cases();
  cases.push_back(local_gauge_wave());
  return cases;
}
const std::vector<std::string> quick_long_restarts = {"local_riemann", "local_gauge_wave"};
const std::vector<std::string> slow_restarts = {"riemann_auto",
                                                "local_riemann_auto",
                                                "accretion_muscl",
                                                "accretion_dual",
                                                "accretion_with_mass",
                                                "self_gravity",
                                                "ccz4_fourth_order",
                                                "ccz4_fourth_order_binary",
                                                "ccz4_fourth_order_symmetric",
                                                "local_riemann_measured",
                                                "local_riemann_rusanov",
                                                "local_sedov",
                                                "local_sod",
                                                "local_accretion",
                                                "local_accretion_falls",
                                                "local_self_gravity",
                                                "local_accretion_poisson"};
const std::vector<RankCase> quick_restarts =
    unnamed(unnamed(restart_cases(), quick_long_restarts), slow_restarts);
INSTANTIATE_TEST_SUITE_P(Quick, Restart, testing::ValuesIn(quick_restarts), name_of);
INSTANTIATE_TEST_SUITE_P(QuickLong, Restart, testing::ValuesIn(named(restart_cases(), quick_long_restarts)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Long, Restart, testing::ValuesIn(named(restart_cases(), slow_restarts)), name_of);

// The first half on some ranks, the second half on others.
TEST_P(Restart, ChangesNoBit) {
  const RankCase& tested = GetParam();
  const Config config = config_of(tested);
  const Directory directory("meander-test-restart");
  // An odd step, which is no multiple of the steps between regrids.
  const int half = tested.steps / 2 | 1;
  const auto first_half = [&](const std::string& path, const parallel::Communicator& communicator) {
    const auto simulation = make_simulation(config, 2, communicator);
    to_the_end(*simulation, half);
    write_checkpoint(*simulation, directory.file(path));
    return to_the_end(*simulation, tested.steps);
  };
  const auto second_half = [&](const std::string& path, int threads,
                               const parallel::Communicator& communicator) {
    io::CheckpointReader checkpoint(directory.file(path), communicator);
    const auto simulation = restart_simulation(config, threads, communicator, checkpoint);
    EXPECT_EQ(simulation->step(), half);
    return to_the_end(*simulation, tested.steps);
  };
  const Outcome reference = alone([&](const auto& one) { return first_half("by-one", one); });
  expect_same(first_half("by-all", world()), reference, "never interrupted");
  expect_same(second_half("by-one", 1, world()), reference, "one rank, then all");
  expect_same(second_half("by-all", 3, world()), reference, "all ranks, then all");
  const Outcome by_one = alone([&](const auto& one) { return second_half("by-all", 2, one); });
  expect_same(by_one, reference, "all ranks, then one");
  const int some = (world().size() + 1) / 2;
  const auto part = lowest(some);
  if (world().rank() < some) expect_same(second_half("by-all", 1, part), reference, "all ranks, then some");
}

// Both files have the same leaves, data and counters; only the ranks of the leaves differ.
TEST(RestartFiles, AreWrittenAlikeByAnyRanks) {
  const Config config = config_of(case_called("riemann"));
  const Directory directory("meander-test-restart-files");
  const auto write = [&](const std::string& path, const parallel::Communicator& communicator) {
    const auto simulation = make_simulation(config, 1, communicator);
    to_the_end(*simulation, 7);
    write_checkpoint(*simulation, directory.file(path));
    return Outcome{};
  };
  alone([&](const auto& one) { return write("by-one", one); });
  write("by-all", world());
  for (const char* path : {"by-one", "by-all"}) {
    io::CheckpointReader checkpoint(directory.file(path), world());
    EXPECT_EQ(checkpoint.state().step, 7);
    EXPECT_EQ(checkpoint.state().counters.size(), 4u);
    EXPECT_EQ(checkpoint.state().input, config.resolved);
  }
}

// Interrupted and uninterrupted runs of `steps` steps write the same rows and the same plots.
void expect_output_of_uninterrupted_run(std::vector<std::string> settings, int interrupted, int killed,
                                        int steps) {
  settings.insert(settings.end(), {"output.plot-every=0.002", "output.plot-times=[0.0013, 0.0047]",
                                   "output.fields=[\"density\", \"velocity\", \"level\", \"curve_index\"]"});
  const Config config = config_of(case_called("riemann"), settings);
  const Directory whole("meander-test-output-whole"), parts("meander-test-output-parts");
  const auto go = [](Simulation& run, Output& output, int last) {
    while (run.step() < last) {
      run.advance(output.next_stop());
      output.after_step();
    }
  };
  {
    const auto simulation = make_simulation(config, 1, world());
    Output output(*simulation, whole.path());
    output.start();
    go(*simulation, output, steps);
    output.finish();
  }
  {
    const auto simulation = make_simulation(config, 1, world());
    Output output(*simulation, parts.path());
    output.start();
    go(*simulation, output, interrupted);
    io::CheckpointState state;
    output.save(state);
    write_checkpoint(*simulation, parts.file("checkpoint"), state);
    go(*simulation, output, killed);  // what follows the checkpoint is lost
  }
  world().barrier();
  io::CheckpointReader checkpoint(parts.file("checkpoint"), world());
  const auto simulation = restart_simulation(config, 2, world(), checkpoint);
  Output output(*simulation, parts.path());
  output.check_resume(checkpoint.state(), parts.file("checkpoint"));
  output.resume();
  go(*simulation, output, steps);
  output.finish();
  world().barrier();
  EXPECT_EQ(text_of(parts.file("history.csv")), text_of(whole.file("history.csv")));
  const std::string series = text_of(whole.file("plot.vtkhdf.series"));
  EXPECT_GT(std::count(series.begin(), series.end(), '\n'), 5);
  EXPECT_EQ(text_of(parts.file("plot.vtkhdf.series")), series);
  int plots = 0;
  for (const auto& entry : fs::directory_iterator(whole.path())) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("plot_")) continue;
    ++plots;
    // Plots also contain the ranks of the leaves, and the partition may differ.
    const std::string part = text_of(parts.file(name)), expected = text_of(entry.path().string());
    ASSERT_EQ(part.size(), expected.size()) << name;
    std::int64_t different = 0;
    for (std::size_t i = 0; i < part.size(); ++i) different += part[i] != expected[i];
    EXPECT_LE(different, world().size() > 1 ? simulation->leaves().total : 0) << name;
  }
  EXPECT_GT(plots, 6);
  // In a new directory plots and history start from the beginning.
  const Directory elsewhere("meander-test-output-elsewhere");
  Output begun(*simulation, elsewhere.path());
  begun.start();
  world().barrier();
  EXPECT_TRUE(fs::exists(elsewhere.file("plot_000000.vtkhdf")));
}

TEST(RestartedOutput, IsThatOfARunNeverInterrupted) {
  expect_output_of_uninterrupted_run({"output.plot-steps=11", "output.history-steps=3", "time.max-steps=36"},
                                     16, 25, 36);
}

// The counts of updates and ratios continue.
TEST(RestartedOutput, IsThatOfARunNeverInterruptedWithLocalSteps) {
  expect_output_of_uninterrupted_run({"time.stepping=local", "mesh.regrid-every=1", "output.plot-steps=3",
                                      "output.history-steps=2", "time.max-steps=12"},
                                     5, 8, 12);
}

// If the root cannot write, all ranks throw with the reason.
TEST(OutputFailure, IsThrownByAllRanks) {
  const Config config = config_of(case_called("vortex"));
  const Directory directory("meander-test-output-failure");
  const auto simulation = make_simulation(config, 1, world());
  if (world().is_root()) fs::create_directories(directory.file("history.csv"));
  world().barrier();
  Output output(*simulation, directory.path());
  try {
    output.start();
    ADD_FAILURE() << "written";
  } catch (const Failure& failure) {
    EXPECT_NE(std::string(failure.what()).find("history.csv"), std::string::npos) << failure.what();
  }
}

}  // namespace
}  // namespace meander::simulation
