// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Files of diagnostics: tables and samples in any order, each with its rows and its own way to continue.

#include "io/row_files.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "io/files.hpp"
#include "tests/io/scratch.hpp"

namespace meander::io {
namespace {

using testing_io::contents;
using testing_io::message_of;
using testing_io::Scratch;

std::vector<RowFile> files() {
  return {{"waves/a.asc", RowFile::Samples{"of a wave\n"}},
          {"one.csv", RowFile::Table{{"status", "mass"}}},
          {"b.asc", RowFile::Samples{"another\n"}}};
}

TEST(RowFiles, HaveTheRowsOfBothFormats) {
  const Scratch scratch;
  RowFiles rows(scratch.path(), files());
  rows.add({0, 0.25}, std::vector<Row>{{"1"}, {"found", "2"}, {}});
  EXPECT_EQ(contents(scratch.file("one.csv")), "step,time,status,mass\n0,0.25,found,2\n") << "at once";
  rows.add({3, 0.5}, std::vector<Row>{{}, {}, {"4", "5"}});
  rows.flush();
  EXPECT_EQ(contents(scratch.file("waves/a.asc")), "# of a wave\n0.25 1\n");
  EXPECT_EQ(contents(scratch.file("one.csv")), "step,time,status,mass\n0,0.25,found,2\n");
  EXPECT_EQ(contents(scratch.file("b.asc")), "# another\n0.5 4 5\n");
}

TEST(RowFiles, OfARestartKeepTheRowsUpToItsStepAndTime) {
  const Scratch scratch;
  {
    RowFiles rows(scratch.path(), files());
    for (const int step : {1, 2, 3})
      rows.add({step, 0.5 * step}, std::vector<Row>{{"1"}, {"found", "2"}, {"3"}});
    rows.flush();
  }
  {
    RowFiles rows(files(), KeptRowFiles(scratch.path(), files(), {2, 1.0}));
    rows.add({4, 2.0}, std::vector<Row>{{"7"}, {"found", "8"}, {"9"}});
    rows.flush();
  }
  EXPECT_EQ(contents(scratch.file("waves/a.asc")), "# of a wave\n0.5 1\n1 1\n2 7\n");
  EXPECT_EQ(contents(scratch.file("one.csv")),
            "step,time,status,mass\n1,0.5,found,2\n2,1,found,2\n4,2,found,8\n");
  EXPECT_EQ(contents(scratch.file("b.asc")), "# another\n0.5 3\n1 3\n2 9\n");
  std::vector<RowFile> others = files();
  others[1].format = RowFile::Table{{"status"}};
  EXPECT_TRUE(message_of<InputError>([&] {
                KeptRowFiles(scratch.path(), others, {2, 1.0});
              }).starts_with(scratch.file("one.csv")));
}

TEST(RowFiles, AreAllCheckedBeforeTheFirstIsCut) {
  const Scratch scratch;
  RowFiles(scratch.path(), files());
  const std::string damaged = "# another\n0.5 1\nwhat\n1 2\n";
  const std::pair<const char*, std::string> texts[] = {
      {"waves/a.asc", "# of a wave\n0.5 1\n9 2\n"},
      {"one.csv", "step,time,status,mass\n1,0.5,found,2\n9,9,found,2\n"},
      {"b.asc", damaged}};
  for (const auto& [name, text] : texts) write_whole(scratch.file(name), text);
  EXPECT_EQ(
      message_of<InputError>([&] {
        KeptRowFiles(scratch.path(), files(), {2, 1.0});
      }),
      scratch.file("b.asc") + ":3: is no complete row; correct the file, or choose another output directory");
  for (const auto& [name, text] : texts) EXPECT_EQ(contents(scratch.file(name)), text);
}

// Rows of a run that this one does not continue would stay in files that it does not write.
TEST(RowFiles, OfOtherInputsLoseTheirLaterRows) {
  const Scratch scratch;
  const RowFileNames names[] = {{RowFormat::table, "", "one[0-9]*\\.csv"},
                                {RowFormat::samples, "waves", "[a-z]\\.asc"}};
  RowFiles(scratch.path(), files());
  const std::string table = "step,time,mass\n", row = "2,1,7\n", samples = "# any\n", sample = "1 7\n";
  write_whole(scratch.file("one2.csv"), table + row + "3,1.5,8\n");
  write_whole(scratch.file("waves/z.asc"), samples + sample + "1.5 8\n");
  // Other names, other formats, no files.
  const std::pair<const char*, std::string> foreign[] = {{"one2.csv.old", table + "3,1.5,8\n"},
                                                         {"z.asc", samples + "1.5 8\n"},
                                                         {"waves/zz.asc", samples + "1.5 8\n"},
                                                         {"one3.csv", "mass\n7\n8\n"},
                                                         {"waves/y.asc", "1.5 8\n"}};
  for (const auto& [name, text] : foreign) write_whole(scratch.file(name), text);
  std::filesystem::create_directory(scratch.file("one4.csv"));
  const KeptRowFiles kept(scratch.path(), files(), {2, 1.0}, names);
  EXPECT_EQ(kept.of_run.size(), 3u);
  EXPECT_EQ(kept.of_others.size(), 2u) << "and not those of the run";
  EXPECT_EQ(contents(scratch.file("one2.csv")), table + row + "3,1.5,8\n");
  RowFiles(files(), kept);
  EXPECT_EQ(contents(scratch.file("one2.csv")), table + row);
  EXPECT_EQ(contents(scratch.file("waves/z.asc")), samples + sample);
  for (const auto& [name, text] : foreign) EXPECT_EQ(contents(scratch.file(name)), text) << name;
  write_whole(scratch.file("one5.csv"), table + "what\n" + row);
  EXPECT_TRUE(message_of<InputError>([&] {
                KeptRowFiles(scratch.path(), files(), {2, 1.0}, names);
              }).starts_with(scratch.file("one5.csv") + ":2: "));
  std::filesystem::remove_all(scratch.file("waves"));
  std::filesystem::remove(scratch.file("one5.csv"));
  EXPECT_TRUE(KeptRowFiles(scratch.path(), {}, {2, 1.0}, names).of_run.empty()) << "no folder, no files";
}

}  // namespace
}  // namespace meander::io
