// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <system_error>

#include "base/join.hpp"
#include "base/log.hpp"
#include "base/process.hpp"
#include "base/timer.hpp"
#include "base/trace.hpp"
#include "gpu/device.hpp"
#include "io/files.hpp"
#include "io/progress.hpp"
#include "io/provenance.hpp"
#include "io/run_directory.hpp"
#include "simulation/config/check_restart.hpp"
#include "simulation/control/checkpoints.hpp"
#include "simulation/control/stopping.hpp"
#include "simulation/control/thread_plan.hpp"
#include "simulation/control/trace_file.hpp"
#include "simulation/output.hpp"
#include "simulation/report/summary.hpp"
#include "simulation/scenario.hpp"
#include "simulation/simulation.hpp"

namespace meander::simulation {
namespace {

using Clock = std::chrono::steady_clock;

// Estimate for the first checkpoint, of all ranks together.
constexpr double expected_bytes_per_second = 1e8;

// Whether the file is the summary of a run that has ended with this step.
bool is_summary_of(const std::string& path, std::int64_t step) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored) &&
         io::read_text_file(path).find(fmt::format("\"last_step\": {},", step)) != std::string::npos;
}

// A run: simulation, files and costs.
class Run {
 public:
  // first_checkpoint: the step of the checkpoint in `directory` that the run restarts from, or -1.
  Run(Simulation& simulation, Output& output, const std::string& directory, const RunOptions& options,
      std::int64_t first_checkpoint, int threads)
      : simulation_(simulation),
        communicator_(simulation.communicator()),
        output_(output),
        directory_(directory),
        options_(options),
        checkpoints_(directory, simulation.config().checkpoint.keep, first_checkpoint, communicator_),
        agreement_(communicator_),
        schedule_(
            simulation.config().checkpoint, options.walltime, now(),
            static_cast<double>(communicator_.sum(static_cast<std::int64_t>(simulation.bytes().state))) /
                expected_bytes_per_second) {
    costs_.threads = threads;
    costs_.thread_level = options.thread_level;
    costs_.first_step = simulation.step();
    costs_.first_updates = simulation.volume_updates();
  }

  // Runs to the end or until a stop. Returns the exit code.
  int go(StopRequests& requests) {
    const TimeConfig& time = simulation_.config().time;
    std::optional<io::Progress> progress;
    const auto updates_before = static_cast<double>(simulation_.volume_updates());
    if (communicator_.is_root()) {
      const double walltime =
          options_.walltime > 0 ? options_.walltime : std::numeric_limits<double>::infinity();
      progress.emplace(time.start,
                       io::RunPosition{simulation_.step(), simulation_.time(), updates_before, now()},
                       io::RunEnds{time.end, time.max_steps, walltime});
    }
    const auto start = Clock::now();
    const double processor_before = processor_seconds();
    int signal = 0;
    bool stopped = false;
    // A restart may be at its end where the part before it did not end.
    const bool lacked_output = is_done(simulation_) && output_.finish();
    while (!is_done(simulation_) && !stopped) {
      const auto before = Clock::now();
      const auto updates = simulation_.volume_updates();
      simulation_.advance(output_.next_stop());
      write_what_is_due();
      if (progress) {
        progress->step(simulation_.step(), simulation_.time(), simulation_.last_dt(),
                       simulation_.leaves().total, simulation_.volume_updates() - updates);
      }
      const auto agreed = agreement_.after_step(
          now(), seconds_since(before), [&] { return requests.take_checkpoint_request(); },
          requests.stop_signal());
      Due due = schedule_.after_step(simulation_.step(), agreed);
      if (agreed) signal = agreed->stop_signal;
      if (due == Due::checkpoint && !is_done(simulation_)) due = write_checkpoint();
      stopped = due == Due::stop && !is_done(simulation_);
    }
    progress.reset();
    if (lacked_output || checkpoints_.newest_step() != simulation_.step()) write_checkpoint();
    costs_.loop = seconds_since(start);
    costs_.processor += processor_seconds() - processor_before;
    write_summary();
    if (stopped) tell_how_to_resume(signal);
    return stopped ? exit_stopped : exit_done;
  }

  // Reports a state failure and returns the exit code.
  int fail(const StateFailure& failure) {
    const std::string path = output_.write_failed_state();
    if (communicator_.is_root()) {
      log::error(failure.what());
      log::error(fmt::format("the failing state is in {}; files written before are intact{}", path,
                             checkpoints_.newest().empty()
                                 ? ""
                                 : fmt::format(", the last checkpoint is {}", checkpoints_.newest())));
    }
    return exit_failure;
  }

