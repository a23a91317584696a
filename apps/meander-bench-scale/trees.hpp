// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The trees whose partitions are counted.

#include <array>
#include <cstdint>
#include <string>

#include "mesh/distributed_tree.hpp"

namespace meander::bench {

enum class TreeKind : std::uint8_t {
  uniform,  // a periodic box of n^d base cells, n = 3 .. 8, refined uniformly
  nest,     // nested cubes around the centre, each a third of the one around it: a black hole
  shell     // leaves refined along a sphere: a blast wave
};
inline constexpr std::array<const char*, 3> tree_names = {"uniform", "nest", "shell"};
inline std::string name_of(TreeKind kind) {
  return tree_names[static_cast<std::size_t>(kind)];
}

// The balanced tree of that kind, on one rank, whose number of leaves is nearest to `leaves` among the sizes
// tried: those of shells vary almost continuously, uniform ones by factors of at most (4/3)^D, nests by whole
// layers of cells. cubes: of a nest, which has one level more.
template <int D>
mesh::DistributedTree<D> tree_of(TreeKind kind, double leaves, int cubes);

}  // namespace meander::bench
