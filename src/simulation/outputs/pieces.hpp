// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Numbers of volumes of all ranks on the root, in curve order.

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "parallel/communicator.hpp"
#include "simulation/outputs/fields.hpp"
#include "simulation/outputs/sampled.hpp"

namespace meander::simulation {

// The items of all ranks on the root, in order of rank. Collective.
template <class T>
std::vector<T> on_root(const parallel::Communicator& communicator, std::vector<T> own) {
  if (communicator.size() == 1) return own;
  std::vector<parallel::Parcel<T>> out;
  if (!communicator.is_root() && !own.empty()) out.push_back({0, std::exchange(own, {})});
  for (const parallel::Parcel<T>& parcel : parallel::exchange_sparsely(communicator, out))
    own.insert(own.end(), parcel.items.begin(), parcel.items.end());
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
