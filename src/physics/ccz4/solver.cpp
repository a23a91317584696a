// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/ccz4/solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/assert.hpp"
#include "physics/ccz4/constraints.hpp"
#include "physics/ccz4/geometry.hpp"
#include "physics/ccz4/terms.hpp"
#include "physics/ccz4/weyl.hpp"
#include "solvers/local_step_solver.hpp"
#include "solvers/pack.hpp"
#include "solvers/pde_solver.hpp"

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

namespace {

// Limits in units of dx over the sum of the wave speeds along the axes. Fourth order: the stable interval of
// the Runge-Kutta method on the imaginary axis over the highest frequency of the differences is 2.06;
// dissipation reduces it.
constexpr double rusanov_cfl = 1.0, fourth_order_cfl = 1.8;
// Fraction of the shortest time scale of the damping terms, which are explicit.
constexpr double damping_fraction = 0.5;

const std::vector<PatchQuantity>& constraints_and_psi4() {
  static const std::vector<PatchQuantity> all = [] {
    std::vector<PatchQuantity> list = constraint_quantities();
    list.insert(list.end(), psi4_quantities().begin(), psi4_quantities().end());
    return list;
  }();
  return all;
}

SchemeChoice choice_of(Scheme scheme) {
  return {scheme == Scheme::rusanov ? Reconstruction::constant : Reconstruction::fourth_order};
}

class Ccz4Solver final : public PdeSolver<Terms>, public LocalStepSolver {
 public:
  explicit Ccz4Solver(const Parameters& parameters)
      : PdeSolver<Terms>("ccz4", Terms{parameters}, choice_of(parameters.scheme), unknown_names()),
        derived_(derived_quantities()) {}

  // Prolongation and restriction do not preserve the algebraic constraints either.
  PatchStatus enforce_floors(const PatchTask& task, const PatchLayout& layout) const override {
    std::int64_t floored = 0, strayed = 0;
    Breach breach;
    int volume = 0;
    double q[unknowns], value = 0;
    for (int k = 0; k < layout.p; ++k) {
      for (int j = 0; j < layout.p; ++j) {
        for (int i = 0; i < layout.p; ++i, ++volume) {
          for (int n = 0; n < unknowns; ++n) q[n] = task.q[layout.at(n, i, j, k)];
          const int bound = pde().breach(q, value);
          if (bound > breach.bound) breach = {bound, volume, value};
          strayed += bound == Terms::det_bound;
          floored += pde().enforce(q);
          for (int n = 0; n < unknowns; ++n) task.q[layout.at(n, i, j, k)] = q[n];
        }
      }
    }
    PatchStatus status = inspect(task, layout);
    status.floored = floored;
    status.strayed = strayed;
    status.breach = breach;
    return status;
  }

  void enforce(const PatchLayout& layout, double* slot, const Box<3>& box) const override {
    double q[unknowns];
    for_rows<3>(box, [&](const Index<3>& i) {
      const std::ptrdiff_t row = layout.at(0, i);
      for (std::ptrdiff_t at = row; at < row + box.extent[0]; ++at) {
        for (int n = 0; n < unknowns; ++n) q[n] = slot[n * layout.unknown_stride() + at];
        pde().enforce(q);
        for (int n = 0; n < unknowns; ++n) {
          if (Terms::enforced(n)) slot[n * layout.unknown_stride() + at] = q[n];
        }
      }
    });
  }

  // By the volume of the patch that is nearest to the middle of the domain, or a point still nearer. The relaxation of
  // the algebraic constraints needs no limit: enforce() follows each stage, so what relaxes by tau is a rounding error.
  double step_limit_of(const PatchTask& task, const PatchLayout& layout) const override {
    double square = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      const double below = task.lower[a] - pde().parameters.middle[a], width = layout.p * task.dx;
      const double along = std::max({below, -(below + width), 0.0});
      square += along * along;
    }
    return damping_fraction / damping_rate_beyond(std::sqrt(square));
  }

  bool row_surely_admissible(const double* row, std::ptrdiff_t stride, int count) const override {
    Pack q[unknowns];
    for (int i = 0; i < count; i += Pack::size) {
      for (int n = 0; n < unknowns; ++n) q[n] = load_at_most(row + n * stride + i, count - i);
      if (!all(pde().admissible(q))) return false;
    }
    return true;
  }

  std::vector<Bound> bounds() const override {
    const Parameters& p = pde().parameters;
    const auto floor = [](double value) {
      return fmt::format("is below its floor {}, and was lifted to it", value);
    };
    return {{"phi", floor(p.phi_floor)},
            {"lapse", floor(p.lapse_floor)},
            {"det(g~)", fmt::format("is further than {} from 1: the state is not resolved, or not stable",
                                    Terms::far_det)}};
  }

  // A tensor changes its sign with every index normal to the mirror.
  void reflection_signs(int axis, std::span<double> signs) const override {
    MEANDER_ASSERT(signs.size() == unknowns);
    std::fill(signs.begin(), signs.end(), 1.0);
    const Fields<double> sign{signs.data()};
    sign.G(axis) = sign.beta(axis) = sign.b(axis) = sign.A(axis) = sign.P(axis) = -1;
    for (int i = 0; i < 3; ++i) {
      if (i != axis) sign.g(i, axis) = sign.At(i, axis) = sign.B(i, axis) = sign.B(axis, i) = -1;
      for (int j = i; j < 3; ++j) {
        for (int k = 0; k < 3; ++k) {
          const int across = (i == axis) + (j == axis) + (k == axis);
          sign.D(k, i, j) = across % 2 == 1 ? -1 : 1;
        }
      }
    }
  }

  void set_damping(bool with_lapse) {
    Terms terms = pde();
    terms.parameters.damps_with_lapse = with_lapse;
    set_pde(terms);
  }

  double max_cfl() const override {
    return pde().parameters.scheme == Scheme::rusanov ? rusanov_cfl : fourth_order_cfl;
  }

  double step_limit(double, double) const override {
    return damping_fraction / std::max(1 / pde().parameters.tau, damping_rate_beyond(0));
  }

  const std::vector<Derived>& derived() const override { return derived_; }
  const void* parameters() const override { return &pde().parameters; }
  const std::vector<PatchQuantity>& patch_quantities() const override { return constraints_and_psi4(); }

 private:
  // The fastest damping at least this far from the middle of the domain.
  double damping_rate_beyond(double distance) const {
    const Parameters& p = pde().parameters;
    const Relaxation<double> there = relaxation_at_distance(p, distance);
    return std::max({p.evolves_shift ? there.eta : 0.0, there.k1 * (2 + p.k2), 3 * there.k1 * (1 + p.k2),
                     there.ordering});
  }

  std::vector<Derived> derived_;
};

}  // namespace

std::unique_ptr<Solver> make_solver(const Parameters& parameters) {
  DeviceKernels<Terms>::use_built();
  return std::make_unique<Ccz4Solver>(parameters);
}

void set_damping(Solver& solver, bool with_lapse) {
  dynamic_cast<Ccz4Solver&>(solver).set_damping(with_lapse);
}

}  // namespace meander::ccz4
