// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Criteria that read a quantity of the solver: where it jumps, exceeds a value, or has large second differences.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/join.hpp"
#include "io/key_table.hpp"
#include "io/nearest.hpp"
#include "simulation/config/config.hpp"
#include "simulation/config/field_names.hpp"
#include "simulation/refinement_criterion.hpp"

namespace meander::simulation {
namespace {

// The quantity in the layout of an unknown in its slot, valid on the interior and on the first layer of the
// halos across faces. The values are valid until the thread constructs the next QuantityOnPatch.
class QuantityOnPatch {
 public:
  // quantity: index into solver.derived().
  QuantityOnPatch(const solvers::Solver& solver, int quantity, const LeafView& leaf);

  // Calls body(row) with a pointer to the first volume of every row of the interior.
  template <class Body>
  void for_interior_rows(const Body& body) const {
    for (int k = 0; k < (layout_.dim == 3 ? layout_.p : 1); ++k) {
      for (int j = 0; j < layout_.p; ++j) body(values_ + layout_.at(0, 0, j, k));
    }
  }
  const solvers::PatchLayout& layout() const { return layout_; }

 private:
  const solvers::PatchLayout& layout_;
  const double* values_;
};

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

// Compares one number of a leaf with `refine` and `coarsen`.
class QuantityCriterion : public RefinementCriterion {
 public:
  void set_up(const io::KeyTable& keys, const Config& config) override {
    if (!keys.was_given("coarsen")) coarsen_ = default_coarsen();
    find_variable(keys, config);
    if (coarsen_ > refine_) {
      keys.reject("coarsen",
                  fmt::format("must be at most refine, but is {} and refine is {}", coarsen_, refine_));
    }
    RefinementCriterion::set_up(keys, config);
  }

  Flag flag(const LeafView& leaf, const StateView& state) const override {
    return flag_by(number_of({*solver_, quantity_, leaf}), leaf.level, state.t);
  }
  std::optional<solvers::LeafMeasure> measure() const override {
    return solvers::LeafMeasure{.kind = kind(), .quantity = quantity_, .filter = filter_};
  }
  Flag flag_by(double number, int, double) const override {
    if (number > refine_) return Flag::refine;
    return number < coarsen_ ? Flag::coarsen : Flag::keep;
  }

 protected:
  // The number on the host, and its name for devices.
  virtual double number_of(const QuantityOnPatch& quantity) const = 0;
  virtual solvers::LeafMeasure::Kind kind() const = 0;
  virtual double default_coarsen() const = 0;

  void describe_variable(io::KeyTable& keys, const Config& config) {
    io::Field& field = keys.text("variable", variable_, "An unknown or derived quantity of the solver.");
    field.required = true;
    field.example = io::toml_text(config.solver->traits().unknown_names.front());
  }

  double refine_ = 0, coarsen_ = 0, filter_ = 0;

 private:
  // Rejects a name that is not a quantity of the solver.
  void find_variable(const io::KeyTable& keys, const Config& config) {
    solver_ = config.solver;
    const std::vector<std::string> names = scalar_names(*solver_);
    if (std::find(names.begin(), names.end(), variable_) == names.end()) {
      const std::string near = io::nearest(variable_, names);
      keys.reject("variable", fmt::format("'{}' is not a quantity of the solver; {}allowed: {}", variable_,
                                          near.empty() ? "" : fmt::format("did you mean '{}'? ", near),
                                          join(names, ", ")));
    }
    const auto& derived = solver_->derived();
    const auto found =
        std::find_if(derived.begin(), derived.end(), [&](const auto& d) { return d.name == variable_; });
    quantity_ = static_cast<int>(found - derived.begin());
  }

  std::string variable_;
  std::shared_ptr<const solvers::Solver> solver_;
  int quantity_ = -1;
};

// |a - b| / max(|a|, |b|); 0 if both are 0.
double relative_jump(double a, double b) {
  const double scale = std::max(std::abs(a), std::abs(b));
  return std::abs(a - b) / (scale > 0 ? scale : 1.0);
}

double largest_jump(const QuantityOnPatch& quantity) {
  const auto& layout = quantity.layout();
  double jump = 0;
  quantity.for_interior_rows([&](const double* row) {
    for (int a = 0; a < layout.dim; ++a) {
      // Jumps to both neighbours: inner jumps are computed twice, which costs less than a branch.
      const std::ptrdiff_t stride = layout.stride(a);
      for (int x = 0; x < layout.p; ++x) {
        jump = std::max(
            jump, std::max(relative_jump(row[x], row[x + stride]), relative_jump(row[x], row[x - stride])));
      }
    }
  });
  return jump;
}

class Jump final : public QuantityCriterion {
 public:
  void describe(io::KeyTable& keys, const Config& config) override {
    describe_variable(keys, config);
    keys.number("refine", refine_, "", "Refine a leaf where the relative jump exceeds this.",
                io::greater_than(0))
        .required = true;
    keys.number("coarsen", coarsen_, "", "Coarsen a leaf where all its relative jumps are below this.",
                io::at_least(0))
        .default_text = "a quarter of refine";
    RefinementCriterion::describe(keys, config);
  }

