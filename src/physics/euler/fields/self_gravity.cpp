// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/euler/fields/self_gravity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/exact_sum.hpp"
#include "parallel/exact_sums.hpp"
#include "physics/euler/gravity.hpp"

namespace meander::euler {

namespace {

constexpr int most_cycles = 20;  // each reduces the residual at least to 0.17 of it
constexpr int most_cycles_of_levels = 3;
// Of sources, over that of the largest density: gas of one density has no gravity.
constexpr double rounding = 1e-13;
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

double largest_of_ranks(const parallel::Communicator& communicator, const std::vector<double>& values) {
  return communicator.max(values.empty() ? 0.0 : *std::ranges::max_element(values));
}

}  // namespace

template <int D>
SelfGravity<D>::SelfGravity(const SelfGravityParameters& parameters, const Boundaries& boundaries)
    : parameters_(parameters), boundaries_(boundaries) {}

template <int D>
double* SelfGravity<D>::carried(const mesh::PatchMesh<D>& mesh, std::size_t leaf, int row) {
  const solvers::PatchLayout& gas = mesh.layout();
  return mesh.patches()[leaf].q + gas.carried_begin() + row * gas.unknown_stride();
}

template <int D>
void SelfGravity<D>::follow(const mesh::PatchMesh<D>& mesh) {
  if (!mesh.communicator().any(revision_ != mesh.revision())) return;
  solver_.reset();
  solver_ = std::make_unique<tasks::PoissonMultigrid<D>>(mesh.tree(), mesh.layout().p, boundaries_,
                                                         gpu::host_memory());
  revision_ = mesh.revision();
  volumes_ = mesh.layout().volumes();
  acceleration_.resize(mesh.size() * static_cast<std::size_t>(D * volumes_));
  largest_.resize(mesh.size());
  given_.resize(mesh.size() * std::size_t{D});
  step_limits_.assign(std::size_t{mesh::Key<D>::max_level} + 1, std::numeric_limits<double>::infinity());
  if (parameters_.conserves_energy) work_.resize(mesh.size() * static_cast<std::size_t>(volumes_));
  if (solver_->is_singular() || !multipoles_.empty()) return;
  solvers::for_volumes<D>(solvers::interior_box<D>(mesh.layout().p), [&](const Index<D>& i) {
    Point<D> x;
    for (int a = 0; a < D; ++a) x[a] = i[a] + 0.5 - 0.5 * mesh.layout().p;
    multipoles_.emplace_back(x);
  });
}

template <int D>
void SelfGravity<D>::open(const mesh::PatchMesh<D>& mesh, ThreadTeam& team) {
  using Moments = solvers::Multipoles<D>;
  const solvers::PatchLayout& own = solver_->layout();
  const mesh::Domain<D>& domain = mesh.tree().domain();
  Point<D> origin;  // on all mirrors
  for (int a = 0; a < D; ++a) {
    const double lower = domain.lower[a], edge = domain.base_width * domain.base_cells[a];
    const bool is_upper_mirror =
        boundaries_[static_cast<std::size_t>(2 * a + 1)] == solvers::EllipticBoundary::mirror;
    origin[a] = !has(a, solvers::EllipticBoundary::mirror) ? lower + edge / 2
                : is_upper_mirror                          ? lower + edge
                                                           : lower;
  }
  using MomentSums = std::array<ExactSum, std::size_t{2 * Moments::count}>;
  std::vector<MomentSums> of_threads(static_cast<std::size_t>(team.size()));
  team.for_chunks(mesh.size(), [&](int thread, std::size_t begin, std::size_t end) {
    for (std::size_t leaf = begin; leaf < end; ++leaf) {
      const double* const source = solver_->source(leaf);
      const double h = solver_->width(leaf);
      double sums[2 * Moments::count] = {};
      for_rows<D>(own.p, [&](std::ptrdiff_t v, const Index<D>& i) {
        const double* const row = source + own.at(0, i);
        for (int x = 0; x < own.p; ++x) {
          // std::complex<double> is an array of two numbers.
          const auto* const of_volume =
              reinterpret_cast<const double*>(&multipoles_[static_cast<std::size_t>(v + x)]);
          for (int n = 0; n < 2 * Moments::count; ++n) sums[n] += row[x] * of_volume[n];
        }
      });
      Moments of_leaf;
      for (int n = 0; n < Moments::count; ++n)
        of_leaf[n] = ipow(h, D + Moments::order(n)) * std::complex<double>(sums[2 * n], sums[2 * n + 1]);
      Point<D> middle = domain.lower_corner(mesh::cell_of(mesh.tree().leaves()[leaf]));
      for (int a = 0; a < D; ++a) middle[a] += 0.5 * own.p * h - origin[a];
      of_leaf = of_leaf.moved(middle);
      MomentSums& all = of_threads[static_cast<std::size_t>(thread)];
      for (int n = 0; n < Moments::count; ++n) {
        all[static_cast<std::size_t>(2 * n)].add(of_leaf[n].real());
        all[static_cast<std::size_t>(2 * n + 1)].add(of_leaf[n].imag());
      }
    }
  });
  MomentSums sums;
  for (const MomentSums& of_thread : of_threads) {
    for (std::size_t n = 0; n < sums.size(); ++n) sums[n].add(of_thread[n]);
  }
  parallel::sum_over_ranks(mesh.communicator(), sums);
  Moments moments;
  for (int n = 0; n < Moments::count; ++n)
    moments[n] = {sums[static_cast<std::size_t>(2 * n)].value(),
                  sums[static_cast<std::size_t>(2 * n + 1)].value()};
  for (int a = 0; a < D; ++a) {
    if (has(a, solvers::EllipticBoundary::mirror)) moments.add_mirrored(a);
  }
  Point<D> centre = moments.centre(), back;
  for (int a = 0; a < D; ++a) back[a] = -centre[a];
  moments = moments.moved(back);
  for (int a = 0; a < D; ++a) centre[a] += origin[a];
  const auto potential_at = [&](const Point<D>& x) {
    Point<D> from_centre;
    for (int a = 0; a < D; ++a) from_centre[a] = x[a] - centre[a];
    return moments.potential(from_centre, parameters_.multipole_order);
  };
  solver_->set_boundary_values(potential_at, team);
}

template <int D>
double SelfGravity<D>::measure_density(const mesh::PatchMesh<D>& mesh, ThreadTeam& team) {
  const solvers::PatchLayout& gas = mesh.layout();
  const double factor = parameters_.factor();
  double volume = 1;  // of the domain
  for (int a = 0; a < D; ++a) volume *= mesh.tree().domain().base_width * mesh.tree().domain().base_cells[a];
  std::vector<double> most(mesh.size()), least(mesh.size());  // densities, negative
  std::vector<ExactSum> masses(static_cast<std::size_t>(team.size()));
  team.for_chunks(mesh.size(), [&](int thread, std::size_t begin, std::size_t end) {
    for (std::size_t leaf = begin; leaf < end; ++leaf) {
      const double* const q = mesh.patches()[leaf].q;
      Lanes sums, largest, smallest;
      std::ranges::fill(smallest.at, -std::numeric_limits<double>::infinity());
      for_rows<D>(gas.p, [&](std::ptrdiff_t, const Index<D>& i) {
        const double* const rho = q + gas.at(0, i);
        for (int x = 0; x < gas.p; ++x) {
          sums.at[x] += rho[x];
          largest.at[x] = std::max(largest.at[x], rho[x]);
          smallest.at[x] = std::max(smallest.at[x], -rho[x]);
        }
      });
      most[leaf] = largest.largest();
      least[leaf] = smallest.largest();
      masses[static_cast<std::size_t>(thread)].add(ipow(solver_->width(leaf), D) * sums.sum());
    }
  });
  ExactSum mass;
  for (const ExactSum& of_thread : masses) mass.add(of_thread);
  parallel::sum_over_ranks(mesh.communicator(), {&mass, 1});
  mean_density_ = solver_->is_singular() ? mass.value() / volume : 0;
  const double densest = largest_of_ranks(mesh.communicator(), most);
  const double infinity = std::numeric_limits<double>::infinity();
  const double thinnest =
      -mesh.communicator().max(least.empty() ? -infinity : *std::ranges::max_element(least));
  scale_ = factor * std::max(densest - mean_density_, mean_density_ - thinnest);
  if (scale_ <= rounding * factor * densest) scale_ = 0;
  return parameters_.tolerance * scale_;
}

template <int D>
void SelfGravity<D>::set_source(const mesh::PatchMesh<D>& mesh, std::size_t leaf) {
  const solvers::PatchLayout &gas = mesh.layout(), &own = solver_->layout();
  const double factor = parameters_.factor();
  const double* const q = mesh.patches()[leaf].q;
  double* const source = solver_->source(leaf);
  for_rows<D>(gas.p, [&](std::ptrdiff_t, const Index<D>& i) {
    const std::ptrdiff_t from = gas.at(0, i), to = own.at(0, i);
    for (int x = 0; x < gas.p; ++x) source[to + x] = factor * (q[from + x] - mean_density_);
  });
}

template <int D>
void SelfGravity<D>::start(const mesh::PatchMesh<D>& mesh, double t, double dt, ThreadTeam& team) {
  const solvers::PatchLayout &gas = mesh.layout(), &own = solver_->layout();
  team.for_chunks(mesh.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t leaf = begin; leaf < end; ++leaf) {
      set_source(mesh, leaf);
      const double *const before = carried(mesh, leaf, potential), *const change = carried(mesh, leaf, rate);
      double* const guess = solver_->potential(leaf);
      for_rows<D>(gas.p, [&](std::ptrdiff_t, const Index<D>& i) {
        const std::ptrdiff_t from = gas.at(0, i), to = own.at(0, i);
        for (int x = 0; x < gas.p; ++x)
          guess[to + x] = scale_ > 0 ? before[from + x] + dt * change[from + x] : 0;
      });
    }
  });
  time_of_potential_.assign(step_limits_.size(), t);
}

