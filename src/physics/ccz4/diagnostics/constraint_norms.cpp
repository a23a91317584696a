// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/ccz4/module.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/exact_sum.hpp"
#include "base/vec.hpp"
#include "parallel/exact_sums.hpp"
#include "physics/ccz4/constraints.hpp"
#include "physics/ccz4/unknowns.hpp"
#include "simulation/config/input_tables.hpp"
#include "simulation/scenario_tools/checks.hpp"

namespace meander::ccz4 {

using namespace simulation;
namespace {

// Families of constraints with common norms: the range of patch_constraints() in each.
struct Family {
  const char* name;
  std::size_t first, last;
};
constexpr std::array families = {Family{"hamiltonian", 0, 0},    Family{"momentum", 1, 3},
                                 Family{"connection", 4, 4},     Family{"ordering_lapse", 5, 5},
                                 Family{"ordering_shift", 6, 6}, Family{"ordering_metric", 7, 7},
                                 Family{"ordering_phi", 8, 8}};

struct OfLeaf {
  std::array<double, families.size()> square{}, largest{};  // integral; magnitude
  double volume = 0;
  double lapse = std::numeric_limits<double>::infinity();
};

// The balls about punctures that are excluded.
struct Excluded {
  std::span<const Point<3>> punctures;
  double radius = 0;
};

bool excluded(const Excluded& balls, const std::array<double, 3>& x) {
  for (const auto& centre : balls.punctures) {
    const double dx = x[0] - centre[0], dy = x[1] - centre[1], dz = x[2] - centre[2];
    if (dx * dx + dy * dy + dz * dz < balls.radius * balls.radius) return true;
  }
  return false;
}

// 0 for excluded volumes, 1 for others.
std::vector<double> weights(const solvers::PatchTask& patch, const solvers::PatchLayout& layout,
                            const Excluded& balls) {
  std::vector<double> weight(static_cast<std::size_t>(layout.volumes()), 1.0);
  if (balls.punctures.empty() || balls.radius == 0) return weight;
  std::size_t v = 0;
  for (int k = 0; k < layout.p; ++k) {
    for (int j = 0; j < layout.p; ++j) {
      for (int i = 0; i < layout.p; ++i, ++v) {
        if (excluded(balls, {patch.lower[0] + (i + 0.5) * patch.dx, patch.lower[1] + (j + 0.5) * patch.dx,
                             patch.lower[2] + (k + 0.5) * patch.dx}))
          weight[v] = 0.0;
      }
    }
  }
  return weight;
}

OfLeaf norms_of(const solvers::PatchTask& patch, const solvers::PatchLayout& layout, const Excluded& balls) {
  thread_local std::vector<double> values;
  const auto volumes = static_cast<std::size_t>(layout.volumes());
  values.resize(constraint_count * volumes);
  patch_constraints(patch, layout, values);
  const std::vector<double> weight = weights(patch, layout, balls);
  const double volume = ipow(patch.dx, 3);
  OfLeaf leaf;
  for (std::size_t f = 0; f < families.size(); ++f) {
    for (std::size_t n = families[f].first; n <= families[f].last; ++n) {
      for (std::size_t v = 0; v < volumes; ++v) {
        const double value = weight[v] > 0 ? values[n * volumes + v] : 0.0;
        leaf.square[f] += value * value;
        leaf.largest[f] = std::max(leaf.largest[f], std::abs(value));
      }
    }
    leaf.square[f] *= volume;
  }
  for (const double one : weight) leaf.volume += one;
  leaf.volume *= volume;
  for (int k = 0; k < layout.p; ++k) {
    for (int j = 0; j < layout.p; ++j) {
      const double* lapse = patch.q + layout.at(at::a, 0, j, k);
      leaf.lapse = std::min(leaf.lapse, *std::min_element(lapse, lapse + layout.p));
    }
  }
  return leaf;
}

// Sums over a set of leaves on all ranks: of squares, then of volumes; and largest magnitudes.
struct Norms {
  std::array<ExactSum, families.size() + 1> sums;
  std::array<double, families.size()> largest{};

