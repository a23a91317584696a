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

// Calls body(number, place) for the interior volumes in the order of their numbers.
template <int D, class Body>
void for_volumes(int p, const Body& body) {
  std::ptrdiff_t v = 0;
  solvers::for_volumes<D>(solvers::interior_box<D>(p), [&](const Index<D>& i) { body(v++, i); });
}

double largest_of_ranks(const parallel::Communicator& communicator, const std::vector<double>& values) {
  return communicator.max(values.empty() ? 0.0 : *std::ranges::max_element(values));
}

}  // namespace

template <int D>
SelfGravity<D>::SelfGravity(const SelfGravityParameters& parameters, const Boundaries& boundaries)
    : parameters_(parameters), boundaries_(boundaries) {
  is_periodic_ =
      std::ranges::all_of(boundaries, [](auto one) { return one == solvers::EllipticBoundary::periodic; });
}

template <int D>
double SelfGravity<D>::start(const mesh::PatchMesh<D>& mesh, ThreadTeam& team) {
  const solvers::PatchLayout &gas = mesh.layout(), &own = solver_->layout();
  const double factor = 4 * std::numbers::pi * parameters_.constant;
  std::vector<double> densest(mesh.size()), largest(mesh.size());
  team.for_chunks(mesh.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t leaf = begin; leaf < end; ++leaf) {
      const double* const q = mesh.patches()[leaf].q;
      double *const source = solver_->source(leaf), *const potential = solver_->potential(leaf);
      for_volumes<D>(gas.p, [&](std::ptrdiff_t, const Index<D>& i) {
        source[own.at(0, i)] = factor * q[gas.at(0, i)];
        potential[own.at(0, i)] = 0;
        densest[leaf] = std::max(densest[leaf], source[own.at(0, i)]);
      });
    }
  });
  solver_->remove_mean_source(team);
  team.for_chunks(mesh.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t leaf = begin; leaf < end; ++leaf) {
      const double* const source = solver_->source(leaf);
      for_volumes<D>(gas.p, [&](std::ptrdiff_t, const Index<D>& i) {
        largest[leaf] = std::max(largest[leaf], std::abs(source[own.at(0, i)]));
      });
    }
  });
  scale_ = largest_of_ranks(mesh.communicator(), largest);
  return std::max(parameters_.tolerance * scale_, rounding * largest_of_ranks(mesh.communicator(), densest));
}

template <int D>
void SelfGravity<D>::solve(const mesh::PatchMesh<D>& mesh, ThreadTeam& team) {
  if (mesh.communicator().any(revision_ != mesh.revision())) {
    solver_.reset();
    solver_ = std::make_unique<tasks::PoissonMultigrid<D>>(mesh.tree(), mesh.layout().p, boundaries_,
                                                           gpu::host_memory());
    revision_ = mesh.revision();
    volumes_ = mesh.layout().volumes();
    acceleration_.resize(mesh.size() * static_cast<std::size_t>(D * volumes_));
  }
  const double small = start(mesh, team);
  solver_->begin(team);
  for (cycles_ = 0;; ++cycles_) {
    residual_ = solver_->residual(team).max;
    if (residual_ <= small) break;
    if (cycles_ == most_cycles || !std::isfinite(residual_)) {
      throw parallel::AgreedFailure(fmt::format(
          "self-gravity: after {} cycles of the Poisson solver its residual is {} of the largest source, but "
          "gravity.tolerance is {}; files written so far are intact",
          cycles_, residual_ / scale_, parameters_.tolerance));
    }
    solver_->cycle(team);
  }
  solver_->match_halos(team);
  differentiate(mesh, team);
}

