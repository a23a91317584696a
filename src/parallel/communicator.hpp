// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// MPI communicator with the collective operations that Meander uses. All ranks must call the functions marked
// "collective", in the same order.
//
// A communicator of one rank never calls MPI, so that programs of one rank need not initialise it.

#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace meander::parallel {

// Message of the MPI library for an error code, for instance "MPI_ERR_NO_SPACE: no space left on device".
std::string mpi_reason(int code);

// Throws Failure with the name of the call if `code` is an error. Requires the error handler
// MPI_ERRORS_RETURN, which Meander's communicators and files have.
inline void mpi_check(int code, const char* call) {
  if (code != MPI_SUCCESS) throw Failure(std::string(call) + ": " + mpi_reason(code));
}

// A failure that all ranks throw with the same message. One rank can print it, and all can leave without
// MPI_Abort.
struct AgreedFailure : Failure {
  using Failure::Failure;
};
struct AgreedInputError : InputError {
  using InputError::InputError;
};

// Items sent to or received from another rank.
template <class T>
struct Parcel {
  int rank = 0;
  std::vector<T> items;
};

// Whether a rank knows who sends to it. symmetric: exactly the ranks to which it sends.
enum class Partners : std::uint8_t { unknown, symmetric };

class Communicator;
std::vector<Parcel<std::byte>> exchange_bytes(const Communicator& communicator, Partners partners,
                                              const std::vector<Parcel<std::byte>>& out);

// Carries the exchanges between ranks that are no processes of MPI (rank_replay.hpp).
class Transport {
 public:
  virtual ~Transport() = default;
  // Sends the parcels of `rank` and returns those that it receives, ascending by sender. Collective.
  virtual std::vector<Parcel<std::byte>> exchange(int rank, const std::vector<Parcel<std::byte>>& out) = 0;
};

class Communicator {
 public:
  // One rank, without MPI.
  Communicator() = default;
  // All ranks of the program. MPI must be initialised as long as copies of the result exist. Collective.
  static Communicator world();
  // A duplicate of `of`, owned by the result and its copies. Collective over `of`.
  static Communicator duplicate(MPI_Comm of);
  // Rank `rank` of `size` ranks without MPI. `transport` outlives the result and its copies. Only exchanges of
  // parcels work; any other collective function throws Failure if size > 1.
  Communicator(int rank, int size, Transport& transport) : transport_(&transport), rank_(rank), size_(size) {}

  int rank() const { return rank_; }
  int size() const { return size_; }
  bool is_root() const { return rank_ == 0; }
  // MPI_COMM_SELF for one rank without MPI. Throws Failure for several.
  MPI_Comm get() const {
    if (transport_ != nullptr && size_ > 1) throw Failure("ranks without MPI only exchange parcels");
    return shared_ ? shared_->comm : MPI_COMM_SELF;
  }

  // The ranks that share memory with this rank. Collective.
  Communicator of_node() const;
  // The ranks of the same color, in the order of their ranks here. Collective.
  Communicator split(int color) const;
  // This communicator, with windows (window.hpp) between the ranks of a node that give the same group, if the system lets all of
  // them map each other's memory: NeighbourMessages then exchange by these. Collective.
  Communicator with_windows(int group = 0) const;
  bool has_windows() const { return windows_ != nullptr; }  // it is the result of with_windows()
  bool has_windows_to_some() const { return has_windows() && !windows_->empty(); }
  // Whether messages to and from a rank go through windows. The same for both.
  bool has_window_to(int rank) const {
    return windows_ != nullptr && std::binary_search(windows_->begin(), windows_->end(), rank);
  }

  // Reductions. Results are bitwise identical on all ranks. Collective.
  double min(double value) const;
  double max(double value) const;
  std::int64_t min(std::int64_t value) const;
  std::int64_t max(std::int64_t value) const;
  std::int64_t sum(std::int64_t value) const;
  bool any(bool value) const;
  void sum(std::span<std::uint64_t> values) const;  // in place, modulo 2^64
  void sum(std::span<std::int64_t> values) const;
  void max(std::span<double> values) const;
  void max(std::span<std::int64_t> values) const;
  // Exclusive prefix sum: the sum over lower ranks; 0 on rank 0.
  std::int64_t sum_of_lower_ranks(std::int64_t value) const;
  void barrier() const;

  // The items of all ranks in order of rank, on all ranks. Collective.
  template <class T>
  std::vector<T> all_gather(std::span<const T> items) const {
    static_assert(std::is_trivially_copyable_v<T>);
    const std::vector<std::byte> bytes = all_gather_bytes(std::as_bytes(items));
    std::vector<T> all(bytes.size() / sizeof(T));
    if (!bytes.empty()) __builtin_memcpy(all.data(), bytes.data(), bytes.size());
    return all;
  }
  template <class T>
  std::vector<T> all_gather(const T& item) const {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> all(static_cast<std::size_t>(size_), item);
    all_gather_equal(std::as_bytes(std::span(&item, 1)), std::as_writable_bytes(std::span(all)));
    return all;
  }
  // As all_gather(), for few items: their number does not grow with the number of ranks. Time and memory are
  // independent of the number of ranks but for the latency of three reductions. Collective.
  template <class T>
  std::vector<T> all_gather_few(std::span<const T> items) const {
    static_assert(std::is_trivially_copyable_v<T>);
    constexpr std::size_t words = (sizeof(T) + 7) / 8;
    const auto count = static_cast<std::int64_t>(items.size());
    const auto first = static_cast<std::size_t>(sum_of_lower_ranks(count));
    std::vector<T> all(static_cast<std::size_t>(sum(count)));
    std::vector<std::uint64_t> buffer(all.size() * words, 0);
    for (std::size_t i = 0; i < items.size(); ++i)
      __builtin_memcpy(&buffer[(first + i) * words], &items[i], sizeof(T));
    sum(std::span<std::uint64_t>(buffer));  // of one rank's words and zeros: exact
    for (std::size_t i = 0; i < all.size(); ++i)
      __builtin_memcpy(static_cast<void*>(&all[i]), &buffer[i * words], sizeof(T));
    return all;
  }
  // Replaces the argument by that of the root. Collective.
  void broadcast(std::string& text) const;
  template <class T>
  void broadcast(std::vector<T>& items) const {
    static_assert(std::is_trivially_copyable_v<T>);
    const std::int64_t count = broadcast_count(static_cast<std::int64_t>(items.size()));
    items.resize(static_cast<std::size_t>(count));
    broadcast_bytes(std::as_writable_bytes(std::span(items)));
  }
  template <class T>
  void broadcast(T& item) const {
    static_assert(std::is_trivially_copyable_v<T>);
    broadcast_bytes(std::as_writable_bytes(std::span(&item, 1)));
  }

