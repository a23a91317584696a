// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The energy of gas and its own potential. In a step the gas should gain what the potential energy loses. The work of the kicks
// differs from that by the error of the scheme, of second order, and by that of the solution. One factor for all volumes closes
// the difference: each gets this share of the absolute value of its own work or of its thermal energy, whichever is less, so that
// no gas is cooled below zero.
//
// In supercomoving variables the potential energy W = a U also changes by U da as the scale factor a grows, which the gas does not
// feel: E + W less the integral of U da is constant (Layzer 1963, ApJ 138, 174; Irvine 1961).

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "io/checkpoint_file.hpp"

namespace meander::euler {

class EnergyBudget {
 public:
  void begin(double potential_energy) { potential_energy_ = potential_energy; }
  void regrid(double potential_energy) {
    by_regrids_ += potential_energy - potential_energy_;
    potential_energy_ = potential_energy;
  }
  // Before step(): the scale factor grows from a to b, and the potential energy becomes `potential_energy`.
  void expand(double a, double b, double potential_energy) {
    by_expansion_ += 0.5 * (potential_energy_ / a + potential_energy / b) * (b - a);
  }
  // The new potential energy; of its change, what mass brought through faces; the work on all volumes; and the sum of what the
  // factor is of.
  void step(double potential_energy, double through_faces, double work, double of_all) {
    const double missing = rest_ + potential_energy_ + through_faces - potential_energy - work;
    potential_energy_ = potential_energy;
    factor_ = of_all > 0 ? std::clamp(missing / of_all, -most, most) : 0;
    rest_ = missing - factor_ * of_all;
  }
  double factor() const { return factor_; }
  // The change of the potential energy by all regrids so far.
  double by_regrids() const { return by_regrids_; }
  // The integral of U da so far.
  double by_expansion() const { return by_expansion_; }

  void save(io::CheckpointState& state) const {
    for (const auto& [name, value] : {std::pair(rest_name, rest_), std::pair(regrids_name, by_regrids_),
                                      std::pair(expansion_name, by_expansion_)})
      state.counters.emplace_back(name, std::bit_cast<std::int64_t>(value));
  }
  void restore(const io::CheckpointState& state) {
    for (const auto& [name, value] : state.counters) {
      if (name == rest_name) rest_ = std::bit_cast<double>(value);
      if (name == regrids_name) by_regrids_ = std::bit_cast<double>(value);
      if (name == expansion_name) by_expansion_ = std::bit_cast<double>(value);
    }
  }

 private:
  static constexpr double most = 0.1;  // what is left is for the next step
  static constexpr const char *rest_name = "self-gravity: energy left",
                              *regrids_name = "self-gravity: energy by regrids",
                              *expansion_name = "self-gravity: energy by expansion";

  double potential_energy_ = 0, rest_ = 0, by_regrids_ = 0, by_expansion_ = 0, factor_ = 0;
};

}  // namespace meander::euler
