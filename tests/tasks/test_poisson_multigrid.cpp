// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Convergence of cycles, order of the solution, and conservation, on meshes with jumps of any shape.
#include <gtest/gtest.h>

#include <numbers>
#include <numeric>

#include "base/thread_team.hpp"
#include "tests/tasks/poisson_meshes.hpp"

namespace meander::tasks {
namespace {

using solvers::EllipticBoundary;
using test::poisson_mesh;

constexpr double two_pi = 2 * std::numbers::pi;

template <int D>
mesh::DistributedTree<D> on_one_rank(const mesh::Spacetree<D>& tree) {
  return {tree.domain(), {tree.leaves().begin(), tree.leaves().end()}, parallel::Communicator()};
}

// The factor by which a cycle reduces the residual, as the geometric mean of cycles 3 to 7.
template <int D>
double factor(const std::string& name, int p, int cells, EllipticBoundary boundary, int levels) {
  const auto tree = on_one_rank(poisson_mesh<D>(name, cells, boundary == EllipticBoundary::periodic, levels));
  HostPoisson<D> solver(tree, p, test::all_faces<D>(boundary));
  ThreadTeam team(1);
  test::set_noise(tree, solver);
  const auto source = test::source_of<D>(tree, solver);
  solver.begin(team);
  std::vector<double> norms{test::residual(solver, source, team)};
  for (int i = 0; i < 7; ++i) {
    solver.cycle(team);
    norms.push_back(test::residual(solver, source, team));
  }
  const double mean = std::pow(norms[7] / norms[2], 0.2);
  std::printf("%dD %-16s p %d cells %d %s leaves %zu: first %.3f, mean %.3f, last %.3f\n", D, name.c_str(), p,
              cells,
              boundary == EllipticBoundary::periodic ? "periodic"
              : boundary == EllipticBoundary::value  ? "value"
                                                     : "mirror",
              tree.size(), norms[1] / norms[0], mean, norms[7] / norms[6]);
  return mean;
}

TEST(PoissonCycles, ReduceTheResidualIn2D) {
  for (const char* name :
       {"uniform", "nest", "across the wrap", "two clumps", "L-shape", "strip", "checkerboard", "random"}) {
    SCOPED_TRACE(name);
    EXPECT_LE(factor<2>(name, 9, 9, EllipticBoundary::value, 3), 0.04);
    // 8 cells are the coarsest level: one cycle solves the uniform mesh.
    if (name != std::string("uniform")) {
      EXPECT_LE(factor<2>(name, 9, 8, EllipticBoundary::periodic, 3), 0.04);
    }
    EXPECT_LE(factor<2>(name, 4, 9, EllipticBoundary::periodic, 3), 0.04);
    EXPECT_LE(factor<2>(name, 7, 9, EllipticBoundary::mirror, 3), 0.05);    // an odd number of volumes
    EXPECT_LE(factor<2>(name, 7, 9, EllipticBoundary::periodic, 3), 0.13);  // an odd number of volumes
  }
}

TEST(PoissonCycles, ReduceTheResidualIn3D) {
  for (const char* name : {"nest", "two clumps", "L-shape", "checkerboard", "random"}) {
    SCOPED_TRACE(name);
    EXPECT_LE(factor<3>(name, 5, 3, EllipticBoundary::value, 3), 0.08);
    EXPECT_LE(factor<3>(name, 4, 3, EllipticBoundary::periodic, 3), 0.08);
    EXPECT_LE(factor<3>(name, 5, 3, EllipticBoundary::periodic, 3), 0.15);  // an odd number of volumes
  }
  EXPECT_LE(factor<3>("nest", 9, 2, EllipticBoundary::mirror, 2), 0.08);
}

// The largest errors of the potential and of its gradient by differences to halos, and the mean of the latter.
struct Errors {
  double potential = 0, gradient = 0, mean_gradient = 0;
};

// A smooth solution: periodic with mean zero, or not.
template <int D>
struct Solution {
  bool periodic;
  double operator()(const Point<D>& x) const {
    double product = 1, sum = 0;
    for (std::size_t a = 0; a < D; ++a) {
      product *= periodic ? std::sin(two_pi * x[a] + 0.3) : std::exp(0.7 * x[a]);
      sum += std::cos(two_pi * x[a] + 0.2 * static_cast<double>(a));
    }
    return product + 0.5 * sum;
  }
  double laplacian(const Point<D>& x) const {
    double product = 1, sum = 0;
    for (std::size_t a = 0; a < D; ++a) {
      product *= periodic ? std::sin(two_pi * x[a] + 0.3) : std::exp(0.7 * x[a]);
      sum += std::cos(two_pi * x[a] + 0.2 * static_cast<double>(a));
    }
    return D * (periodic ? -two_pi * two_pi : 0.49) * product - two_pi * two_pi * 0.5 * sum;
  }
  double derivative(const Point<D>& x, std::size_t axis) const {
    double product = 1;
    for (std::size_t a = 0; a < D; ++a) {
      const double y = two_pi * x[a] + 0.3;
      product *= periodic ? (a == axis ? two_pi * std::cos(y) : std::sin(y))
                          : std::exp(0.7 * x[a]) * (a == axis ? 0.7 : 1);
    }
    return product - 0.5 * two_pi * std::sin(two_pi * x[axis] + 0.2 * static_cast<double>(axis));
  }
};

template <int D>
Errors errors(const std::string& name, int p, int cells, int levels, bool periodic) {
  const auto tree = on_one_rank(poisson_mesh<D>(name, cells, periodic, levels));
  HostPoisson<D> solver(tree, p,
                        test::all_faces<D>(periodic ? EllipticBoundary::periodic : EllipticBoundary::value));
  ThreadTeam team(2);
  const auto& layout = solver.layout();
  const Solution<D> exact{periodic};
  const auto centre = [&](std::size_t leaf, const Index<D>& i) {
    Point<D> x = tree.domain().lower_corner(cell_of(tree.leaves()[leaf]));
    for (std::size_t a = 0; a < D; ++a) x[a] += (i[a] + 0.5) * solver.width(leaf);
    return x;
  };
  for (std::size_t leaf = 0; leaf < tree.size(); ++leaf) {
    test::for_volumes<D>(layout, [&](const Index<D>& i, std::ptrdiff_t at) {
      solver.source(leaf)[at] = exact.laplacian(centre(leaf, i));
    });
  }
  if (periodic) test::remove_mean(tree, solver, true);
  solver.set_boundary_values(exact, team);
  solver.begin(team);
  for (int i = 0; i < 9; ++i) solver.cycle(team);
  if (periodic) {
    test::remove_mean(tree, solver, false);
    solver.begin(team);
  }
  solver.differentiate(team);
  Errors result;
  for (std::size_t leaf = 0; leaf < tree.size(); ++leaf) {
    const double* const u = solver.potential(leaf);
    const auto volumes = static_cast<std::size_t>(layout.volumes());
    std::vector<double> first(D * volumes), second(volumes);
    solver.differences(leaf, first.data(), second.data());
    std::size_t v = 0;
    test::for_volumes<D>(layout, [&](const Index<D>& i, std::ptrdiff_t at) {
      const Point<D> x = centre(leaf, i);
      result.potential = std::max(result.potential, std::abs(u[at] - exact(x)));
      for (std::size_t number = v++; const std::size_t a : {0, 1, 2}) {
        if (a == D) break;
        const double g = first[a * volumes + number] / (2 * solver.width(leaf));
        const double error = std::abs(g - exact.derivative(x, a));
        result.gradient = std::max(result.gradient, error);
        result.mean_gradient += error * ipow(solver.width(leaf), D);
      }
    });
  }
  return result;
}

// Beside concave corners of a refined region, and where a jump meets a face with values, the interpolation along a jump reads
// volumes of another kind, restricted ones or ghosts. The gradient is of first order in these few volumes, and of second in
// the mean.
enum class Corners { none, some };

template <int D>
void expect_second_order(const std::string& name, int cells, int levels, bool periodic, Corners corners) {
  Errors last;
  for (const int p : {4, 8, 16}) {
    const Errors now = errors<D>(name, p, cells, levels, periodic);
    if (last.potential > 0) {
      const double potential = std::log2(last.potential / now.potential),
                   gradient = std::log2(last.gradient / now.gradient),
                   mean = std::log2(last.mean_gradient / now.mean_gradient);
      std::printf("%dD %s p %d: orders %.3f, gradient %.3f (mean %.3f); errors %.2e %.2e %.2e\n", D,
                  name.c_str(), p, potential, gradient, mean, now.potential, now.gradient, now.mean_gradient);
      EXPECT_GE(potential, 1.95);
      EXPECT_GE(mean, 1.9);
      EXPECT_GE(gradient, corners == Corners::none ? 1.95 : 0.85);
    }
    last = now;
  }
}

TEST(PoissonSolution, IsOfSecondOrderAcrossJumps) {
  for (const char* name : {"two clumps", "L-shape", "across the wrap"}) {
    SCOPED_TRACE(name);
    expect_second_order<2>(name, 9, 3, true, Corners::none);
  }
  expect_second_order<2>("nest", 9, 3, true, Corners::some);
  expect_second_order<3>("nest", 3, 2, true, Corners::some);
}

TEST(PoissonSolution, IsOfSecondOrderWithBoundaryValues) {
  expect_second_order<2>("nest", 9, 3, false, Corners::some);
  expect_second_order<2>("L-shape", 9, 3, false, Corners::some);
  expect_second_order<3>("L-shape", 3, 2, false, Corners::some);
}

// Any potential has an operator whose sum is zero if no flux leaves the domain: every face has one gradient.
template <int D>
void expect_conservation(const std::string& name, int p, EllipticBoundary boundary) {
  const auto tree = on_one_rank(poisson_mesh<D>(name, 3, boundary == EllipticBoundary::periodic, 3));
  HostPoisson<D> solver(tree, p, test::all_faces<D>(boundary));
  ThreadTeam team(2);
  test::set_noise(tree, solver);
  for (std::size_t leaf = 0; leaf < tree.size(); ++leaf)
    test::for_volumes<D>(solver.layout(), [&](const Index<D>&, std::ptrdiff_t at) {
      solver.potential(leaf)[at] = solver.source(leaf)[at];
    });
  solver.begin(team);
  solver.differentiate(team);
  double sum = 0, magnitude = 0;
  const auto volumes = static_cast<std::size_t>(solver.layout().volumes());
  std::vector<double> first(D * volumes), second(volumes);
  for (std::size_t leaf = 0; leaf < tree.size(); ++leaf) {
    solver.differences(leaf, first.data(), second.data());
    const double weight = ipow(solver.width(leaf), D - 2);
    for (const double flux : second) {
      sum += weight * flux;
      magnitude += std::abs(weight * flux);
    }
  }
  EXPECT_LE(std::abs(sum), 1e-13 * magnitude) << name << " " << D << "D p " << p;
}

TEST(PoissonOperator, SumsToTheFluxThroughTheDomainsFaces) {
  for (const int p : {4, 7, 9}) {
    for (const char* name : {"nest", "checkerboard", "random", "L-shape"}) {
      expect_conservation<2>(name, p, EllipticBoundary::periodic);
      expect_conservation<2>(name, p, EllipticBoundary::mirror);
    }
    expect_conservation<3>("random", p, EllipticBoundary::periodic);
  }
}

// Levels by themselves, beside the potential of coarser leaves.
template <int D>
void expect_levels(const std::string& name, int p, int cells, EllipticBoundary boundary) {
  SCOPED_TRACE(name);
  const auto tree = on_one_rank(poisson_mesh<D>(name, cells, boundary == EllipticBoundary::periodic, 3));
  HostPoisson<D> solver(tree, p, test::all_faces<D>(boundary));
  ThreadTeam team(2);
  const int base = tree.domain().base_level;
  const auto volumes = static_cast<std::size_t>(solver.layout().volumes());
  const auto differences = [&](int first, int differentiated) {
    std::vector<std::vector<double>> found;
    solver.differentiate(team, differentiated);
    for (std::size_t leaf = 0; leaf < tree.size(); ++leaf) {
      std::vector<double> axes(D * volumes), second(volumes);
      solver.differences(leaf, axes.data(), second.data());
      if (cell_of(tree.leaves()[leaf]).level >= first) found.push_back(axes);
    }
    return found;
  };
  const auto potential = [&] {
    std::vector<std::vector<double>> found(tree.size());
    for (std::size_t leaf = 0; leaf < tree.size(); ++leaf)
      test::for_volumes<D>(solver.layout(), [&](const Index<D>&, std::ptrdiff_t at) {
        found[leaf].push_back(solver.potential(leaf)[at]);
      });
    return found;
  };
  const auto set = [&](const std::vector<std::vector<double>>& values, bool of_source) {
    for (std::size_t leaf = 0; leaf < tree.size(); ++leaf) {
      double* const to = of_source ? solver.source(leaf) : solver.potential(leaf);
      std::size_t v = 0;
      test::for_volumes<D>(solver.layout(),
                           [&](const Index<D>&, std::ptrdiff_t at) { to[at] = values[leaf][v++]; });
    }
  };
  test::set_noise(tree, solver);
  const auto source = test::source_of<D>(tree, solver);
  solver.begin(team);
  for (int i = 0; i < 12; ++i) solver.cycle(team);
  const auto solution = potential();
  for (const int first : {base + 1, base + 2}) {
    // The differences are those of the whole.
    solver.begin(team);
    const auto of_all = differences(first, base);
    set(source, true);
    solver.begin(team, first);
    EXPECT_TRUE(differences(first, first) == of_all) << first;
    // From something else the potential becomes the solution again, and coarser leaves keep theirs.
    auto disturbed = solution;
    double most = 0;
    for (std::size_t leaf = 0; leaf < tree.size(); ++leaf) {
      const mesh::Cell<D> cell = cell_of(tree.leaves()[leaf]);
      if (cell.level < first) continue;
      std::size_t v = 0;
      test::for_volumes<D>(solver.layout(), [&](const Index<D>& i, std::ptrdiff_t) {
        disturbed[leaf][v++] += 1e-3 * test::noise<D>(cell.level, i);
      });
      most = 1e-3;
    }
    set(source, true);
    set(disturbed, false);
    solver.begin(team, first);
    for (int i = 0; i < 30; ++i) solver.cycle(team, first);
    const auto found = potential();
    double error = 0;
    for (std::size_t leaf = 0; leaf < tree.size(); ++leaf) {
      if (cell_of(tree.leaves()[leaf]).level < first) {
        EXPECT_TRUE(found[leaf] == solution[leaf]);
        continue;
      }
      for (std::size_t v = 0; v < volumes; ++v)
        error = std::max(error, std::abs(found[leaf][v] - solution[leaf][v]));
    }
    std::printf("%dD %s p %d from level %d: %.1e left after 30 cycles\n", D, name.c_str(), p, first,
                error / most);
    EXPECT_LE(error, 1e-3 * most);
    set(source, true);
    set(solution, false);
  }
}

TEST(PoissonLevels, AreSolvedBesideCoarserLeaves) {
  for (const char* name : {"nest", "two clumps", "across the wrap"})
    expect_levels<2>(name, 8, 9, EllipticBoundary::periodic);
  expect_levels<2>("L-shape", 7, 9, EllipticBoundary::value);
  expect_levels<3>("nest", 4, 3, EllipticBoundary::periodic);
}

}  // namespace
}  // namespace meander::tasks
