// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/ccz4/derived.hpp"

#include <cmath>
#include <utility>

#include "physics/ccz4/geometry.hpp"

namespace meander::ccz4 {
namespace {

// Geometry of one volume without derivatives; members that require them are zero.
struct State {
  Fields<const double> q;
  Geometry<double> s;

  explicit State(const double* unknown) : q{unknown} {
    static constexpr double none[unknowns] = {};
    geometry(Local<double>{q, {{none}, {none}, {none}}}, 0.0, s);
  }
  double length(const double* up) const {
    double square = 0;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) square += q.g(i, j) * up[i] * up[j];
    }
    return std::sqrt(square);
  }
};

template <std::size_t Unknown>
double unknown(const void*, const double* q) {
  return q[Unknown];
}

template <std::size_t... All>
void add_unknowns(std::vector<Derived>& to, std::index_sequence<All...>) {
  const std::vector<std::string> names = unknown_names();
  (to.push_back({names[All], "", unknown<All>}), ...);
}

template <int Axis>
double z_component(const void*, const double* q) {
  return State(q).s.Z[Axis];
}

}  // namespace

std::vector<std::string> unknown_names() {
  const std::vector<std::string> axes = {"x", "y", "z"}, pairs = {"xx", "xy", "xz", "yy", "yz", "zz"};
  std::vector<std::string> names;
  const auto add = [&](const std::string& prefix, const std::vector<std::string>& indices) {
    for (const std::string& index : indices) names.push_back(prefix + index);
  };
  add("g_", pairs);
  add("At_", pairs);
  names.push_back("theta");
  add("G_", axes);
  names.push_back("lapse");
  add("shift_", axes);
  add("b_", axes);
  add("A_", axes);
  for (const std::string& axis : axes) add("B_" + axis, axes);
  for (const std::string& axis : axes) add("D_" + axis, pairs);
  names.push_back("K");
  names.push_back("phi");
  add("P_", axes);
  names.push_back("K0");
  return names;
}

std::vector<Derived> derived_quantities() {
  std::vector<Derived> all;
  add_unknowns(all, std::make_index_sequence<unknowns>());
  using Value = double (*)(const void*, const double*);
  const auto add = [&](const char* name, Value value) { all.push_back({name, "", value}); };
  add("det_g", [](const void*, const double* q) { return State(q).s.det; });
  add("trace_A", [](const void*, const double* q) { return State(q).s.tr_A; });
  add("Z_x", z_component<0>);
  add("Z_y", z_component<1>);
  add("Z_z", z_component<2>);
  add("Z", [](const void*, const double* q) {
    const State state(q);
    return state.length(state.s.Z_up) * q[at::phi];
  });
  add("chi", [](const void*, const double* q) { return q[at::phi] * q[at::phi]; });
  add("psi", [](const void*, const double* q) { return 1 / std::sqrt(q[at::phi]); });
  add("shift", [](const void*, const double* q) { return State(q).length(q + at::beta) / q[at::phi]; });
  add("A2", [](const void*, const double* q) {
    const State state(q);
    return trace(state.s.A_up, symmetric(q + at::At));
  });
  return all;
}

}  // namespace meander::ccz4
