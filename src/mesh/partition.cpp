// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/partition.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/assert.hpp"

namespace meander::mesh {

template <int D>
Partition<D>::Partition(std::vector<std::int64_t> first_leaf, std::vector<std::uint64_t> first_position)
    : table_(std::make_shared<const Table>(Table{std::move(first_leaf), std::move(first_position)})) {
  MEANDER_ASSERT(size() > 0 && table_->first_leaf.size() == table_->first_position.size() + 1);
  MEANDER_ASSERT(std::ranges::is_sorted(table_->first_leaf));
  MEANDER_ASSERT(std::ranges::is_sorted(table_->first_position));
}

template <int D>
int Partition<D>::owner(std::uint64_t position) const {
  // A rank without leaves has the same first position as the next one: the last of equal entries has leaves.
  const auto& first = table_->first_position;
  const auto above = std::upper_bound(first.begin(), first.end(), position);
  return static_cast<int>(std::max<std::ptrdiff_t>(1, above - first.begin()) - 1);
}

template <int D>
std::vector<std::int64_t> LevelCuts<D>::count(std::span<const Key<D>> leaves, int coarsest,
                                              std::size_t levels) {
  const LevelCuts numbered(coarsest, std::vector<Partition<D>>(levels));
  std::vector<std::int64_t> counts(levels, 0);
  for (const Key<D> leaf : leaves) ++counts[numbered.index(leaf.level())];
  return counts;
}

template <int D>
template <class Sum>
LevelCuts<D> LevelCuts<D>::even(int ranks, std::span<const Key<D>> leaves, int coarsest,
                                std::vector<std::int64_t> before, std::span<const std::int64_t> all,
                                const Sum& sum) {
  const auto size = static_cast<std::size_t>(ranks);
  LevelCuts cuts(coarsest, std::vector<Partition<D>>(all.size()));
  const auto first_leaf = [&](std::size_t level, std::int64_t rank) {
    return all[level] / ranks * rank + all[level] % ranks * rank / ranks;
  };
  // The rank whose leaves include one, or its first one, writes the position.
  std::vector<std::uint64_t> positions(all.size() * size, 0);
  for (const Key<D> leaf : leaves) {
    const std::size_t level = cuts.index(leaf.level());
    const std::int64_t number = before[level]++;
    // The last rank whose first leaf is not beyond this one.
    auto rank =
        static_cast<std::int64_t>(static_cast<double>(number) / static_cast<double>(all[level]) * ranks);
    while (rank + 1 < ranks && first_leaf(level, rank + 1) <= number) ++rank;
    while (rank > 0 && first_leaf(level, rank) > number) --rank;
    for (; rank >= 0 && first_leaf(level, rank) == number; --rank)
      positions[level * size + static_cast<std::size_t>(rank)] = position_of(leaf);
  }
  sum(std::span(positions));
  for (std::size_t level = 0; level < all.size(); ++level) {
    std::vector<std::int64_t> first(size + 1);
    for (std::size_t rank = 0; rank <= size; ++rank)
      first[rank] = first_leaf(level, static_cast<std::int64_t>(rank));
    const auto begin = positions.begin() + static_cast<std::ptrdiff_t>(level * size);
    std::vector<std::uint64_t> of_level(begin, begin + static_cast<std::ptrdiff_t>(size));
    if (all[level] == 0) std::ranges::fill(of_level, Partition<D>::no_position);
    cuts.levels_[level] = {std::move(first), std::move(of_level)};
  }
  return cuts;
}

template <int D>
LevelCuts<D> LevelCuts<D>::even(const parallel::Communicator& communicator, std::span<const Key<D>> leaves,
                                int coarsest, std::size_t levels) {
  std::vector<std::int64_t> all = count(leaves, coarsest, levels), before;
  for (const std::int64_t leaves_of_level : all)
    before.push_back(communicator.sum_of_lower_ranks(leaves_of_level));
  communicator.sum(std::span(all));
  return even(communicator.size(), leaves, coarsest, std::move(before), all,
              [&](std::span<std::uint64_t> positions) { communicator.sum(positions); });
}

template <int D>
LevelCuts<D> LevelCuts<D>::even(int ranks, std::span<const Key<D>> leaves, int coarsest, std::size_t levels) {
  return even(ranks, leaves, coarsest, std::vector<std::int64_t>(levels, 0), count(leaves, coarsest, levels),
              [](std::span<std::uint64_t>) {});
}

template class Partition<2>;
template class Partition<3>;
template class LevelCuts<2>;
template class LevelCuts<3>;

namespace {

struct Share {
  std::int64_t weight = 0, leaves = 0;
};

// The smallest integer >= count * total / parts, without overflow of the product.
std::int64_t ceiling_of_share(std::int64_t count, std::int64_t total, std::int64_t parts) {
  return count * (total / parts) + (count * (total % parts) + parts - 1) / parts;
}

// The first cut whose ideal lies above `weight`, found by bisection; `ranks` if there is none.
std::int64_t first_cut_above(std::int64_t weight, std::int64_t total, std::int64_t ranks) {
  std::int64_t low = 1, high = ranks;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (ceiling_of_share(middle, total, ranks) <= weight)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

Share sum_of(std::span<const std::int64_t> weights) {
  Share sum{0, static_cast<std::int64_t>(weights.size())};
  for (const std::int64_t weight : weights) {
    MEANDER_ASSERT(weight >= 0);
    sum.weight += weight;
  }
  return sum;
}

// The table for `ranks` ranks, as far as these weights determine it: the cuts whose ideal lies in (weight of
// all leaves before, that weight plus the sum of `weights`]. The other cuts are 0.
std::vector<std::int64_t> cuts_among(std::span<const std::int64_t> weights, Share before, Share all,
                                     std::int64_t ranks) {
  MEANDER_ASSERT(all.weight >= 0 && all.weight <= std::numeric_limits<std::int64_t>::max() / 2);
  const bool count_leaves = all.weight == 0;
  const std::int64_t total = count_leaves ? all.leaves : all.weight;
  std::vector<std::int64_t> cuts(static_cast<std::size_t>(ranks) + 1, 0);
  std::int64_t weight = count_leaves ? before.leaves : before.weight;
  std::int64_t cut = first_cut_above(weight, total, ranks);
  for (std::size_t i = 0; i < weights.size() && cut < ranks; ++i) {
    const std::int64_t above = weight + (count_leaves ? 1 : weights[i]);
    for (; cut < ranks && ceiling_of_share(cut, total, ranks) <= above; ++cut) {
      const bool upper_is_nearer = above + weight < ceiling_of_share(2 * cut, total, ranks);
      cuts[static_cast<std::size_t>(cut)] = before.leaves + static_cast<std::int64_t>(i) + upper_is_nearer;
    }
    weight = above;
  }
  cuts.back() = all.leaves;
  return cuts;
}

}  // namespace

std::vector<std::int64_t> cut_by_weight(const parallel::Communicator& communicator,
                                        std::span<const std::int64_t> weights) {
  if (communicator.size() == 1) return {0, static_cast<std::int64_t>(weights.size())};
  const Share own = sum_of(weights);
  const Share before{communicator.sum_of_lower_ranks(own.weight),
                     communicator.sum_of_lower_ranks(own.leaves)};
  std::int64_t all[] = {own.weight, own.leaves};
  communicator.sum(std::span<std::int64_t>(all));
  auto cuts = cuts_among(weights, before, {all[0], all[1]}, communicator.size());
  communicator.max(std::span<std::int64_t>(cuts));
  return cuts;
}

std::vector<std::int64_t> cut_by_weight(int ranks, std::span<const std::int64_t> weights) {
  return cuts_among(weights, {}, sum_of(weights), ranks);
}

Migration migration(std::span<const std::int64_t> from, std::span<const std::int64_t> to, int rank) {
  MEANDER_ASSERT(from.size() == to.size() && from.back() == to.back());
  // The intersections of the leaves [begin, end) with each rank's leaves in a table.
  const auto pieces = [](std::int64_t begin, std::int64_t end, std::span<const std::int64_t> table) {
    std::vector<Piece> result;
    if (begin == end) return result;
    const auto first = std::upper_bound(table.begin(), table.end(), begin) - table.begin() - 1;
    for (auto r = static_cast<std::size_t>(first); r + 1 < table.size() && table[r] < end; ++r) {
      const std::int64_t low = std::max(begin, table[r]), high = std::min(end, table[r + 1]);
      if (low < high)
        result.push_back({static_cast<int>(r), static_cast<std::size_t>(low - begin),
                          static_cast<std::size_t>(high - low)});
    }
    return result;
  };
  const auto r = static_cast<std::size_t>(rank);
  return {pieces(from[r], from[r + 1], to), pieces(to[r], to[r + 1], from)};
}

}  // namespace meander::mesh
