// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Unknowns at points: order of values and derivatives, continuity across faces, halos filled on request.

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numbers>
#include <random>

#include "mesh/neighbours.hpp"
#include "physics/ccz4/unknowns.hpp"
#include "simulation/diagnostics/point_gather.hpp"
#include "tests/reference/exact_riemann.hpp"
#include "tests/simulation/physics_run.hpp"
#include "tests/solvers/patches.hpp"

namespace meander::simulation {
namespace {

// An unknown at a point.
struct PointValue {
  double value = 0;
  std::array<double, 3> derivative{};  // along each axis
};
using Function = std::function<PointValue(const SamplePoint&)>;

// One unknown of a sample.
PointValue value_of(std::span<const double> sample) {
  return {sample[0], {sample[1], sample[2], sample[3]}};
}
PointValue value_at(const PointStencil& stencil, const solvers::PatchTask& patch,
                    const solvers::PatchLayout& layout, int unknown) {
  std::array<double, 4> sample;
  sample_at(stencil, patch, layout, PointQuery(std::span(&unknown, 1), 1), sample.data());
  return value_of(sample);
}

// Two unknowns; the second is the function.
struct Filled {
  Filled(const Function& function, int p, int h, const SamplePoint& lower, double dx)
      : patch(solvers::PatchLayout(3, p, h, 2)), task(patch.task(dx)) {
    std::copy(lower.begin(), lower.end(), task.lower);
    solvers::test::for_volumes(patch.layout, h, [&](int i, int j, int k) {
      patch.at(1, i, j, k) =
          function({lower[0] + (i + 0.5) * dx, lower[1] + (j + 0.5) * dx, lower[2] + (k + 0.5) * dx}).value;
    });
  }
  PointValue at(const SamplePoint& x) const {
    const PointStencil stencil = stencil_at(task, patch.layout, x);
    const int unknown = 1;
    const PointValue both = value_at(stencil, task, patch.layout, unknown);
    double value = 0;
    sample_at(stencil, task, patch.layout, PointQuery(std::span(&unknown, 1)), &value);
    EXPECT_EQ(value, both.value);
    return both;
  }

  solvers::test::Patch patch;
  solvers::PatchTask task;
};

// Largest differences of values and derivatives.
struct Difference {
  double value = 0, derivative = 0;
  void add(const PointValue& a, const PointValue& b) {
    value = std::max(value, std::abs(a.value - b.value));
    for (std::size_t d = 0; d < 3; ++d)
      derivative = std::max(derivative, std::abs(a.derivative[d] - b.derivative[d]));
  }
};

// A product of one function of each coordinate; `one` gives value and derivative.
template <class One>
Function product_of(const One& one) {
  return [one](const SamplePoint& x) {
    std::array<double, 2> of[3];
    for (std::size_t a = 0; a < 3; ++a) of[a] = one(static_cast<int>(a), x[a]);
    PointValue result{of[0][0] * of[1][0] * of[2][0], {}};
    for (std::size_t a = 0; a < 3; ++a)
      result.derivative[a] = of[a][1] * of[(a + 1) % 3][0] * of[(a + 2) % 3][0];
    return result;
  };
}

// Smooth, without symmetry.
const Function smooth = product_of([](int axis, double x) {
  const double k = 2.0 + 0.3 * axis, phase = 0.4 + axis;
  return std::array{1.5 + std::sin(k * x + phase), k * std::cos(k * x + phase)};
});

// In the closed cube [lower, lower + width]^3: every other coordinate anywhere, the rest on faces of the
// cube, within rounding of them or within half a volume.
std::vector<SamplePoint> points_in(const SamplePoint& lower, double width, double dx) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<SamplePoint> points(1000);
  for (SamplePoint& x : points) {
    for (std::size_t a = 0; a < 3; ++a) {
      const double inwards[] = {0, -0.5e-9 * dx, 0.5e-9 * dx, 0.5 * dx * uniform(random)};
      const double near = inwards[random() % 4], far = width * uniform(random);
      const auto kind = random() % 4;
      x[a] = lower[a] + (kind < 2 ? far : kind == 2 ? near : width - near);
    }
  }
  return points;
}

const SamplePoint corner = {0.3, -0.7, 0.1};

// Also where the halo is narrow. Five nodes are exact for degree 4.
TEST(PointSamples, AreExactForPolynomialsOfDegreeFive) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::array<std::array<double, 6>, 3> coefficients;
  for (auto& of_axis : coefficients) {
    for (double& coefficient : of_axis) coefficient = uniform(random);
  }
  for (const auto& [p, h] :
       {std::array{9, 3}, std::array{3, 3}, std::array{6, 2}, std::array{4, 1}, std::array{3, 1}}) {
    const std::size_t terms = p == 3 && h == 1 ? 5 : 6;
    const Function polynomial = product_of([&coefficients, terms](int axis, double x) {
      std::array<double, 2> result{};
      for (std::size_t n = terms; n-- > 0;) {
        result[1] = result[1] * x + result[0];
        result[0] = result[0] * x + coefficients[static_cast<std::size_t>(axis)][n];
      }
      return result;
    });
    const double dx = 1.0 / p;
    const Filled patch(polynomial, p, h, corner, dx);
    Difference error;
    for (const SamplePoint& x : points_in(corner, 1, dx)) error.add(patch.at(x), polynomial(x));
    EXPECT_LT(error.value, 1e-12) << p << ' ' << h;
    EXPECT_LT(error.derivative, 1e-10) << p << ' ' << h;
  }
}

