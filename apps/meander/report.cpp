// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/error.hpp"

extern char** environ;

namespace meander::app {

namespace {

namespace fs = std::filesystem;

constexpr int failed_start = 127;
// Exits with 0 if Python has all modules that the report needs.
constexpr const char* has_modules =
    "import importlib.util as u, sys; sys.exit(sys.version_info < (3, 11) or not all(map(u.find_spec, "
    "['meander_amr', 'h5py', 'numpy', 'matplotlib', 'jinja2'])))";

// The folder of the package beside the program: python/ of its source tree, or share/meander/python of its installation.
std::string package_folder() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) return "";
  constexpr const char* package = "meander_amr/report";
  const fs::path installed = program.parent_path().parent_path() / "share/meander/python";
  if (fs::exists(installed / package, error)) return installed.string();
  for (fs::path folder = program.parent_path(); folder.has_relative_path(); folder = folder.parent_path()) {
    if (fs::exists(folder / "python" / package, error)) return (folder / "python").string();
  }
  return "";
}

// The exit code of a command that is found in PATH.
int run_command(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  if (::posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments.data(), environ) != 0)
    return failed_start;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return failed_start;
  }
  constexpr int of_signals = 128;
  return WIFEXITED(status) ? WEXITSTATUS(status) : of_signals + WTERMSIG(status);
}

}  // namespace

int run_report(const std::vector<std::string>& arguments) {
  if (const std::string folder = package_folder(); !folder.empty()) {
    const char* const path = std::getenv("PYTHONPATH");
    ::setenv("PYTHONPATH", (folder + (path != nullptr ? std::string(":") + path : "")).c_str(), 1);
  }
  for (const char* python : {"/usr/bin/python3", "python3"}) {
    if (run_command({python, "-c", has_modules}) != 0) continue;
    std::vector<std::string> words = {python, "-m", "meander_amr.report"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return run_command(words);
  }
  throw Failure(
      "meander report: needs Python 3.11 with meander_amr, h5py, numpy, matplotlib and jinja2: apt install "
      "python3-h5py "
      "python3-matplotlib python3-jinja2, or pip install the folder python/ of Meander's sources");
}

}  // namespace meander::app
