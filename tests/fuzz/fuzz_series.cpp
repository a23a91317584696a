// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Continues plot.vtkhdf.series as a restart does: the file is rejected, or the rewritten file reads back to the same
// entries.
#include "base/error.hpp"
#include "io/plot_file.hpp"
#include "tests/fuzz/scratch_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace meander;
  static const fuzz::ScratchDirectory scratch;
  constexpr double last = 0.5;
  scratch.write("plot.vtkhdf.series", fuzz::text_of(data, size));
  io::PlotSeries series(scratch.path());
  try {
    series.resume(last);
  } catch (const InputError&) {
    return 0;
  }
  const std::string path = scratch.path() + "/plot.vtkhdf.series";
  const auto files = io::PlotSeries::read(path);
  io::PlotSeries again(scratch.path());
  again.resume(last);
  fuzz::require(io::PlotSeries::read(path) == files, "a second restart leaves the series unchanged");
  return 0;
}
