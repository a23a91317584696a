// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// meander-bench-memory: cost of an allocation and a deallocation of device memory by memory strategy and
// number of threads, compared with TBB's allocator for host memory; and ratio of held to live memory.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/cpu_check.hpp"
#include "base/error.hpp"
#include "churn.hpp"
#include "gpu/host_device.hpp"
#include "gpu/strategy.hpp"
#include "options/options.hpp"
#include "study.hpp"
#ifdef MEANDER_TBBMALLOC
#include <tbb/scalable_allocator.h>
#endif

namespace meander::bench {
namespace {

struct Options {
  std::string device = "host";
  std::vector<std::string> strategies = gpu::strategy_names();
  std::vector<int> threads{1, 2, 8, 32};
  int blocks = 1024, repeats = 5;
  long pairs = 2'000'000;
  double slack = gpu::CacheTraits{}.slack;
  double keep = static_cast<double>(gpu::CacheTraits{}.keep) / (1 << 20);
  bool queues = false, csv = false;
  bool study = false;
  StudyLoad load;
};

struct Row {
  std::string name;
  int threads;
  std::vector<Cost> costs;
  bool cached = false;  // the members below are valid
  double held = 0, live = 0, hit_rate = 0;
};

double median(const std::vector<Cost>& costs, double Cost::*figure) {
  std::vector<double> values;
  for (const Cost& cost : costs) values.push_back(cost.*figure);
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void print(const Row& row, bool csv) {
  constexpr double mib = 1 << 20;
  const double user = median(row.costs, &Cost::user), system = median(row.costs, &Cost::system),
               wall = median(row.costs, &Cost::wall);
  if (csv) {
    fmt::print("{},{},{:.2f},{:.2f},{:.2f},", row.name, row.threads, user, system, wall);
    if (row.cached)
      fmt::print("{:.6f},{:.3f},{:.1f},{:.1f}", row.hit_rate, row.held / row.live, row.held / mib,
                 row.live / mib);
    fmt::print("\n");
  } else {
    fmt::print("{:<17} {:>7} {:>9.1f} {:>9.1f} {:>9.1f}", row.name, row.threads, user, system, wall);
    if (row.cached)
      fmt::print(" {:>8.4f}% {:>9.2f} {:>9.0f}", 100 * row.hit_rate, row.held / row.live, row.held / mib);
    fmt::print("\n");
  }
  std::fflush(stdout);
}

Row measure_strategy(const Options& options, gpu::Device& device, const std::string& name, int threads) {
  Row row{name, threads, {}};
  gpu::CacheTraits traits;
  traits.slack = options.slack;
  traits.keep = static_cast<std::size_t>(options.keep * (1 << 20));
  std::vector<gpu::Queue> queues(static_cast<std::size_t>(threads));
  if (options.queues) {
    for (gpu::Queue& queue : queues) queue = device.create_queue();
  }
  // Strategies that call the device for each allocation take much longer.
  const bool cached = name != "map" && name != "cuda-async";
  const Load load{threads, std::max(1, options.blocks / threads),
                  cached ? options.pairs : std::max(1L, options.pairs / 50)};
  for (int i = 0; i < options.repeats; ++i) {
    const auto strategy = gpu::make_strategy(name, device, traits);
    gpu::Resource& memory = strategy->memory();
    const auto allocate = [&](int thread, std::size_t bytes) {
      return memory.allocate(queues[static_cast<std::size_t>(thread)], bytes);
    };
    const auto deallocate = [&](int thread, void* pointer, std::size_t bytes) {
      memory.deallocate(queues[static_cast<std::size_t>(thread)], pointer, bytes);
    };
    row.costs.push_back(churn(load, allocate, deallocate));
    const gpu::Stats stats = memory.stats();
    row.cached = cached;
    row.hit_rate = stats.hit_rate();
    if (static_cast<double>(stats.peak_held_bytes) * row.live >=
        row.held * static_cast<double>(stats.peak_bytes)) {
      row.held = static_cast<double>(stats.peak_held_bytes);
      row.live = static_cast<double>(stats.peak_bytes);
    }
  }
  if (options.queues) {
    for (const gpu::Queue queue : queues) device.destroy_queue(queue);
  }
  return row;
}

#ifdef MEANDER_TBBMALLOC
Row measure_tbb(const Options& options, int threads) {
  Row row{"TBB (host memory)", threads, {}};
  for (int i = 0; i < options.repeats; ++i) {
    row.costs.push_back(churn(
        {threads, std::max(1, options.blocks / threads), options.pairs},
        [](int, std::size_t bytes) { return scalable_malloc(bytes); },
        [](int, void* pointer, std::size_t) { scalable_free(pointer); }));
  }
  return row;
}
#endif

void run_study(const Options& options, gpu::Device& device) {
  const char* model = device.properties().kind == "host" ? " (emulated: a model)" : "";
  std::unique_ptr<PageCounters> counters;
  std::string why_not = "the device is emulated";
  if (device.properties().kind == "cuda") {
    counters = std::make_unique<PageCounters>(device.properties().number);
    why_not = counters->why_not();
  }
  const bool counted = why_not.empty();
  if (!counted) fmt::print(stderr, "SKIPPED page faults and migrated bytes: {}\n", why_not);
  if (options.csv) {
    fmt::print("kernel,strategy,mode,kernel_ms,total_ms{}\n",
               counted ? ",cpu_faults,gpu_faults,bytes_to_device,bytes_to_host" : "");
  } else {
    fmt::print("{}{}; ms per iteration, median of {}\n", device.properties().name, model,
               options.load.iterations);
    fmt::print("{:<16} {:<17} {:<17} {:>10} {:>10}", "", "", "", "kernel", "total");
    if (counted) fmt::print(" {:>10} {:>10} {:>10} {:>10}", "CPU faults", "GPU faults", "MB in", "MB out");
    fmt::print("\n");
  }
  constexpr double mega = 1e6;
  for (const StudyRow& row : study(device, options.load, counters.get())) {
    const char* format = options.csv ? "{},{},{},{:.4f},{:.4f}" : "{:<16} {:<17} {:<17} {:>10.3f} {:>10.3f}";
    fmt::print(fmt::runtime(format), row.kernel, row.strategy, row.mode, row.kernel_ms, row.total_ms);
    const PageCounts& pages = row.pages;
    if (counted && options.csv) {
      fmt::print(",{},{},{},{}", pages.cpu_faults, pages.gpu_faults, pages.bytes_to_device,
                 pages.bytes_to_host);
    } else if (counted) {
      fmt::print(" {:>10} {:>10} {:>10.1f} {:>10.1f}", pages.cpu_faults, pages.gpu_faults,
                 static_cast<double>(pages.bytes_to_device) / mega,
                 static_cast<double>(pages.bytes_to_host) / mega);
    }
    fmt::print("\n");
  }
}

// Approximate figures of a GPU on a PCIe 4.0 bus.
gpu::HostDeviceSettings model_card() {
  gpu::HostDeviceSettings card;
  card.bandwidth_in = card.bandwidth_out = 24e9;
  card.copy_latency = card.launch_latency = 5e-6;
  card.page_fault = 2e-5;
  card.allocation_stall = 1e-4;
  return card;
}

void run(const Options& options) {
  const auto devices =
      options.study ? gpu::make_devices(options.device, model_card()) : gpu::make_devices(options.device);
  if (devices.empty()) throw InputError("no device to measure: " + gpu::why_missing("cuda"));
  gpu::Device& device = *devices.front();
  if (options.study) return run_study(options, device);
  if (options.csv) {
    fmt::print("allocator,threads,user_ns,system_ns,wall_ns,hit_rate,held_by_live,held_mib,live_mib\n");
  } else {
    fmt::print(
        "{}; {} live blocks of 40 KiB to 8 MiB; ns per pair of allocate and free, median of {};\n"
        "caches may hold {} times the live bytes plus {} MiB\n",
        device.properties().name, options.blocks, options.repeats, options.slack, options.keep);
    fmt::print("{:<17} {:>7} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "", "threads", "user", "system", "wall",
               "hits", "held/live", "held MiB");
  }
#ifdef MEANDER_TBBMALLOC
  for (const int threads : options.threads) print(measure_tbb(options, threads), options.csv);
#endif
  for (const std::string& name : options.strategies) {
    for (const int threads : options.threads)
      print(measure_strategy(options, device, name, threads), options.csv);
  }
}

}  // namespace
}  // namespace meander::bench

int main(int argc, char** argv) {
  meander::require_cpu_features();
  meander::bench::Options options;
  namespace app = meander::app;
  const auto done = app::parse(
      argc, argv, "Measures the cost of allocating and freeing device memory",
      {{"--device", options.device, "\"host\" (emulated), \"cuda\""},
       {"--strategies", options.strategies, "memory strategies"},
       {"--threads", options.threads, "numbers of threads", app::between(1, 1024)},
       {"--blocks", options.blocks, "live blocks of all threads", app::positive},
       {"--pairs", options.pairs, "pairs of all threads", app::positive},
       {"--repeats", options.repeats, "repetitions", app::positive},
       {"--slack", options.slack, "caches may hold this factor times the live bytes ..."},
       {"--keep", options.keep, "... plus this number of MiB"},
       {"--queues", options.queues, "each thread allocates and frees on its own queue"},
       {"--study", options.study,
        "measures kernels with explicit copies, zero-copy and unified memory instead"},
       {"--items", options.load.items, "items of the study's kernels of linear complexity", app::positive},
       {"--quadratic-items", options.load.quadratic_items, "items of its kernels of quadratic complexity",
        app::positive},
       {"--iterations", options.load.iterations, "iterations of each of its experiments", app::positive},
       {"--csv", options.csv, "comma-separated values"}});
  if (done) return *done;
  try {
    meander::bench::run(options);
  } catch (const meander::InputError& error) {
    fmt::print(stderr, "meander-bench-memory: {}\n", error.what());
    return meander::exit_input_error;
  } catch (const std::exception& error) {
    fmt::print(stderr, "meander-bench-memory: {}\n", error.what());
    return meander::exit_failure;
  }
  return meander::exit_done;
}
