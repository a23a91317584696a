// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Output directories, history.csv, atomic files, checkpoint directories, progress lines, provenance.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <cstdlib>
#include <cstring>

#include "base/cpu_check.hpp"
#include "base/error.hpp"
#include "io/checkpoint_file.hpp"
#include "io/files.hpp"
#include "io/progress.hpp"
#include "io/provenance.hpp"
#include "io/row_files.hpp"
#include "io/run_directory.hpp"
#include "tests/io/scratch.hpp"

namespace meander::io {
namespace {

using testing_io::contents;
using testing_io::message_of;
using testing_io::Scratch;

constexpr const char* advice = "; choose another output directory with --output or output.directory";

TEST(NewDirectory, CreatesParentsAndRemovesThemIfNothingWasWritten) {
  const Scratch scratch;
  {
    const NewDirectory directory(scratch.file("a/b/c"));
    EXPECT_TRUE(std::filesystem::is_directory(scratch.file("a/b/c")));
    EXPECT_TRUE(std::filesystem::exists(scratch.file("a/b/c/meander.lock")));
  }
  EXPECT_TRUE(scratch.names().empty());
}

TEST(NewDirectory, KeepsWhatWasWritten) {
  const Scratch scratch;
  {
    const NewDirectory directory(scratch.file("a/b"));
    write_whole(directory.file("x"), "text");
  }
  EXPECT_EQ(contents(scratch.file("a/b/x")), "text");
}

TEST(NewDirectory, AcceptsAnEmptyOneAndKeepsIt) {
  const Scratch scratch;
  std::filesystem::create_directory(scratch.file("mine"));
  { const NewDirectory directory(scratch.file("mine")); }
  EXPECT_EQ(scratch.names(), std::vector<std::string>{"mine"});
}

TEST(NewDirectory, RefusesOneThatIsNotEmpty) {
  const Scratch scratch;
  write_whole(scratch.file("old"), "text");
  EXPECT_EQ(message_of<InputError>([&] { NewDirectory directory(scratch.path()); }),
            scratch.path() + ": exists and is not empty" + advice);
  EXPECT_EQ(scratch.names(), std::vector<std::string>{"old"});
  EXPECT_EQ(message_of<InputError>([&] { NewDirectory directory(scratch.file("old")); }),
            scratch.file("old") + ": exists and is no directory" + advice);
}

TEST(NewDirectory, RefusesOneThatCannotBeCreatedOrWritten) {
  const Scratch scratch;
  write_whole(scratch.file("file"), "text");
  EXPECT_EQ(message_of<InputError>([&] { NewDirectory directory(scratch.file("file/a/b")); }),
            scratch.file("file/a/b") + ": cannot be created (" + scratch.file("file") + ": Not a directory)" +
                advice);
  // Nobody can create directories or files in procfs.
  EXPECT_NE(
      message_of<InputError>([&] { NewDirectory directory("/proc/meander"); }).find("cannot be created"),
      std::string::npos);
  const std::string endless(300, 'x');
  EXPECT_EQ(message_of<InputError>([&] { NewDirectory directory(scratch.file("new/" + endless)); }),
            scratch.file("new/" + endless) + ": cannot be created (" + scratch.file("new/" + endless) +
                ": File name too long)" + advice);
  EXPECT_EQ(scratch.names(), std::vector<std::string>{"file"});
}

TEST(WholeFile, ReplacesOrLeavesTheOldOne) {
  const Scratch scratch;
  write_whole(scratch.file("x"), "one");
  write_whole(scratch.file("x"), "two");
  EXPECT_EQ(contents(scratch.file("x")), "two");
  EXPECT_EQ(message_of<Failure>([&] { write_whole(scratch.file("no/x"), "text"); }),
            scratch.file("no/x") + ": cannot create: No such file or directory");
  EXPECT_EQ(scratch.names(), std::vector<std::string>{"x"});
}

TEST(History, HeaderAndRowsThatReadBackToTheSameBits) {
  const Scratch scratch;
  const Column columns[] = {{"time", "time"}, {"mass", "density length^3"}, {"steps", ""}};
  const double rows[2][3] = {{0.1, 1.0 / 3.0, 0}, {std::nextafter(1.0, 2.0), -1e-300, 12}};
  History history(scratch.file("history.csv"), columns);
  history.row(rows[0]);
  EXPECT_EQ(contents(scratch.file("history.csv")),
            "time [time],mass [density length^3],steps\n0.10000000000000001,0.33333333333333331,0\n")
      << "a row is in the file as soon as row() returns";
  history.row(rows[1]);
  std::istringstream lines(contents(scratch.file("history.csv")));
  std::string line;
  std::getline(lines, line);
  for (const auto& row : rows) {
    std::getline(lines, line);
    const char* at = line.c_str();
    for (const double value : row) {
      char* end = nullptr;
      EXPECT_EQ(std::strtod(at, &end), value);
      at = end + 1;
    }
  }
}

TEST(History, NeverReplacesAFile) {
  const Scratch scratch;
  write_whole(scratch.file("history.csv"), "old");
  EXPECT_EQ(message_of<Failure>([&] { History history(scratch.file("history.csv"), {}); }),
            scratch.file("history.csv") + ": cannot create: File exists");
  EXPECT_EQ(contents(scratch.file("history.csv")), "old");
}

class ResumedHistory : public testing::Test {
 protected:
  // The file after a restart at step `last` and one more row.
  std::string resumed(const std::string& old, std::int64_t last) {
    write_whole(path, old);
    History history(path, columns, last);
    history.row(row);
    return contents(path);
  }

