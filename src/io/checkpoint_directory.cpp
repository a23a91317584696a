// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/checkpoint_directory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <system_error>
#include <vector>

#include "base/error.hpp"
#include "io/atomic_file.hpp"

namespace meander::io {

namespace fs = std::filesystem;

namespace {

std::vector<fs::path> files_of(const std::string& directory) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_regular_file(ignored)) files.push_back(entry->path());
  }
  if (error) throw Failure(fmt::format("{}: cannot be read: {}", directory, error.message()));
  return files;
}

// -1 for other files.
std::int64_t step_of(const std::string& name) {
  constexpr std::string_view prefix = "chk_", suffix = ".hdf5";
  if (name.size() <= prefix.size() + suffix.size() || !name.starts_with(prefix) || !name.ends_with(suffix))
    return -1;
  std::int64_t step = -1;
  const char* end = name.data() + name.size() - suffix.size();
  const auto [at, error] = std::from_chars(name.data() + prefix.size(), end, step);
  return error == std::errc{} && at == end && step >= 0 ? step : -1;
}

std::map<std::int64_t, fs::path> checkpoints(const std::string& directory) {
  std::map<std::int64_t, fs::path> result;
  for (const fs::path& file : files_of(directory)) {
    if (const std::int64_t step = step_of(file.filename()); step >= 0) result.emplace(step, file);
  }
  return result;
}

void delete_file(const fs::path& file) {
  std::error_code error;
  fs::remove(file, error);
  if (error) throw Failure(fmt::format("{}: cannot be removed: {}", file.string(), error.message()));
}

}  // namespace

std::string newest_checkpoint(const std::string& directory) {
  const auto all = checkpoints(directory);
  return all.empty() ? std::string() : all.rbegin()->second.string();
}

void keep_newest_checkpoints(const std::string& directory, int n, std::int64_t last) {
  const auto all = checkpoints(directory);
  const auto end = all.upper_bound(last);
  const auto own = std::distance(all.begin(), end);
  auto file = all.begin();
  for (std::ptrdiff_t i = n; i < own; ++i) delete_file((file++)->second);
}

void remove_leftovers(const std::string& directory) {
  const std::string ending = temporary_name("");
  for (const fs::path& file : files_of(directory)) {
    std::string name = file.filename();
    if (!name.ends_with(ending)) continue;
    name.resize(name.size() - ending.size());
    const bool ours = step_of(name) >= 0 || name.ends_with(".vtkhdf") || name.ends_with(".vtkhdf.series") ||
                      name == "history.csv";
    if (ours) delete_file(file);
  }
}

}  // namespace meander::io
