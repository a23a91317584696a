// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A random adaptive tree of random gas whose halos and flux corrections are computed twice: by the host's
// functions, and by the kernels on resident patches with the tables of the same plans, in host memory.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "mesh/device_tables.hpp"
#include "parallel/message_tags.hpp"
#include "solvers/resident_kernels.hpp"
#include "tests/mesh/inert_solver.hpp"
#include "tests/solvers/random_fill.hpp"

namespace meander::mesh::test {

struct TreeCase {
  int dim, p, h;
  solvers::HaloShape shape;
  solvers::Prolongation prolongation;
  bool periodic;

  std::string name() const {
    return std::to_string(dim) + "D_p" + std::to_string(p) + "_h" + std::to_string(h) + "_shape" +
           std::to_string(static_cast<int>(shape)) + "_prolongation" +
           std::to_string(static_cast<int>(prolongation)) + (periodic ? "_periodic" : "");
  }
  friend void PrintTo(const TreeCase& c, std::ostream* out) { *out << c.name(); }
};

// Every halo shape, prolongation and boundary condition. p = 9: fine leaves restrict whole volumes; otherwise
// parts of them.
inline std::vector<TreeCase> tree_cases() {
  using S = solvers::HaloShape;
  using P = solvers::Prolongation;
  std::vector<TreeCase> all;
  for (int dim = 2; dim <= 3; ++dim) {
    all.insert(all.end(), {{dim, 4, 1, S::faces, P::constant, false},
                           {dim, 6, 2, S::edges, P::limited_linear, false},
                           {dim, 7, 2, S::edges, P::limited_linear, false},
                           {dim, 6, 1, S::full, P::centred, true},
                           {dim, 9, 3, S::full, P::centred, false},
                           {dim, 10, 2, S::full, P::centred, false},
                           {dim, 10, 3, S::faces, P::limited_linear, true}});
  }
  all.push_back({2, 17, 3, S::full, P::limited_linear, false});
  return all;
}

template <int D>
class DeviceTree {
  using Pde = euler::Terms<D>;
  using Patch = solvers::test::Patch;

 public:
  DeviceTree(const TreeCase& c, unsigned seed, const parallel::Communicator& communicator = {})
      : solver_(D, c.h, c.shape, c.prolongation),
        mesh_(DistributedTree<D>::uniform(box(c.periodic), 1, communicator), solver_, c.p,
              conditions(c.periodic), given, gpu::host_memory()),
        boundaries_(solver_, mesh_.layout(), conditions(c.periodic), given),
        exchange_(solver_, mesh_.layout(), boundaries_, gpu::host_memory(),
                  *std::pmr::new_delete_resource()) {
    std::mt19937 random(seed + 1000 * static_cast<unsigned>(communicator.rank()));
    // Many coarse leaves with finer neighbours across several faces, then finer leaves here and there.
    std::vector<Adapt> flags(mesh_.size(), Adapt::keep);
    for (Adapt& flag : flags) flag = random() % 2 == 0 ? Adapt::refine : Adapt::keep;
    mesh_.adapt(flags, 1, 3, 0, team_);
    for (int round = 0; round < 2; ++round) adapt_at_random(mesh_, 3, random, team_);
    for (std::size_t leaf = 0; leaf < mesh_.view().size(); ++leaf) tasks_.push_back(task(leaf));
    for (std::size_t leaf = 0; leaf < mesh_.size(); ++leaf) {
      initial_.push_back(solvers::test::random_slot(mesh_.layout(), seed + static_cast<unsigned>(random())));
      order_.push_back(static_cast<std::int32_t>(leaf));
    }
    std::shuffle(order_.begin(), order_.end(), random);
    exchange_.plan(mesh_.tree(), mesh_.view(), {c.shape, true, {}}, tasks_, parallel::tag_of_whole_halos,
                   "halos");
    draw_fluxes(random);
  }

