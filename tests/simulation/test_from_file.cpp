// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// States from files: conservation, equal bits on equal meshes, orders of convergence, domains that differ. Arrays and bad
// files: tests/program/test_from_file.py.
#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "base/error.hpp"
#include "simulation/output.hpp"
#include "tests/io/scratch.hpp"
#include "tests/simulation/mpi/write_checkpoint.hpp"
#include "tests/simulation/physics_run.hpp"

namespace meander::simulation {
namespace {

using testing_io::message_of;
using testing_io::Scratch;

const char* const conserved_fields = "output.fields=[\"density\", \"momentum\", \"energy\"]";
const char* const primitive_fields = "output.fields=[\"density\", \"velocity\", \"pressure\"]";
const char* const all_digits = "output.precision=float64";

// Gas in a box with outflow, refined in a ball off the middle.
std::string gas(int dim, int p, int min_level, int max_level, const std::string& scenario) {
  return fmt::format(
      "[domain]\ndimensions = {}\n[boundary]\nall = \"outflow\"\n[mesh]\npatch-size = {}\nmin-level = {}\n"
      "max-level = {}\n[[refinement]]\nkind = \"ball\"\ncentre = [{}]\nradius = 0.2\n[solver]\nscheme = "
      "\"muscl\"\n{}\n[time]\nend = 1.0\n",
      dim, p, min_level, max_level, dim == 2 ? "0.6, 0.3" : "0.6, 0.3, 0.4", scenario);
}
const std::string stored_blast = R"toml([scenario]
name = "formulas"
[scenario.fields]
density = "1 + 0.5 * sin(7 * x) * cos(5 * y)"
velocity-x = "0.3 - y"
velocity-y = "x"
pressure = 1
[[scenario.region]]
shape = "ball"
centre = [0.55, 0.4CENTRE]
radius = 0.15
pressure = 50
density = 3
)toml";
std::string blast_in(int dim) {
  std::string text = stored_blast;
  return text.replace(text.find("CENTRE"), 6, dim == 2 ? "" : ", 0.5");
}
std::string from(const std::string& file) {
  return fmt::format("[scenario]\nname = \"from-file\"\nfile = \"{}\"\n", file);
}

std::string write_plot(Simulation& simulation, const Scratch& scratch) {
  Output output(simulation, scratch.path());
  output.start();
  return scratch.file("plot_000000.vtkhdf");
}

// Relative to the largest total: momenta may cancel.
void expect_totals(const Simulation& simulation, const std::vector<double>& expected, double relative) {
  const auto totals = simulation.totals();
  ASSERT_EQ(totals.size(), expected.size());
  double largest = 0;
  for (const double total : expected) largest = std::max(largest, std::abs(total));
  for (std::size_t u = 0; u < totals.size(); ++u) {
    EXPECT_NEAR(totals[u], expected[u], relative * largest) << simulation.solver().traits().unknown_names[u];
  }
}

std::vector<Volume> volumes_of(Simulation& simulation) {
  std::vector<Volume> volumes;
  for_volumes(simulation, [&](const Volume& volume) { volumes.push_back(volume); });
  return volumes;
}

// The number of unknowns that differ in a bit.
std::size_t different_bits(Simulation& a, Simulation& b) {
  const auto of_a = volumes_of(a), of_b = volumes_of(b);
  EXPECT_EQ(of_a.size(), of_b.size());
  if (of_a.size() != of_b.size()) return of_a.size();
  std::size_t different = 0;
  for (std::size_t v = 0; v < of_a.size(); ++v) {
    for (int u = 0; u < a.view().layout.unknowns; ++u)
      different += std::memcmp(&of_a[v].q[u], &of_b[v].q[u], sizeof(double)) != 0;
  }
  return different;
}

struct Target {
  int dim, p, min_level, max_level;
};

TEST(FromFile, ConservesMassMomentumAndEnergyOnOtherPatchesAndLevels) {
  for (const int dim : {2, 3}) {
    const Scratch scratch;
    const auto source = run(physics_input(gas(dim, 9, 1, 2, blast_in(dim)), {conserved_fields, all_digits}),
                            dim == 2 ? 20 : 5);
    const std::string file = write_plot(*source, scratch);
    const auto totals = source->totals();
    for (const Target& target :
         {Target{dim, 7, 1, 2}, {dim, 7, 2, 2}, {dim, 9, 1, 1}, {dim, 4, 0, 0}, {dim, 12, 1, 3}}) {
      if (dim == 3 && target.max_level == 3) continue;
      SCOPED_TRACE(
          fmt::format("{}D, p = {}, levels {} to {}", dim, target.p, target.min_level, target.max_level));
      const auto other = make_simulation(
          physics_input(gas(dim, target.p, target.min_level, target.max_level, from(file))), 2);
      expect_totals(*other, totals, 2e-14);
    }
  }
}

// Also density, momenta and pressure stay positive where slopes meet a jump of a factor 50.
TEST(FromFile, KeepsValuesWithinThoseOfTheFile) {
  const Scratch scratch;
  const auto source = run(physics_input(gas(2, 9, 1, 2, blast_in(2)), {conserved_fields, all_digits}), 20);
  const std::string file = write_plot(*source, scratch);
  double least = 1e300, most = 0;
  for (const Volume& volume : volumes_of(*source)) {
    least = std::min(least, volume.q[0]);
    most = std::max(most, volume.q[0]);
  }
  const auto finer = make_simulation(physics_input(gas(2, 7, 3, 3, from(file))), 2);
  for (const Volume& volume : volumes_of(*finer)) {
    EXPECT_GT(volume.q[0], 0.9 * least);
    EXPECT_LT(volume.q[0], 1.1 * most);
  }
}

TEST(FromFile, OnTheSameMeshHasTheSameBits) {
  const Scratch scratch;
  const auto source = run(physics_input(gas(2, 9, 1, 3, blast_in(2)), {conserved_fields, all_digits}), 20);
  const std::string plot = write_plot(*source, scratch);
  write_checkpoint(*source, scratch.file("chk"));
  const auto by_plot = make_simulation(physics_input(gas(2, 9, 1, 3, from(plot))), 2);
  EXPECT_EQ(different_bits(*source, *by_plot), 0u);
  const auto by_checkpoint = make_simulation(physics_input(gas(2, 9, 1, 3, from(scratch.file("chk")))), 2);
  EXPECT_EQ(different_bits(*source, *by_checkpoint), 0u);
}

// The entropy is not computed anew from the total energy.
TEST(FromFile, KeepsAnUnknownThatFollowsFromOthers) {
  const Scratch scratch;
  const std::vector<std::string> dual = {"solver.dual-energy=true"};
  const auto source = run(physics_input(gas(2, 9, 1, 2, blast_in(2)), dual), 20);
  write_checkpoint(*source, scratch.file("chk"));
  const auto copy = make_simulation(physics_input(gas(2, 9, 1, 2, from(scratch.file("chk"))), dual), 2);
  EXPECT_EQ(different_bits(*source, *copy), 0u);
}

// Mach numbers of 3000 to 7000: a thousandth of the energy as heat would be 1e4 times too hot. Mass, momenta and entropies are kept.
TEST(FromFile, KeepsColdGasCold) {
  const Scratch scratch;
  const std::string cold =
      "[scenario]\nname = \"formulas\"\n[scenario.fields]\ndensity = \"1 + 0.5 * sin(7 * x) * cos(5 * y)\"\n"
      "velocity-x = \"2 - sin(5 * y)\"\nvelocity-y = \"1 + x\"\n"
      "pressure = \"1e-7 * (1 + 0.5 * sin(7 * x) * cos(5 * y))^gamma\"\n";
  const std::vector<std::string> dual = {"solver.dual-energy=true", "solver.gamma=1.4"};
  const auto source = make_simulation(physics_input(gas(2, 9, 2, 3, cold), dual), 2);
  write_checkpoint(*source, scratch.file("chk"));
  const auto totals = source->totals();
  for (const Target& target : {Target{2, 7, 2, 3}, {2, 9, 1, 1}, {2, 9, 4, 4}, {2, 4, 0, 0}, {2, 12, 2, 4}}) {
    const auto other = make_simulation(
        physics_input(gas(2, target.p, target.min_level, target.max_level, from(scratch.file("chk"))), dual),
        2);
    const solvers::Solver& solver = other->solver();
    const auto entropy = std::ranges::find(solver.derived(), std::string("entropy"), &solvers::Derived::name);
    double worst = 0;
    for (const Volume& volume : volumes_of(*other))
      worst = std::max(worst, std::abs(entropy->value(solver.parameters(), volume.q) / 1e-7 - 1));
    std::printf("p = %d, levels %d to %d: entropy off by %.2g\n", target.p, target.min_level,
                target.max_level, worst);
    EXPECT_LT(worst, 1e-3);
    for (const std::size_t u : {0, 1, 2, 4}) EXPECT_NEAR(other->totals()[u] / totals[u], 1, 2e-14) << u;
  }
}

// A pressure that the energy is too large to hold: the entropy is that of the pressure in the file.
TEST(FromFile, TakesAnyPressureOfColdGas) {
  const Scratch scratch;
  const std::vector<std::string> dual = {"solver.dual-energy=true", "solver.gamma=1.4"};
  const auto source = make_simulation(
      physics_input(gas(2, 9, 1, 2,
                        "[scenario]\nname = \"formulas\"\nfields = {density = \"1 + x\", velocity-x = 1, "
                        "pressure = 1e-20}\n"),
                    {dual[0], dual[1], primitive_fields, all_digits}),
      1);
  const auto copy =
      make_simulation(physics_input(gas(2, 9, 1, 2, from(write_plot(*source, scratch))), dual), 2);
  for (const Volume& volume : volumes_of(*copy))
    EXPECT_NEAR(volume.q[4] * std::pow(volume.q[0], 0.4) / 1e-20, 1, 1e-13);
}

// A plot file of primitive fields in float32, and one of conserved ones without entropy.
TEST(FromFile, TakesPrimitiveFieldsAndCompletesUnknowns) {
  const Scratch primitive, conserved;
  const auto source = run(physics_input(gas(2, 9, 1, 2, blast_in(2)), {primitive_fields}), 10);
  const auto copy = make_simulation(physics_input(gas(2, 9, 1, 2, from(write_plot(*source, primitive)))), 2);
  expect_totals(*copy, source->totals(), 1e-6);
  EXPECT_GT(different_bits(*source, *copy), 0u);

  const auto plain = run(physics_input(gas(2, 9, 1, 2, blast_in(2)), {conserved_fields, all_digits}), 10);
  const auto with_entropy = make_simulation(
      physics_input(gas(2, 9, 1, 2, from(write_plot(*plain, conserved))), {"solver.dual-energy=true"}), 2);
  EXPECT_TRUE(with_entropy->solver().admissible(volumes_of(*with_entropy)[0].q));
  EXPECT_EQ(volumes_of(*with_entropy)[5].q[0], volumes_of(*plain)[5].q[0]);
}

TEST(FromFile, KeepsAUniformStateToTheBit) {
  const Scratch scratch;
  const auto source = make_simulation(physics_input(gas(3, 6, 1, 2,
                                                        "[scenario]\nname = \"formulas\"\nfields = {density "
                                                        "= 0.7, velocity-x = 0.3, pressure = 1.1}\n"),
                                                    {conserved_fields, all_digits}),
                                      1);
  const auto other = make_simulation(physics_input(gas(3, 7, 1, 2, from(write_plot(*source, scratch)))), 2);
  const Volume first = volumes_of(*source)[0];
  for (const Volume& volume : volumes_of(*other)) {
    for (int u = 0; u < 5; ++u) ASSERT_EQ(volume.q[u], first.q[u]);
  }
}

// The mean absolute error of the density on a fixed mesh, from files of finer and finer volumes.
TEST(FromFile, ConvergesWithSecondOrder) {
  const std::string smooth =
      "[scenario]\nname = \"formulas\"\nsamples-per-axis = 4\nfields = {density = \"2 + sin(2 * pi * x) * "
      "cos(2 * "
      "pi * y)\", velocity-x = \"sin(4 * y)\", pressure = \"2 + cos(3 * x + 1)\"}\n";
  const auto exact = volumes_of(*make_simulation(physics_input(gas(2, 7, 3, 3, smooth)), 2));
  double errors[3];
  for (int n = 0; n < 3; ++n) {
    const Scratch scratch;
    const auto source =
        make_simulation(physics_input(gas(2, 6, n + 1, n + 2, smooth), {conserved_fields, all_digits}), 2);
    const auto found =
        volumes_of(*make_simulation(physics_input(gas(2, 7, 3, 3, from(write_plot(*source, scratch)))), 2));
    ASSERT_EQ(found.size(), exact.size());
    errors[n] = 0;
    for (std::size_t v = 0; v < found.size(); ++v)
      errors[n] += std::abs(found[v].q[0] - exact[v].q[0]) / static_cast<double>(found.size());
  }
  for (int n = 0; n < 2; ++n) {
    const double order = std::log(errors[n] / errors[n + 1]) / std::log(3.0);
    EXPECT_GT(order, 1.8) << errors[n] << " to " << errors[n + 1];
    RecordProperty(fmt::format("order{}", n), fmt::format("{:.2f}", order));
  }
}

// Point values: the same bits where centres coincide, and interpolation of fourth order.
TEST(FromFile, InterpolatesPointValuesWithFourthOrder) {
  const auto wave = [](int p, int level, const std::string& scenario) {
    return physics_input(
        fmt::format("[domain]\nlower = [-0.5, 0, 0]\nupper = [0.5, 0.16666666666666667, "
                    "0.16666666666666667]\ncells = [6, 1, 1]\n"
                    "[mesh]\npatch-size = {}\nmin-level = {}\n[solver]\nequation = \"ccz4\"\nscheme = "
                    "\"fourth-order\"\nslicing = "
                    "\"harmonic\"\ns = 0\ncfl = 0.5\n{}[time]\nend = 1.0\n",
                    p, level, scenario));
  };
  const std::string gauge_wave = "[scenario]\nname = \"gauge-wave\"\namplitude = 0.1\n";
  const auto exact = make_simulation(wave(8, 3, gauge_wave), 2);
  const auto expected = volumes_of(*exact);
  const int unknowns = exact->view().layout.unknowns;
  double errors[2];
  for (int n = 0; n < 2; ++n) {
    const Scratch scratch;
    const auto source = make_simulation(wave(6, 2 + n, gauge_wave), 2);
    write_checkpoint(*source, scratch.file("chk"));
    const auto found = volumes_of(*make_simulation(wave(8, 3, from(scratch.file("chk"))), 2));
    errors[n] = 0;
    for (std::size_t v = 0; v < found.size(); ++v) {
      for (int u = 0; u < unknowns; ++u)
        errors[n] = std::max(errors[n], std::abs(found[v].q[u] - expected[v].q[u]));
    }
    const auto copy = make_simulation(wave(6, 2 + n, from(scratch.file("chk"))), 2);
    EXPECT_EQ(different_bits(*source, *copy), 0u);
    // The middle one of three volumes along each axis.
    const auto coarser = make_simulation(wave(6, 2, from(scratch.file("chk"))), 2);
    EXPECT_EQ(different_bits(*make_simulation(wave(6, 2, gauge_wave), 2), *coarser) == 0, n == 0);
    for (std::size_t v = 0; n == 1 && v < 10; ++v)
      EXPECT_NEAR(volumes_of(*coarser)[v].q[0],
                  volumes_of(*make_simulation(wave(6, 2, gauge_wave), 2))[v].q[0], 1e-13);
  }
  const double order = std::log(errors[0] / errors[1]) / std::log(3.0);
  EXPECT_GT(order, 3.5) << errors[0] << " to " << errors[1];
}

TEST(FromFile, RefusesADomainBeyondTheFileUnlessToldOtherwise) {
  const Scratch scratch;
  const auto source =
      make_simulation(physics_input(gas(2, 6, 1, 1, blast_in(2)), {conserved_fields, all_digits}), 1);
  const std::string file = write_plot(*source, scratch);
  const std::vector<std::string> larger = {"domain.lower=[0.0, -1.0]", "domain.upper=[2.0, 1.0]"};
  const auto message =
      message_of<InputError>([&] { make_simulation(physics_input(gas(2, 6, 1, 1, from(file)), larger), 1); });
  EXPECT_NE(message.find("test.toml:17:8: scenario.file: " + file +
                         ": the domain reaches to x = 2, but the file ends at x = 1"),
            std::string::npos)
      << message;
  auto settings = larger;
  settings.push_back("scenario.outside=nearest");
  const auto other = make_simulation(physics_input(gas(2, 6, 2, 2, from(file)), settings), 1);
  // The nearest volume of the file along x.
  const auto inside = volumes_of(*source);
  for (const Volume& volume : volumes_of(*other)) {
    if (volume.x[0] < 1.2 || volume.x[1] < 0.3 || volume.x[1] > 0.9) continue;
    for (const Volume& at : inside) {
      if (at.x[0] < 1 - at.dx || std::abs(at.x[1] - volume.x[1]) > 1e-3 * at.dx) continue;
      EXPECT_NEAR(volume.q[0], at.q[0], 1e-2 * at.q[0]);
    }
  }
  // A part of the file's domain needs no other key.
  const auto part = make_simulation(
      physics_input(gas(2, 7, 1, 1, from(file)), {"domain.lower=[0.2, 0.3]", "domain.upper=[0.7, 0.8]"}), 1);
  EXPECT_EQ(part->time(), 0);
}

TEST(FromFile, RefusesBoundariesThatNeedAState) {
  const auto message = message_of<InputError>(
      [] { physics_input(gas(2, 6, 1, 1, from("none")), {"boundary.x-upper=scenario"}); });
  EXPECT_NE(message.find("a file has no boundary data: boundary.x-upper must not be \"scenario\""),
            std::string::npos)
      << message;
}

// The state beyond such a face is its own, as with any scenario.
TEST(FromFile, HasInflow) {
  const Scratch scratch;
  const std::string still =
      "[scenario]\nname = \"formulas\"\nfields = {density = 0.7, velocity-x = 0, pressure = 1.1}\n";
  const auto source =
      make_simulation(physics_input(gas(2, 6, 1, 2, still), {conserved_fields, all_digits}), 1);
  const std::vector<std::string> wind = {
      "boundary.x-lower={kind = \"inflow\", density = 2, velocity-x = 3, pressure = 1.1}"};
  const auto run_of = [&](const std::string& scenario) {
    return run(physics_input(gas(2, 6, 1, 2, scenario), wind), 3);
  };
  const auto ours = run_of(from(write_plot(*source, scratch)));
  EXPECT_EQ(different_bits(*ours, *run_of(still)), 0u);
  // The momentum of the wind enters, up to what its first volumes smear.
  EXPECT_NEAR(ours->totals()[0], 0.7 + 2 * 3 * ours->time(), 0.2 * 2 * 3 * ours->time());
}

// A restart takes the state of its checkpoint.
TEST(FromFile, IsNotOpenedByARestart) {
  const Scratch scratch;
  const auto source =
      make_simulation(physics_input(gas(2, 6, 1, 1, blast_in(2)), {conserved_fields, all_digits}), 1);
  const std::string file = write_plot(*source, scratch);
  const Config config = physics_input(gas(2, 7, 1, 2, from(file)));
  const auto first = run(config, 3);
  io::CheckpointState state;
  state.input = config.resolved;
  write_checkpoint(*first, scratch.file("chk"), state);
  std::filesystem::remove(file);
  io::CheckpointReader checkpoint(scratch.file("chk"), {});
  const Config again = physics_input(gas(2, 7, 1, 2, from(file)));
  EXPECT_EQ(different_bits(*restart_simulation(again, 1, {}, checkpoint), *first), 0u);
  EXPECT_THROW(make_simulation(again, 1), InputError);
}

}  // namespace
}  // namespace meander::simulation
