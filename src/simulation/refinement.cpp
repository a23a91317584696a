// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/refinement.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace meander::simulation {
namespace {

// A quantity on a patch, laid out like an unknown in its slot: valid on the interior and the first layer of
// the face halos.
template <int D>
class QuantityOnPatch {
 public:
  QuantityOnPatch(const solvers::Solver& solver, int quantity, const solvers::PatchLayout& layout,
                  const double* q)
      : layout_(layout) {
    if (quantity < layout.unknowns) {
      values_ = q + quantity * layout.unknown_stride();
      return;
    }
    // Once a volume here, or every jump would compute both its sides.
    thread_local std::vector<double> storage;
    storage.resize(std::max(storage.size(), static_cast<std::size_t>(layout.unknown_stride())));
    const auto& derived = solver.derived()[static_cast<std::size_t>(quantity)];
    const auto fill_row = [&](const Index<D>& first, int volumes) {
      double state[64];
      for (std::ptrdiff_t v = layout.at(0, first), end = v + volumes; v < end; ++v) {
        for (int u = 0; u < layout.unknowns; ++u) state[u] = q[u * layout.unknown_stride() + v];
        storage[static_cast<std::size_t>(v)] = derived.value(solver.parameters(), state);
      }
    };
    // Rows with their ends in the x halo, and those that lie in a halo of another axis.
    const int p = layout.p;
    for (int k = D == 3 ? -1 : 0; k < (D == 3 ? p + 1 : 1); ++k) {
      for (int j = -1; j <= p; ++j) {
        const bool k_inside = k >= 0 && k < p, j_inside = j >= 0 && j < p;
        if (!k_inside && !j_inside) continue;
        Index<D> first{};
        first[1] = j;
        if (D == 3) first[D - 1] = k;
        if (k_inside && j_inside) first[0] = -1;
        fill_row(first, p - 2 * first[0]);
      }
    }
    values_ = storage.data();
  }

  // Calls body(row) with a pointer to the first volume of every interior row.
  template <class Body>
  void for_interior_rows(const Body& body) const {
    Index<D> i{};
    for (int k = 0; k < (D == 3 ? layout_.p : 1); ++k) {
      if (D == 3) i[D - 1] = k;
      for (i[1] = 0; i[1] < layout_.p; ++i[1]) body(values_ + layout_.at(0, i));
    }
  }
  const solvers::PatchLayout& layout() const { return layout_; }

 private:
  const solvers::PatchLayout& layout_;
  const double* values_;
};

// |a - b| / max(|a|, |b|), 0 where both vanish.
double relative_jump(double a, double b) {
  const double scale = std::max(std::abs(a), std::abs(b));
  return std::abs(a - b) / (scale > 0 ? scale : 1.0);
}

template <int D>
double largest_jump(const QuantityOnPatch<D>& quantity) {
  const auto& layout = quantity.layout();
  double jump = 0;
  quantity.for_interior_rows([&](const double* row) {
    for (int a = 0; a < D; ++a) {
      // Against both neighbours: inner jumps are seen twice, which costs less than telling them apart.
      const std::ptrdiff_t stride = layout.stride(a);
      for (int x = 0; x < layout.p; ++x) {
        jump = std::max(
            jump, std::max(relative_jump(row[x], row[x + stride]), relative_jump(row[x], row[x - stride])));
      }
    }
  });
  return jump;
}

template <int D>
double largest_value(const QuantityOnPatch<D>& quantity) {
  double largest = -std::numeric_limits<double>::infinity();
  quantity.for_interior_rows([&](const double* row) {
    for (int x = 0; x < quantity.layout().p; ++x) largest = std::max(largest, row[x]);
  });
  return largest;
}

// Whether the child at a position of the refined cell in `direction` touches the leaf looking there.
template <int D>
bool touches(int position, int direction) {
  for (const int offset : mesh::offset_of<D>(direction)) {
    if ((offset > 0 && position % 3 != 0) || (offset < 0 && position % 3 != 2)) return false;
    position /= 3;
  }
  return true;
}

// The finest level that any leaf touching this one wants.
template <int D>
int most_wanted_around(const mesh::Neighbours<D>& neighbours, std::size_t leaf,
                       std::span<const std::int8_t> wanted) {
  int most = wanted[leaf];
  for (int direction = 0; direction < mesh::children<D>; ++direction) {
    const auto neighbour = neighbours.of(static_cast<std::int32_t>(leaf), direction);
    if (neighbour.is_leaf()) {
      most = std::max<int>(most, wanted[static_cast<std::size_t>(neighbour.leaf())]);
    } else if (neighbour.is_refined()) {
      const auto child = neighbours.refined_children(neighbour.refined_cell());
      for (int position = 0; position < mesh::children<D>; ++position) {
        const std::int32_t finer = child[static_cast<std::size_t>(position)];
        if (finer >= 0 && touches<D>(position, direction)) {
          most = std::max<int>(most, wanted[static_cast<std::size_t>(finer)]);
        }
      }
    }
  }
  return most;
}

}  // namespace

