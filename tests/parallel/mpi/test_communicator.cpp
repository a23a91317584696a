// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Collective calls, compared with results that every rank computes by itself.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <numeric>

#include "parallel/communicator.hpp"

namespace meander::parallel {
namespace {

const parallel::Communicator& world() {
  static const parallel::Communicator communicator = parallel::Communicator::world();
  return communicator;
}

TEST(CommunicatorQuick, ReductionsAgreeWithTheSerialResult) {
  const int n = world().size(), r = world().rank();
  EXPECT_EQ(world().min(0.5 * r), 0.0);
  EXPECT_EQ(world().max(0.5 * r), 0.5 * (n - 1));
  EXPECT_EQ(world().sum(std::int64_t{r}), n * (n - 1) / 2);
  EXPECT_EQ(world().sum_of_lower_ranks(r), r * (r - 1) / 2);
  EXPECT_EQ(world().any(r == n - 1), true);
  EXPECT_EQ(world().any(false), false);
  std::vector<std::uint64_t> values = {~std::uint64_t{0}, static_cast<std::uint64_t>(r)};
  world().sum(std::span<std::uint64_t>(values));
  EXPECT_EQ(values[0], static_cast<std::uint64_t>(-n));
}

TEST(MaxReduction, AgreesWithTheSerialResult) {
  const int n = world().size(), r = world().rank();
  for (const bool polls : {false, true}) {
    double values[] = {1.5 * r, -1.5 * r};
    MaxReduction reduction(world(), values);
    EXPECT_EQ(reduction.is_empty(), n == 1);
    while (polls && !reduction.poll()) {
    }
    reduction.wait();
    EXPECT_TRUE(reduction.poll());
    EXPECT_EQ(values[0], 1.5 * (n - 1));
    EXPECT_EQ(values[1], 0.0);
  }
}

TEST(CommunicatorQuick, AllGatherConcatenatesDifferentLengthsByRank) {
  std::vector<int> own(static_cast<std::size_t>(world().rank()), world().rank());
  const auto all = world().all_gather<int>(std::span<const int>(own));
  std::vector<int> expected;
  for (int r = 0; r < world().size(); ++r) expected.insert(expected.end(), static_cast<std::size_t>(r), r);
  EXPECT_EQ(all, expected);
}

TEST(CommunicatorQuick, AllGatherOfOneItemOrAFewEqualsThatOfLists) {
  struct Item {
    double value;
    char letter[5];
  };
  const int n = world().size(), r = world().rank();
  const auto item = [](int k) {
    return Item{k % 2 == 0 ? -0.0 : 1.0 / k, {'a', 'b', 'c', 'd', static_cast<char>(k)}};
  };
  const auto same = [](const Item& a, const Item& b) {
    return std::memcmp(&a.value, &b.value, sizeof(double)) == 0 && std::memcmp(a.letter, b.letter, 5) == 0;
  };
  const auto one = world().all_gather(item(r));
  ASSERT_EQ(one.size(), static_cast<std::size_t>(n));
  for (int k = 0; k < n; ++k) EXPECT_TRUE(same(one[static_cast<std::size_t>(k)], item(k)));
  for (int most = 0; most < 4; ++most) {
    std::vector<Item> own;
    for (int k = 0; k < (r + most) % 3; ++k) own.push_back(item(3 * r + k));
    const auto few = world().all_gather_few(std::span<const Item>(own));
    const auto all = world().all_gather(std::span<const Item>(own));
    ASSERT_EQ(few.size(), all.size());
    for (std::size_t k = 0; k < all.size(); ++k) EXPECT_TRUE(same(few[k], all[k]));
  }
}

// Rank r exchanges lists of different lengths with the ranks up to two away.
TEST(CommunicatorQuick, SymmetricExchangeDeliversEveryMessage) {
  const int n = world().size(), r = world().rank();
  for (int round = 0; round < 50; ++round) {
    std::vector<parallel::Parcel<int>> out;
    for (int to = 0; to < n; ++to) {
      if (to == r || std::abs(to - r) > 2) continue;
      out.push_back({to, std::vector<int>(static_cast<std::size_t>((r + round) % 4), 100 * r + to)});
    }
    const auto in = parallel::exchange_symmetrically(world(), out);
    ASSERT_EQ(in.size(), out.size());
    for (std::size_t i = 0; i < in.size(); ++i) {
      EXPECT_EQ(in[i].rank, out[i].rank);
      EXPECT_EQ(in[i].items,
                std::vector<int>(static_cast<std::size_t>((in[i].rank + round) % 4), 100 * in[i].rank + r));
    }
  }
}

TEST(CommunicatorQuick, BroadcastGivesAllRanksTheTextOfTheRoot) {
  std::string text = world().is_root() ? "a text" : "";
  world().broadcast(text);
  EXPECT_EQ(text, "a text");
}

TEST(CommunicatorQuick, AgreesOnTheLowestFailure) {
  const int last = world().size() - 1;
  EXPECT_NO_THROW(world().agree([] {}));
  try {
    world().agree([&] {
      if (world().rank() >= last / 2) throw Failure("failed on " + std::to_string(world().rank()));
    });
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.what(), "failed on " + std::to_string(last / 2));
  }
  EXPECT_THROW(world().agree([&] {
    if (world().rank() == last) throw InputError("no");
  }),
               InputError);
}

// Rank r sends i items to rank (r + i) % n for i below a number that differs between ranks. Many exchanges in
// succession.
TEST(CommunicatorQuick, SparseExchangeDeliversEveryMessage) {
  const int n = world().size(), r = world().rank();
  for (int round = 0; round < 50; ++round) {
    std::vector<parallel::Parcel<int>> out;
    for (int i = 0; i < (r + round) % n; ++i) {
      out.push_back({(r + i) % n, std::vector<int>(static_cast<std::size_t>(i), 100 * round + r)});
    }
    std::size_t expected = 0;
    for (int from = 0; from < n; ++from) {
      const int i = (r - from + n) % n;
      if (i < (from + round) % n) ++expected;
    }
    const auto in = parallel::exchange_sparsely(world(), out);
    EXPECT_EQ(in.size(), expected);
    for (const auto& parcel : in) {
      EXPECT_EQ(parcel.items, std::vector<int>(static_cast<std::size_t>((r - parcel.rank + n) % n),
                                               100 * round + parcel.rank));
    }
  }
}

// Rank r has (r + to) % 3 items for rank `to`, itself included.
TEST(CommunicatorQuick, DeliversOwnItemsFirstThenThoseOfOthersByRank) {
  const int n = world().size(), r = world().rank();
  const auto items = [](int from, int to) {
    return std::vector<int>(static_cast<std::size_t>((from + to) % 3), 100 * from + to);
  };
  std::map<int, std::vector<int>> by_rank;
  for (int to = 0; to < n; ++to) {
    if (!items(r, to).empty()) by_rank[to] = items(r, to);
  }
  std::vector<int> expected = items(r, r);
  for (int from = 0; from < n; ++from) {
    if (from == r) continue;
    const auto theirs = items(from, r);
    expected.insert(expected.end(), theirs.begin(), theirs.end());
  }
  EXPECT_EQ(parallel::deliver(world(), by_rank), expected);
}

}  // namespace
}  // namespace meander::parallel
