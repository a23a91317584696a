// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Repeated exchange of one message with each neighbouring rank: buffers and persistent MPI requests.
//
// Where the communicator has a window to a rank, the receiver reads the sender's buffer in place, and the message is a notice that
// it is filled. There are two such buffers, used in turn, and notices in both directions: the notice of the next exchange says that
// its sender has done with the buffer of this one, which is filled again in the exchange after that.
//
// With MPI_THREAD_MULTIPLE, poll() of any thread progresses messages; otherwise only poll() of the thread
// that initialised MPI does.
//
// A trace has a row for each neighbour. A message is shown from start_sends() until its arrival was detected.

#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <span>
#include <utility>
#include <vector>

#include "parallel/communicator.hpp"
#include "parallel/window.hpp"

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

// Whether this MPI accesses memory of CUDA devices.
bool mpi_accesses_cuda_memory();

class NeighbourMessages {
 public:
  // Sizes in doubles; 0: no message in that direction. Both sides must specify the same size.
  struct Peer {
    int rank = 0;
    std::size_t send = 0, receive = 0;
  };

  NeighbourMessages() = default;
  // Objects with different tags are independent. `name`, for traces, must live as long as the program. Not
  // collective, but each peer must construct the matching object. A rank with a window is in one peer. The buffers lie in
  // windows, or in `memory`, which outlives the object. Throws Failure if a message exceeds 16 GB, and what `memory` throws.
  NeighbourMessages(const Communicator& communicator, int tag, std::span<const Peer> peers, const char* name,
                    std::pmr::memory_resource& memory = *std::pmr::new_delete_resource());
  // The same messages with buffers of the caller, for example in the memory of a device, where MPI can access it: an exchange is by
  // these or by those. Requires that no rank has a window.
  NeighbourMessages with_buffers(double* send, double* receive) const;

  // Messages are stored contiguously in the order of `peers`. After start_sends() the send buffer may be another one.
  double* send_buffer() { return exchange_ ? exchange_->send_buffer(exchange_->next_sent) : nullptr; }
  // The number at this place of the messages received. Those that follow it in the message of the same rank follow it here.
  const double* received(std::size_t offset) const {
    const auto& sources = exchange_->sources;
    const auto from = std::ranges::upper_bound(sources, offset, {}, &Source::begin) - 1;
    return from->data[exchange_->last_received] + (offset - from->begin);
  }
  // All of them, without windows.
  const double* receive_buffer() const { return exchange_ ? exchange_->receive : nullptr; }
  bool is_empty() const { return !exchange_; }
  std::size_t sent_messages() const { return exchange_ ? exchange_->sent_messages : 0; }
  std::size_t sent_bytes() const { return exchange_ ? exchange_->sent * sizeof(double) : 0; }
  std::size_t received_bytes() const { return exchange_ ? exchange_->received * sizeof(double) : 0; }

  // One exchange: start_receives(); start_sends() after the send buffer is filled; wait(). What was received
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
  // The message between ranks with a window: where the sender's two buffers have what is for the receiver.
  struct Notice {
    Window::Handle window;
    std::int64_t at[2] = {};  // doubles
  };
  struct Neighbour {  // with a window
    Notice sent, received;
    int source = -1;  // its number among the sources; -1: it sends notices only
    bool reads = false;
    Window window;  // empty until the first exchange
  };
  struct Source {
    std::size_t begin = 0;       // in the messages
    const double* data[2] = {};  // of the even and odd exchanges
  };
  struct Exchange {
    ~Exchange();
    double* send_buffer(std::size_t n) { return window.is_empty() ? send : window.data() + n * sent; }
    // Makes the requests, when the buffers are there.
    void connect();
    void arrived(int count);
    void find_windows();

    struct Link : Peer {
      bool has_window = false;
    };
    MPI_Comm communicator = MPI_COMM_NULL;
    int tag = 0;
    std::vector<Link> links;                    // with a message in one direction at least
    MessageBuffer send_memory, receive_memory;  // not of buffers of the caller
    double *send = nullptr, *receive = nullptr;
    Window window;                      // instead of `send`
    std::vector<Neighbour> neighbours;  // requests hold pointers to their notices
    std::vector<Source> sources;
    std::size_t sent = 0, received = 0;            // doubles
    std::size_t sent_messages = 0;                 // that are no notices of nothing
    std::size_t next_sent = 0, last_received = 0;  // of the two buffers
    std::vector<MPI_Request> sends[2], receives;
    std::vector<int> senders;  // ranks, by receive
    std::vector<int> indices;  // of the receives that MPI has just completed
    const char* name = "";
    bool any_thread = false, is_first = true;
    std::atomic_flag busy;
    std::atomic<bool> under_way{false};
    std::size_t outstanding = 0;  // number of receives whose arrival is not yet detected
    std::int64_t started = 0;
  };

  std::unique_ptr<Exchange> exchange_;  // null: nothing to exchange
};

}  // namespace meander::parallel
