// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Horizons in checkpoints: their counters, invalid ones, and restarts whose tables [[horizon]] are others.

#include "physics/ccz4/diagnostics/saved_counters.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "tests/simulation/physics_run.hpp"

namespace meander::simulation {
namespace {

using ccz4::HorizonObject, ccz4::HorizonShape, ccz4::SavedHorizon, ccz4::SearchState;

HorizonShape shape_of(int degree) {
  HorizonShape shape{{0.1, -0.2, 1e-17}, {}};
  for (std::size_t mode = 0; mode < ccz4::mode_count(degree); ++mode)
    shape.a.push_back(1.0 / (3.0 + static_cast<double>(mode)));
  return shape;
}

constexpr Point<3> lower = {-3, -3, -3}, upper = {3, 3, 3};  // of the domain

SavedHorizon saved_at(double time) {
  return {HorizonObject{.puncture = 1}, SearchState{time, 2, 1, shape_of(2)}};
}

TEST(SavedHorizon, IsReadBackBitwise) {
  const HorizonObject objects[] = {{.puncture = 2}, {.common = true}, {.centre = {0.1, -0.0, 1e-300}}};
  io::CheckpointState state;
  state.time = 1.5;
  for (int n = 0; n < 3; ++n)
    ccz4::save_horizon({objects[n], {1.0 / (3 + n), n, n + 3, shape_of(2 + n)}}, 1 + n, state);
  ccz4::save_horizon({objects[0], {}}, 11, state);
  for (int n = 0; n < 3; ++n) {
    const SavedHorizon saved = ccz4::saved_horizon(state, 1 + n, lower, upper);
    EXPECT_EQ(saved.object, objects[n]);
    EXPECT_EQ(saved.searches.last, 1.0 / (3 + n));
    EXPECT_EQ(saved.searches.misses, n);
    EXPECT_EQ(saved.searches.left_out, n + 3);
    ASSERT_TRUE(saved.searches.shape);
    EXPECT_EQ(saved.searches.shape->centre, shape_of(2).centre);
    EXPECT_EQ(saved.searches.shape->a, shape_of(2 + n).a);
  }
  const SavedHorizon before_a_search = ccz4::saved_horizon(state, 11, lower, upper),
                     none = ccz4::saved_horizon(state, 4, lower, upper);
  EXPECT_EQ(before_a_search.object, objects[0]);
  EXPECT_EQ(before_a_search.searches.last, SearchState::never);
  EXPECT_FALSE(before_a_search.searches.shape);
  EXPECT_FALSE(none.object);
  EXPECT_EQ(none.searches.last, SearchState::never);
}

// What the checkpoint's counters say of horizon 1, or the message that refuses them.
std::string answer(const io::CheckpointState& state) {
  try {
    ccz4::saved_horizon(state, 1, lower, upper);
  } catch (const parallel::AgreedInputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(SavedHorizon, IsRefusedForInvalidCounters) {
  io::CheckpointState good;
  good.time = 1.5;
  ccz4::save_horizon(saved_at(1.5), 1, good);
  EXPECT_EQ(answer(good), "accepted");
  const auto refused = [&](const std::string& changed, const std::string& why, const auto& change) {
    io::CheckpointState state = good;
    const auto counter = std::ranges::find(state.counters, "horizon-1-" + changed,
                                           &std::pair<std::string, std::int64_t>::first);
    ASSERT_NE(counter, state.counters.end()) << changed;
    change(state.counters, counter);
    const std::string found = answer(state);
    EXPECT_TRUE(found.starts_with("restart: counter horizon-1-")) << changed << ": " << found;
    EXPECT_NE(found.find(why), std::string::npos) << changed << ": " << found;
  };
  for (const std::string other : {"a--001", "a-zzzz", "a-9999", "a-1", "a-"}) {
    refused("a-0001", " is expected", [&](auto&, auto counter) { counter->first = "horizon-1-" + other; });
  }
  const auto removed = [&](const std::string& name) {
    refused(name, "is missing", [](auto& counters, auto counter) { counters.erase(counter); });
  };
  for (const char* name : {"last", "misses", "left-out", "centre-y", "a-0008", "common", "puncture"})
    removed(name);
  const auto is = [&](const std::string& name, std::int64_t value) {
    refused(name, name + " is ", [&](auto&, auto counter) { counter->second = value; });
  };
  const auto is_number = [&](const std::string& name, double value) {
    is(name, std::bit_cast<std::int64_t>(value));
  };
  for (const char* name : {"misses", "left-out", "puncture"}) {
    is(name, -1);
    is(name, std::int64_t{1} << 40);
  }
  is("common", 2);
  for (const char* name : {"last", "centre-x", "a-0000", "a-0008"}) {
    for (const double value : {std::numeric_limits<double>::quiet_NaN(), HUGE_VAL, -HUGE_VAL})
      is_number(name, value);
  }
  is_number("last", 1.6);  // later than the checkpoint
  // Surfaces with no radius, beyond the domain, or through their own centre: sqrt(5) / 3 bounds a mode of l = 2.
  for (const double radius : {-0.3, 0.0, 37.0, 1e300}) is_number("a-0000", radius);
  for (const double mode : {1e300, -1e300, 0.75, -0.75}) is_number("a-0008", mode);
  for (const double place : {1e9, -3.1}) is_number("centre-x", place);
  io::CheckpointState large = good;
  for (std::size_t mode = 9; mode <= ccz4::mode_count(ccz4::most_horizon_degree); ++mode)
    large.counters.emplace_back(fmt::format("horizon-1-a-{:04d}", mode), 0);
  EXPECT_NE(answer(large).find("a-1089 is one mode too many"), std::string::npos) << answer(large);
  large.counters.pop_back();
  EXPECT_EQ(answer(large), "accepted");
}

const std::string two_holes =
    "[domain]\nlower = [-3, -3, -3]\nupper = [3, 3, 3]\ncells = [2, 2, 2]\n[boundary]\nall = \"outflow\"\n"
    "[solver]\nequation = \"ccz4\"\n[scenario]\nname = \"binary\"\npoints = 12\n";
const std::string first = "[[horizon]]\n", second = "[[horizon]]\npuncture = 2\n",
                  all = "[[horizon]]\ncommon = true\n", fixed = "[[horizon]]\ncentre = [0.5, 0, 0]\n";

io::CheckpointState state_of(const std::string& tables) {
  io::CheckpointState state;
  for (const auto& diagnostic : physics_input(two_holes + tables).diagnostics)
    diagnostic->start()->save(state);
  return state;
}

std::string resumed(const std::string& tables, const io::CheckpointState& state,
                    const std::vector<std::string>& settings = {}) {
  const Config config = physics_input(two_holes + tables, settings);
  try {
    for (const auto& diagnostic : config.diagnostics) diagnostic->start()->resume(state);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(SavedHorizon, RestartsWithItsOwnTable) {
  const io::CheckpointState state = state_of(first + second + all + fixed);
  for (const std::string& tables : {first + second + all + fixed, first + second + all + fixed + second,
                                    first + second + all, first + second, first, std::string()})
    EXPECT_EQ(resumed(tables, state), "accepted") << tables;
  EXPECT_EQ(resumed("[[horizon]]\npuncture = 1\nl-max = 4\nevery = 0.1\nstart = 0.5\nradius = 0.7\n"
                    "on-lost = \"stop\"\n",
                    state),
            "accepted");
  const auto says = [&](const std::string& tables, const std::string& place, const std::string& objects,
                        const std::vector<std::string>& settings = {}) {
    const std::string found = resumed(tables, state, settings);
    EXPECT_TRUE(found.starts_with(place)) << found;
    EXPECT_NE(found.find(objects), std::string::npos) << found;
  };
  says(second + all + fixed, "test.toml:13:12: horizon[0]: a restart cannot change",
       "it is puncture 1 in the checkpoint, but puncture 2 here");
  says(first + all + fixed,
       "test.toml:14:10: horizon[1]: ", "it is puncture 2 in the checkpoint, but all punctures here");
  says(first + second + fixed,
       "test.toml:", "it is all punctures in the checkpoint, but the point (0.5, 0, 0) here");
  says(first + second + all + "[[horizon]]\n",
       "test.toml:", "it is the point (0.5, 0, 0) in the checkpoint, but puncture 1 here");
  says(first + second + all + fixed,
       "--set horizon[0].puncture=2: horizon[0]: ", "it is puncture 1 in the checkpoint, but puncture 2 here",
       {"horizon[0].puncture=2"});
  says(first + second + all + fixed,
       "--set horizon[3].centre=[0.6, 0, 0]: horizon[3]: ", "but the point (0.6, 0, 0) here",
       {"horizon[3].centre=[0.6, 0, 0]"});
}

// Checkpoints of programs that did not save what a horizon surrounds.
TEST(SavedHorizon, WithoutItsObjectIsTakenOver) {
  io::CheckpointState old = state_of("");
  const std::size_t others = old.counters.size();
  ccz4::save_horizon({std::nullopt, saved_at(0).searches}, 1, old);
  EXPECT_EQ(old.counters.size(), others + 3 + 3 + 9U);
  EXPECT_EQ(resumed(second, old), "accepted");
  const Config config = physics_input(two_holes + second);
  const auto searches = config.diagnostics.back()->start();
  searches->resume(old);
  io::CheckpointState again;
  searches->save(again);
  const SavedHorizon saved = ccz4::saved_horizon(again, 1, lower, upper);
  EXPECT_EQ(saved.object, HorizonObject{.puncture = 2});
  EXPECT_EQ(saved.searches.shape->a, shape_of(2).a);
}

}  // namespace
}  // namespace meander::simulation
