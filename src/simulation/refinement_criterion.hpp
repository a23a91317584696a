// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A refinement criterion, one table [[refinement]] of the input file: which leaves are too coarse, or finer
// than they need to be.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "io/key_table.hpp"
#include "simulation/state_view.hpp"
#include "solvers/solver.hpp"

namespace meander::simulation {

struct Config;

// A leaf as a criterion sees it: its patch, interior and halos across faces full.
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
  // time, mesh). Called once, before anything else. This one declares `level`, for most to call at their end.
  virtual void describe(io::KeyTable& keys, const Config& config);
  // Rejects values that make no sense, fills in defaults that depend on other keys, and keeps what it needs.
  virtual void set_up(const io::KeyTable& keys, const Config& config);

  // Whether a leaf should be finer, or may be coarser. May be called by several threads at once.
  virtual Flag flag(const LeafView& leaf, const StateView& state) const = 0;
  // The level that it wants the leaf to have: one finer than now, the same or one coarser, by flag(), and at
  // most finest_level().
  virtual int wanted_level(const LeafView& leaf, const StateView& state) const;
  // It asks for no finer level. Valid after set_up().
  int finest_level() const { return finest_; }

 protected:
  // One finer than `level`, the same or one coarser, but at most `finest`.
  static int limited(Flag flag, int level, int finest);
  int finest_ = 0;

 private:
  int level_ = 0;  // the key: 0 for mesh.max-level
};

// One value of `kind`.
struct CriterionEntry {
  std::string name, meaning;
  std::function<std::unique_ptr<RefinementCriterion>()> make;
};
// Those that any equation can use (criteria/list.cpp).
std::vector<CriterionEntry> general_criteria();
// The same, then those of the modules.
std::vector<CriterionEntry> refinement_criteria();

}  // namespace meander::simulation
