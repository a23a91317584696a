// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The counters of a checkpoint that a diagnostic continues from. Checksums do not prove that Meander wrote the values:
// each is verified, and an invalid one refuses the restart.

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/vec.hpp"
#include "io/checkpoint_file.hpp"
#include "physics/ccz4/horizons/search.hpp"

namespace meander::ccz4 {

// "x", "y", "z"
std::string coordinate_name(std::size_t axis);

// Counters by name without `prefix`. Invalid ones throw parallel::AgreedInputError, on all ranks, that names the file and
// the counter.
class SavedCounters {
 public:
  SavedCounters(const io::CheckpointState& state, std::string prefix);

  bool has(const std::string& name) const { return values_.contains(name); }
  // Those that start with `start`, in order.
  std::vector<std::string> names(const std::string& start) const;
  int integer(const std::string& name, std::int64_t most) const;  // from 0 on
  // The bits of a finite number.
  double number(const std::string& name, double least = std::numeric_limits<double>::lowest(),
                double most = std::numeric_limits<double>::max()) const;
  // start + "x", ...
  Point<3> point(const std::string& start, const Point<3>& lower, const Point<3>& upper) const;

  [[noreturn]] void refuse(const std::string& name, const std::string& why) const;

 private:
  std::int64_t at(const std::string& name) const;

  std::string file_, prefix_;
  std::map<std::string, std::int64_t> values_;
};

// The searches for a horizon are the counters horizon-N-..., N the number of its table [[horizon]].
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
