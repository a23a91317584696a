// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/dense_output.hpp"

#include <algorithm>

namespace meander::solvers {
namespace {

// Calls body(unknown, volume, offset) for each row of the box: the first volume's index in a stage block, and
// its index in the list of all volumes of the box.
template <int D, class Body>
void for_block_rows(const PatchLayout& layout, const Box<D>& box, const Body& body) {
  std::ptrdiff_t kept = 0;
  for (int u = 0; u < layout.unknowns; ++u) {
    for_rows<D>(box, [&](const Index<D>& i) {
      std::ptrdiff_t volume = 0;
      for (int a = D - 1; a >= 0; --a) volume = volume * layout.p + i[static_cast<std::size_t>(a)];
      body(u, i, u * layout.volumes() + volume, kept);
      kept += box.extent[0];
    });
  }
}

}  // namespace

std::array<double, 4> dense_weights(const ShortStage& at) {
  const double theta = static_cast<double>(at.substep) / at.ratio, h = 1.0 / at.ratio;
  const double square = theta * theta, cube = square * theta;
  // U at theta, and h U', h^2 U'', by rates. U'' and U''' are differences of rates.
  const double middle = square - 2.0 / 3.0 * cube;
  const std::array<double, 4> state{theta - 1.5 * square + 2.0 / 3.0 * cube, middle, middle,
                                    2.0 / 3.0 * cube - 0.5 * square};
  const double slope = 2 * theta - 2 * square, bend = 2 - 4 * theta;
  const std::array<double, 4> first{1 - 3 * theta + 2 * square, slope, slope, 2 * square - theta},
      second{4 * theta - 3, bend, bend, 4 * theta - 1};
  // U''' - f_u U'' and U''' + f_u U'', with f_u U'' = 4 (k_3 - k_2) / H^2.
  constexpr std::array<double, 4> less{4, 0, -8, 4}, more{4, -8, 0, 4};
  std::array<double, 4> weights = state;
  for (std::size_t i = 0; i < 4; ++i) {
    switch (at.stage) {
      case 0:
        break;
      case 1:
        weights[i] += 0.5 * h * first[i];
        break;
      case 2:
        weights[i] += 0.5 * h * first[i] + h * h / 4 * second[i] + h * h * h / 16 * less[i];
        break;
      default:
        weights[i] += h * first[i] + h * h / 2 * second[i] + h * h * h / 8 * more[i];
    }
  }
  return weights;
}

template <int D>
void keep_rates(const PatchLayout& layout, const PatchTask& task, int stage, const Box<D>& box,
                double* kept) {
  if (stage > 1) return;
  const double* const sum = task.stages + layout.stage_block_size();
  if (stage == 1) kept += box.volumes() * static_cast<std::size_t>(layout.unknowns);
  for_block_rows<D>(layout, box, [&](int, const Index<D>&, std::ptrdiff_t in_block, std::ptrdiff_t at) {
    std::copy_n(sum + in_block, box.extent[0], kept + at);
  });
}

// With S_2 = k_1 + 2 k_2 and S_3 = S_2 + 2 k_3, and H k_4 from the new state.
DenseFactors dense_factors(const ShortStage& at) {
  const auto w = dense_weights(at);
  return {at.dt * (w[0] - 0.5 * w[1]), at.dt * 0.5 * (w[1] - w[2]), at.dt * (0.5 * w[2] - w[3]), 6 * w[3]};
}

template <int D>
void dense_output(const PatchLayout& layout, const PatchTask& task, const Box<D>& box, const double* kept,
                  const ShortStage& at, double* slot) {
  const DenseFactors factors = dense_factors(at);
  const double *const start = task.stages, *const sum = start + layout.stage_block_size();
  const double* const second = kept + box.volumes() * static_cast<std::size_t>(layout.unknowns);
  for_block_rows<D>(
      layout, box, [&](int u, const Index<D>& i, std::ptrdiff_t in_block, std::ptrdiff_t in_kept) {
        const std::ptrdiff_t row = layout.at(u, i);
        for (int x = 0; x < box.extent[0]; ++x) {
          slot[row + x] = factors.value(start[in_block + x], kept[in_kept + x], second[in_kept + x],
                                        sum[in_block + x], task.q[row + x]);
        }
      });
}

#define MEANDER_INSTANTIATE(D)                                                                      \
  template void keep_rates<D>(const PatchLayout&, const PatchTask&, int, const Box<D>&, double*);   \
  template void dense_output<D>(const PatchLayout&, const PatchTask&, const Box<D>&, const double*, \
                                const ShortStage&, double*);
MEANDER_INSTANTIATE(2)
MEANDER_INSTANTIATE(3)
#undef MEANDER_INSTANTIATE

}  // namespace meander::solvers
