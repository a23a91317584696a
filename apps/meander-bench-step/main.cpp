// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Whole time steps: update, flux correction and halo exchange, without output. For each scheme and patch size
// a uniform mesh, and a static adaptive one of three levels; the figure is CPU time of all threads a volume
// and step.

#include <fmt/format.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <vector>

#include "simulation/config.hpp"
#include "simulation/simulation.hpp"

namespace {

using namespace meander;

double cpu_seconds() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

struct Case {
  std::string scheme;
  int patch_size;
  bool adaptive;
};

// Base cells along an axis such that the mesh has about `volumes` volumes: the adaptive one has some 50 times
// its base cells.
int base_cells(const Case& c, int dim, double volumes) {
  const double leaves = volumes / std::pow(c.patch_size, dim);
  return std::max(2, static_cast<int>(std::lround(
                         std::pow(c.adaptive ? leaves / (dim == 3 ? 50 : 10) : leaves, 1.0 / dim))));
}

std::string input_for(const Case& c, int dim, double volumes) {
  const auto vector = [dim](double value) {
    return dim == 3 ? fmt::format("[{0}, {0}, {0}]", value) : fmt::format("[{0}, {0}]", value);
  };
  const int cells = base_cells(c, dim, volumes);
  int level = 0;
  while (std::pow(3, level) < cells) ++level;
  std::string text = fmt::format(
      "[domain]\ndimensions = {}\ncells = {}\n[boundary]\nall = \"periodic\"\n[mesh]\npatch-size = "
      "{}\nmin-level = {}\n"
      "max-level = {}\nbuffer = 0\nregrid-every = 1000000\n[solver]\nscheme = \"{}\"\n[scenario]\nname = "
      "\"uniform\"\n"
      "velocity = {}\n[time]\nend = 1e9\n",
      dim, vector(cells), c.patch_size, level, c.adaptive ? level + 2 : level, c.scheme, vector(0.3));
  if (c.adaptive) {
    // Nested boxes off the centre: most volumes on the two finer levels, as in runs that follow a feature.
    text += fmt::format("[[refinement]]\nkind = \"box\"\nlower = {}\nupper = {}\nlevel = {}\n", vector(0.3),
                        vector(0.9), level + 1);
    text +=
        fmt::format("[[refinement]]\nkind = \"box\"\nlower = {}\nupper = {}\n", vector(0.45), vector(0.8));
  }
  return text;
}

struct Figures {
  double median, least, most;
  std::size_t leaves, volumes;
};

Figures measure(const Case& c, int dim, double volumes, int threads, int repeats) {
  const auto config =
      simulation::load_config_text(input_for(c, dim, volumes), "bench", {}, simulation::scenarios(), 1e12);
  const auto run = simulation::make_simulation(config, threads);
  const auto updates = static_cast<double>(run->volumes());
  const int steps = std::max(2, static_cast<int>(2e7 / updates));
  for (int step = 0; step < 2; ++step) run->advance(1e9);
  std::vector<double> ns;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const double start = cpu_seconds();
    for (int step = 0; step < steps; ++step) run->advance(1e9);
    ns.push_back((cpu_seconds() - start) / (updates * steps) * 1e9);
  }
  std::sort(ns.begin(), ns.end());
  return {ns[ns.size() / 2], ns.front(), ns.back(), run->leaves(), run->volumes()};
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("CPU time of whole time steps, ns a volume and step (all threads together)");
  std::vector<int> sizes = {6, 9, 17};
  std::vector<std::string> schemes = {"rusanov", "muscl"};
  int dim = 3, threads = 1, repeats = 5;
  double volumes = 2e6;
  app.add_option("--patch-sizes", sizes, "patch sizes p")->delimiter(',');
  app.add_option("--schemes", schemes, "rusanov, muscl")->delimiter(',');
  app.add_option("--dimensions", dim, "2 or 3")->check(CLI::Range(2, 3));
  app.add_option("--threads", threads, "threads")->check(CLI::Range(1, 1024));
  app.add_option("--repeats", repeats, "repeats, of which the median counts")->check(CLI::Range(1, 1000));
  app.add_option("--volumes", volumes, "volumes of the mesh, about");
  CLI11_PARSE(app, argc, argv);

  try {
    fmt::print("{:8} {:>3} {:>9} {:>8} {:>10} {:>8} {:>8} {:>8}  {}\n", "scheme", "p", "mesh", "leaves",
               "volumes", "median", "min", "max", "adaptive / uniform");
    for (const auto& scheme : schemes) {
      for (const int p : sizes) {
        double uniform = 0;
        for (const bool adaptive : {false, true}) {
          const Figures f = measure({scheme, p, adaptive}, dim, volumes, threads, repeats);
          fmt::print("{:8} {:>3} {:>9} {:>8} {:>10} {:>8.1f} {:>8.1f} {:>8.1f}  {}\n", scheme, p,
                     adaptive ? "adaptive" : "uniform", f.leaves, f.volumes, f.median, f.least, f.most,
                     adaptive ? fmt::format("{:.2f}", f.median / uniform) : "");
          if (!adaptive) uniform = f.median;
        }
      }
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return exit_input_error;
  }
}
