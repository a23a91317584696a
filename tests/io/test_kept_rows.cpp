// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The rows that a restart keeps of a table or a file of samples: which damage is that of a killed run, and which is refused.

#include "io/row_files.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <ostream>
#include <vector>

#include "base/error.hpp"
#include "io/files.hpp"
#include "tests/io/scratch.hpp"

namespace meander::io {
namespace {

using testing_io::contents;
using testing_io::message_of;
using testing_io::Scratch;

struct Rows {
  RowFormat format;
  std::string header, one, two, three;
  std::vector<std::string> damaged;  // no rows of this file
};

std::ostream& operator<<(std::ostream& out, const Rows& rows) {
  return out << (rows.format == RowFormat::table ? "table" : "samples");
}

class KeptRowsOf : public testing::TestWithParam<Rows> {
 protected:
  KeptRows keep(const std::string& text, double last) {
    write_whole(path, text);
    return {path, rows.header, rows.format, last};
  }
  // The file after a restart.
  std::string cut(const std::string& text, double last) {
    keep(text, last).cut();
    return contents(path);
  }

  const Scratch scratch;
  const std::string path = scratch.file("rows");
  const Rows rows = GetParam();
  const std::string head = rows.header, good = head + rows.one + rows.two;
};

INSTANTIATE_TEST_SUITE_P(Io, KeptRowsOf,
                         testing::Values(Rows{RowFormat::table,
                                              "step,time\n",
                                              "1,0.5\n",
                                              "2,1\n",
                                              "3,1.5\n",
                                              {"", "2", "2,0.2,7", "garbage", "nan,0.2", "inf,0.2", ",0.2",
                                               "1e999,0.2", " 2,0.2", "2 0.2", "2;0.2,1"}},
                                         Rows{RowFormat::samples,
                                              "# of a wave\n# time value\n",
                                              "1 0.5 7\n",
                                              "2 1 8\n",
                                              "3 1.5 9\n",
                                              {"", "2", "2 0.2", "2 0.2 7 8", "garbage", "nan 0.2 7",
                                               "# comment", "2,0.2,7", "2\t0.2\t7"}}));

TEST_P(KeptRowsOf, AreFoundWithoutAChangeOfTheFile) {
  const std::string text = good + rows.three + "torn";
  const KeptRows kept = keep(text, 2);
  EXPECT_EQ(kept.last(), 2);
  EXPECT_EQ(contents(path), text);
  kept.cut();
  EXPECT_EQ(contents(path), good);
  kept.cut();
  EXPECT_EQ(contents(path), good);
  EXPECT_EQ(keep(text, 0).last(), std::nullopt);
  EXPECT_EQ(keep(text, 1e300).last(), 3) << "the last line is not complete";
}

TEST_P(KeptRowsOf, LoseALastLineThatIsNoRow) {
  for (const std::string& damaged : rows.damaged) {
    for (const char* end : {"", "\n", "\n\n \n", "\n\r\n"})
      EXPECT_EQ(cut(good + damaged + end, 9), good) << damaged << end;
  }
}

// A line before the last one is not that of a killed run. All rows after it would be lost.
TEST_P(KeptRowsOf, AreRefusedWithALineInTheMiddleThatIsNoRow) {
  const auto line = [&](std::int64_t number) {
    return path + ":" + std::to_string(number) +
           ": is no complete row; correct the file, or choose another output directory";
  };
  const auto number = std::count(head.begin(), head.end(), '\n') + 2;
  for (const std::string& damaged : rows.damaged) {
    for (const std::string& after : {rows.three, rows.one, std::string("more"), "\n" + rows.three}) {
      const std::string text = head + rows.one + damaged + "\n" + after;
      EXPECT_EQ(message_of<InputError>([&] { keep(text, 2); }), line(number)) << damaged;
      EXPECT_EQ(contents(path), text);
    }
  }
}

// They are dropped anyway.
TEST_P(KeptRowsOf, MayHaveAnythingAfterTheFirstLaterRow) {
  EXPECT_EQ(cut(good + rows.three + "garbage\n\n" + rows.one, 2), good);
}

TEST_P(KeptRowsOf, StartAnewWithAHeaderThatIsNotComplete) {
  for (std::size_t bytes = 0; bytes < head.size(); ++bytes)
    EXPECT_EQ(cut(head.substr(0, bytes), 9), head) << bytes;
  std::filesystem::remove(path);
  KeptRows(path, rows.header, rows.format, 9).cut();
  EXPECT_EQ(contents(path), head);
}

TEST_P(KeptRowsOf, AreRefusedIfTheFileIsAnother) {
  EXPECT_THROW(keep("another\n" + rows.one, 9), InputError);
  std::filesystem::remove(path);
  ASSERT_EQ(mkfifo(path.c_str(), 0666), 0);
  EXPECT_EQ(message_of<InputError>([&] { KeptRows(path, rows.header, rows.format, 9); }),
            path + ": is no regular file");
}

TEST(HeaderOfRows, IsFoundIfItIsComplete) {
  const Scratch scratch;
  const auto found = [&](RowFormat format, const std::string& text) {
    write_whole(scratch.file("x"), text);
    return header_in(scratch.file("x"), format);
  };
  for (const char* rest : {"", "1,0.5,found\n", "1,0"}) {
    EXPECT_EQ(found(RowFormat::table, std::string("step,time,status\n") + rest), "step,time,status\n");
    EXPECT_EQ(found(RowFormat::samples, std::string("# a\n#b\n") + rest), "# a\n#b\n");
  }
  for (const char* other : {"", "step,time,stat", "mass,time\n", "1,0.5\n", "# step,time,x\n"})
    EXPECT_EQ(found(RowFormat::table, other), "") << other;
  for (const char* other : {"", "# a\n# b", "1 0.5\n", "step,time,x\n"})
    EXPECT_EQ(found(RowFormat::samples, other), "") << other;
}

}  // namespace
}  // namespace meander::io
