// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A refinement criterion, one table [[refinement]] of the input file: flags leaves that are too coarse or
// finer than necessary.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/formula.hpp"
#include "io/key_table.hpp"
#include "simulation/state_view.hpp"
#include "solvers/solver.hpp"

namespace meander::simulation {

struct Config;

// Whether a formula of x, y, z, r and t is positive at the centre of a volume of a leaf.
class LeafFormula {
 public:
  // Throws InputError for an invalid formula. `name`: in messages, "refinement[0].where".
  LeafFormula(const Config& config, const std::string& name, const io::FormulaText& formula);
  // `patch` needs a position only. May be called by several threads at once.
  bool is_positive(const solvers::PatchTask& patch, const solvers::PatchLayout& layout, double t) const;

 private:
  int dim_;
  io::FormulaList formulas_;
};

// A leaf for a criterion. Interior and face halos of the patch are full.
struct LeafView {
  const solvers::PatchTask& patch;
  const solvers::PatchLayout& layout;
  int level = 0;
  double width() const { return patch.dx * layout.p; }
};

enum class Flag { coarsen, keep, refine };

class RefinementCriterion {
 public:
  virtual ~RefinementCriterion() = default;

  // Declares the keys after `kind`, with defaults from the tables read so far (domain, solver, scenario,
  // time, mesh). Called once, before anything else. Default: declares `level` and `where`; overrides call it last, or
  // describe_where().
  virtual void describe(io::KeyTable& keys, const Config& config);
  // Rejects invalid values, sets defaults that depend on other keys, and keeps the required parts of the
  // configuration.
  virtual void set_up(const io::KeyTable& keys, const Config& config);

  // Whether a leaf must be refined or may be coarsened. May be called by several threads at once.
  virtual Flag flag(const LeafView& leaf, const StateView& state) const = 0;
  // Whether flag() reads the state, and not only positions and times. If no criterion does, patches that live
  // on a device stay there.
  virtual bool reads_state() const { return true; }
  // The number of a leaf by which flag() decides, and the decision: for patches that live on a device. None:
  // flag() needs the state itself.
  virtual std::optional<solvers::LeafMeasure> measure() const { return {}; }
  virtual Flag flag_by(double /*measured*/, int /*level*/, double /*t*/) const { return Flag::keep; }
  // wanted_level() by the measure.
  int wanted_level_by(double measured, int level, double t) const {
    return limited(flag_by(measured, level, t), level, finest_);
  }
  // The wanted level of the leaf: one finer than its level, equal or one coarser, by flag(), and at most
  // finest_level().
  virtual int wanted_level(const LeafView& leaf, const StateView& state) const;
  // Whether a leaf lies in the region of the key `where`; elsewhere the criterion requires nothing.
  bool applies(const solvers::PatchTask& patch, const solvers::PatchLayout& layout, double t) const {
    return !region_ || region_->is_positive(patch, layout, t);
  }
  // The finest level that it requires. Valid after set_up().
  int finest_level() const { return finest_; }

 protected:
  void describe_where(io::KeyTable& keys);
  void set_up_where(const io::KeyTable& keys, const Config& config);
  // One finer than `level`, equal or one coarser, and at most `finest`.
  static int limited(Flag flag, int level, int finest);
  int finest_ = 0;

 private:
  int level_ = 0;  // the key: 0 for mesh.max-level
  io::FormulaText where_;
  std::optional<LeafFormula> region_;
};

// One value of `kind`.
struct CriterionEntry {
  std::string name, meaning;
  std::function<std::unique_ptr<RefinementCriterion>()> make;
};
// The criteria for any equation (criteria/list.cpp).
std::vector<CriterionEntry> general_criteria();
// All criteria: the general ones, then those of the modules.
std::vector<CriterionEntry> refinement_criteria();

}  // namespace meander::simulation
