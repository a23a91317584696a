// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Device kernels with a patch size that is known at compile time, as CUDA launches them, run by blocks of one thread on
// the host: bitwise equal to the CPU kernels. The emulated device runs kernels for any size (test_block_kernels.cpp).

#include <gtest/gtest.h>

#include "solvers/block_godunov.hpp"
#include "solvers/block_muscl.hpp"
#include "solvers/block_serial.hpp"
#include "tests/solvers/euler_batch.hpp"

namespace meander::solvers::test {
namespace {

// Of KnownPatchSizes.
using TestedSizes = std::integer_sequence<int, 4, 9, 17>;

// The schemes that have such kernels: those with Rusanov's flux.
std::vector<EulerCase> cases() {
  std::vector<EulerCase> all = euler_cases({4, 9, 17});
  std::erase_if(all, [](const EulerCase& one) { return one.scheme.riemann != "rusanov"; });
  return all;
}

template <int D>
void update(const EulerCase& one, const Solver& solver, const DeviceBatch& batch) {
  using P = euler::Terms<D>;
  const P terms(*static_cast<const euler::Parameters*>(solver.parameters()));
  bool is_known = false;
  with_scheme<P>(choice_of<P>(one.scheme), [&]<class Scheme>(std::type_identity<Scheme>) {
    if constexpr (Scheme::is_default) {
      with_patch_size<P, TestedSizes>(one.p, [&](auto p) {
        if constexpr (decltype(p)::value > 0) {
          update_serially<typename Scheme::template Block<P, decltype(p)::value>>(terms, batch);
          is_known = true;
        }
      });
    }
  });
  EXPECT_TRUE(is_known);
}

class BlockSizes : public testing::TestWithParam<EulerCase> {};

TEST_P(BlockSizes, KnownToTheCompilerChangeNoBit) {
  const EulerCase& one = GetParam();
  const auto solver = make(one);
  Batch expected = random_batch(*solver, one.p, 3), found = expected;
  expected.update(0, 0.3, 1e-3);
  const DeviceBatch batch = found.launch(0, 0.3, 1e-3);
  one.dim == 2 ? update<2>(one, *solver, batch) : update<3>(one, *solver, batch);
  found.finish();
  found.expect_same_bits(expected);
}

INSTANTIATE_TEST_SUITE_P(Euler, BlockSizes, testing::ValuesIn(cases()),
                         [](const auto& one) { return one.param.name(); });

}  // namespace
}  // namespace meander::solvers::test
