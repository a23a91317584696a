// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/outputs/pieces.hpp"

#include <algorithm>

namespace meander::simulation {

namespace {

Pieces collect(const SampledState& state, std::span<const PieceOfLeaf> own, std::span<const PieceOfLeaf> kept,
               const std::vector<VolumeNumber>& numbers, Reading reading, const Reduce& reduce) {
  Pieces pieces{.numbers = numbers.size(), .list = {}, .values = {}};
  std::vector<VolumeBox> boxes;
  std::vector<std::size_t> begin;
  std::size_t size = 0;
  for (const PieceOfLeaf& one : own)
    boxes.push_back({one.leaf, one.piece.lower, one.piece.extent, one.mirrored});
  for (const PieceOfLeaf& one : kept) {
    pieces.list.push_back(one.piece);
    begin.push_back(size);
    size += one.piece.size() * numbers.size();
  }
  pieces.values.resize(size);
  const VolumeReader reader(state.view, state.solver, numbers);
  const auto use = [&](std::size_t n, std::span<const double> values) {
    const auto to = std::span(pieces.values).subspan(begin[n], kept[n].piece.size() * numbers.size());
    if (reduce)
      reduce(n, values, to);
    else
      std::ranges::copy(values, to.begin());
  };
  reading == Reading::few ? reader.read_few(boxes, use) : reader.read(boxes, use);
  pieces.list = on_root(state.view.communicator, std::move(pieces.list));
  pieces.values = on_root(state.view.communicator, std::move(pieces.values));
  return pieces;
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
