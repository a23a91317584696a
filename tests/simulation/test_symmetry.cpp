// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Planes of symmetry: a run in a part of the domain has the history of the whole with fewer leaves, and data without the
// symmetry are refused.

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <map>

#include "physics/ccz4/diagnostics/psi4.hpp"
#include "simulation/diagnostics/point_gather.hpp"
#include "simulation/mirrors.hpp"
#include "tests/simulation/physics_run.hpp"

namespace meander::simulation {
namespace {

// Columns and totals of a run at its end, and rows of its files, column by column.
struct Figures {
  std::map<std::string, double> of;
  std::int64_t leaves = 0, updates = 0;
};

// Base cells of the whole may have another level.
bool is_of_levels(const std::string& column) {
  return column.find("level") != std::string::npos;
}

Figures figures_of(const Config& config, int steps) {
  Figures figures;
  const auto simulation = make_simulation(config, available_processors());
  const auto add_rows = [&] {
    const std::vector<io::RowFile> files = simulation->row_files();
    const DiagnosticRows rows = simulation->rows();
    for (std::size_t n = 0; n < rows.rows.size(); ++n) {
      for (std::size_t c = 0; c < rows.rows[n].size(); ++c) {
        char* end = nullptr;
        const double value = std::strtod(rows.rows[n][c].c_str(), &end);
        const auto* table = std::get_if<io::RowFile::Table>(&files[n].format);
        const std::string column = table == nullptr ? std::to_string(c) : table->columns[c];
        if (*end == '\0' && end != rows.rows[n][c].c_str() && !is_of_levels(column))
          figures.of[files[n].name + ' ' + column] = value;
      }
    }
  };
  add_rows();
  while (simulation->step() < steps) {
    simulation->advance(config.time.end);
    add_rows();
  }
  for (const Measure& measure : simulation->measures()) {
    if (!is_of_levels(measure.name)) figures.of[measure.name] = measure.value;
  }
  const std::vector<double> totals = simulation->totals();
  for (std::size_t u = 0; u < totals.size(); ++u) figures.of[fmt::format("total {}", u)] = totals[u];
  figures.of["time"] = simulation->time();
  figures.leaves = simulation->leaves().total;
  return figures;
}

// Each figure of both to `tolerance` of its size, or of `least`, which is that of rounding.
void expect_equal(const Figures& part, const Figures& whole, double tolerance, double least) {
  EXPECT_EQ(part.of.size(), whole.of.size());
  double worst = 0;
  for (const auto& [name, value] : whole.of) {
    ASSERT_EQ(part.of.count(name), 1u) << name;
    const double other = part.of.at(name), off = std::abs(other - value);
    if (std::isnan(value) && std::isnan(other)) continue;
    EXPECT_LE(off, tolerance * std::max(std::abs(value), least)) << name << ": " << other << ", " << value;
    worst = std::max(worst, off / std::max(std::abs(value), least));
  }
  std::printf("%zu figures differ by at most %.1e; leaves %lld, %lld\n", whole.of.size(), worst,
              static_cast<long long>(part.leaves), static_cast<long long>(whole.leaves));
}

// The cube of 6^3 (or 2 x 6^3, 4 x 6^3 ...) with mirrors at the lower faces of `axes`; whole: without mirrors.
std::string box(const std::string& axes, bool is_whole, double edge) {
  std::string lower, cells, mirrors;
  for (const char axis : std::string("xyz")) {
    const bool has = axes.find(axis) != std::string::npos;
    const bool cut = has && !is_whole;
    lower += fmt::format("{}{}", lower.empty() ? "" : ", ", cut ? 0.0 : -edge);
    cells += fmt::format("{}{}", cells.empty() ? "" : ", ", cut ? 1 : 2);
    if (cut) mirrors += fmt::format("{}-lower = \"symmetric\"\n", axis);
  }
  return fmt::format("[domain]\nlower = [{}]\nupper = [{}, {}, {}]\ncells = [{}]\n[boundary]\n{}", lower,
                     edge, edge, edge, cells, mirrors);
}

std::string levels(bool octant, int depth) {
  const int base = octant ? 0 : 1;
  return fmt::format("min-level = {}\nmax-level = {}\n", base, base + depth);
}

// Two holes at rest on the z axis. The sphere of waves crosses all mirrors, the horizon surrounds the image, too.
std::string head_on(bool octant) {
  return box("xyz", !octant, 8) + "all = \"sommerfeld\"\n[mesh]\npatch-size = 9\nbuffer = 0\n" +
         levels(octant, 2) +
         "[[refinement]]\nkind = \"punctures\"\nradii = [0.1, 0.1]\n[solver]\nequation = \"ccz4\"\nscheme = "
         "\"fourth-order\"\n"
         "cfl = 0.8\n[scenario]\nname = \"binary\"\nposition-1 = [0, 0, 0.25]\nposition-2 = [0, 0, -0.25]\n"
         "momentum-1 = [0, 0, 0]\nmomentum-2 = [0, 0, 0]\nmass-1 = 0.5\nmass-2 = 0.5\n"
         "[diagnostics]\nextraction-radii = [2.5]\npsi4-every = 1e-3\npsi4-l-max = 4\nexclude-radius = 0.6\n"
         "[[horizon]]\ncommon = true\nl-max = 6\n";
}

TEST(SymmetryLong, OctantHasTheHistoryOfTwoHoles) {
  const Figures part = figures_of(physics_input(head_on(true)), 2),
                whole = figures_of(physics_input(head_on(false)), 2);
  EXPECT_EQ(8 * part.leaves, whole.leaves);
  EXPECT_EQ(part.of.count("horizon_1.csv area"), 1u);
  expect_equal(part, whole, 1e-9, 1e-4);
}

// Modes that are odd under a mirror vanish to the bit.
TEST(SymmetryLong, OctantHasNoOddWaves) {
  const auto simulation = make_simulation(physics_input(head_on(true)), 2);
  const double radii[] = {2.5};
  const auto modes = ccz4::psi4_modes(simulation->view(), {0, 0, 0}, radii, 3).at(0);
  for (int m = -3; m <= 3; ++m) EXPECT_LT(std::abs(modes[ccz4::wave_mode_index(3, m)]), 1e-15) << m;
  for (const int m : {-1, 1}) EXPECT_LT(std::abs(modes[ccz4::wave_mode_index(2, m)]), 1e-15) << m;
  EXPECT_GT(std::abs(modes[ccz4::wave_mode_index(2, 0)]), 1e-6);
}

// A binary on an orbit with equal spins along z has one mirror, z = 0. Spins are pseudovectors.
std::string orbit(bool half) {
  return box("z", !half, 6) +
         "all = \"sommerfeld\"\n[mesh]\npatch-size = 9\nbuffer = 0\nmin-level = 1\nmax-level = 2\n" +
         "[[refinement]]\nkind = \"punctures\"\nradii = [0.1]\n[solver]\nequation = \"ccz4\"\nscheme = "
         "\"fourth-order\"\n"
         "cfl = 0.8\n[scenario]\nname = \"binary\"\npoints = 20\nposition-1 = [2, 0.1, 0]\nposition-2 = [-2, "
         "0, 0]\n"
         "spin-1 = [0, 0, 0.05]\nspin-2 = [0, 0, -0.02]\n[diagnostics]\nextraction-radii = [3.5]\n";
}

TEST(SymmetryLong, HalfHasTheHistoryOfAnOrbit) {
  const Figures part = figures_of(physics_input(orbit(true)), 2),
                whole = figures_of(physics_input(orbit(false)), 2);
  EXPECT_EQ(2 * part.leaves, whole.leaves);
  expect_equal(part, whole, 1e-9, 1e-4);
}

std::string centred_blast(bool octant, const std::string& more = "") {
  return box("xyz", !octant, 0.5) + "all = \"outflow\"\n[mesh]\npatch-size = 6\n" + levels(octant, 2) +
         "[[refinement]]\nkind = \"jump\"\nvariable = \"pressure\"\nrefine = 0.3\n[solver]\nscheme = "
         "\"muscl\"\n"
         "pressure-floor = 1e-8\n[scenario]\nname = \"sedov\"\nradius = 0.06\n[diagnostics]\nenergies = "
         "true\n" +
         more;
}

TEST(SymmetryLong, OctantHasTheHistoryOfABlast) {
  const Figures part = figures_of(physics_input(centred_blast(true)), 20),
                whole = figures_of(physics_input(centred_blast(false)), 20);
  EXPECT_EQ(8 * part.leaves, whole.leaves);
  expect_equal(part, whole, 1e-10, 1e-6);
}

// Planes at upper faces.
TEST(SymmetryLong, AnyOctantHasTheHistoryOfABlast) {
  std::string text = centred_blast(true);
  const auto replace = [&text](const std::string& from, const std::string& to) {
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from))
      text.replace(at, from.size(), to);
  };
  replace("lower = [0, 0, 0]", "lower = [0, -0.5, -0.5]");
  replace("upper = [0.5, 0.5, 0.5]", "upper = [0.5, 0, 0]");
  replace("y-lower = ", "y-upper = ");
  replace("z-lower = ", "z-upper = ");
  const Figures one = figures_of(physics_input(text), 20),
                other = figures_of(physics_input(centred_blast(true)), 20);
  EXPECT_EQ(one.leaves, other.leaves);
  expect_equal(one, other, 1e-10, 1e-6);
}

