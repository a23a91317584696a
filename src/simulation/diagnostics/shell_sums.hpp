// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Integrals over spherical (2D: circular) shells about a centre, of quantities of the state. With planes of symmetry
// (mirrors.hpp), which contain the centre: over the domain and its mirror images.
//
// Every volume is treated as a slab from r - w/2 to r + w/2, where w is the width of its level rounded to
// whole shells. Its integral is distributed linearly over the shells it spans, so that coarse volumes leave
// no gaps and an integral over a ball is smooth in its radius. All sums are over integers (multiples of a
// power of two), so that the result is bitwise identical for any order, number of threads and partition.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/vec.hpp"
#include "simulation/scenario.hpp"

namespace meander::simulation {

// Shells [i dr, (i + 1) dr) for i = 0 .. count - 1.
struct ShellGrid {
  int dim = 3;
  std::array<double, 3> centre{};
  double dr = 0;
  int count = 0;
  double radius(int edge) const { return edge * dr; }
};

// The slabs of a level whose volumes are dx wide.
struct Slabs {
  int factor = 1;  // their width in shells
  int edges = 0;   // edges 0 .. edges belong to the grid, and edge edges + 1 to everything outside

  Slabs(const ShellGrid& grid, double dx)
      : factor(static_cast<int>(std::fmax(1.0, std::floor(dx / grid.dr + 0.5)))),
        edges((grid.count + factor - 1) / factor + 1) {}
  double width(const ShellGrid& grid) const { return factor * grid.dr; }
};

// The packed rows of one plane of a patch, the argument of an integrand. All arrays have n entries.
struct PlaneView {
  int n = 0;
  const double* unknown[8] = {};
  const double* x = nullptr;  // relative to the centre
  const double* y = nullptr;
  double z = 0;
  const double* r = nullptr;
  double volume = 0;  // of each
};

template <int Q>
class ShellSums {
 public:
  // Integrates Q quantities. integrand(plane, out) writes their integrals over each volume into out[q][0 .. n
  // - 1]; where patches live on a device, quantity q is computed there by batches[q], of which this sets grid and scale, by the
  // same operations. Each is rounded to a multiple of quantum[q] (a power of two); magnitudes must stay below 2^51
  // quanta a volume and 2^63 in sum. Reads unknowns 0 .. unknowns_read - 1 of all patches that reach into the
  // grid, of all ranks. Collective.
  template <class Integrand>
  void sum(const StateView& view, const ShellGrid& grid, int unknowns_read,
           const std::array<double, Q>& quantum, const std::array<solvers::ShellBatch, Q>& batches,
           const Integrand& integrand);

  // The same by other means: where patches live on a device, it computes quantity q there by batches[q], of which
  // this sets grid and scale; otherwise add_leaf(leaf, slabs, slots) adds the integers of a leaf that reaches into the
  // grid to slots[2 * Q * edge + q], whole integrals, and slots[2 * Q * edge + Q + q], the parts above the edge. The
  // sums of levels coarser than `coarsest` are 0. Collective.
  template <class AddLeaf>
  void sum_leaves(const StateView& view, const ShellGrid& grid, const std::array<double, Q>& quantum,
                  std::array<solvers::ShellBatch, Q> batches, int coarsest, const AddLeaf& add_leaf);

  // The sums over the leaves of one level, as signed integers; empty if no rank has such leaves. They may be
  // replaced by others for the same grid and widths.
  std::span<std::uint64_t> sums_of(int level) {
    const Level& of = levels_[static_cast<std::size_t>(level)];
    return std::span(sums_).subspan(of.offset, of.size());
  }

  // Integral of quantity q over the ball of radius i dr, i = 0 .. count. The smearing by the slabs is
  // corrected to second order. Between the radii that a level resolves, the integral is linear in the ball's
  // volume.
  std::vector<double> inside(int q) const;

  // Integral over each shell, i = 0 .. count - 1; integrals of wider shells of a level are distributed
  // evenly.
  std::vector<double> shells(int q) const;

 private:
  // A slot sums over the volumes whose slab contains its edge: whole integrals, and the parts above the edge.
  static constexpr std::size_t slot_size = 2 * Q;
  struct Level {
    double dx = 0;
    int factor = 0;  // slab width in shells; 0: no such level here
    int edges = 0;   // slots 0 .. edges belong to the grid, slot edges + 1 to everything outside
    std::size_t offset = 0;
    std::size_t size() const { return factor == 0 ? 0 : static_cast<std::size_t>(edges + 2) * slot_size; }
  };
  static constexpr int max_levels = 16;

