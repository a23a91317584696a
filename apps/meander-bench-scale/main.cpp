// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// meander-bench-scale: the mesh on many ranks, in one process without MPI. Cuts trees into pieces, builds the
// tables of every piece with the code of a run, counts messages, bytes and memory, and predicts the time of a
// step by a model of the machine.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "level_cuts.hpp"
#include "options/options.hpp"
#include "physics/ccz4/solver.hpp"
#include "physics/euler/solver.hpp"
#include "tables.hpp"
#include "trees.hpp"

namespace {

using namespace meander;
using namespace meander::bench;

std::unique_ptr<solvers::Solver> solver_of(const std::string& scheme, int dim) {
  if (scheme == "rusanov" || scheme == "muscl") {
    solvers::SchemeWords words;
    words.scheme = scheme;
    return euler::make_solver(dim, {}, words);
  }
  if (dim != 3) throw InputError("--scheme " + scheme + ": --dimensions 3 only");
  ccz4::Parameters parameters;
  parameters.scheme = scheme == "ccz4-rusanov" ? ccz4::Scheme::rusanov : ccz4::Scheme::fourth_order;
  return ccz4::make_solver(parameters);
}

struct Options {
  std::vector<std::string> trees = {"uniform", "nest", "shell"}, inputs;
  std::vector<double> leaves = {1e6};
  std::vector<int> ranks = {1, 8, 64, 512, 4096, 100000};
  double weak = 0, most_leaves = 1.5e6;
  int dim = 3, patch_size = 9, cubes = 5;
  std::string scheme = "rusanov", cuts = "one", csv;
  Machine machine;
};

template <int D>
std::vector<Census> censuses(const Options& options) {
  const auto solver = solver_of(options.scheme, D);
  const solvers::Traits& traits = solver->traits();
  if (options.patch_size < 3 * traits.halo) {
    throw InputError(fmt::format("--patch-size {}: {} requires at least {} on adaptive trees",
                                 options.patch_size, options.scheme, 3 * traits.halo));
  }
  std::vector<Census> all;
  const auto count = [&](TreeKind kind, const mesh::DistributedTree<D>& tree, int ranks) {
    if (ranks > tree.global_size()) return;
    fmt::print(stderr, "{}: {} leaves on {} ranks\n", name_of(kind), tree.global_size(), ranks);
    all.push_back(
        census_of(name_of(kind), tree, ranks, options.cuts == "levels", traits, options.patch_size));
  };
  for (std::size_t k = 0; k < tree_names.size(); ++k) {
    if (std::ranges::find(options.trees, tree_names[k]) == options.trees.end()) continue;
    const auto kind = static_cast<TreeKind>(k);
    if (options.weak > 0) {
      for (const int ranks : options.ranks) {
        if (options.weak * ranks <= options.most_leaves)
          count(kind, tree_of<D>(kind, options.weak * ranks, options.cubes), ranks);
      }
      continue;
    }
    for (const double leaves : options.leaves) {
      const auto tree = tree_of<D>(kind, leaves, options.cubes);
      for (const int ranks : options.ranks) count(kind, tree, ranks);
    }
  }
  return all;
}

void write_csv_file(const Options& options, const std::vector<Census>& all) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(options.csv.c_str(), "w"),
                                                             std::fclose);
  if (!file) throw Failure(options.csv + ": cannot write");
  write_csv(file.get(), all, options.machine);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  const auto done = app::parse(
      argc, argv,
      "Counts messages, bytes and memory of every rank of large partitions in one process, and predicts the "
      "time of a step. Figures are means and maxima over ranks",
      {{"--inputs", options.inputs,
        "input files, or checkpoints: only their updates in succession with local time steps, by one cut of "
        "the curve and by "
        "one of each level"},
       {"--trees", options.trees, "uniform, nest (nested cubes), shell (refined along a sphere)",
        app::one_of({"uniform", "nest", "shell"})},
       {"--cubes", options.cubes, "nested cubes of nest, which has one level more", app::between(1, 11)},
       {"--leaves", options.leaves, "approximate numbers of leaves", app::between(100, 1e8)},
       {"--ranks", options.ranks, "numbers of ranks; those above the number of leaves are left out",
        app::between(1, 1000000)},
       {"--weak", options.weak, "trees of this number of leaves a rank, instead of --leaves",
        app::between(1, 1e6)},
       {"--most-leaves", options.most_leaves, "leaves out larger trees of --weak", app::between(100, 1e8)},
       {"--dimensions", options.dim, "2 or 3", app::between(2, 3)},
       {"--patch-size", options.patch_size, "p", app::between(3, 100)},
       {"--scheme", options.scheme, "rusanov, muscl, ccz4-rusanov, ccz4-fourth-order",
        app::one_of({"rusanov", "muscl", "ccz4-rusanov", "ccz4-fourth-order"})},
       {"--cuts", options.cuts,
        "one: of the curve, with equal numbers of leaves; levels: of the leaves of each level",
        app::one_of({"one", "levels"})},
       {"--latency", options.machine.latency, "model: seconds a message", app::not_negative},
       {"--bandwidth", options.machine.bandwidth, "model: bytes a second and rank", app::positive},
       {"--rate", options.machine.rate, "model: volumes a second and rank in whole steps", app::positive},
       {"--csv", options.csv, "file for all figures"}});
  if (done) return *done;

  try {
    if (!options.inputs.empty()) {
      std::vector<LevelCutCounts> counts;
      for (const std::string& input : options.inputs)
        std::ranges::move(count_level_cuts(input, options.ranks), std::back_inserter(counts));
      print_level_cuts(counts);
      return exit_done;
    }
    const auto all = options.dim == 2 ? censuses<2>(options) : censuses<3>(options);
    fmt::print("{}, p = {}; figures are means / maxima over ranks\n\n", options.scheme, options.patch_size);
    print_counts(all);
    fmt::print("\n");
    print_memory(all);
    fmt::print("\n");
    print_model(all, options.machine);
    if (!options.csv.empty()) write_csv_file(options, all);
  } catch (const InputError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return exit_input_error;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return exit_failure;
  }
  return exit_done;
}
