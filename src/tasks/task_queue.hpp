// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Leaves that wait for one kind of work, which threads take one by one: each from a piece of its own, which it
// shares with threads that have finished theirs. A thread therefore tends to work on neighbouring leaves.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/thread_team.hpp"

namespace meander::tasks {

class TaskQueue {
 public:
  explicit TaskQueue(int threads) : pieces_(static_cast<std::size_t>(threads)) {}

  // Adds leaves. Not concurrently with other calls.
  void put(std::span<const std::int32_t> leaves) {
    std::vector<std::int32_t> left;
    for (const Piece& piece : pieces_) {
      const std::size_t next = std::min(piece.next.load(), piece.end);
      left.insert(left.end(), leaves_.begin() + static_cast<std::ptrdiff_t>(next),
                  leaves_.begin() + static_cast<std::ptrdiff_t>(piece.end));
    }
    left.insert(left.end(), leaves.begin(), leaves.end());
    leaves_ = std::move(left);
    const auto chunks = cut_evenly(leaves_.size(), static_cast<int>(pieces_.size()));
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      pieces_[i].next = chunks[i].begin;
      pieces_[i].end = chunks[i].end;
    }
  }

  // The next leaf for a thread, if any is left.
  std::optional<std::int32_t> take(int thread) {
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      Piece& piece = pieces_[(static_cast<std::size_t>(thread) + i) % pieces_.size()];
      if (piece.next.load(std::memory_order_relaxed) >= piece.end) continue;
      const std::size_t next = piece.next.fetch_add(1, std::memory_order_relaxed);
      if (next < piece.end) return leaves_[next];
    }
    return {};
  }

  // The number of leaves that are left. A snapshot if threads take leaves meanwhile.
  std::size_t size() const {
    std::size_t sum = 0;
    for (const Piece& piece : pieces_) sum += piece.end - std::min(piece.next.load(), piece.end);
    return sum;
  }

 private:
  static constexpr std::size_t cache_line = 64;
  struct alignas(cache_line) Piece {
    std::atomic<std::size_t> next{0};
    std::size_t end = 0;
  };
  std::vector<std::int32_t> leaves_;
  std::vector<Piece> pieces_;
};

}  // namespace meander::tasks
