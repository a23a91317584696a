// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ranks.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <optional>
#include <stdexcept>
#include <thread>

#include "base/crash.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/printable.hpp"
#include "parallel/shared_window.hpp"

namespace meander::app {

namespace {

const char* level_name(int level) {
  switch (level) {
    case MPI_THREAD_MULTIPLE:
      return "MPI_THREAD_MULTIPLE";
    case MPI_THREAD_SERIALIZED:
      return "MPI_THREAD_SERIALIZED";
    case MPI_THREAD_FUNNELED:
      return "MPI_THREAD_FUNNELED";
    default:
      return "MPI_THREAD_SINGLE";
  }
}

bool several_ranks() {
  int initialized = 0, finalized = 0, size = 1;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  if (initialized != 0 && finalized == 0) MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size > 1;
}

// Unlike fmt::print, does not throw if standard error takes nothing.
void write_line(const std::string& text) {
  std::fputs((printable(text) + "\n").c_str(), stderr);
  std::fflush(stderr);
}

void print(const std::string& message) {
  log::live_line("");
  int rank = 0;
  const bool several = several_ranks();
  if (several) MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  write_line((several && rank > 0 ? fmt::format("rank {}: ", rank) : "") + message);
}

struct Outcome {
  int code = exit_failure;
  std::string message;
  bool agreed = false;  // all ranks throw it
};

// Exit code and message of the exception being handled.
Outcome outcome() {
  try {
    throw;
  } catch (const parallel::AgreedInputError& error) {
    return {exit_input_error, error.what(), true};
  } catch (const parallel::AgreedFailure& error) {
    return {exit_failure, error.what(), true};
  } catch (const InputError& error) {
    return {exit_input_error, error.what()};
  } catch (const std::bad_alloc&) {
    return {exit_failure, "meander: out of memory"};
  } catch (const std::exception& error) {
    return {exit_failure, error.what()};
  } catch (...) {
    return {exit_failure, "meander: an unknown failure"};
  }
}

// Whether a rank of this node has printed a failure; shared by the ranks of the node, null for a single rank.
std::atomic<int>* printed = nullptr;
static_assert(std::atomic<int>::is_always_lock_free);

// A common cause makes many ranks fail at once. The first rank prints and aborts all ranks; the others wait
// for this, and abort themselves after a few seconds.
void print_once(const std::string& message) {
  if (printed == nullptr || printed->exchange(1) == 0) return print(message);
  std::this_thread::sleep_for(std::chrono::seconds(5));
}

// An uncaught exception, for example in a thread, aborts all ranks.
[[noreturn]] void on_terminate() {
  const Outcome what = std::current_exception() ? outcome() : Outcome{.message = "meander: terminated"};
  print_once(what.message);
  report_crash("an uncaught exception");
  if (several_ranks()) MPI_Abort(MPI_COMM_WORLD, what.code);
  std::abort();
}

// Starts MPI and ends it; without a launcher there is one rank.
class Mpi {
 public:
  Mpi() { MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level_); }
  ~Mpi() { MPI_Finalize(); }
  Mpi(const Mpi&) = delete;
  Mpi& operator=(const Mpi&) = delete;

  int level() const { return level_; }

 private:
  int level_ = MPI_THREAD_SINGLE;
};

}  // namespace

int with_ranks(const std::function<int(const Ranks&)>& body) {
  const Mpi mpi;
  std::set_terminate(on_terminate);
  bool is_root = true, alone = true;
  std::optional<parallel::SharedWindow> printed_window;
  try {
    const Ranks ranks{.communicator = parallel::Communicator::world(),
                      .thread_level = level_name(mpi.level()),
                      .many_threads = mpi.level() >= MPI_THREAD_FUNNELED};
    is_root = ranks.communicator.is_root();
    alone = ranks.communicator.size() == 1;
    const parallel::Communicator node = ranks.communicator.of_node();
    if (node.size() > 1) {
      printed = static_cast<std::atomic<int>*>(printed_window.emplace(node, sizeof *printed).data());
    }
    if (!is_root) {
      log::set_level(log::Level::error);
      log::set_prefix(fmt::format("rank {}: ", ranks.communicator.rank()));
    }
    return body(ranks);
  } catch (...) {
    const Outcome what = outcome();
    if (!what.agreed) {
      print_once(what.message);
      if (!alone) MPI_Abort(MPI_COMM_WORLD, what.code);
    } else if (is_root) {
      print(what.message);
    }
    return what.code;
  }
}

int without_ranks(const std::function<int()>& body) {
  try {
    return body();
  } catch (...) {
    const Outcome what = outcome();
    write_line(what.message);
    return what.code;
  }
}

}  // namespace meander::app
