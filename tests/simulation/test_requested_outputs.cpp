// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Slices, projections, boxes, spheres and points of a state on an adaptive mesh, against sums over all its volumes, and
// the messages about wrong keys.

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "simulation/output.hpp"
#include "simulation/outputs/sampled.hpp"
#include "simulation/outputs/schedule.hpp"
#include "tests/io/scratch.hpp"
#include "tests/simulation/physics_run.hpp"

namespace meander::simulation {
namespace {

// Three levels about a ball off the centre, and fields without a symmetry.
std::string with_output(int dims, const std::string& output) {
  const bool in_space = dims == 3;
  return fmt::format(
      "[domain]\ndimensions = {}\nlower = [{}]\nupper = [{}]\ncells = [{}]\n[mesh]\npatch-size = "
      "5\nmin-level = 1\n"
      "max-level = 3\nbuffer = 0\n[[refinement]]\nkind = \"ball\"\ncentre = [{}]\nradius = 0.05\n"
      "[solver]\nscheme = \"rusanov\"\n[scenario]\nname = \"formulas\"\n"
      "fields = {{density = \"1 + 0.5 * sin(5 * x) * cos(3 * y){}\", velocity-x = \"y\", velocity-y = \"x * "
      "x\", "
      "pressure = 2}}\n{}",
      dims, in_space ? "-1, 0, 0" : "-1, 0", in_space ? "1, 1, 1" : "1, 1", in_space ? "2, 1, 1" : "2, 1",
      in_space ? "0.3, 0.4, 0.6" : "0.3, 0.4", in_space ? " + z" : "", output);
}

struct Sampled {
  explicit Sampled(const std::string& text)
      : config(physics_input(text)),
        simulation(make_simulation(config, 2)),
        view(simulation->view()),
        grid(config, config.mesh.patch_size),
        leaves(whole_leaves(view.levels, simulation->leaf_indices(), config.domain.dimensions,
                            config.mesh.patch_size)) {
    for_volumes(*simulation, [this](const Volume& volume) { volumes.push_back(volume); });
  }
  SampledState state() const { return {view, leaves, grid, simulation->solver()}; }
  const RequestedOutput& request(std::size_t n = 0) const { return config.output.requested.at(n); }
  std::size_t axes() const { return grid.axes(); }

  const Volume& volume_at(const std::array<double, 3>& x) const {
    for (const Volume& volume : volumes) {
      bool inside = true;
      for (std::size_t a = 0; a < axes(); ++a)
        inside = inside && std::abs(x[a] - volume.x[a]) < volume.dx / 2;
      if (inside) return volume;
    }
    ADD_FAILURE() << "no volume at " << x[0] << ' ' << x[1] << ' ' << x[2];
    return volumes.front();
  }

