// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A model of the time of a step and of a regrid, from the counts of a census. Messages follow the postal model:
// a message of n bytes takes latency + n / bandwidth, and the messages of a rank follow each other.

#include "census.hpp"

namespace meander::bench {

struct Machine {
  double latency = 2e-6;   // s, of one message, and of each of log2 P rounds of a collective call
  double bandwidth = 1e9;  // B/s, of one rank while all ranks send
  double rate = 5e7;       // volumes/s, of one rank in a whole step (all stages)
};

struct Prediction {
  double ideal = 0;    // s, of a step of a rank with the mean number of leaves without any messages
  double compute = 0;  // s, of a step of the slowest rank without any messages
  double exposed = 0;  // s, of a step if no message is hidden
  double hidden =
      0;  // s, of a step if messages are hidden while leaves that are no border leaves are updated
  double reduction = 0;  // s, of the time step's reduction, part of both
  double regrid = 0;     // s, of a regrid: lists, plans and collective calls; without transfer of patches
};

// Bytes of the collective calls of a regrid, per rank of the machine, at most: three tables of pieces (16
// each), runs of flags (32), and the reduction of a new cut (8, twice through the network).
inline constexpr double regrid_bytes_per_rank = 96;
// Number of collective calls of a regrid, at most, without the one of each level.
inline constexpr double regrid_collectives = 24;

Prediction predict(const Census& census, const Machine& machine);

}  // namespace meander::bench
