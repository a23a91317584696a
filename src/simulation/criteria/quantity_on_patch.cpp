// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/criteria/quantity_on_patch.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/join.hpp"
#include "io/nearest.hpp"
#include "simulation/config/config.hpp"
#include "simulation/config/field_names.hpp"

namespace meander::simulation {

QuantityOnPatch::QuantityOnPatch(const solvers::Solver& solver, int quantity, const LeafView& leaf)
    : layout_(leaf.layout) {
  const solvers::PatchLayout& layout = layout_;
  const double* const q = leaf.patch.q;
  if (quantity < layout.unknowns) {
    values_ = q + quantity * layout.unknown_stride();
    return;
  }
  // Computed once for each volume, not for both sides of every jump.
  thread_local std::vector<double> storage;
  storage.resize(std::max(storage.size(), static_cast<std::size_t>(layout.unknown_stride())));
  const auto& derived = solver.derived()[static_cast<std::size_t>(quantity)];
  const auto fill_row = [&](std::ptrdiff_t first, int volumes) {
    double state[solvers::most_unknowns];
    for (std::ptrdiff_t v = first; v < first + volumes; ++v) {
      for (int u = 0; u < layout.unknowns; ++u) state[u] = q[u * layout.unknown_stride() + v];
      storage[static_cast<std::size_t>(v)] = derived.value(solver.parameters(), state);
    }
  };
  // Rows including their ends in the x halo, and rows in the halos of other axes.
  const int p = layout.p, above = layout.dim == 3 ? p + 1 : 1;
  for (int k = layout.dim == 3 ? -1 : 0; k < above; ++k) {
    for (int j = -1; j <= p; ++j) {
      const bool k_inside = k >= 0 && k < p, j_inside = j >= 0 && j < p;
      if (!k_inside && !j_inside) continue;
      const int i = k_inside && j_inside ? -1 : 0;
      fill_row(layout.at(0, i, j, k), p - 2 * i);
    }
  }
  values_ = storage.data();
}

void QuantityCriterion::describe_variable(io::KeyTable& keys, const Config& config) {
  io::Field& field = keys.text("variable", variable_, "An unknown or derived quantity of the solver.");
  field.required = true;
  field.example = io::toml_text(config.solver->traits().unknown_names.front());
}

void QuantityCriterion::find_variable(const io::KeyTable& keys, const Config& config) {
  solver_ = config.solver;
  const std::vector<std::string> names = scalar_names(*solver_);
  if (std::find(names.begin(), names.end(), variable_) == names.end()) {
    const std::string near = io::nearest(variable_, names);
    keys.reject("variable",
                fmt::format("'{}' is not a quantity of the solver; {}allowed: {}", variable_,
                            near.empty() ? "" : fmt::format("did you mean '{}'? ", near), join(names, ", ")));
  }
  const auto& derived = solver_->derived();
  const auto found =
      std::find_if(derived.begin(), derived.end(), [&](const auto& d) { return d.name == variable_; });
  quantity_ = static_cast<int>(found - derived.begin());
}

void check_thresholds(const io::KeyTable& keys, double refine, double coarsen) {
  if (coarsen > refine) {
    keys.reject("coarsen",
                fmt::format("must be at most refine, but is {} and refine is {}", coarsen, refine));
  }
}

}  // namespace meander::simulation
