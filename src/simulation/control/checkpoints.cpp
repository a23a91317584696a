// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/control/checkpoints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>
#include <system_error>

#include "base/log.hpp"
#include "io/atomic_file.hpp"

namespace meander::simulation {

namespace fs = std::filesystem;

namespace {

// The step in the name of a checkpoint.
std::optional<std::int64_t> step_of(const fs::path& path) {
  const std::string name = path.filename().string();
  const std::size_t begin = name.find_first_of("0123456789");
  if (begin == std::string::npos) return std::nullopt;
  const std::size_t end = name.find_first_not_of("0123456789", begin);
  constexpr std::size_t most_digits = 18;
  if (end == std::string::npos || end - begin > most_digits) return std::nullopt;
  const std::int64_t step = std::stoll(name.substr(begin, end - begin));
  if (io::checkpoint_name(step) != name) return std::nullopt;
  return step;
}

// All that can be read in a directory; errors end the list.
std::vector<fs::path> files_in(const std::string& directory) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
    files.push_back(entry->path());
  }
  return files;
}

}  // namespace

Checkpoints::Checkpoints(std::string directory, int keep, std::int64_t first_step,
                         const parallel::Communicator& communicator)
    : communicator_(communicator), directory_(std::move(directory)), keep_(static_cast<std::size_t>(keep)) {
  if (first_step < 0) return;
  for (const fs::path& file : files_in(directory_)) {
    const auto step = step_of(file);
    if (step && *step <= first_step) steps_.push_back(*step);
  }
  std::sort(steps_.begin(), steps_.end());
}

void Checkpoints::write(Simulation& simulation, io::CheckpointState state) {
  io::CheckpointMesh mesh;
  simulation.save(mesh, state);
  const StateView view = simulation.view();
  const auto indices = simulation.leaf_indices();
  std::vector<io::PlotLeaf> leaves(indices.size());
  std::vector<const double*> patches(indices.size());
  for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
    leaves[leaf].level = view.levels[leaf];
    leaves[leaf].rank = communicator_.rank();
    std::copy(indices[leaf].begin(), indices[leaf].end(), leaves[leaf].at);
    patches[leaf] = view.patches[leaf].q;
  }
  mesh.mesh.leaves = leaves;
  io::write_checkpoint(path(simulation.step()), communicator_, mesh, patches, state);
  if (steps_.empty() || steps_.back() != simulation.step()) steps_.push_back(simulation.step());
  if (communicator_.is_root()) remove_others();
}

void Checkpoints::remove_others() const {
  const auto first_kept = steps_.end() - static_cast<std::ptrdiff_t>(std::min(keep_, steps_.size()));
  for (const fs::path& file : files_in(directory_)) {
    const auto step = step_of(file);
    if (!step || std::find(first_kept, steps_.end(), *step) != steps_.end()) continue;
    std::error_code error;
    if (!fs::remove(file, error) || error) {
      log::warning(fmt::format("{}: cannot be removed ({})", file.string(), error.message()));
    } else if (*step > steps_.back()) {
      log::info(fmt::format("{}: removed, since the run went on from before it", file.string()));
    }
  }
}

std::string Checkpoints::newest() const {
  return steps_.empty() ? "" : path(steps_.back());
}

std::string Checkpoints::path(std::int64_t step) const {
  return (fs::path(directory_) / io::checkpoint_name(step)).string();
}

void remove_half_written(const std::string& directory) {
  const std::string ending = io::temporary_name("");
  for (const fs::path& file : files_in(directory)) {
    if (!file.string().ends_with(ending)) continue;
    std::error_code error;
    if (fs::remove(file, error)) log::info(fmt::format("{}: half written, removed", file.string()));
  }
}

}  // namespace meander::simulation
