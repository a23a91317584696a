// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Numbers of volumes of all ranks on the root, in curve order.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "parallel/communicator.hpp"
#include "simulation/outputs/fields.hpp"
#include "simulation/outputs/sampled.hpp"

namespace meander::simulation {

inline constexpr std::size_t bytes_to_root = std::size_t{1} << 26;  // of a message, which MPI limits to 2 GiB

// The items of all ranks on the root, in order of rank. A rank sends messages of at most `most_bytes`, or of one item, in
// turn. Collective.
template <class T>
std::vector<T> on_root(const parallel::Communicator& communicator, std::vector<T> own,
                       std::size_t most_bytes = bytes_to_root) {
  if (communicator.size() == 1) return own;
  const std::size_t most = std::max<std::size_t>(1, most_bytes / sizeof(T));
  const std::size_t to_send = communicator.is_root() ? 0 : own.size();
  const auto largest = static_cast<std::size_t>(communicator.max(static_cast<std::int64_t>(to_send)));
  std::map<int, std::vector<T>> of_others;
  for (std::size_t begin = 0; begin < largest; begin += most) {
    std::vector<parallel::Parcel<T>> out;
    if (begin < to_send) {
      const auto from = own.begin() + static_cast<std::ptrdiff_t>(begin);
      out.push_back({0, {from, from + static_cast<std::ptrdiff_t>(std::min(most, to_send - begin))}});
    }
    for (const parallel::Parcel<T>& parcel : parallel::exchange_sparsely(communicator, out)) {
      std::vector<T>& items = of_others[parcel.rank];
      items.insert(items.end(), parcel.items.begin(), parcel.items.end());
    }
  }
  if (!communicator.is_root()) return {};
  for (auto& [rank, items] : of_others) {
    own.insert(own.end(), items.begin(), items.end());
    items = {};
  }
  return own;
}

// Volumes of a leaf of this rank.
struct PieceOfLeaf {
  std::size_t leaf = 0;
  Piece piece;
  Mirrors::Axes mirrored = 0;  // VolumeBox
  std::int32_t tag = 0;        // comes to the root with the piece
};

// Pieces with values: [piece][number][volume, x fastest].
struct Pieces {
  std::size_t numbers = 0;
  std::vector<Piece> list;
  std::vector<std::int32_t> tags;
  std::vector<double> values;

  // Calls visit(piece, values of that number) in order.
  template <class Visit>
  void visit(std::size_t number, const Visit& visit) const {
    const double* at = values.data();
    for (const Piece& piece : list) {
      visit(piece, at + number * piece.size());
      at += numbers * piece.size();
    }
  }
};

// All components of fields, one after another.
struct Numbers {
  std::vector<VolumeNumber> list;
  std::vector<std::size_t> first;  // of each field
};
Numbers numbers_of(std::span<const OutputField> fields);

// Whether a small part or most of the volumes is read (VolumeReader).
enum class Reading : std::uint8_t { few, most };
// What moves fewer bytes to and from devices: of single volumes, the stencil to the device and the unknowns back; or all
// patches. Collective.
Reading reading_of(const SampledState& state, std::span<const PieceOfLeaf> own);

// The values in the pieces of all ranks, ordered by rank and as given. Empty on other ranks than the root. Collective.
Pieces pieces_on_root(const SampledState& state, std::span<const PieceOfLeaf> own,
                      const std::vector<VolumeNumber>& numbers, Reading reading);
// As above, where `reduce` turns the values in own[n] into those in reduced[n], of another size. Called by any thread.
using Reduce = std::function<void(std::size_t n, std::span<const double> values, std::span<double> reduced)>;
Pieces pieces_on_root(const SampledState& state, std::span<const PieceOfLeaf> own,
                      std::span<const PieceOfLeaf> reduced, const std::vector<VolumeNumber>& numbers,
                      Reading reading, const Reduce& reduce);

}  // namespace meander::simulation
