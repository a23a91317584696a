// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Repeated exchange of one message with each neighbouring rank: buffers and persistent MPI requests.
//
// With MPI_THREAD_MULTIPLE, poll() of any thread progresses messages; otherwise only poll() of the thread
// that initialised MPI does.
//
// A trace has a row for each neighbour. A message is shown from start_sends() until its arrival was detected.

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <span>
#include <vector>

#include "parallel/communicator.hpp"
#include "parallel/message_buffer.hpp"

namespace meander::parallel {

class NeighbourMessages {
 public:
  // Sizes in doubles; 0: no message in that direction. Both sides must specify the same size.
  struct Peer {
    int rank = 0;
    std::size_t send = 0, receive = 0;
  };

  NeighbourMessages();
  // Objects with different tags are independent. `name`, for traces, must live as long as the program. Not
  // collective, but each peer must construct the matching object. The buffers lie in `memory`, which outlives
  // the object. Throws Failure if a message exceeds 16 GB, and what `memory` throws.
  NeighbourMessages(const Communicator& communicator, int tag, std::span<const Peer> peers, const char* name,
                    std::pmr::memory_resource& memory = *std::pmr::new_delete_resource());
  ~NeighbourMessages();
  NeighbourMessages(NeighbourMessages&&) noexcept;
  NeighbourMessages& operator=(NeighbourMessages&&) noexcept;

  // Messages are stored contiguously in the order of `peers`.
  double* send_buffer() { return send_.data(); }
  const double* receive_buffer() const { return receive_.data(); }
  bool is_empty() const { return receives_.empty() && sends_.empty(); }
  std::size_t sent_messages() const { return sends_.size(); }
  std::size_t sent_bytes() const { return send_.size() * sizeof(double); }
  std::size_t received_bytes() const { return receive_.size() * sizeof(double); }

  // One exchange: start_receives(); start_sends() after the send buffer is filled; wait(). The receive buffer
  // must not be accessed between start_receives() and wait(), the send buffer not between start_sends() and
  // wait(). To be called by the thread that initialised MPI.
  void start_receives();
  void start_sends();
  // Progresses messages, if this thread is allowed to. Any thread may call it between start_receives() and
  // wait(). Returns false from start_sends() until it has detected the arrival of the last message.
  bool poll();
  // Returns when all messages are received and sent. To be called by the thread that initialised MPI.
  void wait();

 private:
  struct Progress {
    std::atomic_flag busy;
    std::atomic<bool> under_way{false};
    std::size_t outstanding = 0;  // number of receives whose arrival is not yet detected
    std::int64_t started = 0;
  };
  void free();
  void arrived(int count);

  MessageBuffer send_, receive_;
  std::vector<MPI_Request> sends_, receives_;
  std::vector<int> senders_;  // ranks, by receive
  std::vector<int> indices_;  // of the receives that MPI has just completed
  const char* name_ = "";
  bool any_thread_ = false;
  std::unique_ptr<Progress> progress_;
};

}  // namespace meander::parallel
