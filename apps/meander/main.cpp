// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The program meander: executes the command line, and turns failures into messages and exit codes.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <sstream>
#include <utility>

#include "base/crash.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/printable.hpp"
#include "command_line.hpp"
#include "first.hpp"
#include "program.hpp"
#include "ranks.hpp"
#include "report.hpp"
#include "simulation/config/config.hpp"
#include "simulation/control/thread_plan.hpp"
#include "simulation/report/estimate.hpp"
#include "simulation/report/info.hpp"
#include "simulation/report/input_reference.hpp"
#include "simulation/report/terms.hpp"
#include "simulation/run.hpp"

namespace {

using namespace meander;

int check(const app::CommandLine& line, const app::Ranks& ranks);

int simulate(const app::CommandLine& line, std::chrono::steady_clock::time_point started,
             const app::Ranks& ranks) {
  simulation::check_threads(ranks.communicator, line.threads);
  if (line.command == app::Command::check) return check(line, ranks);
  const simulation::RunOptions options{.threads = line.threads,
                                       .output = line.output,
                                       .walltime = line.walltime,
                                       .started = started,
                                       .thread_level = ranks.thread_level,
                                       .trace = line.trace,
                                       .many_threads = ranks.many_threads,
                                       .signals_afterwards = simulation::StopRequests::Afterwards::too_late};
  if (line.command == app::Command::restart) {
    return simulation::restart({line.checkpoint, line.input, line.settings}, options, ranks.communicator);
  }
  return simulation::run(simulation::load_config(ranks.communicator, line.input, line.settings), options,
                         ranks.communicator);
}

// Files opened later must not become standard output or standard error, which the log would then write to.
void open_standard_streams() {
  int descriptor = 0;
  do {
    descriptor = ::open("/dev/null", O_RDWR);
  } while (descriptor >= 0 && descriptor <= STDERR_FILENO);
  if (descriptor > STDERR_FILENO) ::close(descriptor);
}

int print(const std::string& text) {
  // A full disk or a closed pipe is detected by the first call if the text is longer than the buffer, else by
  // the second.
  if (std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0) {
    throw Failure("meander: cannot write to standard output");
  }
  return exit_done;
}

void warn_of(const simulation::Config& config) {
  for (const std::string& warning : config.warnings) log::warning(warning);
}

int check_input(const app::CommandLine& line) {
  const simulation::Config config = simulation::load_config(line.input, line.settings);
  config.scenario->prepare_initial({});
  warn_of(config);
  return print(config.resolved);
}

// What local time steps would save if the input had them: a line, or nothing if it has them, or may not, or they save little.
// That they fail is no failure of the input. Collective.
std::string local_steps_hint(const app::CommandLine& line, const app::Ranks& ranks,
                             const simulation::Config& config, int threads) {
  if (config.time.stepping == "local" || config.mesh.min_level == config.mesh.max_level) return "";
  auto settings = line.settings;
  settings.emplace_back("time.stepping=local");
  try {
    const simulation::Config local = simulation::load_config(ranks.communicator, line.input, settings);
    local.scenario->prepare_initial(ranks.communicator);
    const double gain = simulation::gain_of_local_steps(local, threads, ranks.communicator);
    if (gain < 1.1) return "";
    return fmt::format(
        "local time steps (time.stepping = \"local\") would take {:.3g} times fewer updates on this mesh",
        gain);
  } catch (const InputError&) {
  } catch (const parallel::AgreedFailure&) {
  } catch (const Failure&) {
    if (ranks.communicator.size() > 1) throw;  // others may wait for this rank
  }
  return "";
}

// Prints the resolved input to standard output and the estimate of its run to standard error.
int check(const app::CommandLine& line, const app::Ranks& ranks) {
  const simulation::Config config = simulation::load_config(ranks.communicator, line.input, line.settings);
  config.scenario->prepare_initial(ranks.communicator);
  const int threads = simulation::plan_threads(ranks.communicator, line.threads).threads;
  ranks.communicator.agree([&] {
    if (!ranks.communicator.is_root()) return;
    warn_of(config);
    print(config.resolved);
  });
  auto estimate = simulation::estimate_run(config, threads, ranks.communicator);
  if (auto hint = local_steps_hint(line, ranks, config, threads); !hint.empty())
    estimate.push_back(std::move(hint));
  if (ranks.communicator.is_root()) {
    for (const std::string& text : estimate) std::fprintf(stderr, "%s\n", text.c_str());
  }
  return exit_done;
}

// Whether all ranks are needed.
bool simulates(const app::CommandLine& line) {
  const bool estimates = line.command == app::Command::check && !line.input_only;
  return line.command == app::Command::run || line.command == app::Command::restart || estimates;
}

int report(const app::CommandLine& line) {
  std::vector<std::string> arguments = {line.directory};
  if (!line.output.empty()) arguments.insert(arguments.end(), {"--output", line.output});
  if (line.follow) arguments.emplace_back("--follow");
  if (!line.every.empty()) arguments.insert(arguments.end(), {"--every", line.every});
  return app::run_report(arguments);
}

// The commands without a simulation.
int print_info(const app::CommandLine& line, const std::string& help) {
  switch (line.command) {
    case app::Command::check:
      return check_input(line);
    case app::Command::explain:
      return print(line.keys_only ? simulation::explained_keys() : simulation::explain(line.name));
    case app::Command::info:
      return print(printable(simulation::info(line.file)));
    case app::Command::report:
      return report(line);
    case app::Command::scenarios:
      return print(simulation::scenario_list());
    case app::Command::input_reference:
      return print(simulation::input_reference());
    case app::Command::terms:
      return print(simulation::terms_of_file(line.pde, line.settings, line.input));
    default:
      return print(help);
  }
}

}  // namespace

int meander::program(int argc, char** argv) {
  app::keep_first();
  open_standard_streams();
  const auto started = std::chrono::steady_clock::now();
  // Exceeding the user's limit of file sizes becomes a failed write with a message.
  std::signal(SIGXFSZ, SIG_IGN);
  report_crashes(simulation::launched_rank());
  std::ostringstream help;
  app::CommandLine line;
  const auto parse = [&] { line = app::parse_command_line(argc, argv, help); };
  // Without a launcher only a simulation requires MPI. With several ranks, the root alone prints.
  if (simulation::launched_rank() < 0) {
    return app::without_ranks([&] {
      parse();
      if (!simulates(line)) return print_info(line, help.str());
      // Input errors are reported before MPI is started.
      if (line.command != app::Command::restart) simulation::load_config(line.input, line.settings);
      return app::with_ranks([&](const app::Ranks& ranks) { return simulate(line, started, ranks); });
    });
  }
  return app::with_ranks([&](const app::Ranks& ranks) {
    ranks.communicator.agree(parse);
    if (simulates(line)) return simulate(line, started, ranks);
    int code = exit_done;
    ranks.communicator.agree([&] {
      if (ranks.communicator.is_root()) code = print_info(line, help.str());
    });
    ranks.communicator.broadcast(code);
    return code;
  });
}
