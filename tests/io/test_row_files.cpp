// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Files of diagnostics: tables and samples in any order, each with its rows and its own way to continue.

#include "io/row_files.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
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
    RowFiles rows(scratch.path(), files(), {2, 1.0});
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
                RowFiles(scratch.path(), others, {2, 1.0});
              }).starts_with(scratch.file("one.csv")));
}

}  // namespace
}  // namespace meander::io