TEST(PointSamples, AreOfSixthOrderAndTheirDerivativesOfFifth) {
  std::vector<Difference> errors;
  for (const int p : {8, 16}) {
    const Filled patch(smooth, p, 3, corner, 1.0 / p);
    Difference& error = errors.emplace_back();
    for (const SamplePoint& x : points_in(corner, 1, 1.0 / p)) error.add(patch.at(x), smooth(x));
  }
  std::printf("errors of values %.2e, %.2e, of derivatives %.2e, %.2e\n", errors[0].value, errors[1].value,
              errors[0].derivative, errors[1].derivative);
  EXPECT_GT(reference::order_of(errors[0].value, errors[1].value, 2), 5.8);
  EXPECT_GT(reference::order_of(errors[0].derivative, errors[1].derivative, 2), 4.8);
}

// h = 0: stencils confined to the patch.
TEST(PointSamples, DoNotJumpAtFaces) {
  constexpr int p = 8;
  constexpr double dx = 1.0 / p;
  const SamplePoint next = {corner[0] + 1, corner[1], corner[2]};
  std::vector<Difference> jumps, errors;
  for (const int h : {0, 3}) {
    const Filled left(smooth, p, h, corner, dx), right(smooth, p, h, next, dx);
    Difference &jump = jumps.emplace_back(), &error = errors.emplace_back();
    for (SamplePoint x : points_in(corner, 1, dx)) {
      x[0] = next[0];
      jump.add(left.at(x), right.at(x));
      error.add(left.at(x), smooth(x));
    }
  }
  std::printf("jumps of values %.1e confined, %.1e across; of derivatives %.1e, %.1e\n", jumps[0].value,
              jumps[1].value, jumps[0].derivative, jumps[1].derivative);
  std::printf("errors of values %.1e confined, %.1e across; of derivatives %.1e, %.1e\n", errors[0].value,
              errors[1].value, errors[0].derivative, errors[1].derivative);
  EXPECT_LT(jumps[1].value, 1e-13);
  EXPECT_LT(jumps[1].derivative, 1e-12);
  EXPECT_LT(errors[1].value, 0.1 * errors[0].value);
  EXPECT_LT(errors[1].derivative, 0.1 * errors[0].derivative);
}

