// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The equation of a run: its keys in [solver], and the solver for their values.

#include <memory>
#include <string>
#include <vector>

#include "io/key_table.hpp"
#include "simulation/formula_fields.hpp"
#include "solvers/point_terms.hpp"
#include "solvers/scheme_words.hpp"
#include "solvers/solver.hpp"

namespace meander::simulation {

template <int D>
class StepField;

class Equation {
 public:
  virtual ~Equation() = default;

  // Declares the keys after solver.equation; cfl is the Courant number. dim: of the domain, for keys that
  // exist along its axes only. Called once, before anything else.
  virtual void describe(io::KeyTable& keys, int dim, double& cfl) = 0;
  // Rejects values that contradict each other, and turns choices into parameters. lower, upper: the corners of
  // the domain with its mirror images (mirrors.hpp).
  virtual void set_up(const io::KeyTable& keys, const std::vector<double>& lower,
                      const std::vector<double>& upper) = 0;

  // A new solver; before set_up() with the default parameters.
  virtual std::unique_ptr<solvers::Solver> make_solver(int dim) const = 0;
  // The fields of states by formula; after set_up(). Default: the unknowns.
  virtual FormulaFields formula_fields(int dim) const;
  // Sets the fields of a patch of the solver's, halo included. Returns their largest length in the interior, which its
  // solver learns from take_largest_field() as that of all patches. May be called by several threads at once. Throws
  // InputError for values that are not finite. Default: there are none.
  virtual double set_fields(const solvers::PatchTask& /*patch*/, const solvers::PatchLayout&) const {
    return 0;
  }
  virtual void take_largest_field(double /*largest*/, solvers::Solver&) const {}
  // Before a step from t, local steps: of the coarsest level. For parameters that change in time: the bits of a run
  // depend on t and the solver alone. Default: none do.
  virtual void begin_step(double /*t*/, solvers::Solver&) const {}
  // A new field that acts on the state between steps (step_field.hpp), or null. Default: null.
  virtual std::shared_ptr<StepField<2>> make_field_2d() const { return nullptr; }
  virtual std::shared_ptr<StepField<3>> make_field_3d() const { return nullptr; }
  // The terms at one point, for `meander terms`.
  virtual solvers::PointTerms terms(int dim) const = 0;
  // Warnings about valid values of the keys. `adaptive`: leaves may have different levels. Default: none.
  virtual std::vector<std::string> warnings(const io::KeyTable& /*keys*/, bool /*adaptive*/) const {
    return {};
  }
};

// The keys scheme, limiter and riemann of [solver], from an equation's list of schemes.

// Declares the keys with a choice in the vocabulary. Their targets are in `words`.
void describe_scheme(io::KeyTable& keys, solvers::SchemeWords& words,
                     const solvers::SchemeVocabulary& vocabulary);
// Rejects contradictory values: "rusanov" is "godunov" with the Riemann solver of that name.
void check_scheme(const io::KeyTable& keys, const solvers::SchemeWords& words);

}  // namespace meander::simulation
