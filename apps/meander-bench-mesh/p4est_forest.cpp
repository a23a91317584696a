// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include <p4est_algorithms.h>
#include <p4est_bits.h>
#include <p4est_extended.h>
#include <p4est_mesh.h>
#include <p4est_search.h>
#include <p8est_algorithms.h>
#include <p8est_bits.h>
#include <p8est_extended.h>
#include <p8est_mesh.h>
#include <p8est_search.h>

#include <utility>

#include "phases.hpp"

namespace meander::bench {
namespace {

int fractal_depth = 0;

// Common names for the functions of p4est (2D) and p8est (3D).
struct Forest2 {
  using Forest = p4est_t;
  using Quadrant = p4est_quadrant_t;
  static Forest* start(MPI_Comm comm, p4est_connectivity_t* cube) {
    return p4est_new_ext(comm, cube, 0, start_level, 1, 0, nullptr, nullptr);
  }
  static p4est_connectivity_t* new_cube() { return p4est_connectivity_new_unitsquare(); }
  static void destroy_cube(p4est_connectivity_t* cube) { p4est_connectivity_destroy(cube); }
  static constexpr auto child_id = p4est_quadrant_child_id;
  static constexpr auto refine = p4est_refine;
  static constexpr auto coarsen = p4est_coarsen;
  static constexpr auto balance = p4est_balance;
  static constexpr auto partition = p4est_partition_given;
  static constexpr auto copy = p4est_copy;
  static constexpr auto destroy = p4est_destroy;
  static constexpr auto ghost_new = p4est_ghost_new;
  static constexpr auto ghost_destroy = p4est_ghost_destroy;
  static constexpr auto mesh_new = p4est_mesh_new;
  static constexpr auto mesh_destroy = p4est_mesh_destroy;
  static constexpr auto search = p4est_search_local;
  static constexpr auto full = P4EST_CONNECT_FULL;
  static constexpr double root_length = P4EST_ROOT_LEN;
  static double length(const Quadrant* q) { return P4EST_QUADRANT_LEN(q->level); }
  static double corner(const Quadrant* q, int axis) { return axis == 0 ? q->x : q->y; }
};

struct Forest3 {
  using Forest = p8est_t;
  using Quadrant = p8est_quadrant_t;
  static Forest* start(MPI_Comm comm, p8est_connectivity_t* cube) {
    return p8est_new_ext(comm, cube, 0, start_level, 1, 0, nullptr, nullptr);
  }
  static p8est_connectivity_t* new_cube() { return p8est_connectivity_new_unitcube(); }
  static void destroy_cube(p8est_connectivity_t* cube) { p8est_connectivity_destroy(cube); }
  static constexpr auto child_id = p8est_quadrant_child_id;
  static constexpr auto refine = p8est_refine;
  static constexpr auto coarsen = p8est_coarsen;
  static constexpr auto balance = p8est_balance;
  static constexpr auto partition = p8est_partition_given;
  static constexpr auto copy = p8est_copy;
  static constexpr auto destroy = p8est_destroy;
  static constexpr auto ghost_new = p8est_ghost_new;
  static constexpr auto ghost_destroy = p8est_ghost_destroy;
  static constexpr auto mesh_new = p8est_mesh_new;
  static constexpr auto mesh_destroy = p8est_mesh_destroy;
  static constexpr auto search = p8est_search_local;
  static constexpr auto full = P8EST_CONNECT_FULL;
  static constexpr double root_length = P8EST_ROOT_LEN;
  static double length(const Quadrant* q) { return P8EST_QUADRANT_LEN(q->level); }
  static double corner(const Quadrant* q, int axis) { return axis == 0 ? q->x : axis == 1 ? q->y : q->z; }
};

template <int D>
using Library = std::conditional_t<D == 2, Forest2, Forest3>;

template <class L>
int refine_fractal(typename L::Forest*, p4est_topidx_t, typename L::Quadrant* quadrant) {
  if (quadrant->level >= fractal_depth) return 0;
  const int id = L::child_id(quadrant);
  return id == 0 || id == 3 || id == 5 || id == 6;
}

template <class L>
int coarsen_all(typename L::Forest*, p4est_topidx_t, typename L::Quadrant**) {
  return 1;
}

template <int D>
struct SearchedPoint {
  Point<D> x;
  p4est_locidx_t leaf;
};

template <int D>
int holds_point(typename Library<D>::Forest*, p4est_topidx_t, typename Library<D>::Quadrant* quadrant,
                p4est_locidx_t leaf, void* searched) {
  using L = Library<D>;
  auto& point = *static_cast<SearchedPoint<D>*>(searched);
  const double length = L::length(quadrant);
  for (int a = 0; a < D; ++a) {
    const double offset = point.x[a] * L::root_length - L::corner(quadrant, a);
    if (offset < 0 || offset >= length) return 0;
  }
  if (leaf >= 0) point.leaf = leaf;
  return 1;
}

}  // namespace

template <int D>
Sample p4est_round(int depth, const parallel::Communicator& communicator) {
  using L = Library<D>;
  static const std::vector<Point<D>> where = random_points<D>();
  fractal_depth = depth;
  const int ranks = communicator.size();
  Sample sample;
  const auto record = [&](Phase phase, const Timer& timer, std::int64_t items) {
    sample.seconds[phase] = timer.seconds();
    sample.items[phase] = static_cast<double>(items);
  };
  const auto cut = [&](typename L::Forest* forest, const std::vector<std::int64_t>& cuts) {
    std::vector<p4est_locidx_t> counts;
    for (std::size_t r = 0; r + 1 < cuts.size(); ++r)
      counts.push_back(static_cast<p4est_locidx_t>(cuts[r + 1] - cuts[r]));
    Timer timer(communicator);
    L::partition(forest, counts.data());
    record(partition, timer, forest->global_num_quadrants);
  };
  auto* const cube = L::new_cube();
  auto* const forest = L::start(communicator.get(), cube);

  Timer refine_timer(communicator);
  L::refine(forest, 1, refine_fractal<L>, nullptr);
  record(refine, refine_timer, forest->global_num_quadrants);

  auto* const coarsened = L::copy(forest, 0);
  Timer coarsen_timer(communicator);
  L::coarsen(coarsened, 0, coarsen_all<L>, nullptr);
  record(coarsen, coarsen_timer, forest->global_num_quadrants);
  L::destroy(coarsened);

  cut(forest, even_cuts(forest->global_num_quadrants, ranks));
  Timer balance_timer(communicator);
  L::balance(forest, L::full, nullptr);
  record(balance, balance_timer, forest->global_num_quadrants);

  const std::int64_t leaves = forest->global_num_quadrants;
  cut(forest, even_cuts(leaves, ranks));
  if (ranks > 1) {
    auto* const moved = L::copy(forest, 0);
    cut(moved, shifted_cuts(leaves, ranks, moved_share));
    L::destroy(moved);
  } else {
    sample.seconds[partition] = sample.items[partition] = 0;
  }

  Timer ghost_timer(communicator);
  auto* const layer = L::ghost_new(forest, L::full);
  record(ghosts, ghost_timer, leaves);

  Timer neighbours_timer(communicator);
  auto* const lists = L::mesh_new(forest, layer, L::full);
  record(neighbours, neighbours_timer, leaves);

  sc_array_t* const searched = sc_array_new_count(sizeof(SearchedPoint<D>), where.size());
  for (std::size_t i = 0; i < where.size(); ++i)
    *static_cast<SearchedPoint<D>*>(sc_array_index(searched, i)) = {where[i], -1};
  Timer points_timer(communicator);
  L::search(forest, 0, nullptr, holds_point<D>, searched);
  record(points, points_timer, static_cast<std::int64_t>(where.size()));

  sc_array_destroy(searched);
  L::mesh_destroy(lists);
  L::ghost_destroy(layer);
  L::destroy(forest);
  L::destroy_cube(cube);
  return sample;
}

template Sample p4est_round<2>(int, const parallel::Communicator&);
template Sample p4est_round<3>(int, const parallel::Communicator&);

}  // namespace meander::bench
