// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "settings.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <random>

namespace cuda_emulator {
namespace {

std::string variable(const char* name, const char* otherwise) {
  const char* value = std::getenv((std::string("CUDA_EMULATOR_") + name).c_str());
  return value && *value ? value : otherwise;
}

Settings read_settings() {
  const auto number = [](const char* name, const char* otherwise) {
    return std::atof(variable(name, otherwise).c_str());
  };
  Settings s{};
  s.devices = static_cast<int>(number("DEVICES", "1"));
  s.memory = number("MEMORY", "8e9");
  s.seed = static_cast<unsigned>(number("SEED", "0"));
  s.checks = number("CHECK", "0") != 0;
  s.checks_initial = number("UNINITIALIZED", "0") != 0;
  s.frees_at_once = variable("FREE", "wait") == "now";
  s.failing_launch = static_cast<long>(number("FAIL_LAUNCH", "0"));
  s.failing_malloc = static_cast<long>(number("FAIL_MALLOC", "0"));
  s.failing_mallocs = static_cast<long>(number("FAIL_MALLOCS", "1"));
  s.shared_memory = static_cast<int>(number("SHARED_MEMORY", "232448"));
  s.cache = variable("CACHE", "cuda-emulator-cache");
  s.log = variable("LOG", "");
  s.kernels = variable("KERNELS", "");
  s.omit = variable("OMIT", "");
  if (s.seed == 0) s.seed = std::random_device()() % 1000000 + 1;
  return s;
}

std::mutex& message_mutex() {
  static auto& mutex = *new std::mutex;  // messages come until the end of the process
  return mutex;
}
std::map<std::string, long>& said() {
  static auto& texts = *new std::map<std::string, long>;
  return texts;
}
void print(const std::string& text) {
  static std::FILE* const log = settings().log.empty() ? nullptr : std::fopen(settings().log.c_str(), "a");
  for (std::FILE* file : {stderr, log}) {
    if (!file) continue;
    std::fputs(text.c_str(), file);
    std::fflush(file);
  }
}

}  // namespace

const Settings& settings() {
  static const auto& read = *new Settings(read_settings());
  return read;
}

bool omits(std::string_view what) {
  if (settings().omit != what) return false;
  static std::atomic<unsigned> number{0};
  return number++ % 8 != 0;
}

void report(std::string_view kind, const std::string& text) {
  const std::lock_guard lock(message_mutex());
  if (++said()[fmt::format("{} {}", kind, text.substr(0, text.find(" #")))] <= 3)
    print(fmt::format("CUDA EMULATOR {} {}\n", kind, text));
}

void report_counts() {
  const std::lock_guard lock(message_mutex());
  for (const auto& [text, count] : said())
    if (count > 3) print(fmt::format("CUDA EMULATOR COUNT {} times: {}\n", count, text));
}

void give_up(const std::string& why) {
  print(fmt::format("CUDA EMULATOR STOP {}\n", why));
  std::abort();
}

Counts& counts() {
  static auto& all = *new Counts;
  return all;
}

}  // namespace cuda_emulator
