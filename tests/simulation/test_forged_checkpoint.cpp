// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints with valid checksums and invalid attributes are rejected with a message that names the attribute.
#include <gtest/gtest.h>

#include <bit>
#include <limits>

#include "base/error.hpp"
#include "simulation/config/check_restart.hpp"
#include "tests/fuzz/forged_checkpoint.hpp"

namespace meander::simulation {
namespace {

constexpr std::uint64_t large = std::numeric_limits<std::int32_t>::max();
constexpr std::uint64_t minus_one = ~std::uint64_t{0};

// The message of opening and checking the forged file; empty without an error.
std::string answer_to(const fuzz::ForgedCheckpoint& forged, const fuzz::ScratchDirectory& scratch,
                      const fuzz::Change& change) {
  const std::string path = scratch.path() + "/chk_000000.hdf5";
  forged.forge(path, std::span(&change, 1));
  try {
    const io::CheckpointReader checkpoint(path, {});
    facts_of(checkpoint, path);
  } catch (const InputError& error) {
    std::string text = error.what();
    EXPECT_TRUE(text.starts_with(path + ": ")) << text;
    return text.substr(std::min(text.size(), path.size() + 2));
  }
  return "";
}

TEST(ForgedCheckpoint, IsRefusedForWhatItsAttributesSay) {
  const fuzz::ScratchDirectory scratch;
  const fuzz::ForgedCheckpoint forged(scratch);
  const auto change = [](const char* name, std::uint64_t value) {
    return fuzz::Change{.place = fuzz::ForgedCheckpoint::place_of(name), .value = value};
  };
  const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const struct {
    fuzz::Change change;
    const char* answer;
  } cases[] = {
      {change("step", 12), ""},
      {change("step", minus_one), "step = -1 is invalid"},
      {change("time", bits(nan)), "is damaged (its time)"},
      {change("dt", bits(-1)), "is damaged (its time)"},
      {change("num_components", large), "num_components = 2147483647 is invalid"},
      {change("dimensions", 3), "HDF5 cannot read origin"},
      {change("dimensions", large), "dimensions = 2147483647 is invalid"},
      {change("patch_size", 0), "patch_size = 0 is invalid"},
      {change("patch_size", 4), "is damaged (its numbers of patches and values disagree)"},
      {change("patch_size", 10000), "is damaged (its numbers of patches and values disagree)"},
      {change("level_offset", large), "level_offset = 2147483647 is invalid"},
      {change("base_level", minus_one), "base_level = -1 is invalid"},
      {change("origin", bits(nan)), "its corners differ from those of its own input"},
      {change("base_cells", 2), "its base cells differ from those of its own input"},
  };
  for (const auto& each : cases) EXPECT_EQ(answer_to(forged, scratch, each.change), each.answer);
}

TEST(ForgedCheckpoint, IsRefusedForFeaturesThatAreNeverWritten) {
  using Forged = fuzz::ForgedCheckpoint;
  const fuzz::ScratchDirectory scratch;
  const Forged forged(scratch);
  for (std::uint16_t dataset = 0; dataset < Forged::number_of_datasets; ++dataset) {
    const auto answer = [&](std::uint8_t feature, std::uint64_t value = 0) {
      return answer_to(forged, scratch, {.feature = feature, .element = dataset, .value = value});
    };
    EXPECT_NE(answer(Forged::external_storage).find("is stored in another file"), std::string::npos)
        << dataset;
    EXPECT_NE(answer(Forged::external_link).find("is a link out of its group"), std::string::npos) << dataset;
    if (dataset > 0) {  // a scalar has no chunks
      EXPECT_NE(answer(Forged::filter).find("is not stored in one piece"), std::string::npos) << dataset;
    }
    EXPECT_NE(answer(Forged::no_storage, 40), "") << dataset;
  }
}

}  // namespace
}  // namespace meander::simulation
