// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Return codes of MPI, checked.

#include <mpi.h>

#include <string>

#include "base/error.hpp"

namespace meander::parallel {

// "MPI_ERR_NO_SPACE: no space left on device", as the library words it.
std::string mpi_reason(int code);

// Throws Failure that names the call. Communicators and files of ours return errors, they do not abort.
inline void mpi_check(int code, const char* call) {
  if (code != MPI_SUCCESS) throw Failure(std::string(call) + ": " + mpi_reason(code));
}

}  // namespace meander::parallel
