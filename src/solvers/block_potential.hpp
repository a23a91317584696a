// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Kernels of matter in its own potential. Sums are those of the host: one for each place in a row, row by row, then over these
// places. Usable in device code.

#include "solvers/block_poisson.hpp"
#include "solvers/field_batch.hpp"

namespace meander::solvers {

template <int D, PotentialBatch::Kind kind>
class BlockPotential {
  using Kind = PotentialBatch::Kind;
  using Number = PotentialNumbers<D>;

 public:
  MEANDER_HOST_DEVICE explicit BlockPotential(const PotentialBatch& batch)
      : batch_(batch), gas_(batch.layout), own_(batch.of_potential) {}

  template <class Block>
  MEANDER_TERM void run(const Block& block, int number) const {
    if constexpr (kind == Kind::kick_copies) {
      const PotentialCopy& copy = batch_.at(batch_.copies)[number];
      return kick_copy(block, copy, leaf_of(batch_.at(batch_.leaves)[copy.leaf]));
    }
    const Leaf leaf = leaf_of(batch_.at(batch_.leaves)[number]);
    if (leaf.level < batch_.first) return;
    if constexpr (kind == Kind::sources) {
      sources(block, leaf, number);
    } else if constexpr (kind == Kind::start) {
      start(block, leaf);
    } else if constexpr (kind == Kind::moments) {
      moments(block, leaf, number);
    } else if constexpr (kind == Kind::differentiate) {
      differentiate(block, leaf, number);
    } else if constexpr (kind == Kind::kick) {
      kick(block, leaf, number);
    } else {
      keep(block, leaf);
    }
  }

 private:
  struct Leaf {
    double *q, *u, *acceleration, *work, *given;
    double h, time;
    int level;
    poisson::Faces open;
  };
  MEANDER_TERM Leaf leaf_of(const PotentialLeaf& leaf) const {
    return {batch_.at(leaf.q),
            batch_.at(leaf.u),
            batch_.at(leaf.acceleration),
            leaf.work == nullptr ? nullptr : batch_.at(leaf.work),
            batch_.at(leaf.given),
            leaf.h,
            batch_.times[leaf.level],
            leaf.level,
            leaf.open};
  }
  // A volume: its number, and its places in both slots.
  struct Volume {
    int number, gas, own;
  };

  MEANDER_TERM Volume volume(int number) const {
    int i[3] = {0, 0, 0};
    gas_.volume(number, i);
    return {number, gas_.at(i), own_.at(i)};
  }
  template <class Block, class Body>
  MEANDER_TERM void volumes(const Block& block, const Body& body) const {
    block.for_each(gas_.volumes(), [&](int number) { body(volume(number)); });
  }
  MEANDER_TERM double right_hand_side(double s) const { return batch_.factor * (s - batch_.mean_source); }
  MEANDER_TERM double* carried(const Leaf& leaf, int row) const {
    return leaf.q + (batch_.layout.unknowns + batch_.layout.fields + row) * gas_.unknown_stride;
  }
  // Calls add(value, volume) for the volumes of a lane, in order, and returns the value.
  template <class Add>
  MEANDER_TERM double lane(int number, double value, const Add& add) const {
    const int of_plane = gas_.p * gas_.p;
    for (int first = 0; first < gas_.volumes(); first += of_plane) {
      for (int m = number; m < of_plane; m += potential_lanes) add(value, volume(first + m));
    }
    return value;
  }
  MEANDER_TERM double* lanes(int leaf, int numbers) const {
    return batch_.at(batch_.lanes) + static_cast<std::ptrdiff_t>(leaf) * numbers * potential_lanes;
  }
  // The sum of the lanes of a number, and the largest.
  MEANDER_TERM double sum(const double* lanes) const {
    double sum = 0;
    for (int lane = 0; lane < potential_lanes; ++lane) sum += lanes[lane];
    return sum;
  }
  MEANDER_TERM double largest(const double* lanes, double largest) const {
    for (int lane = 0; lane < potential_lanes; ++lane) largest = max(lanes[lane], largest);
    return largest;
  }

  template <class Block>
  MEANDER_TERM void sources(const Block& block, const Leaf& leaf, int number) const {
    constexpr int count = 3;
    constexpr double lowest = -1.7976931348623157e308;
    double* const of_lanes = lanes(number, count);
    block.for_each(count * potential_lanes, [&](int item) {
      const int n = item / potential_lanes, x = item % potential_lanes;
      of_lanes[item] =
          n == 0 ? lane(x, 0, [&](double& value, const Volume& v) { value += leaf.q[v.gas]; })
          : n == 1
              ? lane(x, 0, [&](double& value, const Volume& v) { value = max(leaf.q[v.gas], value); })
              : lane(x, lowest, [&](double& value, const Volume& v) { value = max(-leaf.q[v.gas], value); });
    });
    block.sync();
    double* const to = batch_.at(batch_.numbers) + static_cast<std::ptrdiff_t>(number) * count;
    block.for_each(count, [&](int n) {
      const double* const from = of_lanes + n * potential_lanes;
      to[n] = n == 0 ? sum(from) : largest(from, from[0]);
    });
  }

