// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// A spacetime by formulas: lapse, shift, metric and extrinsic curvature.
#include "physics/ccz4/exact/from_metric.hpp"
#include "physics/ccz4/module.hpp"

namespace meander::ccz4 {

namespace {

// The place of the fields.
namespace field {
constexpr int lapse = 0, shift = 1, metric = 4, curvature = 10, count = 16;
}

// Fourth-order differences over a hundredth of a volume: their error, of the fourth power of that distance, is far below
// that of the scheme, and rounding errors are amplified a hundredfold.
constexpr double difference_distance = 0.01;

// The fields and their spatial derivatives at x.
std::array<exact::Jet<double>, field::count> jets(const simulation::FormulaFields::At& at, const double* x,
                                                  double dx) {
  std::array<exact::Jet<double>, field::count> result;
  double values[field::count];
  at(x, values);
  for (std::size_t f = 0; f < field::count; ++f) result[f].value = values[f];
  const double h = difference_distance * dx;
  for (int axis = 0; axis < 3; ++axis) {
    for (const auto& [steps, weight] :
         {std::pair{-2, 1.0 / 12}, {-1, -8.0 / 12}, {1, 8.0 / 12}, {2, -1.0 / 12}}) {
      double beside[3] = {x[0], x[1], x[2]};
      beside[axis] += steps * h;
      at(beside, values);
      for (std::size_t f = 0; f < field::count; ++f)
        result[f].d[1 + axis] += weight / h * (values[f] - result[f].value);
    }
  }
  return result;
}

// The component xx, xy, xz, yy, yz or zz for which the metric is not positive definite: one of the diagonal, else the largest of
// those beside it; -1: it is.
int indefinite_component(const double* g) {
  Symmetric<double> m;
  std::copy_n(g, 6, m.of);
  for (const int diagonal : {0, 3, 5}) {
    if (!(g[diagonal] > 0)) return diagonal;
  }
  if (m(0, 0) * m(1, 1) - m(0, 1) * m(0, 1) > 0 && exact::determinant(m) > 0) return -1;
  int largest = 1;
  for (const int beside : {2, 4}) largest = std::abs(g[beside]) > std::abs(g[largest]) ? beside : largest;
  return largest;
}

}  // namespace

simulation::FormulaFields Ccz4Equation::formula_fields(int) const {
  simulation::FormulaFields result;
  result.fields = {{"lapse", "lapse", "1"}};
  for (const char axis : {'x', 'y', 'z'})
    result.fields.push_back({std::string("shift-") + axis, std::string("shift beta^") + axis, "0"});
  constexpr const char* components[] = {"xx", "xy", "xz", "yy", "yz", "zz"};
  for (const std::string of : components)
    result.fields.push_back({"metric-" + of, "spatial metric g_" + of, of[0] == of[1] ? "1" : "0"});
  for (const std::string of : components)
    result.fields.push_back({"curvature-" + of, "extrinsic curvature K_" + of, "0"});
  result.unknowns_about = [](const simulation::FormulaFields::At& at, const double* x, double dx, double* q) {
    const auto here = jets(at, x, dx);
    exact::InitialData<exact::Jet<double>> data;
    data.adm.lapse = here[field::lapse];
    for (std::size_t i = 0; i < 3; ++i) data.adm.shift[i] = here[field::shift + i];
    for (std::size_t n = 0; n < 6; ++n) {
      data.adm.metric.of[n] = here[field::metric + n];
      data.curvature.of[n] = here[field::curvature + n];
    }
    const double point[3] = {x[0], x[1], x[2]};
    exact::from_data([&](const auto&) { return data; }, point, q);
  };
  result.refusal = [](const double* values) -> std::optional<simulation::FormulaFields::Refusal> {
    if (!(values[field::lapse] > 0)) return {{field::lapse, "must be positive"}};
    const int component = indefinite_component(values + field::metric);
    if (component < 0) return {};
    return {{static_cast<std::size_t>(field::metric + component), "must leave the metric positive definite"}};
  };
  return result;
}

}  // namespace meander::ccz4