  // The state is intact: writes a checkpoint of the last step, reports the failure and returns the exit code.
  int fail(const parallel::AgreedFailure& failure) {
    if (simulation_.step() > costs_.first_step && checkpoints_.newest_step() != simulation_.step())
      write_checkpoint();
    if (communicator_.is_root()) log::error(failure.what());
    return exit_failure;
  }
  // The state was lost with a device. This rank alone may know.
  [[noreturn]] void fail(const gpu::DeviceError& error) const {
    const std::string newest = checkpoints_.newest();
    throw Failure(
        fmt::format("step {}: {}; the patches on the device are lost; files written before are intact{}",
                    simulation_.step() + 1, error.what(),
                    newest.empty() ? ", there is no checkpoint"
                                   : fmt::format(", continue with: meander restart {}", newest)));
  }

 private:
  double now() const { return seconds_since(options_.started); }

  void write_what_is_due() {
    const Timer timer(costs_.output, "output");
    const double processor_before = processor_seconds();
    output_.after_step();
    if (is_done(simulation_)) output_.finish();
    costs_.processor -= processor_seconds() - processor_before;
  }

  // Returns Due::stop if no time is left for another step.
  Due write_checkpoint() {
    const trace::Scope scope("checkpoint");
    const auto start = Clock::now();
    const double processor_before = processor_seconds();
    io::CheckpointState state;
    state.input = simulation_.config().resolved;
    output_.save(state);
    checkpoints_.write(simulation_, std::move(state));
    const double seconds = communicator_.max(seconds_since(start));
    const Due due = schedule_.written(communicator_.max(now()), seconds);
    costs_.output += seconds;
    costs_.checkpoints += seconds;
    costs_.processor -= processor_seconds() - processor_before;
    ++costs_.checkpoint_count;
    if (communicator_.is_root()) {
      log::info(fmt::format("checkpoint {} in {:.2f} s", checkpoints_.newest(), seconds));
    }
    return due;
  }

  void write_summary() {
    const Summary summary = summarise(simulation_, costs_);
    const auto measures = simulation_.config().scenario->measure(simulation_.view("scenario"));
    communicator_.agree([&] {
      if (!communicator_.is_root()) return;
      for (const std::string& line : summary_lines(summary)) log::info(line);
      std::vector<std::string> list;
      for (const Measure& measure : measures)
        list.push_back(fmt::format("{} {:.4g}", measure.name, measure.value));
      if (!list.empty()) log::info(fmt::format("  {}", join(list, ", ")));
      const std::string path = directory_ + "/summary.json";
      // A part without steps keeps that of the part which came here.
      if (summary.steps > 0 || !is_summary_of(path, summary.last_step))
        io::write_whole(path, summary_json(summary));
    });
  }

  void tell_how_to_resume(int signal) const {
    if (!communicator_.is_root()) return;
    const std::string why = signal != 0
                                ? signal_name(signal)
                                : fmt::format("the wall time of {}, of which {} have passed",
                                              io::duration_text(options_.walltime), io::duration_text(now()));
    const std::string launcher =
        communicator_.size() > 1 ? fmt::format("mpirun -np {} ", communicator_.size()) : "";
    log::info(fmt::format("stopped by {}; continue with: {}meander restart {}", why, launcher,
                          checkpoints_.newest()));
  }

  Simulation& simulation_;
  parallel::Communicator communicator_;
  Output& output_;
  std::string directory_;
  RunOptions options_;
  Checkpoints checkpoints_;
  StepAgreement agreement_;
  CheckpointSchedule schedule_;
  RunCosts costs_;
};

int threads_of(const Config& config, const RunOptions& options, const parallel::Communicator& communicator,
               const std::string& what, const std::string& directory) {
  const ThreadPlan plan = plan_threads(communicator, options.threads);
  const std::int64_t threads = communicator.sum(std::int64_t{plan.threads});
  const std::int64_t most = communicator.max(std::int64_t{plan.threads});
  communicator.agree([&] {
    if (most > 1 && !options.many_threads) {
      throw Failure(
          fmt::format("meander: MPI provides {} only, which allows one thread per rank; use --threads 1",
                      options.thread_level));
    }
  });
  const std::int64_t nodes = communicator.sum(std::int64_t{communicator.of_node().is_root()});
  const bool shares = communicator.any(communicator.has_windows_to_some());
  if (!communicator.is_root()) return plan.threads;
  log::info(io::provenance().line());
  const std::string ranks = communicator.size() == 1
                                ? ""
                                : fmt::format("{} ranks on {} node{}{}, ", communicator.size(), nodes,
                                              nodes == 1 ? "" : "s", shares ? " with shared memory" : "");
  log::info(fmt::format("{}: scenario {}, {}D, {}{} thread{}{}, output in {}", what, config.scenario_name,
                        config.domain.dimensions, ranks, threads, threads == 1 ? "" : "s",
                        options.thread_level.empty() ? "" : ", " + options.thread_level, directory));
  for (const std::string& warning : config.warnings) log::warning(warning);
  for (const std::string& warning : plan.warnings) log::warning(warning);
  return plan.threads;
}

void write_resolved_input(const Config& config, const std::string& directory,
                          const parallel::Communicator& communicator) {
  communicator.agree([&] {
    if (communicator.is_root()) io::write_whole(directory + "/input.toml", config.resolved);
  });
}

