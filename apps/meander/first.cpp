// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// What happens before the initialisation of any other file: the processor is checked, since other files may use
// instructions it lacks, and a signal that asks for a checkpoint is made harmless.
#include "first.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>

#include "base/cpu_check.hpp"

namespace {

constexpr int before_all_others = 101;  // the first priority that is not reserved for the compiler

[[gnu::constructor(before_all_others)]] void first() {
  meander::require_cpu_features();
}

// There is nothing to write yet. The system is called directly: this runs before the constructors of all
// libraries, which sanitizers would otherwise see too early.
void ignore_checkpoint_requests(int, char**, char**) {
  struct {
    void (*handler)(int) = SIG_IGN;
    unsigned long flags = 0;
    void (*restorer)() = nullptr;
    unsigned long mask = 0;
  } const action;
  ::syscall(SYS_rt_sigaction, SIGUSR1, &action, nullptr, sizeof action.mask);
}

[[gnu::section(".preinit_array"),
  gnu::used]] void (*const before_libraries)(int, char**, char**) = ignore_checkpoint_requests;

}  // namespace

void meander::app::keep_first() {}
