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
#include "physics/ccz4/unknowns.hpp"

namespace meander::bench {
namespace {

using solvers::PatchLayout;
using solvers::PatchStatus;
using solvers::PatchTask;

// CPU time of the calling thread, which other users of the machine affect less than wall time.
double thread_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Free {
  void operator()(double* pointer) const { std::free(pointer); }
};

// The patches of one thread in one memory block, in the layout of the patch pool, and their initial state.
struct WorkingSet {
  std::unique_ptr<double[], Free> slots;
  std::vector<double> initial;  // of one slot, the same for all
  std::vector<PatchTask> tasks;
  std::vector<PatchStatus> status;

  WorkingSet(const PatchLayout& layout, int stage_blocks, const State& state, std::size_t patches,
             unsigned seed)
      : tasks(patches), status(patches) {
    const auto slot = static_cast<std::size_t>(layout.slot_size());
    const auto size = slot + static_cast<std::size_t>(stage_blocks * layout.stage_block_size());
    slots.reset(static_cast<double*>(std::aligned_alloc(64, patches * size * sizeof(double))));
    if (!slots) throw Failure("not enough memory for the working set");
    initial.assign(slot, 0.0);
    std::mt19937 engine(seed);
    std::uniform_real_distribution<double> noise(-0.05, 0.05);
    const int edge = layout.edge();
    std::vector<double> q(static_cast<std::size_t>(layout.unknowns));
    for (std::ptrdiff_t v = 0; v < layout.stride(layout.dim); ++v) {
      const double phase = 0.3 * static_cast<double>(v % edge + v / edge % edge + v / edge / edge);
      state(
          phase, [&] { return noise(engine); }, q.data());
      for (int n = 0; n < layout.unknowns; ++n)
        initial[static_cast<std::size_t>(n * layout.unknown_stride() + v)] = q[static_cast<std::size_t>(n)];
    }
    for (std::size_t i = 0; i < patches; ++i) {
      tasks[i].q = slots.get() + i * size;
      tasks[i].stages = tasks[i].q + slot;
      tasks[i].dx = 1.0 / layout.p;
    }
    restore();
  }

  void restore() {
    for (PatchTask& task : tasks) std::memcpy(task.q, initial.data(), initial.size() * sizeof(double));
  }
};

}  // namespace

State gas(int dim) {
  return [dim](double phase, const std::function<double()>& noise, double* q) {
    const double rho = 1.0 + 0.3 * std::sin(phase) + noise(), p = 1.0 + 0.2 * std::cos(phase) + noise();
    double kinetic = 0;
    for (int a = 0; a < dim; ++a) {
      const double u = 0.4 * std::sin(phase + a) + noise();
      q[1 + a] = rho * u;
      kinetic += 0.5 * rho * u * u;
    }
    q[0] = rho;
    q[1 + dim] = p / 0.4 + kinetic;
  };
}

State spacetime() {
  return [](double phase, const std::function<double()>& noise, double* q) {
    for (int n = 0; n < ccz4::unknowns; ++n) q[n] = 0.05 * std::sin(phase + n) + 0.1 * noise();
    const ccz4::Fields<double> x{q};
    for (int i = 0; i < 3; ++i) x.g(i, i) += 1;
    x.a() += 1;
    x.phi() += 1;
  };
}

Measurement measure(const solvers::Solver& solver, const State& state, int p, std::size_t bytes, int repeats,
                    double seconds, ThreadTeam& team) {
  const solvers::Traits& traits = solver.traits();
  const PatchLayout layout = traits.layout(p);
  const auto slot_bytes =
      static_cast<std::size_t>(layout.slot_size() + traits.stage_blocks * layout.stage_block_size()) *
      sizeof(double);
  Measurement result;
  result.patches = std::max<std::size_t>(1, bytes / slot_bytes);
  result.bytes = result.patches * slot_bytes;
  const auto threads = static_cast<std::size_t>(team.size());
  std::vector<std::unique_ptr<WorkingSet>> sets(threads);
  // First touch: each thread initialises its own memory.
  team.for_chunks(threads, [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      sets[i] = std::make_unique<WorkingSet>(layout, traits.stage_blocks, state, result.patches,
                                             static_cast<unsigned>(i));
    }
  });
  const double dt = 0.05 / p;
  // An update invalidates the halo, so the state is restored before every sweep; the time for this is
  // excluded.
  std::vector<double> spent(threads);
  const auto round = [&](std::size_t sweeps) {
    team.for_chunks(threads, [&](int, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        spent[i] = 0;
        for (std::size_t s = 0; s < sweeps; ++s) {
          sets[i]->restore();
          const double start = thread_seconds();
          solver.update(sets[i]->tasks, layout, static_cast<int>(s) % traits.stages, 0.0, dt,
                        sets[i]->status);
          spent[i] += thread_seconds() - start;
        }
      }
    });
    return std::accumulate(spent.begin(), spent.end(), 0.0) / static_cast<double>(threads);
  };
  round(static_cast<std::size_t>(traits.stages));
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
        throw Failure("a benchmark state became inadmissible: the measurement is invalid");
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
