// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Initial data, exact solutions and boundary data by formulas of the input file.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>

#include "base/log.hpp"
#include "simulation/module.hpp"
#include "simulation/scenario.hpp"
#include "simulation/scenario_tools/exact_scenario.hpp"
#include "simulation/scenario_tools/field_formulas.hpp"
#include "simulation/scenario_tools/shapes.hpp"

namespace meander::simulation {

namespace {

const std::string table = "scenario.";

// "one: a, b (0); other: c (1)", in as many dimensions as each equation has.
std::string fields_of_modules() {
  std::string text;
  for (const Module* module : modules()) {
    std::string list;
    for (const FormulaField& field : module->make()->formula_fields(module->dims.back()).fields) {
      list += fmt::format("{}{}{}", list.empty() ? "" : ", ", field.name,
                          field.otherwise.empty() ? "" : fmt::format(" ({})", field.otherwise));
    }
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", module->name, list);
  }
  return text;
}

// A table of this formula for the first field of the first equation.
std::string example(const std::string& formula) {
  const Module& module = *modules().front();
  const auto fields = module.make()->formula_fields(module.dims.back()).fields;
  return fmt::format("{{{} = \"{}\"}}", fields.front().name, formula);
}

class FormulaScenario final : public Scenario {
 public:
  void describe(io::KeyTable& keys) override {
    keys.formulas("constants", constants_,
                  "Names for numbers, each a number or a formula of earlier ones, for use in all formulas of "
                  "the input.")
        .example = "{u0 = 0.5, width = \"0.05 * u0\"}";
    keys.formulas("expressions", expressions_,
                  "Names for formulas of x, y, z, r (distance from the origin), t, the constants and earlier "
                  "expressions, for use in all formulas of the input but constants.")
        .example = "{phase = \"2 * pi * (x - t)\"}";
    io::Field& fields =
        keys.formulas("fields", fields_,
                      "A table of formulas of x, y, z, r (distance from the origin), t, "
                      "the constants and the expressions, one for each field: the state at the start. Fields "
                      "(and their formulas without one): " +
                          fields_of_modules() + ". Other equations: their unknowns.");
    fields.required = true;
    fields.example = example("1 + 0.2 * sin(2 * pi * x)");
    keys.tables("region", regions_,
                "Regions with formulas of their own, each a table [[scenario.region]]: shape = \"box\" "
                "(lower, upper), "
                "\"ball\" (centre, radius), \"ellipsoid\" (centre, radii), \"cylinder\" (centre, radius, "
                "axis, length; "
                "0: without end) or \"half-space\" (centre, normal, which points away from it), and the "
                "fields that "
                "differ. Later regions take precedence.")
        .example =
        "[{shape = \"ball\", centre = [0.3, 0.5, 0.5], radius = 0.1, " + example("10").substr(1) + ']';
    keys.formulas("exact", exact_,
                  "The exact solution, with the time t. Fields that it leaves out keep their formula. The "
                  "history gets the "
                  "columns error_l1, error_l2 and error_linf, and boundaries of kind \"scenario\" take it.")
        .example = example("1 + 0.2 * sin(2 * pi * (x - t))");
    keys.integer(
        "samples-per-axis", samples_, "",
        "Gauss points along each axis over which a volume's mean is taken. Equations whose unknowns contain "
        "derivatives take the values at its centre.",
        io::between(1, FieldFormulas::most_samples));
    regions_.describe_next = [this](io::KeyTable& region) { describe_region(region); };
  }

  void set_up(const io::KeyTable& keys, const ProblemSetup& setup) override {
    setup_ = setup;
    define_constants();
    define_expressions();
    state_.emplace(*setup.equation, setup.dim, samples_, defined_);
    state_->give(table + "fields", fields_);
    if (const FormulaField* missing = state_->missing_field())
      keys.reject("fields", fmt::format("needs a formula for {}", missing->name));
    if (!exact_.empty()) {
      solution_.emplace(*setup.equation, setup.dim, samples_, defined_);
      solution_->give(table + "exact", exact_);
    }
    for (std::size_t n = 0; n < given_regions_.size(); ++n)
      set_up_region(regions_.tables[n], given_regions_[n]);
    if (solution_) solution_->take_missing_from(*state_);
  }

  // All samples of the start's mesh are checked when its volumes are filled.
  void check_widths(const io::KeyTable&, const std::vector<double>& widths) const override {
    state_->check_lattice(setup_.lower, setup_.upper, widths[0], start_);
    if (solution_) solution_->check_lattice(setup_.lower, setup_.upper, widths[0], start_);
  }

  void start_at(double t) override { start_ = t; }
  bool gives_all_unknowns() const override { return true; }
  io::FormulaDefinitions formula_definitions() const override { return defined_; }
  int formula_samples() const override { return samples_; }

  void initial(const double* centre, double dx, double* q) const override {
    state_->checked_unknowns(centre, dx, start_, q);
  }
  void boundary(const double* x, double dx, double t, double* q) const override {
    (solution_ ? *solution_ : *state_).checked_unknowns(x, dx, t, q);
  }
  std::vector<Measure> measure(const StateView& view) const override {
    if (!solution_) return {};
    std::vector<Measure> errors = all_errors(
        view, [&](const double* x, double dx, double* q) { solution_->unknowns(x, dx, view.t, q); });
    if (!warned_ && !std::isfinite(errors.front().value)) warn_of_solution(view);
    return errors;
  }

