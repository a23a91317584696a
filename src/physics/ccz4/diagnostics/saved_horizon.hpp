// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What a checkpoint holds of the searches for a horizon, as counters horizon-N-..., N the number of its table [[horizon]].

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "io/checkpoint_file.hpp"
#include "physics/ccz4/horizons/search.hpp"

namespace meander::ccz4 {

inline constexpr int most_horizon_degree = 32;  // of [[horizon]] l-max

// What a horizon surrounds: a puncture, all punctures, or a fixed point.
struct HorizonObject {
  int puncture = 0;  // from 1 on; 0: none
  bool common = false;
  std::vector<double> centre = {};  // empty: none
  friend bool operator==(const HorizonObject&, const HorizonObject&) = default;
  std::string text() const;  // "puncture 1", "all punctures", "the point (0.1, 0, 0)"
};

struct SearchState {
  static constexpr double never = -std::numeric_limits<double>::infinity();
  double last = never;                // time of the last search
  int misses = 0;                     // in a row
  int left_out = 0;                   // searches since the last one, after many misses
  std::optional<HorizonShape> shape;  // the surface of the last search that found one
};

struct SavedHorizon {
  std::optional<HorizonObject> object;  // none: the checkpoint was written before this was saved
  SearchState searches;
};

// Adds the counters, numbers bitwise.
void save_horizon(const SavedHorizon& horizon, int number, io::CheckpointState& state);
// Reads them back; without any, nothing has been searched. Throws parallel::AgreedInputError, on all ranks, that names the
// counter if one is missing or has an impossible value: of a surface that does not fit into the domain from `lower` to
// `upper`, or is not star-shaped.
SavedHorizon saved_horizon(const io::CheckpointState& state, int number, const Point<3>& lower,
                           const Point<3>& upper);

}  // namespace meander::ccz4