  template <class Block>
  MEANDER_TERM void start(const Block& block, const Leaf& leaf) const {
    double *const before = carried(leaf, 0), *const rate = carried(leaf, 1);
    volumes(block, [&](const Volume& v) {
      if (batch_.clears) before[v.gas] = rate[v.gas] = 0;
      if (leaf.level >= batch_.first_source)
        leaf.u[poisson::rhs_row * own_.unknown_stride + v.own] = right_hand_side(leaf.q[v.gas]);
      const double known = batch_.continues ? leaf.u[v.own] : before[v.gas];
      leaf.u[v.own] = batch_.is_zero ? 0 : known + leaf.time * rate[v.gas];
    });
  }

  template <class Block>
  MEANDER_TERM void moments(const Block& block, const Leaf& leaf, int number) const {
    const double* const of_volume = batch_.at(batch_.of_volume);
    double* const to = batch_.at(batch_.numbers) + static_cast<std::ptrdiff_t>(number) * batch_.moments;
    block.for_each(batch_.moments, [&](int n) {
      double sum = 0;
      for (int v = 0; v < gas_.volumes(); ++v)
        sum += leaf.u[poisson::rhs_row * own_.unknown_stride + volume(v).own] *
               of_volume[v * batch_.moments + n];
      to[n] = sum;
    });
  }

  // The work of both halves of a step, before the mean acceleration is subtracted, and what the correction is a share of.
  MEANDER_TERM void find_work(const Leaf& leaf, const Volume& v, double dt, double& done,
                              double& share) const {
    const double* const rho = leaf.q + v.gas;
    double squares = 0;
    done = leaf.work[v.number];
    for (int a = 0; a < D; ++a) {
      const double moves = rho[(1 + a) * gas_.unknown_stride],
                   along = leaf.acceleration[a * gas_.volumes() + v.number];
      squares += moves * moves;
      done += 0.5 * dt * along * (moves + 0.25 * dt * rho[0] * along);
    }
    const double thermal = rho[(D + 1) * gas_.unknown_stride] - 0.5 * squares / rho[0];
    share = min(abs(done), max(thermal, 0.0));
  }

  template <class Block>
  MEANDER_TERM void differentiate(const Block& block, const Leaf& leaf, int number) const {
    const double half = -0.5 * batch_.strength / leaf.h;
    volumes(block, [&](const Volume& v) {
      const double* const at = leaf.u + v.own;
      for (int a = 0; a < D; ++a)
        leaf.acceleration[a * gas_.volumes() + v.number] = (at[own_.stride(a)] - at[-own_.stride(a)]) * half;
    });
    block.sync();
    double* const of_lanes = lanes(number, Number::count);
    block.for_each(Number::count * potential_lanes, [&](int item) {
      of_lanes[item] = of_lane(leaf, item / potential_lanes, item % potential_lanes);
    });
    block.sync();
    double* const to = batch_.at(batch_.numbers) + static_cast<std::ptrdiff_t>(number) * Number::count;
    block.for_each(Number::count, [&](int n) {
      const double* const from = of_lanes + n * potential_lanes;
      if (n == Number::residual || n == Number::square)
        to[n] = largest(from, 0);
      else if (n >= Number::face_flow && n <= Number::face_area)
        to[n] = over_faces(leaf, n);
      else if (n >= Number::given && n < Number::given + D)
        to[n] = batch_.gives ? leaf.given[n - Number::given] : 0;
      else
        to[n] = sum(from);
    });
  }

  MEANDER_TERM double of_lane(const Leaf& leaf, int n, int x) const {
    const double square = leaf.h * leaf.h;
    const auto rest = [&](const Volume& v) {
      return right_hand_side(leaf.q[v.gas]) - poisson::second_difference_at<D>(own_, leaf.u + v.own) / square;
    };
    const auto along = [&](const Volume& v, int a) {
      return leaf.acceleration[a * gas_.volumes() + v.number];
    };
    if (n < Number::mass)
      return lane(x, 0, [&](double& sum, const Volume& v) { sum += leaf.q[v.gas] * along(v, n); });
    if (n == Number::mass) return lane(x, 0, [&](double& sum, const Volume& v) { sum += leaf.q[v.gas]; });
    if (n == Number::energy)
      return lane(x, 0, [&](double& sum, const Volume& v) {
        sum += leaf.u[v.own] * (right_hand_side(leaf.q[v.gas]) + rest(v));
      });
    if (n == Number::residual)
      return lane(x, 0, [&](double& most, const Volume& v) { most = max(abs(rest(v)), most); });
    if (n == Number::square)
      return lane(x, 0, [&](double& most, const Volume& v) {
        double square_of_all = 0;
        for (int a = 0; a < D; ++a) square_of_all += along(v, a) * along(v, a);
        most = max(square_of_all, most);
      });
    if (leaf.time == 0 || !batch_.conserves_energy || n >= Number::sums) return 0;
    if (n == Number::work || n == Number::shares)
      return lane(x, 0, [&](double& sum, const Volume& v) {
        double done, share;
        find_work(leaf, v, leaf.time, done, share);
        sum += n == Number::work ? done : share;
      });
    if (n < Number::momentum) return 0;
    return lane(x, 0, [&](double& sum, const Volume& v) {
      sum += leaf.q[v.gas + (1 + n - Number::momentum) * gas_.unknown_stride];
    });
  }