template <int D>
void SelfGravity<D>::start_levels(const mesh::PatchMesh<D>& mesh, double t, int first, ThreadTeam& team) {
  const solvers::PatchLayout &gas = mesh.layout(), &own = solver_->layout();
  team.for_chunks(mesh.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t leaf = begin; leaf < end; ++leaf) {
      const int level = mesh.levels()[leaf];
      if (level < first - 1) continue;
      if (level >= first) set_source(mesh, leaf);
      const double later = t - time_of_potential_[static_cast<std::size_t>(level)];
      const double* const change = carried(mesh, leaf, rate);
      double* const guess = solver_->potential(leaf);
      for_rows<D>(gas.p, [&](std::ptrdiff_t, const Index<D>& i) {
        const std::ptrdiff_t from = gas.at(0, i), to = own.at(0, i);
        for (int x = 0; x < gas.p; ++x)
          guess[to + x] = scale_ > 0 ? guess[to + x] + later * change[from + x] : 0;
      });
    }
  });
  const std::ptrdiff_t coarsest = std::max(first - 1, 0);
  std::fill(time_of_potential_.begin() + coarsest, time_of_potential_.end(), t);
}

template <int D>
void SelfGravity<D>::begin(mesh::PatchMesh<D>& mesh, double t, ThreadTeam& team) {
  for (std::size_t leaf = 0; leaf < mesh.size(); ++leaf) {
    for (const int row : {potential, rate})
      std::fill_n(carried(mesh, leaf, row), mesh.layout().unknown_stride(), 0.0);
  }
  solve(mesh, t, {}, Of::initial_data, team);
}

