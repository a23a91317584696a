// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "level_cuts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>
#include <thread>

#include "base/error.hpp"
#include "io/checkpoint_file.hpp"
#include "mesh/step_path.hpp"
#include "parallel/rank_replay.hpp"
#include "simulation/config/domain_of.hpp"
#include "simulation/simulation.hpp"

namespace meander::bench {
namespace {

using namespace meander::mesh;

// After a step, which chooses the ratios.
std::unique_ptr<simulation::Simulation> simulation_of(const std::string& file) {
  const parallel::Communicator alone;
  const std::vector<std::string> settings = {"offload.device=none", "time.stepping=local"};
  const auto threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  std::unique_ptr<simulation::Simulation> result;
  if (std::filesystem::path(file).extension() == ".hdf5") {
    io::CheckpointReader checkpoint(file, alone);
    const auto config = simulation::load_config_text(alone, checkpoint.state().input, file, settings);
    result = simulation::restart_simulation(config, threads, alone, checkpoint);
  } else {
    result = simulation::make_simulation(simulation::load_config(alone, file, settings), threads);
  }
  result->advance(std::numeric_limits<double>::max());
  return result;
}

// The critical path of leaves on the ranks that owner(number of the leaf) gives.
template <class Owner>
std::int64_t path_with(const LevelSteps& levels, std::span<const int> leaf_levels, int ranks,
                       const Owner& owner) {
  std::vector<std::vector<std::int64_t>> leaves(static_cast<std::size_t>(ranks),
                                                std::vector<std::int64_t>(levels.steps.size(), 0));
  for (std::size_t leaf = 0; leaf < leaf_levels.size(); ++leaf)
    ++leaves[static_cast<std::size_t>(owner(leaf))][levels.index(leaf_levels[leaf])];
  std::vector<std::int64_t> most(levels.steps.size(), 0);
  for (const auto& of_rank : leaves)
    std::ranges::transform(most, turns(levels, of_rank, 1), most.begin(),
                           [](auto a, auto b) { return std::max(a, b); });
  return path_of(levels, most);
}

// The shortest of the cuts that a run tries.
std::vector<std::int64_t> shortest_cut(const LevelSteps& levels, std::span<const int> leaf_levels, int ranks,
                                       std::int64_t& shortest) {
  std::vector<std::int64_t> best, weights_of_leaves(leaf_levels.size());
  shortest = std::numeric_limits<std::int64_t>::max();
  for (const auto& weights : trial_weights(levels)) {
    std::ranges::transform(leaf_levels, weights_of_leaves.begin(),
                           [&](int level) { return weights[levels.index(level)]; });
    auto cut = cut_by_weight(ranks, weights_of_leaves);
    const std::int64_t path = path_with(levels, leaf_levels, ranks, [&](std::size_t leaf) {
      return std::ranges::upper_bound(cut, static_cast<std::int64_t>(leaf)) - cut.begin() - 1;
    });
    if (path >= shortest) continue;
    shortest = path;
    best = std::move(cut);
  }
  return best;
}

template <int D>
LevelCutCounts counts_of(const DistributedTree<D>& tree, const LevelSteps& levels,
                         const solvers::Traits& traits, int patch_size, int ranks) {
  LevelCutCounts counts;
  counts.leaves = tree.global_size();
  counts.ranks = ranks;
  std::vector<int> leaf_levels;
  for (const Key<D> leaf : tree.leaves()) leaf_levels.push_back(leaf.level());
  const auto all = levels.count(leaf_levels);
  for (std::size_t level = 0; level < all.size(); ++level) {
    counts.even += static_cast<double>(levels.steps[level] * all[level]) / ranks;
    counts.rounded += levels.steps[level] * ((all[level] + ranks - 1) / ranks);
  }
  const auto leaves = tree.leaves();
  const auto cuts = shortest_cut(levels, leaf_levels, ranks, counts.one.path);
  const auto partition = Partition<D>::with(
      cuts, [&](std::size_t rank) { return leaves[static_cast<std::size_t>(cuts[rank])]; });
  const auto by_levels = LevelCuts<D>::even(ranks, leaves, levels.coarsest, levels.steps.size());
  counts.each.path =
      path_with(levels, leaf_levels, ranks, [&](std::size_t leaf) { return by_levels.owner(leaves[leaf]); });
  for (auto* kind : {&counts.one, &counts.each}) {
    kind->costs.resize(static_cast<std::size_t>(ranks));
    parallel::replay_ranks(ranks, [&](const parallel::Communicator& communicator) {
      const auto rank = static_cast<std::size_t>(communicator.rank());
      const DistributedTree<D> piece(tree.domain(),
                                     {leaves.begin() + cuts[rank], leaves.begin() + cuts[rank + 1]},
                                     partition, communicator);
      kind->costs[rank] =
          rank_costs(kind == &counts.one ? piece : piece.placed(by_levels), traits, patch_size);
    });
  }
  return counts;
}

template <int D>
std::vector<LevelCutCounts> counts_of(simulation::Simulation& simulation, std::span<const int> ranks) {
  const auto& config = simulation.config();
  const LevelSteps levels = simulation::level_steps(simulation.local_steps().value());
  const auto view = simulation.interiors("counts");
  const auto indices = simulation.leaf_indices();
  std::vector<Key<D>> keys;
  for (std::size_t leaf = 0; leaf < indices.size(); ++leaf) {
    Cell<D> cell{.level = view.levels[leaf]};
    std::copy_n(indices[leaf].begin(), D, cell.at.begin());
    keys.push_back(key_of<D>(cell));
  }
  const DistributedTree<D> tree(simulation::domain_of<D>(config), std::move(keys), {});
  std::vector<LevelCutCounts> all;
  for (const int n : ranks) {
    if (n <= tree.global_size())
      all.push_back(counts_of(tree, levels, simulation.solver().traits(), config.mesh.patch_size, n));
  }
  return all;
}

// Mean and maximum over ranks.
std::string spread(std::span<const mesh::RankCosts> costs, double (*figure)(const mesh::RankCosts&),
                   int digits) {
  double mean = 0, most = 0;
  for (const mesh::RankCosts& rank : costs) {
    mean += figure(rank) / static_cast<double>(costs.size());
    most = std::max(most, figure(rank));
  }
  return fmt::format("{:.{}f} / {:.{}f}", mean, digits, most, digits);
}

}  // namespace

std::vector<LevelCutCounts> count_level_cuts(const std::string& file, std::span<const int> ranks) {
  const auto simulation = simulation_of(file);
  auto all = simulation->config().domain.dimensions == 2 ? counts_of<2>(*simulation, ranks)
                                                         : counts_of<3>(*simulation, ranks);
  for (LevelCutCounts& counts : all) counts.input = std::filesystem::path(file).stem();
  return all;
}

void print_level_cuts(std::span<const LevelCutCounts> all) {
  fmt::print(
      "| input | leaves | ranks | even | rounded | one cut: updates | over rounded | messages | kB a stage | "
      "each level: updates | over rounded | messages | kB a stage | table [kB] |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  const auto messages = [](const mesh::RankCosts& rank) { return static_cast<double>(rank.messages()); };
  const auto kilobytes = [](const mesh::RankCosts& rank) { return 1e-3 * static_cast<double>(rank.bytes()); };
  for (const LevelCutCounts& c : all) {
    fmt::print("| {} | {} | {} | {:.0f} | {} |", c.input, c.leaves, c.ranks, c.even, c.rounded);
    for (const auto* kind : {&c.one, &c.each}) {
      fmt::print(" {} | {:.2f} | {} | {} |", kind->path,
                 static_cast<double>(kind->path) / static_cast<double>(c.rounded),
                 spread(kind->costs, messages, 1), spread(kind->costs, kilobytes, 0));
    }
    fmt::print(" {:.2f} |\n", 1e-3 * static_cast<double>(c.each.costs.front().table_bytes));
  }
}

}  // namespace meander::bench
