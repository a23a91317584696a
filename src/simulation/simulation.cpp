// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "base/exact_sum.hpp"
#include "mesh/patch_mesh.hpp"
#include "simulation/refinement.hpp"
#include "solvers/euler/euler.hpp"

namespace meander::simulation {
namespace {

template <int D>
mesh::Domain<D> domain_of(const Config& config) {
  mesh::Domain<D> domain;
  domain.base_level = config.base_level();
  for (int a = 0; a < D; ++a) {
    const auto axis = static_cast<std::size_t>(a);
    domain.base_cells[axis] = config.domain.cells[axis];
    domain.lower[axis] = config.domain.lower[axis];
    domain.periodic[axis] = config.domain.boundary[2 * a] == Boundary::periodic;
  }
  domain.base_width = (config.domain.upper[0] - config.domain.lower[0]) / config.domain.cells[0];
  return domain;
}

template <int D>
mesh::Boundaries<D> boundaries_of(const Config& config) {
  mesh::Boundaries<D> boundaries;
  for (int face = 0; face < 2 * D; ++face) {
    boundaries[static_cast<std::size_t>(face)] = config.domain.boundary[face];
  }
  return boundaries;
}

// Where a step would leave less than this part of itself to the limit, the remainder is shared by two equal
// steps.
constexpr double smallest_last_step = 0.5;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

template <int D>
class SimulationOf final : public Simulation {
 public:
  SimulationOf(const Config& config, int threads)
      : config_(config),
        team_(threads),
        solver_(solvers::euler::make_solver(D, config.euler)),
        mesh_(
            domain_of<D>(config), config.mesh.min_level, *solver_, config.mesh.patch_size,
            boundaries_of<D>(config),
            [scenario = config.scenario](const double* x, double dx, double t, double* q) {
              scenario->boundary(x, dx, t, q);
            },
            gpu::host_memory()),
        traversal_(mesh_, *solver_, team_),
        refinement_(config.mesh, config.refinement, *solver_),
        t_(config.time.start) {
    set_initial_data();
    // Every round can add one level, and then take back what only the coarse buffer of an earlier round asked
    // for. Data are set anew on the mesh they asked for.
    for (int round = 0; round < 2 * (config.mesh.max_level - config.mesh.min_level); ++round) {
      if (!mesh_.adapt(refinement_.wishes(mesh_, t_, team_), config_.mesh.min_level, config_.mesh.max_level,
                       team_)) {
        break;
      }
      set_initial_data();
    }
    status_ = traversal_.inspect();
    check_state();
    config_.scenario->prepare_step(view(), *solver_);
  }

  double time() const override { return t_; }
  int step() const override { return step_; }
  double last_dt() const override { return dt_; }
  const Config& config() const override { return config_; }
  const solvers::Solver& solver() const override { return *solver_; }

  void advance(double limit) override {
    const double dt = next_dt(limit);
    const bool meets_limit = t_ + dt >= limit;
    status_ = traversal_.advance(t_, dt);
    t_ = meets_limit ? limit : t_ + dt;
    dt_ = dt;
    ++step_;
    updates_ += static_cast<std::int64_t>(volumes());
    first_order_ += status_.first_order;
    floored_ += status_.floored;
    check_state();
    if (!refinement_.is_static() && step_ % config_.mesh.regrid_every == 0) regrid();
    const auto start = std::chrono::steady_clock::now();
    config_.scenario->prepare_step(view(), *solver_);
    times_.prepare += seconds_since(start);
  }

  StateView view() override { return {mesh_.layout(), mesh_.patches(), mesh_.levels(), t_, team_}; }

  std::vector<Vec<int, 3>> leaf_indices() const override {
    std::vector<Vec<int, 3>> indices(mesh_.size(), Vec<int, 3>{});
    for (std::size_t leaf = 0; leaf < mesh_.size(); ++leaf) {
      for (std::size_t a = 0; a < D; ++a) indices[leaf][a] = mesh_.cells()[leaf].at[a];
    }
    return indices;
  }

  std::vector<double> totals() const override;
  std::vector<std::size_t> leaves_per_level() const override {
    std::vector<std::size_t> leaves(static_cast<std::size_t>(config_.mesh.max_level) + 1, 0);
    for (const int level : mesh_.levels()) ++leaves[static_cast<std::size_t>(level)];
    return leaves;
  }
  std::size_t leaves() const override { return mesh_.size(); }
  std::size_t volumes() const override {
    return mesh_.size() * static_cast<std::size_t>(mesh_.layout().volumes());
  }
  std::int64_t volume_updates() const override { return updates_; }
  std::int64_t first_order_volumes() const override { return first_order_; }
  std::int64_t floored_volumes() const override { return floored_; }
  std::size_t state_bytes() const override { return mesh_.state_bytes(); }
  std::size_t register_bytes() const override { return mesh_.register_bytes(); }
  RunTimes times() const override {
    RunTimes times = times_;
    times.sweeps = traversal_.times();
    return times;
  }

 private:
  void set_initial_data();
  double next_dt(double limit) const;
  void regrid();
  void check_state() const;

