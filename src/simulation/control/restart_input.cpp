// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/control/restart_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/error.hpp"
#include "io/checkpoint_directory.hpp"

namespace meander::simulation {

std::string checkpoint_file(const RestartInput& restart, const parallel::Communicator& communicator) {
  std::string file = restart.checkpoint;
  communicator.agree([&] {
    std::error_code ignored;
    if (!communicator.is_root() || !std::filesystem::is_directory(file, ignored)) return;
    file = io::newest_checkpoint(restart.checkpoint);
    if (file.empty()) throw InputError(fmt::format("{}: contains no chk_NNNNNN.hdf5", restart.checkpoint));
  });
  communicator.broadcast(file);
  return file;
}

namespace {

bool sets_directory(const RestartInput& restart) {
  const auto& settings = restart.settings;
  return std::any_of(settings.begin(), settings.end(),
                     [](const std::string& setting) { return setting.starts_with("output.directory="); });
}

}  // namespace

std::string new_directory(const RestartInput& restart, const std::string& output, const Config& config) {
  if (!output.empty()) return output;
  return sets_directory(restart) ? config.output.directory : "";
}

std::string continued_directory(const RestartInput& restart, const std::string& output) {
  if (!output.empty() || sets_directory(restart)) return "";
  std::error_code ignored;
  const std::filesystem::path path = restart.checkpoint;
  if (std::filesystem::is_directory(path, ignored)) return path.string();
  return path.has_parent_path() ? path.parent_path().string() : ".";
}

}  // namespace meander::simulation
