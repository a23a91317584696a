// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Leaves a second of the mesh algorithms on one core, next to p4est's.
#include <fmt/core.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "mesh/neighbours.hpp"
#include "mesh/refine.hpp"
#include "mesh/spacetree.hpp"

namespace {

using namespace meander;
using namespace meander::mesh;

// p4est 2.2, Debian's build without assertions, one rank on one core of a 2-core AMD EPYC (family 26) shared
// with other work, user CPU time: leaves (after balance) and milliseconds of each phase for its fractal
// refinement.
struct Reference {
  int dimension;
  double leaves, refine, coarsen, balance, neighbours, points;
};
constexpr Reference p4est[] = {{2, 122434, 1.3, 0.8, 14, 18, 49},
                               {2, 982504, 9.8, 9.0, 134, 155, 77},
                               {3, 92828, 0.9, 0.5, 8.5, 25, 59},
                               {3, 768776, 4.8, 7.2, 83, 229, 84}};
constexpr std::size_t points_located = 100000;

double user_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec) + 1e-6 * static_cast<double>(usage.ru_utime.tv_usec);
}

// Median user CPU milliseconds of one call; short calls are repeated until their time can be resolved.
template <class Body>
double milliseconds(int repeats, const Body& body) {
  std::vector<double> samples;
  for (int i = 0; i < repeats; ++i) {
    int calls = 0;
    const double begin = user_seconds();
    double end = begin;
    do {
      body();
      ++calls;
      end = user_seconds();
    } while (end - begin < 0.02);
    samples.push_back(1e3 * (end - begin) / calls);
  }
  std::nth_element(samples.begin(), samples.begin() + repeats / 2, samples.end());
  return samples[static_cast<std::size_t>(repeats / 2)];
}

void print_row(const char* phase, int dimension, std::size_t items, double ms, double reference_items,
               double reference_ms) {
  const double rate = static_cast<double>(items) / ms / 1e3, reference = reference_items / reference_ms / 1e3;
  fmt::print("{:<22} {}D {:>10} {:>10.3f} {:>10.1f} {:>10.1f}", phase, dimension, items, ms,
             1e6 * ms / static_cast<double>(items), rate);
  if (reference_ms > 0) fmt::print(" {:>10.2f} {:>8.1f}", reference, rate / reference);
  fmt::print("\n");
}

// A fractal: of the children, those at corners with an even number of upper sides are refined, as in the
// reference, and the middle one.
template <int D>
bool in_fractal(const Cell<D>& cell) {
  if (cell.level == 0) return true;
  int upper = 0, middle = 0;
  for (const int x : cell.at) {
    upper += x % 3 == 2;
    middle += x % 3 == 1;
  }
  return middle == D || (middle == 0 && upper % 2 == 0);
}

template <int D>
void measure(int depth, const Reference& reference, int repeats) {
  Domain<D> domain;
  domain.base_cells.fill(1);
  const auto root = Spacetree<D>::uniform(domain, 0);
  const auto refine = [&] { return refined_where(root, depth, in_fractal<D>); };
  const auto fractal = refine();
  const auto coarsen = [&] { return coarsened_where(fractal, [](const Cell<D>&) { return true; }); };
  const auto tree = fractal.balanced();

  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  std::vector<Point<D>> points(points_located);
  for (auto& x : points) std::generate(x.begin(), x.end(), [&] { return uniform(random); });
  std::vector<std::int32_t> owners(points.size());
  const std::vector<Adapt> keep(tree.size(), Adapt::keep);
  volatile std::size_t sink = 0;
  const auto use = [&](std::size_t value) { sink = sink + value; };

  const double refine_ms = milliseconds(repeats, [&] { use(refine().size()); });
  const double coarsen_ms = milliseconds(repeats, [&] { use(coarsen().size()); });
  const double balance_ms = milliseconds(repeats, [&] { use(fractal.balanced().size()); });
  const double again_ms = milliseconds(repeats, [&] { use(tree.adapted(keep, 0, depth).size()); });
  const double neighbours_ms = milliseconds(repeats, [&] { use(Neighbours<D>(tree).cells().size()); });
  const double origins_ms = milliseconds(repeats, [&] { use(origins(fractal, tree).size()); });
  const double points_ms = milliseconds(repeats, [&] {
    tree.find(points, owners);
    use(static_cast<std::size_t>(owners[0]));
  });
  const double single_ms = milliseconds(repeats, [&] {
    for (const auto& x : points) use(static_cast<std::size_t>(tree.find(x)));
  });

  print_row("refine", D, fractal.size(), refine_ms, reference.leaves, reference.refine);
  print_row("coarsen, one pass", D, fractal.size(), coarsen_ms, reference.leaves, reference.coarsen);
  print_row("balance", D, tree.size(), balance_ms, reference.leaves, reference.balance);
  print_row("neighbour lists", D, tree.size(), neighbours_ms, reference.leaves, reference.neighbours);
  print_row("  the three together", D, tree.size(), refine_ms + balance_ms + neighbours_ms, reference.leaves,
            reference.refine + reference.balance + reference.neighbours);
  print_row("adapt, nothing to do", D, tree.size(), again_ms, 0, 0);
  print_row("origins", D, tree.size(), origins_ms, 0, 0);
  print_row("points, all at once", D, points.size(), points_ms, points_located, reference.points);
  print_row("points, one by one", D, points.size(), single_ms, points_located, reference.points);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Mesh algorithms on one core: user CPU time, medians, next to p4est 2.2 on its machine"};
  int repeats = 7;
  std::vector<int> depths{9, 11, 5, 7};
  app.add_option("--repeats", repeats, "samples of each phase")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--depths", depths, "levels of the fractal: two trees in 2D, two in 3D")
      ->expected(4)
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);

  fmt::print("{:<22} {:>2} {:>10} {:>10} {:>10} {:>10} {:>10} {:>8}\n", "phase", "d", "leaves", "ms",
             "ns/leaf", "M/s", "p4est M/s", "ratio");
  measure<2>(depths[0], p4est[0], repeats);
  measure<2>(depths[1], p4est[1], repeats);
  measure<3>(depths[2], p4est[2], repeats);
  measure<3>(depths[3], p4est[3], repeats);
}
