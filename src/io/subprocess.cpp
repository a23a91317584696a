// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/subprocess.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/error.hpp"

namespace meander::io {

namespace {

void write_all(int descriptor, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t put = ::write(descriptor, text.data() + at, text.size() - at);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return;
    at += static_cast<std::size_t>(put);
  }
}

std::string read_to_end(int descriptor) {
  std::string text;
  char buffer[4096];
  while (true) {
    const ssize_t got = ::read(descriptor, buffer, sizeof(buffer));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(got));
  }
}

// Exits without destructors, exit handlers and buffers, which belong to the parent.
[[noreturn]] void run_child(int out, const std::function<std::string()>& body, unsigned seconds) {
  for (const int crash : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM}) std::signal(crash, SIG_DFL);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::alarm(seconds);
  int code = exit_done;
  std::string text;
  try {
    text = body();
  } catch (const InputError& error) {
    code = exit_input_error;
    text = error.what();
  } catch (const std::exception& error) {
    code = exit_failure;
    text = error.what();
  }
  write_all(out, text);
  ::_exit(code);
}

unsigned seconds_to_read(const std::string& path) {
  constexpr double least = 60, bytes_a_second = 2e7, most = 1e9;
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path, error);
  return static_cast<unsigned>(error ? least
                                     : std::min(most, least + static_cast<double>(bytes) / bytes_a_second));
}

[[noreturn]] void throw_end_by(int signal, const std::string& path, unsigned seconds) {
  if (signal == SIGALRM)
    throw InputError(fmt::format("{}: reading it took longer than {} s: it may be damaged", path, seconds));
  if (signal == SIGKILL)
    throw Failure(fmt::format("{}: its reader was killed, perhaps for lack of memory", path));
  throw InputError(fmt::format("{}: is damaged: HDF5 cannot read it", path));
}

}  // namespace

std::string run_in_subprocess(const std::string& path, const std::function<std::string()>& body,
                              unsigned seconds) {
  if (seconds == 0) seconds = seconds_to_read(path);
  int ends[2];
  if (::pipe(ends) != 0) throw Failure(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    run_child(ends[1], body, seconds);
  }
  const int reason = errno;
  ::close(ends[1]);
  if (child < 0) {
    ::close(ends[0]);
    throw Failure(fmt::format("{}: cannot be read: {}", path, std::strerror(reason)));
  }
  const std::string text = read_to_end(ends[0]);
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status)) throw_end_by(WTERMSIG(status), path, seconds);
  if (WEXITSTATUS(status) == exit_input_error) throw InputError(text);
  if (WEXITSTATUS(status) != exit_done) throw Failure(text);
  return text;
}

}  // namespace meander::io
