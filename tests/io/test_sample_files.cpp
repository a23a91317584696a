// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Files of rows beside history.csv: their format, and what a restart keeps of them.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "base/error.hpp"
#include "io/files.hpp"
#include "io/row_files.hpp"
#include "tests/io/scratch.hpp"

namespace meander::io {
namespace {

using testing_io::contents;
using testing_io::message_of;
using testing_io::Scratch;

const std::string head = "# of a wave\n# time value\n";

std::vector<RowFile> sample_files() {
  const RowFile::Samples samples{"of a wave\ntime value\n"};
  return {{"waves/a.asc", samples}, {"b.asc", samples}};
}

// The files of a run that restarts at time `last`.
RowFiles continued(const std::string& directory, double last) {
  return {sample_files(), KeptRowFiles(directory, sample_files(), {0, last})};
}

TEST(SampleFiles, HaveRowsThatReadBackToTheSameBits) {
  const Scratch scratch;
  RowFiles samples(scratch.path(), sample_files());
  const double value = std::nextafter(1.0 / 3, 1.0);
  samples.add({0, 0}, std::vector<Row>{{History::cell(value)}, {}});
  samples.add({1, 0.25}, std::vector<Row>{{History::cell(-value)}, {History::cell(1e-300)}});
  EXPECT_EQ(contents(scratch.file("waves/a.asc")), head);
  samples.flush();
  samples.flush();
  EXPECT_EQ(contents(scratch.file("waves/a.asc")),
            head + "0 0.33333333333333337\n0.25 -0.33333333333333337\n");
  EXPECT_EQ(std::strtod("0.33333333333333337", nullptr), value);
  EXPECT_EQ(contents(scratch.file("b.asc")), head + "0.25 1e-300\n");
}

TEST(SampleFiles, NeverReplaceAFile) {
  const Scratch scratch;
  write_whole(scratch.file("b.asc"), "old");
  EXPECT_EQ(message_of<Failure>([&] { RowFiles samples(scratch.path(), sample_files()); }),
            scratch.file("b.asc") + ": cannot open: File exists");
  EXPECT_EQ(contents(scratch.file("b.asc")), "old");
}

TEST(SampleFiles, OfARestartKeepTheRowsUpToItsTime) {
  const double last = 0.1 + 0.2;  // not 0.3
  const auto resumed = [&](const std::string& old) {
    const Scratch scratch;
    write_whole(scratch.file("b.asc"), old);
    RowFiles samples = continued(scratch.path(), last);
    samples.add({1, 1}, std::vector<Row>{{}, {"5"}});
    samples.flush();
    EXPECT_EQ(contents(scratch.file("waves/a.asc")), head);
    return contents(scratch.file("b.asc"));
  };
  const std::string kept = head + "0 1\n0.30000000000000004 2\n", added = "1 5\n";
  EXPECT_EQ(resumed(kept), kept + added);
  EXPECT_EQ(resumed(kept + "0.5 3\n0.75 4\n"), kept + added);
  EXPECT_EQ(resumed(head + "0 1\n0.30000000000000010 2\n"), head + "0 1\n" + added);
  EXPECT_EQ(resumed(kept + "0.3"), kept + added) << "incomplete line";
  EXPECT_EQ(resumed(""), head + added);
  EXPECT_EQ(resumed("# of a"), head + added);
  EXPECT_EQ(resumed(head + "what\n"), head + added);
}

TEST(SampleFiles, WithAnotherHeaderAreRefused) {
  const Scratch scratch;
  write_whole(scratch.file("b.asc"), "# another\n0 1\n");
  EXPECT_EQ(message_of<InputError>([&] { continued(scratch.path(), 1.0); }),
            scratch.file("b.asc") +
                ": has another header than this run; move it away, or choose another output directory");
  EXPECT_EQ(contents(scratch.file("b.asc")), "# another\n0 1\n");
}

}  // namespace
}  // namespace meander::io
