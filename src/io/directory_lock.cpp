// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/directory_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <sstream>

namespace meander::io {

namespace {

std::string first_line(const std::string& file) {
  std::string line;
  std::ifstream stream(file);
  std::getline(stream, line);
  return line;
}

// Start of a process of this machine, in clock ticks since boot; 0: there is no such process.
std::int64_t start_of(std::int64_t process) {
  const std::string line = first_line(fmt::format("/proc/{}/stat", process));
  // The name, in parentheses, may contain anything. The start is the 20th field after it.
  const auto name_end = line.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream fields(line.substr(name_end + 1));
  std::string field;
  for (int i = 0; i < 20; ++i) fields >> field;
  return fields ? std::strtoll(field.c_str(), nullptr, 10) : 0;
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// Text of a lock file that goes to the terminal.
std::string printable(std::string text) {
  constexpr std::size_t most = 100;
  if (text.size() > most) text.resize(most);
  for (char& c : text) {
    if (c < ' ' || c > '~') c = '?';
  }
  return text;
}

constexpr int most_attempts = 100;  // each fails only if another process changes the lock meanwhile
constexpr std::size_t most_bytes = 4096;

// Whether the file of that name is the open file.
bool is_file(const std::string& path, int descriptor) {
  struct stat named {
  }, open{};
  return ::lstat(path.c_str(), &named) == 0 && ::fstat(descriptor, &open) == 0 &&
         named.st_dev == open.st_dev && named.st_ino == open.st_ino;
}

std::string read_text(int descriptor) {
  std::string text(most_bytes, '\0');
  const ssize_t got = ::pread(descriptor, text.data(), text.size(), 0);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

bool write_record(int descriptor, const std::string& text) {
  return ::pwrite(descriptor, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
}

}  // namespace

LockRecord LockRecord::of_this_process() {
  LockRecord record;
  char host[256] = "";
  ::gethostname(host, sizeof host - 1);
  record.host = host;
  record.boot = first_line("/proc/sys/kernel/random/boot_id");
  record.process = ::getpid();
  record.start = start_of(record.process);
  const std::time_t now = std::time(nullptr);
  std::tm time{};
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", ::gmtime_r(&now, &time));
  record.since = text;
  record.job = environment("SLURM_JOB_ID");
  record.restarts = std::strtoll(environment("SLURM_RESTART_COUNT").c_str(), nullptr, 10);
  return record;
}

LockRecord LockRecord::parse(const std::string& text) {
  LockRecord record;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto space = line.find(' ');
    if (space == std::string::npos) continue;
    const std::string key = line.substr(0, space), value = printable(line.substr(space + 1));
    const std::int64_t number = std::strtoll(value.c_str(), nullptr, 10);
    if (key == "host") record.host = value;
    if (key == "boot") record.boot = value;
    if (key == "process") record.process = number;
    if (key == "start") record.start = number;
    if (key == "flock") record.has_flock = number != 0;
    if (key == "since") record.since = value;
    if (key == "slurm-job") record.job = value;
    if (key == "slurm-restarts") record.restarts = number;
  }
  return record;
}

std::string LockRecord::text() const {
  std::string text =
      fmt::format("A run of meander writes to this directory.\nhost {}\nboot {}\n", host, boot);
  text += fmt::format("process {}\nstart {}\nflock {}\nsince {}\n", process, start, int{has_flock}, since);
  if (!job.empty()) text += fmt::format("slurm-job {}\nslurm-restarts {}\n", job, restarts);
  return text;
}

std::string LockRecord::holder() const {
  if (host.empty()) return "an unknown process";
  return fmt::format("{}, process {}, since {}", host, process, since);
}

Life life_of(const LockRecord& record, const LockRecord& self, bool kernel_says_dead) {
  if (!record.job.empty() && record.job == self.job && record.restarts < self.restarts) return Life::dead;
  const bool same_host = !record.host.empty() && record.host == self.host;
  const bool same_boot = !record.boot.empty() && record.boot == self.boot;
  if (kernel_says_dead) return same_host || same_boot ? Life::dead : Life::unknown;
  if (!same_host) return Life::unknown;
  if (!same_boot) return Life::dead;  // the machine has been started again
  const bool exists = ::kill(static_cast<pid_t>(record.process), 0) == 0 || errno != ESRCH;
  const bool same_process = record.start == 0 || start_of(record.process) == record.start;
  return exists && same_process ? Life::alive : Life::dead;
}

DirectoryLock::DirectoryLock(const std::string& directory, KernelLocks kernel)
    : directory_(directory), path_(directory + "/" + file_name), kernel_(kernel) {
  LockRecord self = LockRecord::of_this_process();
  const std::string temporary = fmt::format("{}.{}.{}.part", path_, self.host, self.process);
  const auto fail = [&](int reason) {
    ::unlink(temporary.c_str());
    throw Impossible(fmt::format("{}: cannot be created: {}", path_, std::strerror(reason)));
  };
  ::unlink(temporary.c_str());  // left by a dead process of the same id
  descriptor_ = Descriptor(::open(temporary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (descriptor_.get() < 0) fail(errno);
  self.has_flock = kernel_ == KernelLocks::used && ::flock(descriptor_.get(), LOCK_EX | LOCK_NB) == 0;
  if (!write_record(descriptor_.get(), self.text())) fail(errno);
  try {
    for (int attempt = 0; !link_to_name(temporary) && !take_over(temporary); ++attempt) {
      if (attempt == most_attempts) fail(EBUSY);
    }
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
  ::unlink(temporary.c_str());
}

DirectoryLock::~DirectoryLock() {
  if (is_file(path_, descriptor_.get())) ::unlink(path_.c_str());
}

bool DirectoryLock::link_to_name(const std::string& temporary) const {
  if (::link(temporary.c_str(), path_.c_str()) == 0) return true;
  const int reason = errno;
  // The reply of a file server may be lost after it has made the link.
  if (is_file(path_, descriptor_.get())) return true;
  if (reason == EEXIST) return false;
  // File systems without hard links: two simultaneous takers are told apart by the exclusive creation.
  const Descriptor claim(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (claim.get() < 0) return false;
  return std::rename(temporary.c_str(), path_.c_str()) == 0;
}

bool DirectoryLock::take_over(const std::string& temporary) {
  const Descriptor found(::open(path_.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (found.get() < 0 && errno == ENOENT) return false;
  if (found.get() < 0) throw Impossible(fmt::format("{}: cannot be opened: {}", path_, std::strerror(errno)));
  const LockRecord record = LockRecord::parse(read_text(found.get()));
  bool kernel_says_dead = false;
  Life life = Life::unknown;
  if (kernel_ == KernelLocks::used && record.has_flock) {
    // While this process holds the old file, no other can take it over.
    kernel_says_dead = ::flock(found.get(), LOCK_EX | LOCK_NB) == 0;
    if (!kernel_says_dead && errno == EWOULDBLOCK) life = Life::alive;
  }
  if (life != Life::alive) life = life_of(record, LockRecord::of_this_process(), kernel_says_dead);
  if (!is_file(path_, found.get())) return false;  // the holder has ended, or another has taken it over
  if (life == Life::alive) {
    throw InputError(
        fmt::format("{}: is in use by a run on {}; wait for its end or choose another directory "
                    "with --output ({})",
                    directory_, record.holder(), path_));
  }
  if (life == Life::unknown) {
    throw InputError(
        fmt::format("{}: is locked by a run on {}, and it cannot be seen from here whether that "
                    "has ended; if it has, remove {}",
                    directory_, record.holder(), path_));
  }
  if (std::rename(temporary.c_str(), path_.c_str()) != 0)
    throw Impossible(fmt::format("{}: cannot be replaced: {}", path_, std::strerror(errno)));
  if (!is_file(path_, descriptor_.get()))
    throw InputError(fmt::format("{}: another run has just taken {}", directory_, path_));
  note_ = fmt::format("{}: lock of a dead run removed ({})", path_, record.holder());
  return true;
}

}  // namespace meander::io
