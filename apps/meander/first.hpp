// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace meander::app {

// Called from anywhere, it makes the linker keep first.cpp, whose check runs before any of this program's
// initialisation. Does nothing itself.
void keep_first();

}  // namespace meander::app
