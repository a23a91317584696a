// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/diagnostic.hpp"

namespace meander::simulation {

void Diagnostic::describe(io::KeyTable&) {}
void Diagnostic::set_up(const io::KeyTable&, const Config&) {}
void Diagnostic::begin_step(const StateView&) {}
void Diagnostic::end_step(const StateView&, double) {}
std::span<const Point<3>> Diagnostic::tracked_points() const {
  return {};
}
std::vector<io::RowFile> Diagnostic::files() const {
  return {};
}
DiagnosticRows Diagnostic::rows(const StateView&) {
  return {};
}
RowMemory Diagnostic::row_memory() const {
  return {};
}
void Diagnostic::save(io::CheckpointState&) const {}
void Diagnostic::resume(const io::CheckpointState&) {}

}  // namespace meander::simulation
