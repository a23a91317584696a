// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// One rank has no memory for its leaves: all ranks fail and report the reason.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "mesh/patch_mesh.hpp"
#include "tests/mesh/inert_solver.hpp"

namespace meander::mesh {
namespace {

// Host memory of limited size.
class Scarce final : public gpu::Resource {
 public:
  explicit Scarce(std::size_t bytes) : left_(bytes) {}
  void* allocate_sync(std::size_t bytes, std::size_t alignment) override {
    if (bytes > left_) throw gpu::OutOfMemory(bytes, stats().live_bytes, place());
    left_ -= bytes;
    return gpu::host_memory().allocate_sync(bytes, alignment);
  }
  void deallocate_sync(void* pointer, std::size_t bytes, std::size_t alignment) noexcept override {
    left_ += bytes;
    gpu::host_memory().deallocate_sync(pointer, bytes, alignment);
  }
  std::size_t available() const noexcept override { return left_; }
  gpu::Place place() const noexcept override { return gpu::host_memory().place(); }
  gpu::Stats stats() const noexcept override { return gpu::host_memory().stats(); }

 private:
  std::size_t left_;
};

// The message of the exception thrown by the body; empty without exception.
template <class Body>
std::string thrown(const Body& body) {
  try {
    body();
  } catch (const parallel::AgreedFailure& failure) {
    return failure.what();
  } catch (const gpu::OutOfMemory& failure) {
    return failure.what();
  }
  return "";
}

TEST(OutOfMemory, OnOneRankFailsOnAllRanks) {
  const parallel::Communicator world = parallel::Communicator::world();
  const InertSolver solver(3, 1, solvers::HaloShape::faces, solvers::Prolongation::constant);
  Domain<3> domain;
  domain.base_cells.fill(1);
  Boundaries<3> boundaries;
  boundaries.fill(&mesh::boundary::outflow);
  ThreadTeam team(1);
  const bool poor = world.rank() == world.size() - 1;
  const auto make = [&](gpu::Resource& memory) {
    return PatchMesh<3>(DistributedTree<3>::uniform(domain, 2, world), solver, 6, boundaries, {}, memory);
  };

  Scarce none(poor ? 1000 : 1u << 30);
  const std::string at_the_start = thrown([&] { make(none); });
  EXPECT_NE(at_the_start.find("memory"), std::string::npos) << at_the_start;

  // Enough for the first mesh, but not for the one of 27 times as many leaves.
  Scarce some(poor ? 15u << 20 : 1u << 30);
  auto mesh = make(some);
  const std::vector<Adapt> flags(mesh.size(), Adapt::refine);
  const std::string later = thrown([&] { mesh.adapt(flags, 2, 3, 0, team); });
  EXPECT_NE(later.find("bytes"), std::string::npos) << later;
}

}  // namespace
}  // namespace meander::mesh
