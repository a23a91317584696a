// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Output in the run: [[output.slice]], projection, box, sphere, line and probe, small enough for every few steps. Each is
// a table of an array in [output].

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "io/key_table.hpp"

namespace meander::simulation {

struct Config;

enum class OutputKind : std::uint8_t { slice, projection, box, sphere, line, probe };

// Positions have an entry for each axis of the domain.
struct RequestedOutput {
  OutputKind kind = OutputKind::slice;
  std::string name;                 // of its files: slice_NAME_000010.vtkhdf
  std::vector<std::string> fields;  // default: those of plot files
  // When, in addition to the first and the last state of files with images.
  double every = 0;           // interval of simulated time; 0: none
  int every_steps = 0;        // 0: none
  std::vector<double> times;  // steps are shortened to meet them
  // slice, projection
  std::string normal;  // an axis
  double offset = 0;   // of a slice
  std::string weight;  // of a projection; empty: none
  // slice, projection, box
  std::vector<double> lower, upper;  // of the region, within the domain
  int resolution = 1024;             // pixels along its longest edge; of a sphere: along its equator
  // sphere
  std::vector<double> centre;
  double radius = 0;
  // line
  std::vector<double> from, to;
  int points = 100;
  // probe
  std::vector<double> at;

  bool has_rows() const { return kind == OutputKind::line || kind == OutputKind::probe; }
  int axis() const;          // of `normal`
  std::string stem() const;  // "slice_mid"
};

struct OutputKindEntry {
  OutputKind kind;
  const char *name, *meaning;
};
// In the order of the documentation.
std::span<const OutputKindEntry> output_kinds();

// The tables of all kinds, as they are read. Its address must not change.
class OutputDrafts {
 public:
  // Declares the arrays in [output]. `config`: complete but for [output].
  void describe(io::KeyTable& output, const Config& config);
  // Rejects invalid values, with the key's position. `config`: complete with [output].
  std::vector<RequestedOutput> checked(const Config& config);

 private:
  std::deque<io::TableList> lists_;  // by kind
  std::deque<RequestedOutput> outputs_;
  std::deque<std::pair<OutputKind, std::size_t>> order_;  // of each output: its table in the list of its kind
};

// Declares the keys of a table of that kind.
void describe_requested_output(io::KeyTable& keys, RequestedOutput& output, const Config& config);

}  // namespace meander::simulation