  PatchMesh<D>& mesh() { return mesh_; }
  // The plan by several threads is that by one. Collective.
  void expect_same_plan(const TreeCase& c, int threads) {
    const HaloPlan<D>&one = exchange_.plan(),
          several(mesh_.tree(), mesh_.view(), mesh_.layout(), {c.shape, true, {}}, ThreadTeam(threads));
    for (std::size_t leaf = 0; leaf < mesh_.size(); ++leaf) {
      EXPECT_TRUE(std::ranges::equal(several.early(leaf), one.early(leaf)));
      EXPECT_TRUE(std::ranges::equal(several.late(leaf), one.late(leaf)));
      EXPECT_TRUE(std::ranges::equal(several.second(leaf), one.second(leaf)));
      EXPECT_EQ(several.arrival(leaf), one.arrival(leaf));
      EXPECT_EQ(several.is_border(leaf), one.is_border(leaf));
    }
    EXPECT_TRUE(std::ranges::equal(several.parts(), one.parts()));
    EXPECT_TRUE(std::ranges::equal(several.second_local(), one.second_local()));
    EXPECT_TRUE(std::ranges::equal(several.second_waiting(), one.second_waiting()));
    EXPECT_TRUE(std::ranges::equal(several.ghost_patches(), one.ghost_patches()));
    for (std::size_t i = 0; i < one.ghost_patches().size(); ++i)
      EXPECT_TRUE(std::ranges::equal(several.ghost(i), one.ghost(i)));
    EXPECT_TRUE(std::ranges::equal(
        several.peers(), one.peers(), {},
        [](const auto& peer) { return std::tuple(peer.rank, peer.send, peer.receive); },
        [](const auto& peer) { return std::tuple(peer.rank, peer.send, peer.receive); }));
  }
  // Whether this rank sends halos, also for ghost patches, and fluxes.
  bool sends() const {
    return exchange_.messages().sent_bytes() > 0 && !exchange_.plan().ghost_patches().empty() &&
           !fluxes().outgoing_parts().empty();
  }

  // ---- halos
  // Collective. Afterwards the host's slots are those to compare with.
  void fill_on_host() {
    reset_host();
    fill_on_host_again();
  }
  void fill_on_host_again() { exchange_.fill(t, team_); }
  void poison_unread_on_host() {
    for (std::size_t leaf = 0; leaf < mesh_.size(); ++leaf)
      solvers::test::poison_unread(mesh_.layout(), tasks_[leaf].q, solver_.traits().halo_shape);
  }
  std::vector<Patch> on_host() const {
    std::vector<Patch> slots = initial_;
    for (std::size_t leaf = 0; leaf < slots.size(); ++leaf)
      std::copy_n(tasks_[leaf].q, mesh_.layout().slot_size(), slots[leaf].q);
    return slots;
  }

  // After fill_on_host(), from the messages that it received.
  template <class Launcher>
  std::vector<Patch> filled(const Launcher& launcher) {
    std::vector<Patch> slots = initial_, ghosts;
    const auto ghost_leaves = exchange_.plan().ghost_patches();
    for (std::size_t i = 0; i < ghost_leaves.size(); ++i) ghosts.push_back(initial_[0]);
    std::vector<double*> places = places_of(slots);
    for (std::size_t i = 0; i < ghost_leaves.size(); ++i)
      places[static_cast<std::size_t>(ghost_leaves[i])] = ghosts[i].q;
    std::vector<solvers::FillOp> ops;
    FillTables<D> tables(exchange_.plan(), mesh_.view(), boundaries_, order_, mesh_.layout().unknowns,
                         {places, exchange_.messages().receive_buffer()}, memory_in(ops), ThreadTeam(3));
    std::vector<double> given_values(tables.given_doubles), signs;
    for (const GivenBox<D>& of : tables.given) {
      boundaries_.pack_given(tasks_[static_cast<std::size_t>(of.leaf)], of.box, of.face, t,
                             given_values.data() + of.offset);
    }
    tables.place_given(given_values.data());
    for (int a = 0; a < D; ++a) {
      const auto of_axis = boundaries_.signs(a);
      signs.insert(signs.end(), of_axis.begin(), of_axis.end());
    }
    using T = FillTables<D>;
    for (const int group :
         {T::first_local, T::second_local, T::ghosts, T::first_received, T::second_waiting}) {
      solvers::FillBatch batch;
      batch.count = tables.group_begin[group + 1] - tables.group_begin[group];
      batch.targets = tables.targets.data() + tables.group_begin[group];
      batch.ops = tables.ops.data();
      batch.parts = tables.parts.data();
      batch.signs = signs.data();
      batch.layout = mesh_.layout();
      batch.prolongation = solver_.traits().prolongation;
      launcher(solvers::BlockFill<Pde>(pde_, batch), batch.count);
    }
    return slots;
  }
  // What this rank sends, after fill_on_host().
  template <class Launcher>
  void expect_same_message(const Launcher& launcher) {
    std::vector<Patch> slots = initial_;
    std::vector<solvers::FillOp> ops;
    const FillTables<D> tables(exchange_.plan(), mesh_.view(), boundaries_, order_, mesh_.layout().unknowns,
                               {places_of(slots)}, memory_in(ops));
    const double* const sent = exchange_.messages().send_buffer();
    const std::vector<double> expected(sent, sent + exchange_.messages().sent_bytes() / sizeof(double));
    std::vector<double> found(expected.size(), -1);
    solvers::PackBatch batch;
    batch.count = static_cast<int>(tables.outgoing.size());
    batch.items = tables.outgoing.data();
    batch.buffer = found.data();
    batch.layout = mesh_.layout();
    launcher(solvers::BlockPack<D>(batch), batch.count);
    EXPECT_TRUE(solvers::test::same_bits(found, expected));
  }