template <int D>
void SelfGravity<D>::solve(mesh::PatchMesh<D>& mesh, double t, double dt, ThreadTeam& team) {
  solve(mesh, t, {dt}, dt > 0 ? Of::step : Of::regrid, team);
}

template <int D>
void SelfGravity<D>::solve(mesh::PatchMesh<D>& mesh, double t, const Ended& ended, Of of, ThreadTeam& team) {
  follow(mesh);
  const double small = measure_density(mesh, team);
  if (ended.is_local())
    start_levels(mesh, t, 0, team);
  else
    start(mesh, t, ended.dt, team);
  if (!solver_->is_singular()) open(mesh, team);
  solver_->begin(team, before());
  mass_before_ = mass_;
  for (cycles_ = 0;;) {
    if (scale_ > 0) {
      solver_->cycle(team);
      ++cycles_;
    }
    differentiate(mesh, t, ended, team);
    if (residual_ <= small || scale_ == 0) break;
    if (cycles_ == most_cycles || !std::isfinite(residual_)) {
      throw parallel::AgreedFailure(fmt::format(
          "self-gravity: after {} cycles of the Poisson solver its residual is {} of the largest source, but "
          "gravity.tolerance is {}; files written so far are intact",
          cycles_, residual_ / scale_, parameters_.tolerance));
    }
  }
  if (of != Of::step) {
    team.for_chunks(mesh.size(), [&](int, std::size_t begin, std::size_t end) {
      for (std::size_t leaf = begin; leaf < end; ++leaf) keep(mesh, leaf, 0);
    });
  }
  if (of == Of::step) {
    step_length_ = ended.dt;
    if (parameters_.is_supercomoving) budget_.expand(scale_factor(t - ended.dt), scale_factor(t), energy_);
    budget_.step(energy_, through_faces_, work_done_, shares_);
  } else if (of == Of::regrid) {
    budget_.regrid(energy_);
  } else {
    budget_.begin(energy_);
  }
}

