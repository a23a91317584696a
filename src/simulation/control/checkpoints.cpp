// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/control/checkpoints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/error.hpp"
#include "base/log.hpp"
#include "io/run_directory.hpp"

namespace meander::simulation {

namespace fs = std::filesystem;

Checkpoints::Checkpoints(std::string directory, int keep, std::int64_t first_step,
                         const parallel::Communicator& communicator)
    : communicator_(communicator), directory_(std::move(directory)), keep_(static_cast<std::size_t>(keep)) {
  if (first_step < 0) return;
  communicator_.agree([&] {
    if (!communicator_.is_root()) return;
    steps_ = io::checkpoint_steps(directory_);
    std::erase_if(steps_, [&](std::int64_t step) { return step > first_step; });
  });
  communicator_.broadcast(steps_);
}

void Checkpoints::write(Simulation& simulation, io::CheckpointState state) {
  io::CheckpointMesh mesh;
  simulation.save(mesh, state);
  const StateView view = simulation.view("checkpoint");
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
  mesh.mesh.numbers = view.numbers;
  io::write_checkpoint(path(simulation.step()), communicator_, mesh, patches, state);
  if (steps_.empty() || steps_.back() != simulation.step()) steps_.push_back(simulation.step());
  if (communicator_.is_root()) remove_old();
}

void Checkpoints::remove_old() const {
  const auto first_kept = steps_.end() - static_cast<std::ptrdiff_t>(std::min(keep_, steps_.size()));
  std::vector<std::int64_t> found;
  try {
    found = io::checkpoint_steps(directory_);
  } catch (const Failure& failure) {
    log::warning(fmt::format("old checkpoints are kept: {}", failure.what()));
  }
  for (const std::int64_t step : found) {
    if (step > steps_.back() || std::find(first_kept, steps_.end(), step) != steps_.end()) continue;
    const std::string file = path(step);
    std::error_code error;
    if (!fs::remove(file, error) || error)
      log::warning(fmt::format("{}: cannot be removed ({})", file, error.message()));
  }
}

std::string Checkpoints::newest() const {
  return steps_.empty() ? "" : path(steps_.back());
}

std::string Checkpoints::path(std::int64_t step) const {
  return (fs::path(directory_) / io::checkpoint_name(step)).string();
}

}  // namespace meander::simulation
