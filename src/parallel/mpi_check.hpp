// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Checks of MPI return codes.

#include <mpi.h>

#include <string>

#include "base/error.hpp"

namespace meander::parallel {

// Message of the MPI library for an error code, for instance "MPI_ERR_NO_SPACE: no space left on device".
std::string mpi_reason(int code);

// Throws Failure with the name of the call if `code` is an error. Requires the error handler
// MPI_ERRORS_RETURN, which Meander's communicators and files have.
inline void mpi_check(int code, const char* call) {
  if (code != MPI_SUCCESS) throw Failure(std::string(call) + ": " + mpi_reason(code));
}

}  // namespace meander::parallel
