// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Restarts that continue the files of a directory: from a checkpoint that is not the newest, by a run that dies before its
// first checkpoint, with files that cannot be continued, and with files that the new input does not write.

#include <fmt/format.h>

#include <functional>
#include <map>

#include "io/files.hpp"
#include "io/run_directory.hpp"
#include "simulation/run.hpp"
#include "tests/simulation/mpi/cases.hpp"
#include "tests/simulation/mpi/directory.hpp"

namespace meander::simulation {
namespace {

using Settings = std::vector<std::string>;

// The files below a directory by name.
std::map<std::string, std::string> texts_in(const std::string& directory) {
  std::map<std::string, std::string> texts;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    if (entry.is_regular_file()) texts[entry.path().lexically_relative(directory)] = text_of(entry.path());
  }
  return texts;
}

// Every third step has a row of history, so that step 20 has one only if the run ends there.
class ContinuedRun : public testing::Test {
 protected:
  void run_until(int steps, const std::string& directory) {
    const Config config =
        config_of(case_called("vortex"), {"time.end=1000", fmt::format("time.max-steps={}", steps),
                                          "checkpoint.every-steps=10", "output.history-steps=3"});
    said([&] { EXPECT_EQ(run(config, {.threads = 1, .output = directory}, world()), exit_done); });
  }
  void SetUp() override { run_until(20, path); }

  // Returns the exit code.
  int restarted(const std::string& checkpoint, const Settings& settings, const std::string& output = "") {
    int code = exit_failure;
    said([&] {
      code = restart({.checkpoint = checkpoint, .settings = settings}, {.threads = 1, .output = output},
                     world());
    });
    return code;
  }
  // Dies before its first step.
  static inline const Settings deadly = {"time.max-dt=1e-30", "time.max-steps=1000"};

  // Keeps what the log says. A rank other than the root says nothing.
  template <class Body>
  void said(const Body& body) {
    testing::internal::CaptureStderr();
    try {
      body();
    } catch (...) {
      log = testing::internal::GetCapturedStderr();
      throw;
    }
    log = testing::internal::GetCapturedStderr();
  }
  // By the root, when all have come here.
  template <class Body>
  static void on_root(const Body& body) {
    world().barrier();
    if (world().is_root()) body();
    world().barrier();
  }