  // ---- flux correction
  void correct_on_host() {
    reset_host();
    status_ = initial_status();
    const auto leaves = fluxes().coarse_leaves();
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      const auto leaf = static_cast<std::size_t>(leaves[i]);
      fluxes().apply(i, tasks_[leaf], dt, 1);
      const auto corrected = solver_.enforce_floors(tasks_[leaf], mesh_.layout());
      status_[leaf].max_rate = corrected.max_rate;
      status_[leaf].floored += corrected.floored;
      status_[leaf].admissible = status_[leaf].admissible && corrected.admissible;
    }
  }

  // Returns the slots; `status`: of the leaves.
  template <class Launcher>
  std::vector<Patch> corrected(const Launcher& launcher, std::vector<solvers::PatchStatus>& status) {
    std::vector<Patch> slots = initial_;
    const RefluxTables<D> tables = reflux_tables(slots);
    std::vector<solvers::PatchStatus> by_index(slots.size());
    status = initial_status();
    for (std::size_t index = 0; index < slots.size(); ++index) by_index[index] = status[leaf_of(index)];
    const auto all = static_cast<std::int32_t>(tables.targets.size());
    for (const auto& [begin, end] : {std::pair(0, tables.border), std::pair(tables.border, all)}) {
      solvers::RefluxBatch batch;
      batch.count = end - begin;
      batch.targets = tables.targets.data() + begin;
      batch.faces = tables.faces.data();
      batch.parts = tables.parts.data();
      batch.status = by_index.data();
      batch.layout = mesh_.layout();
      batch.dt = dt;
      launcher(solvers::BlockReflux<Pde>(pde_, batch), batch.count);
    }
    for (std::size_t index = 0; index < slots.size(); ++index) status[leaf_of(index)] = by_index[index];
    return slots;
  }
  template <class Launcher>
  void expect_same_flux_message(const Launcher& launcher) {
    std::vector<Patch> slots = initial_;
    const RefluxTables<D> tables = reflux_tables(slots);
    const double* const sent = mesh_.exchange().fluxes().messages().send_buffer();
    const std::vector<double> expected(
        sent, sent + mesh_.exchange().fluxes().messages().sent_bytes() / sizeof(double));
    std::vector<double> found(expected.size(), -1);
    solvers::FluxPackBatch batch;
    batch.count = static_cast<int>(tables.outgoing.size());
    batch.items = tables.outgoing.data();
    batch.buffer = found.data();
    batch.layout = mesh_.layout();
    launcher(solvers::BlockFluxPack<D>(batch), batch.count);
    EXPECT_TRUE(solvers::test::same_bits(found, expected));
  }

  // ---- comparison with the host's slots, halos included, and status
  bool equals_host(const std::vector<Patch>& slots) const {
    const auto size = static_cast<std::size_t>(mesh_.layout().slot_size()) - 8;  // without spare doubles
    for (std::size_t leaf = 0; leaf < slots.size(); ++leaf) {
      if (std::memcmp(slots[leaf].q, tasks_[leaf].q, size * sizeof(double)) != 0) return false;
    }
    return true;
  }
  bool equals_host(const std::vector<solvers::PatchStatus>& status) const {
    return std::equal(status.begin(), status.end(), status_.begin(), status_.end(),
                      [](const auto& a, const auto& b) { return solvers::test::same_bits(a, b); });
  }

 private:
  static constexpr double t = 0.2, dt = 0.01;

  static Domain<D> box(bool periodic) {
    Domain<D> domain;
    domain.base_level = 1;
    domain.base_cells.fill(2);
    domain.base_cells[0] = 3;
    domain.periodic.fill(periodic);
    return domain;
  }
  // Periodic along all axes, or another condition on each face.
  static Boundaries<D> conditions(bool periodic) {
    static const BoundaryCondition extrapolated{.name = "extrapolated",
                                                .meaning = "",
                                                .fill = extrapolate,
                                                .on_device = BoundaryCondition::OnDevice::extrapolated};
    const BoundaryCondition* const all[] = {&boundary::outflow, &boundary::reflecting, &boundary::given,
                                            &extrapolated, &boundary::diode};
    Boundaries<D> of_face;
    for (std::size_t face = 0; face < 2 * D; ++face)
      of_face[face] = periodic ? &boundary::periodic : all[(face + D) % 5];
    return of_face;
  }
  static void given(int face, const double* x, double dx, double time, double* q) {
    for (int n = 0; n < D + 2; ++n) q[n] = 1 + face + std::sin(7 * x[0] + 3 * x[1] + n) + dx * time;
  }

