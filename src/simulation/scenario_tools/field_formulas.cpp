// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/scenario_tools/field_formulas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

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
  return ((used >> axis) & 1u) != 0 || ((used >> dim) & 1u) != 0;
}

std::string point_text(int dim, const double* x) {
  std::string text;
  for (int a = 0; a < dim; ++a) text += fmt::format("{}{}", a == 0 ? "" : ", ", x[a]);
  return '(' + text + ')';
}

}  // namespace

io::FormulaNames formula_names(const Equation& equation, int dim,
                               const std::vector<std::pair<std::string, double>>& more) {
  const FormulaFields of_equation = equation.formula_fields(dim);
  io::FormulaNames result{{axis_variables, axis_variables + dim}, of_equation.constants, {}, dim};
  result.variables.insert(result.variables.end(), {"r", "t"});
  result.constants.insert(result.constants.end(), more.begin(), more.end());
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
                             const std::vector<std::pair<std::string, double>>& constants)
    : equation_(equation.formula_fields(dim)),
      dim_(dim),
      samples_(samples),
      unknowns_(equation.make_solver(dim)->traits().unknowns),
      formulas_(formula_names(equation, dim, constants)),
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

void FieldFormulas::check(const double* x, double t, const double* values) const {
  const auto fail = [&](std::size_t field, const std::string& why) {
    const io::FormulaList::Given& given = formulas_.given(formula_of(field, x));
    io::reject(given.name, given.text,
               fmt::format("{} at {} = {}, t = {}", why, dim_ == 2 ? "(x, y)" : "(x, y, z)",
                           point_text(dim_, x), t));
  };
  for (std::size_t f = 0; f < of_field_.size(); ++f) {
    if (!std::isfinite(values[f])) fail(f, fmt::format("must be finite, but is {}", values[f]));
  }
  if (!equation_.refusal) return;
  if (const auto refusal = equation_.refusal(values))
    fail(refusal->field, fmt::format("{}, but is {}", refusal->why, values[refusal->field]));
}

void FieldFormulas::evaluate(const double* centre, double dx, double t, bool checks, double* q) const {
  const std::vector<io::Formula>& formulas = formulas_.compiled();
  const std::size_t count = of_field_.size();
  double values[solvers::most_unknowns];
  if (takes_point_values()) {
    if (checks) {
      values_at(formulas, centre, t, values);
      check(centre, t, values);
    }
    equation_.unknowns_about([&](const double* x, double* at) { values_at(formulas, x, t, at); }, centre, dx,
                             q);
    return;
  }
  // Formulas that do not change along an axis are evaluated once for all samples along it.
  constexpr int most = most_samples * most_samples * most_samples;
  double sampled[solvers::most_unknowns][most];
  int stride[solvers::most_unknowns][3];
  const auto points = gauss_points(samples_);
  const int along_z = dim_ == 3 ? samples_ : 1;
  for (std::size_t f = 0; f < count; ++f) {
    const std::uint32_t used = formulas_.given(of_field_[f]).used;
    int count_along[3], total = 1;
    for (int a = 0; a < 3; ++a) {
      count_along[a] = a < dim_ && changes_along(used, a, dim_) ? samples_ : 1;
      stride[f][a] = count_along[a] > 1 ? total : 0;
      total *= count_along[a];
    }
    int at = 0;
    for (int k = 0; k < count_along[2]; ++k) {
      for (int j = 0; j < count_along[1]; ++j) {
        for (int i = 0; i < count_along[0]; ++i) {
          const int index[3] = {i, j, k};
          double x[3] = {0, 0, 0};
          for (int a = 0; a < dim_; ++a) x[a] = centre[a] + points[static_cast<std::size_t>(index[a])] * dx;
          sampled[f][at++] = formulas[of_field_[f]].value(FormulaVariables(dim_, x, t).values);
        }
      }
    }
  }
  // Means along x, of these along y, and of these along z.
  constexpr std::ptrdiff_t row = solvers::most_unknowns;
  double states[most_samples * row] = {}, lines[most_samples * row], planes[most_samples * row];
  for (int k = 0; k < along_z; ++k) {
    for (int j = 0; j < samples_; ++j) {
      for (int i = 0; i < samples_; ++i) {
        const int index[3] = {i, j, k};
        double x[3] = {0, 0, 0};
        for (int a = 0; a < dim_; ++a) x[a] = centre[a] + points[static_cast<std::size_t>(index[a])] * dx;
        for (std::size_t f = 0; f < count; ++f) {
          const std::size_t formula = regions_.empty() ? of_field_[f] : formula_of(f, x);
          values[f] = formula == of_field_[f]
                          ? sampled[f][i * stride[f][0] + j * stride[f][1] + k * stride[f][2]]
                          : formulas[formula].value(FormulaVariables(dim_, x, t).values);
        }
        if (checks) check(x, t, values);
        equation_.unknowns(values, states + i * row);
      }
      for (int n = 0; n < unknowns_; ++n) lines[j * row + n] = gauss_mean(samples_, states + n, row);
    }
    for (int n = 0; n < unknowns_; ++n) planes[k * row + n] = gauss_mean(samples_, lines + n, row);
  }
  for (int n = 0; n < unknowns_; ++n) q[n] = dim_ == 3 ? gauss_mean(samples_, planes + n, row) : planes[n];
}

void FieldFormulas::unknowns(const double* centre, double dx, double t, double* q) const {
  evaluate(centre, dx, t, false, q);
}

void FieldFormulas::checked_unknowns(const double* centre, double dx, double t, double* q) const {
  evaluate(centre, dx, t, true, q);
}

}  // namespace meander::simulation