  // Runs the body, which may throw on some ranks only and must not call collective functions. If it throws on
  // any rank, all ranks throw AgreedFailure, or AgreedInputError for an InputError, with the message of the
  // lowest such rank. On a communicator of one rank the exception of the body propagates. Collective.
  void agree(const std::function<void()>& body) const;

 private:
  std::vector<std::byte> all_gather_bytes(std::span<const std::byte> bytes) const;
  void all_gather_equal(std::span<const std::byte> own, std::span<std::byte> all) const;
  std::int64_t broadcast_count(std::int64_t count) const;
  void broadcast_bytes(std::span<std::byte> bytes) const;

  friend std::vector<Parcel<std::byte>> exchange_bytes(const Communicator&, Partners,
                                                       const std::vector<Parcel<std::byte>>&);

  struct Shared {
    MPI_Comm comm = MPI_COMM_NULL;
    int exchanges = 0;  // number of exchanges so far, equal on all ranks
  };
  std::shared_ptr<Shared> shared_;                   // null: without MPI
  std::shared_ptr<const std::vector<int>> windows_;  // ranks, ascending; null: none
  Transport* transport_ = nullptr;
  int rank_ = 0, size_ = 1;
};

namespace detail {
template <class T>
std::vector<Parcel<T>> exchange(const Communicator& communicator, Partners partners,
                                const std::vector<Parcel<T>>& out) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<Parcel<std::byte>> bytes(out.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto from = std::as_bytes(std::span(out[i].items));
    bytes[i] = {out[i].rank, {from.begin(), from.end()}};
  }
  std::vector<Parcel<T>> in;
  for (const auto& parcel : exchange_bytes(communicator, partners, bytes)) {
    Parcel<T>& to = in.emplace_back();
    to.rank = parcel.rank;
    to.items.resize(parcel.items.size() / sizeof(T));
    if (!to.items.empty()) __builtin_memcpy(to.items.data(), parcel.items.data(), parcel.items.size());
  }
  return in;
}
}  // namespace detail

// Dynamic sparse data exchange: messages between pairs of ranks that only the senders know. `out` has one
// list of items per destination. Returns the received lists in ascending order of the sending rank. Costs one
// message per pair and a non-blocking barrier (Hoefler, Siebert, Lumsdaine 2010, "Scalable communication
// protocols for dynamic sparse data exchange"). Collective.
template <class T>
std::vector<Parcel<T>> exchange_sparsely(const Communicator& communicator,
                                         const std::vector<Parcel<T>>& out) {
  return detail::exchange(communicator, Partners::unknown, out);
}

// As exchange_sparsely() of items by rank, which may include this rank. Returns those that all ranks have for this rank: its own
// first, then those of other ranks, ascending. Collective.
template <class T>
std::vector<T> deliver(const Communicator& communicator, std::map<int, std::vector<T>> items_by_rank) {
  std::vector<T> here;
  std::vector<Parcel<T>> out;
  for (auto& [rank, items] : items_by_rank) {
    if (rank == communicator.rank())
      here = std::move(items);
    else
      out.push_back({rank, std::move(items)});
  }
  for (const auto& parcel : exchange_sparsely(communicator, out))
    here.insert(here.end(), parcel.items.begin(), parcel.items.end());
  return here;
}

// As exchange_sparsely(), where every rank receives from exactly the ranks to which it sends: without barrier.
// `out` is ascending by rank. Collective among partners.
template <class T>
std::vector<Parcel<T>> exchange_symmetrically(const Communicator& communicator,
                                              const std::vector<Parcel<T>>& out) {
  return detail::exchange(communicator, Partners::symmetric, out);
}

// Maxima over all ranks, computed while the ranks do other work.
class MaxReduction {
 public:
  // Starts the reduction of values[i] over ranks, in place, by the thread that initialised MPI. The values must
  // outlive this object and must not be accessed before wait(). One rank: nothing to do. Collective.
  MaxReduction(const Communicator& communicator, std::span<double> values);
  // Waits, unless wait() was called.
  ~MaxReduction();
  MaxReduction(const MaxReduction&) = delete;
  MaxReduction& operator=(const MaxReduction&) = delete;

  // One rank: there is nothing to wait for.
  bool is_empty() const { return is_empty_; }
  // Progresses the reduction if this is the thread that initialised MPI. Any thread may call it. Returns
  // whether the results have arrived.
  bool poll();
  // Returns when `values` are the maxima. To be called by the thread that initialised MPI.
  void wait();

 private:
  MPI_Request request_ = MPI_REQUEST_NULL;
  std::atomic<bool> has_arrived_{true};
  bool is_empty_ = true;
};

}  // namespace meander::parallel
