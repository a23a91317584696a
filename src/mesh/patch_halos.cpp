// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The halo exchange of a patch mesh: within the rank by the plan's operations, between ranks by messages.
#include <algorithm>

#include "base/trace.hpp"
#include "mesh/patch_mesh.hpp"
#include "solvers/boxes.hpp"
#include "solvers/patch_copy.hpp"
#include "solvers/prolongation.hpp"
#include "solvers/restriction.hpp"

namespace meander::mesh {
namespace {

// Fills the halo behind a face by the polynomial, cubic if the patch is wide enough, through the last volumes
// before it: differences that read it are one-sided ones.
template <int D>
void extrapolate(const solvers::PatchLayout& layout, double* q, const solvers::Box<D>& box, int axis,
                 int side) {
  constexpr int most_nodes = 4;
  const auto a = static_cast<std::size_t>(axis);
  const int nodes = std::min(most_nodes, layout.p), last = side == 0 ? 0 : layout.p - 1;
  const std::ptrdiff_t inwards = side == 0 ? layout.stride(axis) : -layout.stride(axis);
  solvers::for_rows<D>(box, [&](Index<D> i) {
    for (int n = 0; n < box.extent[0]; ++n, ++i[0]) {
      const int beyond = side == 0 ? -i[a] : i[a] - last;
      double weight[most_nodes];
      for (int m = 0; m < nodes; ++m) {
        weight[m] = 1;
        for (int other = 0; other < nodes; ++other) {
          if (other != m) weight[m] *= static_cast<double>(-beyond - other) / (m - other);
        }
      }
      Index<D> edge = i;
      edge[a] = last;
      for (int u = 0; u < layout.unknowns; ++u) {
        const double* from = q + layout.at(u, edge);
        // As differences to the nearest: constants come out exactly.
        double sum = from[0];
        for (int m = 1; m < nodes; ++m) sum += weight[m] * (from[m * inwards] - from[0]);
        q[layout.at(u, i)] = sum;
      }
    }
  });
}

}  // namespace

template <int D>
void PatchMesh<D>::fill_halos(double t, ThreadTeam& team) {
  halo_messages_.start_receives();
  team.for_chunks(size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t leaf = begin; leaf < end; ++leaf) {
      sum_parts(leaf);
      pack(plan_.outgoing_volumes(leaf), plan_.outgoing_parts(leaf));
    }
  });
  start_halos(team);
  const auto fill = [&](bool receiving) {
    team.for_chunks(size(), [&](int, std::size_t begin, std::size_t end) {
      for (std::size_t leaf = begin; leaf < end; ++leaf) {
        if (receives(leaf) != receiving) continue;
        for (const HaloOp<D>& op : plan_.early(leaf)) apply(op, patches_[leaf], t);
        for (const HaloOp<D>& op : plan_.late(leaf)) apply(op, patches_[leaf], t);
      }
    });
  };
  fill(false);
  finish_halos(team);
  fill(true);
}

template <int D>
void PatchMesh<D>::sum_parts(std::size_t leaf) const {
  for (const PartJob& job : plan_.jobs(leaf)) {
    const FineSource<D>& part = plan_.part(job);
    solvers::restrict_part<D>(layout_, patches_[leaf].q, part.position(), plan_.op(job).restriction(),
                              parts_.data() + part.offset);
  }
}

template <int D>
void PatchMesh<D>::exchange_updated(std::size_t place, const UpdateOrder& updates) {
  const auto leaf = static_cast<std::size_t>(order_[place]);
  for (const HaloOp<D>& op : plan_.early(leaf)) {
    const auto source = static_cast<std::size_t>(op.source), other = static_cast<std::size_t>(place_[source]);
    if (!updates.knows_before(other, place)) continue;
    apply(op, patches_[leaf], 0);
    if (other != place) apply(op.reversed(static_cast<std::int32_t>(leaf)), patches_[source], 0);
  }
  sum_parts(leaf);
  pack(plan_.outgoing_volumes(leaf), plan_.outgoing_parts(leaf));
}

template <int D>
void PatchMesh<D>::finish_halo(std::size_t place, const UpdateOrder& updates, double t) const {
  const auto leaf = static_cast<std::size_t>(order_[place]);
  for (const HaloOp<D>& op : plan_.early(leaf)) {
    const auto other = static_cast<std::size_t>(place_[static_cast<std::size_t>(op.source)]);
    if (updates.leaves_out(other)) apply(op, patches_[leaf], t);
  }
  for (const HaloOp<D>& op : plan_.late(leaf)) apply(op, patches_[leaf], t);
}

template <int D>
void PatchMesh<D>::expect_messages() {
  flux_messages_.start_receives();
  halo_messages_.start_receives();
}

template <int D>
void PatchMesh<D>::start_fluxes(ThreadTeam& team) {
  team.for_chunks(flux_correction_.outgoing(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) flux_correction_.pack(i, flux_messages_.send_buffer());
  });
  flux_messages_.start_sends();
}

template <int D>
void PatchMesh<D>::finish_fluxes() {
  const trace::Scope scope("wait for fluxes");
  flux_messages_.wait();
}

template <int D>
void PatchMesh<D>::start_halos(ThreadTeam& team) {
  const auto volumes = plan_.late_outgoing_volumes();
  team.for_chunks(volumes.size(), [&](int, std::size_t begin, std::size_t end) {
    pack(volumes.subspan(begin, end - begin), {});
  });
  const auto parts = plan_.late_outgoing_parts();
  team.for_chunks(parts.size(), [&](int, std::size_t begin, std::size_t end) {
    pack({}, parts.subspan(begin, end - begin));
  });
  halo_messages_.start_sends();
}

