// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// plot.vtkhdf.series as a restart takes it up: it is refused, or what is written anew from it reads back the
// same.
#include "base/error.hpp"
#include "io/plot_series.hpp"
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
  io::PlotSeries again(scratch.path());
  again.resume(last);
  fuzz::require(again.files() == series.files(), "a series that was taken up is taken up again as it is");
  return 0;
}
