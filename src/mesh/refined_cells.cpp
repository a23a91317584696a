// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/refined_cells.hpp"

#include <algorithm>
#include <bit>

#include "base/assert.hpp"
#include "mesh/child_block.hpp"
#include "mesh/domain.hpp"

namespace meander::mesh {
namespace {

template <int D>
parallel::Parcel<Key<D>>& parcel_for(std::vector<parallel::Parcel<Key<D>>>& parcels, int rank) {
  for (auto& parcel : parcels) {
    if (parcel.rank == rank) return parcel;
  }
  return parcels.emplace_back(parallel::Parcel<Key<D>>{rank, {}});
}

}  // namespace

template <int D>
void RefinedCells<D>::Table::build(const std::vector<Refined>& cells) {
  const std::size_t slots = std::bit_ceil(std::max<std::size_t>(16, 2 * cells.size() + 2));
  shift_ = 64 - std::countr_zero(slots);
  entries_.assign(slots, Entry{0, -1});
  size_ = cells.size();
  for (std::size_t i = 0; i < cells.size(); ++i) insert(cells[i].at, static_cast<std::int32_t>(i));
}

template <int D>
void RefinedCells<D>::Table::insert(std::uint64_t at, std::int32_t cell) {
  const std::size_t mask = entries_.size() - 1;
  std::size_t slot = first_slot(at);
  while (entries_[slot].cell >= 0) slot = (slot + 1) & mask;
  entries_[slot] = {at, cell};
}

template <int D>
std::int32_t RefinedCells<D>::Table::find(std::uint64_t at) const {
  const std::size_t mask = entries_.size() - 1;
  std::size_t slot = first_slot(at);
  while (entries_[slot].cell >= 0 && entries_[slot].at != at) slot = (slot + 1) & mask;
  return entries_[slot].cell;
}

template <int D>
std::int32_t RefinedCells<D>::Table::find_or_add(std::uint64_t at, std::vector<Refined>& cells) {
  const std::size_t mask = entries_.size() - 1;
  std::size_t slot = first_slot(at);
  while (entries_[slot].cell >= 0 && entries_[slot].at != at) slot = (slot + 1) & mask;
  if (entries_[slot].cell >= 0) return entries_[slot].cell;
  const auto added = static_cast<std::int32_t>(cells.size());
  cells.push_back({at, 0});
  entries_[slot] = {at, added};
  if (2 * ++size_ > entries_.size()) build(cells);
  return added;
}

template <int D>
RefinedCells<D>::RefinedCells(const Domain<D>& domain)
    : domain_(domain), cells_(static_cast<std::size_t>(Key<D>::max_level - domain.base_level + 1)) {}

template <int D>
template <class Visit>
bool RefinedCells<D>::visit_required(int level, const Refined& cell, const Visit& visit) const {
  static constexpr auto touching = children_at_sides<D>();
  static constexpr std::uint32_t inner = 1u << (children<D> / 2);
  if ((cell.refined & ~inner) == 0) return true;
  // step[a][offset + 1]: increment of the packed coordinates, with periodic wrap. Sums are exact modulo 2^64
  // and leave no word for `outside`, hence the flags `inside`.
  std::uint64_t step[D][3];
  bool inside[D][3];
  for (int a = 0; a < D; ++a) {
    const int x = Packed<D>::axis(cell.at, a);
    const int n = domain_.cells(level, a);
    const std::uint64_t unit = std::uint64_t{1} << (Packed<D>::axis_bits * a);
    const std::uint64_t wrap = unit * static_cast<std::uint64_t>(n - 1);
    step[a][0] = x > 0 ? 0 - unit : wrap;
    step[a][1] = 0;
    step[a][2] = x < n - 1 ? unit : 0 - wrap;
    inside[a][0] = x > 0 || domain_.periodic[a];
    inside[a][1] = true;
    inside[a][2] = x < n - 1 || domain_.periodic[a];
  }
  for (int direction = 0; direction < children<D>; ++direction) {
    const auto d = static_cast<std::size_t>(direction);
    if ((cell.refined & touching[d]) == 0 || direction == children<D> / 2) continue;
    const auto& side = peano_tables<D>.coordinates[d];
    std::uint64_t at = cell.at;
    bool in = true;
    for (int a = 0; a < D; ++a) {
      at += step[a][side[a]];
      in = in && inside[a][side[a]];
    }
    if (in && !visit(at)) return false;
  }
  return true;
}

template <int D>
bool RefinedCells<D>::is_balanced(const Ranks<D>* ranks) {
  tables_.assign(cells_.size(), {});
  bool balanced = true;
  std::vector<parallel::Parcel<Key<D>>> questions;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    if (cells_[i].empty()) continue;
    tables_[i].build(cells_[i]);
    const int level = static_cast<int>(i) + domain_.base_level;
    for (const Refined& cell : cells_[i]) {
      balanced = balanced && visit_required(level, cell, [&](std::uint64_t at) {
                   if (tables_[i].find(at) >= 0) return true;
                   if (ranks == nullptr) return false;
                   const Key<D> key = key_of<D>({Packed<D>::at(at), level});
                   const int owner = ranks->partition.owner(position_of(key));
                   if (owner == ranks->communicator.rank()) return false;
                   parcel_for(questions, owner).items.push_back(key);
                   return true;
                 });
    }
  }
  if (ranks == nullptr) return balanced;
  for (const auto& parcel : parallel::exchange_sparsely(ranks->communicator, questions)) {
    for (const Key<D> key : parcel.items) {
      const Table& table = tables_[index(key.level())];
      balanced = balanced && !table.is_empty() && table.find(Packed<D>::of(cell_of(key).at)) >= 0;
    }
  }
  return !ranks->communicator.any(!balanced);
}

