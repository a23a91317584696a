// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/euler/tables/external_acceleration.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "physics/euler/kick.hpp"
#include "simulation/scenario_tools/field_formulas.hpp"

namespace meander::euler {

ExternalAcceleration::ExternalAcceleration(int dim, const FixedGravity& gravity)
    : dim_(dim), gravity_(gravity), formulas_({}) {}

ExternalAcceleration::ExternalAcceleration(const FixedGravity& gravity, const io::FormulaNames& known,
                                           const std::vector<std::string>& names,
                                           const std::vector<io::FormulaText>& formulas)
    : dim_(static_cast<int>(formulas.size())), gravity_(gravity), by_formulas_(true), formulas_(known) {
  const auto time = static_cast<std::uint32_t>(known.variables.size() - 1);
  for (std::size_t a = 0; a < formulas.size(); ++a) {
    const io::FormulaList::Given& given = formulas_.given(formulas_.add(names[a], formulas[a]));
    if ((given.used >> time & 1U) != 0)
      io::reject(names[a], formulas[a], "must not depend on t: the external acceleration does not change");
  }
}

template <int D>
void ExternalAcceleration::at(const double* x, double* g) const {
  std::fill_n(g, D, 0.0);
  if (!by_formulas_) return add_external<D>(gravity_.external, x, g);
  const simulation::FormulaVariables variables(D, x, 0);
  const std::vector<io::Formula>& formulas = formulas_.compiled();
  for (std::size_t a = 0; a < D; ++a) {
    g[a] = formulas[a].value(variables.values);
    simulation::check_finite(formulas_.given(a), D, x, 0, g[a]);
  }
}

template <int D>
double ExternalAcceleration::set(const solvers::PatchTask& patch, const solvers::PatchLayout& layout) const {
  double largest = 0;
  const int begin = -layout.h, end = layout.p + layout.h;
  for (int k = D == 3 ? begin : 0; k < (D == 3 ? end : 1); ++k) {
    for (int j = begin; j < end; ++j) {
      for (int i = begin; i < end; ++i) {
        const std::array<int, 3> volume = {i, j, k};
        double x[D], inside[D], sign[D], g[D], square = 0;
        for (int a = 0; a < D; ++a)
          x[a] = std::fma(volume[static_cast<std::size_t>(a)] + 0.5, patch.dx, patch.lower[a]);
        fold<D>(gravity_, x, inside, sign);
        at<D>(inside, g);
        for (int a = 0; a < D; ++a) {
          patch.q[layout.at(layout.unknowns + a, volume)] = sign[a] * g[a];
          square += g[a] * g[a];
        }
        const bool is_interior = std::ranges::all_of(volume, [&](int n) { return n >= 0 && n < layout.p; });
        if (is_interior) largest = std::max(largest, std::sqrt(square));
      }
    }
  }
  return largest;
}

double ExternalAcceleration::set(const solvers::PatchTask& patch, const solvers::PatchLayout& layout) const {
  return dim_ == 3 ? set<3>(patch, layout) : set<2>(patch, layout);
}

bool ExternalAcceleration::is_symmetric(int axis, double plane) const {
  constexpr int along_axis = 12;
  constexpr double tolerance = 1e-10;  // of the largest component
  const double dx = (gravity_.upper[axis] - gravity_.lower[axis]) / along_axis;
  double largest = 0, difference = 0;
  simulation::for_lattice({gravity_.lower, gravity_.lower + dim_}, {gravity_.upper, gravity_.upper + dim_},
                          dx, [&](const double* x) {
                            double image[3] = {}, here[3] = {}, beyond[3] = {};
                            std::copy_n(x, dim_, image);
                            image[axis] = 2 * plane - x[axis];
                            dim_ == 3 ? at<3>(x, here) : at<2>(x, here);
                            dim_ == 3 ? at<3>(image, beyond) : at<2>(image, beyond);
                            for (int a = 0; a < dim_; ++a) {
                              largest = std::max({largest, std::abs(here[a]), std::abs(beyond[a])});
                              difference =
                                  std::max(difference, std::abs(here[a] - (a == axis ? -1 : 1) * beyond[a]));
                            }
                          });
  return difference <= tolerance * largest;
}

void ExternalAcceleration::check_lattice(double dx) const {
  double g[3];
  simulation::for_lattice({gravity_.lower, gravity_.lower + dim_}, {gravity_.upper, gravity_.upper + dim_},
                          dx, [&](const double* x) { dim_ == 3 ? at<3>(x, g) : at<2>(x, g); });
}

}  // namespace meander::euler
