// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/control/stop_requests.hpp"

#include <csignal>
#include <iterator>

#include "base/assert.hpp"

namespace meander::simulation {

namespace {

constexpr int handled[] = {SIGUSR1, SIGUSR2, SIGTERM, SIGINT, SIGHUP, SIGPIPE};

volatile std::sig_atomic_t checkpoint_requests = 0, stop_request = 0;
struct sigaction before[std::size(handled)];
bool installed = false;

extern "C" void on_request(int signal) {
  if (signal == SIGUSR1) {
    checkpoint_requests = 1;
  } else if (stop_request == 0) {
    stop_request = signal;
  } else if (signal != SIGHUP) {
    // The signal is blocked until this handler returns; then it ends the process.
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

}  // namespace

StopRequests::StopRequests(Afterwards afterwards) : afterwards_(afterwards) {
  MEANDER_ASSERT(!installed);
  installed = true;
  checkpoint_requests = 0;
  stop_request = 0;
  struct sigaction action {};
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < std::size(handled); ++i) {
    sigaction(handled[i], nullptr, &before[i]);
    if (handled[i] == SIGHUP && before[i].sa_handler == SIG_IGN) continue;
    action.sa_handler = handled[i] == SIGPIPE ? SIG_IGN : on_request;
    sigaction(handled[i], &action, nullptr);
  }
}

StopRequests::~StopRequests() {
  installed = false;
  if (afterwards_ == Afterwards::too_late) return;
  for (std::size_t i = 0; i < std::size(handled); ++i) sigaction(handled[i], &before[i], nullptr);
}

bool StopRequests::take_checkpoint_request() {
  if (checkpoint_requests == 0) return false;
  checkpoint_requests = 0;
  return true;
}

int StopRequests::stop_signal() const {
  return stop_request;
}

const char* signal_name(int signal) {
  switch (signal) {
    case SIGUSR1:
      return "SIGUSR1";
    case SIGUSR2:
      return "SIGUSR2";
    case SIGTERM:
      return "SIGTERM";
    case SIGINT:
      return "SIGINT";
    case SIGHUP:
      return "SIGHUP";
    default:
      return "a signal";
  }
}

}  // namespace meander::simulation
