// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Punctures follow the shift at second order, the mesh follows punctures, and bad input is refused.

#include "physics/ccz4/diagnostics/puncture_tracker.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <limits>

#include "physics/ccz4/unknowns.hpp"
#include "tests/reference/exact_riemann.hpp"
#include "tests/simulation/physics_run.hpp"

namespace meander::simulation {
using namespace ccz4;
namespace {

constexpr const char* flat_box =
    "[domain]\nlower = [-1, -1, -1]\nupper = [1, 1, 1]\ncells = [2, 2, 2]\n[boundary]\nall = \"scenario\"\n"
    "[mesh]\npatch-size = 6\n[solver]\nequation = \"ccz4\"\n[scenario]\nname = \"minkowski\"\n";

// beta = -omega x (y, -x, 0): a point with velocity -beta moves on a circle.
void set_rotation(Simulation& simulation, double omega) {
  const StateView view = simulation.view();
  for (const auto& patch : view.patches) {
    for (int k = 0; k < view.layout.p; ++k) {
      for (int j = 0; j < view.layout.p; ++j) {
        for (int i = 0; i < view.layout.p; ++i) {
          const double x = patch.lower[0] + (i + 0.5) * patch.dx, y = patch.lower[1] + (j + 0.5) * patch.dx;
          patch.q[view.layout.at(ccz4::at::beta, i, j, k)] = omega * y;
          patch.q[view.layout.at(ccz4::at::beta + 1, i, j, k)] = -omega * x;
        }
      }
    }
  }
}

TEST(PunctureTracker, FollowsTheShiftAtSecondOrder) {
  const auto simulation = make_simulation(physics_input(flat_box), 1);
  set_rotation(*simulation, 1.0);
  double before = 0;
  for (const int steps : {20, 40, 80}) {
    PunctureTracker tracker({{0.5, 0.1, 0.2}, {3.0, 0.0, 0.0}});
    const double dt = 2.0 / steps;
    for (int n = 0; n < steps; ++n) {
      tracker.begin_step(simulation->view());
      tracker.end_step(simulation->view(), dt);
    }
    const auto& at = tracker.positions()[0];
    const double error = std::hypot(at[0] - (0.5 * std::cos(2.0) - 0.1 * std::sin(2.0)),
                                    at[1] - (0.5 * std::sin(2.0) + 0.1 * std::cos(2.0)));
    EXPECT_EQ(at[2], 0.2);
    EXPECT_EQ(tracker.positions()[1][0], 3.0) << "outside the domain";
    if (before > 0) {
      EXPECT_NEAR(reference::order_of(before, error, 2), 2.0, 0.1);
    }
    before = error;
  }
}

// Eight leaves touch the middle; none of them is preferred.
TEST(PunctureTracker, StaysInTheMiddleOfARotation) {
  const auto simulation = make_simulation(physics_input(flat_box), 1);
  set_rotation(*simulation, 1.0);
  PunctureTracker tracker({{0, 0, 0}});
  tracker.begin_step(simulation->view());
  tracker.end_step(simulation->view(), 0.1);
  for (const double x : tracker.positions()[0]) EXPECT_NEAR(x, 0, 1e-15);
}

TEST(PunctureTracker, SurvivesACheckpointToTheBit) {
  PunctureTracker tracker({{1.0 / 3, -0.1, 1e-300}}), other({{0, 0, 0}});
  io::CheckpointState state;
  tracker.save(state);
  other.resume(state);
  EXPECT_EQ(tracker.positions()[0], other.positions()[0]);
}

TEST(PunctureTracker, RefusesInvalidPositions) {
  const Config config = physics_input(
      "[domain]\nlower = [-3, -3, -3]\nupper = [3, 3, 3]\ncells = [2, 2, 2]\n[boundary]\nall = \"outflow\"\n"
      "[solver]\nequation = \"ccz4\"\n[scenario]\nname = \"binary\"\npoints = 12\n");
  const auto said = [&](const auto& change) -> std::string {
    io::CheckpointState state;
    state.file = "run/chk_000007.hdf5";
    try {
      for (const auto& diagnostic : config.diagnostics) diagnostic->start()->save(state);
      EXPECT_EQ(state.counters.at(4).first, "puncture-2-y");
      change(state.counters);
      for (const auto& diagnostic : config.diagnostics) diagnostic->start()->resume(state);
    } catch (const parallel::AgreedInputError& error) {
      return error.what();
    }
    return "accepted";
  };
  const auto said_of = [&](double y) {
    return said([&](auto& counters) { counters[4].second = std::bit_cast<std::int64_t>(y); });
  };
  const std::string start = "run/chk_000007.hdf5: counter puncture-2-y ";
  EXPECT_EQ(said_of(1.5), "accepted");
  EXPECT_EQ(said_of(-3.1), "accepted") << "left the domain in its last step";
  EXPECT_EQ(said_of(std::numeric_limits<double>::quiet_NaN()), start + "is nan");
  EXPECT_EQ(said_of(-HUGE_VAL), start + "is -inf");
  EXPECT_EQ(said_of(1e9), start + "is 1e+09, but must lie between -6 and 6");
  EXPECT_EQ(said([](auto& counters) { counters.erase(counters.begin() + 4); }), start + "is missing");
}

const std::string puncture_box =
    "[domain]\nlower = [-9, -9, -9]\nupper = [9, 9, 9]\ncells = [3, 3, 3]\n[boundary]\nall = \"scenario\"\n"
    "[mesh]\npatch-size = 10\nmin-level = 1\nmax-level = 3\nbuffer = 0\n[solver]\nequation = \"ccz4\"\n"
    "[scenario]\nname = \"puncture\"\ncentre = [0.1, 0.05, -0.1]\n"
    "[[refinement]]\nkind = \"punctures\"\nradii = [2.0, 0.4]\n";

TEST(PunctureRefinement, SurroundsThePunctureByBallsOfLeaves) {
  const auto simulation = make_simulation(physics_input(puncture_box), 1);
  const StateView view = simulation->view();
  for (std::size_t leaf = 0; leaf < view.patches.size(); ++leaf) {
    const auto& patch = view.patches[leaf];
    double square = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      const double low = patch.lower[a] - view.tracked_points[0][a], high = low + 10 * patch.dx;
      square += std::pow(std::max({low, -high, 0.0}), 2);
    }
    const int least = square < 0.4 * 0.4 ? 3 : square < 4 ? 2 : 1;
    EXPECT_GE(view.levels[leaf], least);
  }
  EXPECT_GT(simulation->leaves().per_level[3], 0);
  EXPECT_LT(simulation->leaves().per_level[3], 8 * 27);
}

// With a uniform, frozen shift the hole moves through the box at unit speed: the cell that contains it is
// refined, and the cell that it has left is not.
TEST(PunctureRefinement, GoesWithThePuncture) {
  const auto simulation = make_simulation(
      physics_input("[domain]\nlower = [-9, -9, -9]\nupper = [9, 9, 9]\ncells = [3, 3, 3]\n[boundary]\nall = "
                    "\"outflow\"\n[mesh]\npatch-size = 4\nmin-level = 1\nmax-level = 2\nbuffer = 0\n"
                    "regrid-every = 1\n[solver]\nequation = \"ccz4\"\nscheme = \"rusanov\"\ns = 0\n"
                    "[scenario]\nname = \"puncture\"\ncentre = [2.05, 0.05, -0.1]\n"
                    "[[refinement]]\nkind = \"punctures\"\nradii = [0.4]\n"),
      1);
  const StateView start = simulation->view();
  for (const auto& patch : start.patches) {
    for (int k = 0; k < start.layout.p; ++k) {
      for (int j = 0; j < start.layout.p; ++j) {
        for (int i = 0; i < start.layout.p; ++i) patch.q[start.layout.at(ccz4::at::beta, i, j, k)] = -1;
      }
    }
  }
  const auto finest_reach = [&] {  // lowest and highest x of leaves on level 2
    double low = 9, high = -9;
    const StateView view = simulation->view();
    for (std::size_t leaf = 0; leaf < view.patches.size(); ++leaf) {
      if (view.levels[leaf] < 2) continue;
      low = std::min(low, view.patches[leaf].lower[0]);
      high = std::max(high, view.patches[leaf].lower[0] + 4 * view.patches[leaf].dx);
    }
    return std::array{low, high};
  };
  EXPECT_NEAR(finest_reach()[0], -3, 1e-12);
  EXPECT_NEAR(finest_reach()[1], 3, 1e-12);
  while (simulation->time() < 1.75) simulation->advance(1.75);
  // Halos contain the shift from the second step on.
  EXPECT_NEAR(simulation->view().tracked_points[0][0], 2.05 + 1.75, 0.1);
  EXPECT_NEAR(simulation->view().tracked_points[0][1], 0.05, 0.1);
  EXPECT_NEAR(finest_reach()[0], 3, 1e-12);
  EXPECT_NEAR(finest_reach()[1], 9, 1e-12);
}

// A relative jump of the conformal factor marks the surroundings of a hole, too.
TEST(PunctureRefinement, MayGoByTheConformalFactor) {
  std::string input = puncture_box;
  input.replace(input.find("[[refinement]]"), std::string::npos,
                "[[refinement]]\nkind = \"jump\"\nvariable = \"phi\"\nrefine = 0.2\n");
  const auto simulation = make_simulation(physics_input(input), 1);
  const StateView view = simulation->view();
  int around = 0;
  for (std::size_t leaf = 0; leaf < view.patches.size(); ++leaf) {
    const auto& patch = view.patches[leaf];
    bool holds = true;
    for (std::size_t a = 0; a < 3; ++a)
      holds = holds && patch.lower[a] <= view.tracked_points[0][a] &&
              view.tracked_points[0][a] < patch.lower[a] + 10 * patch.dx;
    if (holds) around = view.levels[leaf];
  }
  EXPECT_EQ(around, 3);
  EXPECT_GT(simulation->leaves().per_level[1], 0);
}

TEST(PunctureRefinement, RefusesInvalidKeys) {
  const auto refused = [](const std::vector<std::string>& settings, const std::string& input) {
    try {
      physics_input(input, settings);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(refused({"refinement[0].radii=[2, 1, 0.5]"}, puncture_box), "accepted")
      << "for a finer max-level";
  EXPECT_NE(refused({"refinement[0].radii=[]"}, puncture_box).find("must have a radius"), std::string::npos);
  EXPECT_NE(refused({"refinement[0].radii=[1, 2]"}, puncture_box).find("must not grow"), std::string::npos);
  const std::string flat =
      refused({}, std::string(flat_box) + "[[refinement]]\nkind = \"punctures\"\nradii = [1]\n");
  EXPECT_NE(flat.find("test.toml:14:8: refinement[0].kind: scenario 'minkowski' has no punctures"),
            std::string::npos)
      << flat;
}

}  // namespace
}  // namespace meander::simulation
