// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "measurement.hpp"

#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "base/error.hpp"

namespace meander::bench {
namespace {

using solvers::PatchLayout;
using solvers::PatchStatus;
using solvers::PatchTask;

// Processor time of the calling thread, so that other users of the machine count less.
double thread_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Free {
  void operator()(double* pointer) const { std::free(pointer); }
};

// The patches of one thread in one block, as the pool hands them out, and their initial state.
struct WorkingSet {
  std::unique_ptr<double[], Free> slots;
  std::vector<double> initial;  // of one slot; all are alike
  std::vector<PatchTask> tasks;
  std::vector<PatchStatus> status;

  WorkingSet(const PatchLayout& layout, std::size_t patches, unsigned seed)
      : tasks(patches), status(patches) {
    const auto slot = static_cast<std::size_t>(layout.slot_size());
    slots.reset(static_cast<double*>(std::aligned_alloc(64, patches * slot * sizeof(double))));
    if (!slots) throw Failure("not enough memory for the working set");
    initial.assign(slot, 0.0);
    std::mt19937 engine(seed);
    std::uniform_real_distribution<double> noise(-0.05, 0.05);
    const int edge = layout.edge();
    for (std::ptrdiff_t v = 0; v < layout.stride(layout.dim); ++v) {
      const double phase = 0.3 * static_cast<double>(v % edge + v / edge % edge + v / edge / edge);
      const double rho = 1.0 + 0.3 * std::sin(phase) + noise(engine),
                   p = 1.0 + 0.2 * std::cos(phase) + noise(engine);
      double kinetic = 0;
      for (int a = 0; a < layout.dim; ++a) {
        const double u = 0.4 * std::sin(phase + a) + noise(engine);
        initial[static_cast<std::size_t>((1 + a) * layout.unknown_stride() + v)] = rho * u;
        kinetic += 0.5 * rho * u * u;
      }
      initial[static_cast<std::size_t>(v)] = rho;
      initial[static_cast<std::size_t>((1 + layout.dim) * layout.unknown_stride() + v)] = p / 0.4 + kinetic;
    }
    for (std::size_t i = 0; i < patches; ++i) {
      tasks[i].q = slots.get() + i * slot;
      tasks[i].dx = 1.0 / layout.p;
    }
    restore();
  }

  void restore() {
    for (PatchTask& task : tasks) std::memcpy(task.q, initial.data(), initial.size() * sizeof(double));
  }
};

}  // namespace

Measurement measure(const solvers::Solver& solver, int p, std::size_t bytes, int repeats, double seconds,
                    ThreadTeam& team) {
  const solvers::Traits& traits = solver.traits();
  const PatchLayout layout(traits.dim, p, traits.halo, traits.unknowns);
  const std::size_t slot_bytes = static_cast<std::size_t>(layout.slot_size()) * sizeof(double);
  Measurement result;
  result.patches = std::max<std::size_t>(1, bytes / slot_bytes);
  result.bytes = result.patches * slot_bytes;
  const auto threads = static_cast<std::size_t>(team.size());
  std::vector<std::unique_ptr<WorkingSet>> sets(threads);
  // Every thread touches its own memory first.
  team.for_chunks(threads, [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      sets[i] = std::make_unique<WorkingSet>(layout, result.patches, static_cast<unsigned>(i));
    }
  });
  const double dt = 0.05 / p;
  // An update leaves the halo stale, so the state is restored before every sweep, outside the clock.
  std::vector<double> spent(threads);
  const auto round = [&](std::size_t sweeps) {
    team.for_chunks(threads, [&](int, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        spent[i] = 0;
        for (std::size_t s = 0; s < sweeps; ++s) {
          sets[i]->restore();
          const double start = thread_seconds();
          solver.update(sets[i]->tasks, layout, 0, 0.0, dt, sets[i]->status);
          spent[i] += thread_seconds() - start;
        }
      }
    });
    return std::accumulate(spent.begin(), spent.end(), 0.0) / static_cast<double>(threads);
  };
  round(1);
  const double once = std::max(round(2) / 2, 1e-7);
  const auto sweeps = static_cast<std::size_t>(std::max(1.0, seconds / once));
  std::vector<double> samples;
  for (int r = 0; r < repeats; ++r) {
    const double elapsed = round(sweeps);
    samples.push_back(1e9 * elapsed /
                      (static_cast<double>(sweeps * result.patches) * static_cast<double>(layout.volumes())));
  }
  for (const auto& set : sets) {
    for (const PatchStatus& status : set->status) {
      if (!status.admissible)
        throw Failure("a benchmark state became inadmissible: its time would mean nothing");
    }
  }
  std::sort(samples.begin(), samples.end());
  result.median = samples[samples.size() / 2];
  result.fastest = samples.front();
  result.slowest = samples.back();
  const double volume_bytes = 2.0 * static_cast<double>(slot_bytes) / static_cast<double>(layout.volumes());
  result.bandwidth = volume_bytes * static_cast<double>(threads) / result.median;
  return result;
}

}  // namespace meander::bench