  double whole(const Level& level, int edge, int q) const { return value(level, edge, q); }
  double above(const Level& level, int edge, int q) const { return value(level, edge, Q + q); }
  double value(const Level& level, int edge, int part) const {
    const auto slot =
        level.offset + static_cast<std::size_t>(edge) * slot_size + static_cast<std::size_t>(part);
    return static_cast<double>(static_cast<std::int64_t>(sums_[slot])) *
           (images_ * quantum_[static_cast<std::size_t>(part % Q)]);
  }
  void lay_out(const StateView& view, const ShellGrid& grid);
  bool sum_on_device(const StateView& view, std::array<solvers::ShellBatch, Q> batches, int coarsest);
  // Calls add(thread, leaf, slabs, slots) for the leaves of this rank, of this level and finer ones.
  template <class Add>
  void sum_own(const StateView& view, int coarsest, const Add& add);
  static void place(const PlaneView& plane, double per_width, std::int32_t last_edge, const double* scale,
                    double* const* values, std::int32_t* edges, std::uint64_t* quanta, std::size_t stride);
  static void scatter(int count, const std::int32_t* edges, const std::uint64_t* quanta, std::size_t stride,
                      std::uint64_t* slots);

  ShellGrid grid_;
  std::array<double, Q> quantum_{};
  double images_ = 1;
  std::array<Level, max_levels> levels_{};
  std::vector<std::uint64_t> sums_;
  std::vector<std::vector<std::uint64_t>> partial_;  // one a thread
};

// Distances from the grid's centre to the nearest and to the farthest point of a patch.
struct DistanceRange {
  double nearest = 0, farthest = 0;
};
DistanceRange distances(const solvers::PatchTask& patch, const solvers::PatchLayout& layout,
                        const ShellGrid& grid);
// Whether all slabs of a patch lie outside the grid.
inline bool is_beyond(const solvers::PatchTask& patch, const solvers::PatchLayout& layout,
                      const ShellGrid& grid, const Slabs& slabs) {
  return distances(patch, layout, grid).nearest > (slabs.edges + 1) * slabs.width(grid);
}

namespace shell_sums_detail {

// Packs a patch plane by plane.
class PlaneReader {
 public:
  PlaneReader(const solvers::PatchLayout& layout, const ShellGrid& grid, int unknowns_read);
  void open(const solvers::PatchTask& patch);
  int planes() const { return layout_.dim == 3 ? layout_.p : 1; }
  PlaneView read(int k);

