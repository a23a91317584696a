// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// `--trace FILE`: the timeline of a run, one file for all ranks, to be looked at in Perfetto or with
// scripts/plot-trace.

#include <cstdint>
#include <optional>
#include <string>

#include "base/trace.hpp"
#include "parallel/communicator.hpp"

namespace meander::simulation {

class TraceFile {
 public:
  // Starts to record, and makes the file, before any work; `path` empty: nothing is recorded. Throws
  // InputError (several ranks: AgreedInputError) if the file cannot be written. Collective.
  TraceFile(const std::string& path, const parallel::Communicator& communicator);
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  // Ends the recording and writes what all ranks have recorded. The root holds the events of one other rank
  // at a time, in pieces. Throws Failure (AgreedFailure). Collective.
  void finish();

 private:
  void add_events_of(int rank, const std::string& own);

  std::string path_;
  parallel::Communicator communicator_;
  std::optional<trace::Writer> writer_;  // on the root
  std::int64_t origin_ = 0;
};

}  // namespace meander::simulation
