// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "parallel/neighbour_messages.hpp"

#include <fmt/format.h>

#include <chrono>
#include <climits>
#include <exception>
#include <thread>
#include <utility>

#include "base/assert.hpp"
#include "base/trace.hpp"

// Open MPI tells it by an extension, MPICH and its relatives in mpi.h.
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

namespace meander::parallel {

bool mpi_accesses_cuda_memory() {
#if defined(MPIX_CUDA_AWARE_SUPPORT) || (defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 40000000)
  return MPIX_Query_cuda_support() == 1;
#else
  return false;
#endif
}

NeighbourMessages::NeighbourMessages(const Communicator& communicator, int tag, std::span<const Peer> peers,
                                     const char* name, std::pmr::memory_resource& memory) {
  auto exchange = std::make_unique<Exchange>();
  for (const Peer& peer : peers) {
    if (peer.send > INT_MAX || peer.receive > INT_MAX)
      throw Failure("a message between two ranks exceeds 16 GB");
    if (peer.send + peer.receive == 0) continue;
    exchange->sent += peer.send;
    exchange->received += peer.receive;
    if (peer.send > 0) ++exchange->sent_messages;
    exchange->links.push_back({peer, communicator.has_window_to(peer.rank)});
  }
  const auto with_window = std::ranges::count(exchange->links, true, &Exchange::Link::has_window);
  const auto without = std::ssize(exchange->links) - with_window;
  if (exchange->links.empty()) return;
  exchange->communicator = communicator.get();
  exchange->tag = tag;
  exchange->name = name;
  if (with_window > 0)
    exchange->window = Window(2 * exchange->sent * sizeof(double));
  else
    exchange->send_memory = MessageBuffer(memory, exchange->sent);
  if (without > 0) exchange->receive_memory = MessageBuffer(memory, exchange->received);
  exchange->send = exchange->send_memory.data();
  exchange->receive = exchange->receive_memory.data();
  exchange->connect();
  exchange_ = std::move(exchange);
}

NeighbourMessages NeighbourMessages::with_buffers(double* send, double* receive) const {
  NeighbourMessages result;
  if (!exchange_) return result;
  MEANDER_ASSERT(exchange_->window.is_empty());
  auto exchange = std::make_unique<Exchange>();
  exchange->communicator = exchange_->communicator;
  exchange->tag = exchange_->tag;
  exchange->name = exchange_->name;
  exchange->links = exchange_->links;
  exchange->sent = exchange_->sent;
  exchange->received = exchange_->received;
  exchange->sent_messages = exchange_->sent_messages;
  exchange->send = send;
  exchange->receive = receive;
  exchange->connect();
  result.exchange_ = std::move(exchange);
  return result;
}

void NeighbourMessages::Exchange::connect() {
  const auto add_send = [&](const void* data, std::size_t count, MPI_Datatype type, int rank,
                            std::size_t buffer) {
    mpi_check(MPI_Send_init(data, static_cast<int>(count), type, rank, tag, communicator,
                            &sends[buffer].emplace_back(MPI_REQUEST_NULL)),
              "MPI_Send_init");
  };
  const auto add_receive = [&](void* data, std::size_t count, MPI_Datatype type, int rank) {
    mpi_check(MPI_Recv_init(data, static_cast<int>(count), type, rank, tag, communicator,
                            &receives.emplace_back(MPI_REQUEST_NULL)),
              "MPI_Recv_init");
    senders.push_back(rank);
  };
  neighbours.reserve(links.size());  // requests hold pointers to their notices
  const std::size_t buffers = window.is_empty() ? 1 : 2;
  std::size_t to = 0, from = 0;
  for (const Link& link : links) {
    if (link.has_window) {
      MEANDER_ASSERT(std::ranges::find(senders, link.rank) == senders.end());
      Neighbour& neighbour = neighbours.emplace_back();
      neighbour.sent = {window.handle(),
                        {static_cast<std::int64_t>(to), static_cast<std::int64_t>(sent + to)}};
      neighbour.reads = link.send > 0;
      if (link.receive > 0) neighbour.source = static_cast<int>(sources.size());
      for (std::size_t buffer = 0; buffer < buffers; ++buffer)
        add_send(&neighbour.sent, sizeof(Notice), MPI_BYTE, link.rank, buffer);
      add_receive(&neighbour.received, sizeof(Notice), MPI_BYTE, link.rank);
    } else {
      for (std::size_t buffer = 0; buffer < buffers && link.send > 0; ++buffer)
        add_send(send_buffer(buffer) + to, link.send, MPI_DOUBLE, link.rank, buffer);
      if (link.receive > 0) add_receive(receive + from, link.receive, MPI_DOUBLE, link.rank);
    }
    if (link.receive > 0) {
      const double* const data = link.has_window ? nullptr : receive + from;
      sources.push_back({from, {data, data}});
    }
    to += link.send;
    from += link.receive;
  }
  int level = MPI_THREAD_SINGLE;
  mpi_check(MPI_Query_thread(&level), "MPI_Query_thread");
  indices.resize(receives.size());
  any_thread = level == MPI_THREAD_MULTIPLE;
}

// Neighbours find the window when they receive the first notice, which they may not have looked at yet.
NeighbourMessages::Exchange::~Exchange() {
  int finalized = 0;
  if (MPI_Finalized(&finalized) == MPI_SUCCESS && finalized == 0) {
    for (auto* requests : {&sends[0], &sends[1], &receives}) {
      for (MPI_Request& request : *requests) MPI_Request_free(&request);
    }
  }
  if (window.is_empty() || is_first) return;
  const auto readers = std::ranges::count(neighbours, true, &Neighbour::reads);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  while (window.users() < readers && std::uncaught_exceptions() == 0 &&
         std::chrono::steady_clock::now() < end)
    std::this_thread::yield();
  if (window.users() < readers) window.keep_findable();
}

void NeighbourMessages::start_receives() {
  if (!exchange_) return;
  exchange_->outstanding = exchange_->receives.size();
  if (exchange_->receives.empty()) return;
  mpi_check(MPI_Startall(static_cast<int>(exchange_->receives.size()), exchange_->receives.data()),
            "MPI_Startall");
}

void NeighbourMessages::start_sends() {
  if (!exchange_) return;
  exchange_->started = trace::on() ? trace::now() : 0;
  exchange_->under_way = true;
  auto& sends = exchange_->sends[exchange_->next_sent];
  if (!exchange_->window.is_empty()) {
    exchange_->window.release();
    exchange_->last_received = exchange_->next_sent;
    exchange_->next_sent = 1 - exchange_->next_sent;
  }
  if (sends.empty()) return;
  mpi_check(MPI_Startall(static_cast<int>(sends.size()), sends.data()), "MPI_Startall");
}

// A message that arrives before this rank has sent its own is not traced: no thread waits for it.
void NeighbourMessages::Exchange::arrived(int count) {
  outstanding -= static_cast<std::size_t>(count);
  if (!trace::on() || !under_way) return;
  const std::int64_t end = trace::now();
  for (int i = 0; i < count; ++i) {
    const int sender = senders[static_cast<std::size_t>(indices[static_cast<std::size_t>(i)])];
    trace::record(trace::find_or_add_row(fmt::format("messages from rank {}", sender)), name, started, end);
  }
}

bool NeighbourMessages::poll() {
  if (!exchange_) return true;
  Exchange& exchange = *exchange_;
  if (!exchange.any_thread) {
    int is_main = 0;
    if (MPI_Is_thread_main(&is_main) != MPI_SUCCESS || is_main == 0) return !exchange.under_way;
  } else if (exchange.busy.test_and_set(std::memory_order_acquire)) {
    return !exchange.under_way;
  }
  // Requests that are completed here become inactive, and wait() ignores them.
  int done = 0, code = MPI_SUCCESS;
  if (!exchange.receives.empty()) {
    code = MPI_Testsome(static_cast<int>(exchange.receives.size()), exchange.receives.data(), &done,
                        exchange.indices.data(), MPI_STATUSES_IGNORE);
    if (code == MPI_SUCCESS && done != MPI_UNDEFINED) exchange.arrived(done);
  } else {
    code = MPI_Testall(static_cast<int>(exchange.sends[0].size()), exchange.sends[0].data(), &done,
                       MPI_STATUSES_IGNORE);
  }
  if (exchange.outstanding == 0) exchange.under_way = false;
  const bool all = !exchange.under_way;
  if (exchange.any_thread) exchange.busy.clear(std::memory_order_release);
  mpi_check(code, "MPI_Testsome");
  return all;
}

void NeighbourMessages::wait() {
  if (!exchange_) return;
  Exchange& exchange = *exchange_;
  while (exchange.outstanding > 0) {
    int done = 0;
    mpi_check(MPI_Waitsome(static_cast<int>(exchange.receives.size()), exchange.receives.data(), &done,
                           exchange.indices.data(), MPI_STATUSES_IGNORE),
              "MPI_Waitsome");
    exchange.arrived(done);
  }
  exchange.under_way = false;
  for (auto& sends : exchange.sends) {
    if (!sends.empty())
      mpi_check(MPI_Waitall(static_cast<int>(sends.size()), sends.data(), MPI_STATUSES_IGNORE),
                "MPI_Waitall");
  }
  if (exchange.window.is_empty()) return;
  if (std::exchange(exchange.is_first, false)) exchange.find_windows();
  for (const Neighbour& neighbour : exchange.neighbours) {
    if (!neighbour.window.is_empty()) neighbour.window.acquire();
  }
}

void NeighbourMessages::Exchange::find_windows() {
  for (Neighbour& neighbour : neighbours) {
    if (neighbour.source < 0) continue;
    neighbour.window = Window(neighbour.received.window);
    for (std::size_t n = 0; n < 2; ++n)
      sources[static_cast<std::size_t>(neighbour.source)].data[n] =
          neighbour.window.data() + neighbour.received.at[n];
  }
}

}  // namespace meander::parallel
