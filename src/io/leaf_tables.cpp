// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/leaf_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <utility>

#include "io/provenance.hpp"

namespace meander::io {

std::vector<LevelRows> level_rows(const std::string& path, std::span<const PlotLeaf> leaves,
                                  const parallel::Communicator& communicator) {
  std::int64_t coarsest = std::numeric_limits<int>::max(), finest = -1;
  for (const PlotLeaf& leaf : leaves) {
    coarsest = std::min<std::int64_t>(coarsest, leaf.level);
    finest = std::max<std::int64_t>(finest, leaf.level);
  }
  coarsest = communicator.min(coarsest);
  finest = communicator.max(finest);
  std::vector<LevelRows> levels(static_cast<std::size_t>(std::max<std::int64_t>(0, finest - coarsest + 1)));
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    levels[static_cast<std::size_t>(leaves[i].level - coarsest)].leaves.push_back(i);
  }
  std::vector<std::int64_t> all;
  for (const LevelRows& level : levels) all.push_back(level.rows());
  communicator.sum(std::span(all));
  for (std::size_t n = 0; n < levels.size(); ++n) {
    levels[n].level = static_cast<int>(coarsest) + static_cast<int>(n);
    levels[n].all = all[n];
    levels[n].first = communicator.sum_of_lower_ranks(levels[n].rows());
  }
  communicator.agree([&] {
    if (levels.empty()) throw Failure(fmt::format("{}: cannot write: there are no leaves", path));
    for (const LevelRows& level : levels) {
      if (level.all == 0)
        throw Failure(fmt::format("{}: cannot write: level {} has no leaves", path, level.level));
    }
  });
  return levels;
}

hdf5::Handle create_origin_group(hdf5::Writer& file, std::int64_t step, double time) {
  const Provenance& program = provenance();
  hdf5::Handle group = file.create_group("/meta");
  file.attribute(group, "version", program.version);
  file.attribute(group, "git_hash", program.git_hash);
  file.attribute(group, "git_modified", std::int64_t{program.modified});
  file.attribute(group, "compiler", program.compiler);
  file.attribute(group, "options", program.options);
  file.attribute(group, "architecture", program.architecture);
  file.attribute(group, "build_type", program.build_type);
  file.attribute(group, "step", step);
  file.attribute(group, "time", time);
  return group;
}

hdf5::Handle create_meta_group(hdf5::Writer& file, const PlotMesh& mesh, std::span<const LevelRows> levels,
                               const PlotMeta& meta, PatchTables& tables) {
  hdf5::Handle group = create_origin_group(file, meta.step, meta.time);
  file.attribute(group, "level_offset", std::int64_t{levels.front().level});
  file.attribute(group, "dimensions", std::int64_t{mesh.layout.dim});
  file.attribute(group, "patch_size", std::int64_t{mesh.layout.p});
  file.text(group, "input", meta.input);
  std::int64_t leaves = 0;
  for (const LevelRows& level : levels) leaves += level.all;
  tables.level = file.allocate(group, "patch_level", H5T_STD_I32LE, leaves);
  tables.index = file.allocate(group, "patch_index", H5T_STD_I32LE, leaves, mesh.layout.dim);
  tables.rank = file.allocate(group, "patch_rank", H5T_STD_I32LE, leaves);
  return group;
}

namespace {

// Consecutive leaves along the curve.
struct Section {
  std::int64_t first = 0;
  std::vector<PlotLeaf> leaves;
};

// Of the leaves of all ranks, an equal part each. Collective.
Section section_of(const PlotMesh& mesh, const parallel::Communicator& communicator) {
  const std::int64_t own = static_cast<std::int64_t>(mesh.leaves.size()), ranks = communicator.size();
  const std::int64_t before = communicator.sum_of_lower_ranks(own), all = communicator.sum(own);
  const auto first = [&](std::int64_t rank) { return all / ranks * rank + all % ranks * rank / ranks; };
  struct Row {
    std::int64_t number;
    PlotLeaf leaf;
  };
  std::map<int, std::vector<Row>> rows;
  int rank = 0;
  for (std::size_t i = 0; i < mesh.leaves.size(); ++i) {
    const std::int64_t number =
        mesh.numbers.empty() ? before + static_cast<std::int64_t>(i) : mesh.numbers[i];
    while (number >= first(rank + 1)) ++rank;
    rows[rank].push_back({number, mesh.leaves[i]});
  }
  Section section{first(communicator.rank()), {}};
  section.leaves.resize(static_cast<std::size_t>(first(communicator.rank() + 1) - section.first));
  for (const Row& row : parallel::deliver(communicator, std::move(rows)))
    section.leaves[static_cast<std::size_t>(row.number - section.first)] = row.leaf;
  return section;
}

}  // namespace

void write_patch_tables(CollectiveFile& file, const PlotMesh& mesh, const PatchTables& tables,
                        const parallel::Communicator& communicator) {
  const Section section = section_of(mesh, communicator);
  const auto rows = static_cast<std::int64_t>(section.leaves.size());
  const auto leaf = [&](std::int64_t row) -> const PlotLeaf& {
    return section.leaves[static_cast<std::size_t>(row)];
  };
  const std::int64_t index_bytes = std::int64_t{sizeof(int)} * mesh.layout.dim;
  file.write_rows(tables.level, sizeof(int), section.first, rows,
                  [&](std::int64_t row, std::byte* out) { std::memcpy(out, &leaf(row).level, sizeof(int)); });
  file.write_rows(tables.index, index_bytes, section.first, rows, [&](std::int64_t row, std::byte* out) {
    std::memcpy(out, leaf(row).at, static_cast<std::size_t>(index_bytes));
  });
  file.write_rows(tables.rank, sizeof(int), section.first, rows,
                  [&](std::int64_t row, std::byte* out) { std::memcpy(out, &leaf(row).rank, sizeof(int)); });
}

}  // namespace meander::io
