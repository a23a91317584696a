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
  using Sums = std::array<ExactSum, std::size_t{2 * Moments::count}>;
  std::vector<Sums> of_threads(static_cast<std::size_t>(team.size()));
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
      Sums& all = of_threads[static_cast<std::size_t>(thread)];
      for (int n = 0; n < Moments::count; ++n) {
        all[static_cast<std::size_t>(2 * n)].add(of_leaf[n].real());
        all[static_cast<std::size_t>(2 * n + 1)].add(of_leaf[n].imag());
      }
    }
  });
  Sums sums;
  for (const Sums& of_thread : of_threads) {
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
  double area = 0, sum = 0;
  for (std::size_t face = 0; face < 2 * D; ++face) {
    if (boundaries_[face] != solvers::EllipticBoundary::value) continue;
    Point<D> x;
    double of_face = 1;
    for (std::size_t a = 0; a < D; ++a) {
      const double edge = domain.base_width * domain.base_cells[a];
      const bool across = a == face / 2;
      x[a] = domain.lower[a] + edge * (!across ? 0.5 : face % 2 == 0 ? 0.0 : 1.0);
      if (!across) of_face *= edge;
    }
    area += of_face;
    sum += of_face * potential_at(x);
  }
  potential_on_faces_ = sum / area;
}

template <int D>
double SelfGravity<D>::start(const mesh::PatchMesh<D>& mesh, double dt, ThreadTeam& team) {
  const solvers::PatchLayout &gas = mesh.layout(), &own = solver_->layout();
  const double factor = parameters_.factor();
  std::vector<double> most(mesh.size()), least(mesh.size());  // sources, negative
  team.for_chunks(mesh.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t leaf = begin; leaf < end; ++leaf) {
      const double *const q = mesh.patches()[leaf].q, *const before = carried(mesh, leaf, potential),
                          *const change = carried(mesh, leaf, rate);
      double *const source = solver_->source(leaf), *const guess = solver_->potential(leaf);
      double largest = 0, smallest = std::numeric_limits<double>::infinity();
      for_rows<D>(gas.p, [&](std::ptrdiff_t, const Index<D>& i) {
        const std::ptrdiff_t from = gas.at(0, i), to = own.at(0, i);
        for (int x = 0; x < gas.p; ++x) {
          const double here = source[to + x] = factor * q[from + x];
          largest = std::max(largest, here);
          smallest = std::min(smallest, here);
        }
        for (int x = 0; x < gas.p; ++x) {
          guess[to + x] = before[from + x] + dt * change[from + x];
        }
      });
      most[leaf] = largest;
      least[leaf] = -smallest;
    }
  });
  const double mean = solver_->is_singular() ? solver_->remove_mean_source(team) : 0;
  const double densest = largest_of_ranks(mesh.communicator(), most);
  const double infinity = std::numeric_limits<double>::infinity();
  const double thinnest =
      -mesh.communicator().max(least.empty() ? -infinity : *std::ranges::max_element(least));
  scale_ = std::max(densest - mean, mean - thinnest);
  if (!solver_->is_singular()) open(mesh, team);
  if (scale_ <= rounding * densest) {
    scale_ = 0;
    for (std::size_t leaf = 0; leaf < mesh.size(); ++leaf)
      std::fill_n(solver_->potential(leaf), own.unknown_stride(), 0.0);
  }
  return parameters_.tolerance * scale_;
}

template <int D>
void SelfGravity<D>::begin(mesh::PatchMesh<D>& mesh, double t, ThreadTeam& team) {
  for (std::size_t leaf = 0; leaf < mesh.size(); ++leaf) {
    for (const int row : {potential, rate})
      std::fill_n(carried(mesh, leaf, row), mesh.layout().unknown_stride(), 0.0);
  }
  solve(mesh, t, 0, Of::initial_data, team);
}

template <int D>
void SelfGravity<D>::solve(mesh::PatchMesh<D>& mesh, double t, double dt, ThreadTeam& team) {
  solve(mesh, t, dt, dt > 0 ? Of::step : Of::regrid, team);
}

template <int D>
void SelfGravity<D>::solve(mesh::PatchMesh<D>& mesh, double t, double dt, Of of, ThreadTeam& team) {
  follow(mesh);
  const double small = start(mesh, dt, team);
  solver_->begin(team);
  for (cycles_ = 0;;) {
    if (scale_ > 0) {
      solver_->cycle(team);
      ++cycles_;
    }
    residual_ = solver_->residual(team);
    if (residual_.max <= small || scale_ == 0) break;
    if (cycles_ == most_cycles || !std::isfinite(residual_.max)) {
      throw parallel::AgreedFailure(fmt::format(
          "self-gravity: after {} cycles of the Poisson solver its residual is {} of the largest source, but "
          "gravity.tolerance is {}; files written so far are intact",
          cycles_, residual_.max / scale_, parameters_.tolerance));
    }
  }
  keep(mesh, dt, team);
  solver_->match_halos(team);
  differentiate(mesh, t, dt, of, team);
}

