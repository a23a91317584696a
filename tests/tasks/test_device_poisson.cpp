// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The multigrid method on patches of an emulated device has the bits of the one on the host.

#include <gtest/gtest.h>

#include "base/thread_team.hpp"
#include "gpu/host_device.hpp"
#include "gpu/memory_cache.hpp"
#include "tasks/device_poisson.hpp"
#include "tests/mesh/inert_solver.hpp"
#include "tests/tasks/poisson_meshes.hpp"

namespace meander::tasks {
namespace {

using solvers::EllipticBoundary;

template <int D>
using Boundaries = typename PoissonMultigrid<D>::Boundaries;

// A solver on an emulated device, and one on the host.
template <int D>
class BothPoisson {
 public:
  BothPoisson(const mesh::DistributedTree<D>& tree, int p, const Boundaries<D>& boundaries)
      : tree_(tree), here_(tree, p, boundaries), there_(tree, p, boundaries, launches_, memory_) {
    there_.upload();
  }

  // Calls call(solver) for both.
  template <class Call>
  void both(const Call& call) {
    call(static_cast<PoissonMultigrid<D>&>(here_));
    call(static_cast<PoissonMultigrid<D>&>(there_));
  }
  // Sources of noise, of mean zero if that is required, and a potential of noise.
  void set_noise() {
    test::set_noise(tree_, here_);
    for (std::size_t leaf = 0; leaf < tree_.size(); ++leaf) {
      test::for_volumes<D>(here_.layout(), [&](const Index<D>&, std::ptrdiff_t at) {
        here_.potential(leaf)[at] = 0.1 * here_.source(leaf)[at];
      });
      launches_.copy_in(there_.potential(leaf), here_.potential(leaf), doubles());
    }
    launches_.wait_for_all();
  }
  // Whether the leaves from a level on have the same potential and differences.
  bool are_equal(int first) {
    const auto volumes = static_cast<std::size_t>(here_.layout().volumes());
    std::vector<double> slot(doubles());
    const auto numbers_of = [&](const double* potential) {
      std::vector<double> numbers((D + 1) * volumes);
      solvers::poisson::differences<D>(here_.layout(), potential, numbers.data(),
                                       numbers.data() + D * volumes);
      test::for_volumes<D>(here_.layout(),
                           [&](const Index<D>&, std::ptrdiff_t at) { numbers.push_back(potential[at]); });
      return numbers;
    };
    bool equal = true;
    for (std::size_t leaf = 0; leaf < tree_.size(); ++leaf) {
      if (cell_of(tree_.leaves()[leaf]).level < first) continue;
      launches_.copy_out(slot.data(), there_.potential(leaf), slot.size());
      launches_.wait_for_all();
      equal = equal && numbers_of(slot.data()) == numbers_of(here_.potential(leaf));
    }
    return equal;
  }

 private:
  std::size_t doubles() const {
    return static_cast<std::size_t>(solvers::poisson::unknowns * here_.layout().unknown_stride());
  }

  const mesh::DistributedTree<D>& tree_;
  gpu::HostDevice device_;
  gpu::MemoryCache memory_{device_, gpu::Space::device};
  mesh::InertSolver solver_{D, 1, solvers::HaloShape::faces, solvers::Prolongation::constant};
  mesh::DeviceCounts counts_;
  mesh::DeviceLaunches launches_{
      solver_, {}, device_, device_.create_queue(), counts_, *std::pmr::new_delete_resource()};
  HostPoisson<D> here_;
  DevicePoisson<D> there_;
};

template <int D>
void expect_equal_bits(const std::string& name, int p, int cells, const Boundaries<D>& boundaries) {
  SCOPED_TRACE(name + ", p = " + std::to_string(p) + ", " + std::to_string(D) + "D");
  const bool periodic = boundaries[0] == EllipticBoundary::periodic;
  const mesh::Spacetree<D> leaves = test::poisson_mesh<D>(name, cells, periodic, 3);
  const mesh::DistributedTree<D> tree(leaves.domain(), {leaves.leaves().begin(), leaves.leaves().end()},
                                      parallel::Communicator());
  BothPoisson<D> solvers(tree, p, boundaries);
  ThreadTeam team(2);
  solvers.set_noise();
  const int base = tree.domain().base_level;
  solvers.both([&](auto& solver) {
    const auto value = [](const Point<D>& x) { return x[0] - 2 * x[1] * x[D - 1]; };
    if (!solver.is_singular()) solver.set_boundary_values(value, team);
    solver.begin(team, PoissonMultigrid<D>::Before::cycle);
    for (int i = 0; i < 2; ++i) solver.cycle(team);
    solver.differentiate(team);
  });
  EXPECT_TRUE(solvers.are_equal(base));
  solvers.set_noise();
  solvers.both([&](auto& solver) {
    solver.begin(team);
    solver.differentiate(team);
  });
  EXPECT_TRUE(solvers.are_equal(base));
  for (const int first : {base + 1, base + 2}) {
    solvers.set_noise();
    solvers.both([&](auto& solver) {
      solver.begin(team);
      solver.differentiate(team);
    });
    solvers.both([&](auto& solver) {
      solver.begin(team, first);
      solver.cycle(team, first);
      solver.differentiate(team, first);
    });
    EXPECT_TRUE(solvers.are_equal(first)) << first;
  }
}

TEST(DevicePoisson, HasTheBitsOfTheHost) {
  for (const auto boundary :
       {EllipticBoundary::periodic, EllipticBoundary::value, EllipticBoundary::mirror}) {
    for (const char* name : {"nest", "across the wrap", "checkerboard", "random", "L-shape"}) {
      for (const int p : {4, 7, 9}) expect_equal_bits<2>(name, p, 3, test::all_faces<2>(boundary));
    }
    expect_equal_bits<3>("random", 4, 3, test::all_faces<3>(boundary));
    expect_equal_bits<3>("nest", 5, 3, test::all_faces<3>(boundary));
  }
  // An octant.
  Boundaries<3> octant = test::all_faces<3>(EllipticBoundary::value);
  for (const std::size_t lower : {0, 2, 4}) octant[lower] = EllipticBoundary::mirror;
  expect_equal_bits<3>("L-shape", 3, 3, octant);
}

}  // namespace
}  // namespace meander::tasks