  Config config;
  std::unique_ptr<Simulation> simulation;
  StateView view;
  LeafGrid grid;
  std::vector<Piece> leaves;
  std::vector<Volume> volumes;
};

double overlap(double lower, double upper, double other_lower, double other_upper) {
  return std::max(0.0, std::min(upper, other_upper) - std::max(lower, other_lower));
}

std::array<double, 3> centre_of(const io::ImageMesh& mesh, std::size_t pixel) {
  std::array<double, 3> x{};
  for (std::size_t a = 0; a < 3; ++a) {
    const std::size_t at = pixel % mesh.along(a);
    pixel /= mesh.along(a);
    x[a] = mesh.pixels[a] == 0 ? mesh.lower[a]
                               : mesh.lower[a] + (static_cast<double>(at) + 0.5) * mesh.spacing[a];
  }
  return x;
}

// The integral over the part of each volume within a pixel, and within `region` along axes without pixels.
template <class Value>
double integral(const Sampled& run, const io::ImageMesh& mesh, std::size_t pixel, const Value& value) {
  const std::array<double, 3> centre = centre_of(mesh, pixel);
  double sum = 0;
  for (const Volume& volume : run.volumes) {
    double part = value(volume);
    for (std::size_t a = 0; a < run.axes(); ++a) {
      const bool flat = mesh.pixels[a] == 0;
      const double lower = flat ? run.request().lower[a] : centre[a] - mesh.spacing[a] / 2;
      const double upper = flat ? run.request().upper[a] : centre[a] + mesh.spacing[a] / 2;
      part *= overlap(volume.x[a] - volume.dx / 2, volume.x[a] + volume.dx / 2, lower, upper);
    }
    sum += part;
  }
  return sum;
}

double area(const io::ImageMesh& mesh) {
  double product = 1;
  for (std::size_t a = 0; a < 3; ++a) product *= mesh.pixels[a] == 0 ? 1 : mesh.spacing[a];
  return product;
}

class RequestedOutputOf : public testing::TestWithParam<int> {
 protected:
  int dims() const { return GetParam(); }
  bool in_space() const { return dims() == 3; }
};
INSTANTIATE_TEST_SUITE_P(Dimensions, RequestedOutputOf, testing::Values(2, 3),
                         [](const auto& dims) { return fmt::format("In{}D", dims.param); });

// Along every axis, at faces of volumes and between, of the domain and of a part.
TEST_P(RequestedOutputOf, SliceHasTheVolumeOfEachPixel) {
  for (int axis = 0; axis < dims(); ++axis) {
    for (const double offset : {0.0, 0.4321, 1.0}) {
      const Sampled run(with_output(
          dims(), fmt::format("[[output.slice]]\nname = \"a\"\nnormal = \"{}\"\noffset = {}\n"
                              "resolution = 46\nfields = [\"density\", \"level\", \"momentum\"]\n",
                              axis_names[axis], offset)));
      const Image image = sample_region(run.state(), run.request());
      ASSERT_EQ(image.fields.size(), 3u);
      const std::size_t pixels = image.mesh.size();
      EXPECT_EQ(image.mesh.pixels[static_cast<std::size_t>(axis)], 0);
      for (std::size_t n = 0; n < pixels; ++n) {
        std::array<double, 3> x = centre_of(image.mesh, n);
        // Points on a face belong to the upper volume, at the border to the lower one.
        x[static_cast<std::size_t>(axis)] += offset == 1 ? -1e-9 : 1e-9;
        const Volume& volume = run.volume_at(x);
        EXPECT_EQ(image.fields[0].values[n], volume.q[0]);
        EXPECT_EQ(image.fields[1].values[n], 1 - std::lround(std::log(volume.dx * 5) / std::log(3.0)));
        for (std::size_t c = 0; c < 3; ++c)
          EXPECT_EQ(image.fields[2].values[3 * n + c], c < run.axes() ? volume.q[1 + c] : 0);
      }
    }
  }
}

TEST_P(RequestedOutputOf, VolumesOfASliceTileItsPlane) {
  const Sampled run(
      with_output(dims(),
                  "[[output.slice]]\nname = \"a\"\nnormal = \"y\"\noffset = 0.41\nresolution = 0\n"
                  "fields = [\"density\"]\n"));
  const Image image = sample_region(run.state(), run.request());
  double sum = 0, expected = 0;
  for (std::size_t n = 0; n < image.cells.size(); ++n) {
    const auto* corner = image.cells.points.data() + n * static_cast<std::size_t>(image.cells.corners);
    double size = corner[1][0] - corner[0][0];
    if (in_space()) size *= corner[2][2] - corner[0][2];
    sum += size * image.fields[0].values[n];
    for (int c = 0; c < image.cells.corners; ++c) EXPECT_EQ(corner[c][1], 0.41);
  }
  for (const Volume& volume : run.volumes) {
    if (std::abs(volume.x[1] - 0.41) < volume.dx / 2)
      expected += volume.q[0] * std::pow(volume.dx, dims() - 1);
  }
  EXPECT_NEAR(sum, expected, 1e-13 * expected);
}

// Sizes that do not divide those of volumes, finer and coarser.
TEST_P(RequestedOutputOf, ProjectionIsTheIntegralOverEachPixel) {
  for (const int resolution : {7, 40}) {
    const Sampled run(with_output(
        dims(), fmt::format("[[output.projection]]\nname = \"a\"\nnormal = \"x\"\nresolution = {}\n"
                            "lower = [{}]\nupper = [{}]\nfields = [\"density\"]\n",
                            resolution, in_space() ? "-0.33, 0.1, 0.2" : "-0.33, 0.1",
                            in_space() ? "0.77, 0.95, 0.9" : "0.77, 0.95")));
    const Image image = sample_region(run.state(), run.request());
    for (std::size_t n = 0; n < image.mesh.size(); ++n) {
      const double expected =
          integral(run, image.mesh, n, [](const Volume& volume) { return volume.q[0]; }) / area(image.mesh);
      EXPECT_NEAR(image.fields[0].values[n], expected, 1e-13 * expected);
    }
  }
}

TEST_P(RequestedOutputOf, ProjectionsOfTheDomainHaveItsTotals) {
  for (int axis = 0; axis < dims(); ++axis) {
    const Sampled run(with_output(
        dims(), fmt::format("[[output.projection]]\nname = \"a\"\nnormal = \"{}\"\nresolution = 61\n"
                            "fields = [\"density\", \"energy\"]\n",
                            axis_names[axis])));
    const Image image = sample_region(run.state(), run.request());
    const std::vector<double> totals = run.simulation->totals();
    const std::size_t unknowns[] = {0, static_cast<std::size_t>(dims()) + 1};
    for (std::size_t f = 0; f < 2; ++f) {
      double sum = 0;
      for (const double value : image.fields[f].values) sum += value * area(image.mesh);
      EXPECT_NEAR(sum, totals[unknowns[f]], 1e-12 * totals[unknowns[f]]);
    }
  }
}

TEST_P(RequestedOutputOf, WeightedProjectionIsAMean) {
  const Sampled run(with_output(dims(),
                                "[[output.projection]]\nname = \"a\"\nnormal = \"y\"\nresolution = 23\n"
                                "weight = \"density\"\nfields = [\"momentum_x\", \"density\"]\n"));
  const Image image = sample_region(run.state(), run.request());
  for (std::size_t n = 0; n < image.mesh.size(); ++n) {
    const double weight = integral(run, image.mesh, n, [](const Volume& volume) { return volume.q[0]; });
    const double sum =
        integral(run, image.mesh, n, [](const Volume& volume) { return volume.q[0] * volume.q[1]; });
    EXPECT_NEAR(image.fields[0].values[n], sum / weight, 1e-13);
    const double squares =
        integral(run, image.mesh, n, [](const Volume& volume) { return volume.q[0] * volume.q[0]; });
    EXPECT_NEAR(image.fields[1].values[n], squares / weight, 1e-13);
  }
}

TEST_P(RequestedOutputOf, BoxHasTheMeanOverEachVoxel) {
  for (const int resolution : {5, 19}) {
    const Sampled run(with_output(
        dims(), fmt::format("[[output.box]]\nname = \"a\"\nresolution = {}\nlower = [{}]\nupper = [{}]\n"
                            "fields = [\"density\"]\n",
                            resolution, in_space() ? "0, 0.3, 0.5" : "0, 0.3",
                            in_space() ? "0.5, 0.7, 0.71" : "0.5, 0.7")));
    const Image image = sample_region(run.state(), run.request());
    for (std::size_t n = 0; n < image.mesh.size(); ++n) {
      const double expected =
          integral(run, image.mesh, n, [](const Volume& volume) { return volume.q[0]; }) / area(image.mesh);
      EXPECT_NEAR(image.fields[0].values[n], expected, 1e-13 * expected);
    }
  }
}

TEST_P(RequestedOutputOf, CellsOfASphereHaveTheVolumeAtTheirCentre) {
  const std::string centre = in_space() ? "0.3, 0.4, 0.6" : "0.3, 0.4";
  const Sampled run(
      with_output(dims(), fmt::format("[[output.sphere]]\nname = \"a\"\nradius = 0.5\nresolution = 30\n"
                                      "centre = [{}]\nfields = [\"density\"]\n",
                                      centre)));
  const SphereCells cells = cells_of_sphere(run.request(), run.config);
  const Image image = sample_sphere(run.state(), cells, run.request());
  EXPECT_EQ(image.cells.size(), cells.centres.size());
  EXPECT_LT(cells.centres.size(), in_space() ? 450u : 30u);  // those beyond the border are left out
  double size = 0;
  for (std::size_t n = 0; n < cells.centres.size(); ++n) {
    EXPECT_EQ(image.fields[0].values[n], run.volume_at(cells.centres[n]).q[0]);
    double distance = 0;
    for (std::size_t a = 0; a < run.axes(); ++a)
      distance += std::pow(cells.centres[n][a] - run.request().centre[a], 2);
    EXPECT_NEAR(std::sqrt(distance), 0.5, 1e-14);
    size += 1;
  }
  EXPECT_GT(size, 0);
}

TEST_P(RequestedOutputOf, PointsHaveTheVolumeThatHoldsThem) {
  const Sampled run(with_output(dims(), ""));
  Points points = {{-1, 0, 0}, {1, 1, in_space() ? 1.0 : 0.0}};
  for (int n = 0; n < 200; ++n) {
    std::array<double, 3>& x = points.emplace_back();
    for (std::size_t a = 0; a < run.axes(); ++a)
      x[a] = std::fmod(0.754877666 * (n + 1) * (1 + static_cast<double>(a) / 3), 1);
  }
  const std::vector<std::string> names = {"density", "velocity"};
  const auto values = sample_points(run.state(), points, output_fields(run.simulation->solver(), names));
  ASSERT_EQ(values.size(), 1 + run.axes());
  EXPECT_EQ(values[0][0], run.volume_at({-1 + 1e-9, 1e-9, in_space() ? 1e-9 : 0.0}).q[0]);
  EXPECT_EQ(values[0][1], run.volume_at({1 - 1e-9, 1 - 1e-9, in_space() ? 1 - 1e-9 : 0.0}).q[0]);
  for (std::size_t n = 2; n < points.size(); ++n) {
    const Volume& volume = run.volume_at(points[n]);
    EXPECT_EQ(values[0][n], volume.q[0]);
    EXPECT_EQ(values[1][n], volume.q[1] / volume.q[0]);
  }
}

std::string first_line_of_refusal(const std::string& text) {
  const std::string found = refusal(text);
  return found.substr(0, found.find('\n'));
}

// Half of a symmetric state, beyond whose plane points have the values of the whole.
TEST(RequestedOutputs, HaveMirrorImagesBeyondPlanesOfSymmetry) {
  const auto text = [](bool is_half, const std::string& output) {
    return fmt::format(
        "[domain]\ndimensions = 2\nlower = [{}, 0]\nupper = [1, 1]\ncells = [{}, 1]\n[boundary]\nall = "
        "\"outflow\"\n{}"
        "[mesh]\npatch-size = 5\nmin-level = {}\n[solver]\nscheme = \"rusanov\"\n[scenario]\nname = "
        "\"formulas\"\n"
        "fields = {{density = \"1 + x^2 + y\", velocity-x = \"x * y\", velocity-y = \"y\", pressure = "
        "2}}\n{}",
        is_half ? 0 : -1, is_half ? 1 : 2, is_half ? "x-lower = \"symmetric\"\n" : "", is_half ? 1 : 2,
        output);
  };
  const std::string sphere =
      "[[output.sphere]]\nname = \"a\"\ncentre = [0, 0.5]\nradius = 0.4\nresolution = 50\n"
      "fields = [\"density\", \"velocity\", \"level\"]\n";
  const Sampled half(text(true, sphere)), whole(text(false, sphere));
  const SphereCells cells = cells_of_sphere(half.request(), half.config);
  EXPECT_EQ(cells.centres.size(), 50u);
  const Image image = sample_sphere(half.state(), cells, half.request());
  const Image expected =
      sample_sphere(whole.state(), cells_of_sphere(whole.request(), whole.config), whole.request());
  double largest = 0;
  for (std::size_t f = 0; f < 2; ++f) {
    ASSERT_EQ(image.fields[f].values.size(), expected.fields[f].values.size());
    for (std::size_t n = 0; n < image.fields[f].values.size(); ++n) {
      EXPECT_NEAR(image.fields[f].values[n], expected.fields[f].values[n], 1e-14);
      if (f == 1) largest = std::max(largest, -image.fields[f].values[n]);
    }
  }
  EXPECT_GT(largest, 0.1);  // velocities along x change their sign
  EXPECT_EQ(first_line_of_refusal(text(true, "[[output.probe]]\nname = \"a\"\nat = [-0.5, 0.5]\n")),
            "accepted");
  EXPECT_EQ(
      first_line_of_refusal(text(true, "[[output.probe]]\nname = \"a\"\nat = [-1.5, 0.5]\n")).substr(10),
      "19:6: output.probe[0].at: must lie within the domain, which along x is from -1 to 1, but there "
      "is -1.5");
  // Accelerations have no known signs beyond the plane, but a sphere may leave the domain on another side.
  for (const double centre : {0.8, 0.2}) {
    const std::string found = first_line_of_refusal(
        text(true, fmt::format("[[output.sphere]]\nname = \"a\"\ncentre = [{}, 0.5]\nradius = 0.3\n"
                               "fields = [\"acceleration\"]\n[gravity]\nmethod = \"poisson\"\n",
                               centre)));
    EXPECT_EQ(found == "accepted", centre == 0.8) << found;
  }
}

TEST(OutputSchedule, IsDueByStepsIntervalsAndTimes) {
  OutputSchedule schedule(1, 0.1, 3, {1.25, 1.05}, 1);
  EXPECT_EQ(schedule.next(), 1.05);
  EXPECT_FALSE(schedule.due(1, 1.01));
  EXPECT_TRUE(schedule.due(2, 1.05));
  EXPECT_TRUE(schedule.due(3, 1.06));
  EXPECT_EQ(schedule.next(), 1.1);
  EXPECT_TRUE(schedule.due(4, 1.1));
  EXPECT_EQ(schedule.next(), 1.2);
  EXPECT_TRUE(schedule.due(5, 1.2));
  EXPECT_EQ(schedule.next(), 1.25);
  // After a restart nothing of the past is due.
  EXPECT_EQ(OutputSchedule(1, 0.1, 3, {1.25, 1.05}, 1.2).next(), 1.25);
  EXPECT_EQ(OutputSchedule(1, 0, 3, {}, 1.2).next(), std::numeric_limits<double>::infinity());
}

// The last face is at -0.9 + 3 * 0.6, below 0.9.
TEST(Points, OnTheUpperFaceLieInTheLastVolumes) {
  const std::string text =
      "[domain]\ndimensions = 2\nlower = [-0.9, -0.9]\nupper = [0.9, 0.9]\ncells = [3, 3]\n"
      "[mesh]\npatch-size = 4\n[scenario]\nname = \"formulas\"\n"
      "fields = {density = \"2 + x\", pressure = 1}\n[output]\nfields = [\"density\"]\n"
      "[[output.slice]]\nname = \"a\"\nnormal = \"x\"\noffset = 0.9\nresolution = 4\n"
      "[[output.probe]]\nname = \"b\"\nat = [0.9, 0.9]\n";
  ASSERT_LT(-0.9 + 3 * ((0.9 - -0.9) / 3), 0.9);
  const Sampled sampled(text);
  const double last = 2 + 0.9 - 0.6 / 8;
  const std::vector<std::string> names = {"density"};
  const auto fields = output_fields(sampled.simulation->solver(), names);
  const auto values = sample_points(sampled.state(), {{0.9, 0.9, 0}, {0.9, -0.9, 0}}, fields);
  for (const double value : values[0]) EXPECT_NEAR(value, last, 1e-14);
  const Image image = sample_region(sampled.state(), sampled.request());
  for (const double value : image.fields[0].values) EXPECT_NEAR(value, last, 1e-14);
}

TEST(OutputSchedule, TakesTimesThatDifferByRoundingAsOne) {
  ASSERT_NE(3 * 0.1, 0.3);
  OutputSchedule schedule(0, 0.1, 0, {0.3}, 0.2);
  EXPECT_EQ(schedule.next(), 0.3);
  EXPECT_TRUE(schedule.due(1, 0.3));
  EXPECT_EQ(schedule.next(), 0.4);
  EXPECT_EQ(OutputSchedule(0, 0.1, 0, {}, 0.3).next(), 0.4);
  EXPECT_EQ(OutputSchedule(-1, 0.1, 0, {}, 0).next(), -1 + 11 * 0.1);  // -1 + 10 * 0.1 is 0
}

// A step of the length of a rounding error has no rates: of a potential, for example.
TEST(Output, TakesNoStepBetweenTimesThatDifferByRounding) {
  ASSERT_LT(3 * 0.15, 0.45);
  const Config config = physics_input(
      with_output(
          2,
          "[output]\nplot-every = 0.15\n[[output.probe]]\nname = \"a\"\nat = [0.1, 0.2]\nevery = 0.05\n"
          "[time]\nend = 0.45\n"),
      {"mesh.max-level=1"});
  const auto simulation = make_simulation(config, 2);
  const testing_io::Scratch scratch;
  Output output(*simulation, scratch.path());
  output.start();
  while (simulation->time() < config.time.end) {
    simulation->advance(output.next_stop());
    EXPECT_GT(simulation->last_dt(), 1e-6) << simulation->time();
    output.after_step();
  }
  output.finish();
  EXPECT_EQ(simulation->time(), 0.45);
  EXPECT_TRUE(std::filesystem::exists(scratch.file("plot_000003.vtkhdf")));
  EXPECT_FALSE(std::filesystem::exists(scratch.file("plot_000004.vtkhdf")));
}

TEST(RequestedOutputKeys, AreRefusedWithTheirPlace) {
  const std::string before = with_output(3, "");
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const auto at = [&](int below, int column) {
    return fmt::format("test.toml:{}:{}: ", line + below, column);
  };
  const struct {
    const char* text;
    std::string expected;
  } cases[] = {
      {"[[output.slice]]\nname = \"a\"\noffset = 1.5\n",
       at(2, 10) +
           "output.slice[0].offset: must lie within the domain, which along z is from 0 to 1, but is 1.5"},
      {"[[output.slice]]\nname = \"a\"\nnormal = \"w\"\n",
       at(2, 10) + "output.slice[0].normal: 'w' is none of the choices; allowed: x, y, z"},
      {"[[output.slice]]\nname = \"a_b\"\n",
       at(1, 8) +
           "output.slice[0].name: is part of a file's name and must consist of 1 to 64 letters, digits and "
           "hyphens, but is 'a_b'"},
      {"[[output.slice]]\nname = \"a\"\n[[output.slice]]\nname = \"a\"\n",
       at(3, 8) + "output.slice[1].name: 'a' is that of another slice"},
      {"[[output.slice]]\nnme = \"a\"\n",
       at(1, 1) + "output.slice[0].nme: unknown key; did you mean 'name'?"},
      {"[[output.slise]]\nname = \"a\"\n", at(0, 10) + "output.slise: unknown key; did you mean 'slice'?"},
      {"[[output.probe]]\nname = \"a\"\nat = [0, 2, 0]\n",
       at(2, 6) +
           "output.probe[0].at: must lie within the domain, which along y is from 0 to 1, but there is 2"},
      {"[[output.line]]\nname = \"a\"\nfrom = [0, 0, 0]\nto = [0, 0, 0]\n",
       at(3, 6) + "output.line[0].to: must not be the first point"},
      {"[[output.box]]\nname = \"a\"\nresolution = 2000\n",
       at(2, 14) + "output.box[0].resolution: makes about 2000000000 voxels; at most 134217728 are possible"},
      {"[[output.sphere]]\nname = \"a\"\nradius = 9.0\n",
       at(2, 10) + "output.sphere[0].radius: and centre describe a sphere without a cell inside the domain"},
      {"[[output.projection]]\nname = \"a\"\nweight = \"velocity\"\n",
       at(2, 10) + "output.projection[0].weight: 'velocity' is none of the choices; did you mean "
                   "'velocity_x'? allowed: density, "
                   "momentum_x, momentum_y, momentum_z, energy, velocity_x, velocity_y, velocity_z, "
                   "pressure, sound_speed, "
                   "mach, internal_energy, temperature, entropy"},
      {"[[output.slice]]\nname = \"a\"\nfields = [\"density\", \"density\"]\n",
       at(2, 10) + "output.slice[0].fields: names 'density' twice"},
      {"[[output.line]]\nname = \"a\"\nfrom = [0, 0, 0]\nto = [1, 0, 0]\nfields = [\"velocity\", "
       "\"velocity_x\"]\n",
       at(4, 10) + "output.line[0].fields: 'velocity_x' occurs twice: it is a component of another field"},
      {"[[output.slice]]\nname = \"a\"\nlower = [0, 0.5, 0]\nupper = [1, 0.5, 1]\n",
       at(3, 9) + "output.slice[0].upper: must exceed lower along each axis, but along y it is 0.5 and lower "
                  "is 0.5"},
      {"[[output.slice]]\nname = \"a\"\ntimes = [0.5, 7.0]\n",
       at(2, 9) + "output.slice[0].times: must lie between time.start 0 and time.end 1, but one is 7"},
  };
  for (const auto& one : cases) EXPECT_EQ(first_line_of_refusal(before + one.text), one.expected) << one.text;
  EXPECT_EQ(first_line_of_refusal(before + "[[output.slice]]\nname = \"a\"\n[[output.box]]\nname = \"a\"\n"),
            "accepted");
}

// What the run gets of keys that are not given.
TEST(RequestedOutputKeys, HaveDefaultsOfTheDomain) {
  const Config config = physics_input(with_output(
      3,
      "[output]\nfields = [\"pressure\"]\n[[output.slice]]\nname = \"a\"\nnormal = \"x\"\n"
      "[[output.probe]]\nname = \"b\"\nat = [0, 0, 0]\n[[output.sphere]]\nname = \"c\"\nradius = 0.1\n"));
  const RequestedOutput& slice = config.output.requested.at(0);
  EXPECT_EQ(slice.offset, 0);
  EXPECT_EQ(slice.lower, (std::vector<double>{-1, 0, 0}));
  EXPECT_EQ(slice.fields, std::vector<std::string>{"pressure"});
  EXPECT_EQ(slice.every_steps, 0);
  EXPECT_EQ(config.output.requested.at(1).every_steps, 1);
  EXPECT_EQ(config.output.requested.at(2).centre, (std::vector<double>{0, 0.5, 0.5}));
  // The resolved input has the same outputs.
  const Config again = physics_input(config.resolved);
  ASSERT_EQ(again.output.requested.size(), 3u);
  EXPECT_EQ(again.output.requested.at(0).normal, "x");
  EXPECT_EQ(again.resolved, config.resolved);
}

}  // namespace
}  // namespace meander::simulation