  const Scratch scratch;
  const std::string path = scratch.file("history.csv");
  const Column columns[2] = {{"step", ""}, {"time", "time"}};
  const double row[2] = {9, 0.5};
};

TEST_F(ResumedHistory, DropsLaterRowsAndTornLines) {
  const std::string head = "step,time [time]\n", one = "1,0.10000000000000001\n", two = "2,0.2\n";
  EXPECT_EQ(resumed(head + one + two, 2), head + one + two + "9,0.5\n");
  EXPECT_EQ(resumed(head + one + two, 1), head + one + "9,0.5\n");
  EXPECT_EQ(resumed(head + one + two, 0), head + "9,0.5\n");
  // A line may be cut anywhere; without its end a number may be the start of a longer one.
  for (std::size_t torn = 0; torn < two.size(); ++torn) {
    EXPECT_EQ(resumed(head + one + two.substr(0, torn), 2), head + one + "9,0.5\n") << torn;
  }
  for (std::size_t torn = 0; torn < head.size(); ++torn) {
    EXPECT_EQ(resumed(head.substr(0, torn), 2), head + "9,0.5\n") << torn;
  }
  EXPECT_EQ(scratch.names(), std::vector<std::string>{"history.csv"});
}

TEST_F(ResumedHistory, StartsAnewWithoutAFile) {
  History(path, columns, 5).row(row);
  EXPECT_EQ(contents(path), "step,time [time]\n9,0.5\n");
}

TEST_F(ResumedHistory, RefusesOtherColumns) {
  const std::string old = "step,time [time],mass\n1,0.1,2\n";
  EXPECT_EQ(message_of<InputError>([&] { resumed(old, 5); }),
            path + ": has other columns than this run; move it away, or choose another output directory");
  EXPECT_EQ(contents(path), old);
}

TEST(CheckpointDirectory, ListsCompleteCheckpointsByStep) {
  const Scratch scratch;
  EXPECT_EQ(newest_checkpoint(scratch.path()), "");
  for (const char* other :
       {"chk_.hdf5", "chk_000009.hdf5.part", "chk_00012a.hdf5", "chk_5.hdf5", "chk_0000007.hdf5",
        "chk_99999999999999999999.hdf5", "chk_000005.hdf5.old", "my_chk_000008.hdf5", "plot_000001.vtkhdf"})
    write_whole(scratch.file(other), "x");
  std::filesystem::create_directory(scratch.file("chk_2000000.hdf5"));
  for (const int step : {3, 20, 999999, 1000000, 100}) write_whole(scratch.file(checkpoint_name(step)), "x");
  EXPECT_EQ(checkpoint_steps(scratch.path()), (std::vector<std::int64_t>{3, 20, 100, 999999, 1000000}));
  EXPECT_EQ(newest_checkpoint(scratch.path()), scratch.file("chk_1000000.hdf5"));
  EXPECT_EQ(message_of<Failure>([&] { newest_checkpoint(scratch.file("none")); }),
            scratch.file("none") + ": cannot be read: No such file or directory");
}

TEST(CheckpointDirectory, SetsLaterOnesAside) {
  const Scratch scratch;
  for (const int step : {3, 20, 999999, 1000000})
    write_whole(scratch.file(checkpoint_name(step)), std::to_string(step));
  write_whole(scratch.file("chk_1000000.hdf5.replaced"), "old");
  write_whole(scratch.file("chk_000030.hdf5.part"), "x");
  EXPECT_EQ(set_aside_later_checkpoints(scratch.path(), 20),
            (std::vector{scratch.file("chk_999999.hdf5"), scratch.file("chk_1000000.hdf5")}));
  EXPECT_EQ(newest_checkpoint(scratch.path()), scratch.file("chk_000020.hdf5"));
  EXPECT_EQ(scratch.names(),
            (std::vector<std::string>{"chk_000003.hdf5", "chk_000020.hdf5", "chk_000030.hdf5.part",
                                      "chk_1000000.hdf5.replaced", "chk_999999.hdf5.replaced"}));
  EXPECT_EQ(contents(scratch.file("chk_1000000.hdf5.replaced")), "1000000");
  EXPECT_EQ(set_aside_later_checkpoints(scratch.path(), 20), std::vector<std::string>{});
  EXPECT_EQ(remove_half_written_files(scratch.path()), std::vector{scratch.file("chk_000030.hdf5.part")});
}

TEST(CheckpointDirectory, RemovesHalfWrittenFilesOfARunAndNoOthers) {
  const Scratch scratch;
  const std::vector<std::string> kept = {
      "chk_000001.hdf5",        "chk_000001.hdf5.part.part",  "chk_2.hdf5.part",
      "chk_notes.hdf5.part",    "my_chk_000002.hdf5.part",    "notes.part",
      "other_history.csv.part", "picture_000002.vtkhdf.part", "plot_000001.vtkhdf"};
  for (const auto& name : kept) write_whole(scratch.file(name), "x");
  std::vector<std::string> half_written;
  for (const char* name : {"chk_000002.hdf5", "chk_1000000.hdf5", "failed_000002.vtkhdf", "history.csv",
                           "input.toml", "plot.vtkhdf.series", "plot_000002.vtkhdf", "summary.json"}) {
    half_written.push_back(temporary_name(scratch.file(name)));
    write_whole(half_written.back(), "x");
  }
  EXPECT_EQ(remove_half_written_files(scratch.path()), half_written);
  EXPECT_EQ(scratch.names(), kept);
}

TEST(Progress, Line) {
  ProgressState state{.step = 120, .t = 0.125, .dt = 0.0011, .leaves = 12345, .volumes_per_second = 34.52e6};
  const std::string facts = "step 120  t 0.125  dt 1.10e-03  12345 leaves  34.5 M volumes/s";
  EXPECT_EQ(progress_line(state), facts);
  state.forecast = {.fraction = 0.425, .seconds = 83};
  EXPECT_EQ(progress_line(state), facts + "  42 %  about 1:23 to go");
  state.forecast.stopped_by_walltime = true;
  EXPECT_EQ(progress_line(state), facts + "  42 %  about 1:23 to the end of the wall time");
}

TEST(Progress, Durations) {
  EXPECT_EQ(duration_text(0), "0:00");
  EXPECT_EQ(duration_text(59.6), "1:00");
  EXPECT_EQ(duration_text(3599), "59:59");
  EXPECT_EQ(duration_text(7384), "2:03:04");
  EXPECT_EQ(duration_text(86400 * 3 + 4 * 3600), "3 d 04 h");
}

TEST(SizeText, HasThreeDigits) {
  EXPECT_EQ(size_text(0), "0 bytes");
  EXPECT_EQ(size_text(999), "999 bytes");
  EXPECT_EQ(size_text(1000), "1 kB");
  EXPECT_EQ(size_text(999600), "1 MB");
  EXPECT_EQ(size_text(1.536e9), "1.54 GB");
  EXPECT_EQ(size_text(2e18), "2e+03 PB");
}

TEST(Provenance, NamesTheBuild) {
  const Provenance& program = provenance();
  EXPECT_EQ(program.version, "0.2.0");
  EXPECT_TRUE(program.git_hash == "unknown" || program.git_hash.size() == 40) << program.git_hash;
  EXPECT_NE(program.options.find("-ffp-contract=off"), std::string::npos);
  EXPECT_FALSE(program.compiler.empty());
}

TEST(CpuCheck, ThisProcessorHasTheFeaturesOfThisBuild) {
  char names[256];
  EXPECT_EQ(missing_cpu_features(compiled_cpu_features, names, sizeof names), 0) << names;
  EXPECT_STREQ(names, "");
}

TEST(CpuCheck, NamesMissingFeatures) {
  char names[256], few[8];
  const unsigned all = (1u << 18) - 1;
  const int missing = missing_cpu_features(all, names, sizeof names);
  EXPECT_EQ(missing_cpu_features(0, few, sizeof few), 0);
  // For any processor, the number of names is the reported number of missing features, as far as they fit.
  EXPECT_EQ(missing > 0 ? 1 + std::count(names, names + std::strlen(names), ',') : 0, missing);
  EXPECT_EQ(missing_cpu_features(all, few, sizeof few), missing);
  EXPECT_LT(std::strlen(few), sizeof few);
}

}  // namespace
}  // namespace meander::io