// The lapse in a periodic box is set in interiors only.
std::unique_ptr<Simulation> wavy_box(int p, const Function& lapse, const std::string& mesh = "") {
  auto simulation = make_simulation(
      physics_input(fmt::format(
          "[domain]\nlower = [-1, -1, -1]\nupper = [1, 1, 1]\ncells = [2, 2, 2]\n[boundary]\nall = "
          "\"periodic\"\n[mesh]\npatch-size = {}\n{}[solver]\nequation = \"ccz4\"\n"
          "[scenario]\nname = \"minkowski\"\n",
          p, mesh)),
      2);
  const StateView view = simulation->view();
  for (const auto& patch : view.patches) {
    solvers::test::for_volumes(view.layout, 0, [&](int i, int j, int k) {
      patch.q[view.layout.at(ccz4::at::a, i, j, k)] =
          lapse({patch.lower[0] + (i + 0.5) * patch.dx, patch.lower[1] + (j + 0.5) * patch.dx,
                 patch.lower[2] + (k + 0.5) * patch.dx})
              .value;
    });
  }
  return simulation;
}

const Function wave = product_of([](int axis, double x) {
  const double k = std::numbers::pi, phase = 0.3 + axis;
  return std::array{2 + std::sin(k * x + phase), k * std::cos(k * x + phase)};
});

Difference errors_of_wave(const StateView& view, std::span<const SamplePoint> points) {
  const int lapse = ccz4::at::a;
  Difference error;
  const HeldSamples samples = PointGather(view).gather_own(points, PointQuery(std::span(&lapse, 1), 1));
  for (std::size_t n = 0; n < samples.points.size(); ++n)
    error.add(value_of(samples.of(n)), wave(points[samples.points[n].point]));
  return error;
}

TEST(PointSamples, ReadWholeHalosOfTheStateAtHand) {
  std::vector<Difference> errors;
  for (const int p : {8, 16}) {
    const auto simulation = wavy_box(p, wave);
    errors.push_back(errors_of_wave(simulation->view(), points_in({-1, -1, -1}, 1, 1.0 / p)));
  }
  EXPECT_GT(reference::order_of(errors[0].value, errors[1].value, 2), 5.7);
  EXPECT_GT(reference::order_of(errors[0].derivative, errors[1].derivative, 2), 4.7);
}

// Points within a volume of a face of their patch, and points three volumes away from all of them, in eight patches.
TEST(PointSamples, AreAsAccurateNearFacesAsInTheMiddle) {
  constexpr int p = 12;
  constexpr double dx = 1.0 / p;
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<SamplePoint> near(2000), middle(2000);
  for (std::size_t n = 0; n < near.size(); ++n) {
    for (std::size_t a = 0; a < 3; ++a) {
      const double lower = n >> a & 1 ? 0 : -1, within = dx * uniform(random);
      middle[n][a] = lower + 3 * dx + (1 - 6 * dx) * uniform(random);
      near[n][a] = lower + (n % 3 != a ? uniform(random) : n & 8 ? within : 1 - within);
    }
  }
  const auto simulation = wavy_box(p, wave);
  const Difference at_faces = errors_of_wave(simulation->view(), near),
                   inside = errors_of_wave(simulation->view(), middle);
  std::printf("errors of values %.2e near faces, %.2e in the middle; of derivatives %.2e, %.2e\n",
              at_faces.value, inside.value, at_faces.derivative, inside.derivative);
  EXPECT_LT(at_faces.value, 1.1 * inside.value);
  EXPECT_LT(at_faces.derivative, 1.1 * inside.derivative);
}

class WatchedHalos : public StateSource {
 public:
  // inexact: which halos are; null: none.
  WatchedHalos(const StateSource* inexact, std::function<void(std::span<const char>)> fill)
      : inexact_(inexact), fill_(std::move(fill)) {}
  void fill_whole_halos(std::span<const char> marked) const override { fill_(marked); }
  std::uint32_t inexact_halos(std::size_t leaf) const override {
    return inexact_ == nullptr ? 0 : inexact_->inexact_halos(leaf);
  }

