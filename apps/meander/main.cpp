// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// meander: reads the command line, does what it says, and turns failures into messages and exit codes.
#include <fmt/format.h>
#include <mpi.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <new>

#include "base/error.hpp"
#include "command_line.hpp"
#include "simulation/config.hpp"
#include "simulation/input_reference.hpp"
#include "simulation/run.hpp"

namespace {

using namespace meander;

// MPI for as long as it lives; plain `./meander` is one rank.
class Mpi {
 public:
  Mpi() { MPI_Init(nullptr, nullptr); }
  ~Mpi() { MPI_Finalize(); }
  Mpi(const Mpi&) = delete;
  Mpi& operator=(const Mpi&) = delete;

  int rank() const { return ask(MPI_Comm_rank); }
  int ranks() const { return ask(MPI_Comm_size); }

 private:
  static int ask(int (*question)(MPI_Comm, int*)) {
    int answer = 0;
    question(MPI_COMM_WORLD, &answer);
    return answer;
  }
};

int run(const app::CommandLine& line) {
  const Mpi mpi;
  if (mpi.ranks() > 1) {
    if (mpi.rank() == 0) {
      fmt::print(stderr,
                 "meander: started on {} ranks, but this version runs on one; use --threads instead\n",
                 mpi.ranks());
    }
    return exit_input_error;
  }
  return simulation::run(simulation::load_config(line.input, line.settings),
                         {.threads = line.threads, .output = line.output});
}

int act(const app::CommandLine& line) {
  switch (line.command) {
    case app::Command::run:
      return run(line);
    case app::Command::check:
      std::fputs(simulation::load_config(line.input, line.settings).resolved.c_str(), stdout);
      break;
    case app::Command::scenarios:
      std::fputs(simulation::scenario_list().c_str(), stdout);
      break;
    case app::Command::input_reference:
      std::fputs(simulation::input_reference().c_str(), stdout);
      break;
    case app::Command::done:
      break;
  }
  // A full disk or a closed pipe behind standard output shows here at the latest.
  if (std::fflush(stdout) != 0) throw Failure("meander: cannot write to standard output");
  return exit_done;
}

}  // namespace

int main(int argc, char** argv) {
  // A file beyond the user's limit is a failed write with a message, not a killed process.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return act(app::parse_command_line(argc, argv));
  } catch (const InputError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return exit_input_error;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "meander: out of memory\n");
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
  }
  return exit_failure;
}
