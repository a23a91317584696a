// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// meander-bench-step: whole time steps with update, flux correction and halo exchange, without output. For
// each scheme and patch size it measures a uniform mesh and a static adaptive one of three levels, and prints
// the CPU time of all threads per volume and step. With mpirun it compares the wall time on one rank and on
// all ranks. With --device it compares patches that live on a device with the CPU, with --stepping local local
// time steps with global ones.

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "base/process.hpp"
#include "cases.hpp"
#include "local.hpp"
#include "options/options.hpp"
#include "resident.hpp"
#include "rest.hpp"
#include "simulation/config/config.hpp"
#include "simulation/module.hpp"
#include "simulation/simulation.hpp"
#include "timed_run.hpp"

namespace {

using namespace meander;
using bench::Case;
using bench::input_for;
using bench::TimedRun;

struct Figures {
  double median, least, most;
  std::int64_t leaves, volumes;
};

Figures measure(const Case& c, int dim, double volumes, int threads, int repeats) {
  const auto config =
      simulation::load_config_text(input_for(c, dim, volumes), "bench", {}, simulation::scenarios(), 1e12);
  const auto run = simulation::make_simulation(config, threads);
  const auto updates = static_cast<double>(run->leaves().volumes);
  const int steps = std::max(2, static_cast<int>(bench::updates_of_repeat(c.scheme) / updates));
  for (int step = 0; step < 2; ++step) run->advance(1e9);
  std::vector<double> ns;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const double start = processor_seconds();
    for (int step = 0; step < steps; ++step) run->advance(1e9);
    ns.push_back((processor_seconds() - start) / (updates * steps) * 1e9);
  }
  std::sort(ns.begin(), ns.end());
  return {ns[ns.size() / 2], ns.front(), ns.back(), run->leaves().total, run->leaves().volumes};
}