template <int D>
void SelfGravity<D>::resume(mesh::PatchMesh<D>& mesh, double t, ThreadTeam& team) {
  follow(mesh);
  measure_density(mesh, team);
  start(mesh, t, 0, team);
  if (!solver_->is_singular()) open(mesh, team);
  solver_->begin(team);
  differentiate(mesh, t, {}, team);
  budget_.begin(energy_);
}

template <int D>
void SelfGravity<D>::solve_after(mesh::PatchMesh<D>& mesh, double t, double dt, std::span<const double> ended,
                                 ThreadTeam& team) {
  solve(mesh, t, {dt, ended}, Of::step, team);
}

// One cycle, since the next solution of all levels mends what is left; more while that does not suffice.
template <int D>
void SelfGravity<D>::solve_within(mesh::PatchMesh<D>& mesh, double t, int first, ThreadTeam& team) {
  start_levels(mesh, t, first, team);
  solver_->begin(team, first, before());
  int cycles = 0;
  do {
    if (scale_ > 0) solver_->cycle(team, first);
    differentiate_levels(mesh, t, {}, first, team);
  } while (++cycles < most_cycles_of_levels && scale_ > 0 && residual_ > parameters_.tolerance * scale_);
  find_step_limits(mesh, t);
}

template <int D>
void SelfGravity<D>::keep(const mesh::PatchMesh<D>& mesh, std::size_t leaf, double dt) {
  const solvers::PatchLayout &gas = mesh.layout(), &own = solver_->layout();
  const double* const found = solver_->potential(leaf);
  double* __restrict__ const before = carried(mesh, leaf, potential);
  double* __restrict__ const change = carried(mesh, leaf, rate);
  for_rows<D>(gas.p, [&](std::ptrdiff_t, const Index<D>& i) {
    const std::ptrdiff_t to = gas.at(0, i), from = own.at(0, i);
    for (int x = 0; x < gas.p; ++x) {
      if (dt > 0) change[to + x] = (found[from + x] - before[to + x]) / dt;
      before[to + x] = found[from + x];
    }
  });
}

