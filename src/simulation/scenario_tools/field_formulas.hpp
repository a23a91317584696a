// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// States by formulas of position and time: initial data, exact solutions, and states beyond a boundary.

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "io/formula.hpp"
#include "simulation/equation.hpp"

namespace meander::simulation {

// The variables of formulas, x, y (3D: z), the distance r from the origin, and the time t, with the constants of the
// equation and those of the input.
io::FormulaNames formula_names(const Equation& equation, int dim,
                               const io::FormulaDefinitions& of_input = {});
// Their values, for a point with `dim` coordinates.
struct FormulaVariables {
  FormulaVariables(int dim, const double* x, double t);
  double values[5];
};

// Throws InputError that names the formula, the point and the time, unless `value`, of the formula, is finite.
void check_finite(const io::FormulaList::Given& formula, int dim, const double* x, double t, double value);

// Calls body(x) for the centres of up to 16 volumes along each axis of a box of volumes of width dx.
void for_lattice(const std::vector<double>& lower, const std::vector<double>& upper, double dx,
                 const std::function<void(const double* x)>& body);

// A formula for each field of an equation, and regions in which other formulas hold.
class FieldFormulas {
 public:
  static constexpr int most_samples = 4;  // along an axis

  // Volumes hold means over `samples` Gauss points along each axis, or values at their centres if the unknowns of the
  // equation contain derivatives.
  FieldFormulas(const Equation& equation, int dim, int samples, const io::FormulaDefinitions& of_input);

  // The formulas of `table`, which is part of messages ("scenario.fields"). Throws InputError for unknown fields and
  // invalid formulas. Before any evaluation.
  void give(const std::string& table, const io::NamedFormulas& formulas);
  void give_field(std::size_t field, const std::string& name, const io::FormulaText& formula);
  // Fields without a formula take those of `other`, which has one for each field, with its regions.
  void take_missing_from(const FieldFormulas& other);
  // Fields without a formula take their default. Returns the first field that has none, or null.
  const FormulaField* missing_field();

  // Formulas that hold at points for which `contains` is true; later regions take precedence.
  using Contains = std::function<bool(const double* x)>;
  void begin_region(Contains contains);
  void give_in_region(std::size_t field, const std::string& name, const io::FormulaText& formula);

  const std::vector<FormulaField>& fields() const { return equation_.fields; }
  bool takes_point_values() const { return equation_.unknowns_about != nullptr; }

  // All unknowns of the volume of width dx about `centre` at time t.
  // May be called by several threads at once.
  void unknowns(const double* centre, double dx, double t, double* q) const;
  // As above. Throws InputError with the formula, the point and the value if a sample is not finite or not admissible.
  enum class Check { none, finite, admissible };
  void checked_unknowns(const double* centre, double dx, double t, double* q,
                        Check check = Check::admissible) const;
  // Checks some volumes of a box, so that most mistakes are told before a run starts. Throws as above.
  void check_lattice(const std::vector<double>& lower, const std::vector<double>& upper, double dx,
                     double t) const;

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  struct Region {
    Contains contains;
    std::vector<std::size_t> of_field;  // index of a formula, or none
  };

  std::size_t formula_of(std::size_t field, const double* x) const;
  void values_at(const std::vector<io::Formula>& formulas, const double* x, double t, double* values) const;
  void check_values(const double* x, double t, const double* values, Check check) const;

  FormulaFields equation_;
  std::shared_ptr<const solvers::Solver> solver_;
  int dim_, samples_, unknowns_;
  io::FormulaList formulas_;
  std::vector<std::size_t> of_field_;
  std::vector<Region> regions_;
};

}  // namespace meander::simulation
