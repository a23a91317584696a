// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Reads an input file to a checked configuration. Lines that start with "--set " are settings of the command line. Only
// an InputError may be thrown. The resolved form of an accepted input must resolve to itself.
#include "base/error.hpp"
#include "simulation/config/config.hpp"
#include "simulation/scenario.hpp"
#include "tests/fuzz/scratch_file.hpp"

namespace {

using namespace meander;

constexpr double memory = 1e9;
constexpr const char* name = "fuzz.toml";

void split(std::string_view bytes, std::string& text, std::vector<std::string>& settings) {
  constexpr std::string_view option = "--set ";
  while (!bytes.empty()) {
    const std::string_view line = bytes.substr(0, bytes.find('\n'));
    if (line.starts_with(option)) {
      settings.emplace_back(line.substr(option.size()));
    } else {
      text += std::string(line) + '\n';
    }
    bytes.remove_prefix(std::min(bytes.size(), line.size() + 1));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text;
  std::vector<std::string> settings;
  split(fuzz::text_of(data, size), text, settings);
  simulation::Config config;
  try {
    config = simulation::load_config_text(text, name, settings, simulation::scenarios(), memory);
  } catch (const InputError&) {
    return 0;
  }
  const simulation::Config again =
      simulation::load_config_text(config.resolved, name, {}, simulation::scenarios(), memory);
  fuzz::require(again.resolved == config.resolved, "a resolved input resolves to itself");
  return 0;
}
