// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Reading a file that nothing vouches for. HDF5 1.10 may crash on a damaged file, and never return from
// another: so it reads in a process of its own.

#include <functional>
#include <string>

namespace meander::io {

// What the body returns, which runs in a child process. `file` is what messages call it. Throws what the body
// throws (InputError as such, all else as Failure), and InputError where the child crashes or takes longer
// than `seconds`.
std::string run_in_subprocess(const std::string& file, const std::function<std::string()>& body,
                              unsigned seconds = 60);

}  // namespace meander::io
