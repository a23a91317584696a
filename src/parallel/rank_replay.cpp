// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "parallel/rank_replay.hpp"

#include <utility>

namespace meander::parallel {
namespace {

using Parcels = std::vector<Parcel<std::byte>>;

// Ends the run of a rank. No std::exception, so that no handler of failures takes it for one.
struct AtExchange {};

class Replay final : public Transport {
 public:
  explicit Replay(int ranks) : sent_(static_cast<std::size_t>(ranks)) {}

  // Returns whether the program came to its end.
  bool run(int rank, const std::function<void(const Communicator&)>& program) {
    next_ = 0;
    try {
      program(Communicator(rank, static_cast<int>(sent_.size()), *this));
    } catch (const AtExchange&) {
      return false;
    }
    return true;
  }

  // Makes the messages of the exchange that all ranks have reached available.
  void deliver() { known_.push_back(std::exchange(sent_, std::vector<Parcels>(sent_.size()))); }

  // Ranks run in ascending order, so that the parcels of each receiver are in order of their senders.
  Parcels exchange(int rank, const Parcels& out) override {
    if (next_ < known_.size()) return known_[next_++][static_cast<std::size_t>(rank)];
    for (const auto& parcel : out)
      sent_[static_cast<std::size_t>(parcel.rank)].push_back({rank, parcel.items});
    throw AtExchange{};
  }

 private:
  std::vector<std::vector<Parcels>> known_;  // by exchange and receiver
  std::vector<Parcels> sent_;                // by receiver, in the exchange at which the ranks are abandoned
  std::size_t next_ = 0;                     // number of the running rank's next exchange
};

}  // namespace

void replay_ranks(int ranks, const std::function<void(const Communicator&)>& program) {
  Replay replay(ranks);
  for (;;) {
    int ended = 0;
    for (int rank = 0; rank < ranks; ++rank) ended += replay.run(rank, program);
    if (ended == ranks) return;
    if (ended > 0) throw Failure("replayed ranks differ in their number of exchanges");
    replay.deliver();
  }
}

}  // namespace meander::parallel
