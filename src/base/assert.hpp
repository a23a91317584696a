// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// MEANDER_ASSERT(condition): an internal invariant, checked in debug builds only.

#include <cassert>

#define MEANDER_ASSERT(condition) assert(condition)