// Shells about a centre on the planes, radial and by Poisson's equation.
std::string accretion(bool quarter, const std::string& method) {
  return fmt::format(
      "[domain]\ndimensions = 2\nlower = [{0}, {0}]\nupper = [1.0, 1.0]\ncells = [{1}, {1}]\n[boundary]\n"
      "x-upper = \"{4}\"\ny-upper = \"{4}\"\nx-lower = \"{2}\"\ny-lower = \"{2}\"\n[mesh]\npatch-size = "
      "6\n{3}"
      "[[refinement]]\nkind = \"ball\"\nradius = 0.3\n[solver]\nscheme = \"muscl\"\ngamma = "
      "1.6666666666666667\n"
      "density-floor = 1e-6\n[scenario]\nname = \"accretion\"\nradius = 0.1\ndelta = 5.0\n"
      "compensation-radius = 0.8\n[gravity]\nmethod = \"{5}\"\n",
      quarter ? 0.0 : -1.0, quarter ? 1 : 2,
      quarter               ? "symmetric"
      : method == "poisson" ? "reflecting"
                            : "outflow",
      levels(quarter, 2), method == "poisson" ? "reflecting" : "outflow", method);
}

TEST(Symmetry, QuarterHasTheHistoryOfAccretion) {
  for (const char* method : {"radial", "poisson"}) {
    Figures part = figures_of(physics_input(accretion(true, method)), 10),
            whole = figures_of(physics_input(accretion(false, method)), 10);
    EXPECT_EQ(4 * part.leaves, whole.leaves);
    EXPECT_EQ(part.of.count("potential_energy"), method == std::string("poisson") ? 1u : 0u);
    // Solutions of the multigrid method agree to its tolerance, and what tells of the method itself need not.
    for (const char* column : {"gravity_cycles", "gravity_residual"}) {
      part.of.erase(column);
      whole.of.erase(column);
    }
    expect_equal(part, whole, method == std::string("poisson") ? 1e-3 : 1e-10, 1e-6);
  }
}

