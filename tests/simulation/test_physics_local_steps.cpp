// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Local time steps against exact solutions, conservation laws and global steps.

#include <fmt/format.h>

#include "base/exact_sum.hpp"
#include "tasks/step_plan.hpp"
#include "tests/reference/exact_riemann.hpp"
#include "tests/simulation/physics_run.hpp"
#include "tests/simulation/vortex_input.hpp"

namespace meander::simulation {
namespace {

const std::string local = "time.stepping=local", global = "time.stepping=global";

// Three levels, nested about a point off the symmetries of the mesh.
std::string nest(int dim, int p, const std::string& solver, const std::string& scenario) {
  const std::string middle = dim == 3 ? "[0.4, 0.45, 0.55]" : "[0.4, 0.45]";
  return fmt::format(
      "[domain]\ndimensions = {}\n[boundary]\nall = \"periodic\"\n"
      "[mesh]\npatch-size = {}\nmin-level = 1\nmax-level = 3\nbuffer = 0\nregrid-every = 1000000\n"
      "[[refinement]]\nkind = \"ball\"\nradius = 0.01\ncentre = {}\n"
      "[solver]\n{}\n[scenario]\n{}\n[time]\nend = 1e6\n",
      dim, p, middle, solver, scenario);
}

struct Scheme {
  int dim, p;
  std::string keys;
};
class LocalSteps : public testing::TestWithParam<Scheme> {};
INSTANTIATE_TEST_SUITE_P(Cases, LocalSteps,
                         testing::Values(Scheme{2, 5, "scheme = \"godunov\""},
                                         Scheme{2, 7, "scheme = \"muscl\""},
                                         Scheme{2, 8, "scheme = \"muscl\"\nriemann = \"hllc\""},
                                         Scheme{3, 4, "scheme = \"godunov\""},
                                         Scheme{3, 7, "scheme = \"muscl\"\nriemann = \"hllc\""}));

// Noise of every wavelength: each flux differs from its neighbours and from step to step.
TEST_P(LocalSteps, ConserveMassMomentumAndEnergy) {
  const auto& [dim, p, keys] = GetParam();
  const auto simulation =
      make_simulation(physics_input(nest(dim, p, keys,
                                         fmt::format("name = \"uniform\"\nnoise = 0.1\nvelocity = [{}]",
                                                     dim == 3 ? "0.5, 0.3, 0.1" : "0.5, 0.3")),
                                    {local}),
                      available_processors());
  const auto before = simulation->totals();
  std::vector<ExactSum> magnitudes(before.size());
  for_volumes(*simulation, [&](const Volume& volume) {
    for (std::size_t u = 0; u < before.size(); ++u)
      magnitudes[u].add(std::abs(volume.q[u]) * std::pow(volume.dx, dim));
  });
  const int steps = dim == 3 ? 40 : 1000;
  const auto leaves = simulation->leaves().per_level;
  double worst = 0;
  for (const int stop : {steps / 10, steps}) {
    while (simulation->step() < stop) simulation->advance(1e6);
    const auto after = simulation->totals();
    worst = 0;
    for (std::size_t u = 0; u < before.size(); ++u)
      worst = std::max(worst, std::abs(after[u] - before[u]) / magnitudes[u].value());
    std::printf("largest relative change %.2e over %d steps\n", worst, stop);
    EXPECT_LE(worst, 1e-15 * stop);
  }
  EXPECT_LE(worst, 1e-13);
  EXPECT_EQ(simulation->treated_volumes().floored, 0);
  const auto report = *simulation->local_steps();
  std::int64_t updates = 0;
  for (std::size_t level = 1; level <= 3; ++level) updates += leaves[level] * report.steps[level];
  EXPECT_EQ(report.steps[1], steps);
  EXPECT_EQ(report.updates, updates);
  EXPECT_EQ(simulation->volume_updates(), updates * std::lround(std::pow(p, dim)));
  EXPECT_EQ(report.large_ratios, 0);
  EXPECT_GT(report.gain(), 1.1);
}

TEST_P(LocalSteps, LeaveAUniformFlowUntouched) {
  const auto& [dim, p, keys] = GetParam();
  const Config config =
      physics_input(nest(dim, p, keys,
                         fmt::format("name = \"uniform\"\ndensity = 1.3\npressure = 0.7\nvelocity = [{}]",
                                     dim == 3 ? "0.9, -0.5, 0.31" : "0.9, -0.5")),
                    {local});
  const auto simulation = run(config, 12);
  EXPECT_EQ(simulation->local_steps()->ratios, (std::vector{3, 3}));
  EXPECT_EQ(simulation->local_steps()->steps, (std::vector<std::int64_t>{0, 12, 36, 108}));
  const double x[3] = {0.5, 0.5, 0.5};
  double expected[5], worst = 0;
  config.scenario->initial(x, 0.1, expected);
  for_volumes(*simulation, [&](const Volume& volume) {
    for (int u = 0; u < dim + 2; ++u)
      worst = std::max(worst, std::abs(volume.q[u] - expected[u]) / std::abs(expected[u]));
  });
  std::printf("largest relative change %.2e\n", worst);
  EXPECT_EQ(worst, 0);
}

// L1 error of the density of the vortex, half of which passes through a finer level.
double vortex_error(int level, const std::string& scheme, double end, const std::string& stepping) {
  const reference::Vortex vortex{.radius = 0.2};
  const Config config = physics_input(
      fmt::format(
          "[domain]\ndimensions = 2\nlower = [-1, -1]\nupper = [1, 1]\n[boundary]\nall = \"periodic\"\n"
          "[mesh]\npatch-size = 9\nmin-level = {}\nmax-level = {}\nbuffer = 0\n"
          "regrid-every = 1000000\n"
          "[[refinement]]\nkind = \"box\"\nlower = [-0.3, -0.3]\nupper = [0.01, 0.3]\n"
          "[solver]\n{}\n{}[time]\nend = {}\n",
          level, level + 1, scheme, vortex_scenario(vortex), end),
      {stepping});
  const auto simulation = run(config);
  EXPECT_EQ(simulation->time(), end);
  double sum = 0;
  for_volumes(*simulation, [&](const Volume& volume) {
    double exact[5];
    vortex.mean(volume.x[0], volume.x[1], volume.dx, end, exact);
    sum += std::abs(volume.q[0] - exact[0]) * volume.dx * volume.dx;
  });
  return sum;
}

TEST(LocalStepsOfAVortex, HaveTheOrderAndTheErrorOfGlobalSteps) {
  // The first-order scheme spreads the vortex within a longer time.
  for (const auto& [scheme, order, end] :
       {std::tuple{"scheme = \"muscl\"\nlimiter = \"mc\"", 1.9, 0.5}, {"scheme = \"godunov\"", 0.8, 0.1}}) {
    double errors[2], of_global[2];
    for (const int finer : {0, 1}) {
      errors[finer] = vortex_error(2 + finer, scheme, end, local);
      of_global[finer] = vortex_error(2 + finer, scheme, end, global);
      EXPECT_LE(errors[finer], 1.1 * of_global[finer]);
    }
    const double found = reference::order_of(errors[0], errors[1], 3);
    std::printf("%s: L1 errors %.3e %.3e, order %.3f; of global steps %.3e %.3e\n", scheme, errors[0],
                errors[1], found, of_global[0], of_global[1]);
    EXPECT_GE(found, order);
  }
}

// The similarity solution's shock, on a mesh that follows it.
TEST(LocalStepsOfABlast, HaveTheShockOfGlobalSteps) {
  const auto radius = [](const std::string& stepping) {
    const auto simulation =
        run(shipped_input("sedov-2d", {"mesh.max-level=3", "scenario.radius=0.02", "time.end=0.1",
                                       "mesh.regrid-every=1", "mesh.subcycled-levels=1", stepping}));
    if (const auto report = simulation->local_steps())
      std::printf("gain %.2f, ratios above 3: %ld\n", report->gain(),
                  static_cast<long>(report->large_ratios));
    return measured(*simulation, "shock_radius");
  };
  const double expected = radius(global), found = radius(local);
  std::printf("shock radius %.5f, with global steps %.5f\n", found, expected);
  EXPECT_NEAR(found / expected, 1, 0.01);
}

// Cold gas at rest. The pressure beyond the boundary grows a hundredfold within the first step.
class HotInflow final : public Scenario {
 public:
  void describe(io::KeyTable&) override {}
  void set_up(const io::KeyTable&, const ProblemSetup&) override {}
  void initial(const double*, double, double* q) const override { fill(q, 0.01); }
  void boundary(const double*, double, double t, double* q) const override {
    fill(q, 0.01 * std::pow(100, std::min(1.0, t / 0.09)));
  }

