// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A diagnostic: columns of history.csv, computed from the state, and optionally updated in every step. It may
// also have files with rows at times of its own.

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/checkpoint_file.hpp"
#include "io/key_table.hpp"
#include "io/row_files.hpp"
#include "simulation/state_view.hpp"

namespace meander::simulation {

struct Config;

// The rows due at a time.
struct DiagnosticRows {
  std::vector<io::Row> rows = {};  // one for each file; or none: nothing is due
  std::string stop = {};           // why the run must end after they are written; empty: it goes on
};

// Bytes on each rank beside the state.
struct RowMemory {
  double kept = 0;     // from the first rows on
  double passing = 0;  // while rows are computed
};

class Diagnostic {
 public:
  virtual ~Diagnostic() = default;

  // For the summary.
  virtual const char* name() const = 0;
  // Declares its keys in [diagnostics] or in its own table. Called once, before anything else. Default: none.
  virtual void describe(io::KeyTable&) {}
  // Rejects invalid values (keys.reject(key, why)) and keeps the required parts of the configuration, which
  // is complete. Default: nothing.
  virtual void set_up(const io::KeyTable& /*keys*/, const Config&) {}
  // A copy of this diagnostic after set_up(), for a run.
  virtual std::unique_ptr<Diagnostic> start() const = 0;

  // Called before and after the state advances from view.t to view.t + dt. Reads interiors, and halos after
  // view.source->fill_whole_halos() only. Collective. Default: nothing.
  virtual void begin_step(const StateView& /*view*/) {}
  virtual void end_step(const StateView& /*view*/, double /*dt*/) {}
  // Points that it follows; every view of the state contains them. Default: none.
  virtual std::span<const Point<3>> tracked_points() const { return {}; }

  // The columns at view.t, with the same names and order in every call. Values are bitwise identical on all
  // ranks and for any number of threads. Collective.
  virtual std::vector<Measure> measure(const StateView& view) const = 0;
  // Whether measure() or rows() reads halos, which may have to be filled for them.
  virtual bool reads_halos() const { return true; }

  // Its files beside history.csv, the same in every call. Default: none.
  virtual std::vector<io::RowFile> files() const { return {}; }
  // The rows due at view.t in files(). Called once for the state at the start, and once after every step. Values are bitwise
  // identical as those of measure(), and rows do not depend on restarts. The same on all ranks. Collective. Default: none.
  virtual DiagnosticRows rows(const StateView& /*view*/) { return {}; }
  // What rows() allocates; several diagnostics that share it say so once. Default: little.
  virtual RowMemory row_memory() const { return {}; }

  // Saves and restores its state through the counters of a checkpoint. Default: nothing.
  virtual void save(io::CheckpointState&) const {}
  virtual void resume(const io::CheckpointState&) {}
};

struct DiagnosticEntry {
  std::function<std::unique_ptr<Diagnostic>()> make;
  std::string intro = {};  // a paragraph for docs/input.md on its columns
  // The name and meaning of an array of tables of the input, [[name]], each of which makes one such diagnostic. Empty:
  // the diagnostic exists once, with keys in [diagnostics].
  std::string array = {}, meaning = {};
  // The names of all files that such diagnostics write (Diagnostic::files()), whatever their keys: a restart cuts those that
  // an earlier input has left in its directory.
  std::vector<io::RowFileNames> files = {};
};

}  // namespace meander::simulation
