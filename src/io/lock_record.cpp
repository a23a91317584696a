// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/lock_record.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
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

}  // namespace meander::io
