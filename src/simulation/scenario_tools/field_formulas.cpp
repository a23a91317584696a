// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/scenario_tools/field_formulas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/vec.hpp"
#include "io/nearest.hpp"

namespace meander::simulation {

namespace {

constexpr const char* axis_variables[] = {"x", "y", "z"};

// Gauss points of a volume of width 1 about 0, in ascending order.
std::array<double, FieldFormulas::most_samples> gauss_points(int n) {
  const double inner = std::sqrt(3.0 / 7 - 2.0 / 7 * std::sqrt(1.2)),
               outer = std::sqrt(3.0 / 7 + 2.0 / 7 * std::sqrt(1.2));
  switch (n) {
    case 1:
      return {0};
    case 2:
      return {-0.5 / std::sqrt(3.0), 0.5 / std::sqrt(3.0)};
    case 3:
      return {-0.5 * std::sqrt(0.6), 0, 0.5 * std::sqrt(0.6)};
    default:
      return {-0.5 * outer, -0.5 * inner, 0.5 * inner, 0.5 * outer};
  }
}

// The mean of values at these points. It is exact for constants, and has the same bits for mirrored values.
double gauss_mean(int n, const double* values, std::ptrdiff_t stride) {
  const auto at = [&](int i) { return values[i * stride]; };
  switch (n) {
    case 1:
      return at(0);
    case 2:
      return 0.5 * (at(0) + at(1));
    case 3:
      return at(1) + 5.0 / 18 * ((at(0) - at(1)) + (at(2) - at(1)));
    default: {
      const double outer_weight = (18 - std::sqrt(30.0)) / 72;
      return 0.5 * (at(1) + at(2)) + outer_weight * ((at(0) - at(1)) + (at(3) - at(2)));
    }
  }
}

// Whether a formula that uses these variables changes along an axis: by the coordinate or by r.
bool changes_along(std::uint32_t used, int axis, int dim) {
  return axis < dim && (((used >> axis) & 1u) != 0 || ((used >> dim) & 1u) != 0);
}

std::string point_text(int dim, const double* x) {
  std::string text;
  for (int a = 0; a < dim; ++a) text += fmt::format("{}{}", a == 0 ? "" : ", ", x[a]);
  return '(' + text + ')';
}

[[noreturn]] void reject_at(const io::FormulaList::Given& formula, int dim, const double* x, double t,
                            const std::string& why) {
  io::reject(
      formula.name, formula.text,
      fmt::format("{} at {} = {}, t = {}", why, dim == 2 ? "(x, y)" : "(x, y, z)", point_text(dim, x), t));
}

}  // namespace

void check_finite(const io::FormulaList::Given& formula, int dim, const double* x, double t, double value) {
  if (!std::isfinite(value)) reject_at(formula, dim, x, t, io::not_finite(value));
}

void for_lattice(const std::vector<double>& lower, const std::vector<double>& upper, double dx,
                 const std::function<void(const double* x)>& body) {
  double volumes[3] = {1, 1, 1};
  int points[3] = {1, 1, 1};
  for (std::size_t a = 0; a < lower.size(); ++a) {
    volumes[a] = std::round((upper[a] - lower[a]) / dx);
    points[a] = static_cast<int>(std::min<double>(16, volumes[a]));
  }
  for (int k = 0; k < points[2]; ++k) {
    for (int j = 0; j < points[1]; ++j) {
      for (int i = 0; i < points[0]; ++i) {
        const int index[3] = {i, j, k};
        double x[3] = {0, 0, 0};
        for (std::size_t a = 0; a < lower.size(); ++a)
          x[a] = lower[a] + (std::floor(index[a] * volumes[a] / points[a]) + 0.5) * dx;
        body(x);
      }
    }
  }
}

io::FormulaNames formula_names(const Equation& equation, int dim, const io::FormulaDefinitions& of_input) {
  const FormulaFields of_equation = equation.formula_fields(dim);
  io::FormulaNames result{{axis_variables, axis_variables + dim}, of_equation.constants, {}, dim};
  result.variables.insert(result.variables.end(), {"r", "t"});
  result.constants.insert(result.constants.end(), of_input.constants.begin(), of_input.constants.end());
  result.expressions = of_input.expressions;
  if (dim == 2) result.absent.emplace_back("z", "the domain has 2 dimensions");
  std::vector<std::string> of_state = equation.make_solver(dim)->traits().unknown_names;
  for (const FormulaField& field : of_equation.fields)
    of_state.push_back(field.name.substr(0, field.name.find('-')));  // '-' is an operator
  for (std::string& name : of_state)
    result.absent.emplace_back(std::move(name), "formulas know position and time, not the state");
  return result;
}

FormulaVariables::FormulaVariables(int dim, const double* x, double t) : values{} {
  double square = 0;
  for (int a = 0; a < dim; ++a) {
    values[a] = x[a];
    square += x[a] * x[a];
  }
  values[dim] = std::sqrt(square);
  values[dim + 1] = t;
}

FieldFormulas::FieldFormulas(const Equation& equation, int dim, int samples,
                             const io::FormulaDefinitions& of_input)
    : equation_(equation.formula_fields(dim)),
      solver_(equation.make_solver(dim)),
      dim_(dim),
      samples_(samples),
      unknowns_(solver_->traits().unknowns),
      formulas_(formula_names(equation, dim, of_input)),
      of_field_(equation_.fields.size(), none) {}

void FieldFormulas::give(const std::string& table, const io::NamedFormulas& formulas) {
  for (const auto& [name, formula] : formulas) {
    const auto field = std::ranges::find(equation_.fields, name, &FormulaField::name);
    if (field == equation_.fields.end()) {
      std::vector<std::string> names;
      for (const FormulaField& known : equation_.fields) names.push_back(known.name);
      io::reject(table + '.' + name, formula, "unknown field" + io::suggestion(name, names));
    }
    give_field(static_cast<std::size_t>(field - equation_.fields.begin()), table + '.' + name, formula);
  }
}

void FieldFormulas::give_field(std::size_t field, const std::string& name, const io::FormulaText& formula) {
  of_field_[field] = formulas_.add(name, formula);
}

void FieldFormulas::take_missing_from(const FieldFormulas& other) {
  const auto take = [&](std::size_t formula) {
    const io::FormulaList::Given& given = other.formulas_.given(formula);
    return formulas_.add(given.name, given.text);
  };
  const std::vector<std::size_t> own = of_field_;
  for (std::size_t f = 0; f < own.size(); ++f) {
    if (own[f] == none) of_field_[f] = take(other.of_field_[f]);
  }
  for (const Region& region : other.regions_) {
    begin_region(region.contains);
    for (std::size_t f = 0; f < own.size(); ++f) {
      if (own[f] == none && region.of_field[f] != none)
        regions_.back().of_field[f] = take(region.of_field[f]);
    }
  }
}

const FormulaField* FieldFormulas::missing_field() {
  for (std::size_t f = 0; f < of_field_.size(); ++f) {
    const FormulaField& field = equation_.fields[f];
    if (of_field_[f] != none) continue;
    if (field.otherwise.empty()) return &field;
    of_field_[f] = formulas_.add(field.name, {field.otherwise, {}});
  }
  return nullptr;
}

void FieldFormulas::begin_region(Contains contains) {
  regions_.push_back({std::move(contains), std::vector<std::size_t>(of_field_.size(), none)});
}

void FieldFormulas::give_in_region(std::size_t field, const std::string& name,
                                   const io::FormulaText& formula) {
  regions_.back().of_field[field] = formulas_.add(name, formula);
}

// The formula that holds for a field at a point.
std::size_t FieldFormulas::formula_of(std::size_t field, const double* x) const {
  for (auto region = regions_.rbegin(); region != regions_.rend(); ++region) {
    if (region->of_field[field] != none && region->contains(x)) return region->of_field[field];
  }
  return of_field_[field];
}

void FieldFormulas::values_at(const std::vector<io::Formula>& formulas, const double* x, double t,
                              double* values) const {
  const FormulaVariables variables(dim_, x, t);
  for (std::size_t f = 0; f < of_field_.size(); ++f)
    values[f] = formulas[formula_of(f, x)].value(variables.values);
}

void FieldFormulas::check_values(const double* x, double t, const double* values, Check check) const {
  const auto given = [&](std::size_t field) { return formulas_.given(formula_of(field, x)); };
  for (std::size_t f = 0; f < of_field_.size(); ++f) {
    if (!std::isfinite(values[f])) check_finite(given(f), dim_, x, t, values[f]);
  }
  if (check == Check::finite || !equation_.refusal) return;
  if (const auto refusal = equation_.refusal(values)) {
    const std::size_t field = refusal->field;
    reject_at(given(field), dim_, x, t, fmt::format("{}, but is {}", refusal->why, values[field]));
  }
}

void FieldFormulas::checked_unknowns(const double* centre, double dx, double t, double* q,
                                     Check check) const {
  const std::vector<io::Formula>& formulas = formulas_.compiled();
  double values[solvers::most_unknowns];
  if (takes_point_values()) {
    if (check != Check::none) {
      values_at(formulas, centre, t, values);
      check_values(centre, t, values, check);
    }
    equation_.unknowns_about([&](const double* x, double* at) { values_at(formulas, x, t, at); }, centre, dx,
                             q);
    solver_->complete(q);
    return;
  }
  const auto points = gauss_points(samples_);
  const int along_z = dim_ == 3 ? samples_ : 1, all = samples_ * samples_ * along_z;
  constexpr int most = most_samples * most_samples * most_samples;
  double x[most][3], variables[most][5], sampled[solvers::most_unknowns][most];
  int s = 0;
  for (int k = 0; k < along_z; ++k) {
    for (int j = 0; j < samples_; ++j) {
      for (int i = 0; i < samples_; ++i, ++s) {
        const int index[3] = {i, j, k};
        for (int a = 0; a < dim_; ++a) x[s][a] = centre[a] + points[static_cast<std::size_t>(index[a])] * dx;
        const FormulaVariables at(dim_, x[s], t);
        for (int n = 0; n < 5; ++n) variables[s][n] = at.values[n];
      }
    }
  }
  for (std::size_t f = 0; f < of_field_.size(); ++f) {
    const io::Formula& formula = formulas[of_field_[f]];
    // Along an axis along which the formula does not change, samples have the value of the first.
    int stride[3];
    s = 0;
    if (formula.used() == 0) std::fill_n(sampled[f], all, formula.value(variables[0]));
    for (int a = 0; a < 3; ++a) stride[a] = changes_along(formula.used(), a, dim_) ? ipow(samples_, a) : 0;
    for (int k = 0; k < along_z && formula.used() != 0; ++k) {
      for (int j = 0; j < samples_; ++j) {
        for (int i = 0; i < samples_; ++i, ++s) {
          const int first = i * stride[0] + j * stride[1] + k * stride[2];
          sampled[f][s] = first == s ? formula.value(variables[s]) : sampled[f][first];
        }
      }
    }
    for (s = 0; s < all && !regions_.empty(); ++s) {
      const std::size_t there = formula_of(f, x[s]);
      if (there != of_field_[f]) sampled[f][s] = formulas[there].value(variables[s]);
    }
  }
  // Means along x, of these along y, and of these along z.
  constexpr std::ptrdiff_t row = solvers::most_unknowns;
  double states[most_samples * row], lines[most_samples * row], planes[most_samples * row];
  for (int i = 0; i < samples_; ++i) std::fill_n(states + i * row, unknowns_, 0.0);
  s = 0;
  for (int k = 0; k < along_z; ++k) {
    for (int j = 0; j < samples_; ++j) {
      for (int i = 0; i < samples_; ++i, ++s) {
        for (std::size_t f = 0; f < of_field_.size(); ++f) values[f] = sampled[f][s];
        if (check != Check::none) check_values(x[s], t, values, check);
        equation_.unknowns(values, states + i * row);
      }
      for (int n = 0; n < unknowns_; ++n) lines[j * row + n] = gauss_mean(samples_, states + n, row);
    }
    for (int n = 0; n < unknowns_; ++n) planes[k * row + n] = gauss_mean(samples_, lines + n, row);
  }
  for (int n = 0; n < unknowns_; ++n) q[n] = dim_ == 3 ? gauss_mean(samples_, planes + n, row) : planes[n];
  equation_.from_means ? equation_.from_means(q) : solver_->complete(q);
}

void FieldFormulas::unknowns(const double* centre, double dx, double t, double* q) const {
  checked_unknowns(centre, dx, t, q, Check::none);
}

void FieldFormulas::check_lattice(const std::vector<double>& lower, const std::vector<double>& upper,
                                  double dx, double t) const {
  double q[solvers::most_unknowns];
  for_lattice(lower, upper, dx, [&](const double* x) { checked_unknowns(x, dx, t, q); });
}

}  // namespace meander::simulation
