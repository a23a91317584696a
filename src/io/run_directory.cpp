// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/run_directory.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string_view>
#include <system_error>

#include "base/error.hpp"
#include "base/log.hpp"
#include "io/checkpoint_file.hpp"
#include "io/files.hpp"

namespace meander::io {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw InputError(
      fmt::format("{}: {}; choose another output directory with --output or output.directory", path, why));
}

// Lock files may exist: of a run that has not written yet, or was killed before.
void require_empty(const std::string& path) {
  std::error_code error;
  bool empty = true;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error)) {
    if (!entry->path().filename().string().starts_with(DirectoryLock::file_name)) empty = false;
  }
  if (error) refuse(path, "cannot be read (" + error.message() + ")");
  if (!empty) refuse(path, "exists and is not empty");
}

void log_note(const DirectoryLock& lock) {
  if (!lock.note().empty()) log::info(lock.note());
}

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

// Of output in the run: slice_NAME_NNNNNN.vtkhdf and its list.
bool is_requested_output(std::string_view name) {
  constexpr std::string_view kinds[] = {"slice_", "projection_", "box_", "sphere_"};
  constexpr std::string_view in_names = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-";
  for (const std::string_view kind : kinds) {
    if (!name.starts_with(kind)) continue;
    const std::size_t end = name.find_first_not_of(in_names, kind.size());
    if (end == std::string_view::npos || end == kind.size()) return false;
    const std::string_view rest = name.substr(end);
    return rest == ".vtkhdf.series" || number_of(rest, "_", ".vtkhdf").has_value();
  }
  return false;
}

bool is_output_file(std::string_view name) {
  constexpr std::string_view others[] = {"plot.vtkhdf.series", "history.csv", "summary.json", "input.toml"};
  return step_of(name) || is_requested_output(name) || number_of(name, "plot_", ".vtkhdf") ||
         number_of(name, "failed_", ".vtkhdf") ||
         std::find(std::begin(others), std::end(others), name) != std::end(others);
}

}  // namespace

NewDirectory::NewDirectory(std::string path, const parallel::Communicator& communicator)
    : path_(std::move(path)) {
  communicator.agree([&] {
    if (!communicator.is_root()) return;
    try {
      create();
    } catch (...) {
      leave();
      throw;
    }
    log_note(*lock_);
  });
}

void NewDirectory::leave() noexcept {
  lock_.reset();
  // rmdir removes empty directories only.
  for (auto path = created_.rbegin(); path != created_.rend() && ::rmdir(path->c_str()) == 0; ++path) {
  }
}

void NewDirectory::create() {
  std::error_code error;
  const fs::file_status status = fs::status(path_, error);
  if (fs::exists(status)) {
    if (!fs::is_directory(status)) refuse(path_, "exists and is no directory");
    require_empty(path_);
  }
  fs::path current;
  for (const fs::path& part : fs::path(path_)) {
    current /= part;
    if (::mkdir(current.c_str(), 0777) == 0) {
      created_.push_back(current.string());
    } else if (const int reason = errno; !fs::is_directory(current, error)) {
      refuse(path_, fmt::format("cannot be created ({}: {})", current.string(),
                                std::strerror(reason == EEXIST ? ENOTDIR : reason)));
    }
  }
  try {
    lock_.emplace(path_);
  } catch (const DirectoryLock::Impossible& impossible) {
    refuse(path_, fmt::format("cannot be written ({})", impossible.what()));
  }
  require_empty(path_);  // another run may have written and ended meanwhile
}

ContinuedDirectory::ContinuedDirectory(const std::string& path, const parallel::Communicator& communicator)
    : path_(path), communicator_(communicator) {
  communicator_.agree([&] {
    if (!communicator_.is_root() || path_.empty()) return;
    try {
      lock_.emplace(path_);
    } catch (const DirectoryLock::Impossible& error) {
      why_impossible_ = error.what();
    }
  });
}

void ContinuedDirectory::require_lock() const {
  communicator_.agree([&] {
    if (!communicator_.is_root() || path_.empty()) return;
    if (!lock_) throw InputError(fmt::format("{}; --output restarts in another directory", why_impossible_));
    log_note(*lock_);
  });
}

void ContinuedDirectory::take_over(std::int64_t step) const {
  communicator_.agree([&] {
    if (!communicator_.is_root() || path_.empty()) return;
    for (const std::string& file : remove_half_written_files(path_))
      log::info(fmt::format("{}: half-written file removed", file));
    for (const std::string& file : set_aside_later_checkpoints(path_, step)) {
      log::info(fmt::format("{}: is of a later step than this restart, and now called {}", file,
                            replaced_name(file)));
    }
  });
}

std::vector<fs::path> regular_files(const std::string& directory) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_regular_file(ignored)) files.push_back(entry->path());
  }
  if (error) throw Failure(fmt::format("{}: cannot be read: {}", directory, error.message()));
  std::sort(files.begin(), files.end());
  return files;
}

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
