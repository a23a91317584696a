// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints with valid checksums and invalid attributes are rejected with a message that names the attribute.
#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <optional>

#include "base/error.hpp"
#include "simulation/config/check_restart.hpp"
#include "simulation/simulation.hpp"
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

// Counters that a diagnostic continues from: a restart names the file and the counter.
TEST(ForgedCheckpoint, IsRefusedForItsPuncturesAndHorizons) {
  const fuzz::ScratchDirectory scratch;
  const std::string path = scratch.path() + "/chk_000000.hdf5";
  const Config config = load_config_text(
      "[domain]\nlower = [-2, -2, -2]\nupper = [2, 2, 2]\ncells = [2, 2, 2]\n[boundary]\nall = \"scenario\"\n"
      "[mesh]\npatch-size = 8\n[solver]\nequation = \"ccz4\"\nscheme = \"fourth-order\"\n"
      "[scenario]\nname = \"puncture\"\ncentre = [0.1, 0.05, -0.1]\n[[horizon]]\n",
      "hole.toml", {}, scenarios(), 1e10);
  const auto simulation = make_simulation(config, 1);
  simulation->rows();
  const StateView view = simulation->view();
  const auto indices = simulation->leaf_indices();
  // The message of a restart after a change of the counter; `value`: none removes it.
  const auto answer_to_counter = [&](const std::string& name, std::optional<double> value) {
    io::CheckpointMesh mesh;
    io::CheckpointState state;
    simulation->save(mesh, state);
    std::vector<io::PlotLeaf> leaves;
    std::vector<const double*> slots;
    for (std::size_t leaf = 0; leaf < indices.size(); ++leaf) {
      leaves.push_back({view.levels[leaf], {indices[leaf][0], indices[leaf][1], indices[leaf][2]}, 0});
      slots.push_back(view.patches[leaf].q);
    }
    mesh.mesh.leaves = leaves;
    const auto counter =
        std::ranges::find(state.counters, name, &std::pair<std::string, std::int64_t>::first);
    EXPECT_NE(counter, state.counters.end()) << name;
    if (value)
      counter->second = std::bit_cast<std::int64_t>(*value);
    else
      state.counters.erase(counter);
    io::write_checkpoint(path, {}, mesh, slots, state);
    io::CheckpointReader checkpoint(path, {});
    try {
      restart_simulation(config, 1, {}, checkpoint);
    } catch (const parallel::AgreedInputError& error) {
      std::string text = error.what();
      EXPECT_TRUE(text.starts_with(path + ": ")) << text;
      return text.substr(std::min(text.size(), path.size() + 2));
    }
    return std::string();
  };
  EXPECT_EQ(answer_to_counter("puncture-1-x", 0.2), "");
  EXPECT_EQ(answer_to_counter("puncture-1-x", 1e9),
            "counter puncture-1-x is 1e+09, but must lie between -4 and 4");
  EXPECT_EQ(answer_to_counter("puncture-1-z", std::nullopt), "counter puncture-1-z is missing");
  EXPECT_EQ(answer_to_counter("horizon-1-puncture", std::nullopt), "counter horizon-1-puncture is missing");
  EXPECT_TRUE(
      answer_to_counter("horizon-1-a-0000", -1).starts_with("counter horizon-1-a-0000 is -1, but must"));
  EXPECT_TRUE(answer_to_counter("horizon-1-a-0003", 1e300)
                  .starts_with("counter horizon-1-a-0003 is 1e+300, but must"));
}

}  // namespace
}  // namespace meander::simulation
