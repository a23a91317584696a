// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The list of schemes: every entry has its own kernel, and no entry is a fallback for a missing one.

#include <gtest/gtest.h>

#include <set>
#include <typeinfo>

#include "physics/euler/solver.hpp"
#include "physics/euler/terms.hpp"
#include "tests/solvers/every_scheme.hpp"

namespace meander::solvers::test {
namespace {

using Terms = euler::Terms<3>;

TEST(Schemes, EveryChoiceOfWordsHasItsOwnKernel) {
  std::set<std::string> kernels, names;
  const auto all = every_scheme<Terms>();
  for (const SchemeWords& words : all) {
    with_scheme<Terms>(choice_of<Terms>(words), [&]<class Scheme>(std::type_identity<Scheme>) {
      kernels.insert(typeid(std::type_identity<Scheme>).name());
    });
    names.insert(euler::make_solver(3, {}, words)->traits().name);
  }
  EXPECT_EQ(kernels.size(), all.size());
  EXPECT_EQ(names.size(), all.size());
}

TEST(Schemes, WordsOutsideTheListAreRejected) {
  EXPECT_THROW(euler::make_solver(2, {}, {.scheme = "weno"}), std::logic_error);
  EXPECT_THROW(euler::make_solver(2, {}, {.scheme = "muscl", .limiter = "superb"}), std::logic_error);
  EXPECT_THROW(euler::make_solver(2, {}, {.riemann = "roe"}), std::logic_error);
}

TEST(Schemes, IndicesOutsideTheListAreRejected) {
  const auto nothing = [](auto) {};
  EXPECT_THROW(with_scheme<Terms>({Reconstruction::muscl, Limiters::size, 0}, nothing), std::logic_error);
  EXPECT_THROW(with_scheme<Terms>({Reconstruction::muscl, -1, 0}, nothing), std::logic_error);
  EXPECT_THROW(with_scheme<Terms>({Reconstruction::constant, 0, 99}, nothing), std::logic_error);
}

TEST(Schemes, RusanovIsGodunovWithTheRusanovFlux) {
  EXPECT_EQ(euler::make_solver(3, {}, {.scheme = "rusanov"})->traits().name, "euler rusanov");
  EXPECT_EQ(euler::make_solver(3, {}, {.scheme = "godunov"})->traits().name, "euler rusanov");
}

}  // namespace
}  // namespace meander::solvers::test