  // Flow of mass, that times the potential, the potential and 1, over open faces and the width of volumes.
  MEANDER_TERM double over_faces(const Leaf& leaf, int n) const {
    if (leaf.time == 0 || !batch_.conserves_energy) return 0;
    const double per_width = 1 / leaf.h;
    double sum = 0;
    for (int face = 0; face < 2 * D; ++face) {
      if (!poisson::has_face(leaf.open, face)) continue;
      const poisson::FaceShape<D> of(own_, face), of_gas(gas_, face);
      const double out = face % 2 == 0 ? -1 : 1;
      for (int number = 0; number < of.volumes(gas_.p); ++number) {
        const double* const at = leaf.u + of.at(gas_.p, number);
        const double on_face = 0.5 * (at[0] + at[of.outwards]);
        const double flow = out * leaf.q[of_gas.at(gas_.p, number) + (1 + of.axis) * gas_.unknown_stride];
        sum += n == Number::face_flow        ? per_width * flow
               : n == Number::face_energy    ? per_width * flow * on_face
               : n == Number::face_potential ? per_width * on_face
                                             : per_width;
      }
    }
    return sum;
  }

  // Pushes the volume whose s is at rho. Returns the work, with the mean of the momentum before and after.
  MEANDER_TERM double push(double* rho, const Leaf& leaf, int volume) const {
    double done = 0;
    for (int a = 0; a < D; ++a) {
      double& moves = rho[(1 + a) * gas_.unknown_stride];
      const double acceleration =
                       leaf.acceleration[a * gas_.volumes() + volume] - batch_.mean_along(a, leaf.time),
                   push = leaf.time * rho[0] * acceleration;
      done += leaf.time * acceleration * (moves + 0.5 * push);
      moves += push;
    }
    return done;
  }

  template <class Block>
  MEANDER_TERM void kick(const Block& block, const Leaf& leaf, int number) const {
    if (batch_.gives) count_momentum(block, leaf, number);
    volumes(block, [&](const Volume& v) {
      double* const rho = leaf.q + v.gas;
      const bool corrects = batch_.conserves_energy && batch_.ends;
      double both = 0, share = 0;
      if (corrects) find_work(leaf, v, 2 * leaf.time, both, share);
      double done = push(rho, leaf, v.number);
      if (corrects)
        done += batch_.factor_of_shares * share;
      else if (batch_.conserves_energy)
        leaf.work[v.number] = batch_.begins ? done : leaf.work[v.number] + done;
      rho[(D + 1) * gas_.unknown_stride] += done;
    });
  }

  template <class Block>
  MEANDER_TERM void count_momentum(const Block& block, const Leaf& leaf, int number) const {
    double* const of_lanes = lanes(number, D);
    block.for_each(D * potential_lanes, [&](int item) {
      const int a = item / potential_lanes;
      of_lanes[item] = lane(item % potential_lanes, 0, [&](double& sum, const Volume& v) {
        sum += leaf.time * leaf.q[v.gas] *
               (leaf.acceleration[a * gas_.volumes() + v.number] - batch_.mean_along(a, leaf.time));
      });
    });
    block.sync();
    block.for_each(D, [&](int a) {
      const double momentum = sum(of_lanes + a * potential_lanes);
      leaf.given[a] = batch_.begins ? momentum : leaf.given[a] + momentum;
    });
  }

  template <class Block>
  MEANDER_TERM void kick_copy(const Block& block, const PotentialCopy& copy, const Leaf& leaf) const {
    double* const q = batch_.at(copy.q);
    block.for_each(volumes_of_box<D>(copy.extent), [&](int number) {
      int i[3] = {0, 0, 0};
      volume_of_box<D>(copy.lower, copy.extent, number, i);
      double* const rho = q + gas_.at(i);
      const double done = push(rho, leaf, gas_.number(i));
      rho[(D + 1) * gas_.unknown_stride] += done;
    });
  }

  template <class Block>
  MEANDER_TERM void keep(const Block& block, const Leaf& leaf) const {
    double *const before = carried(leaf, 0), *const rate = carried(leaf, 1);
    volumes(block, [&](const Volume& v) {
      const double found = leaf.u[v.own];
      if (batch_.dt > 0) rate[v.gas] = (found - before[v.gas]) / batch_.dt;
      before[v.gas] = found;
    });
  }

  PotentialBatch batch_;
  SlotShape<D> gas_, own_;
};

}  // namespace meander::solvers
