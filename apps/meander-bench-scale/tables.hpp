// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Censuses and predictions as Markdown tables and as CSV.

#include <cstdio>
#include <span>

#include "model.hpp"

namespace meander::bench {

// Leaves, neighbours, messages and bytes of a rank and stage: "mean / max" over ranks.
void print_counts(std::span<const Census> all);
// Memory of a rank, and CPU time to cut the curve and to build the tables.
void print_memory(std::span<const Census> all);
// Predicted steps. Efficiency: the time to update the mean number of leaves a rank over the time of the step.
void print_model(std::span<const Census> all, const Machine& machine);
// All figures, one row a census.
void write_csv(std::FILE* file, std::span<const Census> all, const Machine& machine);

}  // namespace meander::bench
