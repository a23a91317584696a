// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Readers in processes of their own: their results, and messages for each of their ends.

#include "io/subprocess.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "base/error.hpp"
#include "tests/io/scratch.hpp"

namespace meander::io {
namespace {

using testing_io::message_of;

TEST(Subprocess, ReturnsWhatItsBodyReturnsOrThrows) {
  EXPECT_EQ(run_in_subprocess("a", [] { return std::string("text"); }), "text");
  EXPECT_EQ(message_of<InputError>(
                [] { run_in_subprocess("a", []() -> std::string { throw InputError("a: bad"); }); }),
            "a: bad");
  EXPECT_EQ(
      message_of<Failure>([] { run_in_subprocess("a", []() -> std::string { throw Failure("a: no"); }); }),
      "a: no");
}

TEST(Subprocess, TellsItsEndsApart) {
  const auto ends_by = [](int signal) {
    return [signal] {
      std::raise(signal);
      return std::string();
    };
  };
  EXPECT_EQ(message_of<InputError>([&] { run_in_subprocess("a", ends_by(SIGSEGV)); }),
            "a: is damaged: HDF5 cannot read it");
  EXPECT_EQ(message_of<Failure>([&] { run_in_subprocess("a", ends_by(SIGKILL)); }),
            "a: its reader was killed, perhaps for lack of memory");
  const auto waits = [] {
    std::this_thread::sleep_for(std::chrono::seconds(20));
    return std::string();
  };
  EXPECT_EQ(message_of<InputError>([&] { run_in_subprocess("a", waits, 1); }),
            "a: reading it took longer than 1 s: it may be damaged");
}

// A file without content that claims 2 GB may take 160 s.
TEST(Subprocess, MayTakeLongerForALargeFile) {
  const testing_io::Scratch scratch;
  const std::string path = scratch.file("large");
  std::ofstream(path) << 'x';
  std::filesystem::resize_file(path, 2000000000);
  EXPECT_EQ(message_of<InputError>([&] {
              run_in_subprocess(path, [] {
                std::raise(SIGALRM);
                return std::string();
              });
            }),
            path + ": reading it took longer than 160 s: it may be damaged");
}

}  // namespace
}  // namespace meander::io
