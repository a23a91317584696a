// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The index of plot files: its format, and what a restart keeps of it.

#include "io/plot_file.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "tests/io/scratch.hpp"

namespace meander::io {
namespace {

using testing_io::contents;
using testing_io::message_of;
using testing_io::Scratch;

TEST(PlotSeries, ListsFilesWithTheirTimes) {
  const Scratch scratch;
  PlotSeries series(scratch.path());
  series.add(plot_name(0), 0);
  series.add(plot_name(7), 0.1);
  EXPECT_EQ(contents(scratch.file("plot.vtkhdf.series")),
            "{\n  \"file-series-version\": \"1.0\",\n  \"files\": [\n"
            "    {\"name\": \"plot_000000.vtkhdf\", \"time\": 0},\n"
            "    {\"name\": \"plot_000007.vtkhdf\", \"time\": 0.1}\n  ]\n}\n");
}

TEST(PlotSeries, ContinuesAfterARestart) {
  const Scratch scratch;
  PlotSeries first(scratch.path());
  const double times[] = {-0.1, 0, 0.1, 1.0 / 3.0, 1e300};
  for (int i = 0; i < 5; ++i) first.add(plot_name(i), times[i]);
  const std::string path = scratch.file("plot.vtkhdf.series");
  const auto all = PlotSeries::read(path);
  for (int kept = 5; kept >= 0; --kept) {
    PlotSeries next(scratch.path());
    next.resume(kept == 0 ? -1 : times[kept - 1]);
    const auto files = PlotSeries::read(path);
    EXPECT_EQ(files, (std::vector(all.begin(), all.begin() + kept)));
    PlotSeries same(scratch.path());
    same.resume(1e301);
    EXPECT_EQ(PlotSeries::read(path), files);
  }
  PlotSeries anew(scratch.file("other"));
  EXPECT_NO_THROW(anew.resume(1));
}

TEST(PlotSeries, ListsAPlotThatIsWrittenAnewOnce) {
  const Scratch scratch;
  PlotSeries killed(scratch.path());
  killed.add(plot_name(0), 0);
  killed.add(plot_name(1), 0.1);
  PlotSeries next(scratch.path());
  next.resume(0.1);
  next.add(plot_name(1), 0.2);
  const std::vector<std::pair<std::string, double>> expected = {{plot_name(0), 0}, {plot_name(1), 0.2}};
  EXPECT_EQ(PlotSeries::read(scratch.file("plot.vtkhdf.series")), expected);
}

TEST(PlotSeries, RefusesForeignFiles) {
  const Scratch scratch;
  const std::string path = scratch.file("plot.vtkhdf.series");
  PlotSeries series(scratch.path());
  series.add(plot_name(0), 0);
  const std::string good = contents(path);
  for (const std::string& bad : {std::string("{}"), good.substr(0, good.size() - 2),
                                 good.substr(0, good.size() - 8) + "x" + good.substr(good.size() - 8)}) {
    std::ofstream(path, std::ios::binary) << bad;
    EXPECT_EQ(message_of<InputError>([&] { series.resume(1); }),
              path + ": is no series of plot files of this program")
        << bad;
  }
}

// A restart checks all files before it changes the first.
TEST(PlotSeries, IsReadWithoutAChangeOfTheFile) {
  const Scratch scratch;
  const std::string path = scratch.file("plot.vtkhdf.series");
  PlotSeries first(scratch.path());
  for (int i = 0; i < 3; ++i) first.add(plot_name(i), i);
  const std::string text = contents(path);
  PlotSeries next(scratch.path());
  next.keep_until(1);
  EXPECT_EQ(contents(path), text);
  next.cut();
  EXPECT_EQ(PlotSeries::read(path).size(), 2u);
}

}  // namespace
}  // namespace meander::io