// Values and derivatives beyond planes, and on them, follow from those inside.
TEST(Symmetry, PointsBeyondAPlaneHaveMirroredValues) {
  const Config config =
      physics_input(box("xz", false, 1) +
                    "y = \"periodic\"\nx-upper = \"outflow\"\nz-upper = \"outflow\"\n[mesh]\npatch-size = "
                    "8\n[solver]\nscheme = \"muscl\"\n[scenario]\nname = \"formulas\"\n"
                    "[scenario.fields]\ndensity = \"2 + cos(x) * cos(2 * z)\"\n"
                    "velocity-x = \"sin(x) * cos(z) / (2 + cos(x) * cos(2 * z))\"\n"
                    "velocity-z = \"cos(x) * sin(z) / (2 + cos(x) * cos(2 * z))\"\npressure = 1\n");
  const auto simulation = make_simulation(config, 2);
  const StateView view = simulation->view();
  const int unknown[] = {0, 1, 3};
  const PointQuery query(unknown, 3);
  const SamplePoint inside{0.3, 0.2, 0.4}, plane{0, 0.2, 0.4};
  std::vector<SamplePoint> points = {inside, {-0.3, 0.2, 0.4}, {0.3, 0.2, -0.4}, {-0.3, 0.2, -0.4},
                                     plane,  {0, 0.2, -0.4}};
  const GatheredPoints found = PointGather(view).gather(points, query);
  const auto value = [&](std::size_t point, std::size_t n) { return found.values[3 * point + n]; };
  const auto slope = [&](std::size_t point, std::size_t n, std::size_t a) {
    return found.derivatives[3 * point + n][a];
  };
  for (const auto& [point, x, z] : {std::tuple{1U, -1.0, 1.0}, {2U, 1.0, -1.0}, {3U, -1.0, -1.0}}) {
    EXPECT_EQ(value(point, 0), value(0, 0));
    EXPECT_EQ(value(point, 1), x * value(0, 1));
    EXPECT_EQ(value(point, 2), z * value(0, 2));
    EXPECT_EQ(slope(point, 0, 0), x * slope(0, 0, 0));
    EXPECT_EQ(slope(point, 0, 1), slope(0, 0, 1));
    EXPECT_EQ(slope(point, 1, 0), slope(0, 1, 0));
    EXPECT_EQ(slope(point, 1, 2), x * z * slope(0, 1, 2));
    EXPECT_EQ(slope(point, 2, 2), slope(0, 2, 2));
  }
  EXPECT_NEAR(value(0, 1), std::sin(0.3) * std::cos(0.4), 1e-3);
  EXPECT_NEAR(value(4, 0), 2 + std::cos(0.8), 2e-2);
  EXPECT_EQ(value(4, 1), 0);
  EXPECT_EQ(slope(4, 0, 0), 0);
  EXPECT_NEAR(slope(4, 1, 0), std::cos(0.4), 1e-2);
  EXPECT_EQ(value(5, 2), -value(4, 2));
}

