// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Crash reports: rank, thread and backtrace.

namespace meander {

// Installs handlers for SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT (hence also for std::abort). They write a
// report to standard error: rank, thread, signal, backtrace, and the command that prints names and lines. The
// signal then ends the process as usual. rank -1: none. Call once per process, and before MPI is initialised,
// because MPI does not replace handlers that are already installed. Has no effect in a program built with
// AddressSanitizer or ThreadSanitizer, which report crashes themselves.
void report_crashes(int rank);

// Writes the same report for the calling thread, for failures other than signals. The caller ends the
// process.
void report_crash(const char* what);

}  // namespace meander
