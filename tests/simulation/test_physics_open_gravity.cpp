// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Gravity of gas that is alone (gravity.method = "poisson" on domains with open faces): potentials of spheres, mirror images,
// collapse without pressure.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "tests/simulation/physics_run.hpp"

namespace meander::simulation {
namespace {

// A ball of density (1 - (r / radius)^2)^2, in 2D a column.
struct Ball {
  double centre[3], radius;
};

// G = 1.
double potential(const Ball& ball, const double* x, int dim) {
  double square = 0;
  for (int a = 0; a < dim; ++a) square += (x[a] - ball.centre[a]) * (x[a] - ball.centre[a]);
  const double s2 = square / (ball.radius * ball.radius), unit = 4 * pi * ball.radius * ball.radius;
  if (dim == 3) {
    if (s2 > 1) return -unit * (8.0 / 105) / std::sqrt(s2);
    const auto work = [](double s) {
      return s / 6 - s * s / 10 + s * s * s / 42;
    };  // of the field, from the centre
    return unit * (work(s2) - work(1) - 8.0 / 105);
  }
  const double far = std::log(ball.radius) / 6;
  if (s2 > 1) return unit * (far + std::log(s2) / 12);
  const auto work = [](double s) { return s / 4 - s * s / 8 + s * s * s / 36; };
  return unit * (far + work(s2) - work(1));
}

struct Errors {
  double largest = 0, at_faces = 0, scale = 0;
};

// Two balls close to the middle of a domain of edge 2, across jumps.
Errors errors_of_potential(int dim, int patch, int order) {
  const Ball balls[] = {{{-0.11, 0.04, 0.02}, 0.16}, {{0.14, -0.05, 0.06}, 0.12}};
  std::string density = "1e-9";
  for (const Ball& ball : balls)
    density +=
        fmt::format(" + max(0, 1 - ((x - {})^2 + (y - {})^2{}) / {}^2)^2", ball.centre[0], ball.centre[1],
                    dim == 3 ? fmt::format(" + (z - {})^2", ball.centre[2]) : "", ball.radius);
  const Config config = physics_input(fmt::format(
      "[domain]\ndimensions = {0}\nlower = {1}\nupper = {2}\ncells = {3}\n[boundary]\nall = \"outflow\"\n"
      "[mesh]\npatch-size = {4}\nmin-level = 1\nmax-level = 3\nbuffer = 0\n"
      "[[refinement]]\nkind = \"ball\"\nradius = 0.15\ncentre = {5}\n"
      "[solver]\nscheme = \"muscl\"\n[scenario]\nname = \"formulas\"\n"
      "fields = {{density = \"{6}\", pressure = 1}}\n"
      "[gravity]\nmethod = \"poisson\"\ntolerance = 1e-9\nmultipole-order = {7}\n[time]\nend = 1\n",
      dim, dim == 3 ? "[-1, -1, -1]" : "[-1, -1]", dim == 3 ? "[1, 1, 1]" : "[1, 1]",
      dim == 3 ? "[3, 3, 3]" : "[3, 3]", patch, dim == 3 ? "[-0.1, 0.1, 0]" : "[-0.1, 0.1]", density, order));
  const auto simulation = make_simulation(config, available_processors());
  const StateView view = simulation->view();
  const auto& layout = view.layout;
  Errors errors;
  for (const auto& leaf : view.patches) {
    const double* const found = leaf.q + layout.carried_begin();
    for (int k = 0; k < (dim == 3 ? layout.p : 1); ++k) {
      for (int j = 0; j < layout.p; ++j) {
        for (int i = 0; i < layout.p; ++i) {
          const int at[3] = {i, j, k};
          double x[3] = {}, farthest = 0, exact = 0;
          for (int d = 0; d < dim; ++d) {
            x[d] = leaf.lower[d] + (at[d] + 0.5) * leaf.dx;
            farthest = std::max(farthest, std::abs(x[d]) + leaf.dx);
          }
          for (const Ball& ball : balls) exact += potential(ball, x, dim);
          const double error = std::abs(found[layout.at(0, i, j, k)] - exact);
          errors.largest = std::max(errors.largest, error);
          if (farthest > 1) errors.at_faces = std::max(errors.at_faces, error);
          errors.scale = std::max(errors.scale, std::abs(exact));
        }
      }
    }
  }
  errors.largest /= errors.scale;
  errors.at_faces /= errors.scale;
  std::printf("%dD p %d order %d: largest error of the potential %.2e, at the faces %.2e\n", dim, patch,
              order, errors.largest, errors.at_faces);
  return errors;
}

class OpenPotential : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Dimensions, OpenPotential, testing::Values(2, 3));

TEST_P(OpenPotential, IsThatOfTwoBalls) {
  const int dim = GetParam();
  const Errors coarse = errors_of_potential(dim, 6, 4), fine = errors_of_potential(dim, 12, 4);
  EXPECT_GE(std::log2(coarse.largest / fine.largest), 1.9);
  EXPECT_LE(fine.at_faces, dim == 3 ? 1e-4 : 2e-4);
  EXPECT_LE(fine.largest, 1e-3);
  // Without them, the multipoles of the balls are missed.
  EXPECT_GE(errors_of_potential(dim, 12, 1).at_faces, 5 * fine.at_faces);
}

// A quarter or an octant with open faces opposite of the mirrors is part of the whole. Gas moves.
class OpenMirrors : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Dimensions, OpenMirrors, testing::Values(2, 3));