 private:
  // A region, which has a key for each field of any equation.
  struct Given {
    Shape shape;
    std::vector<std::pair<std::string, io::FormulaText>> formulas;
  };

  void describe_region(io::KeyTable& keys) {
    Given& region = given_regions_.emplace_back();
    region.shape.describe(keys);
    std::vector<std::string> names;
    for (const Module* module : modules()) {
      for (const FormulaField& field : module->make()->formula_fields(module->dims.back()).fields) {
        if (std::ranges::find(names, field.name) == names.end()) names.push_back(field.name);
      }
    }
    region.formulas.resize(names.size());
    for (std::size_t n = 0; n < names.size(); ++n) {
      region.formulas[n].first = names[n];
      keys.formula(names[n], region.formulas[n].second, "", "The formula within the region.");
    }
  }

  void set_up_region(const io::KeyTable& keys, const Given& region) {
    const Shape::Contains contains = region.shape.checked(keys, setup_);
    state_->begin_region(contains);
    bool empty = true;
    for (const auto& [name, formula] : region.formulas) {
      if (!keys.was_given(name)) continue;
      empty = false;
      const auto& fields = state_->fields();
      const auto field = std::ranges::find(fields, name, &FormulaField::name);
      if (field == fields.end()) keys.reject(name, "is no field of this equation");
      state_->give_in_region(static_cast<std::size_t>(field - fields.begin()), keys.table() + '.' + name,
                             formula);
    }
    if (empty) keys.reject("shape", "the region has no formula: give the fields that differ in it");
  }

  // Of the first volume without a finite exact solution. Collective.
  void warn_of_solution(const StateView& view) const {
    const int p = view.layout.p;
    double q[solvers::most_unknowns];
    try {
      view.communicator.agree([&] {
        for (const solvers::PatchTask& patch : view.patches) {
          for (int n = 0; n < view.layout.volumes(); ++n) {
            const int at[3] = {n % p, n / p % p, n / p / p};
            double x[3] = {0, 0, 0};
            for (int a = 0; a < setup_.dim; ++a) x[a] = patch.lower[a] + (at[a] + 0.5) * patch.dx;
            solution_->checked_unknowns(x, patch.dx, view.t, q, FieldFormulas::Check::finite);
          }
        }
      });
    } catch (const InputError& error) {
      warned_ = true;
      if (view.communicator.is_root())
        log::warning(std::string(error.what()) +
                     "\nthe errors are not finite; further values are not reported");
    }
  }

  // Each constant by those before it.
  void define_constants() {
    const auto of_equation = setup_.equation->formula_fields(setup_.dim).constants;
    io::FormulaNames names = formula_names(*setup_.equation, setup_.dim), known = {{}, of_equation};
    for (const std::string& variable : names.variables)
      known.absent.emplace_back(variable, "constants depend neither on position nor on time");
    known.absent.insert(known.absent.end(), names.absent.begin(), names.absent.end());
    for (const auto& [name, formula] : constants_)
      known.absent.emplace_back(name, "the table defines it later; constants follow from those above them");
    for (const auto& [name, formula] : expressions_)
      known.absent.emplace_back(name, "constants do not depend on expressions");
    for (const auto& [name, formula] : constants_) {
      const std::string full = table + "constants." + name;
      check_name(full, name, formula, names);
      const double value = io::compile(full, formula, known).value(nullptr);
      if (!std::isfinite(value)) io::reject(full, formula, io::not_finite(value));
      names.constants.emplace_back(name, value);
      known.constants.emplace_back(name, value);
      defined_.constants.emplace_back(name, value);
    }
  }

  // Each expression by those before it.
  void define_expressions() {
    io::FormulaNames names = formula_names(*setup_.equation, setup_.dim, defined_);
    for (const auto& [name, formula] : expressions_)
      names.absent.emplace_back(name, "the table defines it later; expressions follow from those above them");
    for (const auto& [name, formula] : expressions_) {
      const std::string full = table + "expressions." + name;
      check_name(full, name, formula, names);
      if (names.expressions.size() == most_expressions)
        io::reject(full, formula,
                   fmt::format("is one expression too many; at most {} are possible", most_expressions));
      io::compile(full, formula, names);
      names.expressions.emplace_back(name, formula.text);
    }
    defined_.expressions = names.expressions;
  }

  static void check_name(const std::string& full, const std::string& name, const io::FormulaText& formula,
                         const io::FormulaNames& taken) {
    try {
      io::check_new_name(name, taken);
    } catch (const io::FormulaError& error) {
      io::reject(full, formula, error.what());
    }
  }

  static constexpr std::size_t most_expressions = 64;  // a thread compiles those that a formula needs

  io::NamedFormulas constants_, expressions_, fields_, exact_;
  io::TableList regions_;
  std::deque<Given> given_regions_;
  int samples_ = 2;

  io::FormulaDefinitions defined_;
  ProblemSetup setup_;
  std::optional<FieldFormulas> state_, solution_;
  double start_ = 0;
  mutable bool warned_ = false;  // of an exact solution that is not finite
};

}  // namespace

std::unique_ptr<Scenario> make_formulas() {
  return std::make_unique<FormulaScenario>();
}

}  // namespace meander::simulation
