// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// main() of the test programs that run on several ranks. Every test is collective: all ranks run all tests in
// the same order. The root prints; of the others only failures are shown, with their rank.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

namespace {

class OnlyFailures : public testing::EmptyTestEventListener {
 public:
  explicit OnlyFailures(int rank) : rank_(rank) {}

 private:
  void OnTestStart(const testing::TestInfo& test) override {
    test_ = std::string(test.test_suite_name()) + "." + test.name();
  }
  // Must not ask GoogleTest for anything, which is locked meanwhile.
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::fprintf(stderr, "rank %d, %s, %s:%d: %s\n", rank_, test_.c_str(),
                 result.file_name() ? result.file_name() : "", result.line_number(), result.message());
  }
  int rank_;
  std::string test_;
};

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  // As where the library lets only one thread call it.
  const bool funneled = std::getenv("MEANDER_TEST_FUNNELED") != nullptr;
  MPI_Init_thread(&argc, &argv, funneled ? MPI_THREAD_FUNNELED : MPI_THREAD_MULTIPLE, &provided);
  testing::InitGoogleTest(&argc, argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) {
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(std::make_unique<OnlyFailures>(rank).release());
  }
  int failed = RUN_ALL_TESTS();
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return failed;
}
