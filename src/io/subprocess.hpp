// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Reads an unverified file in a process of its own: HDF5 1.10 may crash or hang on a damaged file.

#include <functional>
#include <string>

namespace meander::io {

// Runs the body, which reads the file at `path`, in a child process and returns its result. Exceptions of the
// body are rethrown, InputError as such and all others as Failure. Throws InputError that names the file if the child
// crashes or takes longer than `seconds` (0: a minute, and as long as 20 MB/s take for the file), and Failure if another
// process kills it.
std::string run_in_subprocess(const std::string& path, const std::function<std::string()>& body,
                              unsigned seconds = 0);

}  // namespace meander::io
