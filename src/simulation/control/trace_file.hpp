// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// `--trace FILE`: the timeline of a run, one file for all ranks, for Perfetto or scripts/plot-trace.

#include <cstdint>
#include <optional>
#include <string>

#include "base/trace.hpp"
#include "parallel/communicator.hpp"

namespace meander::simulation {

class TraceFile {
 public:
  // Creates the file and starts recording; `path` empty: nothing is recorded. Throws InputError (several
  // ranks: AgreedInputError) if the file cannot be written. Collective.
  TraceFile(const std::string& path, const parallel::Communicator& communicator);
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  // Ends the recording and writes the events of all ranks. The root receives them rank by rank, in pieces.
  // Throws Failure (several ranks: AgreedFailure). Collective.
  void finish();

 private:
  void add_events_of(int rank, const std::string& own);

  std::string path_;
  parallel::Communicator communicator_;
  std::optional<trace::Writer> writer_;  // on the root
  std::int64_t origin_ = 0;
};

}  // namespace meander::simulation