template <int D>
void PatchMesh<D>::pack(std::span<const OutgoingVolumes<D>> volumes, std::span<const OutgoingPart<D>> parts) {
  double* const buffer = halo_messages_.send_buffer();
  for (const auto& item : volumes) {
    solvers::pack<D>(layout_, patches_[static_cast<std::size_t>(item.leaf)].q, item.box,
                     buffer + item.offset);
  }
  for (const auto& item : parts) {
    solvers::restrict_part<D>(layout_, patches_[static_cast<std::size_t>(item.leaf)].q, item.child,
                              item.restriction, buffer + item.offset);
  }
}

template <int D>
void PatchMesh<D>::finish_halos(ThreadTeam& team) {
  {
    const trace::Scope scope("wait for halos");
    halo_messages_.wait();
  }
  const auto volumes = plan_.ghost_volumes();
  team.for_chunks(volumes.size(), [&](int, std::size_t begin, std::size_t end) {
    for (const auto& item : volumes.subspan(begin, end - begin)) {
      solvers::unpack<D>(layout_, patches_[static_cast<std::size_t>(item.leaf)].q, item.box,
                         halo_messages_.receive_buffer() + item.offset);
    }
  });
}

template <int D>
bool PatchMesh<D>::poll() const {
  const bool fluxes = flux_messages_.poll(), halos = halo_messages_.poll();
  return fluxes && halos;
}

template <int D>
void PatchMesh<D>::apply(const HaloOp<D>& op, const solvers::PatchTask& patch, double t) const {
  using Kind = typename HaloOp<D>::Kind;
  switch (op.kind) {
    case Kind::copy:
      solvers::copy<D>(layout_, patch.q, patches_[static_cast<std::size_t>(op.source)].q, op.box(),
                       op.shifts());
      break;
    case Kind::receive:
      solvers::unpack<D>(layout_, patch.q, op.box(), halo_messages_.receive_buffer() + op.offset);
      break;
    case Kind::prolong:
      solvers::prolong<D>(solver_, layout_, patch.q, patches_[static_cast<std::size_t>(op.source)].q,
                          op.box(), op.shifts());
      break;
    case Kind::restrict_parts:
      combine(op, patch);
      break;
    case Kind::boundary:
      apply_boundary(op, patch, t);
      break;
  }
}

template <int D>
void PatchMesh<D>::combine(const HaloOp<D>& op, const solvers::PatchTask& patch) const {
  solvers::RestrictedPart<D> parts[children<D>];
  std::size_t n = 0;
  for (const FineSource<D>& source : plan_.parts(op)) {
    const double* const base = view_->is_own(source.leaf) ? parts_.data() : halo_messages_.receive_buffer();
    parts[n++] = {base + source.offset, source.position()};
  }
  solvers::combine_parts<D>(layout_, patch.q, {parts, n}, op.restriction());
}

template <int D>
void PatchMesh<D>::apply_boundary(const HaloOp<D>& op, const solvers::PatchTask& patch, double t) const {
  const int axis = op.face / 2, side = op.face % 2, p = layout_.p;
  const BoundaryKind kind = boundaries_[op.face];
  const solvers::Box<D> box = op.box();
  if (kind == BoundaryKind::sommerfeld) return extrapolate<D>(layout_, patch.q, box, axis, side);
  const bool mirror = kind == BoundaryKind::reflecting;
  // Where along the axis the value for a halo index comes from.
  const auto inside = [&](int i) {
    if (side == 0) return mirror ? -1 - i : 0;
    return mirror ? 2 * p - 1 - i : p - 1;
  };
  const int planes = D == 3 ? box.extent[D - 1] : 1;
  for (int row = 0; row < planes * box.extent[1]; ++row) {
    Index<D> i = box.lower;
    i[1] += row % box.extent[1];
    if (D == 3) i[D - 1] += row / box.extent[1];
    if (kind == BoundaryKind::given) {
      double state[64], x[3];
      for (int n = 0; n < box.extent[0]; ++n, ++i[0]) {
        for (int a = 0; a < D; ++a) x[a] = patch.lower[a] + (i[a] + 0.5) * patch.dx;
        given_(x, patch.dx, t, state);
        for (int u = 0; u < layout_.unknowns; ++u) patch.q[layout_.at(u, i)] = state[u];
      }
      continue;
    }
    for (int u = 0; u < layout_.unknowns; ++u) {
      const double sign = mirror ? reflection_[axis][static_cast<std::size_t>(u)] : 1.0;
      double* to = patch.q + layout_.at(u, i);
      if (axis == 0) {
        for (int n = 0; n < box.extent[0]; ++n) to[n] = sign * to[inside(i[0] + n) - i[0]];
      } else {
        const double* from = to + (inside(i[axis]) - i[axis]) * layout_.stride(axis);
        for (int n = 0; n < box.extent[0]; ++n) to[n] = sign * from[n];
      }
    }
  }
}

#define MEANDER_INSTANTIATE(D)                                                            \
  template void PatchMesh<D>::fill_halos(double, ThreadTeam&);                            \
  template void PatchMesh<D>::exchange_updated(std::size_t, const UpdateOrder&);          \
  template void PatchMesh<D>::finish_halo(std::size_t, const UpdateOrder&, double) const; \
  template void PatchMesh<D>::expect_messages();                                          \
  template void PatchMesh<D>::start_fluxes(ThreadTeam&);                                  \
  template void PatchMesh<D>::finish_fluxes();                                            \
  template void PatchMesh<D>::start_halos(ThreadTeam&);                                   \
  template void PatchMesh<D>::finish_halos(ThreadTeam&);                                  \
  template bool PatchMesh<D>::poll() const;
MEANDER_INSTANTIATE(2)
MEANDER_INSTANTIATE(3)
#undef MEANDER_INSTANTIATE

}  // namespace meander::mesh
