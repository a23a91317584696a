// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/local_view.hpp"

#include <algorithm>
#include <utility>

#include "base/assert.hpp"

namespace meander::mesh {

template <int D>
LocalView<D>::LocalView(const DistributedTree<D>& tree, GhostLayer<D> ghosts_of_tree)
    : own_(tree.size()), ghosts_(std::move(ghosts_of_tree)) {
  if (tree.communicator().size() == 1) {
    neighbours_ = Neighbours<D>(Spacetree<D>(tree.domain(), {tree.leaves().begin(), tree.leaves().end()}), 0);
    rank_.assign(own_, 0);
    return;
  }
  const auto own = tree.leaves();
  const auto& ghosts = ghosts_.leaves;
  const auto ahead = static_cast<std::size_t>(
      own.empty() ? 0 : std::lower_bound(ghosts.begin(), ghosts.end(), own.front()) - ghosts.begin());
  std::vector<Key<D>> known(ghosts.size() + own.size());
  const auto after = std::copy(own.begin(), own.end(), std::copy_n(ghosts.begin(), ahead, known.begin()));
  std::copy(ghosts.begin() + static_cast<std::ptrdiff_t>(ahead), ghosts.end(), after);

  std::vector<std::size_t> index;
  const auto whole = complete_tree<D>(tree.domain(), known, &index);
  begin_ = own.empty() ? 0 : index[ahead];
  neighbours_ = Neighbours<D>(whole, begin_);

  rank_.assign(whole.size(), -1);
  std::fill_n(rank_.begin(), own_, tree.communicator().rank());
  ghost_.resize(ghosts.size());
  for (const auto& neighbour : ghosts_.neighbours) {
    for (std::size_t i = neighbour.begin; i < neighbour.end; ++i) {
      const std::size_t at = index[i < ahead ? i : i + own_];
      const std::size_t leaf = at >= begin_ ? at - begin_ : at + whole.size() - begin_;
      ghost_[i] = static_cast<std::int32_t>(leaf);
      rank_[leaf] = neighbour.rank;
    }
  }
}

template <int D>
std::size_t LocalView<D>::bytes() const {
  std::size_t mirrors = 0;
  for (const auto& neighbour : ghosts_.neighbours) mirrors += neighbour.mirrors.size();
  return neighbours_.bytes() + ghosts_.leaves.size() * sizeof(Key<D>) +
         (mirrors + ghost_.size() + rank_.size()) * sizeof(std::int32_t);
}

template class LocalView<2>;
template class LocalView<3>;

}  // namespace meander::mesh