  Config config_;
  mutable ThreadTeam team_;
  std::unique_ptr<solvers::Solver> solver_;
  mesh::PatchMesh<D> mesh_;
  tasks::Traversal<D> traversal_;
  Refinement<D> refinement_;
  tasks::SweepStatus status_;
  double t_ = 0, dt_ = 0;
  int step_ = 0;
  std::int64_t updates_ = 0, first_order_ = 0, floored_ = 0;
  RunTimes times_;
};

template <int D>
void SimulationOf<D>::set_initial_data() {
  const auto& layout = mesh_.layout();
  team_.for_chunks(mesh_.size(), [&](int, std::size_t begin, std::size_t end) {
    double state[64], centre[3] = {0, 0, 0};
    for (std::size_t leaf = begin; leaf < end; ++leaf) {
      const auto& patch = mesh_.patches()[leaf];
      Index<D> i{};
      for (std::ptrdiff_t v = 0; v < layout.volumes(); ++v) {
        for (std::size_t a = 0; a < D; ++a) centre[a] = patch.lower[a] + (i[a] + 0.5) * patch.dx;
        config_.scenario->initial(centre, patch.dx, state);
        for (int u = 0; u < layout.unknowns; ++u) patch.q[layout.at(u, i)] = state[u];
        for (std::size_t a = 0; a < D && ++i[a] == layout.p; ++a) i[a] = 0;
      }
    }
  });
  traversal_.fill_halos(t_);
}

template <int D>
double SimulationOf<D>::next_dt(double limit) const {
  double finest = std::numeric_limits<double>::infinity();
  for (const auto& patch : mesh_.patches()) finest = std::min(finest, patch.dx);
  double dt = std::min(config_.time.cfl * status_.min_crossing, solver_->step_limit(t_, finest));
  if (config_.time.max_dt > 0) dt = std::min(dt, config_.time.max_dt);
  const double remaining = limit - t_;
  if (dt >= remaining) return remaining;
  return remaining < (1 + smallest_last_step) * dt ? remaining / 2 : dt;
}

template <int D>
void SimulationOf<D>::regrid() {
  const auto start = std::chrono::steady_clock::now();
  try {
    if (mesh_.adapt(refinement_.wishes(mesh_, t_, team_), config_.mesh.min_level, config_.mesh.max_level,
                    team_)) {
      status_ = traversal_.enforce_floors();
      floored_ += status_.floored;
      check_state();
      traversal_.fill_halos(t_);
    }
  } catch (const gpu::OutOfMemory& error) {
    throw Failure(
        fmt::format("step {}, t = {}: no memory for the refined mesh ({}); files written so far are intact",
                    step_, t_, error.what()));
  }
  times_.regrid += seconds_since(start);
}

template <int D>
void SimulationOf<D>::check_state() const {
  if (status_.inadmissible < 0) return;
  const auto leaf = static_cast<std::size_t>(status_.inadmissible);
  const auto& patch = mesh_.patches()[leaf];
  const auto& layout = mesh_.layout();
  const double width = patch.dx * layout.p;
  std::vector<double> state(static_cast<std::size_t>(layout.unknowns)), centre, place;
  Index<D> i{};
  for (std::ptrdiff_t v = 0; v < layout.volumes(); ++v) {
    for (int u = 0; u < layout.unknowns; ++u) state[static_cast<std::size_t>(u)] = patch.q[layout.at(u, i)];
    if (!solver_->admissible(state.data())) break;
    for (std::size_t a = 0; a < D && ++i[a] == layout.p; ++a) i[a] = 0;
  }
  for (std::size_t a = 0; a < D; ++a) {
    centre.push_back(patch.lower[a] + width / 2);
    place.push_back(patch.lower[a] + (i[a] + 0.5) * patch.dx);
  }
  std::vector<std::string> variables;
  const auto& derived = solver_->derived();
  for (std::size_t k = 0; k < derived.size(); ++k) {
    if (k >= state.size() && derived[k].name != "pressure") continue;
    variables.push_back(
        fmt::format("{} = {:.9g}", derived[k].name, derived[k].value(solver_->parameters(), state.data())));
  }
  throw StateFailure(
      fmt::format("the state is not admissible at step {}, t = {:.9g}: patch centre ({:.9g}), level {}, "
                  "volume at ({:.9g}): {}",
                  step_, t_, fmt::join(centre, ", "), mesh_.levels()[leaf], fmt::join(place, ", "),
                  fmt::join(variables, ", ")));
}

template <int D>
std::vector<double> SimulationOf<D>::totals() const {
  const auto& layout = mesh_.layout();
  const auto unknowns = static_cast<std::size_t>(layout.unknowns);
  std::vector<double> of_leaves(mesh_.size() * unknowns);
  team_.for_chunks(mesh_.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t leaf = begin; leaf < end; ++leaf) {
      const auto& patch = mesh_.patches()[leaf];
      const double volume = ipow(patch.dx, D);
      for (std::size_t u = 0; u < unknowns; ++u) {
        double sum = 0;
        Index<D> i{};
        const int rows = static_cast<int>(layout.volumes()) / layout.p;
        for (int row = 0; row < rows; ++row) {
          i[1] = row % layout.p;
          if constexpr (D == 3) i[2] = row / layout.p;
          const double* q = patch.q + layout.at(static_cast<int>(u), i);
          double of_row = 0;
          for (int x = 0; x < layout.p; ++x) of_row += q[x];
          sum += of_row;
        }
        of_leaves[leaf * unknowns + u] = sum * volume;
      }
    }
  });
  std::vector<double> totals(unknowns);
  for (std::size_t u = 0; u < unknowns; ++u) {
    ExactSum sum;
    for (std::size_t leaf = 0; leaf < mesh_.size(); ++leaf) sum.add(of_leaves[leaf * unknowns + u]);
    totals[u] = sum.value();
  }
  return totals;
}

}  // namespace

std::unique_ptr<Simulation> make_simulation(const Config& config, int threads) {
  if (config.domain.dimensions == 2) return std::make_unique<SimulationOf<2>>(config, threads);
  return std::make_unique<SimulationOf<3>>(config, threads);
}

}  // namespace meander::simulation
