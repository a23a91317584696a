// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "resident.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <memory>

#include "bandwidth.hpp"
#include "cases.hpp"
#include "null_device.hpp"
#include "simulation/config/config.hpp"
#include "simulation/module.hpp"
#include "simulation/simulation.hpp"

namespace meander::bench {
namespace {

using Clock = std::chrono::steady_clock;
using simulation::Config;

constexpr std::size_t copied_bytes = std::size_t{1} << 28;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Config config_of(const std::string& input, const std::vector<std::string>& settings) {
  return simulation::load_config_text(input, "bench", settings, simulation::scenarios(), 1e12);
}

// The patches live on the device. Steps have a fixed length, because a null device measures none.
Config on_device(const std::string& input, const std::string& device) {
  const bool is_null = device == "null";
  Config config = config_of(input, {"offload.device=" + (is_null ? "host" : device),
                                    "gpu-memory.patches=device", "time.max-dt=1e-6"});
  if (is_null) {
    config.offload.make_devices = [] {
      std::vector<std::unique_ptr<gpu::Device>> devices;
      devices.push_back(std::make_unique<NullDevice>());
      return devices;
    };
  }
  return config;
}

struct Figures {
  double step = 0;      // seconds, median
  double launches = 0;  // a stage
  double host = 0;      // seconds a step, of a device
  std::int64_t leaves = 0, volumes = 0;
  int stages = 0, unknowns = 0;

  // Bytes of the unknowns, read and written once a stage, per second.
  double bytes_per_second() const { return 16.0 * unknowns * stages * static_cast<double>(volumes) / step; }
};

Figures measure(const Config& config, int threads, int repeats) {
  const auto run = simulation::make_simulation(config, threads);
  Figures f;
  f.leaves = run->leaves().total;
  f.volumes = run->leaves().volumes;
  f.stages = run->solver().traits().stages;
  f.unknowns = run->solver().traits().unknowns;
  const auto timed = [&](int steps) {
    const auto start = Clock::now();
    for (int step = 0; step < steps; ++step) run->advance(1e9);
    return seconds_since(start) / steps;
  };
  // A GPU that was idle needs some time to reach its clock, and steps of microseconds many to be timed.
  constexpr double warm = 0.5, long_enough = 0.3;
  double fastest = timed(2);
  for (double spent = 2 * fastest; spent < warm;) {
    const double one = timed(1);
    fastest = std::min(fastest, one);
    spent += one;
  }
  const int steps = static_cast<int>(std::clamp(std::ceil(long_enough / fastest), 2.0, 1e5));
  const auto before = run->resident().value_or(simulation::ResidentReport{});
  std::vector<double> seconds;
  for (int repeat = 0; repeat < repeats; ++repeat) seconds.push_back(timed(steps));
  std::ranges::sort(seconds);
  f.step = seconds[seconds.size() / 2];
  if (const auto after = run->resident()) {
    f.launches = static_cast<double>(after->launches - before.launches) /
                 static_cast<double>(after->stages - before.stages);
    f.host = (after->host_seconds - before.host_seconds) /
             static_cast<double>(after->plain_steps - before.plain_steps);
  }
  return f;
}

// Bytes read plus bytes written per second by copies within the memory of the device; 0 for a null device.
double copy_bandwidth_of(const std::string& name) {
  if (name == "null") return 0;
  const auto devices = gpu::make_devices(name);
  gpu::Device& device = *devices.front();
  void* const from = device.allocate(gpu::Space::device, copied_bytes);
  void* const to = device.allocate(gpu::Space::device, copied_bytes);
  const gpu::Queue queue = device.create_queue();
  double best = 0;
  for (int repeat = 0; repeat < 7; ++repeat) {
    const auto start = Clock::now();
    device.copy(queue, gpu::Copy::within, to, from, copied_bytes);
    device.synchronize(queue);
    best = std::max(best, 2.0 * static_cast<double>(copied_bytes) / seconds_since(start));
  }
  device.destroy_queue(queue);
  device.deallocate(gpu::Space::device, to);
  device.deallocate(gpu::Space::device, from);
  return best;
}

// Wants a few leaves refined, at one of two places in turn: every regrid coarsens one place and refines the
// other.
class Alternating final : public simulation::RefinementCriterion {
 public:
  // Of the leaves of `level`, whose patches have `width`: `many` in a row along x are refined.
  Alternating(int level, double width, int many) : level_(level), width_(width), many_(many) {
    finest_ = level + 1;
  }
  simulation::Flag flag(const simulation::LeafView&, const simulation::StateView&) const override {
    return simulation::Flag::keep;
  }
  bool reads_state() const override { return false; }
  int wanted_level(const simulation::LeafView& leaf, const simulation::StateView& state) const override {
    const bool second = std::lround(state.t * 1e6) % 2 == 1;
    const int begin = second ? many_ + 4 : 1, row = second ? 8 : 2;
    const auto at = [&](int axis) {
      return static_cast<int>(std::floor(leaf.patch.lower[axis] / width_ + 1e-6));
    };
    const bool here = at(0) >= begin && at(0) < begin + many_ && at(1) == row && at(2) == row;
    return here ? level_ + 1 : level_;
  }