std::string said(const std::string& text, const std::vector<std::string>& settings = {}) {
  try {
    physics_input(text, settings);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}
void expect_said(const std::string& text, const std::vector<std::string>& settings,
                 const std::string& expected) {
  const std::string message = said(text, settings);
  EXPECT_NE(message.find(expected), std::string::npos) << message;
}

TEST(Symmetry, DataWithoutItAreRefusedByTheirKey) {
  EXPECT_EQ(said(orbit(true)), "accepted");
  expect_said(orbit(true), {"scenario.position-2=[-2, 0, 0.1]"},
              "scenario.position-2: breaks the symmetry about z = 0 (boundary.z-lower): a hole must be at "
              "the mirror image (-2, 0, "
              "-0.1)");
  expect_said(
      orbit(true), {"scenario.momentum-1=[0, 0.2, 0.1]"},
      "scenario.momentum-1: breaks the symmetry about z = 0 (boundary.z-lower): it must be (0, 0.2, 0)");
  expect_said(orbit(true), {"scenario.spin-1=[0.1, 0, 0.05]"},
              "scenario.spin-1: breaks the symmetry about z = 0 (boundary.z-lower): it must be (0, 0, 0.05)");
  expect_said(head_on(true), {"scenario.mass-2=0.6"}, "scenario.mass-1: breaks the symmetry about z = 0");
  expect_said(head_on(true), {"scenario.momentum-2=[0, 0, 0.1]"},
              "scenario.momentum-1: breaks the symmetry about z = 0");
  expect_said(centred_blast(true), {"scenario.centre=[0, 0.1, 0]"},
              "scenario.centre: breaks the symmetry about y = 0 (boundary.y-lower): y must be 0, but is 0.1");
  expect_said(centred_blast(true), {"boundary.x=symmetric"},
              "boundary.x: both sides of the x axis are planes of symmetry");
  expect_said(centred_blast(true), {"gravity.external=uniform", "gravity.acceleration=[0, 0, 1]"},
              "gravity.acceleration: breaks the symmetry about z = 0 (boundary.z-lower): its component along "
              "z must be 0");
  expect_said(centred_blast(true), {"gravity.external=point", "gravity.mass=1", "gravity.centre=[0.1, 0, 0]"},
              "gravity.centre: breaks the symmetry about x = 0");
  expect_said(centred_blast(true), {"gravity.external=formula", "gravity.acceleration-x=1"},
              "gravity.acceleration-x: breaks the symmetry about x = 0");
  EXPECT_EQ(said(centred_blast(true),
                 {"gravity.external=formula", "gravity.acceleration-x=-x", "gravity.acceleration-z=-sin(z)"}),
            "accepted");
  const std::string formulas =
      box("x", false, 1) +
      "all = \"outflow\"\n[scenario]\nname = \"formulas\"\n[scenario.fields]\ndensity = \"2 + x^2\"\n"
      "velocity-x = \"x\"\npressure = 1\n";
  EXPECT_EQ(said(formulas), "accepted");
  expect_said(formulas, {"scenario.fields.density=2 + x^3 / 100"},
              "boundary.x-lower: x = 0 is no plane of symmetry of the initial data (scenario.name = "
              "\"formulas\"): density is");
  expect_said(formulas, {"scenario.fields.velocity-x=1e-3"}, "no plane of symmetry of the initial data");
  const std::string wind = "{kind = \"inflow\", density = 1, velocity-y = 1, velocity-x = \"";
  EXPECT_EQ(said(formulas, {"boundary.y-lower=" + wind + "sin(x)\", pressure = 1}"}), "accepted");
  expect_said(formulas, {"boundary.y-lower=" + wind + "cos(x)\", pressure = 1}"},
              "no plane of symmetry of the state of boundary.y-lower: momentum_x is");
}

// Centres and radii are those of the domain and its images.
TEST(Symmetry, TheMiddleIsOnThePlanes) {
  const Config config = physics_input(head_on(true));
  EXPECT_EQ(config.middle(), (Point<3>{0, 0, 0}));
  EXPECT_EQ(config.mirrors().images(), 8);
  EXPECT_EQ(config.mirrors().lower(), (std::vector<double>{-8, -8, -8}));
  expect_said(head_on(true), {"diagnostics.extraction-radii=[8.5]"}, "whose nearest face is 8 away");
}

}  // namespace
}  // namespace meander::simulation
