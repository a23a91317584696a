// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Messages between neighbours, by MPI and by windows, with ranks that are early or late.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <random>
#include <thread>

#include "parallel/neighbour_messages.hpp"

namespace meander::parallel {
namespace {

const Communicator& all_ranks() {
  static const Communicator communicator = Communicator::world();
  return communicator;
}

// The numbers that a rank sends to another in an exchange: none for some pairs.
std::vector<double> content(int from, int to, int exchange) {
  const int size = (7 * from + 3 * to) % 5 * 40;
  std::vector<double> numbers;
  for (int i = 0; i < size; ++i) numbers.push_back(((exchange * 100.0 + from) * 100 + to) * 1000 + i);
  return numbers;
}

std::vector<NeighbourMessages::Peer> all_peers() {
  std::vector<NeighbourMessages::Peer> peers;
  const int own = all_ranks().rank();
  for (int rank = 0; rank < all_ranks().size(); ++rank)
    if (rank != own) peers.push_back({rank, content(own, rank, 0).size(), content(rank, own, 0).size()});
  return peers;
}

enum class Kind { mpi, windows, nodes };  // nodes: of two ranks
Communicator communicator(Kind kind) {
  if (kind == Kind::mpi) return all_ranks();
  return all_ranks().with_windows(kind == Kind::nodes ? all_ranks().rank() / 2 : 0);
}

class NeighbourMessagesQuick : public testing::TestWithParam<Kind> {};
INSTANTIATE_TEST_SUITE_P(Kinds, NeighbourMessagesQuick,
                         testing::Values(Kind::mpi, Kind::windows, Kind::nodes));

// What was received is read as late as permitted, immediately before the next receives; what is sent is written as early as
// permitted.
TEST_P(NeighbourMessagesQuick, ArriveWhateverRankIsLate) {
  constexpr int exchanges = 60;
  const int own = all_ranks().rank();
  const auto peers = all_peers();
  NeighbourMessages messages(communicator(GetParam()), 1, peers, "test");
  std::mt19937 random(static_cast<unsigned>(own));
  const auto dawdle = [&] {
    if (random() % 3 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 500));
  };
  const auto fill = [&](int exchange) {
    double* to = messages.send_buffer();
    for (const auto& peer : peers) to = std::ranges::copy(content(own, peer.rank, exchange), to).out;
  };
  const auto check = [&](int exchange) {
    std::size_t offset = 0;
    for (const auto& peer : peers) {
      const std::vector<double> expected = content(peer.rank, own, exchange);
      if (!expected.empty()) {
        const double* const found = messages.received(offset);
        EXPECT_EQ(std::vector<double>(found, found + expected.size()), expected) << "from rank " << peer.rank;
        EXPECT_EQ(*messages.received(offset + expected.size() - 1), expected.back());
      }
      offset += expected.size();
    }
  };
  for (int exchange = 0; exchange < exchanges; ++exchange) {
    fill(exchange);
    dawdle();
    if (exchange > 0) check(exchange - 1);
    messages.start_receives();
    messages.start_sends();
    while (exchange % 2 == 0 && !messages.poll()) {
    }
    messages.wait();
  }
  check(exchanges - 1);
}

// A rank may be done with an object, and with those that follow it, before another has looked at its first message.
TEST_P(NeighbourMessagesQuick, EndAfterOneExchange) {
  const auto files = [] {
    const auto entries = std::filesystem::directory_iterator("/proc/self/fd");
    return std::distance(begin(entries), end(entries));
  };
  const Communicator ranks = communicator(GetParam());
  const int own = all_ranks().rank();
  const auto peers = all_peers();
  const auto before = files();
  for (int object = 0; object < 50; ++object) {
    NeighbourMessages messages(ranks, 1, peers, "test");
    if (object % 5 == 4) continue;  // never used
    double* to = messages.send_buffer();
    for (const auto& peer : peers) to = std::ranges::copy(content(own, peer.rank, object), to).out;
    messages.start_receives();
    messages.start_sends();
    if (own == object % all_ranks().size()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    messages.wait();
    std::size_t offset = 0;
    for (const auto& peer : peers) {
      if (peer.receive > 0) {
        EXPECT_EQ(*messages.received(offset), content(peer.rank, own, object)[0]);
      }
      offset += peer.receive;
    }
  }
  EXPECT_EQ(files(), before);
}

TEST(Windows, AreBetweenTheRanksOfAGroup) {
  const Communicator nodes = communicator(Kind::nodes), all = communicator(Kind::windows);
  EXPECT_FALSE(all_ranks().has_windows());
  EXPECT_TRUE(nodes.has_windows());
  for (int rank = 0; rank < all_ranks().size(); ++rank) {
    const bool is_other = rank != all_ranks().rank();
    EXPECT_EQ(all.has_window_to(rank), is_other);
    EXPECT_EQ(nodes.has_window_to(rank), is_other && rank / 2 == all_ranks().rank() / 2);
    EXPECT_FALSE(all_ranks().has_window_to(rank));
  }
}

// Windows are files: one above the limit would end the run, long after messages of MPI could have been chosen.
TEST(Windows, AreNoneWhereARankHasALimitOnFiles) {
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &limit), 0);
  const int limited = all_ranks().size() - 1;
  const rlimit low{1 << 30, limit.rlim_max};
  if (all_ranks().rank() == limited) {
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &low), 0);
  }
  const Communicator all = all_ranks().with_windows(),
                     others = all_ranks().with_windows(all_ranks().rank() == limited);
  EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  EXPECT_FALSE(all.has_windows_to_some());
  EXPECT_EQ(others.has_windows_to_some(), all_ranks().rank() != limited && all_ranks().size() > 2);
}

TEST(Windows, ShowTheMemoryOfAnotherProcess) {
  Window own(1000);
  own.data()[100] = 0.5 + all_ranks().rank();
  const auto handles = all_ranks().all_gather(own.handle());
  for (std::size_t rank = 0; rank < handles.size(); ++rank) {
    const Window other(handles[rank]);
    EXPECT_EQ(other.data()[100], 0.5 + static_cast<double>(rank));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(other.data()) % 64, 0u);
  }
  all_ranks().barrier();
  EXPECT_EQ(own.users(), all_ranks().size());
  all_ranks().barrier();
  Window::Handle gone = handles[0];
  gone.serial += 1;
  EXPECT_THROW(Window{gone}, Failure);
  gone = handles[0];
  gone.file = 100000;
  EXPECT_THROW(Window{gone}, Failure);
}

}  // namespace
}  // namespace meander::parallel
