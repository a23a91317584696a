// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/euler/fields/host_gravity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace meander::euler {

namespace {

// Carried rows.
enum Row : int { potential, rate };

// Calls body(number, place) for the first volume of each row of the interior, with its number in the patch.
template <int D, class Body>
void for_rows(int p, const Body& body) {
  std::ptrdiff_t v = 0;
  solvers::for_rows<D>(solvers::interior_box<D>(p), [&](const Index<D>& i) {
    body(v, i);
    v += p;
  });
}

}  // namespace

template <int D>
struct HostGravity<D>::Lanes {
  double at[solvers::longest_row] = {};
  double sum() const { return std::accumulate(std::begin(at), std::end(at), 0.0); }
  double largest() const { return *std::ranges::max_element(at); }
};

template <int D>
HostGravity<D>::HostGravity(mesh::PatchMesh<D>& mesh, const tasks::HostPoisson<D>& solver,
                            bool conserves_energy, std::span<const solvers::Multipoles<D>> of_volume)
    : mesh_(mesh),
      solver_(solver),
      gas_(mesh.layout()),
      own_(solver.layout()),
      volumes_(mesh.layout().volumes()),
      of_volume_(of_volume),
      acceleration_(mesh.size() * static_cast<std::size_t>(D * volumes_)),
      work_(conserves_energy ? mesh.size() * static_cast<std::size_t>(volumes_) : 0),
      given_(mesh.size() * std::size_t{D}) {}

template <int D>
void HostGravity<D>::run(const char*, const Work& work, ThreadTeam& team) {
  team.for_chunks(mesh_.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t leaf = begin; leaf < end; ++leaf) {
      if (mesh_.levels()[leaf] < work.first) continue;
      if (work.kind == Work::Kind::start) start(leaf, work);
      if (work.kind == Work::Kind::kick) kick(leaf, work);
      if (work.kind == Work::Kind::keep) keep(leaf, work);
    }
  });
}

template <int D>
std::span<const double> HostGravity<D>::numbers(const char*, const Work& work, int count, ThreadTeam& team) {
  numbers_.resize(mesh_.size() * static_cast<std::size_t>(count));
  team.for_chunks(mesh_.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t leaf = begin; leaf < end; ++leaf) {
      if (mesh_.levels()[leaf] < work.first) continue;
      double* const of_leaf = numbers_.data() + leaf * static_cast<std::size_t>(count);
      if (work.kind == Work::Kind::sources) find_sources(leaf, of_leaf);
      if (work.kind == Work::Kind::moments) find_moments(leaf, of_leaf);
      if (work.kind == Work::Kind::differentiate) differentiate(leaf, work, of_leaf);
    }
  });
  return numbers_;
}

template <int D>
void HostGravity<D>::kick_copies(int level, const Work& work, ThreadTeam& team) {
  const auto sources = mesh_.local_steps().coarse(level).sources();
  team.for_chunks(sources.size(), [&](int, std::size_t begin, std::size_t end) {
    for (const auto& source : sources.subspan(begin, end - begin))
      kick_copy(static_cast<std::size_t>(source.leaf), work, source.slot, source.box);
  });
}

template <int D>
void HostGravity<D>::find_sources(std::size_t leaf, double* numbers) const {
  Lanes sums, largest, smallest;
  std::ranges::fill(smallest.at, -std::numeric_limits<double>::infinity());
  for_rows<D>(gas_.p, [&](std::ptrdiff_t, const Index<D>& i) {
    const double* const rho = q(leaf) + gas_.at(0, i);
    for (int x = 0; x < gas_.p; ++x) {
      sums.at[x] += rho[x];
      largest.at[x] = std::max(largest.at[x], rho[x]);
      smallest.at[x] = std::max(smallest.at[x], -rho[x]);
    }
  });
  numbers[0] = sums.sum();
  numbers[1] = largest.largest();
  numbers[2] = smallest.largest();
}

template <int D>
void HostGravity<D>::find_moments(std::size_t leaf, double* sums) const {
  constexpr int count = 2 * solvers::Multipoles<D>::count;
  std::fill_n(sums, count, 0.0);
  const double* const source = solver_.source(leaf);
  for_rows<D>(own_.p, [&](std::ptrdiff_t v, const Index<D>& i) {
    const double* const row = source + own_.at(0, i);
    for (int x = 0; x < own_.p; ++x) {
      // std::complex<double> is an array of two numbers.
      const auto* const of_volume =
          reinterpret_cast<const double*>(&of_volume_[static_cast<std::size_t>(v + x)]);
      for (int n = 0; n < count; ++n) sums[n] += row[x] * of_volume[n];
    }
  });
}

