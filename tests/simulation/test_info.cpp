// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// `meander info` of text files: those of diagnostics as a run writes them, damaged ones, and inputs that resemble them. Files of
// whole runs: tests/program/test_info.py.
#include "simulation/report/info.hpp"

#include <gtest/gtest.h>

#include "tests/io/scratch.hpp"
#include "tests/simulation/mpi/write_checkpoint.hpp"
#include "tests/simulation/physics_run.hpp"

namespace meander::simulation {
namespace {

using testing_io::message_of;

const char* const table = "horizon_1.csv";
const char* const samples = "waves/mp_psi4_l2_m-1_r1.50.asc";

// A directory with the files of the diagnostics of a run, two rows in each.
class InfoOfDiagnostics : public testing::Test {
 protected:
  InfoOfDiagnostics() {
    const Config config = physics_input(
        "[domain]\nlower = [-2, -2, -2]\nupper = [2, 2, 2]\ncells = [2, 2, 2]\n[boundary]\nall = "
        "\"scenario\"\n"
        "[mesh]\npatch-size = 16\n[solver]\nequation = \"ccz4\"\n[scenario]\nname = \"puncture\"\n"
        "[diagnostics]\nextraction-radii = [1.5]\npsi4-every = 0.5\npsi4-l-max = 2\n[[horizon]]\n");
    std::vector<io::RowFile> files;
    for (const auto& diagnostic : config.diagnostics) {
      for (io::RowFile& file : diagnostic->files()) files.push_back(std::move(file));
    }
    io::RowFiles rows(scratch_.path(), files);
    rows.add({0, 0.0}, rows_of(files, "found", "1.5"));
    rows.add({3, 0.25}, rows_of(files, "left-domain", "nan"));
    rows.flush();
  }

  static std::vector<io::Row> rows_of(const std::vector<io::RowFile>& files, const std::string& status,
                                      const std::string& number) {
    std::vector<io::Row> rows;
    for (const io::RowFile& file : files) {
      const auto* format = std::get_if<io::RowFile::Table>(&file.format);
      io::Row& row = rows.emplace_back(format != nullptr ? format->columns.size() : 2, number);
      if (format != nullptr) row.front() = status;
    }
    return rows;
  }
  void append(const std::string& name, const std::string& text) const {
    std::ofstream(scratch_.file(name), std::ios::app) << text;
  }
  void expect(const std::string& name, const std::vector<std::string>& parts) const {
    const std::string text = info(scratch_.file(name));
    for (const std::string& part : parts)
      EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  std::string refused(const std::string& name) const {
    const std::string path = scratch_.file(name);
    const std::string text = message_of<InputError>([&] { info(path); });
    EXPECT_TRUE(text.starts_with(path + ":")) << text;
    return text.substr(std::min(text.size(), path.size()));
  }

  testing_io::Scratch scratch_;
};

TEST_F(InfoOfDiagnostics, CountsTheWordsOfATable) {
  const std::vector<std::string> parts = {
      "horizon_1.csv: a table of a diagnostic, one row each time it was due\n", "\n  rows        2\n",
      "\n  status      found 1, left-domain 1\n", "\n    step                      0 to 3\n",
      "\n    equatorial_circumference  1.5 to 1.5, and 1 not finite\n"};
  expect(table, parts);
  append(table, "4,0.5,fou");  // of a killed run
  expect(table, parts);
}

TEST_F(InfoOfDiagnostics, DescribesSamples) {
  const std::vector<std::string> parts = {
      "r1.50.asc: samples of a diagnostic, one row each time they were due\n",
      "\n  Psi4 on the sphere of radius 1.50 about the domain's centre: mode l = 2, m = -1 of spin weight "
      "-2\n",
      "\n  rows        2\n",
      "\n    time                      0 to 0.25\n",
      "\n    real part [1 / length^2]  1.5 to 1.5, and 1 not finite\n",
      "\n    imaginary part            1.5 to 1.5, and 1 not finite\n"};
  expect(samples, parts);
  append(samples, "0.5 2");
  expect(samples, parts);
}

TEST_F(InfoOfDiagnostics, NamesTheDamagedRow) {
  append(table, "4,0.5\n");
  EXPECT_EQ(refused(table), ":4: is damaged: the row has no word in column 3");
  append(samples, "0.5 x 1\n");
  EXPECT_EQ(refused(samples), ":7: is damaged: the row has no number in column 2");
}

TEST_F(InfoOfDiagnostics, LeavesInputsWithCommentsAlone) {
  append("in.toml",
         "# Psi4 on the sphere\n#\n[domain]\ndimensions = 2\n[scenario]\nname = \"sod\"\n# 1: time\n");
  expect("in.toml", {"in.toml: an input file\n", "sod"});
}

// A device that no machine has stands for one that this machine lacks.
TEST(InfoOfARun, NeedsNoneOfItsDevices) {
  const testing_io::Scratch scratch;
  Config config = physics_input(
      "[domain]\ndimensions = 2\n[mesh]\npatch-size = 4\n[scenario]\nname = \"uniform\"\n[time]\nend = "
      "1.0\n");
  const std::pair<std::string, std::string> keys[] = {{"\ndevice = \"none\"", "\ndevice = \"elsewhere\""},
                                                      {"\npatches = \"host\"", "\npatches = \"device\""}};
  for (const auto& [own, other] : keys) config.resolved.replace(config.resolved.find(own), own.size(), other);
  EXPECT_THROW(physics_input(config.resolved), InputError);
  const auto simulation = make_simulation(config, 1);
  Output output(*simulation, scratch.path());
  output.start();
  io::CheckpointState state;
  state.input = config.resolved;
  write_checkpoint(*simulation, scratch.file("chk"), state);
  for (const char* name : {"plot_000000.vtkhdf", "chk"})
    EXPECT_NE(info(scratch.file(name)).find("\n  scenario    uniform\n"), std::string::npos) << name;
}

TEST(InfoOfARun, LeavesOutBoundsThatNeedMoreMemoryThanThereIs) {
  const testing_io::Scratch scratch;
  Config config = physics_input(
      "[domain]\ndimensions = 2\n[mesh]\npatch-size = 4\n[scenario]\nname = \"uniform\"\n[time]\nend = "
      "1.0\n");
  const auto simulation = make_simulation(config, 1);
  const auto leaves = static_cast<double>(simulation->leaves().total);
  io::CheckpointState state;
  state.input = config.resolved;
  const std::string path = scratch.file("chk");
  write_checkpoint(*simulation, path, state);
  const auto bytes = 8 * static_cast<double>(solvers::PatchLayout(2, 4, 0, 4).slot_size()) * leaves;
  const std::string all = info(path, bytes), some = info(path, bytes - 1);
  EXPECT_TRUE(all.starts_with(path + ": a checkpoint, complete and undamaged\n")) << all;
  EXPECT_NE(all.find("\n    density"), std::string::npos) << all;
  EXPECT_TRUE(some.starts_with(
      path + ": a checkpoint, complete and undamaged but for its patches, which are not read\n"))
      << some;
  EXPECT_EQ(some.find("\n    density"), std::string::npos) << some;
  EXPECT_NE(some.find("\n  fields      not read: they take "), std::string::npos) << some;
}

}  // namespace
}  // namespace meander::simulation