  const Directory scratch{"meander-test-continued"};
  const std::string path = scratch.file("run"), tenth = path + "/chk_000010.hdf5",
                    last = path + "/chk_000020.hdf5";
  std::string log;
};

TEST_F(ContinuedRun, IsThatOfAnUnbrokenRunAlsoIfARestartFromAnEarlierCheckpointDies) {
  const std::string whole = scratch.file("whole");
  run_until(24, whole);
  const std::string abandoned = text_of(last);
  EXPECT_EQ(restarted(tenth, deadly), exit_failure);
  on_root([&] {
    EXPECT_NE(log.find("/chk_000020.hdf5: is of a later step than this restart"), std::string::npos) << log;
    EXPECT_EQ(io::newest_checkpoint(path), tenth);
    EXPECT_EQ(text_of(last + ".replaced"), abandoned);
  });
  EXPECT_EQ(restarted(path, {"time.max-steps=24", "checkpoint.keep=1"}), exit_done);
  on_root([&] {
    EXPECT_EQ(log.find("missing"), std::string::npos) << log;
    for (const char* name : {"/history.csv", "/plot.vtkhdf.series"})
      EXPECT_EQ(text_of(path + name), text_of(whole + name));
    EXPECT_EQ(io::checkpoint_steps(path), std::vector<std::int64_t>{24});
    EXPECT_EQ(text_of(last + ".replaced"), abandoned) << "no rule for old checkpoints removes it";
  });
}

// Tables are cut after later checkpoints are set aside: a run that is killed in between leaves no newest checkpoint
// whose rows are gone. History is the first table to be cut; here it cannot be.
TEST_F(ContinuedRun, SetsLaterCheckpointsAsideBeforeTablesAreCut) {
  on_root([&] {
    std::filesystem::remove(path + "/history.csv");
    std::filesystem::create_symlink("nowhere/history.csv", path + "/history.csv");
  });
  EXPECT_THROW(restarted(tenth, {}), Failure);
  on_root([&] { EXPECT_EQ(io::newest_checkpoint(path), tenth); });
}

TEST_F(ContinuedRun, IsUnchangedByARestartThatIsRefused) {
  const struct {
    std::string name;
    std::function<std::string(const std::string&)> damage;
  } files[] = {
      {"plot.vtkhdf.series", [](const std::string& text) { return text + "garbage\n"; }},
      {"history.csv",
       [](const std::string& text) { return std::string(text).insert(text.find('\n'), "\n"); }},
      {"horizon_2.csv", [](const std::string&) { return "step,time,status\nwhat\n1,0.1,found\n"; }},
      {"waves/mp_psi4_l2_m-2_r100.00.asc",
       [](const std::string&) { return "# of a wave\n0 1 2\n0 1\n0 1 2\n"; }},
  };
  for (const auto& file : files) {
    SCOPED_TRACE(file.name);
    const std::string name = path + "/" + file.name;
    std::map<std::string, std::string> before;
    std::string old;
    on_root([&] {
      old = text_of(name);
      std::filesystem::create_directories(path + "/waves");
      io::write_whole(name, file.damage(old));
      io::write_whole(path + "/chk_000024.hdf5.part", "half-written");
      before = texts_in(path);
    });
    EXPECT_THROW(restarted(tenth, {"time.max-steps=24"}), InputError);
    on_root([&] {
      EXPECT_EQ(texts_in(path), before);
      if (old.empty())
        std::filesystem::remove(name);
      else
        io::write_whole(name, old);
    });
  }
  EXPECT_EQ(restarted(tenth, {"time.max-steps=24"}), exit_done);
}

TEST_F(ContinuedRun, IsUnchangedByARestartInAnother) {
  std::map<std::string, std::string> before;
  on_root([&] { before = texts_in(path); });
  EXPECT_EQ(restarted(tenth, {"time.max-steps=12"}, scratch.file("other")), exit_done);
  on_root([&] { EXPECT_EQ(texts_in(path), before); });
}

// This input writes none of them. The files of others stay.
TEST_F(ContinuedRun, LosesRowsOfFilesThatTheInputDoesNotWrite) {
  const std::string table = "step,time,status\n10,0.001,found\n", later = "11,1000,found\n",
                    samples = "# of a wave\n0.001 1 2\n", later_sample = "1000 1 2\n";
  const std::map<std::string, std::string> foreign = {
      {"horizon_1_old.csv", table + later},
      {"history_1.csv", table + later},
      {"waves/mp_psi4_l2_m-2_r100.00_old.asc", samples + later_sample}};
  on_root([&] {
    std::filesystem::create_directories(path + "/waves");
    io::write_whole(path + "/horizon_1.csv", table + later);
    io::write_whole(path + "/horizon_12.csv", table + later);
    io::write_whole(path + "/waves/mp_psi4_l2_m-2_r100.00.asc", samples + later_sample);
    io::write_whole(path + "/waves/mp_psi4_l3_m0_r7.125.asc", samples + later_sample);
    for (const auto& [name, text] : foreign) io::write_whole(path + "/" + name, text);
  });
  EXPECT_EQ(restarted(tenth, {"time.max-steps=12"}), exit_done);
  on_root([&] {
    for (const char* name : {"/horizon_1.csv", "/horizon_12.csv"})
      EXPECT_EQ(text_of(path + name), table) << name;
    for (const char* name : {"/waves/mp_psi4_l2_m-2_r100.00.asc", "/waves/mp_psi4_l3_m0_r7.125.asc"})
      EXPECT_EQ(text_of(path + name), samples) << name;
    for (const auto& [name, text] : foreign) EXPECT_EQ(text_of(path + "/" + name), text) << name;
  });
}

TEST_F(ContinuedRun, IsWarnedOfIfRowsOfHistoryAreMissing) {
  std::string intact;
  const auto truncate = [&](const char* first_lost) {
    on_root([&] {
      intact = text_of(path + "/history.csv");
      io::write_whole(path + "/history.csv", intact.substr(0, intact.find(first_lost) + 1));
    });
  };
  const auto warning = [&](const std::string& rows, const std::string& checkpoint) {
    return fmt::format("{}/history.csv: rows {} are missing, which were there when {} was written\n", path,
                       rows, checkpoint);
  };
  // At its end, step 20 keeps its row.
  truncate("\n20,");
  EXPECT_EQ(restarted(path, {}), exit_done);
  on_root([&] {
    EXPECT_NE(log.find(warning("after step 18 up to step 20", last)), std::string::npos) << log;
    io::write_whole(path + "/history.csv", intact);
  });
  // A longer run does not have that row.
  truncate("\n12,");
  EXPECT_EQ(restarted(path, {"time.max-steps=22"}), exit_done);
  on_root([&] {
    const std::string told = warning("after step 9 up to step 18", last);
    EXPECT_NE(log.find(told), std::string::npos) << log;
    EXPECT_EQ(log.find("missing"), log.rfind("missing")) << "once";
    std::filesystem::remove(path + "/history.csv");
  });
  EXPECT_EQ(restarted(path, {"time.max-steps=24"}), exit_done);
  on_root([&] {
    EXPECT_NE(log.find(warning("up to step 21", path + "/chk_000022.hdf5")), std::string::npos) << log;
  });
  EXPECT_EQ(restarted(path, {"time.max-steps=26"}), exit_done);
  on_root([&] { EXPECT_EQ(log.find("missing"), std::string::npos) << log; });
}

}  // namespace
}  // namespace meander::simulation
