// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace meander {

// The program meander with the arguments of main(), including start and end of MPI. Returns the exit code.
// Register equations and scenarios before. Call once.
int program(int argc, char** argv);

}  // namespace meander
