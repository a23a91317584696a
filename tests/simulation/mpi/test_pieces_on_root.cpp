// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Items of all ranks on the root are in order of rank, whatever the length of the messages that carry them.

#include "simulation/outputs/pieces.hpp"
#include "tests/simulation/mpi/outcome.hpp"

namespace meander::simulation {
namespace {

// Some ranks have none, and the root has some.
std::vector<std::int64_t> items_of(int rank) {
  std::vector<std::int64_t> items;
  for (int n = 0; n < rank * 5 % 7 + (rank == 0 ? 4 : 0); ++n) items.push_back(100 * rank + n);
  return items;
}

TEST(ItemsOnRoot, AreInOrderOfRankForMessagesOfAnyLength) {
  std::vector<std::int64_t> all;
  for (int rank = 0; world().is_root() && rank < world().size(); ++rank) {
    for (const std::int64_t item : items_of(rank)) all.push_back(item);
  }
  for (const std::size_t most_bytes : {std::size_t{1}, std::size_t{16}, std::size_t{30}, bytes_to_root}) {
    EXPECT_EQ(on_root(world(), items_of(world().rank()), most_bytes), all) << most_bytes;
  }
}

}  // namespace
}  // namespace meander::simulation
