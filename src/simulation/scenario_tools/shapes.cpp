// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/scenario_tools/shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "simulation/config/check_config.hpp"

namespace meander::simulation {

namespace {

struct KeysOfShape {
  const char* shape;
  std::vector<const char*> required, optional;
};

const std::vector<KeysOfShape>& all_shapes() {
  static const std::vector<KeysOfShape> all = {{"box", {"lower", "upper"}, {}},
                                               {"ball", {"centre", "radius"}, {}},
                                               {"ellipsoid", {"centre", "radii"}, {}},
                                               {"cylinder", {"centre", "radius"}, {"axis", "length"}},
                                               {"half-space", {"centre", "normal"}, {}}};
  return all;
}

}  // namespace

void Shape::describe(io::KeyTable& keys) {
  std::vector<std::string> names;
  for (const KeysOfShape& one : all_shapes()) names.emplace_back(one.shape);
  keys.choice("shape", shape_, std::move(names), "Shape of the region.").required = true;
  keys.numbers("lower", lower_, "length", "box: lower corner.");
  keys.numbers("upper", upper_, "length", "box: upper corner.");
  keys.numbers("centre", centre_, "length",
               "ball, ellipsoid, cylinder: centre; half-space: a point of its boundary.");
  keys.number("radius", radius_, "length", "ball, cylinder: radius.", io::greater_than(0));
  keys.numbers("radii", radii_, "length", "ellipsoid: half-axes along the coordinate axes.",
               io::greater_than(0));
  keys.numbers("normal", normal_, "", "half-space: a vector that points out of it.");
  keys.choice("axis", axis_, {"x", "y", "z"}, "cylinder, in 3D: its axis.");
  keys.number("length", length_, "length", "cylinder, in 3D: its length; 0: without end.", io::at_least(0));
}

Shape::Contains Shape::checked(const io::KeyTable& keys, const ProblemSetup& setup) const {
  const auto& shapes = all_shapes();
  const KeysOfShape& mine =
      *std::ranges::find_if(shapes, [&](const KeysOfShape& one) { return one.shape == shape_; });
  const auto belongs = [](const KeysOfShape& one, const std::string& key) {
    const auto is_key = [&](const char* other) { return key == other; };
    return std::ranges::any_of(one.required, is_key) || std::ranges::any_of(one.optional, is_key);
  };
  for (const KeysOfShape& other : shapes) {
    for (const auto* list : {&other.required, &other.optional}) {
      for (const char* key : *list) {
        if (keys.was_given(key) && !belongs(mine, key))
          keys.reject(key, fmt::format("has no meaning for shape = \"{}\"", shape_));
      }
    }
  }
  for (const char* key : mine.required) {
    if (!keys.was_given(key)) keys.reject(key, fmt::format("is required for shape = \"{}\"", shape_));
  }
  const int dim = setup.dim;
  const auto point = [&](const char* key, const std::vector<double>& list) {
    check_length(keys, key, list, dim);
    std::array<double, 3> result{};
    std::ranges::copy(list, result.begin());
    return result;
  };
  if (shape_ == "box") {
    const auto lower = point("lower", lower_), upper = point("upper", upper_);
    check_corners(keys, lower_, upper_);
    return [=](const double* x) {
      for (std::size_t a = 0; a < static_cast<std::size_t>(dim); ++a) {
        if (x[a] < lower[a] || x[a] >= upper[a]) return false;
      }
      return true;
    };
  }
  const auto centre = point("centre", centre_);
  if (shape_ == "half-space") {
    const auto normal = point("normal", normal_);
    if (std::ranges::all_of(normal, [](double n) { return n == 0; })) keys.reject("normal", "must not be 0");
    return [=](const double* x) {
      double height = 0;
      for (std::size_t a = 0; a < static_cast<std::size_t>(dim); ++a)
        height += normal[a] * (x[a] - centre[a]);
      return height < 0;
    };
  }
  std::array<double, 3> inverse{};  // of the half-axes; 0: without end
  double half_length = 0;
  int axis = -1;  // of a cylinder in 3D
  inverse.fill(1 / radius_);
  if (shape_ == "ellipsoid") {
    const auto radii = point("radii", radii_);
    for (std::size_t a = 0; a < static_cast<std::size_t>(dim); ++a) inverse[a] = 1 / radii[a];
  }
  if (shape_ == "cylinder") {
    if (dim == 2 && keys.was_given("axis")) keys.reject("axis", "a cylinder in 2D is a disc and has no axis");
    if (dim == 2 && keys.was_given("length"))
      keys.reject("length", "a cylinder in 2D is a disc and has no length");
    if (dim == 3) {
      axis = axis_ == "x" ? 0 : axis_ == "y" ? 1 : 2;
      inverse[static_cast<std::size_t>(axis)] = 0;
      half_length = length_ / 2;
    }
  }
  return [=](const double* x) {
    double square = 0;
    for (std::size_t a = 0; a < static_cast<std::size_t>(dim); ++a) {
      const double away = (x[a] - centre[a]) * inverse[a];
      square += away * away;
    }
    if (axis >= 0 && half_length > 0 &&
        std::abs(x[axis] - centre[static_cast<std::size_t>(axis)]) >= half_length)
      return false;
    return square < 1;
  };
}

}  // namespace meander::simulation
