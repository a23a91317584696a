// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// diagnostics.energies: the columns kinetic_energy and thermal_energy, integrals over the domain, bitwise equal for
// any number of threads and ranks.

#include <array>
#include <vector>

#include "base/exact_sum.hpp"
#include "base/vec.hpp"
#include "parallel/exact_sums.hpp"
#include "simulation/diagnostic.hpp"

namespace meander::euler {
namespace {

using namespace simulation;

struct Energies {
  double kinetic = 0, thermal = 0;
};

// The integrals over one patch.
Energies energies_of(const solvers::PatchTask& patch, const solvers::PatchLayout& layout) {
  Energies sum;
  const int dim = layout.dim;
  for (int k = 0; k < (dim == 3 ? layout.p : 1); ++k) {
    for (int j = 0; j < layout.p; ++j) {
      for (int i = 0; i < layout.p; ++i) {
        double momentum2 = 0;
        for (int a = 1; a <= dim; ++a) {
          const double momentum = patch.q[layout.at(a, i, j, k)];
          momentum2 += momentum * momentum;
        }
        const double kinetic = 0.5 * momentum2 / patch.q[layout.at(0, i, j, k)];
        sum.kinetic += kinetic;
        sum.thermal += patch.q[layout.at(dim + 1, i, j, k)] - kinetic;
      }
    }
  }
  const double volume = ipow(patch.dx, dim);
  return {sum.kinetic * volume, sum.thermal * volume};
}

class EnergyColumns final : public Diagnostic {
 public:
  const char* name() const override { return "energies"; }
  void describe(io::KeyTable& keys) override {
    keys.flag("energies", on_, "Euler: adds columns with the kinetic and the thermal energy in the domain.");
  }

  std::unique_ptr<Diagnostic> start() const override { return std::make_unique<EnergyColumns>(*this); }

  bool reads_halos() const override { return false; }
  std::vector<Measure> measure(const StateView& view) const override {
    if (!on_) return {};
    std::vector<Energies> leaves(view.patches.size());
    view.team.for_chunks(leaves.size(), [&](int, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) leaves[i] = energies_of(view.patches[i], view.layout);
    });
    std::array<ExactSum, 2> sums;
    for (const Energies& leaf : leaves) {
      sums[0].add(leaf.kinetic);
      sums[1].add(leaf.thermal);
    }
    sum_over_ranks(view.communicator, sums);
    const double images = view.mirrors->images();
    return {{"kinetic_energy", "", images * sums[0].value()},
            {"thermal_energy", "", images * sums[1].value()}};
  }

 private:
  bool on_ = false;
};

}  // namespace

DiagnosticEntry energies_entry() {
  return {
      [] { return std::make_unique<EnergyColumns>(); },
      "\nWith `energies`, the columns `kinetic_energy` and `thermal_energy`: their sum is `total_energy`.\n"};
}

}  // namespace meander::euler
