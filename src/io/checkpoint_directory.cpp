// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/checkpoint_directory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/error.hpp"
#include "io/atomic_file.hpp"
#include "io/checkpoint_file.hpp"
#include "io/output_directory.hpp"

namespace meander::io {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t least_digits = 6;

// The number of a file called prefix, number with at least six digits, suffix.
std::optional<std::int64_t> number_of(std::string_view name, std::string_view prefix,
                                      std::string_view suffix) {
  if (name.size() < prefix.size() + least_digits + suffix.size()) return std::nullopt;
  if (!name.starts_with(prefix) || !name.ends_with(suffix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  name.remove_suffix(suffix.size());
  if (name.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  if (name.size() > least_digits && name.front() == '0') return std::nullopt;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  return error == std::errc{} ? std::optional(number) : std::nullopt;
}

std::optional<std::int64_t> step_of(std::string_view name) {
  return number_of(name, "chk_", ".hdf5");
}

bool is_output_file(std::string_view name) {
  constexpr std::string_view others[] = {"plot.vtkhdf.series", "history.csv", "summary.json", "input.toml"};
  return step_of(name) || number_of(name, "plot_", ".vtkhdf") || number_of(name, "failed_", ".vtkhdf") ||
         std::find(std::begin(others), std::end(others), name) != std::end(others);
}

}  // namespace

std::vector<std::int64_t> checkpoint_steps(const std::string& directory) {
  std::vector<std::int64_t> steps;
  for (const fs::path& file : regular_files(directory)) {
    if (const auto step = step_of(file.filename().string())) steps.push_back(*step);
  }
  std::sort(steps.begin(), steps.end());
  return steps;
}

std::string newest_checkpoint(const std::string& directory) {
  const std::vector<std::int64_t> steps = checkpoint_steps(directory);
  return steps.empty() ? "" : (fs::path(directory) / checkpoint_name(steps.back())).string();
}

std::vector<std::string> set_aside_later_checkpoints(const std::string& directory, std::int64_t step) {
  std::vector<std::string> renamed;
  for (const std::int64_t later : checkpoint_steps(directory)) {
    if (later <= step) continue;
    const std::string path = (fs::path(directory) / checkpoint_name(later)).string();
    rename_durably(path, replaced_name(path));
    renamed.push_back(path);
  }
  return renamed;
}

std::string replaced_name(const std::string& path) {
  return path + ".replaced";
}

std::vector<std::string> remove_half_written_files(const std::string& directory) {
  const std::string ending = temporary_name("");
  std::vector<std::string> removed;
  for (const fs::path& file : regular_files(directory)) {
    std::string name = file.filename().string();
    if (!name.ends_with(ending)) continue;
    name.resize(name.size() - ending.size());
    if (!is_output_file(name)) continue;
    std::error_code error;
    fs::remove(file, error);
    if (error) throw Failure(fmt::format("{}: cannot be removed: {}", file.string(), error.message()));
    removed.push_back(file.string());
  }
  return removed;
}

}  // namespace meander::io
