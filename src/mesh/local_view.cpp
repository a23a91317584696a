// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/local_view.hpp"

#include <algorithm>
#include <utility>

#include "base/assert.hpp"

namespace meander::mesh {

template <int D>
LocalView<D>::LocalView(const DistributedTree<D>& tree, GhostLayer<D> ghosts_of_tree, const ThreadTeam& team)
    : own_(tree.size()), ghosts_(std::move(ghosts_of_tree)) {
  if (tree.communicator().size() == 1) {
    neighbours_ =
        Neighbours<D>(Spacetree<D>(tree.domain(), {tree.leaves().begin(), tree.leaves().end()}), {}, team);
    rank_.assign(own_, 0);
    find_jumps(team);
    return;
  }
  // Own leaves and ghosts, by their number among all of both.
  struct Known {
    Key<D> key;
    std::int32_t number;
  };
  std::vector<Known> known;
  known.reserve(own_ + ghosts_.leaves.size());
  for (const auto leaves : {tree.leaves(), std::span<const Key<D>>(ghosts_.leaves)}) {
    for (const Key<D> key : leaves) known.push_back({key, static_cast<std::int32_t>(known.size())});
  }
  std::ranges::sort(known, {}, &Known::key);
  std::vector<Key<D>> keys(known.size());
  std::ranges::transform(known, keys.begin(), &Known::key);
  std::vector<std::size_t> index;
  const auto whole = complete_tree<D>(tree.domain(), keys, &index);

  std::vector<std::int32_t> numbers(whole.size(), -1);
  ghost_.assign(ghosts_.leaves.size(), -1);
  for (std::size_t i = 0; i < known.size(); ++i) {
    const auto number = static_cast<std::size_t>(known[i].number);
    if (number < own_)
      numbers[index[i]] = known[i].number;
    else
      ghost_[number - own_] = static_cast<std::int32_t>(index[i]);
  }
  position_.resize(whole.size());
  auto next = static_cast<std::int32_t>(own_);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    if (numbers[i] < 0) numbers[i] = next++;
    position_[static_cast<std::size_t>(numbers[i])] = static_cast<std::uint32_t>(i);
  }
  neighbours_ = Neighbours<D>(whole, numbers, team);

  rank_.assign(whole.size(), -1);
  std::fill_n(rank_.begin(), own_, tree.communicator().rank());
  for (std::int32_t& ghost : ghost_) ghost = numbers[static_cast<std::size_t>(ghost)];
  for (const auto& neighbour : ghosts_.neighbours) {
    for (std::size_t i = neighbour.begin; i < neighbour.end; ++i)
      rank_[static_cast<std::size_t>(ghost_[i])] = neighbour.rank;
  }
  find_jumps(team);
}

template <int D>
void LocalView<D>::find_jumps(const ThreadTeam& team) {
  const auto cells = neighbours_.cells();
  jumps_.resize(own_);
  team.for_chunks(own_, [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t leaf = begin; leaf < end; ++leaf) {
      int jumps = 0;
      for (int a = 0, stride = 1; a < D; ++a, stride *= 3) {
        for (const int direction : {children<D> / 2 - stride, children<D> / 2 + stride}) {
          const Neighbour neighbour = neighbours_.of(static_cast<std::int32_t>(leaf), direction);
          if (neighbour.is_refined()) jumps |= 1;
          if (neighbour.is_leaf() &&
              cells[static_cast<std::size_t>(neighbour.leaf())].level < cells[leaf].level)
            jumps |= 2;
        }
      }
      jumps_[leaf] = static_cast<char>(jumps);
    }
  });
}

template <int D>
std::size_t LocalView<D>::bytes() const {
  std::size_t mirrors = 0;
  for (const auto& neighbour : ghosts_.neighbours) mirrors += neighbour.mirrors.size();
  return neighbours_.bytes() + ghosts_.leaves.size() * sizeof(Key<D>) + jumps_.size() +
         (mirrors + ghost_.size() + rank_.size() + position_.size()) * sizeof(std::int32_t);
}

template class LocalView<2>;
template class LocalView<3>;

}  // namespace meander::mesh
