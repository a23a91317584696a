// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Checkpoints of artificial runs, for tests: all values are different, and any rank can generate any leaf.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "base/vec.hpp"
#include "io/checkpoint_file.hpp"

namespace meander::testing_io {

// A tree of 2 x 1 (x 1) base cells of level 1, refined at random down to `finest`.
inline std::vector<io::PlotLeaf> random_leaves(int dim, int finest, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<io::PlotLeaf> leaves;
  const auto visit = [&](const auto& self, const io::PlotLeaf& cell, bool refine) -> void {
    if (!refine) {
      leaves.push_back(cell);
      return;
    }
    const int chosen = static_cast<int>(random()) & 7;
    for (int child = 0; child < ipow(3, dim); ++child) {
      io::PlotLeaf next{.level = cell.level + 1};
      for (int a = 0, rest = child; a < dim; ++a, rest /= 3) next.at[a] = 3 * cell.at[a] + rest % 3;
      self(self, next, next.level < finest && (child == chosen || random() % 8 == 0));
    }
  };
  visit(visit, {.level = 1}, true);
  visit(visit, {.level = 1, .at = {1, 0, 0}}, false);
  return leaves;
}

// The content of a checkpoint, and the leaves [begin, end) of one rank.
struct MadeUpRun {
  MadeUpRun(int dim, int p, int halo, int unknowns, std::vector<io::PlotLeaf> all_leaves)
      : layout(dim, p, halo, unknowns), leaves(std::move(all_leaves)) {
    mesh.mesh.layout = layout;
    mesh.mesh.lower[0] = -1;
    mesh.mesh.lower[1] = 0.1;
    mesh.mesh.base_level = 1;
    mesh.mesh.base_width = 1.0 / 3.0;
    mesh.base_cells[0] = 2;
    mesh.periodic[1] = true;
    for (int u = 0; u < unknowns; ++u) mesh.unknowns.push_back("unknown_" + std::to_string(u));
    state = {.input = "[mesh]\n# \xc3\xa4\n",
             .equation = "euler",
             .step = 1234567890123,
             .time = 0.1,
             .dt = 1e-300,
             .counters = {{"plots", 7}, {"updates", std::int64_t{1} << 60}}};
  }

  static double value(std::int64_t leaf, std::ptrdiff_t i, int version = 0) {
    return std::sin(static_cast<double>(leaf) + 1e-3 * static_cast<double>(i) + version);
  }

  // Slots of leaves [begin, end), interiors set, halos NaN.
  std::vector<std::vector<double>> slots(std::int64_t begin, std::int64_t end, int version = 0) const {
    std::vector<std::vector<double>> result;
    for (std::int64_t leaf = begin; leaf < end; ++leaf) {
      auto& slot = result.emplace_back(static_cast<std::size_t>(layout.slot_size()),
                                       std::numeric_limits<double>::quiet_NaN());
      std::ptrdiff_t n = 0;
      for_interior(
          layout, [&](std::ptrdiff_t at) { slot[static_cast<std::size_t>(at)] = value(leaf, n++, version); });
    }
    return result;
  }

  template <class Body>
  static void for_interior(const solvers::PatchLayout& layout, const Body& body) {
    for (int u = 0; u < layout.unknowns; ++u) {
      for (int k = 0; k < (layout.dim == 3 ? layout.p : 1); ++k) {
        for (int j = 0; j < layout.p; ++j) {
          for (int i = 0; i < layout.p; ++i) body(layout.at(u, i, j, k));
        }
      }
    }
  }

  // This rank writes leaves [begin, end). Collective.
  void write(const std::string& path, const parallel::Communicator& communicator, std::int64_t begin,
             std::int64_t end, int version = 0) const {
    const auto values = slots(begin, end, version);
    std::vector<const double*> patches;
    for (const auto& slot : values) patches.push_back(slot.data());
    io::CheckpointMesh own = mesh;
    own.mesh.leaves =
        std::span(leaves).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
    io::write_checkpoint(path, communicator, own, patches, state);
  }

  // This rank reads leaves [begin, end) into slots with another halo. Returns whether the content is equal to
  // what was written. Throws the exceptions of the reader. Collective.
  bool reads_back(const std::string& path, const parallel::Communicator& communicator, std::int64_t begin,
                  std::int64_t end) const {
    io::CheckpointReader reader(path, communicator);
    bool same = reader.leaves() == std::ssize(leaves) && same_facts(reader);
    const auto found = reader.read_leaves(begin, end);
    solvers::PatchLayout other(layout.dim, layout.p, layout.h + 1, layout.unknowns);
    std::vector<std::vector<double>> slots;
    std::vector<double*> patches;
    for (std::int64_t leaf = begin; leaf < end; ++leaf) {
      slots.emplace_back(static_cast<std::size_t>(other.slot_size()));
      const io::PlotLeaf &a = found[static_cast<std::size_t>(leaf - begin)],
                         &b = leaves[static_cast<std::size_t>(leaf)];
      same = same && a.level == b.level && a.rank == b.rank && std::equal(a.at, a.at + 3, b.at);
    }
    for (auto& slot : slots) patches.push_back(slot.data());
    reader.read_patches(begin, end, other, patches);
    for (std::int64_t leaf = begin; leaf < end; ++leaf) {
      std::ptrdiff_t n = 0;
      for_interior(other, [&](std::ptrdiff_t at) {
        same = same && patches[static_cast<std::size_t>(leaf - begin)][at] == value(leaf, n++);
      });
    }
    return same;
  }

  bool same_facts(const io::CheckpointReader& reader) const {
    const io::CheckpointState& s = reader.state();
    const io::CheckpointMesh& m = reader.mesh();
    const auto dim = layout.dim;
    return s.input == state.input && s.equation == state.equation && s.step == state.step &&
           s.time == state.time && s.dt == state.dt && s.counters == state.counters &&
           m.unknowns == mesh.unknowns && m.mesh.layout.dim == dim && m.mesh.layout.p == layout.p &&
           m.mesh.layout.unknowns == layout.unknowns &&
           std::equal(mesh.mesh.lower, mesh.mesh.lower + dim, m.mesh.lower) &&
           m.mesh.base_level == mesh.mesh.base_level && m.mesh.base_width == mesh.mesh.base_width &&
           std::equal(mesh.base_cells, mesh.base_cells + dim, m.base_cells) &&
           std::equal(mesh.periodic, mesh.periodic + dim, m.periodic);
  }

  solvers::PatchLayout layout;
  std::vector<io::PlotLeaf> leaves;
  io::CheckpointMesh mesh;
  io::CheckpointState state;
};

}  // namespace meander::testing_io