TEST_P(OpenMirrors, GiveTheGravityOfTheWhole) {
  const int dim = GetParam();
  const auto of_density = [&](const std::string& lower, int cells, const std::string& at_lower) {
    const auto each = [&](const std::string& text) {
      std::string list = text;
      for (int a = 1; a < dim; ++a) list += ", " + text;
      return "[" + list + "]";
    };
    std::string boundary;
    for (int a = 0; a < dim; ++a)
      boundary += fmt::format("{0}-lower = \"{1}\"\n{0}-upper = \"outflow\"\n", "xyz"[a], at_lower);
    const Config config = physics_input(
        fmt::format("[domain]\ndimensions = {}\nlower = {}\nupper = {}\ncells = "
                    "{}\n[boundary]\n{}[mesh]\npatch-size = {}\n"
                    "[solver]\nscheme = \"muscl\"\nriemann = \"hllc\"\n[scenario]\nname = \"formulas\"\n"
                    "fields = {{density = \"0.1 + exp(-(x^2 + 2 * y^2{}) / 0.05)\", pressure = 1}}\n"
                    "[gravity]\nmethod = \"poisson\"\ntolerance = 1e-11\n[time]\nend = 10\n",
                    dim, each(lower), each("1.0"), each(fmt::format("{}", cells)), boundary, dim == 3 ? 4 : 6,
                    dim == 3 ? " + 3 * z^2" : ""));
    const auto simulation = run(config, 20);
    std::vector<std::pair<std::vector<double>, double>> volumes;
    for_volumes(*simulation, [&](const Volume& v) {
      if (v.x[0] > 0 && v.x[1] > 0 && (dim == 2 || v.x[2] > 0)) volumes.push_back({{v.x, v.x + dim}, v.q[0]});
    });
    std::ranges::sort(volumes);
    return volumes;
  };
  const auto part = of_density("0.0", 4, "reflecting"), whole = of_density("-1.0", 8, "outflow");
  ASSERT_EQ(part.size(), whole.size());
  double most = 0;
  for (std::size_t i = 0; i < whole.size(); ++i)
    most = std::max(most, std::abs(part[i].second - whole[i].second));
  std::printf("%dD: largest difference of the density %.1e\n", dim, most);
  EXPECT_LE(most, 1e-9);
}

// While mass leaves.
TEST(OpenEnergyBudget, DoesNotDependOnTheNumberOfCycles) {
  const auto run_with = [](double tolerance) {
    const Config config = physics_input(fmt::format(
        "[domain]\ndimensions = 2\nlower = [-1, -1]\nupper = [1, 1]\ncells = [3, 3]\n[boundary]\nall = "
        "\"outflow\"\n[mesh]\npatch-size = 9\n[solver]\nscheme = \"muscl\"\n[scenario]\nname = "
        "\"formulas\"\nfields = {{density = \"0.1 + exp(-(x^2 + y^2) / 0.1)\", velocity-x = \"2 * x\", "
        "velocity-y = "
        "\"2 * y\", pressure = 1}}\n[gravity]\nmethod = \"poisson\"\ntolerance = {}\n[time]\nend = 1\n",
        tolerance));
    const auto simulation = run(config, 10);
    return std::pair(column(*simulation, "energy_factor"), column(*simulation, "gravity_cycles"));
  };
  const auto [one, one_cycle] = run_with(1e-2);
  const auto [several, cycles] = run_with(1e-10);
  std::printf("factor %.6f after %g cycle, %.6f after %g\n", one, one_cycle, several, cycles);
  EXPECT_EQ(one_cycle, 1);
  EXPECT_GE(cycles, 2);
  EXPECT_NEAR(several, one, 0.1 * std::abs(one));
}

