// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/euler/fields/self_gravity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "base/error.hpp"
#include "base/exact_sum.hpp"
#include "base/join.hpp"
#include "parallel/exact_sums.hpp"
#include "physics/euler/gravity.hpp"
#include "simulation/simulation.hpp"

namespace meander::euler {

namespace {

constexpr int most_cycles = 20;  // each reduces the residual at least to 0.17 of it
constexpr int most_cycles_of_levels = 3;
// Of the step before: the change of the potential in a shorter one is mostly the error of the solution, and gives no rate.
constexpr double shortest_of_rate = 0.1;
// Of sources, over that of the largest density: gas of one density has no gravity.
constexpr double rounding = 1e-13;
double largest_of_ranks(const parallel::Communicator& communicator, const std::vector<double>& values) {
  return communicator.max(values.empty() ? 0.0 : *std::ranges::max_element(values));
}

}  // namespace

template <int D>
SelfGravity<D>::SelfGravity(const SelfGravityParameters& parameters, const Boundaries& boundaries)
    : parameters_(parameters), boundaries_(boundaries) {}

template <int D>
void SelfGravity<D>::follow(mesh::PatchMesh<D>& mesh, const ThreadTeam& team) {
  if (!mesh.communicator().any(revision_ != mesh.revision())) return;
  mesh.residence().prepare_step(team);
  leaves_.reset();
  solver_.reset();
  on_host_ = nullptr;
  has_copies_ = false;
  communicator_ = &mesh.communicator();
  domain_ = mesh.tree().domain();
  const int p = mesh.layout().p;
  std::function<void()> make_rest;  // on this rank
  if (mesh.residence().is_on_device()) {
    mesh::DevicePatches<D>& patches = *mesh.residence().device();
    auto solver = std::make_unique<tasks::DevicePoisson<D>>(mesh.tree(), p, boundaries_, patches.launches(),
                                                            patches.memory());
    make_rest = [&, on_device = solver.get()] {
      on_device->upload();
      leaves_ =
          std::make_unique<DeviceGravity<D>>(mesh, *on_device, parameters_.conserves_energy, multipoles_);
    };
    solver_ = std::move(solver);
  } else {
    auto solver = std::make_unique<tasks::HostPoisson<D>>(mesh.tree(), p, boundaries_);
    make_rest = [&, on_host = solver.get()] {
      auto leaves =
          std::make_unique<HostGravity<D>>(mesh, *on_host, parameters_.conserves_energy, multipoles_);
      on_host_ = leaves.get();
      leaves_ = std::move(leaves);
    };
    solver_ = std::move(solver);
  }
  revision_ = mesh.revision();
  largest_.resize(mesh.size());
  residuals_.resize(mesh.size());
  step_limits_.assign(std::size_t{mesh::Key<D>::max_level} + 1, std::numeric_limits<double>::infinity());
  find_moments_of_volumes(p);
  mesh.communicator().agree(make_rest);
}

template <int D>
void SelfGravity<D>::find_moments_of_volumes(int p) {
  if (solver_->is_singular() || !multipoles_.empty()) return;
  solvers::for_volumes<D>(solvers::interior_box<D>(p), [&](const Index<D>& i) {
    Point<D> x;
    for (int a = 0; a < D; ++a) x[a] = i[a] + 0.5 - 0.5 * p;
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
  constexpr int numbers = 2 * Moments::count;
  using MomentSums = std::array<ExactSum, std::size_t{numbers}>;
  const std::span<const double> of_leaves =
      leaves_->numbers("moments", of_kind(Work::Kind::moments), numbers, team);
  std::vector<MomentSums> of_threads(static_cast<std::size_t>(team.size()));
  team.for_chunks(mesh.size(), [&](int thread, std::size_t begin, std::size_t end) {
    for (std::size_t leaf = begin; leaf < end; ++leaf) {
      const double h = solver_->width(leaf);
      const double* const sums = of_leaves.data() + leaf * std::size_t{numbers};
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
  centre_ = moments.centre();
  Point<D> back;
  for (int a = 0; a < D; ++a) back[a] = -centre_[a];
  moments_ = moments.moved(back);
  for (int a = 0; a < D; ++a) centre_[a] += origin[a];
  solver_->set_boundary_values([this](const Point<D>& x) { return potential_of_multipoles(x); }, team);
}

template <int D>
double SelfGravity<D>::potential_of_multipoles(const Point<D>& x) const {
  Point<D> from_centre;
  for (int a = 0; a < D; ++a) from_centre[a] = x[a] - centre_[a];
  return moments_.potential(from_centre, parameters_.multipole_order);
}

template <int D>
auto SelfGravity<D>::of_kind(Work::Kind kind) const -> Work {
  Work work;
  work.kind = kind;
  work.factor = parameters_.factor();
  work.mean_source = mean_density_;
  work.conserves_energy = parameters_.conserves_energy;
  return work;
}

template <int D>
double SelfGravity<D>::measure_density(const mesh::PatchMesh<D>& mesh, ThreadTeam& team) {
  const double factor = parameters_.factor();
  double volume = 1;  // of the domain
  for (int a = 0; a < D; ++a) volume *= mesh.tree().domain().base_width * mesh.tree().domain().base_cells[a];
  std::vector<double> most(mesh.size()), least(mesh.size());  // densities, negative
  std::vector<ExactSum> masses(static_cast<std::size_t>(team.size()));
  const std::span<const double> of_leaves =
      leaves_->numbers("densities", of_kind(Work::Kind::sources), 3, team);
  team.for_chunks(mesh.size(), [&](int thread, std::size_t begin, std::size_t end) {
    for (std::size_t leaf = begin; leaf < end; ++leaf) {
      const double* const numbers = of_leaves.data() + 3 * leaf;
      most[leaf] = numbers[1];
      least[leaf] = numbers[2];
      masses[static_cast<std::size_t>(thread)].add(ipow(solver_->width(leaf), D) * numbers[0]);
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
void SelfGravity<D>::start(double t, double dt, Of of, ThreadTeam& team) {
  time_of_potential_.assign(step_limits_.size(), t);
  Work start = of_kind(Work::Kind::start);
  start.set_times(dt);
  start.is_zero = scale_ <= 0;
  start.clears = of == Of::initial_data;
  leaves_->run("start a solution", start, team);
}

template <int D>
void SelfGravity<D>::start_levels(double t, int first, ThreadTeam& team) {
  Work start = of_kind(Work::Kind::start);
  start.first = std::max(first - 1, 0);
  for (auto level = static_cast<std::size_t>(start.first); level < time_of_potential_.size(); ++level) {
    start.times[level] = t - time_of_potential_[level];
    time_of_potential_[level] = t;
  }
  start.first_source = first;
  start.continues = true;
  start.is_zero = scale_ <= 0;
  leaves_->run("start a solution", start, team);
}

template <int D>
void SelfGravity<D>::begin(mesh::PatchMesh<D>& mesh, double t, ThreadTeam& team) {
  solve(mesh, t, {}, Of::initial_data, team);
}

template <int D>
void SelfGravity<D>::solve(mesh::PatchMesh<D>& mesh, double t, double dt, ThreadTeam& team) {
  solve(mesh, t, {dt}, dt > 0 ? Of::step : Of::regrid, team);
}

template <int D>
void SelfGravity<D>::solve(mesh::PatchMesh<D>& mesh, double t, const Ended& ended, Of of, ThreadTeam& team) {
  follow(mesh, team);
  const double small = measure_density(mesh, team);
  if (ended.is_local())
    start_levels(t, 0, team);
  else
    start(t, ended.dt, of, team);
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
      fail(mesh, t);
    }
  }
  if (of != Of::step) keep(0, team);
  if (of == Of::step) {
    sets_rate_ = ended.dt >= shortest_of_rate * step_length_;
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
void SelfGravity<D>::fail(const mesh::PatchMesh<D>& mesh, double t) const {
  std::string message;
  try {
    mesh.communicator().agree([&] {
      const auto worst = std::ranges::find_if(
          residuals_, [&](double residual) { return residual == residual_ || !std::isfinite(residual); });
      if (worst == residuals_.end()) return;
      const auto leaf = static_cast<std::size_t>(worst - residuals_.begin());
      throw Failure(fmt::format(
          "t = {}: self-gravity: after {} cycles of the Poisson solver its residual is {} of the largest "
          "source, but "
          "gravity.tolerance is {}; it is largest in the leaf of level {} with the lower corner ({})",
          t, cycles_, residual_ / scale_, parameters_.tolerance, mesh.levels()[leaf],
          join(std::span(mesh.patches()[leaf].lower, std::size_t{D}), ", ")));
    });
  } catch (const Failure& failure) {
    message = failure.what();
  }
  throw simulation::StateFailure(message);  // the state can be written
}

template <int D>
void SelfGravity<D>::resume(mesh::PatchMesh<D>& mesh, double t, ThreadTeam& team) {
  follow(mesh, team);
  measure_density(mesh, team);
  start(t, 0, Of::regrid, team);
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
  start_levels(t, first, team);
  solver_->begin(team, first, before());
  int cycles = 0;
  do {
    if (scale_ > 0) solver_->cycle(team, first);
    differentiate_levels(mesh, t, {}, first, team);
  } while (++cycles < most_cycles_of_levels && scale_ > 0 && residual_ > parameters_.tolerance * scale_);
  find_step_limits(mesh, t);
}

template <int D>
void SelfGravity<D>::keep(double dt, ThreadTeam& team) {
  leaves_->run("keep the potential", keep_of(dt), team);
}

template <int D>
void SelfGravity<D>::add_leaf(const mesh::PatchMesh<D>& mesh, std::size_t leaf, const Ended& ended,
                              const double* numbers, Sums& sums, double& residual) {
  const double h = solver_->width(leaf), dt = ended.of(mesh.levels()[leaf]);
  largest_[leaf] = std::sqrt(numbers[Numbers::square]);
  residuals_[leaf] = numbers[Numbers::residual];
  residual = std::max(residual, residuals_[leaf]);
  for (std::size_t n = 0; n < Numbers::sums; ++n) sums[n].add(ipow(h, D) * numbers[n]);
  if (!ended.is_local()) return;
  for (std::size_t a = 0; a < D; ++a) {
    sums[impulse + a].add(0.5 * dt * ipow(h, D) * numbers[Numbers::force + static_cast<int>(a)]);
    sums[given + a].add(ipow(h, D) * numbers[Numbers::given + static_cast<int>(a)]);
  }
}

template <int D>
auto SelfGravity<D>::differentiate_levels(const mesh::PatchMesh<D>& mesh, double t, const Ended& ended,
                                          int first, ThreadTeam& team) -> Sums {
  solver_->differentiate(team, first);
  std::vector<Sums> of_threads(static_cast<std::size_t>(team.size()));
  std::vector<double> residuals(of_threads.size(), 0.0);
  Work differences = of_kind(Work::Kind::differentiate);
  for (int level = 0; level < std::ssize(step_limits_); ++level) differences.times[level] = ended.of(level);
  differences.first = first;
  differences.strength = strength_at(t);
  differences.gives = ended.is_local();
  const std::span<const double> of_leaves =
      leaves_->numbers("differentiate", differences, Numbers::count, team);
  team.for_chunks(mesh.size(), [&](int thread, std::size_t begin, std::size_t end) {
    const auto number = static_cast<std::size_t>(thread);
    for (std::size_t leaf = begin; leaf < end; ++leaf) {
      if (mesh.levels()[leaf] < first) continue;
      add_leaf(mesh, leaf, ended, of_leaves.data() + leaf * std::size_t{Numbers::count}, of_threads[number],
               residuals[number]);
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
  parallel::sum_over_ranks(
      mesh.communicator(),
      std::span(sums).first(ended.is_local() ? std::size_t{count} : std::size_t{Numbers::sums}));
  const double strength = strength_at(t), dt = ended.dt;
  const auto sum = [&](int n) { return sums[static_cast<std::size_t>(n)].value(); };
  energy_ = strength * sum(Numbers::energy) / (2 * parameters_.factor());
  mean_ = {};
  double square = 0;
  for (int a = 0; a < D; ++a) {
    if (!has(a, solvers::EllipticBoundary::mirror)) mean_[a] = sum(Numbers::force + a) / sum(Numbers::mass);
    square += mean_[a] * mean_[a];
  }
  mean_acceleration_ = std::sqrt(square);
  mass_ = sum(Numbers::mass);
  // Flows at the end of the step, and for the rest of the change the mean potential.
  if (sum(Numbers::face_area) > 0)
    through_faces_ = (mass_ - mass_before_ + dt * sum(Numbers::face_flow)) * sum(Numbers::face_potential) /
                         sum(Numbers::face_area) -
                     dt * sum(Numbers::face_energy);
  work_done_ = sum(Numbers::work);  // and with the mean subtracted:
  for (int a = 0; a < D; ++a) {
    const double pushed = ended.is_local() ? sum(impulse + a) : 0.5 * dt * sum(Numbers::force + a);
    shift_[a] = 0.5 * dt * mean_[a];
    if (ended.is_local() && !has(a, solvers::EllipticBoundary::mirror))
      shift_[a] = (sum(given + a) + pushed) / mass_;
    const double momentum_in_middle = sum(Numbers::momentum + a) + pushed - 0.5 * shift_[a] * mass_;
    work_done_ -= shift_[a] * momentum_in_middle;
  }
  shares_ = sum(Numbers::shares);
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
auto SelfGravity<D>::keep_of(double dt) const -> Work {
  Work keep = of_kind(Work::Kind::keep);
  keep.dt = sets_rate_ ? dt : 0;
  return keep;
}

template <int D>
auto SelfGravity<D>::kick_by(const Point<D>& mean) const -> Work {
  Work kick = of_kind(Work::Kind::kick);
  std::ranges::copy(mean, kick.mean);
  kick.factor_of_shares = budget_.factor();
  return kick;
}

template <int D>
auto SelfGravity<D>::kick_of(double dt, Half half) const -> Work {
  Work kick = kick_by(mean_);
  kick.set_times(0.5 * dt);
  kick.begins = half == Half::before;
  kick.ends = half == Half::after;
  return kick;
}

template <int D>
tasks::LeafChange SelfGravity<D>::action(double dt, Half half, ThreadTeam& team) {
  const Work kick = kick_of(dt, half), kept = keep_of(dt);
  const bool keeps = half == Half::after;
  ahead_.assign(step_limits_.size(), keeps ? 0 : 0.5 * dt);
  return {[=, this](std::size_t leaf) {
            on_host_->kick(leaf, kick);
            if (keeps) on_host_->keep(leaf, kept);
          },
          [=, this, &team] {
            leaves_->run("kick", kick, team);
            if (keeps) keep(dt, team);
          }};
}

template <int D>
void SelfGravity<D>::act_within(int first, std::span<const double> times, double begun, bool starts,
                                ThreadTeam& team) {
  ahead_.resize(step_limits_.size());
  // The copies of the next coarser leaves, too, which halos of these levels read.
  std::fill(ahead_.begin() + std::max(first - 1, 0), ahead_.end(), begun);
  if (!has_copies_) communicator_->agree([this] { leaves_->list_copies(); });
  has_copies_ = true;
  Work kick = kick_by(mean_);
  std::ranges::copy(times, kick.times);
  kick.first = first;
  kick.begins = starts;
  kick.gives = true;
  leaves_->run("kick", kick, team);
}

template <int D>
void SelfGravity<D>::act_after(std::span<const double> ended, ThreadTeam& team) {
  Work kick = kick_by(shift_);
  kick.by_shift = true;
  std::ranges::transform(ended, kick.times, [](double step) { return 0.5 * step; });
  kick.ends = true;
  ahead_.clear();
  leaves_->run("kick", kick, team);
  keep(step_length_, team);
}

template <int D>
void SelfGravity<D>::act_on_copies(int level, double time, ThreadTeam& team) {
  Work kick = kick_by(mean_);
  kick.kind = Work::Kind::kick_copies;
  kick.times[level] = time;
  leaves_->kick_copies(level, kick, team);
}

// As a leaf's kick of a volume, with the central difference of a leaf's potential.
template <int D>
void SelfGravity<D>::act_beyond(const double* x, double dx, double* q) const {
  if (ahead_.empty()) return;
  int level = 0;
  while (domain_.width(level) > 1.5 * dx * solver_->layout().p) ++level;
  const double time = ahead_[static_cast<std::size_t>(level)];
  double done = 0;
  for (int a = 0; a < D; ++a) {
    Point<D> above, below;
    for (int b = 0; b < D; ++b) above[b] = below[b] = x[b];
    above[a] += dx;
    below[a] -= dx;
    const double along = -0.5 / dx * (potential_of_multipoles(above) - potential_of_multipoles(below)),
                 acceleration = along - mean_[a], push = time * q[0] * acceleration;
    done += time * acceleration * (q[1 + a] + 0.5 * push);
    q[1 + a] += push;
  }
  q[D + 1] += done;
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
