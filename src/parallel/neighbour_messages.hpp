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
#include <utility>
#include <vector>

#include "parallel/communicator.hpp"

namespace meander::parallel {

// A buffer of doubles for messages, in memory of any resource: page-locked memory where a device copies to and
// from it. Moving a buffer does not move its contents, so that persistent MPI requests stay valid
// (std::pmr::vector copies between resources).
class MessageBuffer {
 public:
  MessageBuffer() = default;
  // Contents are undefined. The resource outlives the buffer. Throws what the resource throws.
  MessageBuffer(std::pmr::memory_resource& memory, std::size_t doubles)
      : memory_(&memory),
        data_(static_cast<double*>(memory.allocate(doubles * sizeof(double), alignment))),
        size_(doubles) {}
  MessageBuffer(MessageBuffer&& other) noexcept { swap(other); }
  MessageBuffer& operator=(MessageBuffer&& other) noexcept {
    MessageBuffer(std::move(other)).swap(*this);
    return *this;
  }
  MessageBuffer(const MessageBuffer&) = delete;
  MessageBuffer& operator=(const MessageBuffer&) = delete;
  ~MessageBuffer() {
    if (memory_ != nullptr) memory_->deallocate(data_, size_ * sizeof(double), alignment);
  }

  double* data() { return data_; }
  const double* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  static constexpr std::size_t alignment = 64;
  void swap(MessageBuffer& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

  std::pmr::memory_resource* memory_ = nullptr;
  double* data_ = nullptr;
  std::size_t size_ = 0;
};

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