// Momentum of gas that does not reach the faces.
TEST(OpenGravity, ConservesMomentum) {
  const Config config = physics_input(
      "[domain]\ndimensions = 2\nlower = [-2, -2]\nupper = [2, 2]\ncells = [4, 4]\n[boundary]\nall = "
      "\"outflow\"\n"
      "[mesh]\npatch-size = 6\nmin-level = 2\nmax-level = 3\nregrid-every = 2\n"
      "[[refinement]]\nkind = \"jump\"\nvariable = \"density\"\nrefine = 0.5\n"
      "[solver]\nscheme = \"muscl\"\n[scenario]\nname = \"formulas\"\n[scenario.expressions]\n"
      "a = \"exp(-((x - 0.3)^2 + (y - 0.4)^2) / 0.02)\"\nb = \"exp(-((x + 0.5)^2 + y^2) / 0.05)\"\n"
      "[scenario.fields]\ndensity = \"1e-3 + a + b\"\npressure = \"1e-3 + a + b\"\n[gravity]\nmethod = "
      "\"poisson\"\n"
      "[time]\nend = 0.2\n");
  const auto simulation = make_simulation(config, available_processors());
  const std::vector<double> before = simulation->totals();
  double largest_mean = 0;
  while (simulation->time() < config.time.end) {
    simulation->advance(config.time.end);
    largest_mean = std::max(largest_mean, column(*simulation, "mean_acceleration"));
  }
  const std::vector<double> after = simulation->totals();
  std::printf("%d steps: momentum %.1e %.1e, subtracted acceleration up to %.1e\n", simulation->step(),
              after[1] - before[1], after[2] - before[2], largest_mean);
  // Gas at rest and of one pressure at the faces: what leaves there is its fall towards the middle.
  EXPECT_LE(std::abs(after[1] - before[1]), 1e-5 * before[0]);
  EXPECT_LE(std::abs(after[2] - before[2]), 1e-5 * before[0]);
  EXPECT_GT(largest_mean, 1e-12);
}

// Thin isothermal gas at rest in the field of a dense ball (2D: a column) of G M = 1 (1/2), in a box that cuts through it: its state
// beyond the faces is given. Waves from the ball do not reach the faces.
double speed_at_faces(int dim, int patch, const std::string& stepping) {
  const bool in_3d = dim == 3;
  const double width = 0.15, mass = std::pow(pi * width * width, 0.5 * dim);
  const std::string thin = in_3d ? "1e-6 * exp(1 / max(r, 0.3) - 1)" : "1e-6 / max(r, 0.3)";
  const Config config = physics_input(fmt::format(
      "[domain]\ndimensions = {0}\nlower = {1}\nupper = {2}\ncells = {3}\n[boundary]\nall = \"scenario\"\n"
      "[mesh]\npatch-size = {4}\nmin-level = 1\nmax-level = 2\nbuffer = 0\n"
      "[[refinement]]\nkind = \"box\"\nlower = {5}\nupper = {2}\n"
      "[solver]\nscheme = \"muscl\"\nriemann = \"hllc\"\n[scenario]\nname = \"formulas\"\nfields = {{density "
      "= "
      "\"{6} + exp(-(r / {7})^2)\", pressure = \"{6} + 0.25 * exp(-(r / {7})^2)\"}}\n"
      "[gravity]\nmethod = \"poisson\"\nconstant = {8}\n[time]\nend = 0.1\nstepping = \"{9}\"\n",
      dim, in_3d ? "[-1, -1, -1]" : "[-1, -1]", in_3d ? "[1, 1, 1]" : "[1, 1]",
      in_3d ? "[3, 3, 3]" : "[3, 3]", patch, in_3d ? "[0.6, 0.6, 0.6]" : "[0.6, -0.2]", thin, width,
      (in_3d ? 1.0 : 0.5) / mass, stepping));
  const auto simulation = run(config);
  double sum = 0, area = 0;
  for_volumes(*simulation, [&](const Volume& v) {
    double farthest = 0, square = 0;
    for (int a = 0; a < dim; ++a) {
      farthest = std::max(farthest, std::abs(v.x[a]) + v.dx);
      square += v.q[1 + a] * v.q[1 + a] / (v.q[0] * v.q[0]);
    }
    if (farthest <= 1) return;
    sum += std::pow(v.dx, dim - 1) * std::sqrt(square);
    area += std::pow(v.dx, dim - 1);
  });
  const double mean = sum / area;
  std::printf("%dD p %d, %s steps: mean speed at the faces %.2e\n", dim, patch, stepping.c_str(), mean);
  return mean;
}

class OpenAtmosphere : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Dimensions, OpenAtmosphere, testing::Values(2, 3));

TEST_P(OpenAtmosphere, StaysAtRestWhereItsStateIsGiven) {
  for (const std::string stepping : {"global", "local"}) {
    const int p = GetParam() == 3 ? 6 : 9;
    const double coarse = speed_at_faces(GetParam(), p, stepping),
                 fine = speed_at_faces(GetParam(), 2 * p, stepping);
    EXPECT_GE(std::log2(coarse / fine), 1.5) << stepping;
    EXPECT_LE(fine, GetParam() == 3 ? 2.7e-4 : 1e-4) << stepping;  // without the kick: 2.9e-4 and more
  }
}

