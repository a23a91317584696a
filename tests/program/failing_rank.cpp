// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// For test_bad_luck.py: the last rank fails without the knowledge of the others, which wait for it; or all ranks fail.
#include <stdexcept>
#include <string>
#include <thread>

#include "apps/meander/ranks.hpp"

int main(int, char** argv) {
  using namespace meander;
  const std::string how = argv[1];
  return app::with_ranks([&](const app::Ranks& ranks) {
    if (how == "all") throw Failure("failing as asked");
    if (how == "all threads") std::thread([] { throw std::runtime_error("failing as asked"); }).join();
    if (ranks.communicator.rank() == ranks.communicator.size() - 1) {
      if (how == "failure") throw Failure("failing as asked");
      if (how == "input") throw InputError("failing as asked");
      if (how == "thread") std::thread([] { throw std::runtime_error("failing as asked"); }).join();
    }
    ranks.communicator.barrier();
    return int{exit_done};
  });
}