template <int D>
void SelfGravity<D>::add_leaf(const mesh::PatchMesh<D>& mesh, std::size_t leaf, const Ended& ended,
                              double strength, const double* laplacian, Sums& sums, double& residual) {
  const solvers::PatchLayout &gas = mesh.layout(), &own = solver_->layout();
  const double *const q = mesh.patches()[leaf].q, *const u = solver_->potential(leaf);
  double* const g = acceleration_of(leaf);
  const double h = solver_->width(leaf), factor = parameters_.factor(), half = -0.5 * strength / h;
  const double dt = ended.of(mesh.levels()[leaf]);
  Lanes of_leaf[global_count], residuals, largest;
  const double square = h * h;
  for_rows<D>(gas.p, [&](std::ptrdiff_t v, const Index<D>& i) {
    const double *const rho = q + gas.at(0, i), *const at = u + own.at(0, i), *const of_row = laplacian + v;
    double squares[solvers::longest_row] = {};
    for (int x = 0; x < gas.p; ++x) {
      const double source = factor * (rho[x] - mean_density_), r = source - of_row[x] / square;
      of_leaf[mass].at[x] += rho[x];
      of_leaf[energy].at[x] += at[x] * (source + r);
      residuals.at[x] = std::max(residuals.at[x], std::abs(r));
    }
    for (int a = 0; a < D; ++a) {
      double* __restrict__ along = g + a * volumes_ + v;
      Lanes& forces = of_leaf[force + a];
      for (int x = 0; x < gas.p; ++x) {
        along[x] *= half;
        squares[x] += along[x] * along[x];
        forces.at[x] += rho[x] * along[x];
      }
    }
    for (int x = 0; x < gas.p; ++x) largest.at[x] = std::max(largest.at[x], squares[x]);
    if (dt == 0 || !parameters_.conserves_energy) return;
    double done[solvers::longest_row], share[solvers::longest_row];
    find_work(rho, gas.unknown_stride(), leaf, v, dt, done, share);
    for (int x = 0; x < gas.p; ++x) {
      of_leaf[work].at[x] += done[x];
      of_leaf[shares].at[x] += share[x];
    }
    for (int a = 0; a < D; ++a) {
      const double* const moves = q + gas.at(1 + a, i);
      Lanes& momenta = of_leaf[momentum + a];
      for (int x = 0; x < gas.p; ++x) momenta.at[x] += moves[x];
    }
  });
  for (int face = 0; face < 2 * D && dt > 0 && parameters_.conserves_energy; ++face) {
    if (solver_->has_values(leaf, face)) add_face(mesh, leaf, face, of_leaf);
  }
  largest_[leaf] = std::sqrt(largest.largest());
  residual = std::max(residual, residuals.largest());
  for (std::size_t n = 0; n < global_count; ++n) sums[n].add(ipow(h, D) * of_leaf[n].sum());
  if (!ended.is_local()) return;
  for (std::size_t a = 0; a < D; ++a) {
    sums[impulse + a].add(0.5 * dt * ipow(h, D) * of_leaf[force + a].sum());
    sums[given + a].add(ipow(h, D) * given_to(leaf)[a]);
  }
}

template <int D>
void SelfGravity<D>::add_face(const mesh::PatchMesh<D>& mesh, std::size_t leaf, int face,
                              Lanes* of_leaf) const {
  const solvers::PatchLayout &gas = mesh.layout(), &own = solver_->layout();
  const double *const q = mesh.patches()[leaf].q, *const u = solver_->potential(leaf);
  const int axis = face / 2;
  solvers::Box<D> inside = solvers::interior_box<D>(gas.p);
  inside.lower[axis] = face % 2 == 0 ? 0 : gas.p - 1;
  inside.extent[axis] = 1;
  const std::ptrdiff_t outwards = face % 2 == 0 ? -own.stride(axis) : own.stride(axis);
  // The sums are multiplied by the volume later.
  const double per_width = 1 / solver_->width(leaf), out = face % 2 == 0 ? -1 : 1;
  solvers::for_volumes<D>(inside, [&](const Index<D>& i) {
    const double* const at = u + own.at(0, i);
    const double on_face = 0.5 * (at[0] + at[outwards]), flow = out * q[gas.at(1 + axis, i)];
    of_leaf[face_flow].at[0] += per_width * flow;
    of_leaf[face_energy].at[0] += per_width * flow * on_face;
    of_leaf[face_potential].at[0] += per_width * on_face;
    of_leaf[face_area].at[0] += per_width;
  });
}

