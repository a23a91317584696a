// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Apparent horizons of states on a mesh: order, searches of [[horizon]] tables, their state in checkpoints, their keys.

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <malloc.h>

#include <cmath>
#include <numbers>

#include "physics/ccz4/diagnostics/horizons.hpp"
#include "physics/ccz4/exact/metrics.hpp"
#include "simulation/scenario.hpp"
#include "tests/reference/exact_riemann.hpp"
#include "tests/simulation/physics_run.hpp"

namespace meander::simulation {
using namespace ccz4;
namespace {

// The cells of a row by column.
class Row {
 public:
  Row(HorizonSearches& searches, const StateView& view)
      : columns_(std::get<io::RowFile::Table>(searches.files().at(0).format).columns) {
    for (const io::Row& row : searches.rows(view).rows) cells_ = row;
  }
  bool exists() const { return !cells_.empty(); }
  const std::vector<std::string>& cells() const { return cells_; }
  std::string text(const std::string& column) const {
    const auto at = std::ranges::find(columns_, column) - columns_.begin();
    return cells_.at(static_cast<std::size_t>(at));
  }
  double number(const std::string& column) const { return std::stod(text(column)); }

 private:
  std::vector<std::string> columns_, cells_;
};

// A table [[horizon]] of an input, counted from 0, ready to search.
std::unique_ptr<HorizonSearches> searches_of(const Config& config, int number = 0) {
  for (const auto& diagnostic : config.diagnostics) {
    if (dynamic_cast<const HorizonSearches*>(diagnostic.get()) == nullptr || number-- > 0) continue;
    return std::unique_ptr<HorizonSearches>(dynamic_cast<HorizonSearches*>(diagnostic->start().release()));
  }
  return nullptr;
}

// Kerr's black hole with spin 0.9 in a box of 3 x 3 x 3 cells, one of which may be refined: the horizon crosses faces of
// patches, and the surface of that cell.
Row row_of_kerr(int p, bool refined) {
  const Config config = physics_input(fmt::format(
      "[domain]\nlower = [-2.7, -2.7, -2.7]\nupper = [2.7, 2.7, 2.7]\ncells = [3, 3, 3]\n[boundary]\nall = "
      "\"scenario\"\n[mesh]\npatch-size = {}\nmin-level = 1\nmax-level = {}\nbuffer = 0\n"
      "[[refinement]]\nkind = \"box\"\nlower = [1.5, -0.5, -0.5]\nupper = [1.6, 0.5, 0.5]\n"
      "[solver]\nequation = \"ccz4\"\nscheme = \"fourth-order\"\n[scenario]\nname = \"minkowski\"\n"
      "[[horizon]]\ncentre = [0.02, 0.01, 0]\nradius = 2.0\n",
      p, refined ? 2 : 1));
  const auto simulation = make_simulation(config, 2);
  const StateView view = simulation->view();
  const exact::KerrSchild hole{1.0, 0.9, 0.0};
  for (const auto& patch : view.patches) {
    for (int k = 0; k < p; ++k) {
      for (int j = 0; j < p; ++j) {
        for (int i = 0; i < p; ++i) {
          const double x[4] = {0, patch.lower[0] + (i + 0.5) * patch.dx,
                               patch.lower[1] + (j + 0.5) * patch.dx, patch.lower[2] + (k + 0.5) * patch.dx};
          double q[unknowns];
          exact::from_metric(hole, x, Slicing::one_plus_log, exact::Gauge::free, q);
          for (int u = 0; u < unknowns; ++u) patch.q[view.layout.at(u, i, j, k)] = q[u];
        }
      }
    }
  }
  return {*searches_of(config), view};
}

TEST(HorizonSearchesLong, ConvergeAtFifthOrderThroughTheMesh) {
  const double area = 8 * std::numbers::pi * (1 + std::sqrt(0.19));
  std::vector<double> errors;
  for (const int p : {10, 16}) {
    const Row row = row_of_kerr(p, false);
    ASSERT_EQ(row.text("status"), "found") << p;
    const double of_area = std::abs(row.number("area") / area - 1),
                 of_spin = std::abs(row.number("spin_z") - 0.9);
    std::printf("%d volumes: errors of area %.1e, spin %.1e\n", 3 * p, of_area, of_spin);
    errors.push_back(std::max(of_area, of_spin));
  }
  EXPECT_GT(reference::order_of(errors[0], errors[1], 1.6), 5);
  EXPECT_LT(errors[1], 1e-5);
}

TEST(HorizonSearchesLong, CrossResolutionJumps) {
  const double area = 8 * std::numbers::pi * (1 + std::sqrt(0.19));
  const Row row = row_of_kerr(12, true);
  EXPECT_EQ(row.text("status"), "left-finest-level");
  std::printf("errors of area %.1e, spin %.1e\n", row.number("area") / area - 1, row.number("spin_z") - 0.9);
  EXPECT_EQ(row.number("coarsest_level"), 1);
  EXPECT_EQ(row.number("finest_level"), 2);
  EXPECT_NEAR(row.number("area") / area, 1, 2e-4);
  EXPECT_NEAR(row.number("spin_z"), 0.9, 2e-4);
}

const std::string one_puncture =
    "[domain]\nlower = [-2, -2, -2]\nupper = [2, 2, 2]\ncells = [2, 2, 2]\n[boundary]\nall = \"scenario\"\n"
    "[mesh]\npatch-size = 16\n[solver]\nequation = \"ccz4\"\nscheme = \"fourth-order\"\n"
    "[scenario]\nname = \"puncture\"\ncentre = [0.1, 0.05, -0.1]\n";

TEST(HorizonSearches, OfAnEmptyTableFollowTheFirstPuncture) {
  const Config config = physics_input(one_puncture + "[[horizon]]\n");
  const auto simulation = make_simulation(config, 2);
  StateView view = simulation->view();
  const auto searches = searches_of(config);
  EXPECT_EQ(searches->files().at(0).name, "horizon_1.csv");
  const Row first(*searches, view);
  ASSERT_EQ(first.text("status"), "found");
  EXPECT_NEAR(first.number("irreducible_mass"), 1, 1e-4);
  EXPECT_NEAR(first.number("mean_radius"), 0.5, 1e-4);
  EXPECT_NEAR(first.number("centroid_x"), 0.1, 1e-4);
  EXPECT_GT(first.number("flow_steps"), 0);
  // Once at each multiple of the interval, from the last surface.
  EXPECT_FALSE(Row(*searches, view).exists());
  view.t = 0.9;
  EXPECT_FALSE(Row(*searches, view).exists());
  io::CheckpointState state;
  searches->save(state);
  const auto restarted = searches_of(config);
  restarted->resume(state);
  EXPECT_FALSE(Row(*restarted, view).exists()) << "nothing is due";
  view.t = 1.05;
  const Row next(*searches, view), after_restart(*restarted, view), from_scratch(*searches_of(config), view);
  EXPECT_EQ(next.number("flow_steps"), 0);
  EXPECT_NEAR(next.number("area"), first.number("area"), 1e-7);
  EXPECT_EQ(after_restart.cells(), next.cells()) << "bitwise";
  EXPECT_NE(from_scratch.cells(), next.cells());
}

// A puncture without a horizon in reach: the surface leaves the domain. Then it is lost.
TEST(HorizonSearches, TellMisses) {
  const auto config = [](const std::string& keys) {
    return physics_input(one_puncture + "[[horizon]]\n" + keys);
  };
  const auto simulation = make_simulation(config(""), 2);
  StateView view = simulation->view();
  const auto far = searches_of(config("centre = [1.5, 1.5, 1.5]\nradius = 2.5\n"));
  const Row miss(*far, view);
  EXPECT_EQ(miss.text("status"), "left-domain");
  EXPECT_EQ(miss.text("area"), "nan");
  for (const std::string policy : {"continue", "stop"}) {
    const auto searches = searches_of(config("on-lost = \"" + policy + "\"\n"));
    EXPECT_EQ(Row(*searches, view).text("status"), "found");
    StateView lost = view;
    const std::vector<Point<3>> moved = {{1.9, 1.9, 1.9}};
    lost.tracked_points = moved;
    lost.t = 1;
    const DiagnosticRows due = searches->rows(lost);
    EXPECT_EQ(due.rows.size(), 1U);
    EXPECT_EQ(due.stop.find("horizon 1 is lost at t = 1") != std::string::npos, policy == "stop") << due.stop;
  }
}

// Of two holes at rest: of the surface about both, and of that about the first. With unequal masses the surface about their
// centre may be the horizon of the larger hole; about a hole that is close to another one, the horizon of both.
TEST(HorizonSearches, SurroundTheirOwnPunctures) {
  struct Expected {
    const char* common;
    const char* first;
  };
  const auto expect = [](double first, double second, double apart, const Expected& expected) {
    const Config config = physics_input(
        fmt::format("[domain]\nlower = [-2, -2, -2]\nupper = [2, 2, 2]\ncells = [2, 2, 2]\n[boundary]\nall = "
                    "\"scenario\"\n[mesh]\npatch-size = 16\n[solver]\nequation = \"ccz4\"\nscheme = "
                    "\"fourth-order\"\n[scenario]\nname = \"binary\"\nmass-1 = {}\nposition-1 = [{}, 0, "
                    "0]\nmomentum-1 = [0, 0, 0]\n"
                    "mass-2 = {}\nposition-2 = [{}, 0, 0]\nmomentum-2 = [0, 0, 0]\n[[horizon]]\ncommon = "
                    "true\n[[horizon]]\npuncture = 1\n",
                    first, second * apart, second, -first * apart));
    const auto simulation = make_simulation(config, 2);
    const StateView view = simulation->view();
    for (int number = 0; number < 2; ++number) {
      const Row row(*searches_of(config, number), view);
      const std::string status = number == 0 ? expected.common : expected.first;
      EXPECT_EQ(row.text("status"), status) << number;
      EXPECT_EQ(row.text("irreducible_mass") == "nan", status != "found") << number;
      if (status == "found") std::printf("mass %.4f\n", row.number("irreducible_mass"));
    }
  };
  expect(0.9, 0.1, 1.0, {.common = "not-common", .first = "found"});
  expect(0.5, 0.5, 0.5, {.common = "found", .first = "merged"});
}

// A hole of mass 1 in volumes of 0.67: no search sees its horizon, of radius 0.5.
TEST(HorizonSearches, TellOfAMeshTooCoarseForTheHorizon) {
  const auto status = [](const std::string& scenario, const std::string& keys, int p) {
    const Config config = physics_input(
        fmt::format("[domain]\nlower = [-4, -4, -4]\nupper = [4, 4, 4]\ncells = [2, 2, 2]\n[boundary]\nall = "
                    "\"scenario\"\n[mesh]\npatch-size = {}\n[solver]\nequation = \"ccz4\"\nscheme = "
                    "\"fourth-order\"\n[scenario]\nname = {}\n[[horizon]]\n{}",
                    p, scenario, keys));
    const auto simulation = make_simulation(config, 2);
    const Row row(*searches_of(config), simulation->view());
    EXPECT_EQ(row.text("area") == "nan", row.text("rms_expansion") == "nan");
    return row.text("status") + (row.text("area") == "nan" ? ", no surface" : ", a surface");
  };
  const std::string hole = "\"puncture\"\ncentre = [0.1, 0.05, -0.1]\n", flat = "\"minkowski\"\n";
  EXPECT_EQ(status(hole, "", 6), "under-resolved, no surface");
  EXPECT_EQ(status(hole, "radius = 3\n", 6), "under-resolved, no surface");
  EXPECT_EQ(status(hole, "", 12), "under-resolved, a surface");
  EXPECT_EQ(status(flat, "centre = [0.1, 0, 0]\nradius = 2\n", 12), "flow-shrank, no surface");
  EXPECT_EQ(status(flat, "centre = [0.1, 0, 0]\nradius = 1\n", 12), "under-resolved, no surface");
}

TEST(HorizonSearches, OfTheSameDegreeShareTheirTables) {
  const Config config = physics_input(
      one_puncture + "[[horizon]]\n[[horizon]]\n[[horizon]]\nl-max = 6\n[[horizon]]\nl-max = 8\n");
  double kept = 0, passing = 0;
  for (const auto& diagnostic : config.diagnostics) {
    kept += diagnostic->row_memory().kept;
    passing += diagnostic->row_memory().passing;
  }
  EXPECT_EQ(kept, HorizonFinder::memory(6).tables + HorizonFinder::memory(8).tables);
  EXPECT_EQ(passing, HorizonFinder::memory(8).search);
  EXPECT_LT(HorizonFinder::memory(32).tables, 12e6);
}

// Bytes that are allocated now.
double allocated() {
  const auto info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
}

TEST(HorizonSearches, AllocateTheirTablesAtTheFirstSearch) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer's allocator does not count";
#endif
  const double before = allocated();
  const HorizonFinder finder(32);
  EXPECT_NEAR((allocated() - before) / HorizonFinder::memory(32).tables, 1, 0.05);
  // The later of these tables are not due.
  std::string tables = "[[horizon]]\nl-max = 4\n";
  for (int n = 0; n < 200; ++n) tables += "[[horizon]]\nl-max = 32\nstart = 0.5\n";
  const Config config = physics_input(one_puncture + tables);
  const auto simulation = make_simulation(config, 1);
  const double at_start = allocated();
  simulation->rows();
  EXPECT_LT(allocated() - at_start, 1e6);
}

TEST(HorizonSearches, RefuseWhatDoesNotFitIntoTheMemory) {
  const auto said = [](double memory, int ranks) -> std::string {
    try {
      load_config_text(one_puncture + "[[horizon]]\n[[horizon]]\nl-max = 32\n", "test.toml", {}, scenarios(),
                       memory, ranks);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  const std::string refusal =
      "test.toml:17:9: horizon[1].l-max: with l-max = 32, searches require 266 MB on each rank, but ";
  EXPECT_EQ(said(4e8, 1), "accepted");
  EXPECT_TRUE(said(2e8, 1).starts_with(refusal)) << said(2e8, 1);
  EXPECT_TRUE(said(4e8, 2).starts_with(refusal)) << said(4e8, 2);
}

TEST(HorizonSearches, RefuseInvalidKeys) {
  const auto refused = [](const std::string& keys, const std::string& scenario = one_puncture) {
    try {
      physics_input(scenario + "[[horizon]]\n" + keys);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  const auto says = [&](const std::string& keys, const std::string& what,
                        const std::string& scenario = one_puncture) {
    const std::string message = refused(keys, scenario);
    EXPECT_NE(message.find(what), std::string::npos) << message;
  };
  EXPECT_EQ(refused(""), "accepted");
  EXPECT_EQ(refused("centre = [0.1, 0, 0]\nl-max = 10\nevery = 0.5\nstart = 3\non-lost = \"stop\"\n"),
            "accepted");
  says("l-max = 0\n", "test.toml:16:9: horizon[0].l-max: must be between 2 and 32");
  says("every = 0\n", "test.toml:16:9: horizon[0].every: must be greater than 0");
  says("every = 1e-310\n",
       "test.toml:16:9: horizon[0].every: must be at least 1e-12, for at most 1e+12 searches");
  says("start = -1e300\n",
       "test.toml:16:9: horizon[0].start: must not lie before time.start, which is 0, but is -1e+300");
  EXPECT_EQ(refused("start = 0\nevery = 1e-6\n"), "accepted");
  says("puncture = 2\n",
       "test.toml:16:12: horizon[0].puncture: must be a puncture of scenario 'puncture', between 1 and 1, "
       "but is 2");
  says("puncture = 0\n",
       "test.toml:16:12: horizon[0].puncture: 0 is no puncture: the horizon then requires centre or common");
  EXPECT_EQ(refused("centre = [0.1, 0, 0]\npuncture = 0\n"), "accepted");
  says("centre = [0, 0]\n", "must have 3 entries");
  says("centre = [0, 0, 5]\n", "lies outside the domain");
  says("centre = [0, 0, 0]\npuncture = 1\n", "leave out puncture or centre");
  says("common = true\n", "requires at least two punctures");
  says("on-lost = \"stopp\"\n", "did you mean 'stop'?");
  says("lmax = 8\n", "did you mean 'l-max'?");
  const std::string flat =
      one_puncture.substr(0, one_puncture.find("[scenario]")) + "[scenario]\nname = \"minkowski\"\n";
  says("", "horizon[0].centre: scenario 'minkowski' has no punctures", flat);
  says("centre = [0, 0, 0]\n", "horizon[0].radius: must be given", flat);
  says("", "[[horizon]] has no meaning for equation = 'euler'; it belongs to 'ccz4'",
       "[domain]\ndimensions = 2\n[scenario]\nname = \"uniform\"\n");
  // The resolved input is an input, too.
  for (const char* keys : {"", "centre = [0.1, 0, 0]\n"}) {
    const Config once = physics_input(one_puncture + "[[horizon]]\n" + keys);
    EXPECT_EQ(physics_input(once.resolved).resolved, once.resolved);
  }
}

}  // namespace
}  // namespace meander::simulation
