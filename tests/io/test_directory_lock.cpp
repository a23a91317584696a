// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The lock on an output directory: one holder, and who counts as dead.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "io/directory_lock.hpp"
#include "io/files.hpp"
#include "tests/io/scratch.hpp"

namespace meander::io {
namespace {

using testing_io::contents;
using testing_io::message_of;
using testing_io::Scratch;
using Kernel = DirectoryLock::KernelLocks;

// The lock file of a process that was killed while it held the lock.
void leave_dead_lock(const std::string& directory, Kernel kernel) {
  const pid_t child = fork();
  if (child == 0) {
    const DirectoryLock lock(directory, kernel);
    _exit(0);  // without destructors
  }
  waitpid(child, nullptr, 0);
}

void write_record(const Scratch& scratch, const LockRecord& record) {
  write_whole(scratch.file(DirectoryLock::file_name), record.text());
}

std::string refusal(const Scratch& scratch, Kernel kernel = Kernel::used) {
  return message_of<InputError>([&] { DirectoryLock lock(scratch.path(), kernel); });
}

class Locks : public testing::TestWithParam<Kernel> {};

TEST_P(Locks, HaveOneHolderAndLeaveNoFile) {
  const Scratch scratch;
  for (int i = 0; i < 2; ++i) {
    const DirectoryLock lock(scratch.path(), GetParam());
    EXPECT_EQ(lock.note(), "");
    EXPECT_EQ(scratch.names(), std::vector<std::string>{"meander.lock"});
    const std::string message = refusal(scratch, GetParam());
    EXPECT_NE(message.find("is in use by a run on " + LockRecord::of_this_process().host + ", process " +
                           std::to_string(getpid()) + ", since 2"),
              std::string::npos)
        << message;
    EXPECT_EQ(scratch.names(), std::vector<std::string>{"meander.lock"});
  }
  EXPECT_TRUE(scratch.names().empty());
}

TEST_P(Locks, OfDeadProcessesAreTakenOver) {
  const Scratch scratch;
  leave_dead_lock(scratch.path(), GetParam());
  const std::string left = contents(scratch.file("meander.lock"));
  ASSERT_NE(left, "");
  const DirectoryLock lock(scratch.path(), GetParam());
  EXPECT_NE(lock.note().find("lock of a dead run removed"), std::string::npos) << lock.note();
  EXPECT_NE(contents(scratch.file("meander.lock")), left);
}

TEST_P(Locks, RemovedByTheUserAreNotRemovedFromTheNextHolder) {
  const Scratch scratch;
  {
    const DirectoryLock lock(scratch.path(), GetParam());
    write_whole(scratch.file("meander.lock"), "of another");
  }
  EXPECT_EQ(contents(scratch.file("meander.lock")), "of another");
}

INSTANTIATE_TEST_SUITE_P(DirectoryLock, Locks, testing::Values(Kernel::used, Kernel::none),
                         [](const auto& tested) {
                           return tested.param == Kernel::used ? "WithFlock" : "WithoutFlock";
                         });

// Many processes fight for the lock that a dead one left: never two of them hold it.
TEST(DirectoryLock, HasOneHolderAmongManyProcesses) {
  const Scratch scratch;
  leave_dead_lock(scratch.path(), Kernel::used);
  std::vector<pid_t> children;
  for (int i = 0; i < 8; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      int got = 0;
      for (int attempt = 0; attempt < 200; ++attempt) {
        try {
          const DirectoryLock lock(scratch.path());
          // Only one holder at a time can create and remove this directory.
          if (mkdir(scratch.file("held").c_str(), 0777) != 0) _exit(1);
          usleep(50);
          ++got;
          if (rmdir(scratch.file("held").c_str()) != 0) _exit(1);
          if (got == 20) _exit(0);  // dies as holder
        } catch (const InputError&) {
        }
      }
      _exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_NE(WEXITSTATUS(status), 1);
  }
}

TEST(DirectoryLock, OfAnotherMachineIsKeptAndTheUserToldHowToRemoveIt) {
  const Scratch scratch;
  LockRecord other = LockRecord::of_this_process();
  other.host = "node17";
  other.boot = "another";
  other.has_flock = true;
  write_record(scratch, other);
  const std::string message = refusal(scratch);
  EXPECT_NE(message.find("is locked by a run on node17, process "), std::string::npos) << message;
  EXPECT_NE(message.find("if it has, remove " + scratch.file("meander.lock")), std::string::npos) << message;
  EXPECT_EQ(scratch.names(), std::vector<std::string>{"meander.lock"});
}

TEST(DirectoryLock, DoesNotGuessAboutOtherFiles) {
  const Scratch scratch;
  write_whole(scratch.file("meander.lock"), "\x1b[31m");
  EXPECT_NE(refusal(scratch).find("is locked by a run on an unknown process"), std::string::npos);
}

TEST(DirectoryLock, CannotBeTakenWithoutADirectory) {
  const Scratch scratch;
  EXPECT_THROW(DirectoryLock(scratch.file("none")), DirectoryLock::Impossible);
}

TEST(LockRecord, ReadsWhatItWrites) {
  LockRecord record = LockRecord::of_this_process();
  record.job = "77";
  record.restarts = 3;
  record.has_flock = true;
  const LockRecord read = LockRecord::parse(record.text());
  EXPECT_EQ(read.text(), record.text());
  EXPECT_EQ(read.process, getpid());
  EXPECT_GT(read.start, 0);
}

TEST(LockRecord, TellsDeadFromAlive) {
  const LockRecord self = LockRecord::of_this_process();
  EXPECT_EQ(life_of(self, self, false), Life::alive);
  LockRecord other = self;
  other.start += 1;  // another process had this id
  EXPECT_EQ(life_of(other, self, false), Life::dead);
  other = self;
  other.boot = "before the machine was started again";
  EXPECT_EQ(life_of(other, self, false), Life::dead);
  other = self;
  other.host = "node17";
  EXPECT_EQ(life_of(other, self, false), Life::unknown);
  EXPECT_EQ(life_of(other, self, true), Life::dead);  // a container on the same machine
  other.boot = "another";
  EXPECT_EQ(life_of(other, self, true), Life::unknown);
}

TEST(LockRecord, AnEarlierStartOfTheSameJobIsDead) {
  LockRecord self = LockRecord::of_this_process(), other = self;
  other.host = "node17";
  other.boot = "another";
  self.job = other.job = "77";
  EXPECT_EQ(life_of(other, self, true), Life::unknown);  // two steps of one job
  self.restarts = 1;
  EXPECT_EQ(life_of(other, self, true), Life::dead);
  other.job = "78";
  EXPECT_EQ(life_of(other, self, true), Life::unknown);
}

}  // namespace
}  // namespace meander::io
