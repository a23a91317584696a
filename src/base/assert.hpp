// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// MEANDER_ASSERT(condition): an invariant of ours, checked in debug builds only.

#include <cassert>

#define MEANDER_ASSERT(condition) assert(condition)
