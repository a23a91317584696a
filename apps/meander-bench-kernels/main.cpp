// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Measures patch updates of every scheme. Prints ns per volume, and GB/s with the fraction of the copy
// bandwidth.

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "bandwidth.hpp"
#include "base/error.hpp"
#include "measurement.hpp"
#include "options/options.hpp"
#include "physics/ccz4/solver.hpp"
#include "physics/euler/gravity.hpp"
#include "physics/euler/solver.hpp"
#include "physics/euler/terms.hpp"

namespace {

using namespace meander;

struct Options {
  std::vector<int> sizes = {5, 9, 17}, dims = {2, 3}, threads = {1};
  std::vector<std::string> schemes = {"rusanov", "muscl-minmod", "muscl-mc", "ccz4-rusanov", "ccz4-fourth"},
                           sets = {"cache", "memory"};
  int repeats = 9;
  double seconds = 0.02, cache_kb = 256, memory_mb = 128;
  bool all_cores = false, csv = false;
};

bool is_ccz4(const std::string& scheme) {
  return scheme.rfind("ccz4", 0) == 0;
}

// The terms of inputs/accretion-3d.toml: dual energy, and gravity about a corner of each patch.
std::unique_ptr<solvers::Solver> make_accretion_solver(int dim) {
  euler::Parameters parameters;
  parameters.gamma = 5.0 / 3;
  parameters.density_floor = 1e-6;
  parameters.pressure_floor = 1e-10;
  parameters.dual_energy = true;
  auto solver = euler::make_solver(dim, parameters, {.scheme = "muscl", .limiter = "mc"});
  auto& gravity = *static_cast<euler::Gravity*>(solver->step_data());
  gravity.radial = true;
  gravity.dim = dim;
  gravity.bins = 512;
  gravity.dr = 2.0 / gravity.bins;
  gravity.strength = 0.1;
  for (int bin = 0; bin <= gravity.bins + 1; ++bin)
    gravity.table[bin] = gravity.table_rate[bin] = 1.0 / (8 + bin);
  return solver;
}

// Gas of which nearly all energy is that of its motion.
bench::State cold_gas(int dim, const solvers::Solver& solver) {
  return
      [warm = bench::gas(dim), dim, &solver](double phase, const std::function<double()>& noise, double* q) {
        warm(phase, noise, q);
        double square = 0;
        for (int a = 0; a < dim; ++a) square += q[1 + a] * q[1 + a];
        q[1 + dim] = 0.5 * square / q[0] * (1 + 1e-5) + 1e-9;
        solver.complete(q);
      };
}

std::unique_ptr<solvers::Solver> make_solver(const std::string& scheme, int dim) {
  if (is_ccz4(scheme)) {
    ccz4::Parameters parameters;
    parameters.scheme = scheme == "ccz4-rusanov" ? ccz4::Scheme::rusanov : ccz4::Scheme::fourth_order;
    return ccz4::make_solver(parameters);
  }
  if (scheme == "accretion") return make_accretion_solver(dim);
  solvers::SchemeWords words;
  if (scheme.starts_with("muscl-")) {
    words.scheme = "muscl";
    words.limiter = scheme.substr(6);
  } else {
    words.riemann = scheme;
  }
  return euler::make_solver(dim, {}, words);
}

std::vector<std::string> known_schemes() {
  const solvers::SchemeVocabulary gas = solvers::vocabulary<euler::Terms<3>>();
  std::vector<std::string> all = gas.riemanns;
  for (const std::string& limiter : gas.limiters) all.push_back("muscl-" + limiter);
  all.insert(all.end(), {"accretion", "ccz4-rusanov", "ccz4-fourth"});
  return all;
}

void run(const Options& options, int threads) {
  ThreadTeam team(threads);
  const double copy = bench::copy_bandwidth(team, std::size_t{256} << 20);
  if (!options.csv) {
    std::printf("%d thread(s); copy bandwidth %.1f GB/s\n", threads, copy);
    std::printf("%-14s %3s %3s %-7s %9s %9s %9s %9s %8s %7s\n", "scheme", "dim", "p", "set", "patches",
                "ns/volume", "fastest", "slowest", "GB/s", "of copy");
  }
  for (const std::string& scheme : options.schemes) {
    for (const int dim : options.dims) {
      if (is_ccz4(scheme) && dim == 2) continue;
      const auto solver = make_solver(scheme, dim);
      const bench::State state = is_ccz4(scheme)         ? bench::spacetime()
                                 : scheme == "accretion" ? cold_gas(dim, *solver)
                                                         : bench::gas(dim);
      for (const std::string& set : options.sets) {
        const double bytes = set == "cache" ? options.cache_kb * 1024 : options.memory_mb * 1048576;
        for (const int p : options.sizes) {
          const bench::Measurement m = bench::measure(*solver, state, p, static_cast<std::size_t>(bytes),
                                                      options.repeats, options.seconds, team);
          const char* format = options.csv ? "%s,%d,%d,%s,%zu,%.3f,%.3f,%.3f,%.2f,%.3f,%d,%.2f\n"
                                           : "%-14s %3d %3d %-7s %9zu %9.2f %9.2f %9.2f %8.1f %6.0f%%\n";
          if (options.csv) {
            std::printf(format, scheme.c_str(), dim, p, set.c_str(), m.patches, m.median, m.fastest,
                        m.slowest, m.bandwidth, m.bandwidth / copy, threads, copy);
          } else {
            std::printf(format, scheme.c_str(), dim, p, set.c_str(), m.patches, m.median, m.fastest,
                        m.slowest, m.bandwidth, 100 * m.bandwidth / copy);
          }
          std::fflush(stdout);
        }
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  const auto done = app::parse(
      argc, argv, "Measures in-place updates of patches with full halos, one update per volume.",
      {{"--sizes", options.sizes, "patch sizes p", app::between(3, 32)},
       {"--dims", options.dims, "dimensions", app::between(2, 3)},
       {"--schemes", options.schemes,
        "Riemann solvers at first order (rusanov, hllc), muscl-LIMITER (minmod, mc, van-leer), accretion "
        "(muscl-mc "
        "with dual energy and gravity), ccz4-rusanov, ccz4-fourth (3D only; per stage)",
        app::one_of(known_schemes())},
       {"--sets", options.sets, "working sets: cache, memory", app::one_of({"cache", "memory"})},
       {"--threads", options.threads, "numbers of threads", app::positive},
       {"--all-cores", options.all_cores, "one thread per processor of the affinity mask"},
       {"--repeats", options.repeats, "rounds, of which the median is printed", app::positive},
       {"--seconds", options.seconds, "duration of a round", app::positive},
       {"--cache-kb", options.cache_kb, "working set \"cache\" in KiB per thread", app::positive},
       {"--memory-mb", options.memory_mb, "working set \"memory\" in MiB per thread", app::positive},
       {"--csv", options.csv, "print comma-separated values"}});
  if (done) return *done;
  if (options.all_cores) options.threads = {available_processors()};
  try {
    if (options.csv) {
      std::printf(
          "scheme,dim,p,set,patches,ns_per_volume,fastest,slowest,gb_per_s,of_copy,threads,copy_gb_per_s\n");
    }
    for (const int threads : options.threads) run(options, threads);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "meander-bench-kernels: %s\n", error.what());
    return exit_failure;
  }
  return exit_done;
}