 private:
  const StateSource* inexact_;
  std::function<void(std::span<const char>)> fill_;
};

// On and near the surface of a refined cube, and in all of it.
TEST(PointSamples, AtResolutionJumpsAreNotSpoiltByProlongation) {
  const auto simulation =
      wavy_box(9, wave,
               "min-level = 1\nmax-level = 2\nbuffer = 0\n[[refinement]]\nkind = \"box\"\n"
               "lower = [-0.3, -0.3, -0.3]\nupper = [-0.1, -0.1, -0.1]\n");
  const std::vector<SamplePoint> points = points_in({-1, -1, -1}, 1, 1.0 / 27);
  StateView view = simulation->view();
  EXPECT_EQ(simulation->leaves().per_level[2], 27);
  const Difference error = errors_of_wave(view, points);
  const WatchedHalos taken_for_exact(
      nullptr, [&](std::span<const char> marked) { simulation->view().source->fill_whole_halos(marked); });
  view.source = &taken_for_exact;
  const Difference across = errors_of_wave(view, points);
  std::printf("errors of values %.1e, %.1e if prolonged halos are read; of derivatives %.1e, %.1e\n",
              error.value, across.value, error.derivative, across.derivative);
  EXPECT_LT(error.value, 1.1 * across.value);
  EXPECT_LT(error.derivative, 0.8 * across.derivative);
}

TEST(PointSamples, OnFacesAreHeldByAllLeavesThatTouchThem) {
  const auto simulation = wavy_box(6, wave);
  StateView view = simulation->view();
  std::vector<char> marks;
  const WatchedHalos watched(
      view.source, [&](std::span<const char> marked) { marks.assign(marked.begin(), marked.end()); });
  view.source = &watched;
  const auto held_by = [&](const SamplePoint& x) {
    marks.clear();
    const std::vector<HeldPoint> held =
        PointGather(view).gather_own(std::vector<SamplePoint>{{5, 5, 5}, x}, {}).points;
    for (std::size_t n = 0; n < held.size(); ++n) {
      EXPECT_EQ(held[n].point, 1U);
      EXPECT_TRUE(n == 0 || held[n - 1].leaf < held[n].leaf);
    }
    return std::array{static_cast<std::ptrdiff_t>(held.size()), std::count(marks.begin(), marks.end(), 1)};
  };
  using Leaves = std::array<std::ptrdiff_t, 2>;  // that hold the point, that need whole halos
  EXPECT_EQ(held_by({0.5, 0.5, -0.5}), (Leaves{1, 0})) << "in the middle of the leaf";
  EXPECT_EQ(held_by({0.5, 0.1, -0.5}), (Leaves{1, 1}));
  EXPECT_EQ(held_by({0.0, 0.2, -0.3}), (Leaves{2, 2}));
  EXPECT_EQ(held_by({0.0, 0.2, 0.0}), (Leaves{4, 4}));
  EXPECT_EQ(held_by({0.0, 0.0, 0.0}), (Leaves{8, 8}));
  EXPECT_EQ(held_by({0.0, 1.5, 0.0}), (Leaves{0, 0}));
  view.source = &host_state;
  EXPECT_EQ(PointGather(view).gather_own(std::vector<SamplePoint>{{0.1, 0.2, -0.3}}, {}).points.size(), 1U);
}