// Measures on the root alone while the others wait, on all ranks, there also without windows, and a mesh of one rank's share on
// each rank by itself at the same time, in turn. "In step" is what these would reach if each waited for the slowest after
// every step: what a machine whose cores are not equally fast all the time leaves to ranks that share a time step. Weak scaling:
// one copy of the mesh per rank.
void compare_ranks(const Case& c, int dim, double volumes, int threads, int repeats, bool weak,
                   const parallel::Communicator& world) {
  const auto mesh_of = [&](double size, int copies, const std::vector<std::string>& settings = {}) {
    return simulation::load_config_text(input_for(c, dim, size, copies), "bench", settings,
                                        simulation::scenarios(), 1e12);
  };
  const auto config = [&](int copies, const std::vector<std::string>& settings = {}) {
    return mesh_of(volumes, copies, settings);
  };
  const auto volumes_of = [](const TimedRun& run) { return static_cast<double>(run.run().leaves().volumes); };
  const auto advance = [&](TimedRun& run) {
    return run.advance(std::max(2, static_cast<int>(bench::updates_of_repeat(c.scheme) / volumes_of(run))));
  };
  std::optional<TimedRun> alone, copies;
  if (world.is_root()) alone.emplace(config(1), threads, parallel::Communicator{});
  bench::rest_until_all_arrive();
  TimedRun together(config(1), threads, world), by_mpi(config(1, {"partition.windows=off"}), threads, world);
  TimedRun apart(mesh_of(volumes / world.size(), 1), threads, parallel::Communicator{});
  std::vector<double> in_step;  // seconds of a step
  if (weak) copies.emplace(config(world.size()), threads, world);
  for (int repeat = 0; repeat < repeats; ++repeat) {
    if (world.is_root()) advance(*alone);
    bench::rest_until_all_arrive();
    advance(together);
    advance(by_mpi);
    world.barrier();
    auto slowest = advance(apart);
    world.max(slowest);
    in_step.push_back(std::reduce(slowest.begin(), slowest.end()) / static_cast<double>(slowest.size()));
    if (weak) advance(*copies);
  }
  const double slowest_apart = world.max(apart.median());
  if (!world.is_root()) return;
  const auto speedup = [&](const TimedRun& run) {
    return volumes_of(run) / run.median() / (volumes_of(*alone) / alone->median());
  };
  const auto of_apart = [&](double seconds) {
    return world.size() * volumes_of(apart) / seconds / (volumes_of(*alone) / alone->median());
  };
  fmt::print(
      "{:17} {:>3} {:>9} {:>10.0f} {:>9.2f} {:>9.2f} {:>6.2f} {:>8.1f} {:>6.2f} {:>8.1f} {:>6.2f} {:>7.2f}",
      c.scheme, c.patch_size, c.adaptive ? "adaptive" : "uniform", volumes_of(*alone), alone->median() * 1e3,
      together.median() * 1e3, speedup(together), together.percent_waiting(), speedup(by_mpi),
      by_mpi.percent_waiting(), of_apart(slowest_apart), of_apart(bench::median_of(in_step)));
  if (weak) fmt::print(" {:>6.2f} {:>8.1f}", speedup(*copies), copies->percent_waiting());
  fmt::print("\n");
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<int> sizes = {6, 9, 17}, levels = {3, 5};
  std::vector<std::string> schemes = {"rusanov", "muscl", "accretion"}, meshes = {"uniform", "adaptive"};
  int dim = 3, threads = 1, repeats = 5;
  double volumes = 2e6;
  bool strong_only = false;
  std::string device, patches = "host", stepping = "global";
  const auto done = app::parse(
      argc, argv,
      "Measures the CPU time of whole time steps in ns per volume and step (sum over all threads)",
      {{"--patch-sizes", sizes, "patch sizes p"},
       {"--schemes", schemes,
        "rusanov, muscl, muscl-LIMITER, ccz4-SCHEME (3D, per step), accretion: the step of "
        "inputs/accretion-3d.toml, muscl with dual energy and gravity; and self-gravity: muscl with "
        "gravity.method = \"poisson\", beside the same gas without gravity"},
       {"--meshes", meshes, "uniform, adaptive: without --device and --stepping local",
        app::one_of({"uniform", "adaptive"})},
       {"--dimensions", dim, "2 or 3", app::between(2, 3)},
       {"--threads", threads, "threads", app::between(1, 1024)},
       {"--repeats", repeats, "repeats, of which the median counts", app::between(1, 1000)},
       {"--volumes", volumes, "approximate number of volumes of the mesh"},
       {"--strong", strong_only, "with mpirun: strong scaling only"},
       {"--device", device,
        "compare the CPU with patches on this device: cuda, host, or null, which does nothing and shows the "
        "host's own work (one rank)"},
       {.name = "--patches",
        .value = patches,
        .meaning = "where the patches of --device live",
        .allowed = app::one_of({"device"}),
        .needs = "--device"},
       {.name = "--stepping",
        .value = stepping,
        .meaning =
            "local: compare local with global time steps on nested levels, or with mpirun one rank with all",
        .allowed = app::one_of({"global", "local"}),
        .excludes = "--device"},
       {"--levels", levels, "numbers of nested levels for --stepping local", app::between(2, 9)}});
  if (done) return *done;

  int thread_level = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &thread_level);
  try {
    const auto world = parallel::Communicator::world();
    if (stepping == "local") {
      const bench::LocalChoice choice{schemes, sizes, levels, dim, threads, repeats};
      world.size() > 1 ? bench::compare_local_ranks(choice, world) : bench::compare_local_steps(choice);
      MPI_Finalize();
      return exit_done;
    }
    if (!device.empty()) {
      if (world.size() > 1) throw InputError("--device: one rank only");
      bench::compare_resident({device, sizes, schemes, dim, threads, repeats, volumes});
      MPI_Finalize();
      return exit_done;
    }
    if (world.size() > 1) {
      if (world.is_root()) {
        fmt::print("{} ranks x {} threads, wall time\n", world.size(), threads);
        fmt::print("{:17} {:>3} {:>9} {:>10} {:>9} {:>9} {:>6} {:>8} {:>6} {:>8} {:>6} {:>7}{}\n", "scheme",
                   "p", "mesh", "volumes", "1 [ms]", "all [ms]", "strong", "wait [%]", "by MPI", "wait [%]",
                   "apart", "in step", strong_only ? "" : "   weak wait [%]");
      }
      for (const auto& scheme : schemes) {
        for (const int p : sizes) {
          for (const std::string& mesh : meshes) {
            compare_ranks({scheme, p, mesh == "adaptive"}, dim, volumes, threads, repeats, !strong_only,
                          world);
          }
        }
      }
      MPI_Finalize();
      return exit_done;
    }
    fmt::print("{:17} {:>3} {:>9} {:>8} {:>10} {:>8} {:>8} {:>8}  {}\n", "scheme", "p", "mesh", "leaves",
               "volumes", "median", "min", "max", "adaptive / uniform, or gravity / gas");
    for (const auto& scheme : schemes) {
      for (const int p : sizes) {
        double uniform = 0;
        for (const std::string& mesh : meshes) {
          const bool adaptive = mesh == "adaptive";
          const Figures f = measure({scheme, p, adaptive}, dim, volumes, threads, repeats);
          std::string ratio = adaptive && uniform > 0 ? fmt::format("{:.2f}", f.median / uniform) : "";
          if (scheme == bench::self_gravity) {
            const Figures gas =
                measure({bench::without_gravity, p, adaptive}, dim, volumes, threads, repeats);
            ratio = fmt::format("gravity {:.1f} / gas {:.1f} = {:.2f}", f.median - gas.median, gas.median,
                                f.median / gas.median - 1);
          }
          fmt::print("{:17} {:>3} {:>9} {:>8} {:>10} {:>8.1f} {:>8.1f} {:>8.1f}  {}\n", scheme, p, mesh,
                     f.leaves, f.volumes, f.median, f.least, f.most, ratio);
          if (!adaptive) uniform = f.median;
        }
      }
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, exit_input_error);
  }
  MPI_Finalize();
}
