// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// A state from a file has the same bits on any number of ranks and threads, whoever wrote it.

#include "simulation/output.hpp"
#include "tests/simulation/mpi/cases.hpp"
#include "tests/simulation/mpi/directory.hpp"
#include "tests/simulation/mpi/outcome.hpp"
#include "tests/simulation/mpi/write_checkpoint.hpp"

namespace meander::simulation {
namespace {

TEST(FromFileRanks, ChangeNoBit) {
  const Directory directory("meander-test-from-file");
  const auto source = make_simulation(
      config_of(case_called("riemann"),
                {"output.fields=[\"density\", \"momentum\", \"energy\"]", "output.precision=float64"}),
      2, world());
  while (source->step() < 12) source->advance(source->config().time.end);
  Output(*source, directory.path()).start();
  write_checkpoint(*source, directory.file("checkpoint"));
  for (const char* file : {"plot_000000.vtkhdf", "checkpoint"}) {
    SCOPED_TRACE(file);
    const auto read = [&](const parallel::Communicator& communicator, int threads) {
      std::string text = case_called("riemann").text;
      const auto begin = text.find("[scenario]"), end = text.find("[", begin + 1);
      text.replace(begin, end == std::string::npos ? end : end - begin,
                   "[scenario]\nname = \"from-file\"\nfile = \"" + directory.file(file) + "\"\n");
      const Config config = load_config_text(text, "file.toml", {"mesh.patch-size=7", "boundary.all=outflow"},
                                             scenarios(), 1e12);
      const auto simulation = make_simulation(config, threads, communicator);
      simulation->advance(config.time.end);
      return outcome_of(*simulation);
    };
    const Outcome reference = alone([&](const auto& one) { return read(one, 1); });
    EXPECT_GT(reference.leaves.size(), 10u);
    expect_same(read(world(), 1), reference, "all ranks");
    expect_same(read(world(), 3), reference, "all ranks, 3 threads each");
  }
}

TEST(FromFileRanks, AgreeOnABadFile) {
  const Directory directory("meander-test-bad-file");
  std::string text = case_called("riemann").text;
  const auto begin = text.find("[scenario]"), end = text.find("[", begin + 1);
  text.replace(begin, end == std::string::npos ? end : end - begin,
               "[scenario]\nname = \"from-file\"\nfile = \"" + directory.file("none") + "\"\n");
  const Config config = load_config_text(text, "file.toml", {"boundary.all=outflow"}, scenarios(), 1e12);
  std::string message;
  try {
    make_simulation(config, 1, world());
  } catch (const InputError& error) {
    message = error.what();
  }
  EXPECT_NE(message.find("scenario.file: " + directory.file("none")), std::string::npos) << message;
}

}  // namespace
}  // namespace meander::simulation