// The lower x face, the edge of upper x and upper y, and a corner where the edge is not read any more.
TEST(PointSamples, DoNotReadInexactHalos) {
  constexpr int p = 9;
  const auto bit = [](const Index<3>& offset) { return std::uint32_t{1} << mesh::direction_of<3>(offset); };
  const std::uint32_t inexact = bit({-1, 0, 0}) | bit({1, 1, 0}) | bit({1, 1, 1}) | bit({-1, -1, -1});
  Filled patch(smooth, p, 3, corner, 1.0 / p);
  solvers::test::for_volumes(patch.patch.layout, 3, [&](int i, int j, int k) {
    Index<3> offset{};
    const int at[] = {i, j, k};
    for (std::size_t a = 0; a < 3; ++a) offset[a] = at[a] < 0 ? -1 : at[a] >= p ? 1 : 0;
    if (inexact & bit(offset)) patch.patch.at(1, i, j, k) = NAN;
  });
  const int unknown = 1;
  const auto first = [&](const SamplePoint& volumes) {
    const SamplePoint x = {corner[0] + volumes[0] / p, corner[1] + volumes[1] / p,
                           corner[2] + volumes[2] / p};
    const PointStencil stencil = stencil_at(patch.task, patch.patch.layout, x, inexact);
    const PointValue found = value_at(stencil, patch.task, patch.patch.layout, unknown);
    EXPECT_NEAR(found.value, smooth(x).value, 1e-3);
    return stencil.first;
  };
  using First = std::array<int, 3>;
  EXPECT_EQ(first({0.1, 4.5, 4.5}), (First{0, 2, 2}));
  EXPECT_EQ(first({8.9, 4.5, 4.5}), (First{6, 2, 2})) << "the face is exact";
  EXPECT_EQ(first({8.9, 8.9, 4.5}), (First{3, 3, 2}));
  EXPECT_EQ(first({8.9, 8.9, 8.9}), (First{3, 3, 6}));
  EXPECT_EQ(first({0.1, 0.1, 0.1}), (First{0, -3, -3}));
  for (const SamplePoint& x : points_in({0, 0, 0}, p, 1)) first(x);
}

// Points inside and on the surface of a refined cube have its level, also where coarser leaves touch them. The
// gradient of the lapse is an unknown of its own, zero here.
TEST(PointGather, ReadsTheFinestLeavesThatTouchAPoint) {
  const auto simulation =
      wavy_box(9, wave,
               "min-level = 1\nmax-level = 2\nbuffer = 0\n[[refinement]]\nkind = \"box\"\n"
               "lower = [-0.3, -0.3, -0.3]\nupper = [-0.1, -0.1, -0.1]\n");
  StateView view = simulation->view();
  int fills = 0;
  const WatchedHalos watched(view.source, [&, source = view.source](std::span<const char> marked) {
    ++fills;
    source->fill_whole_halos(marked);
  });
  view.source = &watched;
  std::vector<SamplePoint> points = points_in({-1, -1, -1}, 1, 1.0 / 27);
  points.push_back({1.5, 0, 0});
  const int unknowns[] = {ccz4::at::A, ccz4::at::a};
  // Later points in leaves whose halos are not filled yet.
  PointGather by_parts(view);
  by_parts.gather(std::span(points).first(1), PointQuery(unknowns));
  const GatheredPoints rest = by_parts.gather(points, PointQuery(unknowns));
  EXPECT_EQ(fills, 2);
  fills = 0;
  PointGather samples(view);
  const GatheredPoints found = samples.gather(points, PointQuery(unknowns, 2));
  const GatheredPoints values = samples.gather(points, PointQuery(unknowns));
  EXPECT_EQ(fills, 1) << "halos are filled once";
  EXPECT_EQ(found.values, values.values);
  EXPECT_EQ(found.values, rest.values);
  EXPECT_TRUE(values.derivatives.empty());
  Difference error;
  for (std::size_t n = 0; n + 1 < points.size(); ++n) {
    EXPECT_EQ(found.levels[n], 2) << n;
    EXPECT_EQ(found.values[2 * n], 0);
    error.add({found.values[2 * n + 1], found.derivatives[2 * n + 1]}, wave(points[n]));
  }
  EXPECT_LT(error.value, 1e-5);
  EXPECT_LT(error.derivative, 1e-3);
  EXPECT_FALSE(found.is_inside(points.size() - 1));
  EXPECT_EQ(found.values.back(), 0);
}

}  // namespace
}  // namespace meander::simulation
