// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Reads an unverified file in a process of its own: HDF5 1.10 may crash or hang on a damaged file.

#include <functional>
#include <string>

namespace meander::io {

// Runs the body in a child process and returns its result. `file`: its name in messages. Exceptions of the
// body are rethrown, InputError as such and all others as Failure. Throws InputError if the child crashes or
// takes longer than `seconds`.
std::string run_in_subprocess(const std::string& file, const std::function<std::string()>& body,
                              unsigned seconds = 60);

}  // namespace meander::io
