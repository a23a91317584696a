// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// One message to and one from each of some ranks, again and again: buffers, and MPI's persistent requests on
// them.
//
// Where the library allows any thread to call it (MPI_THREAD_MULTIPLE), any thread's poll() moves messages
// on; else only that of the thread that initialised MPI does.
//
// In a trace every neighbour has a row, with a message from start_sends() until it was seen to have arrived.

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "parallel/communicator.hpp"

namespace meander::parallel {

class NeighbourMessages {
 public:
  // Sizes in doubles; 0: no message that way, on both sides alike.
  struct Peer {
    int rank = 0;
    std::size_t send = 0, receive = 0;
  };

  NeighbourMessages();
  // Messages of one object do not meet those of another with another tag. `name`, for traces, lives as long
  // as the program. Not collective, but the others must do the same.
  NeighbourMessages(const Communicator& communicator, int tag, std::span<const Peer> peers, const char* name);
  ~NeighbourMessages();
  NeighbourMessages(NeighbourMessages&&) noexcept;
  NeighbourMessages& operator=(NeighbourMessages&&) noexcept;

  // Peer after peer, in the order given.
  double* send_buffer() { return send_.data(); }
  const double* receive_buffer() const { return receive_.data(); }
  bool is_empty() const { return receives_.empty() && sends_.empty(); }
  std::size_t sent_bytes() const { return send_.size() * sizeof(double); }

  // One round: start_receives(), then, when the send buffer is full, start_sends(), then wait(). Buffers must
  // not be touched meanwhile. By the thread that initialised MPI.
  void start_receives();
  void start_sends();
  // Moves messages on, if this thread may; callable by all threads, between start_receives() and wait().
  // False while messages are under way: between start_sends() and when this has seen the last arrive.
  bool poll();
  // All have arrived and left. By the thread that initialised MPI.
  void wait();

 private:
  struct Progress {
    std::atomic_flag busy;
    std::atomic<bool> under_way{false};
    std::size_t to_come = 0;  // receives that have not been seen to arrive
    std::int64_t started = 0;
  };
  void free();
  void arrived(int count);

  std::vector<double> send_, receive_;
  std::vector<MPI_Request> sends_, receives_;
  std::vector<int> senders_;  // of the receives
  std::vector<int> indices_;  // of those that have just arrived
  const char* name_ = "";
  bool any_thread_ = false;
  std::unique_ptr<Progress> progress_;
};

}  // namespace meander::parallel