 protected:
  double number_of(const QuantityOnPatch& quantity) const override { return largest_jump(quantity); }
  solvers::LeafMeasure::Kind kind() const override { return solvers::LeafMeasure::Kind::largest_jump; }
  double default_coarsen() const override { return 0.25 * refine_; }
};

double largest_value(const QuantityOnPatch& quantity) {
  double largest = -std::numeric_limits<double>::infinity();
  quantity.for_interior_rows([&](const double* row) {
    for (int x = 0; x < quantity.layout().p; ++x) largest = std::max(largest, row[x]);
  });
  return largest;
}

class Threshold final : public QuantityCriterion {
 public:
  void describe(io::KeyTable& keys, const Config& config) override {
    describe_variable(keys, config);
    keys.number("refine", refine_, "the variable's", "Refine a leaf where the variable exceeds this.")
        .required = true;
    keys.number("coarsen", coarsen_, "the variable's",
                "Coarsen a leaf where the variable is below this everywhere.")
        .default_text = "refine - abs(refine) / 2";
    RefinementCriterion::describe(keys, config);
  }

 protected:
  double number_of(const QuantityOnPatch& quantity) const override { return largest_value(quantity); }
  solvers::LeafMeasure::Kind kind() const override { return solvers::LeafMeasure::Kind::largest_value; }
  double default_coarsen() const override { return refine_ - 0.5 * std::abs(refine_); }
};

// The square of the largest estimate over the volumes whose second differences stay within the patch and the first layer of
// its halos,
//   E^2 = sum over axes (u+ - 2 u + u-)^2 / sum over axes (|u+ - u| + |u - u-| + filter (|u+| + 2 |u| +
//     |u-|))^2.
// Mixed differences are omitted: they would read corners of halos.
double largest_curvature(const QuantityOnPatch& quantity, double filter) {
  const solvers::PatchLayout& layout = quantity.layout();
  double largest = 0;
  quantity.for_interior_rows([&](const double* row) {
    for (int x = 0; x < layout.p; ++x) {
      const double u = row[x];
      double curvature = 0, slopes = 0;
      for (int a = 0; a < layout.dim; ++a) {
        const std::ptrdiff_t stride = layout.stride(a);
        const double above = row[x + stride], below = row[x - stride];
        const double second = above - 2 * u + below;
        const double first = std::abs(above - u) + std::abs(u - below) +
                             filter * (std::abs(above) + 2 * std::abs(u) + std::abs(below));
        curvature += second * second;
        slopes += first * first;
      }
      if (slopes > 0) largest = std::max(largest, curvature / slopes);
    }
  });
  return largest;
}

// The error estimator of Loehner (1987, Comp. Meth. Appl. Mech. Eng. 61, 323) in the form of FLASH (Fryxell
// et al. 2000, ApJS 131, 273, section 3.1): second differences divided by first differences, which
// distinguishes fronts and ripples from slopes.
class Loehner final : public QuantityCriterion {
 public:
  // FLASH's.
  Loehner() {
    refine_ = 0.8;
    coarsen_ = 0.2;
    filter_ = 0.01;
  }
  void describe(io::KeyTable& keys, const Config& config) override {
    describe_variable(keys, config);
    keys.number("refine", refine_, "", "Refine a leaf where the estimate, between 0 and 1, exceeds this.",
                io::between(0, 1));
    keys.number("coarsen", coarsen_, "", "Coarsen a leaf where all its estimates are below this.",
                io::between(0, 1));
    keys.number("filter", filter_, "", "Weight of the values themselves: ripples below it are ignored.",
                io::at_least(0));
    RefinementCriterion::describe(keys, config);
  }

  Flag flag_by(double square, int, double) const override {
    const double estimate = std::sqrt(square);
    if (estimate > refine_) return Flag::refine;
    return estimate < coarsen_ ? Flag::coarsen : Flag::keep;
  }

 protected:
  double number_of(const QuantityOnPatch& quantity) const override {
    return largest_curvature(quantity, filter_);
  }
  solvers::LeafMeasure::Kind kind() const override { return solvers::LeafMeasure::Kind::largest_curvature; }
  double default_coarsen() const override { return coarsen_; }
};

}  // namespace

CriterionEntry jump_criterion() {
  return {"jump", "Where a variable jumps between neighbouring volumes by more than a fraction of its value.",
          [] { return std::make_unique<Jump>(); }};
}

CriterionEntry threshold_criterion() {
  return {"threshold", "Where a variable exceeds a value.", [] { return std::make_unique<Threshold>(); }};
}

CriterionEntry loehner_criterion() {
  return {"loehner",
          "Where the error estimator of Loehner (1987) finds a variable's second differences large.",
          [] { return std::make_unique<Loehner>(); }};
}

}  // namespace meander::simulation