 private:
  solvers::PatchLayout layout_;
  ShellGrid grid_;
  int unknowns_;
  const solvers::PatchTask* patch_ = nullptr;
  std::size_t n_;
  std::vector<double> x_, y_, xy2_, r_, rows_;
};

// Rounds to the nearest integer if |value| < 2^51. Otherwise, and for NaN, the result is an unspecified
// integer.
inline std::uint64_t rounded(double value) {
  constexpr double magic = 6755399441055744.0;  // 1.5 * 2^52: the sum's last digit is the unit
  return std::bit_cast<std::uint64_t>(value + magic) - std::bit_cast<std::uint64_t>(magic);
}

}  // namespace shell_sums_detail

template <int Q>
template <class Integrand>
void ShellSums<Q>::sum(const StateView& view, const ShellGrid& grid, int unknowns_read,
                       const std::array<double, Q>& quantum,
                       const std::array<solvers::ShellBatch, Q>& batches, const Integrand& integrand) {
  using namespace shell_sums_detail;
  lay_out(view, grid);
  quantum_ = quantum;
  if (sum_on_device(view, batches, 0)) return view.communicator.sum(std::span<std::uint64_t>(sums_));
  // Of one thread.
  struct Work {
    PlaneReader reader;
    std::vector<double> values;
    std::vector<std::uint64_t> quanta;
    std::vector<std::int32_t> edges;
    double *out[Q], scale[Q];
  };
  std::vector<std::unique_ptr<Work>> works(static_cast<std::size_t>(view.team.size()));
  const auto plane_size = static_cast<std::size_t>(view.layout.p) * static_cast<std::size_t>(view.layout.p);
  sum_own(view, 0, [&](int thread, std::size_t leaf, const Slabs& slabs, std::uint64_t* slots) {
    auto& work = works[static_cast<std::size_t>(thread)];
    if (!work) {
      work.reset(new Work{PlaneReader(view.layout, grid, unknowns_read),
                          std::vector<double>(Q * plane_size),
                          std::vector<std::uint64_t>(slot_size * plane_size),
                          std::vector<std::int32_t>(plane_size),
                          {},
                          {}});
      for (std::size_t q = 0; q < Q; ++q) {
        work->out[q] = work->values.data() + q * plane_size;
        work->scale[q] = 1 / quantum[q];
      }
    }
    work->reader.open(view.patches[leaf]);
    for (int k = 0; k < work->reader.planes(); ++k) {
      const PlaneView plane = work->reader.read(k);
      integrand(plane, work->out);
      place(plane, 1 / slabs.width(grid), slabs.edges + 1, work->scale, work->out, work->edges.data(),
            work->quanta.data(), plane_size);
      scatter(plane.n, work->edges.data(), work->quanta.data(), plane_size, slots);
    }
  });
  view.communicator.sum(std::span<std::uint64_t>(sums_));
}

template <int Q>
template <class AddLeaf>
void ShellSums<Q>::sum_leaves(const StateView& view, const ShellGrid& grid,
                              const std::array<double, Q>& quantum,
                              std::array<solvers::ShellBatch, Q> batches, int coarsest,
                              const AddLeaf& add_leaf) {
  lay_out(view, grid);
  quantum_ = quantum;
  if (!sum_on_device(view, batches, coarsest)) {
    sum_own(view, coarsest, [&](int, std::size_t leaf, const Slabs& slabs, std::uint64_t* slots) {
      add_leaf(leaf, slabs, slots);
    });
  }
  std::size_t summed = 0;
  for (int level = 0; level < coarsest; ++level) summed += sums_of(level).size();
  view.communicator.sum(std::span<std::uint64_t>(sums_).subspan(summed));
}

// False, and nothing done, if the patches do not live there.
template <int Q>
bool ShellSums<Q>::sum_on_device(const StateView& view, std::array<solvers::ShellBatch, Q> batches,
                                 int coarsest) {
  std::vector<std::uint64_t> of_quantity(sums_.size() / Q);
  for (std::size_t q = 0; q < Q; ++q) {
    solvers::ShellBatch& batch = batches[q];
    for (std::size_t n = 0; n < levels_.size(); ++n) {
      const Level& level = levels_[n];
      if (level.factor == 0 || static_cast<int>(n) < coarsest) continue;
      batch.levels[n] = {level.dx, 1 / (level.factor * grid_.dr), level.edges + 1,
                         static_cast<std::int32_t>(level.offset / Q)};
    }
    std::copy(grid_.centre.begin(), grid_.centre.end(), batch.centre);
    batch.scale = 1 / quantum_[q];
    if (!view.source->sum_shells(batch, of_quantity)) return false;
    for (std::size_t slot = 0; slot < of_quantity.size() / 2; ++slot) {
      sums_[slot * slot_size + q] = of_quantity[2 * slot];
      sums_[slot * slot_size + Q + q] = of_quantity[2 * slot + 1];
    }
  }
  return true;
}

template <int Q>
template <class Add>
void ShellSums<Q>::sum_own(const StateView& view, int coarsest, const Add& add) {
  partial_.resize(static_cast<std::size_t>(view.team.size()));
  for (auto& partial : partial_) partial.clear();
  const auto patches = view.patches.geometry();
  view.team.for_chunks(patches.size(), [&](int thread, std::size_t begin, std::size_t end) {
    auto& slots = partial_[static_cast<std::size_t>(thread)];
    slots.assign(sums_.size(), 0);
    for (std::size_t leaf = begin; leaf < end; ++leaf) {
      if (view.levels[leaf] < coarsest) continue;
      const Slabs slabs(grid_, patches[leaf].dx);
      if (is_beyond(patches[leaf], view.layout, grid_, slabs)) continue;
      add(thread, leaf, slabs, slots.data() + levels_[static_cast<std::size_t>(view.levels[leaf])].offset);
    }
  });
  for (const auto& partial : partial_) {
    for (std::size_t slot = 0; slot < partial.size(); ++slot) sums_[slot] += partial[slot];
  }
}

// The edge that each volume's slab contains, and its integrals in quanta: whole, and above that edge.
template <int Q>
void ShellSums<Q>::place(const PlaneView& plane, double per_width, std::int32_t last_edge,
                         const double* scale, double* const* values, std::int32_t* edges,
                         std::uint64_t* quanta, std::size_t stride) {
  const double* __restrict__ r = plane.r;
  std::int32_t* __restrict__ edge_of = edges;
  for (int n = 0; n < plane.n; ++n) {
    const auto edge = static_cast<std::int32_t>(r[n] * per_width + 0.5);
    edge_of[n] = edge < last_edge ? edge : last_edge;
  }
  for (std::size_t q = 0; q < Q; ++q) {
    const double* __restrict__ value = values[q];
    std::uint64_t* __restrict__ whole_quanta = quanta + q * stride;
    std::uint64_t* __restrict__ quanta_above = quanta + (Q + q) * stride;
    const double factor = scale[q];
    for (int n = 0; n < plane.n; ++n) {
      const double s = r[n] * per_width + 0.5;
      const double above = s - static_cast<std::int32_t>(s);
      const double v = value[n] * factor;
      whole_quanta[n] = shell_sums_detail::rounded(v);
      quanta_above[n] = shell_sums_detail::rounded(v * above);
    }
  }
}

template <int Q>
void ShellSums<Q>::scatter(int count, const std::int32_t* edges, const std::uint64_t* quanta,
                           std::size_t stride, std::uint64_t* slots) {
  for (std::size_t n = 0; n < static_cast<std::size_t>(count); ++n) {
    std::uint64_t* slot = slots + static_cast<std::size_t>(edges[n]) * slot_size;
    for (std::size_t part = 0; part < slot_size; ++part) slot[part] += quanta[part * stride + n];
  }
}

template <int Q>
void ShellSums<Q>::lay_out(const StateView& view, const ShellGrid& grid) {
  grid_ = grid;
  images_ = view.mirrors->images();
  levels_ = {};
  for (std::size_t level = 0; level < view.level_dx.size(); ++level) levels_[level].dx = view.level_dx[level];
  std::size_t slots = 0;
  for (Level& level : levels_) {
    if (level.dx == 0) continue;
    const Slabs slabs(grid, level.dx);
    level.factor = slabs.factor;
    level.edges = slabs.edges;
    level.offset = slots;
    slots += level.size();
  }
  sums_.assign(slots, 0);
}

template <int Q>
std::vector<double> ShellSums<Q>::inside(int q) const {
  std::vector<double> total(static_cast<std::size_t>(grid_.count) + 1, 0.0);
  for (const Level& level : levels_) {
    if (level.factor == 0) continue;
    const auto edges = static_cast<std::size_t>(level.edges);
    std::vector<double> raw(edges + 1, 0.0), ball(edges + 1, 0.0);
    double below = whole(level, 0, q);
    for (int e = 1; e <= level.edges; ++e) {
      raw[static_cast<std::size_t>(e)] = below + whole(level, e, q) - above(level, e, q);
      below += whole(level, e, q);
    }
    // A slab of width w adds w^2 / 24 times the second derivative.
    for (std::size_t e = 1; e < edges; ++e) ball[e] = raw[e] - (raw[e + 1] - 2 * raw[e] + raw[e - 1]) / 24;
    ball[edges] = raw[edges];
    for (int i = 1; i <= grid_.count; ++i) {
      const int e = i / level.factor;
      const double inner = ipow<double>(e, grid_.dim), outer = ipow<double>(e + 1, grid_.dim);
      const double f = (ipow(static_cast<double>(i) / level.factor, grid_.dim) - inner) / (outer - inner);
      const auto j = static_cast<std::size_t>(e);
      total[static_cast<std::size_t>(i)] += ball[j] + f * (ball[j + 1] - ball[j]);
    }
  }
  return total;
}

template <int Q>
std::vector<double> ShellSums<Q>::shells(int q) const {
  std::vector<double> total(static_cast<std::size_t>(grid_.count), 0.0);
  for (const Level& level : levels_) {
    if (level.factor == 0) continue;
    for (int i = 0; i < grid_.count; ++i) {
      const int e = i / level.factor;
      // Slabs about the centre lie above radius 0 altogether.
      const double lower_part = e == 0 ? whole(level, 0, q) : above(level, e, q);
      const double shell = lower_part + whole(level, e + 1, q) - above(level, e + 1, q);
      total[static_cast<std::size_t>(i)] += shell / level.factor;
    }
  }
  return total;
}

}  // namespace meander::simulation