  void add(const OfLeaf& leaf) {
    for (std::size_t f = 0; f < families.size(); ++f) {
      sums[f].add(leaf.square[f]);
      largest[f] = std::max(largest[f], leaf.largest[f]);
    }
    sums.back().add(leaf.volume);
  }
  void over_ranks(const parallel::Communicator& communicator) {
    sum_over_ranks(communicator, sums);
    communicator.max(std::span<double>(largest));
  }
  // NaN without a volume: 0 would indicate that the constraints hold.
  void tell(const std::string& suffix, std::vector<Measure>& to) const {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    const double volume = sums.back().value();
    for (std::size_t f = 0; f < families.size(); ++f) {
      const double l2 = volume > 0 ? std::sqrt(sums[f].value() / volume) : none;
      to.push_back({fmt::format("{}_l2{}", families[f].name, suffix), "", l2});
      to.push_back({fmt::format("{}_linf{}", families[f].name, suffix), "", volume > 0 ? largest[f] : none});
    }
  }
};

class ConstraintNorms final : public Diagnostic {
 public:
  const char* name() const override { return "constraints"; }
  void describe(io::KeyTable& keys) override {
    keys.number("exclude-radius", exclude_radius_, "length",
                "The norms of the constraints exclude volumes within this distance of a puncture of the "
                "scenario. At most half of the domain's smallest width.",
                io::at_least(0));
  }

  void set_up(const io::KeyTable& keys, const Config& config) override {
    const double room = 0.5 * shortest_edge(setup_of(config));
    // Norms over an empty set would indicate that the constraints hold.
    if (exclude_radius_ > room) {
      keys.reject("exclude-radius",
                  fmt::format("a ball of radius {} does not fit into the domain, which is {} wide at its "
                              "narrowest",
                              exclude_radius_, 2 * room));
    }
    if (exclude_radius_ > 0 && config.scenario->tracked_points().empty())
      keys.reject("exclude-radius",
                  fmt::format("has no meaning for scenario.name = \"{}\", which has no puncture",
                              config.scenario_name));
    min_level_ = config.mesh.min_level;
    max_level_ = config.mesh.max_level;
  }

  std::unique_ptr<Diagnostic> start() const override { return std::make_unique<ConstraintNorms>(*this); }

  std::vector<Measure> measure(const StateView& view) const override {
    const Excluded balls{view.tracked_points, exclude_radius_};
    std::vector<OfLeaf> leaves(view.patches.size());
    view.team.for_chunks(leaves.size(), [&](int, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) leaves[i] = norms_of(view.patches[i], view.layout, balls);
    });
    const int levels = max_level_ - min_level_ + 1;
    Norms all;
    std::vector<Norms> of_level(static_cast<std::size_t>(levels > 1 ? levels : 0));
    double lapse = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      all.add(leaves[i]);
      if (levels > 1) of_level[static_cast<std::size_t>(view.levels[i] - min_level_)].add(leaves[i]);
      lapse = std::min(lapse, leaves[i].lapse);
    }
    std::vector<Measure> measures;
    all.over_ranks(view.communicator);
    all.tell("", measures);
    measures.push_back({"lapse_min", "", view.communicator.min(lapse)});
    for (int level = 0; level < static_cast<int>(of_level.size()); ++level) {
      Norms& norms = of_level[static_cast<std::size_t>(level)];
      norms.over_ranks(view.communicator);
      norms.tell(fmt::format("_level_{}", min_level_ + level), measures);
    }
    return measures;
  }

 private:
  double exclude_radius_ = 0;
  int min_level_ = 0, max_level_ = 0;
};

constexpr const char* intro_of_norms = R"(
Norms of the constraints of the Einstein equations (equation = "ccz4"): for each of the fields `hamiltonian`, `momentum`,
`connection` and `ordering_...` listed under [output], the root mean square over the volume (`_l2`) and the largest
magnitude (`_linf`), over the domain and, if there are several levels, over the leaves of each level (`_level_2`); `nan` where
there are no volumes, or all are excluded.
)";

}  // namespace

DiagnosticEntry constraint_norms_entry() {
  return {[] { return std::make_unique<ConstraintNorms>(); }, intro_of_norms};
}

}  // namespace meander::ccz4
