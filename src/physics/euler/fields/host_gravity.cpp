// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/euler/fields/host_gravity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "solvers/patch_copy.hpp"

namespace meander::euler {

namespace {

// Carried rows.
enum Row : int { potential, rate };

constexpr int most_of_plane = solvers::longest_row * solvers::longest_row;

// Calls body(number, box) for each plane across the last axis (2D: the patch), with the number of its first volume.
template <int D, class Body>
void for_planes(int p, const Body& body) {
  solvers::Box<D> box = solvers::interior_box<D>(p);
  if constexpr (D == 3) box.extent[2] = 1;
  std::ptrdiff_t v = 0;
  for (int k = 0; k < (D == 3 ? p : 1); ++k, v += static_cast<std::ptrdiff_t>(box.volumes())) {
    if constexpr (D == 3) box.lower[2] = k;
    body(v, box);
  }
}

}  // namespace

template <int D>
struct HostGravity<D>::Lanes {
  double at[solvers::potential_lanes] = {};
  // Calls add(to, m) for the numbers m < n of a plane, where `to` is the lane of number m.
  template <class Add>
  void each(int n, const Add& add) {
    int m = 0;
    for (; m + solvers::potential_lanes <= n; m += solvers::potential_lanes) {
      for (int lane = 0; lane < solvers::potential_lanes; ++lane) add(at[lane], m + lane);
    }
    for (int lane = 0; m + lane < n; ++lane) add(at[lane], m + lane);
  }
  void add(int n, const double* values) {
    each(n, [&](double& to, int m) { to += values[m]; });
  }
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
int HostGravity<D>::load(std::size_t leaf, const solvers::Box<D>& plane, int unknowns, double* to) const {
  solvers::PatchLayout some = gas_;
  some.unknowns = unknowns;
  if constexpr (D == 3) {  // the next plane
    for (int u = 0; u < unknowns; ++u) {
      const double* row = q(leaf) + gas_.at(u, plane.lower) + gas_.stride(2);
      for (int y = 0; y < gas_.p; ++y, row += gas_.stride(1)) {
        for (int x = 0; x < gas_.p; x += 8) __builtin_prefetch(row + x);
      }
    }
  }
  solvers::pack<D>(some, q(leaf), plane, to);
  return static_cast<int>(plane.volumes());
}

template <int D>
void HostGravity<D>::find_sources(std::size_t leaf, double* numbers) const {
  Lanes sums, largest, smallest;
  std::ranges::fill(smallest.at, -std::numeric_limits<double>::infinity());
  double rho[most_of_plane];
  for_planes<D>(gas_.p, [&](std::ptrdiff_t, const solvers::Box<D>& plane) {
    const int n = load(leaf, plane, 1, rho);
    sums.add(n, rho);
    largest.each(n, [&](double& most, int m) { most = std::max(most, rho[m]); });
    smallest.each(n, [&](double& most, int m) { most = std::max(most, -rho[m]); });
  });
  numbers[0] = sums.sum();
  numbers[1] = largest.largest();
  numbers[2] = smallest.largest();
}

template <int D>
void HostGravity<D>::find_moments(std::size_t leaf, double* sums) const {
  constexpr int count = 2 * solvers::Multipoles<D>::count;
  std::fill_n(sums, count, 0.0);
  double source[most_of_plane];
  for_planes<D>(own_.p, [&](std::ptrdiff_t v, const solvers::Box<D>& plane) {
    solvers::pack<D>(own_, solver_.source(leaf), plane, source);
    for (int m = 0; m < static_cast<int>(plane.volumes()); ++m) {
      // std::complex<double> is an array of two numbers.
      const auto* const of_volume =
          reinterpret_cast<const double*>(&of_volume_[static_cast<std::size_t>(v + m)]);
      for (int n = 0; n < count; ++n) sums[n] += source[m] * of_volume[n];
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
  solvers::for_rows<D>(solvers::interior_box<D>(gas_.p), [&](const Index<D>& i) {
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
  solvers::for_rows<D>(solvers::interior_box<D>(gas_.p), [&](const Index<D>& i) {
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
  double state[(D + 2) * most_of_plane], at[most_of_plane], squares[most_of_plane], done[most_of_plane],
      share[most_of_plane];
  for_planes<D>(gas_.p, [&](std::ptrdiff_t v, const solvers::Box<D>& plane) {
    const int n = load(leaf, plane, D + 2, state);
    solvers::pack<D>(own_, u, plane, at);
    const double *const rho = state, *const of_plane = laplacian.data() + v;
    of_leaf[Numbers::mass].add(n, rho);
    for (int m = 0; m < n; ++m) {
      const double source = work.factor * (rho[m] - work.mean_source), r = source - of_plane[m] / square;
      share[m] = std::abs(r);
      done[m] = at[m] * (source + r);
    }
    of_leaf[Numbers::energy].add(n, done);
    residuals.each(n, [&](double& most, int m) { most = std::max(most, share[m]); });
    for (int m = 0; m < n; ++m) squares[m] = 0;
    for (int a = 0; a < D; ++a) {
      double* __restrict__ along = g + a * volumes_ + v;
      for (int m = 0; m < n; ++m) {
        along[m] *= half;
        squares[m] += along[m] * along[m];
        done[m] = rho[m] * along[m];
      }
      of_leaf[Numbers::force + a].add(n, done);
    }
    largest.each(n, [&](double& most, int m) { most = std::max(most, squares[m]); });
    if (dt == 0 || !work.conserves_energy) return;
    find_work(state, n, leaf, v, dt, done, share);
    of_leaf[Numbers::work].add(n, done);
    of_leaf[Numbers::shares].add(n, share);
    for (int a = 0; a < D; ++a) of_leaf[Numbers::momentum + a].add(n, state + (1 + a) * n);
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
void HostGravity<D>::find_work(const double* state, int n, std::size_t leaf, std::ptrdiff_t v, double dt,
                               double* __restrict__ done, double* __restrict__ share) const {
  const double* const before = work_.data() + leaf * static_cast<std::size_t>(volumes_) + v;
  const double *const g = acceleration(leaf) + v, *const rho = state, *const energies = state + (D + 1) * n;
  for (int m = 0; m < n; ++m) {
    double squares = 0, both = before[m];
    for (int a = 0; a < D; ++a) {
      const double moves = state[(1 + a) * n + m], along = g[a * volumes_ + m];
      squares += moves * moves;
      both += 0.5 * dt * along * (moves + 0.25 * dt * rho[m] * along);
    }
    const double thermal = energies[m] - 0.5 * squares / rho[m];
    done[m] = both;
    share[m] = std::min(std::abs(both), std::max(thermal, 0.0));
  }
}

template <int D>
void HostGravity<D>::kick(std::size_t leaf, const Work& work) {
  const double* const g = acceleration(leaf);
  const double time = time_of(leaf, work);
  double mean[D];
  for (int a = 0; a < D; ++a) mean[a] = work.mean_along(a, time);
  Lanes given_along[D];
  const bool corrects = work.conserves_energy && work.ends;
  double state[(D + 2) * most_of_plane], done[most_of_plane], share[most_of_plane];
  solvers::PatchLayout changed = gas_;
  changed.unknowns = D + 1;
  for_planes<D>(gas_.p, [&](std::ptrdiff_t v, const solvers::Box<D>& plane) {
    const int n = load(leaf, plane, D + 2, state);
    const double* const rho = state;
    if (corrects) find_work(state, n, leaf, v, 2 * time, done, share);
    for (int m = 0; m < n; ++m) done[m] = 0;
    for (int a = 0; a < D; ++a) {
      double* __restrict__ moves = state + (1 + a) * n;
      const double* __restrict__ along = g + a * volumes_ + v;
      const double mean_along = mean[a];
      if (work.gives)
        given_along[a].each(n, [&](double& to, int m) { to += time * rho[m] * (along[m] - mean_along); });
      for (int m = 0; m < n; ++m) {
        const double acceleration = along[m] - mean_along, push = time * rho[m] * acceleration;
        // With the mean of the momentum before and after.
        done[m] += time * acceleration * (moves[m] + 0.5 * push);
        moves[m] += push;
      }
    }
    if (corrects) {
      for (int m = 0; m < n; ++m) done[m] += work.factor_of_shares * share[m];
    } else if (work.conserves_energy) {
      double* const kept = work_.data() + leaf * static_cast<std::size_t>(volumes_) + v;
      for (int m = 0; m < n; ++m) kept[m] = work.begins ? done[m] : kept[m] + done[m];
    }
    double* const energies = state + (D + 1) * n;
    for (int m = 0; m < n; ++m) energies[m] += done[m];
    solvers::unpack<D>(changed, q(leaf) + gas_.unknown_stride(), plane, state + n);
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
