// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The files of Psi4 beside history.csv: their cadence and sign, and the same bytes for any number of ranks and
// threads, with and without a restart.

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "physics/ccz4/diagnostics/psi4.hpp"
#include "simulation/output.hpp"
#include "tests/simulation/mpi/outcome.hpp"
#include "tests/simulation/mpi/write_checkpoint.hpp"

namespace meander::simulation {
namespace {

namespace fs = std::filesystem;

// A plane wave through two spheres, one of which touches faces of patches.
const std::string wave = R"(
[domain]
dimensions = 3
lower = [-1, -1, -1]
upper = [1, 1, 1]
cells = [2, 2, 2]
[mesh]
patch-size = 6
[solver]
equation = "ccz4"
slicing = "harmonic"
s = 0
[scenario]
name = "linear-wave"
width = 2.0
[output]
fields = ["lapse"]
[diagnostics]
extraction-radii = [0.5, 0.625]
psi4-every = 0.06
psi4-l-max = 3
)";
// The step after the interruption is not due, one of those that are lost is.
constexpr int steps = 8, interrupted = 4;

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

// The files of a run by name, and the times of its steps.
struct Files {
  std::map<std::string, std::string> text;
  std::vector<double> times;
};

void go(Simulation& simulation, Output& output, int last, std::vector<double>& times) {
  while (simulation.step() < last) {
    simulation.advance(output.next_stop());
    output.after_step();
    times.push_back(simulation.time());
  }
}

Files files_of(const fs::path& directory, std::vector<double> times) {
  Files files{{}, std::move(times)};
  for (const auto& entry : fs::directory_iterator(directory / "waves"))
    files.text[entry.path().filename().string()] = text_of(entry.path());
  return files;
}

// restarted: writes a checkpoint after some steps, loses the steps after it, and restarts. Collective.
Files run(const fs::path& directory, const parallel::Communicator& communicator, int threads,
          bool restarted) {
  const Config config = load_config_text(wave, "wave.toml", {}, scenarios(), 1e10);
  if (communicator.is_root()) fs::create_directories(directory);
  communicator.barrier();
  std::vector<double> times = {config.time.start};
  {
    const auto simulation = make_simulation(config, threads, communicator);
    Output output(*simulation, directory.string());
    output.start();
    go(*simulation, output, restarted ? interrupted : steps, times);
    if (restarted) {
      io::CheckpointState state;
      output.save(state);
      write_checkpoint(*simulation, (directory / "checkpoint").string(), state);
      std::vector<double> lost;
      go(*simulation, output, steps - 1, lost);
    }
    io::CheckpointState flushed;
    output.save(flushed);
  }
  communicator.barrier();
  if (restarted) {
    io::CheckpointReader checkpoint((directory / "checkpoint").string(), communicator);
    const auto simulation = restart_simulation(config, threads, communicator, checkpoint);
    Output output(*simulation, directory.string());
    output.check_resume(checkpoint.state(), (directory / "checkpoint").string());
    output.resume();
    go(*simulation, output, steps, times);
    io::CheckpointState flushed;
    output.save(flushed);
  }
  communicator.barrier();
  return files_of(directory, times);
}

TEST(WaveFilesLong, AreTheSameForAnyRanksThreadsAndRestarts) {
  pid_t root = getpid();
  world().broadcast(root);
  const fs::path scratch = fs::temp_directory_path() / fmt::format("meander-test-waves-{}", root);
  const Files all = run(scratch / "all", world(), 2, false),
              restarted = run(scratch / "parts", world(), 1, true);
  EXPECT_EQ(all.text, restarted.text);
  world().agree([&] {
    if (!world().is_root()) return;
    const Files one = run(scratch / "one", {}, 1, false);
    EXPECT_EQ(all.text, one.text);
    ASSERT_EQ(one.text.size(), 2 * ccz4::wave_mode_count(3));
    ASSERT_EQ(one.times.size(), steps + 1u);

    // A row at the first step at or after each multiple of the interval.
    std::vector<double> due;
    double next = 0;
    for (const double t : one.times) {
      if (t < next) continue;
      due.push_back(t);
      while (next <= t) next += 0.06;
    }
    EXPECT_GT(due.size(), 2u);
    EXPECT_LT(due.size(), one.times.size());
    std::istringstream lines(one.text.at("mp_psi4_l2_m-2_r0.625.asc"));
    std::vector<double> found;
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with('#')) found.push_back(std::stod(line));
    }
    EXPECT_EQ(found, due);
    EXPECT_TRUE(one.text.contains("mp_psi4_l3_m3_r0.50.asc"));
    fs::remove_all(scratch);
  });
}

// history.csv has the other sign.
TEST(WaveFiles, HaveTheSignOfPositiveSecondDerivatives) {
  const Config config = load_config_text(wave, "wave.toml", {}, scenarios(), 1e10);
  const auto simulation = make_simulation(config, 1, world());
  const std::vector<io::Row> rows = simulation->rows().rows;
  const std::vector<Measure> measures = simulation->measures();
  const auto files = simulation->row_files();
  ASSERT_EQ(rows.size(), files.size());
  std::size_t compared = 0;
  double largest = 0;
  for (std::size_t n = 0; n < files.size(); ++n) {
    const std::string header = std::get<io::RowFile::Samples>(files[n].format).header;
    EXPECT_NE(header.find("sign: Psi4 = +d^2/dt^2 (h_plus - i h_cross)"), std::string::npos);
    for (const Measure& measure : measures) {
      for (int m = -2; m <= 2; ++m) {
        if (files[n].name != fmt::format("waves/mp_psi4_l2_m{}_r0.50.asc", m)) continue;
        for (const int part : {0, 1}) {
          if (measure.name != fmt::format("psi4_r0.5_2_{}_{}", m, part == 0 ? "re" : "im")) continue;
          EXPECT_EQ(rows[n].at(static_cast<std::size_t>(part)), io::History::cell(-measure.value));
          largest = std::max(largest, std::abs(measure.value));
          ++compared;
        }
      }
    }
  }
  EXPECT_EQ(compared, 10u);
  EXPECT_GT(largest, 1e-9);
  EXPECT_TRUE(simulation->rows().rows.front().empty()) << "due once";
}

}  // namespace
}  // namespace meander::simulation
