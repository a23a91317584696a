// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The plans of a rank's mesh as tables of device kernels (solvers/resident.hpp).

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/thread_team.hpp"
#include "mesh/boundary_condition.hpp"
#include "mesh/flux_correction.hpp"
#include "mesh/halo_plan.hpp"
#include "solvers/resident.hpp"

namespace meander::mesh {

// Device addresses that tables refer to.
struct DevicePlaces {
  std::span<double* const> slots;    // of own leaves, and of ghost patches by their leaf of the view
  const double* received = nullptr;  // the receive buffer of the messages
};

// Sets the box of an item of a table.
template <int D, class Item>
void set_box(Item& item, const solvers::Box<D>& box) {
  for (std::size_t a = 0; a < D; ++a) {
    item.lower[a] = static_cast<std::int16_t>(box.lower[a]);
    item.extent[a] = static_cast<std::int16_t>(box.extent[a]);
  }
}

// A box of given boundary values: its place among all of them.
template <int D>
struct GivenBox {
  std::int32_t leaf = 0;
  int face = 0;  // 2 * axis + side
  solvers::Box<D> box;
  std::size_t offset = 0, op = 0;
};

// The operations of a HaloPlan. A group of targets is filled by one launch.
template <int D>
struct FillTables {
  enum Group { first_local, first_received, ghosts, second_local, second_waiting, groups };

  std::span<solvers::FillOp> ops;
  std::vector<solvers::FillPart> parts;
  std::vector<solvers::FillTarget> targets;
  std::int32_t group_begin[groups + 1] = {};
  std::vector<solvers::PackItem> outgoing;
  std::vector<GivenBox<D>> given;
  std::size_t given_doubles = 0;

  // Returns memory for this number of operations, which outlives the tables.
  using MemoryOfOps = std::function<std::span<solvers::FillOp>(std::size_t count)>;

  FillTables() = default;
  // order: the own leaves in the order of the targets.
  FillTables(const HaloPlan<D>& plan, const LocalView<D>& view, const BoundaryFill<D>& boundaries,
             std::span<const std::int32_t> order, int unknowns, const DevicePlaces& places,
             const MemoryOfOps& memory, const ThreadTeam& team = ThreadTeam(1));
  // Sets the address of the given boundary values, given_doubles in number.
  void place_given(const double* values) {
    for (const GivenBox<D>& box : given) ops[box.op].source = values + box.offset;
  }

 private:
  struct Context {
    const HaloPlan<D>& plan;
    const LocalView<D>& view;
    const BoundaryFill<D>& boundaries;
    const DevicePlaces& places;
  };
  // The operations of a target, in order of execution.
  struct Listed {
    std::size_t leaf;
    std::span<const HaloOp<D>> first, then;
  };
  std::vector<Listed> list_targets(const Context& context, std::span<const std::int32_t> order);
  void set(const Context& context, const HaloOp<D>& from, solvers::FillOp& op) const;
  void set_parts(const Context& context, const ThreadTeam& team);
  void list_given(const Context& context, std::span<const Listed> listed, int unknowns);
  void list_outgoing(const Context& context);
};

// The tables of flux correction. Targets and outgoing items of border leaves come first.
template <int D>
struct RefluxTables {
  std::vector<solvers::RefluxTarget> targets;
  std::vector<solvers::CoarseFace> faces;
  std::vector<solvers::FluxPart> parts;
  std::vector<solvers::FluxPackItem> outgoing;
  std::int32_t border = 0;  // number of targets that are border leaves

  RefluxTables() = default;
  // registers, received, sums: on the device. index_of: of an own leaf in the order of updates. sums: of fine faces
  // over several steps, which are sent by other tables; null: their registers correct coarse faces.
  RefluxTables(const FluxCorrection<D>& correction, double* registers,
               std::span<const solvers::PatchTask> patches, std::span<const std::int32_t> index_of,
               std::size_t border_leaves, const DevicePlaces& places, const double* sums = nullptr);
};

}  // namespace meander::mesh