// A uniform ball without pressure (2D: a column) off the centre of the domain: its radius R against theory.
//   3D: t = sqrt(R0^3 / (2 G M)) (arccos sqrt(x) + sqrt(x (1 - x))), x = R / R0
//   2D: t = R0 / sqrt(4 G M) sqrt(pi) erf(sqrt(log(1 / x))), M for each length
double time_of_collapse(int dim, double radius, double mass, double x) {
  if (dim == 3)
    return std::sqrt(radius * radius * radius / (2 * mass)) *
           (std::acos(std::sqrt(x)) + std::sqrt(x * (1 - x)));
  return radius / std::sqrt(4 * mass) * std::sqrt(pi) * std::erf(std::sqrt(-std::log(x)));
}

class DustCollapse : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Dimensions, DustCollapse, testing::Values(2, 3));

TEST_P(DustCollapse, TakesTheTimeOfTheory) {
  const int dim = GetParam();
  const std::vector<std::string> in_2d = {
      "domain.dimensions=2", "domain.lower=[-1,-1]", "domain.upper=[1,1]", "domain.cells=[3,3]",
      "scenario.fields.density=if((x - cx)^2 + (y - cy)^2 < radius^2, 1, 1e-5)"};
  const std::vector<std::string> an_octant = {"mesh.max-level=3",
                                              "mesh.patch-size=6",
                                              "domain.lower=[0,0,0]",
                                              "domain.cells=[2,2,2]",
                                              "boundary.x-lower=reflecting",
                                              "boundary.y-lower=reflecting",
                                              "boundary.z-lower=reflecting",
                                              "scenario.constants.cx=0",
                                              "scenario.constants.cy=0",
                                              "scenario.constants.cz=0"};
  const auto simulation =
      make_simulation(shipped_input("dust-collapse", dim == 2 ? in_2d : an_octant), available_processors());
  const double radius = 0.5, centre[] = {dim == 3 ? 0.0 : 0.13, dim == 3 ? 0.0 : -0.07, 0.0};
  // The radius of a uniform ball of the same moment of inertia.
  const auto radius_of = [&] {
    double mass = 0, sum = 0;
    for_volumes(*simulation, [&](const Volume& v) {
      const double r = std::hypot(v.x[0] - centre[0], v.x[1] - centre[1], v.x[2] - centre[2]);
      if (r > 1.3 * radius) return;
      const double weight = v.q[0] * std::pow(v.dx, dim);
      mass += weight;
      sum += weight * r * r;
    });
    return std::pair(std::sqrt(sum / mass * (dim + 2) / dim), mass);
  };
  const auto [start, part] = radius_of();
  const double mass = dim == 3 ? 8 * part : part;
  EXPECT_NEAR(start, radius, 2e-3);
  for (const double x : {0.7, 0.4, 0.2, 0.1}) {
    if (dim == 3 && x < 0.2) break;  // the whole at its shipped size is a claim of scripts/verify
    const double t = time_of_collapse(dim, radius, mass, x);
    while (simulation->time() < t) simulation->advance(t);
    const double found = radius_of().first / radius;
    std::printf("%dD: t = %.4f: %.4f of the radius, theory %.1f; %d steps\n", dim, t, found, x,
                simulation->step());
    EXPECT_NEAR(found, x, 0.01);
  }
}

// The reference is that of shells in spherical symmetry, 500 to 2000 of them, extrapolated (scripts/verify --only evrard). What
// energy changes is brought by thin gas through the open faces.
TEST(EvrardCollapse, HeatsTheGasAsInSphericalSymmetry) {
  constexpr double peak_of_shells = 1.762;
  const auto simulation =
      make_simulation(shipped_input("evrard", {"mesh.patch-size=6"}), available_processors());
  const auto energy = [&] {
    return simulation->totals()[4] + column(*simulation, "potential_energy") -
           column(*simulation, "regrid_energy");
  };
  const double start = energy();
  double peak = 0, drift = 0, lowest = 0;
  while (simulation->time() < 1.15) {
    simulation->advance(1.15);
    if (simulation->step() % 5 != 0) continue;
    peak = std::max(peak, column(*simulation, "thermal_energy"));
    drift = std::max(drift, std::abs(energy() - start));
    lowest = std::min(lowest, column(*simulation, "potential_energy"));
  }
  std::printf(
      "largest thermal energy %.4f of that of shells; change of the energy %.1e of the potential one; %d "
      "steps\n",
      8 * peak / peak_of_shells, drift / -lowest, simulation->step());
  EXPECT_NEAR(8 * peak / peak_of_shells, 1, 0.03);
  EXPECT_LE(drift, -1e-6 * lowest);
}

}  // namespace
}  // namespace meander::simulation
