// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// An apparent horizon, searched at regular times: one table [[horizon]] of the input, the rows of horizon_N.csv.

#include <map>
#include <memory>
#include <optional>

#include "physics/ccz4/diagnostics/saved_counters.hpp"
#include "physics/ccz4/horizons/measures.hpp"
#include "simulation/diagnostic.hpp"

namespace meander::ccz4 {

// Keys of [[horizon]].
struct HorizonKeys {
  std::vector<double> centre;  // empty: none
  int puncture = 0;            // from 1 on; 0: none
  bool common = false;
  double radius = 0;  // of the sphere of the first search; 0: by the masses
  int l_max = 8;
  double every = 1, start = 0;
  std::string on_lost = "continue";
};

// The finders of all tables of an input, by l-max: each is made at its first search, by every rank for itself, and shared by
// the tables of that l-max.
class HorizonFinders {
 public:
  void expect(int l_max) { finders_.try_emplace(l_max); }
  const HorizonFinder& of(int l_max);
  // Of all that are expected, with one search at a time.
  HorizonMemory memory() const;

 private:
  std::map<int, std::optional<HorizonFinder>> finders_;
};

class HorizonSearches final : public simulation::Diagnostic {
 public:
  const char* name() const override { return "horizons"; }
  void describe(io::KeyTable& keys) override;
  void set_up(const io::KeyTable& keys, const simulation::Config& config) override;
  std::unique_ptr<simulation::Diagnostic> start() const override;
  std::vector<simulation::Measure> measure(const simulation::StateView&) const override { return {}; }

  std::vector<io::RowFile> files() const override;
  // Searches if a search is due at view.t. A search reads the state at points of its surface alone and changes nothing.
  simulation::DiagnosticRows rows(const simulation::StateView& view) override;
  simulation::RowMemory row_memory() const override;

  // What the horizon surrounds, the last surface and the time of the last search, bitwise.
  void save(io::CheckpointState& state) const override;
  // Throws parallel::AgreedInputError, on all ranks, if the table of this number was about another object, whose surface and
  // rows would be continued, or if the checkpoint's counters are invalid.
  void resume(const io::CheckpointState& state) override;

 private:
  struct Outcome {
    std::string status;
    SearchResult search;
    bool is_found = false;     // a surface about the object
    HorizonMeasures measures;  // if found
  };
  void check_object(const io::KeyTable& keys, const simulation::Config& config);
  void check_times(const io::KeyTable& keys, const simulation::Config& config);
  void check_memory(const io::KeyTable& keys, const simulation::Config& config) const;
  bool is_due(double t) const;
  // The centre of the surface, and the radius of the first sphere.
  Point<3> centre_of(const simulation::StateView& view) const;
  double radius_by_masses(const simulation::StateView& view) const;
  double first_radius(const simulation::StateView& view) const;
  // The volumes at the object are small enough for a horizon to be found.
  bool is_resolved(const simulation::StateView& view) const;
  bool is_too_early(const simulation::StateView& view) const;
  Outcome search(const simulation::StateView& view) const;
  // A surface does not surround all punctures, or surrounds others than that of the table.
  bool is_of_other_holes(const simulation::StateView& view, const SearchResult& found) const;
  void tell(const simulation::StateView& view, const Outcome& outcome) const;
  HorizonObject object() const;

  HorizonKeys keys_;
  int number_ = 1;     // of the table
  io::Origin origin_;  // of the key that names the object
  std::vector<double> masses_;
  Point<3> lower_{}, upper_{};  // of the domain
  std::shared_ptr<HorizonFinders> finders_;

  SearchState state_;
};

simulation::DiagnosticEntry horizons_entry();

}  // namespace meander::ccz4