template <int D>
void SelfGravity<D>::find_work(const double* rho, std::ptrdiff_t unknown, std::size_t leaf, std::ptrdiff_t v,
                               double dt, double* __restrict__ done, double* __restrict__ share) const {
  const int p = solver_->layout().p;
  const double* const before = work_.data() + leaf * static_cast<std::size_t>(volumes_) + v;
  const double* const g = acceleration_.data() + leaf * static_cast<std::size_t>(D * volumes_) + v;
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
auto SelfGravity<D>::differentiate_levels(const mesh::PatchMesh<D>& mesh, double t, const Ended& ended,
                                          int first, ThreadTeam& team) -> Sums {
  solver_->differentiate(team, first);
  std::vector<Sums> of_threads(static_cast<std::size_t>(team.size()));
  std::vector<double> residuals(of_threads.size(), 0.0);
  const double strength = strength_at(t);
  team.for_chunks(mesh.size(), [&](int thread, std::size_t begin, std::size_t end) {
    const auto number = static_cast<std::size_t>(thread);
    std::vector<double> laplacian(static_cast<std::size_t>(volumes_));
    for (std::size_t leaf = begin; leaf < end; ++leaf) {
      if (mesh.levels()[leaf] < first) continue;
      solver_->differences(leaf, acceleration_of(leaf), laplacian.data());
      add_leaf(mesh, leaf, ended, strength, laplacian.data(), of_threads[number], residuals[number]);
    }
  });
  residual_ = largest_of_ranks(mesh.communicator(), residuals);
  Sums sums;
  for (const Sums& of_thread : of_threads) {
    for (std::size_t n = 0; n < sums.size(); ++n) sums[n].add(of_thread[n]);
  }
  return sums;
}

template <int D>
void SelfGravity<D>::differentiate(const mesh::PatchMesh<D>& mesh, double t, const Ended& ended,
                                   ThreadTeam& team) {
  Sums sums = differentiate_levels(mesh, t, ended, solver_->coarsest_level(), team);
  parallel::sum_over_ranks(mesh.communicator(),
                           std::span(sums).first(ended.is_local() ? local_count : global_count));
  const double strength = strength_at(t), dt = ended.dt;
  const auto sum = [&](int n) { return sums[static_cast<std::size_t>(n)].value(); };
  energy_ = strength * sum(energy) / (2 * parameters_.factor());
  mean_ = {};
  double square = 0;
  for (int a = 0; a < D; ++a) {
    if (!has(a, solvers::EllipticBoundary::mirror)) mean_[a] = sum(force + a) / sum(mass);
    square += mean_[a] * mean_[a];
  }
  mean_acceleration_ = std::sqrt(square);
  mass_ = sum(mass);
  // Flows at the end of the step, and for the rest of the change the mean potential.
  if (sum(face_area) > 0)
    through_faces_ = (mass_ - mass_before_ + dt * sum(face_flow)) * sum(face_potential) / sum(face_area) -
                     dt * sum(face_energy);
  work_done_ = sum(work);  // and with the mean subtracted:
  for (int a = 0; a < D; ++a) {
    const double pushed = ended.is_local() ? sum(impulse + a) : 0.5 * dt * sum(force + a);
    shift_[a] = 0.5 * dt * mean_[a];
    if (ended.is_local() && !has(a, solvers::EllipticBoundary::mirror))
      shift_[a] = (sum(given + a) + pushed) / mass_;
    const double momentum_in_middle = sum(momentum + a) + pushed - 0.5 * shift_[a] * mass_;
    work_done_ -= shift_[a] * momentum_in_middle;
  }
  shares_ = sum(shares);
  find_step_limits(mesh, t);
}

template <int D>
void SelfGravity<D>::find_step_limits(const mesh::PatchMesh<D>& mesh, double t) {
  std::vector<double> rates(step_limits_.size(), 0.0);  // squares
  for (std::size_t leaf = 0; leaf < mesh.size(); ++leaf) {
    double& most = rates[static_cast<std::size_t>(mesh.levels()[leaf])];
    most = std::max(most, (largest_[leaf] + mean_acceleration_) / solver_->width(leaf));
  }
  mesh.communicator().max(std::span<double>(rates));
  for (std::size_t level = 0; level < rates.size(); ++level) {
    double& limit = step_limits_[level];
    limit =
        rates[level] > 0 ? gravity_cfl / std::sqrt(rates[level]) : std::numeric_limits<double>::infinity();
    if (parameters_.is_supercomoving) limit = std::min(limit, expansion_fraction * std::abs(t));
  }
}

template <int D>
void SelfGravity<D>::act(mesh::PatchMesh<D>& mesh, std::size_t leaf, double dt, Half half) {
  kick(mesh, leaf, 0.5 * dt, mean_, half == Half::before ? Work::begins : Work::ends);
  if (half == Half::after) keep(mesh, leaf, dt);
}

template <int D>
void SelfGravity<D>::act_within(mesh::PatchMesh<D>& mesh, std::size_t leaf, double time, bool starts) {
  if (starts) std::fill_n(given_to(leaf), D, 0.0);
  kick(mesh, leaf, time, mean_, starts ? Work::begins : Work::continues, given_to(leaf));
}

template <int D>
void SelfGravity<D>::act_after(mesh::PatchMesh<D>& mesh, std::size_t leaf, double ended) {
  Point<D> mean;
  for (int a = 0; a < D; ++a) mean[a] = 2 * shift_[a] / ended;
  kick(mesh, leaf, 0.5 * ended, mean, Work::ends);
  keep(mesh, leaf, step_length_);
}

template <int D>
void SelfGravity<D>::act_on_copy(const mesh::PatchMesh<D>& mesh, std::size_t leaf, double time, double* slot,
                                 const solvers::Box<3>& box) const {
  const solvers::PatchLayout& gas = mesh.layout();
  const double* const g = acceleration_.data() + leaf * static_cast<std::size_t>(D * volumes_);
  Index<D> lower, extent;
  for (int a = 0; a < D; ++a) {
    lower[a] = box.lower[a];
    extent[a] = box.extent[a];
  }
  solvers::for_volumes<D>(solvers::Box<D>{lower, extent}, [&](const Index<D>& i) {
    std::ptrdiff_t v = 0;
    for (int a = D - 1; a >= 0; --a) v = v * gas.p + i[a];
    double* const rho = slot + gas.at(0, i);
    double done = 0;
    for (int a = 0; a < D; ++a) {
      const double acceleration = g[a * volumes_ + v] - mean_[a], push = time * rho[0] * acceleration;
      double& moves = rho[(1 + a) * gas.unknown_stride()];
      done += time * acceleration * (moves + 0.5 * push);
      moves += push;
    }
    rho[(D + 1) * gas.unknown_stride()] += done;
  });
}

template <int D>
void SelfGravity<D>::kick(mesh::PatchMesh<D>& mesh, std::size_t leaf, double time, const Point<D>& mean,
                          Work work, double* given_momentum) {
  const solvers::PatchLayout& gas = mesh.layout();
  double* const q = mesh.patches()[leaf].q;
  const double* const g = acceleration_of(leaf);
  for_rows<D>(gas.p, [&](std::ptrdiff_t v, const Index<D>& i) {
    const double* __restrict__ rho = q + gas.at(0, i);
    double* __restrict__ energies = q + gas.at(D + 1, i);
    double done[solvers::longest_row] = {}, share[solvers::longest_row];
    const bool corrects = parameters_.conserves_energy && work == Work::ends;
    if (corrects) {
      double both[solvers::longest_row];
      find_work(rho, gas.unknown_stride(), leaf, v, 2 * time, both, share);
    }
    for (int a = 0; a < D; ++a) {
      double* __restrict__ moves = q + gas.at(1 + a, i);
      const double* __restrict__ along = g + a * volumes_ + v;
      const double mean_along = mean[a];
      for (int x = 0; x < gas.p; ++x) {
        const double acceleration = along[x] - mean_along, push = time * rho[x] * acceleration;
        // With the mean of the momentum before and after.
        done[x] += time * acceleration * (moves[x] + 0.5 * push);
        moves[x] += push;
      }
      if (given_momentum == nullptr) continue;
      for (int x = 0; x < gas.p; ++x) given_momentum[a] += time * rho[x] * (along[x] - mean_along);
    }
    if (corrects) {
      for (int x = 0; x < gas.p; ++x) done[x] += budget_.factor() * share[x];
    } else if (parameters_.conserves_energy) {
      double* const kept = work_of(leaf) + v;
      for (int x = 0; x < gas.p; ++x) kept[x] = work == Work::begins ? done[x] : kept[x] + done[x];
    }
    for (int x = 0; x < gas.p; ++x) energies[x] += done[x];
  });
}

template <int D>
std::vector<simulation::Measure> SelfGravity<D>::measures() const {
  std::vector<simulation::Measure> measures = {{"potential_energy", "", parameters_.images * energy_},
                                               {"gravity_residual", "", scale_ > 0 ? residual_ / scale_ : 0},
                                               {"gravity_cycles", "", static_cast<double>(cycles_)},
                                               {"mean_acceleration", "", mean_acceleration_}};
  if (parameters_.conserves_energy) {
    measures.push_back({"energy_factor", "", budget_.factor()});
  }
  if (parameters_.conserves_energy || parameters_.is_supercomoving)
    measures.push_back({"regrid_energy", "", parameters_.images * budget_.by_regrids()});
  if (parameters_.is_supercomoving)
    measures.push_back({"expansion_energy", "", parameters_.images * budget_.by_expansion()});
  return measures;
}

template class SelfGravity<2>;
template class SelfGravity<3>;

}  // namespace meander::euler