template <int D>
void HostGravity<D>::start(std::size_t leaf, const Work& work) {
  double *const before = carried(leaf, potential), *const change = carried(leaf, rate);
  if (work.clears) {
    for (double* const row : {before, change}) std::fill_n(row, gas_.unknown_stride(), 0.0);
  }
  const double* const s = q(leaf);
  double *const source = solver_.source(leaf), *const guess = solver_.potential(leaf);
  const double later = time_of(leaf, work);
  const bool sets_source = mesh_.levels()[leaf] >= work.first_source;
  for_rows<D>(gas_.p, [&](std::ptrdiff_t, const Index<D>& i) {
    const std::ptrdiff_t from = gas_.at(0, i), to = own_.at(0, i);
    if (sets_source) {
      for (int x = 0; x < gas_.p; ++x) source[to + x] = work.factor * (s[from + x] - work.mean_source);
    }
    const double* const known = work.continues ? guess + to : before + from;
    for (int x = 0; x < gas_.p; ++x) guess[to + x] = work.is_zero ? 0 : known[x] + later * change[from + x];
  });
}

template <int D>
void HostGravity<D>::keep(std::size_t leaf, const Work& work) {
  const double* const found = solver_.potential(leaf);
  double* __restrict__ const before = carried(leaf, potential);
  double* __restrict__ const change = carried(leaf, rate);
  for_rows<D>(gas_.p, [&](std::ptrdiff_t, const Index<D>& i) {
    const std::ptrdiff_t to = gas_.at(0, i), from = own_.at(0, i);
    for (int x = 0; x < gas_.p; ++x) {
      if (work.dt > 0) change[to + x] = (found[from + x] - before[to + x]) / work.dt;
      before[to + x] = found[from + x];
    }
  });
}

template <int D>
void HostGravity<D>::differentiate(std::size_t leaf, const Work& work, double* numbers) {
  const double* const u = solver_.potential(leaf);
  double* const g = acceleration_.data() + leaf * static_cast<std::size_t>(D * volumes_);
  thread_local std::vector<double> laplacian;
  laplacian.resize(static_cast<std::size_t>(volumes_));
  solver_.differences(leaf, g, laplacian.data());
  const double h = solver_.width(leaf), half = -0.5 * work.strength / h, dt = time_of(leaf, work);
  Lanes of_leaf[Numbers::sums], residuals, largest;
  const double square = h * h;
  for_rows<D>(gas_.p, [&](std::ptrdiff_t v, const Index<D>& i) {
    const double *const rho = q(leaf) + gas_.at(0, i), *const at = u + own_.at(0, i),
                        *const of_row = laplacian.data() + v;
    double squares[solvers::longest_row] = {};
    for (int x = 0; x < gas_.p; ++x) {
      const double source = work.factor * (rho[x] - work.mean_source), r = source - of_row[x] / square;
      of_leaf[Numbers::mass].at[x] += rho[x];
      of_leaf[Numbers::energy].at[x] += at[x] * (source + r);
      residuals.at[x] = std::max(residuals.at[x], std::abs(r));
    }
    for (int a = 0; a < D; ++a) {
      double* __restrict__ along = g + a * volumes_ + v;
      Lanes& forces = of_leaf[Numbers::force + a];
      for (int x = 0; x < gas_.p; ++x) {
        along[x] *= half;
        squares[x] += along[x] * along[x];
        forces.at[x] += rho[x] * along[x];
      }
    }
    for (int x = 0; x < gas_.p; ++x) largest.at[x] = std::max(largest.at[x], squares[x]);
    if (dt == 0 || !work.conserves_energy) return;
    double done[solvers::longest_row], share[solvers::longest_row];
    find_work(rho, leaf, v, dt, done, share);
    for (int x = 0; x < gas_.p; ++x) {
      of_leaf[Numbers::work].at[x] += done[x];
      of_leaf[Numbers::shares].at[x] += share[x];
    }
    for (int a = 0; a < D; ++a) {
      const double* const moves = q(leaf) + gas_.at(1 + a, i);
      Lanes& momenta = of_leaf[Numbers::momentum + a];
      for (int x = 0; x < gas_.p; ++x) momenta.at[x] += moves[x];
    }
  });
  for (int face = 0; face < 2 * D && dt > 0 && work.conserves_energy; ++face) {
    if (solver_.has_values(leaf, face)) add_face(leaf, face, of_leaf);
  }
  for (int n = 0; n < Numbers::sums; ++n) numbers[n] = of_leaf[n].sum();
  for (int a = 0; a < D; ++a)
    numbers[Numbers::given + a] = given_[leaf * std::size_t{D} + static_cast<std::size_t>(a)];
  numbers[Numbers::residual] = residuals.largest();
  numbers[Numbers::square] = largest.largest();
}

template <int D>
void HostGravity<D>::add_face(std::size_t leaf, int face, Lanes* of_leaf) const {
  const double* const u = solver_.potential(leaf);
  const int axis = face / 2;
  solvers::Box<D> inside = solvers::interior_box<D>(gas_.p);
  inside.lower[axis] = face % 2 == 0 ? 0 : gas_.p - 1;
  inside.extent[axis] = 1;
  const std::ptrdiff_t outwards = face % 2 == 0 ? -own_.stride(axis) : own_.stride(axis);
  // The sums are multiplied by the volume later.
  const double per_width = 1 / solver_.width(leaf), out = face % 2 == 0 ? -1 : 1;
  solvers::for_volumes<D>(inside, [&](const Index<D>& i) {
    const double* const at = u + own_.at(0, i);
    const double on_face = 0.5 * (at[0] + at[outwards]), flow = out * q(leaf)[gas_.at(1 + axis, i)];
    of_leaf[Numbers::face_flow].at[0] += per_width * flow;
    of_leaf[Numbers::face_energy].at[0] += per_width * flow * on_face;
    of_leaf[Numbers::face_potential].at[0] += per_width * on_face;
    of_leaf[Numbers::face_area].at[0] += per_width;
  });
}

