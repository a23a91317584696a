// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Meshes and sources for tests of the multigrid method.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "mesh/refine.hpp"
#include "tasks/host_poisson.hpp"

namespace meander::tasks::test {

// Numbers in [-1, 1) that depend on a level and a place only.
template <int D>
double noise(int level, const Index<D>& at) {
  std::uint64_t bits = static_cast<std::uint64_t>(level) * 0x9E3779B97F4A7C15u + 1;
  for (const int i : at) {
    bits = (bits ^ static_cast<std::uint64_t>(i)) * 0xBF58476D1CE4E5B9u;
    bits ^= bits >> 29;
  }
  return static_cast<double>((bits * 0x94D049BB133111EBu) >> 11) * 0x1p-52 - 1;
}

// A balanced tree on a unit cube of `cells` base cells along each axis.
template <int D>
mesh::Spacetree<D> poisson_mesh(const std::string& name, int cells, bool periodic, int levels) {
  mesh::Domain<D> domain;
  while (ipow(3, domain.base_level) < cells) ++domain.base_level;
  domain.base_cells.fill(cells);
  domain.base_width = 1.0 / cells;
  domain.periodic.fill(periodic);
  const auto near = [](const Point<D>& x, double cx, double cy, double width, double radius) {
    double sum = 0;
    for (std::size_t a = 0; a < D; ++a) {
      double d = std::abs(x[a] - (a == 0 ? cx : a == 1 ? cy : 0.5));
      d = std::max(0.0, std::min(d, 1 - d) - width / 2);
      sum += d * d;
    }
    return std::sqrt(sum) < radius;
  };
  const auto refine = [&](const mesh::Cell<D>& cell) {
    const int l = cell.level - domain.base_level;
    const double w = domain.width(cell.level), shrink = std::pow(3.0, -l);
    Point<D> x;
    for (std::size_t a = 0; a < D; ++a) x[a] = (cell.at[a] + 0.5) * w;
    const bool middle = std::ranges::all_of(cell.at, [](int i) { return i % 3 == 1; });
    if (name == "nest") return near(x, 0.5, 0.5, w, 0.2 * shrink);
    if (name == "across the wrap") return near(x, 0.0, 0.01, w, 0.2 * shrink);
    if (name == "two clumps")
      return near(x, 0.3, 0.42, w, 0.12 * shrink) || near(x, 0.63, 0.6, w, 0.1 * shrink);
    if (name == "L-shape") {
      const double s = 0.6 - 0.13 * l;
      return (x[0] < s && x[1] < s / 2) || (x[0] < s / 2 && x[1] < s);
    }
    if (name == "strip") return std::abs(x[0] - 0.5) < 0.51 * w;
    if (name == "checkerboard") {
      int sum = 0;
      for (const int i : cell.at) sum += i;
      return l == 0 ? sum % 2 == 0 : middle;
    }
    if (name == "random") return noise<D>(cell.level, cell.at) < -0.4;
    return false;  // uniform
  };
  return refined_where(mesh::Spacetree<D>::uniform(domain, domain.base_level), domain.base_level + levels - 1,
                       refine)
      .balanced();
}

template <int D>
typename PoissonMultigrid<D>::Boundaries all_faces(solvers::EllipticBoundary boundary) {
  typename PoissonMultigrid<D>::Boundaries boundaries;
  boundaries.fill(boundary);
  return boundaries;
}

// Calls body(index, offset in the slot) for the volumes of a leaf.
template <int D, class Body>
void for_volumes(const solvers::PatchLayout& layout, const Body& body) {
  solvers::for_volumes<D>(solvers::interior_box<D>(layout.p),
                          [&](const Index<D>& i) { body(i, layout.at(0, i)); });
}

// Of the source or the potential, on one rank.
template <int D>
void remove_mean(const mesh::DistributedTree<D>& tree, PoissonMultigrid<D>& solver, bool of_source) {
  const auto values = [&](std::size_t leaf) {
    return of_source ? solver.source(leaf) : solver.potential(leaf);
  };
  double sum = 0, volume = 0;
  for (const bool subtracts : {false, true}) {
    for (std::size_t leaf = 0; leaf < tree.size(); ++leaf) {
      const double of_volume = ipow(solver.width(leaf), D);
      for_volumes<D>(solver.layout(), [&](const Index<D>&, std::ptrdiff_t at) {
        if (subtracts) {
          values(leaf)[at] -= sum / volume;
        } else {
          sum += of_volume * values(leaf)[at];
          volume += of_volume;
        }
      });
    }
  }
}

// Sets the source to noise, with mean zero if the problem requires that.
template <int D>
void set_noise(const mesh::DistributedTree<D>& tree, PoissonMultigrid<D>& solver) {
  const int p = solver.layout().p;
  for (std::size_t leaf = 0; leaf < tree.size(); ++leaf) {
    const mesh::Cell<D> cell = cell_of(tree.leaves()[leaf]);
    for_volumes<D>(solver.layout(), [&](const Index<D>& i, std::ptrdiff_t at) {
      Index<D> global;
      for (std::size_t a = 0; a < D; ++a) global[a] = cell.at[a] * p + i[a];
      solver.source(leaf)[at] = noise<D>(cell.level, global);
    });
  }
  if (solver.is_singular()) remove_mean(tree, solver, true);
}

// A copy of the source, which cycles change: by leaf, [volume].
template <int D>
std::vector<std::vector<double>> source_of(const mesh::DistributedTree<D>& tree,
                                           PoissonMultigrid<D>& solver) {
  std::vector<std::vector<double>> source(tree.size());
  for (std::size_t leaf = 0; leaf < tree.size(); ++leaf) {
    for_volumes<D>(solver.layout(), [&](const Index<D>&, std::ptrdiff_t at) {
      source[leaf].push_back(solver.source(leaf)[at]);
    });
  }
  return source;
}

// L2 norm over the domain of f - A u, on one rank.
template <int D>
double residual(HostPoisson<D>& solver, const std::vector<std::vector<double>>& source, ThreadTeam& team) {
  solver.differentiate(team);
  const auto volumes = static_cast<std::size_t>(solver.layout().volumes());
  std::vector<double> first(D * volumes), second(volumes);
  double sum = 0;
  for (std::size_t leaf = 0; leaf < source.size(); ++leaf) {
    solver.differences(leaf, first.data(), second.data());
    const double h = solver.width(leaf);
    for (std::size_t v = 0; v < volumes; ++v) {
      const double r = source[leaf][v] - second[v] / (h * h);
      sum += ipow(h, D) * r * r;
    }
  }
  return std::sqrt(sum);
}

}  // namespace meander::tasks::test