template <int D>
void SelfGravity<D>::resume(mesh::PatchMesh<D>& mesh, double t, ThreadTeam& team) {
  follow(mesh);
  start(mesh, 0, team);
  solver_->begin(team);
  residual_ = solver_->residual(team);
  solver_->match_halos(team);
  differentiate(mesh, t, 0, Of::restart, team);
}

template <int D>
void SelfGravity<D>::keep(mesh::PatchMesh<D>& mesh, double dt, ThreadTeam& team) {
  const solvers::PatchLayout &gas = mesh.layout(), &own = solver_->layout();
  team.for_chunks(mesh.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t leaf = begin; leaf < end; ++leaf) {
      const double* const found = solver_->potential(leaf);
      double *const before = carried(mesh, leaf, potential), *const change = carried(mesh, leaf, rate);
      for_rows<D>(gas.p, [&](std::ptrdiff_t, const Index<D>& i) {
        const std::ptrdiff_t to = gas.at(0, i), from = own.at(0, i);
        for (int x = 0; x < gas.p; ++x) {
          if (dt > 0) change[to + x] = (found[from + x] - before[to + x]) / dt;
          before[to + x] = found[from + x];
        }
      });
    }
  });
}

template <int D>
void SelfGravity<D>::differentiate(const mesh::PatchMesh<D>& mesh, double t, double dt, Of of,
                                   ThreadTeam& team) {
  const solvers::PatchLayout &gas = mesh.layout(), &own = solver_->layout();
  const double strength = parameters_.is_supercomoving ? 1 / (t * t) : 1;  // of the field of the potential
  // Forces along each axis, then:
  constexpr std::size_t mass = D, energy = D + 1, work = D + 2, shares = D + 3, momentum = D + 4,
                        count = momentum + D;
  using Sums = std::array<ExactSum, count>;
  const bool sums_work = parameters_.conserves_energy && of == Of::step;
  std::vector<Sums> of_threads(static_cast<std::size_t>(team.size()));
  team.for_chunks(mesh.size(), [&](int thread, std::size_t begin, std::size_t end) {
    auto& sums = of_threads[static_cast<std::size_t>(thread)];
    for (std::size_t leaf = begin; leaf < end; ++leaf) {
      const double *const q = mesh.patches()[leaf].q, *const u = solver_->potential(leaf),
                          *const source = solver_->source(leaf);
      double* const g = acceleration_of(leaf);
      const double width = solver_->width(leaf), volume = ipow(width, D), half = 0.5 * strength / width;
      double of_leaf[count] = {};
      for_rows<D>(gas.p, [&](std::ptrdiff_t v, const Index<D>& i) {
        const double *const rho = q + gas.at(0, i), *const at = u + own.at(0, i),
                            *const here = source + own.at(0, i);
        for (int x = 0; x < gas.p; ++x) {
          of_leaf[mass] += rho[x];
          of_leaf[energy] += here[x] * at[x];
        }
        for (int a = 0; a < D; ++a) {
          const std::ptrdiff_t step = own.stride(a);
          double* __restrict__ along = g + a * volumes_ + v;
          for (int x = 0; x < gas.p; ++x) {
            along[x] = half * (at[x - step] - at[x + step]);
            of_leaf[a] += rho[x] * along[x];
          }
        }
        if (!sums_work) return;
        // Of both halves of the step, the second one with the momentum before it and the acceleration before the mean of all is
        // subtracted from it.
        double* __restrict__ of_volume = work_of(leaf) + v;
        for (int a = 0; a < D; ++a) {
          const double* __restrict__ moves = q + gas.at(1 + a, i);
          const double* __restrict__ along = g + a * volumes_ + v;
          for (int x = 0; x < gas.p; ++x) {
            of_leaf[momentum + static_cast<std::size_t>(a)] += moves[x];
            of_volume[x] += 0.5 * dt * along[x] * (moves[x] + 0.25 * dt * rho[x] * along[x]);
          }
        }
        for (int x = 0; x < gas.p; ++x) {
          double momentum2 = 0;
          for (int a = 1; a <= D; ++a) momentum2 += q[gas.at(a, i) + x] * q[gas.at(a, i) + x];
          const double thermal = q[gas.at(D + 1, i) + x] - 0.5 * momentum2 / rho[x];
          of_leaf[work] += of_volume[x];
          of_volume[x] = std::min(std::abs(of_volume[x]), std::max(thermal, 0.0));
          of_leaf[shares] += of_volume[x];
        }
      });
      for (std::size_t n = 0; n < sums.size(); ++n) sums[n].add(volume * of_leaf[n]);
    }
  });
  Sums sums;
  for (const Sums& of_thread : of_threads) {
    for (std::size_t n = 0; n < sums.size(); ++n) sums[n].add(of_thread[n]);
  }
  parallel::sum_over_ranks(mesh.communicator(), sums);
  energy_ = strength * (sums[energy].value() + residual_.with_potential) / (2 * parameters_.factor());
  Point<D> mean{};
  for (int a = 0; a < D; ++a) {
    if (!has(a, solvers::EllipticBoundary::mirror))
      mean[a] = sums[static_cast<std::size_t>(a)].value() / sums[mass].value();
  }
  mean_acceleration_ = 0;
  for (const double one : mean) mean_acceleration_ = std::hypot(mean_acceleration_, one);
  const double mass_before = mass_;
  mass_ = sums[mass].value();
  if (of == Of::regrid) budget_.regrid(energy_);
  if (of == Of::initial_data || of == Of::restart) budget_.begin(energy_);
  if (sums_work) {
    double done = sums[work].value();  // with the mean subtracted
    for (std::size_t a = 0; a < D; ++a) {
      done -= 0.5 * dt * mean[a] *
              (sums[momentum + a].value() + 0.5 * dt * sums[a].value() - 0.25 * dt * mean[a] * mass_);
    }
    const double through_faces = solver_->is_singular() ? 0 : potential_on_faces_ * (mass_ - mass_before);
    budget_.step(energy_, through_faces, done, sums[shares].value());
  }

  std::vector<double> rates(mesh.size());  // largest acceleration over the width, by leaf
  team.for_chunks(mesh.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t leaf = begin; leaf < end; ++leaf) {
      double* const g = acceleration_of(leaf);
      double largest = 0;
      for (int a = 0; a < D; ++a) {
        for (std::ptrdiff_t v = 0; v < volumes_; ++v)
          g[a * volumes_ + v] -= mean[static_cast<std::size_t>(a)];
      }
      for (std::ptrdiff_t v = 0; v < volumes_; ++v) {
        double square = 0;
        for (int a = 0; a < D; ++a) square += g[a * volumes_ + v] * g[a * volumes_ + v];
        largest = std::max(largest, square);
      }
      rates[leaf] = std::sqrt(largest) / solver_->width(leaf);
    }
  });
  const double most = largest_of_ranks(mesh.communicator(), rates);
  step_limit_ = most > 0 ? gravity_cfl / std::sqrt(most) : std::numeric_limits<double>::infinity();
  if (parameters_.is_supercomoving) step_limit_ = std::min(step_limit_, expansion_fraction * std::abs(t));
}

