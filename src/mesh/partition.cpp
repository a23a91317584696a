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
    : first_leaf_(std::move(first_leaf)), first_position_(std::move(first_position)) {
  MEANDER_ASSERT(!first_position_.empty() && first_leaf_.size() == first_position_.size() + 1);
  MEANDER_ASSERT(std::is_sorted(first_leaf_.begin(), first_leaf_.end()));
  MEANDER_ASSERT(std::is_sorted(first_position_.begin(), first_position_.end()));
}

template <int D>
int Partition<D>::owner(std::uint64_t position) const {
  // A rank without leaves has the same first position as the next one: the last of equal entries has leaves.
  const auto above = std::upper_bound(first_position_.begin(), first_position_.end(), position);
  return static_cast<int>(std::max<std::ptrdiff_t>(1, above - first_position_.begin()) - 1);
}

template class Partition<2>;
template class Partition<3>;

namespace {

struct Share {
  std::int64_t weight = 0, leaves = 0;
};

// The smallest integer >= count * total / parts, without overflow of the product.
std::int64_t ceiling_of_share(std::int64_t count, std::int64_t total, std::int64_t parts) {
  return count * (total / parts) + (count * (total % parts) + parts - 1) / parts;
}

}  // namespace

std::vector<std::int64_t> cut_by_weight(const parallel::Communicator& communicator,
                                        std::span<const std::int64_t> weights) {
  const std::int64_t size = communicator.size();
  if (size == 1) return {0, static_cast<std::int64_t>(weights.size())};
  Share own{0, static_cast<std::int64_t>(weights.size())};
  for (const std::int64_t weight : weights) {
    MEANDER_ASSERT(weight >= 0);
    own.weight += weight;
  }
  auto shares = communicator.all_gather(own);
  std::int64_t total = 0, leaves = 0;
  for (const Share& share : shares) {
    total += share.weight;
    leaves += share.leaves;
  }
  MEANDER_ASSERT(total >= 0 && total <= std::numeric_limits<std::int64_t>::max() / 2);
  const bool count_leaves = total == 0;
  if (count_leaves) {
    for (Share& share : shares) share.weight = share.leaves;
    total = leaves;
  }
  Share before;
  for (int r = 0; r < communicator.rank(); ++r) {
    before.weight += shares[static_cast<std::size_t>(r)].weight;
    before.leaves += shares[static_cast<std::size_t>(r)].leaves;
  }

  // Each rank finds the cuts whose ideal lies in (weight of all ranks before it, that weight plus its own].
  std::vector<std::int64_t> cuts(static_cast<std::size_t>(size) + 1, 0);
  std::int64_t weight = before.weight;
  std::int64_t cut = 1;
  while (cut < size && ceiling_of_share(cut, total, size) <= weight) ++cut;
  for (std::size_t i = 0; i < weights.size() && cut < size; ++i) {
    const std::int64_t above = weight + (count_leaves ? 1 : weights[i]);
    for (; cut < size && ceiling_of_share(cut, total, size) <= above; ++cut) {
      const bool upper_is_nearer = above + weight < ceiling_of_share(2 * cut, total, size);
      cuts[static_cast<std::size_t>(cut)] = before.leaves + static_cast<std::int64_t>(i) + upper_is_nearer;
    }
    weight = above;
  }
  communicator.max(std::span<std::int64_t>(cuts));
  cuts.back() = leaves;
  return cuts;
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
