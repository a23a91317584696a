// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Leaves per second of the mesh algorithms, compared with p4est on the same ranks. Run it with mpirun.
#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "options/options.hpp"
#include "phases.hpp"

#ifdef MEANDER_P4EST
#include <p4est.h>
#endif

namespace {

using namespace meander;
using namespace meander::bench;

// Statistics over rounds: the median of the time of the slowest rank.
class Figures {
 public:
  void add(Sample sample, const parallel::Communicator& communicator) {
    communicator.max(std::span<double>(sample.seconds));
    samples_.push_back(sample);
  }
  double seconds(std::size_t phase) const {
    std::vector<double> all;
    for (const Sample& sample : samples_) all.push_back(sample.seconds[phase]);
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
    std::nth_element(all.begin(), middle, all.end());
    return *middle;
  }
  double items(std::size_t phase) const { return samples_.front().items[phase]; }
  double rate(std::size_t phase) const { return items(phase) / seconds(phase); }
  bool has(std::size_t phase) const { return !samples_.empty() && items(phase) > 0; }

 private:
  std::vector<Sample> samples_;
};

template <int D>
void measure(int depth, [[maybe_unused]] int p4est_depth, int rounds,
             const parallel::Communicator& communicator) {
  Figures ours, theirs;
  // The first round of each library warms up caches and allocators. Rounds alternate between the libraries,
  // so that disturbances of the machine affect both.
  for (int round = -1; round < rounds; ++round) {
    const Sample sample = meander_round<D>(depth, communicator);
    if (round >= 0) ours.add(sample, communicator);
#ifdef MEANDER_P4EST
    const Sample other = p4est_round<D>(p4est_depth, communicator);
    if (round >= 0) theirs.add(other, communicator);
#endif
  }
  if (!communicator.is_root()) return;
  for (std::size_t phase = 0; phase < phases; ++phase) {
    if (!ours.has(phase)) continue;
    fmt::print("{:<18} {}D {:>9.0f} {:>9.3f} {:>9.2f}", phase_names[phase], D, ours.items(phase),
               1e3 * ours.seconds(phase), 1e-6 * ours.rate(phase));
    if (theirs.has(phase)) {
      fmt::print(" {:>9.0f} {:>9.3f} {:>9.2f} {:>8.2f}", theirs.items(phase), 1e3 * theirs.seconds(phase),
                 1e-6 * theirs.rate(phase), ours.rate(phase) / theirs.rate(phase));
    }
    fmt::print("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  int rounds = 9;
  std::vector<int> depths{9, 11, 5, 7}, p4est_depths{14, 17, 7, 9};
  const auto done = app::parse(
      argc, argv,
      "Measures mesh algorithms on all ranks, compared with p4est: medians of the wall time of the slowest "
      "rank",
      {{"--rounds", rounds, "samples of each phase", app::positive},
       {.name = "--depths",
        .value = depths,
        .meaning = "levels of the fractal: two trees in 2D, two in 3D",
        .count = 4},
       {.name = "--p4est-depths",
        .value = p4est_depths,
        .meaning = "levels of the fractal for p4est",
        .count = 4}});
  if (done) return *done;

  MPI_Init(&argc, &argv);
  {
    const auto communicator = parallel::Communicator::world();
#ifdef MEANDER_P4EST
    sc_init(MPI_COMM_WORLD, 0, 0, nullptr, SC_LP_ERROR);
    p4est_init(nullptr, SC_LP_ERROR);
#endif
    if (communicator.is_root()) {
      fmt::print("ranks: {}\n", communicator.size());
      fmt::print("{:<18} {:>2} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>8}\n", "phase", "d", "leaves", "ms",
                 "M/s", "p4est", "ms", "M/s", "ratio");
    }
    measure<2>(depths[0], p4est_depths[0], rounds, communicator);
    measure<2>(depths[1], p4est_depths[1], rounds, communicator);
    measure<3>(depths[2], p4est_depths[2], rounds, communicator);
    measure<3>(depths[3], p4est_depths[3], rounds, communicator);
#ifdef MEANDER_P4EST
    sc_finalize();
#endif
  }
  MPI_Finalize();
}
