// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Features of HDF5 that this program never writes, and that a forged file could use to read other files, to load
// libraries, or to exhaust the memory: links other than hard links, external and virtual storage, filters, and sizes
// beyond the file's own.

#include <cstdint>
#include <string>

#include "io/hdf5.hpp"

namespace meander::io::hdf5 {

// Never load libraries for filters, whatever the environment says. Call before a file is opened.
void forbid_plugins();

// All functions return the reason to refuse the object, or nothing.

// The path of an object, component by component.
std::string why_not_followed(hid_t file, const std::string& path);
// A dataset before it is opened: not in another file. HDF5 1.10 loses memory if it opens one whose list of such files is damaged.
std::string why_not_opened(hid_t file, const std::string& path);
// A dataset: contiguous, without filters, its values in the first `file_bytes` bytes, and numbers or one
// string.
std::string why_not_read(hid_t dataset, std::int64_t file_bytes);
// The values of an attribute: numbers or one string.
std::string why_attribute_not_read(hid_t attribute, std::int64_t file_bytes);

}  // namespace meander::io::hdf5
