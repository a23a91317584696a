// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A quantity of the solver on one patch, for criteria that read values.

#include <string>
#include <vector>

#include "io/key_table.hpp"
#include "simulation/refinement_criterion.hpp"

namespace meander::simulation {

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

// Base class of criteria with a key `variable`.
class QuantityCriterion : public RefinementCriterion {
 protected:
  void describe_variable(io::KeyTable& keys, const Config& config);
  // Rejects a name that is not a quantity of the solver. Call from set_up().
  void find_variable(const io::KeyTable& keys, const Config& config);
  QuantityOnPatch on(const LeafView& leaf) const { return {*solver_, quantity_, leaf}; }
  int quantity() const { return quantity_; }

 private:
  std::string variable_;
  std::shared_ptr<const solvers::Solver> solver_;
  int quantity_ = -1;
};

// The key `coarsen` must not exceed `refine`.
void check_thresholds(const io::KeyTable& keys, double refine, double coarsen);

}  // namespace meander::simulation
