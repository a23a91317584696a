// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Scenarios and states for tests, without an input file.

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "physics/euler/module.hpp"
#include "simulation/module.hpp"

namespace meander::simulation {

using ParameterValue = std::variant<double, int, bool, std::string, std::vector<double>>;
using ParameterValues = std::map<std::string, ParameterValue>;

inline void set_parameter(io::KeyTable& fields, const std::string& key, const ParameterValue& value) {
  for (auto& field : fields.all()) {
    if (field.key != key) continue;
    std::visit(
        [&](const auto& v) {
          using T = std::decay_t<decltype(v)>;
          if (auto** target = std::get_if<T*>(&field.target)) {
            **target = v;
          } else {
            throw std::logic_error("wrong type for " + key);
          }
        },
        value);
    return;
  }
  throw std::logic_error("no parameter " + key);
}

inline std::unique_ptr<Scenario> make_scenario(const std::string& name, const ProblemSetup& setting,
                                               const ParameterValues& values = {}) {
  for (const auto& entry : scenarios()) {
    if (entry.name != name) continue;
    auto scenario = entry.make();
    io::KeyTable fields("scenario");
    scenario->describe(fields);
    for (const auto& [key, value] : values) set_parameter(fields, key, value);
    scenario->set_up(fields, setting);
    return scenario;
  }
  throw std::logic_error("no scenario " + name);
}

// The cube [lower, upper]^dim.
inline ProblemSetup cube(int dim, double lower, double upper, double gamma = 1.4) {
  ProblemSetup setting;
  setting.dim = dim;
  setting.lower.assign(static_cast<std::size_t>(dim), lower);
  setting.upper.assign(static_cast<std::size_t>(dim), upper);
  auto equation = std::make_shared<euler::EulerEquation>();
  equation->parameters.gamma = gamma;
  setting.equation = equation;
  return setting;
}

// Patches that tile [lower, upper]^dim: `coarse` patches along each axis, those within `radius` of the middle
// cut into 3^dim of the next level. `state(x, dx, q)` fills each volume.
class TestMesh {
 public:
  template <class State>
  TestMesh(int dim, int p, double lower, double upper, int coarse, double radius, State&& state)
      : layout_(dim, p, 1, dim + 2) {
    const double width = (upper - lower) / coarse, middle = 0.5 * (lower + upper);
    for_box(dim, coarse, [&](const int* c) {
      double distance2 = 0, corner[3] = {0, 0, 0};
      for (int d = 0; d < dim; ++d) {
        corner[d] = lower + c[d] * width;
        const double x = corner[d] + 0.5 * width - middle;
        distance2 += x * x;
      }
      if (distance2 > radius * radius) return add(corner, width / p, 1);
      for_box(dim, 3, [&](const int* f) {
        double fine[3] = {0, 0, 0};
        for (int d = 0; d < dim; ++d) fine[d] = corner[d] + f[d] * width / 3;
        add(fine, width / 3 / p, 2);
      });
    });
    data_.resize(patches_.size() * static_cast<std::size_t>(layout_.slot_size()));
    for (std::size_t i = 0; i < patches_.size(); ++i) {
      auto& patch = patches_[i];
      patch.q = data_.data() + i * static_cast<std::size_t>(layout_.slot_size());
      double q[5];
      for_box(dim, p, [&](const int* v) {
        double x[3] = {0, 0, 0};
        for (int d = 0; d < dim; ++d) x[d] = patch.lower[d] + (v[d] + 0.5) * patch.dx;
        state(x, patch.dx, q);
        for (int u = 0; u < dim + 2; ++u) patch.q[layout_.at(u, v[0], v[1], dim == 3 ? v[2] : 0)] = q[u];
      });
    }
  }

  StateView view(double t, ThreadTeam& team) const {
    return {communicator_, layout_, patches_, levels_, numbers_, t, team, level_dx_};
  }
  std::size_t volumes() const { return patches_.size() * static_cast<std::size_t>(layout_.volumes()); }
  const std::vector<solvers::PatchTask>& patches() const { return patches_; }
  void reverse() {
    patches_ = {patches_.rbegin(), patches_.rend()};
    levels_ = {levels_.rbegin(), levels_.rend()};
  }

  template <class Body>
  static void for_box(int dim, int n, Body&& body) {
    int i[3] = {0, 0, 0};
    for (i[2] = 0; i[2] < (dim == 3 ? n : 1); ++i[2])
      for (i[1] = 0; i[1] < n; ++i[1])
        for (i[0] = 0; i[0] < n; ++i[0]) body(i);
  }

 private:
  void add(const double* corner, double dx, int level) {
    solvers::PatchTask patch;
    for (int d = 0; d < 3; ++d) patch.lower[d] = corner[d];
    patch.dx = dx;
    patches_.push_back(patch);
    levels_.push_back(level);
    numbers_.push_back(static_cast<std::int64_t>(numbers_.size()));
    level_dx_[static_cast<std::size_t>(level)] = dx;
  }

  parallel::Communicator communicator_;
  solvers::PatchLayout layout_;
  std::vector<solvers::PatchTask> patches_;
  std::vector<int> levels_;
  std::vector<std::int64_t> numbers_;
  std::vector<double> level_dx_ = std::vector<double>(3, 0.0);
  std::vector<double> data_;
};

}  // namespace meander::simulation