 private:
  static void fill(double* q, double pressure) {
    q[0] = 1;
    q[1] = q[2] = 0;
    q[3] = pressure / 0.4;
  }
};

// Wave speeds grow tenfold on the finest level within the first step.
TEST(LocalStepsOfHotGas, ShortenTheStepsOfFineLevelsWithinAStep) {
  Config config = physics_input(
      "[domain]\ndimensions = 2\n[boundary]\nall = \"outflow\"\nx-lower = \"scenario\"\n"
      "[mesh]\npatch-size = 6\nmin-level = 1\nmax-level = 3\nbuffer = 0\nregrid-every = 1000000\n"
      "[[refinement]]\nkind = \"box\"\nlower = [0.0, 0.0]\nupper = [0.02, 1.0]\n"
      "[scenario]\nname = \"uniform\"\n[time]\nend = 1\n",
      {local});
  config.scenario = std::make_shared<HotInflow>();
  const auto simulation = make_simulation(config, 2);
  simulation->advance(1);
  const auto report = *simulation->local_steps();
  EXPECT_GT(report.large_ratios, 0);
  EXPECT_EQ(report.steps[1], 1);
  EXPECT_GT(report.steps[3], 9);
  const double first = simulation->last_dt();
  simulation->advance(1);
  EXPECT_LT(simulation->last_dt(), 0.5 * first);
  for (int step = 0; step < 10; ++step) simulation->advance(1);
  EXPECT_EQ(simulation->local_steps()->ratios, (std::vector{3, 3})) << "the plan knows the hot gas";
}

}  // namespace
}  // namespace meander::simulation