template <int D>
Refinement<D>::Refinement(const MeshConfig& mesh, const std::vector<RefinementConfig>& criteria,
                          const solvers::Solver& solver)
    : mesh_config_(mesh), solver_(solver) {
  const auto& derived = solver.derived();
  for (const RefinementConfig& config : criteria) {
    Criterion criterion{config, config.level == 0 ? mesh.max_level : std::min(config.level, mesh.max_level),
                        -1};
    const auto found = std::find_if(derived.begin(), derived.end(),
                                    [&](const auto& d) { return d.name == config.variable; });
    if (found != derived.end()) criterion.quantity = static_cast<int>(found - derived.begin());
    if (config.kind != "punctures") {
      criteria_.push_back(criterion);
      continue;
    }
    const int levels = mesh.max_level - mesh.min_level;
    for (std::size_t i = 0; i < std::min(config.radii.size(), static_cast<std::size_t>(levels)); ++i) {
      criterion.config.radius = config.radii[i];
      criterion.level = mesh.min_level + 1 + static_cast<int>(i);
      criteria_.push_back(criterion);
    }
  }
}

namespace {

// The distances from a point that a leaf spans.
struct Distances {
  double nearest = 0, farthest = 0;
};
template <int D, class Centre>
Distances distances(const solvers::PatchTask& patch, double width, const Centre& centre) {
  Distances squares;
  for (int a = 0; a < D; ++a) {
    const double low = patch.lower[a] - centre[static_cast<std::size_t>(a)], high = low + width;
    const double near = low > 0 ? low : high < 0 ? high : 0.0;
    const double far = std::max(std::abs(low), std::abs(high));
    squares.nearest += near * near;
    squares.farthest += far * far;
  }
  return {std::sqrt(squares.nearest), std::sqrt(squares.farthest)};
}

}  // namespace

