// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/ccz4/constraints.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/assert.hpp"

namespace meander::ccz4 {
namespace {

double largest_component(std::initializer_list<std::span<const double>> components) {
  double most = 0;
  for (const std::span<const double>& some : components) {
    for (const double one : some) most = std::isnan(one) ? one : std::max(most, std::abs(one));
  }
  return most;
}

template <std::size_t Constraint>
void one_constraint(const void*, const PatchTask& task, const PatchLayout& layout, std::span<double> values) {
  thread_local std::vector<double> all;
  all.resize(constraint_count * values.size());
  patch_constraints(task, layout, all);
  std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(Constraint * values.size()), values.size(),
              values.begin());
}

template <std::size_t... All>
std::vector<PatchQuantity> each_constraint(std::index_sequence<All...>) {
  const auto names = constraint_names();
  return {{names[All], "", one_constraint<All>}...};
}

}  // namespace

std::array<std::string, constraint_count> constraint_names() {
  return {"hamiltonian",    "momentum_x",     "momentum_y",      "momentum_z",  "connection",
          "ordering_lapse", "ordering_shift", "ordering_metric", "ordering_phi"};
}

void patch_constraints(const PatchTask& task, const PatchLayout& layout, std::span<double> values) {
  MEANDER_ASSERT(values.size() == constraint_count * static_cast<std::size_t>(layout.volumes()));
  const double near = layout.h < 2 ? 0.5 / task.dx : 2.0 / (3.0 * task.dx),
               far = layout.h < 2 ? 0.0 : -1.0 / (12.0 * task.dx);
  const auto volumes = static_cast<std::size_t>(layout.volumes());
  std::size_t v = 0;
  for (int k = 0; k < layout.p; ++k) {
    for (int j = 0; j < layout.p; ++j) {
      for (int i = 0; i < layout.p; ++i, ++v) {
        double q[unknowns], gradient[3 * unknowns];
        for (int n = 0; n < unknowns; ++n) {
          const double* at = task.q + layout.at(n, i, j, k);
          q[n] = *at;
          for (int a = 0; a < 3; ++a) {
            const std::ptrdiff_t s = layout.stride(a);
            double& slope = gradient[a * unknowns + n];
            slope = near * (at[s] - at[-s]);
            if (layout.h >= 2) slope += far * (at[2 * s] - at[-2 * s]);
          }
        }
        const Constraints<double> c = constraints(q, gradient);
        const double all[constraint_count] = {
            c.hamiltonian,
            c.momentum[0],
            c.momentum[1],
            c.momentum[2],
            largest_component({c.connection}),
            largest_component({c.lapse}),
            largest_component({c.shift[0], c.shift[1], c.shift[2]}),
            largest_component({c.metric[0].of, c.metric[1].of, c.metric[2].of}),
            largest_component({c.phi})};
        for (std::size_t n = 0; n < constraint_count; ++n) values[n * volumes + v] = all[n];
      }
    }
  }
}

const std::vector<PatchQuantity>& constraint_quantities() {
  static const std::vector<PatchQuantity> quantities =
      each_constraint(std::make_index_sequence<constraint_count>());
  return quantities;
}

}  // namespace meander::ccz4
