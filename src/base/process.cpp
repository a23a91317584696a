// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/process.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <limits>
#include <string>

namespace meander {

namespace {

// The first number in a file, or `otherwise` if there is none (the limit of an unlimited cgroup reads "max").
double number_in(const char* path, double otherwise) {
  std::ifstream file(path);
  double value = 0;
  return file >> value ? value : otherwise;
}

}  // namespace

std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t colon = line.find(": ");
    return colon == std::string::npos ? "" : line.substr(colon + 2);
  }
  return "";
}

double available_memory() {
  double available = std::numeric_limits<double>::infinity();
  std::ifstream info("/proc/meminfo");
  for (std::string key, unit; info >> key;) {
    double kilobytes = 0;
    if (!(info >> kilobytes)) break;
    std::getline(info, unit);
    if (key == "MemAvailable:") available = 1024 * kilobytes;
  }
  const double none = std::numeric_limits<double>::infinity();
  const double limit = number_in("/sys/fs/cgroup/memory.max", none);
  const double used = number_in("/sys/fs/cgroup/memory.current", 0);
  return std::min(available, std::max(0.0, limit - used));
}

double available_address_space() {
  rlimit limit{};
  const double none = std::numeric_limits<double>::infinity();
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return none;
  const double mapped = number_in("/proc/self/statm", 0) * static_cast<double>(sysconf(_SC_PAGESIZE));
  return std::max(0.0, static_cast<double>(limit.rlim_cur) - mapped);
}

double peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double thread_processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace meander
