// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/refinement_criterion.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "simulation/config/config.hpp"
#include "simulation/scenario.hpp"
#include "simulation/scenario_tools/field_formulas.hpp"

namespace meander::simulation {

void RefinementCriterion::describe(io::KeyTable& keys, const Config&) {
  keys.integer("level", level_, "", "Finest level that this criterion requires; 0: mesh.max-level.",
               io::at_least(0));
  describe_where(keys);
}

void RefinementCriterion::describe_where(io::KeyTable& keys) {
  keys.formula("where", where_, "",
               "A formula of x, y, z, r (distance from the origin) and t: the criterion holds for leaves in "
               "which it is "
               "positive at the centre of a volume; empty: for all.")
      .example = "\"0.3 - abs(y)\"";
}

void RefinementCriterion::set_up_where(const io::KeyTable& keys, const Config& config) {
  if (!where_.text.empty()) region_.emplace(config, keys.table() + ".where", where_);
}

LeafFormula::LeafFormula(const Config& config, const std::string& name, const io::FormulaText& formula)
    : dim_(config.domain.dimensions),
      formulas_(formula_names(*config.equation, dim_, config.scenario->formula_definitions())) {
  formulas_.add(name, formula);
}

bool LeafFormula::is_positive(const solvers::PatchTask& patch, const solvers::PatchLayout& layout,
                              double t) const {
  const io::Formula& formula = formulas_.compiled().front();
  for (int k = 0; k < (dim_ == 3 ? layout.p : 1); ++k) {
    for (int j = 0; j < layout.p; ++j) {
      for (int i = 0; i < layout.p; ++i) {
        const int at[3] = {i, j, k};
        double x[3] = {0, 0, 0};
        for (int a = 0; a < dim_; ++a) x[a] = patch.lower[a] + (at[a] + 0.5) * patch.dx;
        if (formula.value(FormulaVariables(dim_, x, t).values) > 0) return true;
      }
    }
  }
  return false;
}

void RefinementCriterion::set_up(const io::KeyTable& keys, const Config& config) {
  const MeshConfig& mesh = config.mesh;
  if (level_ != 0 && (level_ < mesh.min_level || level_ > mesh.max_level)) {
    keys.reject("level",
                fmt::format("must be 0 or between {} (mesh.min-level) and {} (mesh.max-level), but is {}",
                            mesh.min_level, mesh.max_level, level_));
  }
  finest_ = level_ == 0 ? mesh.max_level : level_;
  set_up_where(keys, config);
}

int RefinementCriterion::limited(Flag flag, int level, int finest) {
  const int step = flag == Flag::refine ? 1 : flag == Flag::coarsen ? -1 : 0;
  return std::min(level + step, finest);
}

int RefinementCriterion::wanted_level(const LeafView& leaf, const StateView& state) const {
  return limited(flag(leaf, state), leaf.level, finest_);
}

}  // namespace meander::simulation
