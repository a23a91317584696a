// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/refinement.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

namespace meander::simulation {

namespace {

// Whether the child at this position of the refined neighbour in `direction` touches the leaf.
template <int D>
bool touches(int position, int direction) {
  for (const int offset : mesh::offset_of<D>(direction)) {
    if ((offset > 0 && position % 3 != 0) || (offset < 0 && position % 3 != 2)) return false;
    position /= 3;
  }
  return true;
}

// The finest level wanted by any leaf that touches this one.
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
auto Refinement<D>::measure(const StateView& state) const -> Measures {
  Measures measures(criteria_.size());
  for (std::size_t n = 0; n < criteria_.size(); ++n) {
    const auto wanted = criteria_[n]->measure();
    if (!wanted) continue;
    if (auto measured = state.source->measure_leaves(*wanted)) measures[n] = std::move(*measured);
  }
  return measures;
}

template <int D>
int Refinement<D>::wanted_level(const StateView& state, std::span<const StateView> later,
                                const Measures& measures, std::size_t leaf) const {
  int wanted = min_level_;
  for (std::size_t n = 0; n < criteria_.size(); ++n) {
    const RefinementCriterion& criterion = *criteria_[n];
    if (wanted >= criterion.finest_level()) continue;  // it cannot require a finer level
    const solvers::PatchTask& place = state.patches.geometry()[leaf];
    const bool applies = criterion.applies(place, state.layout, state.t);
    if (!measures[n].empty()) {
      if (!applies) continue;
      wanted = std::max(wanted, criterion.wanted_level_by(measures[n][leaf], state.levels[leaf], state.t));
      continue;
    }
    // Only a criterion that reads the state brings it home.
    const LeafView view{criterion.reads_state() ? state.patches[leaf] : place, state.layout,
                        state.levels[leaf]};
    if (applies) wanted = std::max(wanted, criterion.wanted_level(view, state));
    if (criterion.reads_state()) continue;
    for (const StateView& then : later) {
      if (criterion.applies(place, state.layout, then.t))
        wanted = std::max(wanted, criterion.wanted_level(view, then));
    }
  }
  return wanted;
}

template <int D>
std::vector<mesh::Adapt> Refinement<D>::flags(const mesh::PatchMesh<D>& mesh, const StateView& state,
                                              std::span<const StateView> later) const {
  const auto& view = mesh.view();
  std::vector<std::int8_t> wanted(view.size());  // own leaves first
  const auto own = std::span(wanted).first(mesh.size());
  const Measures measures = measure(state);
  state.team.for_chunks(mesh.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t leaf = begin; leaf < end; ++leaf)
      own[leaf] = static_cast<std::int8_t>(wanted_level(state, later, measures, leaf));
  });
  std::vector<std::int8_t> spread(mesh.size());
  for (int layer = 0; layer < buffer_; ++layer) {
    // Wanted levels spread by one leaf for each layer; only those of the previous layer are read.
    const auto ghosts = view.ghosts().template exchange<std::int8_t>(mesh.communicator(), own);
    for (std::size_t i = 0; i < ghosts.size(); ++i)
      wanted[static_cast<std::size_t>(view.ghost(i))] = ghosts[i];
    state.team.for_chunks(mesh.size(), [&](int, std::size_t begin, std::size_t end) {
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
