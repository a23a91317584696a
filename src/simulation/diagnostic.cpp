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
std::vector<io::SampleFile> Diagnostic::files() const {
  return {};
}
io::SampleRows Diagnostic::sample(const StateView&) {
  return {};
}
void Diagnostic::save(io::CheckpointState&) const {}
void Diagnostic::resume(const io::CheckpointState&) {}
std::optional<DiagnosticTable> Diagnostic::table() const {
  return {};
}
std::optional<DiagnosticRow> Diagnostic::row(const StateView&) {
  return {};
}

}  // namespace meander::simulation