template <int D>
void SelfGravity<D>::differentiate(const mesh::PatchMesh<D>& mesh, ThreadTeam& team) {
  const solvers::PatchLayout &gas = mesh.layout(), &own = solver_->layout();
  constexpr std::size_t mass = D, energy = D + 1;  // after the forces along each axis
  std::vector<std::array<ExactSum, D + 2>> of_threads(static_cast<std::size_t>(team.size()));
  team.for_chunks(mesh.size(), [&](int thread, std::size_t begin, std::size_t end) {
    auto& sums = of_threads[static_cast<std::size_t>(thread)];
    for (std::size_t leaf = begin; leaf < end; ++leaf) {
      const solvers::PatchTask& patch = mesh.patches()[leaf];
      const double *const u = solver_->potential(leaf), *const source = solver_->source(leaf);
      double* const g = acceleration_of(leaf);
      const double width = solver_->width(leaf), volume = ipow(width, D);
      for_volumes<D>(gas.p, [&](std::ptrdiff_t v, const Index<D>& i) {
        const std::ptrdiff_t at = own.at(0, i);
        const double here = volume * patch.q[gas.at(0, i)];
        sums[mass].add(here);
        sums[energy].add(volume * source[at] * u[at]);
        for (int a = 0; a < D; ++a) {
          const std::ptrdiff_t step = own.stride(a);
          g[a * volumes_ + v] = (u[at - step] - u[at + step]) / (2 * width);
          sums[static_cast<std::size_t>(a)].add(here * g[a * volumes_ + v]);
        }
      });
    }
  });
  std::array<ExactSum, D + 2> sums;
  for (const auto& of_thread : of_threads) {
    for (std::size_t n = 0; n < sums.size(); ++n) sums[n].add(of_thread[n]);
  }
  parallel::sum_over_ranks(mesh.communicator(), sums);
  energy_ = sums[energy].value() / (8 * std::numbers::pi * parameters_.constant);
  Point<D> mean{};
  for (std::size_t a = 0; a < D && is_periodic_; ++a) mean[a] = sums[a].value() / sums[mass].value();
  mean_acceleration_ = 0;
  for (const double one : mean) mean_acceleration_ = std::hypot(mean_acceleration_, one);

  std::vector<double> rates(mesh.size());  // largest acceleration over the width, by leaf
  team.for_chunks(mesh.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t leaf = begin; leaf < end; ++leaf) {
      double* const g = acceleration_of(leaf);
      double largest = 0;
      for (std::ptrdiff_t v = 0; v < volumes_; ++v) {
        double square = 0;
        for (int a = 0; a < D; ++a) {
          double& one = g[a * volumes_ + v];
          one -= mean[static_cast<std::size_t>(a)];
          square += one * one;
        }
        largest = std::max(largest, square);
      }
      rates[leaf] = std::sqrt(largest) / solver_->width(leaf);
    }
  });
  const double most = largest_of_ranks(mesh.communicator(), rates);
  step_limit_ = most > 0 ? gravity_cfl / std::sqrt(most) : std::numeric_limits<double>::infinity();
}

template <int D>
void SelfGravity<D>::act(mesh::PatchMesh<D>& mesh, double dt, ThreadTeam& team) const {
  const solvers::PatchLayout& gas = mesh.layout();
  team.for_chunks(mesh.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t leaf = begin; leaf < end; ++leaf) {
      double* const q = mesh.patches()[leaf].q;
      const double* const g = acceleration_.data() + leaf * static_cast<std::size_t>(D * volumes_);
      for_volumes<D>(gas.p, [&](std::ptrdiff_t v, const Index<D>& i) {
        double& energy = q[gas.at(D + 1, i)];
        for (int a = 0; a < D; ++a) {
          double& momentum = q[gas.at(1 + a, i)];
          const double push = dt * q[gas.at(0, i)] * g[a * volumes_ + v];
          // The work of the mean of the momentum before and after.
          energy += dt * g[a * volumes_ + v] * (momentum + 0.5 * push);
          momentum += push;
        }
      });
    }
  });
}

template <int D>
std::vector<simulation::Measure> SelfGravity<D>::measures() const {
  return {{"potential_energy", "", energy_},
          {"gravity_residual", "", scale_ > 0 ? residual_ / scale_ : 0},
          {"gravity_cycles", "", static_cast<double>(cycles_)},
          {"mean_acceleration", "", mean_acceleration_}};
}

template class SelfGravity<2>;
template class SelfGravity<3>;

}  // namespace meander::euler
