// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/outputs/pieces.hpp"

#include <algorithm>
#include <numeric>

namespace meander::simulation {

namespace {

struct Place {
  std::int64_t leaf = 0;  // number along the curve
  Piece piece;
  std::int32_t tag = 0;
};

// values: of the places in the given order.
Pieces in_curve_order(std::span<const Place> places, std::vector<double> values, std::size_t numbers) {
  std::vector<std::size_t> begin, order(places.size());
  std::size_t size = 0;
  for (const Place& place : places) {
    begin.push_back(size);
    size += place.piece.size() * numbers;
  }
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::size_t n) { return places[n].leaf; });
  Pieces pieces{.numbers = numbers, .list = {}, .tags = {}, .values = {}};
  const bool is_sorted = std::ranges::is_sorted(order);
  for (const std::size_t n : order) {
    pieces.list.push_back(places[n].piece);
    pieces.tags.push_back(places[n].tag);
    const auto from = values.begin() + static_cast<std::ptrdiff_t>(begin[n]);
    if (!is_sorted)
      pieces.values.insert(pieces.values.end(), from,
                           from + static_cast<std::ptrdiff_t>(places[n].piece.size() * numbers));
  }
  if (is_sorted) pieces.values = std::move(values);
  return pieces;
}

Pieces collect(const SampledState& state, std::span<const PieceOfLeaf> own, std::span<const PieceOfLeaf> kept,
               const std::vector<VolumeNumber>& numbers, Reading reading, const Reduce& reduce) {
  std::vector<VolumeBox> boxes;
  std::vector<std::size_t> begin;
  std::size_t size = 0;
  for (const PieceOfLeaf& one : own)
    boxes.push_back({one.leaf, one.piece.lower, one.piece.extent, one.mirrored});
  for (const PieceOfLeaf& one : kept) {
    begin.push_back(size);
    size += one.piece.size() * numbers.size();
  }
  std::vector<double> values(size);
  const VolumeReader reader(state.view, state.solver, numbers);
  const auto use = [&](std::size_t n, std::span<const double> of_box) {
    const auto to = std::span(values).subspan(begin[n], kept[n].piece.size() * numbers.size());
    if (reduce)
      reduce(n, of_box, to);
    else
      std::ranges::copy(of_box, to.begin());
  };
  reading == Reading::few ? reader.read_few(boxes, use) : reader.read(boxes, use);
  std::vector<Place> places;
  for (const PieceOfLeaf& one : kept) places.push_back({state.view.numbers[one.leaf], one.piece, one.tag});
  return in_curve_order(on_root(state.view.communicator, std::move(places)),
                        on_root(state.view.communicator, std::move(values)), numbers.size());
}

}  // namespace

Numbers numbers_of(std::span<const OutputField> fields) {
  Numbers numbers;
  for (const OutputField& field : fields) {
    numbers.first.push_back(numbers.list.size());
    numbers.list.insert(numbers.list.end(), field.components.begin(), field.components.end());
  }
  return numbers;
}

Pieces pieces_on_root(const SampledState& state, std::span<const PieceOfLeaf> own,
                      const std::vector<VolumeNumber>& numbers, Reading reading) {
  return collect(state, own, own, numbers, reading, {});
}

Reading reading_of(const SampledState& state, std::span<const PieceOfLeaf> own) {
  if (!state.view.source->uses_devices()) return Reading::most;
  const solvers::PatchLayout& layout = state.view.layout;
  std::int64_t volumes[] = {0, static_cast<std::int64_t>(state.leaves.size()) * layout.volumes()};
  for (const PieceOfLeaf& one : own) volumes[0] += static_cast<std::int64_t>(one.piece.size());
  state.view.communicator.sum(std::span<std::int64_t>(volumes));
  const double state_bytes = 8.0 * layout.unknowns;
  const double few = static_cast<double>(volumes[0]) * (sizeof(solvers::PointInPatch) + state_bytes);
  return few < static_cast<double>(volumes[1]) * state_bytes ? Reading::few : Reading::most;
}

Pieces pieces_on_root(const SampledState& state, std::span<const PieceOfLeaf> own,
                      std::span<const PieceOfLeaf> reduced, const std::vector<VolumeNumber>& numbers,
                      Reading reading, const Reduce& reduce) {
  return collect(state, own, reduced, numbers, reading, reduce);
}

}  // namespace meander::simulation