template <int D>
void RefinedCells<D>::balance(const Ranks<D>* ranks) {
  std::size_t levels = cells_.size();
  while (levels > 0 && cells_[levels - 1].empty()) --levels;
  if (ranks != nullptr) {
    levels = static_cast<std::size_t>(ranks->communicator.max(static_cast<std::int64_t>(levels)));
  }
  tables_.assign(levels, {});
  std::vector<std::size_t> given(levels);
  for (std::size_t i = 0; i < levels; ++i) {
    given[i] = cells_[i].size();
    tables_[i].build(cells_[i]);
  }
  for (std::size_t i = levels; i-- > 0;) {
    // Cells added here have no refined children yet, so they require no cells on this level.
    auto& cells = cells_[i];
    const std::size_t asking = cells.size();
    for (std::size_t c = 0; c < asking; ++c) {
      visit_required(static_cast<int>(i) + domain_.base_level, Refined(cells[c]), [&](std::uint64_t at) {
        tables_[i].find_or_add(at, cells);
        return true;
      });
    }
    if (ranks != nullptr) exchange_required(i, asking, *ranks);
    if (i == 0) break;
    for (std::size_t c = given[i]; c < cells.size(); ++c) {
      if (cells[c].refined == foreign) continue;
      Index<D> at = Packed<D>::at(cells[c].at);
      int position = 0;
      for (int a = D - 1; a >= 0; --a) {
        position = 3 * position + at[a] % 3;
        at[a] /= 3;
      }
      const std::int32_t parent = tables_[i - 1].find_or_add(Packed<D>::of(at), cells_[i - 1]);
      cells_[i - 1][static_cast<std::size_t>(parent)].refined |= 1u << position;
    }
  }
}

template <int D>
void RefinedCells<D>::exchange_required(std::size_t level_index, std::size_t first, const Ranks<D>& ranks) {
  auto& cells = cells_[level_index];
  const int level = static_cast<int>(level_index) + domain_.base_level;
  std::vector<parallel::Parcel<Key<D>>> requests;
  for (std::size_t c = first; c < cells.size(); ++c) {
    // A cell that is not known to be refined is a leaf or part of one, hence on one rank.
    const Key<D> key = key_of<D>({Packed<D>::at(cells[c].at), level});
    const int owner = ranks.partition.owner(position_of(key));
    if (owner == ranks.communicator.rank()) continue;
    cells[c].refined = foreign;
    ++foreign_cells_;
    parcel_for(requests, owner).items.push_back(key);
  }
  for (const auto& parcel : parallel::exchange_sparsely(ranks.communicator, requests)) {
    for (const Key<D> key : parcel.items)
      tables_[level_index].find_or_add(Packed<D>::of(cell_of(key).at), cells);
  }
}