template <int D>
void SelfGravity<D>::act(mesh::PatchMesh<D>& mesh, std::size_t leaf, double dt, Half half) {
  const solvers::PatchLayout& gas = mesh.layout();
  const double time = 0.5 * dt;
  double* const q = mesh.patches()[leaf].q;
  const double* const g = acceleration_.data() + leaf * static_cast<std::size_t>(D * volumes_);
  for_rows<D>(gas.p, [&](std::ptrdiff_t v, const Index<D>& i) {
    const double* __restrict__ rho = q + gas.at(0, i);
    double* __restrict__ energy = q + gas.at(D + 1, i);
    double work[solvers::longest_row] = {};
    for (int a = 0; a < D; ++a) {
      double* __restrict__ momentum = q + gas.at(1 + a, i);
      const double* __restrict__ along = g + a * volumes_ + v;
      for (int x = 0; x < gas.p; ++x) {
        const double push = time * rho[x] * along[x];
        // With the mean of the momentum before and after.
        work[x] += time * along[x] * (momentum[x] + 0.5 * push);
        momentum[x] += push;
      }
    }
    if (parameters_.conserves_energy) {
      double* __restrict__ of_volume = work_of(leaf) + v;
      for (int x = 0; x < gas.p; ++x) {
        if (half == Half::before)
          of_volume[x] = work[x];
        else
          work[x] += budget_.factor() * of_volume[x];
      }
    }
    for (int x = 0; x < gas.p; ++x) energy[x] += work[x];
  });
}

template <int D>
std::vector<simulation::Measure> SelfGravity<D>::measures() const {
  std::vector<simulation::Measure> measures = {
      {"potential_energy", "", parameters_.images * energy_},
      {"gravity_residual", "", scale_ > 0 ? residual_.max / scale_ : 0},
      {"gravity_cycles", "", static_cast<double>(cycles_)},
      {"mean_acceleration", "", mean_acceleration_}};
  if (parameters_.conserves_energy) {
    measures.push_back({"energy_factor", "", budget_.factor()});
    measures.push_back({"regrid_energy", "", parameters_.images * budget_.by_regrids()});
  }
  return measures;
}

template class SelfGravity<2>;
template class SelfGravity<3>;

}  // namespace meander::euler