 private:
  int level_;
  double width_;
  int many_;
};

// Times of regrids that change about 1 % of 10^4 leaves, on a device that does nothing. Processor time depends little on
// other work of the machine.
void measure_regrid(int threads, int repeats) {
  constexpr int cells = 21, many = 4, level = 3;
  Config config = on_device(
      fmt::format(
          "[domain]\ncells = [{0}, {0}, {0}]\n[boundary]\nall = \"periodic\"\n[mesh]\npatch-size = 9\n"
          "min-level = {1}\nmax-level = {2}\nbuffer = 0\nregrid-every = 1\n[scenario]\nname = \"uniform\"\n"
          "[time]\nend = 1e9\n",
          cells, level, level + 1),
      "null");
  config.refinement.push_back(std::make_shared<Alternating>(level, 1.0 / cells, many));
  const auto run = simulation::make_simulation(config, threads);
  run->advance(1e9);
  std::vector<double> processor, regrids;
  for (int repeat = 0; repeat < std::max(101, repeats); ++repeat) {
    const auto leaves = run->leaf_indices();
    const std::clock_t start = std::clock();
    const double before = run->times().regrid;
    run->advance(1e9);
    processor.push_back(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    regrids.push_back(run->times().regrid - before);
    if (run->leaf_indices() == leaves) throw Failure("meander-bench-step: the regrid has changed nothing");
  }
  std::ranges::sort(processor);
  std::ranges::sort(regrids);
  fmt::print(
      "regrid on a device that does nothing, {} thread{}, {} leaves of which {} change: {:.2f} ms on the "
      "host; "
      "{:.2f} ms of processor time with the step that uploads the new tables\n",
      threads, threads == 1 ? "" : "s", run->leaves().total, many * 27, 1e3 * regrids[regrids.size() / 2],
      1e3 * processor[processor.size() / 2]);
}

}  // namespace

void compare_resident(const ResidentOptions& options) {
  const double device_copy = copy_bandwidth_of(options.device);
  ThreadTeam team(options.threads);
  const double cpu_copy = 1e9 * copy_bandwidth(team, copied_bytes);
  fmt::print("patches on {}: copies within its memory {:.1f} GB/s (read + written)\n", options.device,
             1e-9 * device_copy);
  fmt::print("beside it the CPU, {} thread{}: copies {:.1f} GB/s\n", options.threads,
             options.threads == 1 ? "" : "s", 1e-9 * cpu_copy);
  fmt::print("{:18} {:>3} {:>9} {:>7} {:>9} | {:>9} {:>8} {:>9} {:>7} | {:>9} {:>7}\n", "scheme", "p", "mesh",
             "leaves", "volumes", "Mvol/s", "launches", "host [us]", "copy %", "CPU Mvol/s", "copy %");
  const bool is_null = options.device == "null";
  for (const std::string& scheme : options.schemes) {
    for (const int p : options.sizes) {
      for (const bool adaptive : {false, true}) {
        const std::string input = input_for({scheme, p, adaptive}, options.dimensions, options.volumes);
        const Figures device =
            measure(on_device(input, options.device), is_null ? 1 : options.threads, options.repeats);
        const Figures cpu =
            is_null ? Figures{.step = 1} : measure(config_of(input, {}), options.threads, options.repeats);
        const auto share = [](const Figures& f, double copy) {
          return copy > 0 ? fmt::format("{:.0f}", 100 * f.bytes_per_second() / copy) : "-";
        };
        const auto speed = [&](const Figures& f) {
          return is_null ? "-" : fmt::format("{:.1f}", 1e-6 * static_cast<double>(f.volumes) / f.step);
        };
        fmt::print("{:18} {:>3} {:>9} {:>7} {:>9} | {:>9} {:>8.1f} {:>9.1f} {:>7} | {:>9} {:>7}\n", scheme, p,
                   adaptive ? "adaptive" : "uniform", device.leaves, device.volumes, speed(device),
                   device.launches, 1e6 * device.host, is_null ? "-" : share(device, device_copy), speed(cpu),
                   is_null ? "-" : share(cpu, cpu_copy));
        std::fflush(stdout);
      }
    }
  }
  if (!is_null) return;
  measure_regrid(1, options.repeats);
  if (options.threads > 1) measure_regrid(options.threads, options.repeats);
}

}  // namespace meander::bench