template <int D>
auto Refinement<D>::judge(const Criterion& criterion, const mesh::PatchMesh<D>& mesh, std::size_t leaf,
                          const Moment& now) const -> Verdict {
  const RefinementConfig& config = criterion.config;
  const solvers::PatchTask& patch = mesh.patches()[leaf];
  if (config.kind == "jump" || config.kind == "threshold") {
    const QuantityOnPatch<D> quantity(solver_, criterion.quantity, mesh.layout(), patch.q);
    const double figure = config.kind == "jump" ? largest_jump<D>(quantity) : largest_value<D>(quantity);
    if (figure >= config.refine) return Verdict::refine;
    return figure < config.coarsen ? Verdict::coarsen : Verdict::keep;
  }
  const double width = patch.dx * mesh.layout().p;
  if (config.kind == "box") {
    for (int a = 0; a < D; ++a) {
      const auto axis = static_cast<std::size_t>(a);
      if (patch.lower[a] >= config.upper[axis] || patch.lower[a] + width <= config.lower[axis]) {
        return Verdict::coarsen;
      }
    }
    return Verdict::refine;
  }
  if (config.kind == "punctures") {
    for (const auto& puncture : now.punctures) {
      if (distances<D>(patch, width, puncture).nearest < config.radius) return Verdict::refine;
    }
    return Verdict::coarsen;
  }
  const auto [nearest, farthest] = distances<D>(patch, width, config.centre);
  const double t = now.t;
  const double radius = config.radius * (config.power == 0 ? 1.0 : std::pow(t / config.t_ref, config.power)) +
                        config.speed * (t - config.t_ref);
  const double inner = config.kind == "shell" ? radius - config.width / 2 : 0.0;
  const double outer = config.kind == "shell" ? radius + config.width / 2 : radius;
  return nearest < outer && farthest >= inner ? Verdict::refine : Verdict::coarsen;
}

template <int D>
int Refinement<D>::wanted_level(const mesh::PatchMesh<D>& mesh, std::size_t leaf, const Moment& now) const {
  const int level = mesh.levels()[leaf];
  int wanted = mesh_config_.min_level;
  for (const Criterion& criterion : criteria_) {
    if (wanted >= criterion.level) continue;  // it could not ask for more
    switch (judge(criterion, mesh, leaf, now)) {
      case Verdict::refine:
        wanted = std::max(wanted, std::min(level + 1, criterion.level));
        break;
      case Verdict::keep:
        wanted = std::max(wanted, std::min(level, criterion.level));
        break;
      case Verdict::coarsen:
        wanted = std::max(wanted, std::min(level - 1, criterion.level));
        break;
    }
  }
  return wanted;
}

template <int D>
std::vector<mesh::Adapt> Refinement<D>::wishes(const mesh::PatchMesh<D>& mesh, double t,
                                               std::span<const std::array<double, 3>> punctures,
                                               ThreadTeam& team) const {
  const auto& view = mesh.view();
  std::vector<std::int8_t> wanted(view.size());  // own leaves first
  const auto own = std::span(wanted).first(mesh.size());
  team.for_chunks(mesh.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t leaf = begin; leaf < end; ++leaf) {
      own[leaf] = static_cast<std::int8_t>(wanted_level(mesh, leaf, {t, punctures}));
    }
  });
  std::vector<std::int8_t> spread(mesh.size());
  for (int layer = 0; layer < mesh_config_.buffer; ++layer) {
    // What a neighbour wants spreads by one leaf a layer, read from the previous layer only.
    const auto ghosts = view.ghosts().template exchange<std::int8_t>(mesh.communicator(), own);
    for (std::size_t i = 0; i < ghosts.size(); ++i)
      wanted[static_cast<std::size_t>(view.ghost(i))] = ghosts[i];
    team.for_chunks(mesh.size(), [&](int, std::size_t begin, std::size_t end) {
      for (std::size_t leaf = begin; leaf < end; ++leaf) {
        const int most = most_wanted_around<D>(view.neighbours(), leaf, wanted);
        spread[leaf] =
            static_cast<std::int8_t>(std::max<int>(wanted[leaf], std::min(most, mesh.levels()[leaf] + 1)));
      }
    });
    std::ranges::copy(spread, own.begin());
  }
  std::vector<mesh::Adapt> adapt(mesh.size());
  for (std::size_t leaf = 0; leaf < mesh.size(); ++leaf) {
    const int level = mesh.levels()[leaf];
    adapt[leaf] = wanted[leaf] > level   ? mesh::Adapt::refine
                  : wanted[leaf] < level ? mesh::Adapt::coarsen
                                         : mesh::Adapt::keep;
  }
  return adapt;
}

template class Refinement<2>;
template class Refinement<3>;

}  // namespace meander::simulation
