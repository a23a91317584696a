// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Rows that a checkpoint claims are on the disk before it, and are flushed once.
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "simulation/output.hpp"
#include "tests/io/scratch.hpp"
#include "tests/simulation/physics_run.hpp"

namespace {

std::vector<ino_t> flushed;  // the files of all calls

ino_t number_of(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_ino : 0;
}

}  // namespace

// In place of that of the C library.
extern "C" int fsync(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) == 0) flushed.push_back(status.st_ino);
  return static_cast<int>(::syscall(SYS_fsync, descriptor));
}

namespace meander::simulation {
namespace {

TEST(RowsOfARun, AreOnTheDiskBeforeTheCheckpoint) {
  const testing_io::Scratch scratch;
  const auto simulation = make_simulation(
      physics_input(
          "[domain]\ndimensions = 2\n[mesh]\npatch-size = 4\n[scenario]\nname = \"uniform\"\n[output]\n"
          "plot-every = 0\nhistory-steps = 1\n[[output.probe]]\nname = \"one\"\nat = [0.5, 0.5]\nevery-steps "
          "= 2\n[[output.line]]\nname = \"two\"\nfrom = [0, 0]\nto = [1, 1]\npoints = 2\nfields = "
          "[\"density\"]\nevery-steps = 2\n"),
      1);
  Output output(*simulation, scratch.path());
  output.start();
  const auto flushes = [&] {
    flushed.clear();
    io::CheckpointState state;
    output.save(state);
    std::vector<std::ptrdiff_t> counts;
    for (const char* name : {"history.csv", "probe_one.csv", "line_two_density.txt"})
      counts.push_back(std::ranges::count(flushed, number_of(scratch.file(name))));
    return counts;
  };
  using Counts = std::vector<std::ptrdiff_t>;
  EXPECT_EQ(flushes(), (Counts{1, 1, 1}));
  EXPECT_EQ(flushes(), (Counts{0, 0, 0}));
  for (const Counts& expected : {Counts{1, 0, 0}, Counts{1, 1, 1}}) {
    simulation->advance(simulation->config().time.end);
    output.after_step();
    EXPECT_EQ(flushes(), expected);
  }
}

}  // namespace
}  // namespace meander::simulation
