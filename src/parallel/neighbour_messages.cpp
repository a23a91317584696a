// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "parallel/neighbour_messages.hpp"

#include <fmt/format.h>

#include <climits>
#include <utility>

#include "base/trace.hpp"
#include "parallel/communicator.hpp"

namespace meander::parallel {

NeighbourMessages::NeighbourMessages() : progress_(std::make_unique<Progress>()) {}

NeighbourMessages::NeighbourMessages(const Communicator& communicator, int tag, std::span<const Peer> peers,
                                     const char* name, std::pmr::memory_resource& memory)
    : NeighbourMessages() {
  name_ = name;
  std::size_t send = 0, receive = 0;
  for (const Peer& peer : peers) {
    send += peer.send;
    receive += peer.receive;
    if (peer.send > INT_MAX || peer.receive > INT_MAX)
      throw Failure("a message between two ranks exceeds 16 GB");
  }
  if (send == 0 && receive == 0) return;
  send_ = MessageBuffer(memory, send);
  receive_ = MessageBuffer(memory, receive);
  double *to = send_.data(), *from = receive_.data();
  for (const Peer& peer : peers) {
    if (peer.send > 0) {
      mpi_check(MPI_Send_init(to, static_cast<int>(peer.send), MPI_DOUBLE, peer.rank, tag, communicator.get(),
                              &sends_.emplace_back(MPI_REQUEST_NULL)),
                "MPI_Send_init");
    }
    if (peer.receive > 0) {
      mpi_check(MPI_Recv_init(from, static_cast<int>(peer.receive), MPI_DOUBLE, peer.rank, tag,
                              communicator.get(), &receives_.emplace_back(MPI_REQUEST_NULL)),
                "MPI_Recv_init");
      senders_.push_back(peer.rank);
    }
    to += peer.send;
    from += peer.receive;
  }
  int level = MPI_THREAD_SINGLE;
  mpi_check(MPI_Query_thread(&level), "MPI_Query_thread");
  indices_.resize(receives_.size());
  any_thread_ = level == MPI_THREAD_MULTIPLE;
}

NeighbourMessages::~NeighbourMessages() {
  free();
}

NeighbourMessages::NeighbourMessages(NeighbourMessages&& other) noexcept = default;

NeighbourMessages& NeighbourMessages::operator=(NeighbourMessages&& other) noexcept {
  if (this == &other) return *this;
  free();
  send_ = std::move(other.send_);
  receive_ = std::move(other.receive_);
  sends_ = std::exchange(other.sends_, {});
  receives_ = std::exchange(other.receives_, {});
  senders_ = std::move(other.senders_);
  indices_ = std::move(other.indices_);
  name_ = other.name_;
  any_thread_ = other.any_thread_;
  progress_ = std::move(other.progress_);
  return *this;
}

void NeighbourMessages::free() {
  int finalized = 0;
  if (is_empty() || MPI_Finalized(&finalized) != MPI_SUCCESS || finalized != 0) return;
  for (auto* requests : {&sends_, &receives_}) {
    for (MPI_Request& request : *requests) MPI_Request_free(&request);
    requests->clear();
  }
}

void NeighbourMessages::start_receives() {
  progress_->outstanding = receives_.size();
  if (receives_.empty()) return;
  mpi_check(MPI_Startall(static_cast<int>(receives_.size()), receives_.data()), "MPI_Startall");
}

void NeighbourMessages::start_sends() {
  if (is_empty()) return;
  progress_->started = trace::on() ? trace::now() : 0;
  progress_->under_way = true;
  if (sends_.empty()) return;
  mpi_check(MPI_Startall(static_cast<int>(sends_.size()), sends_.data()), "MPI_Startall");
}

// A message that arrives before this rank has sent its own is not traced: no thread waits for it.
void NeighbourMessages::arrived(int count) {
  progress_->outstanding -= static_cast<std::size_t>(count);
  if (!trace::on() || !progress_->under_way) return;
  const std::int64_t end = trace::now();
  for (int i = 0; i < count; ++i) {
    const int sender = senders_[static_cast<std::size_t>(indices_[static_cast<std::size_t>(i)])];
    trace::record(trace::find_or_add_row(fmt::format("messages from rank {}", sender)), name_,
                  progress_->started, end);
  }
}

bool NeighbourMessages::poll() {
  if (is_empty()) return true;
  if (!any_thread_) {
    int is_main = 0;
    if (MPI_Is_thread_main(&is_main) != MPI_SUCCESS || is_main == 0) return !progress_->under_way;
  } else if (progress_->busy.test_and_set(std::memory_order_acquire)) {
    return !progress_->under_way;
  }
  // Requests that are completed here become inactive, and wait() ignores them.
  int done = 0, code = MPI_SUCCESS;
  if (!receives_.empty()) {
    code = MPI_Testsome(static_cast<int>(receives_.size()), receives_.data(), &done, indices_.data(),
                        MPI_STATUSES_IGNORE);
    if (code == MPI_SUCCESS && done != MPI_UNDEFINED) arrived(done);
  } else {
    code = MPI_Testall(static_cast<int>(sends_.size()), sends_.data(), &done, MPI_STATUSES_IGNORE);
  }
  if (progress_->outstanding == 0) progress_->under_way = false;
  const bool all = !progress_->under_way;
  if (any_thread_) progress_->busy.clear(std::memory_order_release);
  mpi_check(code, "MPI_Testsome");
  return all;
}

void NeighbourMessages::wait() {
  while (progress_->outstanding > 0) {
    int done = 0;
    mpi_check(MPI_Waitsome(static_cast<int>(receives_.size()), receives_.data(), &done, indices_.data(),
                           MPI_STATUSES_IGNORE),
              "MPI_Waitsome");
    arrived(done);
  }
  progress_->under_way = false;
  if (!sends_.empty()) {
    mpi_check(MPI_Waitall(static_cast<int>(sends_.size()), sends_.data(), MPI_STATUSES_IGNORE),
              "MPI_Waitall");
  }
}

}  // namespace meander::parallel
