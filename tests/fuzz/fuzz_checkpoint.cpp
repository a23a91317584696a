// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Reads a checkpoint as a restart does. The input is the bytes of a file or, after a first byte 'F', the changes of a
// forged checkpoint with valid checksums. Reading succeeds or throws InputError or Failure.
#include "base/error.hpp"
#include "simulation/config/check_restart.hpp"
#include "tests/fuzz/forged_checkpoint.hpp"

namespace {

using namespace meander;

void restart(const std::string& path) {
  io::CheckpointReader checkpoint(path, {});
  const simulation::CheckpointFacts facts = simulation::facts_of(checkpoint, path);
  const auto simulation = simulation::restart_simulation(facts.config, 1, {}, checkpoint);
  fuzz::require(simulation->leaves().total == checkpoint.leaves(),
                "a restart has the leaves of its checkpoint");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::ScratchDirectory scratch;
  static const fuzz::ForgedCheckpoint forged(scratch);
  std::string path = scratch.path() + "/chk_000000.hdf5";
  if (size > 0 && data[0] == 'F') {
    std::vector<fuzz::Change> changes;
    for (std::size_t at = 1; at + fuzz::Change::bytes <= size; at += fuzz::Change::bytes)
      changes.push_back(fuzz::Change::read(data + at));
    forged.forge(path, changes);
  } else {
    scratch.write("chk_000000.hdf5", fuzz::text_of(data, size));
  }
  try {
    restart(path);
  } catch (const InputError&) {
  } catch (const Failure&) {
  }
  return 0;
}
