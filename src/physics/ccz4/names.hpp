// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Terms and kernels are written in the words of room solvers (Pack, fma, PatchTask), unqualified.

namespace meander::solvers {}

namespace meander::ccz4 {
using namespace solvers;
}