// start: writes the first files.
int go(Run& run, const std::function<void()>& start, StopRequests& requests, TraceFile& trace) {
  int code = exit_failure;
  try {
    start();
    code = run.go(requests);
  } catch (const StateFailure& failure) {
    code = run.fail(failure);
  } catch (const StalledTime& failure) {
    code = run.fail(failure);
  } catch (const StoppedByDiagnostic& failure) {
    code = run.fail(failure);
  } catch (const gpu::DeviceError& error) {
    run.fail(error);
  }
  trace.finish();
  return code;
}

// The file of the checkpoint: restart.checkpoint, or the newest checkpoint if that is a directory. The root
// reads the directory. Throws AgreedInputError (one rank: InputError) if it contains none. Collective.
std::string checkpoint_file(const RestartInput& restart, const parallel::Communicator& communicator) {
  std::string file = restart.checkpoint;
  communicator.agree([&] {
    std::error_code ignored;
    if (!communicator.is_root() || !std::filesystem::is_directory(file, ignored)) return;
    file = io::newest_checkpoint(restart.checkpoint);
    if (file.empty()) throw InputError(fmt::format("{}: contains no chk_NNNNNN.hdf5", restart.checkpoint));
  });
  communicator.broadcast(file);
  return file;
}

bool sets_directory(const RestartInput& restart) {
  const auto& settings = restart.settings;
  return std::any_of(settings.begin(), settings.end(),
                     [](const std::string& setting) { return setting.starts_with("output.directory="); });
}

// The output directory: `output` if not empty, else the value of --set output.directory; empty: the
// checkpoint's directory.
std::string new_directory(const RestartInput& restart, const std::string& output, const Config& config) {
  if (!output.empty()) return output;
  return sets_directory(restart) ? config.output.directory : "";
}

// The directory whose files the restart continues; empty: it writes to a new directory.
std::string continued_directory(const RestartInput& restart, const std::string& output) {
  if (!output.empty() || sets_directory(restart)) return "";
  std::error_code ignored;
  const std::filesystem::path path = restart.checkpoint;
  if (std::filesystem::is_directory(path, ignored)) return path.string();
  return path.has_parent_path() ? path.parent_path().string() : ".";
}

}  // namespace

int run(const Config& config, const RunOptions& options, const parallel::Communicator& communicator) {
  StopRequests requests(options.signals_afterwards);
  config.scenario->prepare_initial(communicator);
  const io::NewDirectory directory(options.output.empty() ? config.output.directory : options.output,
                                   communicator);
  TraceFile trace(options.trace, communicator);
  const parallel::Communicator ranks = with_windows(communicator, config);
  const int threads = threads_of(config, options, ranks, config.source, directory.path());
  const auto simulation = make_simulation(config, threads, ranks);
  write_resolved_input(config, directory.path(), communicator);
  Output output(*simulation, directory.path());
  Run run(*simulation, output, directory.path(), options, -1, threads);
  return go(
      run, [&] { output.start(); }, requests, trace);
}

int restart(const RestartInput& restart, const RunOptions& options,
            const parallel::Communicator& communicator) {
  StopRequests requests(options.signals_afterwards);
  io::ContinuedDirectory continued(continued_directory(restart, options.output), communicator);
  const std::string file = checkpoint_file(restart, communicator);
  io::CheckpointReader checkpoint(file, communicator);
  const io::CheckpointState& state = checkpoint.state();
  CheckpointFacts facts;
  communicator.agree([&] { facts = facts_of(checkpoint, file); });
  const Config config = restart.input.empty()
                            ? load_config_text(communicator, state.input, file, restart.settings)
                            : load_config(communicator, restart.input, restart.settings);
  communicator.agree([&] { check_restart(config, facts); });

  const std::string home = std::filesystem::path(file).parent_path().string();
  const std::string wanted = new_directory(restart, options.output, config);
  std::optional<io::NewDirectory> fresh;
  if (!wanted.empty()) fresh.emplace(wanted, communicator);
  TraceFile trace(options.trace, communicator);
  const std::string directory = fresh ? wanted : home.empty() ? "." : home;
  continued.require_lock();
  const parallel::Communicator ranks = with_windows(communicator, config);
  const int threads =
      threads_of(config, options, ranks, fmt::format("{}, step {}, t = {:.6g}", file, state.step, state.time),
                 directory);
  const auto simulation = restart_simulation(config, threads, ranks, checkpoint);
  if (is_done(*simulation) && communicator.is_root())
    log::info("the run is at its end; --set time.end=... continues it");
  Output output(*simulation, directory);
  Run run(*simulation, output, directory, options, fresh ? -1 : state.step, threads);
  return go(
      run,
      [&] {
        if (fresh) {
          output.start();
        } else {
          output.check_resume(state, file);
          continued.take_over(state.step);
          output.resume();
        }
        write_resolved_input(config, directory, communicator);
      },
      requests, trace);
}

}  // namespace meander::simulation