template <int D>
std::size_t RefinedCells<D>::number_of_leaves() const {
  std::size_t refined = 0;
  for (const auto& cells : cells_) refined += cells.size();
  return domain_.number_of_base_cells() + (refined - foreign_cells_) * (children<D> - 1);
}

template <int D>
std::vector<Key<D>> RefinedCells<D>::leaves() const {
  std::vector<Key<D>> result(number_of_leaves());
  Key<D>* out = result.data();
  visit_base_cells(domain_, [&](const BaseCell<D>& base) {
    const std::int32_t cell = tables_.empty() ? -1 : tables_[0].find(base.cursor.at);
    if (cell < 0)
      *out++ = base.key;
    else
      out = write_leaves(0, cell, base.key, base.cursor, out);
    return true;
  });
  MEANDER_ASSERT(out == result.data() + result.size());
  return result;
}

template <int D>
std::vector<Key<D>> RefinedCells<D>::leaves(std::uint64_t begin, std::uint64_t end,
                                            std::size_t others) const {
  std::vector<Key<D>> result(number_of_leaves() - others);
  Key<D>* out = result.data();
  visit_base_cells(domain_, [&](const BaseCell<D>& base) {
    const std::int32_t cell = tables_.empty() ? -1 : tables_[0].find(base.cursor.at);
    const bool starts_within = begin <= position_of(base.key) && position_of(base.key) < end;
    if (cell >= 0 && cells_[0][static_cast<std::size_t>(cell)].refined != foreign)
      out = write_leaves_within(begin, end, 0, cell, base.key, base.cursor, out);
    else if (starts_within)
      *out++ = base.key;
    return true;
  });
  MEANDER_ASSERT(out == result.data() + result.size());
  return result;
}

template <int D>
Key<D>* RefinedCells<D>::write_leaves_within(std::uint64_t begin, std::uint64_t end, int depth,
                                             std::int32_t cell, Key<D> key, Cursor<D> cursor,
                                             Key<D>* out) const {
  const std::uint32_t refined =
      cells_[static_cast<std::size_t>(depth)][static_cast<std::size_t>(cell)].refined;
  for (int digit = 0; digit < children<D>; ++digit) {
    const Key<D> child = key.child(digit);
    const std::uint64_t first = position_of(child), after = position_after(child);
    if (after <= begin || first >= end) continue;
    const int position = cursor.position(digit);
    if ((refined >> position & 1u) == 0) {
      *out++ = child;
      continue;
    }
    const Cursor<D> child_cursor = cursor.child_at(position);
    const std::int32_t found = tables_[static_cast<std::size_t>(depth) + 1].find(child_cursor.at);
    out = begin <= first && after <= end
              ? write_leaves(depth + 1, found, child, child_cursor, out)
              : write_leaves_within(begin, end, depth + 1, found, child, child_cursor, out);
  }
  return out;
}

template <int D>
Key<D>* RefinedCells<D>::write_leaves(int depth, std::int32_t cell, Key<D> key, Cursor<D> cursor,
                                      Key<D>* out) const {
  const std::uint32_t refined =
      cells_[static_cast<std::size_t>(depth)][static_cast<std::size_t>(cell)].refined;
  const Key<D> first = key.child(0);
  const std::uint64_t step = std::uint64_t{1} << Key<D>::shift(first.level());
  if (refined == 0) {
    for (int digit = 0; digit < children<D>; ++digit)
      out[digit].bits = first.bits + static_cast<std::uint64_t>(digit) * step;
    return out + children<D>;
  }
  const Table& table = tables_[static_cast<std::size_t>(depth) + 1];
  for (int digit = 0; digit < children<D>; ++digit) {
    const Key<D> child{first.bits + static_cast<std::uint64_t>(digit) * step};
    const int position = cursor.position(digit);
    if ((refined >> position & 1u) == 0) {
      *out++ = child;
    } else {
      const Cursor<D> child_cursor = cursor.child_at(position);
      out = write_leaves(depth + 1, table.find(child_cursor.at), child, child_cursor, out);
    }
  }
  return out;
}

template class RefinedCells<2>;
template class RefinedCells<3>;

}  // namespace meander::mesh
