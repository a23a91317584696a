// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace meander::app {

// Does nothing; a call makes the linker keep first.cpp, whose check runs before all other initialisation.
void keep_first();

}  // namespace meander::app
