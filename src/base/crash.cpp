// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The signal handler allocates no memory, takes no lock, and calls async-signal-safe functions only. That
// excludes printf and demangling; addr2line demangles afterwards.
#include "base/crash.hpp"

#include <execinfo.h>
#include <link.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstring>

namespace meander {

namespace {

constexpr int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

constexpr int max_frames = 64;
constexpr std::size_t stack_bytes = std::size_t{1} << 16;

int rank_of_process = -1;
char program[4096] = "meander";
std::uintptr_t program_begin = 0, program_end = 0;  // addresses of its code
std::uintptr_t program_base = 0;                    // load address of offset 0 of the file
std::atomic<long> reporter = 0;                     // id of the thread that reports; 0: none yet
alignas(16) char signal_stack[stack_bytes];

// Text of limited length, formatted without the standard library.
class Line {
 public:
  Line& operator<<(const char* text) {
    for (; *text != '\0' && size_ < sizeof(text_); ++text) text_[size_++] = *text;
    return *this;
  }
  Line& number(std::uintptr_t value, unsigned base) {
    char digits[2 * sizeof(value) + 8];
    std::size_t n = sizeof(digits);
    digits[--n] = '\0';
    do {
      digits[--n] = "0123456789abcdef"[value % base];
      value /= base;
    } while (value != 0);
    return *this << digits + n;
  }
  void write() const {
    for (std::size_t at = 0; at < size_;) {
      const ssize_t put = ::write(STDERR_FILENO, text_ + at, size_ - at);
      if (put <= 0) return;
      at += static_cast<std::size_t>(put);
    }
  }

 private:
  char text_[4096 + 1024];
  std::size_t size_ = 0;
};

const char* name_of(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "SIGSEGV: invalid memory access";
    case SIGBUS:
      return "SIGBUS: access to memory that does not exist";
    case SIGFPE:
      return "SIGFPE: erroneous arithmetic operation";
    case SIGILL:
      return "SIGILL: instruction that this processor does not have";
    default:
      return "SIGABRT: abort";
  }
}

void write_backtrace() {
  void* frames[max_frames];
  const int count = ::backtrace(frames, max_frames);
  ::backtrace_symbols_fd(frames, count, STDERR_FILENO);
  Line hint;
  hint << "names and lines: addr2line -Cfpie " << program;
  bool any = false;
  for (int f = 0; f < count; ++f) {
    const auto address = reinterpret_cast<std::uintptr_t>(frames[f]);
    if (address < program_begin || address >= program_end) continue;
    (hint << " 0x").number(address - program_base, 16);
    any = true;
  }
  if (any) (hint << "\n").write();
}

void write_report(const char* what, int sender) {
  Line line;
  line << "\nmeander crashed";
  if (rank_of_process >= 0) (line << ": rank ").number(static_cast<std::uintptr_t>(rank_of_process), 10);
  const long thread = ::syscall(SYS_gettid), process = ::getpid();
  (line << ", process ").number(static_cast<std::uintptr_t>(process), 10);
  if (thread == process) {
    line << ", main thread";
  } else {
    (line << ", thread ").number(static_cast<std::uintptr_t>(thread), 10);
  }
  line << ": " << what;
  if (sender > 0) (line << ", sent by process ").number(static_cast<std::uintptr_t>(sender), 10);
  line << "\nThe files written before are intact; `meander restart` continues from the newest checkpoint. "
          "Backtrace:\n";
  line.write();
  write_backtrace();
}

// Only the first thread reports, and only once. It ends the process; the other threads wait for that.
void report_once(const char* what, int sender) {
  const long self = ::syscall(SYS_gettid);
  long first = 0;
  if (reporter.compare_exchange_strong(first, self)) return write_report(what, sender);
  while (first != self) ::pause();
}

extern "C" void on_crash(int signal, siginfo_t* info, void*) {
  const bool sent = info->si_code == SI_USER && info->si_pid != ::getpid();
  report_once(name_of(signal), sent ? info->si_pid : 0);
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  ::sigaction(signal, &standard, nullptr);
  ::raise(signal);
}

int find_program(dl_phdr_info* info, std::size_t, void*) {
  program_base = info->dlpi_addr;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
    program_begin = program_base + part.p_vaddr;
    program_end = program_begin + part.p_memsz;
  }
  return 1;  // ends the iteration: the program itself is the first entry
}

}  // namespace

void report_crashes(int rank) {
  rank_of_process = rank;
  if (sanitized) return;  // the sanitizer reports crashes itself
  ::dl_iterate_phdr(find_program, nullptr);
  const ssize_t length = ::readlink("/proc/self/exe", program, sizeof(program) - 1);
  if (length > 0) program[length] = '\0';
  // The first backtrace loads a library, which is not allowed in a signal handler.
  void* frame = nullptr;
  ::backtrace(&frame, 1);
  stack_t stack{};
  stack.ss_sp = signal_stack;
  stack.ss_size = stack_bytes;
  ::sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_sigaction = on_crash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (const int signal : crashes) ::sigaction(signal, &action, nullptr);
}

void report_crash(const char* what) {
  report_once(what, 0);
}

}  // namespace meander
