// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What a crash leaves behind: which rank and thread, and where it was.

namespace meander {

// From now on SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT (and so std::abort) write a report to standard
// error before they end the process as they would have: rank, thread, signal, backtrace, and the command that
// finds names and lines. rank -1: none. Before MPI is initialised, whose own handlers then keep away. Once a
// process. A program built with AddressSanitizer or ThreadSanitizer leaves this to them.
void report_crashes(int rank);

// The same report of this thread, now, for failures that are no signals. The caller ends the process.
void report_crash(const char* what);

}  // namespace meander
