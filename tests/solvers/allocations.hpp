// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace meander::solvers::test {

// Number of calls of operator new in this program so far.
long allocations();

}  // namespace meander::solvers::test
