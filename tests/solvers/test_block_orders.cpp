// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Device kernels of finite-volume schemes by blocks of several threads: for every order of the threads between
// barriers they are bitwise equal to the CPU kernels, and every barrier is necessary for that.

#include <gtest/gtest.h>

#include "solvers/block_godunov.hpp"
#include "solvers/block_muscl.hpp"
#include "tests/solvers/adversarial_block.hpp"
#include "tests/solvers/euler_batch.hpp"
#include "tests/solvers/same_results.hpp"

namespace meander::solvers::test {
namespace {

template <int D>
euler::Terms<D> terms(const Solver& solver) {
  return euler::Terms<D>(*static_cast<const euler::Parameters*>(solver.parameters()));
}

// The scheme with gravity and floors, and its kernel.
template <int dim>
struct FirstOrder {
  static constexpr int D = dim;
  using Kernel = BlockGodunov<euler::Terms<D>, RusanovFlux, 0>;
  static SchemeWords words() { return {"godunov", "mc", "rusanov"}; }
};
template <int dim>
struct SecondOrder {
  static constexpr int D = dim;
  using Kernel = BlockMuscl<euler::Terms<D>, MonotonizedCentral, euler::Hllc, 0>;
  static SchemeWords words() { return {"muscl", "mc", "hllc"}; }
};

template <class Scheme>
class BlockOrders : public testing::Test {
 public:
  using Kernel = typename Scheme::Kernel;
  static std::unique_ptr<Solver> solver(int p) { return make({Scheme::D, p, Scheme::words(), true, true}); }
  static Barriers update(const Solver& solver, Batch& batch, const Schedule& schedule) {
    const Barriers barriers =
        update_adversarially<Kernel>(terms<Scheme::D>(solver), batch.launch(0, t, dt), schedule);
    batch.finish();
    return barriers;
  }
  static constexpr double t = 0.3, dt = 1e-3;
};
using Schemes = testing::Types<FirstOrder<2>, FirstOrder<3>, SecondOrder<2>, SecondOrder<3>>;
TYPED_TEST_SUITE(BlockOrders, Schemes);

TYPED_TEST(BlockOrders, ChangeNoBitOfAnUpdate) {
  for (const int p : {1, 3, 4, 6, 9, 10, 17}) {
    const auto solver = this->solver(p);
    const Batch initial = random_batch(*solver, p, 3);
    Batch expected = initial;
    expected.update(0, this->t, this->dt);
    for (const bool in_place : {false, true}) {
      for (const Schedule& schedule : schedules()) {
        SCOPED_TRACE(testing::Message() << "p " << p << ", order " << static_cast<int>(schedule.order)
                                        << (in_place ? ", in place" : ""));
        Batch found = initial;
        found.in_place = in_place;
        this->update(*solver, found, schedule);
        found.expect_same_bits(expected);
      }
    }
  }
}

TYPED_TEST(BlockOrders, ShowThatEveryBarrierIsNecessary) {
  const int p = 4;
  const auto solver = this->solver(p);
  const Batch initial = random_batch(*solver, p, 2);
  Batch expected = initial;
  const Barriers barriers = this->update(*solver, expected, {});
  ASSERT_GT(barriers.size(), 0u);
  for (std::size_t n = 0; n < barriers.size(); ++n) {
    bool noticed = false;
    for (const Schedule& schedule : schedules(static_cast<int>(n))) {
      Batch found = initial;
      this->update(*solver, found, schedule);
      noticed = noticed || !have_same_results(found, expected);
    }
    EXPECT_TRUE(noticed) << "barrier " << n << " of " << barriers.size() << ", "
                         << file_and_line(barriers[n]);
  }
}

}  // namespace
}  // namespace meander::solvers::test
