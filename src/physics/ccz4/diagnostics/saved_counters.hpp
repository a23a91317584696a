// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The counters of a checkpoint that a diagnostic continues from. Checksums do not prove that Meander wrote the values:
// each is verified, and an invalid one refuses the restart.

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "base/vec.hpp"
#include "io/checkpoint_file.hpp"

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

}  // namespace meander::ccz4
