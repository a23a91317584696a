// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/control/run_directory.hpp"

#include <fmt/format.h>

#include "base/log.hpp"
#include "io/checkpoint_directory.hpp"

namespace meander::simulation {
namespace {

void log_note(const io::DirectoryLock& lock) {
  if (!lock.note().empty()) log::info(lock.note());
}

}  // namespace

NewDirectory::NewDirectory(const std::string& path, const parallel::Communicator& communicator)
    : path_(path) {
  communicator.agree([&] {
    if (!communicator.is_root()) return;
    directory_.emplace(path);
    log_note(directory_->lock());
  });
}

ContinuedDirectory::ContinuedDirectory(const std::string& path, const parallel::Communicator& communicator)
    : path_(path), communicator_(communicator) {
  communicator_.agree([&] {
    if (!communicator_.is_root() || path_.empty()) return;
    try {
      lock_.emplace(path_);
    } catch (const io::DirectoryLock::Impossible& error) {
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
    for (const std::string& file : io::remove_half_written_files(path_))
      log::info(fmt::format("{}: half-written file removed", file));
    for (const std::string& file : io::set_aside_later_checkpoints(path_, step)) {
      log::info(fmt::format("{}: is of a later step than this restart, and now called {}", file,
                            io::replaced_name(file)));
    }
  });
}

}  // namespace meander::simulation