template <int D>
void HostGravity<D>::find_work(const double* rho, std::size_t leaf, std::ptrdiff_t v, double dt,
                               double* __restrict__ done, double* __restrict__ share) const {
  const int p = gas_.p;
  const std::ptrdiff_t unknown = gas_.unknown_stride();
  const double* const before = work_.data() + leaf * static_cast<std::size_t>(volumes_) + v;
  const double* const g = acceleration(leaf) + v;
  double squares[solvers::longest_row] = {};
  for (int x = 0; x < p; ++x) done[x] = before[x];
  for (int a = 0; a < D; ++a) {
    const double *const momentum_along = rho + (1 + a) * unknown, *const along = g + a * volumes_;
    for (int x = 0; x < p; ++x) {
      squares[x] += momentum_along[x] * momentum_along[x];
      done[x] += 0.5 * dt * along[x] * (momentum_along[x] + 0.25 * dt * rho[x] * along[x]);
    }
  }
  const double* const energies = rho + (D + 1) * unknown;
  for (int x = 0; x < p; ++x) {
    const double thermal = energies[x] - 0.5 * squares[x] / rho[x];
    share[x] = std::min(std::abs(done[x]), std::max(thermal, 0.0));
  }
}

template <int D>
void HostGravity<D>::kick(std::size_t leaf, const Work& work) {
  const double* const g = acceleration(leaf);
  const double time = time_of(leaf, work);
  double mean[D];
  for (int a = 0; a < D; ++a) mean[a] = work.mean_along(a, time);
  Lanes given_along[D];
  for_rows<D>(gas_.p, [&](std::ptrdiff_t v, const Index<D>& i) {
    const double* __restrict__ rho = q(leaf) + gas_.at(0, i);
    double* __restrict__ energies = q(leaf) + gas_.at(D + 1, i);
    double done[solvers::longest_row] = {}, share[solvers::longest_row];
    const bool corrects = work.conserves_energy && work.ends;
    if (corrects) {
      double both[solvers::longest_row];
      find_work(rho, leaf, v, 2 * time, both, share);
    }
    for (int a = 0; a < D; ++a) {
      double* __restrict__ moves = q(leaf) + gas_.at(1 + a, i);
      const double* __restrict__ along = g + a * volumes_ + v;
      const double mean_along = mean[a];
      for (int x = 0; x < gas_.p; ++x) {
        const double acceleration = along[x] - mean_along, push = time * rho[x] * acceleration;
        // With the mean of the momentum before and after.
        done[x] += time * acceleration * (moves[x] + 0.5 * push);
        moves[x] += push;
      }
      if (!work.gives) continue;
      Lanes& sums = given_along[a];
      for (int x = 0; x < gas_.p; ++x) sums.at[x] += time * rho[x] * (along[x] - mean_along);
    }
    if (corrects) {
      for (int x = 0; x < gas_.p; ++x) done[x] += work.factor_of_shares * share[x];
    } else if (work.conserves_energy) {
      double* const kept = work_.data() + leaf * static_cast<std::size_t>(volumes_) + v;
      for (int x = 0; x < gas_.p; ++x) kept[x] = work.begins ? done[x] : kept[x] + done[x];
    }
    for (int x = 0; x < gas_.p; ++x) energies[x] += done[x];
  });
  double* const given = given_.data() + leaf * std::size_t{D};
  for (int a = 0; a < D && work.gives; ++a)
    given[a] = work.begins ? given_along[a].sum() : given[a] + given_along[a].sum();
}

template <int D>
void HostGravity<D>::kick_copy(std::size_t leaf, const Work& work, double* slot,
                               const solvers::Box<D>& box) const {
  const double* const g = acceleration(leaf);
  const double time = time_of(leaf, work);
  solvers::for_volumes<D>(box, [&](const Index<D>& i) {
    std::ptrdiff_t v = 0;
    for (int a = D - 1; a >= 0; --a) v = v * gas_.p + i[a];
    double* const rho = slot + gas_.at(0, i);
    double done = 0;
    for (int a = 0; a < D; ++a) {
      const double acceleration = g[a * volumes_ + v] - work.mean_along(a, time),
                   push = time * rho[0] * acceleration;
      double& moves = rho[(1 + a) * gas_.unknown_stride()];
      done += time * acceleration * (moves + 0.5 * push);
      moves += push;
    }
    rho[(D + 1) * gas_.unknown_stride()] += done;
  });
}

template class HostGravity<2>;
template class HostGravity<3>;

}  // namespace meander::euler