  // Of a leaf of the view; only own leaves have slots.
  solvers::PatchTask task(std::size_t leaf) const {
    if (leaf < mesh_.size()) return mesh_.patches()[leaf];
    const Cell<D>& cell = mesh_.view().neighbours().cells()[leaf];
    solvers::PatchTask result;
    result.dx = mesh_.tree().domain().width(cell.level) / mesh_.layout().p;
    std::ranges::copy(mesh_.tree().domain().lower_corner(cell), result.lower);
    return result;
  }
  void reset_host() {
    for (std::size_t leaf = 0; leaf < initial_.size(); ++leaf)
      std::copy_n(initial_[leaf].q, mesh_.layout().slot_size(), tasks_[leaf].q);
  }
  // Memory for the operations of tables, with contents of another table.
  static typename FillTables<D>::MemoryOfOps memory_in(std::vector<solvers::FillOp>& ops) {
    return [&ops](std::size_t count) {
      ops.assign(count,
                 {nullptr, 7, 7, {7, 7, 7}, {7, 7, 7}, {7, 7, 7}, solvers::FillOp::Kind::receive, 7, 7});
      return std::span(ops);
    };
  }
  // By leaf of the view, without ghost patches.
  std::vector<double*> places_of(std::vector<Patch>& slots) const {
    std::vector<double*> places(mesh_.view().size(), nullptr);
    std::ranges::transform(slots, places.begin(), &Patch::q);
    return places;
  }

  const FluxCorrection<D>& fluxes() const { return mesh_.exchange().fluxes(); }
  // Collective: sends the sums of the fluxes.
  void draw_fluxes(std::mt19937& random) {
    std::uniform_real_distribution<double> draw(-1, 1);
    for (const auto& entry : fluxes().registers()) {
      double* const flux = tasks_[static_cast<std::size_t>(entry.leaf)].flux[entry.face];
      registers_ = flux - entry.offset;
      std::generate_n(flux, mesh_.layout().face_flux_size(), [&] { return draw(random); });
    }
    for (std::size_t leaf = 0; leaf < mesh_.size(); ++leaf) mesh_.exchange().fluxes().add_step(leaf, 0);
    mesh_.exchange().fluxes().messages().start_receives();
    mesh_.exchange().fluxes().start_sends(team_);
    mesh_.exchange().finish_fluxes();
  }
  std::size_t leaf_of(std::size_t index) const {
    return static_cast<std::size_t>(mesh_.exchange().order()[index]);
  }
  RefluxTables<D> reflux_tables(std::vector<Patch>& slots) {
    std::vector<std::int32_t> index_of(slots.size());
    for (std::size_t index = 0; index < slots.size(); ++index)
      index_of[leaf_of(index)] = static_cast<std::int32_t>(index);
    const std::vector<double*> places = places_of(slots);
    return {fluxes(),
            registers_,
            mesh_.patches(),
            index_of,
            mesh_.exchange().border(),
            {places, fluxes().messages().receive_buffer()}};
  }
  // After the update of each leaf.
  std::vector<solvers::PatchStatus> initial_status() const {
    std::vector<solvers::PatchStatus> status(mesh_.size());
    for (std::size_t leaf = 0; leaf < status.size(); ++leaf) {
      status[leaf].max_rate = 1e9;
      status[leaf].first_order = 7;
      status[leaf].floored = static_cast<std::int64_t>(leaf);
      status[leaf].admissible = leaf % 5 > 0;
    }
    return status;
  }

  solvers::test::GasSolver solver_;
  Pde pde_ = solvers::test::GasSolver::terms<D>();
  ThreadTeam team_{2};
  PatchMesh<D> mesh_;
  BoundaryFill<D> boundaries_;
  HaloExchange<D> exchange_;
  std::vector<solvers::PatchTask> tasks_;  // of the view; the host's slots
  std::vector<Patch> initial_;
  std::vector<std::int32_t> order_;
  double* registers_ = nullptr;
  std::vector<solvers::PatchStatus> status_;
};

}  // namespace meander::mesh::test
