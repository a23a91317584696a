// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/flux_correction.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <vector>

#include "base/assert.hpp"
#include "base/vec.hpp"
#include "solvers/patch_layout.hpp"

namespace meander::mesh {
namespace {

// The mean of fine fluxes on the volume faces of a coarse leaf, and the correction of the coarse volumes.

// Mean of 3^(D-1) fine face fluxes on one volume face of a coarse face, as first value and sum of differences
// to it, with parts added in curve order: the rule of solvers/restriction.hpp in one dimension less.
struct FaceMean {
  double first, sum;
  int count;

  // Adds `n` fluxes, given by the first of them and the sum of differences to it.
  void add(double q0, double differences, int n) {
    if (count == 0) {
      *this = {q0, differences, n};
    } else {
      sum += differences + n * (q0 - first);
      count += n;
    }
  }
};

// The volume faces [x, x_end) x [y, y_end) of one fine leaf that lie on one coarse volume face.
struct Block {
  int coarse;  // number of the coarse volume face on the coarse leaf's face
  int x, x_end, y, y_end;
  int count() const { return (x_end - x) * (y_end - y); }
};

// Calls body(block) for the coarse volume faces that the fine leaf at sub-face (sx, sy) touches, x fastest.
// In 2D a face is one row.
template <class Body>
void for_blocks(int p, int sx, int sy, bool planar, const Body& body) {
  const int rows = planar ? p : 1, y_origin = planar ? sy * p : 0, x_origin = sx * p;
  for (int y = 0; y < rows;) {
    const int coarse_y = planar ? (y_origin + y) / 3 : 0;
    const int y_end = planar ? std::min(rows, 3 * coarse_y + 3 - y_origin) : 1;
    for (int x = 0; x < p;) {
      const int coarse_x = (x_origin + x) / 3;
      const int x_end = std::min(p, 3 * coarse_x + 3 - x_origin);
      body(Block{coarse_y * p + coarse_x, x, x_end, y, y_end});
      x = x_end;
    }
    y = y_end;
  }
}

// The sum of differences to q0 over the block, added to `differences` one after another.
double sum_of_differences(const double* fine, int p, const Block& block, double q0, double differences) {
  for (int y = block.y; y < block.y_end; ++y) {
    for (int x = block.x; x < block.x_end; ++x) differences += fine[y * p + x] - q0;
  }
  return differences;
}

// Adds the fluxes of a step to the part of a fine face: for each unknown and each coarse volume face that it
// touches, the first flux of the first step and the sum of differences to it. begins: this is the first step.
void sum_face(const solvers::PatchLayout& layout, int sx, int sy, const double* fluxes, bool begins,
              double* part) {
  const int p = layout.p;
  for (int u = 0; u < layout.unknowns; ++u, fluxes += layout.face_volumes()) {
    for_blocks(p, sx, sy, layout.dim == 3, [&](const Block& block) {
      const double first = begins ? fluxes[block.y * p + block.x] : part[0], sum = begins ? 0.0 : part[1];
      part[0] = first;
      // Whole blocks have a constant extent, so that their sums are unrolled and overlap.
      part[1] =
          block.count() == 9
              ? sum_of_differences(fluxes, p, {0, block.x, block.x + 3, block.y, block.y + 3}, first, sum)
              : sum_of_differences(fluxes, p, block, first, sum);
      part += 2;
    });
  }
}

// Replaces the flux `own` of a coarse leaf through `face` by the mean of fine fluxes over the step that
// recorded it: q += factor * (mean - own), factor = +-dt / dx. add(u, mean) adds all parts of unknown u to the
// volume faces, x fastest; a mean has 1 / weight parts.
template <int D, class Add>
void replace_flux(const solvers::PatchLayout& layout, int face, const double* own, double* q, double factor,
                  double weight, const Add& add) {
  thread_local std::vector<FaceMean> means;
  const int p = layout.p, axis = face / 2, side = face % 2;
  const auto face_volumes = static_cast<std::size_t>(layout.face_volumes());
  means.resize(std::max(means.size(), face_volumes));
  FaceMean* const mean = means.data();
  // Tangential axes, the lower one fastest, as the registers are laid out.
  const int s = axis == 0 ? 1 : 0, t = D == 3 ? (axis == 2 ? 1 : 2) : 0;
  for (int u = 0; u < layout.unknowns; ++u, own += face_volumes) {
    std::fill_n(mean, face_volumes, FaceMean{0, 0, 0});
    add(u, mean);
    double* plane = q + layout.at(u, 0, 0, 0) + (side == 0 ? 0 : (p - 1) * layout.stride(axis));
    std::size_t n = 0;
    for (int j = 0; j < (D == 3 ? p : 1); ++j) {
      double* row = plane + (D == 3 ? j * layout.stride(t) : 0);
      for (int x = 0; x < p; ++x, ++n) {
        row[x * layout.stride(s)] += factor * (mean[n].first + mean[n].sum * weight - own[n]);
      }
    }
  }
}

template <int D>
Index<D> across(int face) {
  Index<D> offset{};
  offset[face / 2] = 2 * (face % 2) - 1;
  return offset;
}

}  // namespace

template <int D>
FluxCorrection<D>::FluxCorrection(const LocalView<D>& view, const solvers::PatchLayout& layout,
                                  std::optional<int> coarse_level)
    : layout_(layout), coarse_level_(coarse_level) {
  make_registers(view);
  const auto& neighbours = view.ghosts().neighbours;
  std::map<int, std::size_t> peer_of;
  for (const auto& neighbour : neighbours) {
    peer_of[neighbour.rank] = peers_.size();
    peers_.push_back({neighbour.rank, 0, 0});
  }

  std::vector<std::pair<std::size_t, std::size_t>> received;  // part, peer
  face_begin_.push_back(0);
  for (std::size_t leaf = 0; leaf < view.own(); ++leaf) {
    if (!view.has_finer(leaf)) continue;
    const std::size_t before = faces_.size();
    for (int face = 0; face < 2 * D; ++face) {
      const auto fine = fine_leaves(view, static_cast<std::int32_t>(leaf), face);
      if (fine.empty()) continue;
      faces_.push_back({static_cast<std::uint8_t>(face), register_of(static_cast<std::int32_t>(leaf), face),
                        parts_.size(), fine.size()});
      for (const FineLeaf& part : fine) {
        const std::size_t of_unknown =
            part_doubles(part.sub_face) / static_cast<std::size_t>(layout.unknowns);
        if (view.is_own(part.leaf)) {
          const std::size_t fluxes = register_of(part.leaf, face ^ 1);
          parts_.push_back({fluxes, part.sub_face, false, sums_of(fluxes), of_unknown});
          continue;
        }
        auto& peer = peers_[peer_of.at(view.rank(part.leaf))];
        received.emplace_back(parts_.size(), peer_of.at(view.rank(part.leaf)));
        parts_.push_back({peer.receive, part.sub_face, true, 0, of_unknown});
        peer.receive += part_doubles(part.sub_face);
      }
    }
    if (faces_.size() == before) continue;
    coarse_leaves_.push_back(static_cast<std::int32_t>(leaf));
    face_begin_.push_back(faces_.size());
  }
  std::vector<std::size_t> begin(peers_.size() + 1, 0);
  for (std::size_t i = 0; i < peers_.size(); ++i) begin[i + 1] = begin[i] + peers_[i].receive;
  for (const auto& [part, peer] : received) parts_[part].offset += begin[peer];
  list_outgoing(view);
}

template <int D>
void FluxCorrection<D>::connect(const parallel::Communicator& communicator, int tag, const char* name,
                                std::pmr::memory_resource& memory) {
  messages_ = parallel::NeighbourMessages(communicator, tag, peers_, name, memory);
}

template <int D>
void FluxCorrection<D>::make_registers(const LocalView<D>& view) {
  const auto cells = view.neighbours().cells();
  const auto block = static_cast<std::size_t>(layout_.face_flux_size());
  std::size_t sums = 0;
  fine_begin_.reserve(view.own() + 1);
  for (std::size_t leaf = 0; leaf < view.own(); ++leaf) {
    fine_begin_.push_back(static_cast<std::int32_t>(fine_faces_.size()));
    if (!view.has_finer(leaf) && !view.has_coarser(leaf)) continue;
    for (int face = 0; face < 2 * D; ++face) {
      const auto neighbour =
          view.neighbours().of(static_cast<std::int32_t>(leaf), direction_of<D>(across<D>(face)));
      if (neighbour.is_outside()) continue;
      const bool finer = neighbour.is_refined();
      if (!finer && cells[static_cast<std::size_t>(neighbour.leaf())].level == cells[leaf].level) continue;
      if (!corrects(finer ? cells[leaf].level : cells[leaf].level - 1)) continue;
      table_.push_back(
          {static_cast<std::int32_t>(leaf), static_cast<std::uint8_t>(face), table_.size() * block});
      if (finer) continue;
      FineFace& part = fine_faces_.emplace_back(FineFace{table_.back().offset, sums, {}});
      for (int a = 0, t = 0; a < D; ++a) {
        if (a != face / 2)
          part.sub_face[static_cast<std::size_t>(t++)] = static_cast<std::int8_t>(cells[leaf].at[a] % 3);
      }
      sums += part_doubles(part.sub_face);
    }
  }
  fine_begin_.push_back(static_cast<std::int32_t>(fine_faces_.size()));
  sum_doubles_ = sums;
}

// Lists the fine faces that correct ghosts, in the order of the constructor on the ranks of the ghosts.
template <int D>
void FluxCorrection<D>::list_outgoing(const LocalView<D>& view) {
  const auto& ghosts = view.ghosts();
  std::size_t offset = 0;
  for (std::size_t i = 0; i < ghosts.neighbours.size(); ++i) {
    const std::size_t begin = offset;
    for (std::size_t g = ghosts.neighbours[i].begin; g < ghosts.neighbours[i].end; ++g) {
      for (int face = 0; face < 2 * D; ++face) {
        for (const FineLeaf& part : fine_leaves(view, view.ghost(g), face)) {
          if (!view.is_own(part.leaf)) continue;
          const std::size_t fine = register_of(part.leaf, face ^ 1);
          outgoing_.push_back({fine, part.sub_face, offset, sums_of(fine)});
          offset += part_doubles(part.sub_face);
        }
      }
    }
    peers_[i].send = offset - begin;
  }
}

template <int D>
auto FluxCorrection<D>::fine_leaves(const LocalView<D>& view, std::int32_t leaf, int face) const
    -> std::vector<FineLeaf> {
  if (!corrects(view.neighbours().cells()[static_cast<std::size_t>(leaf)].level)) return {};
  const auto neighbour = view.neighbours().of(leaf, direction_of<D>(across<D>(face)));
  if (!neighbour.is_refined()) return {};
  const auto child = view.neighbours().refined_children(neighbour.refined_cell());
  const int axis = face / 2, layer = face % 2 == 0 ? 2 : 0;
  std::vector<FineLeaf> found;
  for (int position = 0; position < children<D>; ++position) {
    FineLeaf part{child[static_cast<std::size_t>(position)], {}};
    bool touches = false;
    for (int a = 0, rest = position, t = 0; a < D; ++a, rest /= 3) {
      if (a == axis) {
        touches = rest % 3 == layer;
      } else {
        part.sub_face[static_cast<std::size_t>(t++)] = static_cast<std::int8_t>(rest % 3);
      }
    }
    if (touches && part.leaf >= 0 && view.rank(part.leaf) >= 0) found.push_back(part);
  }
  std::sort(found.begin(), found.end(),
            [&](const auto& a, const auto& b) { return view.position(a.leaf) < view.position(b.leaf); });
  return found;
}

template <int D>
std::size_t FluxCorrection<D>::register_of(std::int32_t leaf, int face) const {
  const auto found = std::lower_bound(
      table_.begin(), table_.end(), std::pair(leaf, face),
      [](const Register& entry, const auto& key) { return std::pair(entry.leaf, int{entry.face}) < key; });
  MEANDER_ASSERT(found != table_.end() && found->leaf == leaf && found->face == face);
  return found->offset;
}

template <int D>
std::size_t FluxCorrection<D>::sums_of(std::size_t register_offset) const {
  return std::ranges::lower_bound(fine_faces_, register_offset, {}, &FineFace::fluxes)->sums;
}

template <int D>
std::size_t FluxCorrection<D>::part_doubles(const SubFace& sub_face) const {
  std::size_t blocks = 0;
  for_blocks(layout_.p, sub_face[0], D == 3 ? sub_face[D - 2] : 0, D == 3, [&](const Block&) { ++blocks; });
  return 2 * blocks * static_cast<std::size_t>(layout_.unknowns);
}

template <int D>
std::size_t FluxCorrection<D>::plan_bytes() const {
  return table_.size() * sizeof(Register) + faces_.size() * sizeof(CoarseFace) +
         parts_.size() * sizeof(MeanPart) + coarse_leaves_.size() * sizeof(std::int32_t) +
         face_begin_.size() * sizeof(std::size_t) + outgoing_.size() * sizeof(Outgoing) +
         fine_faces_.size() * sizeof(FineFace) + fine_begin_.size() * sizeof(std::int32_t);
}

template <int D>
void FluxCorrection<D>::attach(std::span<solvers::PatchTask> patches) {
  registers_.resize(register_doubles());
  sums_.resize(sum_doubles_);
  for (const Register& entry : table_) {
    patches[static_cast<std::size_t>(entry.leaf)].flux[entry.face] = registers_.data() + entry.offset;
  }
}

template <int D>
void FluxCorrection<D>::add_step(std::size_t leaf, int substep) {
  for (auto i = fine_begin_[leaf]; i < fine_begin_[leaf + 1]; ++i) {
    const FineFace& face = fine_faces_[static_cast<std::size_t>(i)];
    sum_face(layout_, face.sub_face[0], D == 3 ? face.sub_face[D - 2] : 0, registers_.data() + face.fluxes,
             substep == 0, sums_.data() + face.sums);
  }
}

template <int D>
void FluxCorrection<D>::start_sends(ThreadTeam& team) {
  team.for_chunks(outgoing_.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Outgoing& item = outgoing_[i];
      std::copy_n(sums_.data() + item.sums, part_doubles(item.sub_face),
                  messages_.send_buffer() + item.offset);
    }
  });
  messages_.start_sends();
}

template <int D>
void FluxCorrection<D>::apply(std::size_t i, const solvers::PatchTask& patch, double dt, int steps) const {
  const int p = layout_.p;
  for (const CoarseFace& face : faces(i)) {
    const auto add = [&](int u, FaceMean* mean) {
      for (const MeanPart& part : parts(face)) {
        const double* in = part.received ? messages_.received(part.offset) : sums_.data() + part.sums;
        in += part.of_unknown * static_cast<std::size_t>(u);
        for_blocks(p, part.sub_face[0], D == 3 ? part.sub_face[D - 2] : 0, D == 3, [&](const Block& block) {
          mean[block.coarse].add(in[0], in[1], block.count() * steps);
          in += 2;
        });
      }
    };
    replace_flux<D>(layout_, face.face, registers_.data() + face.own, patch.q,
                    (face.face % 2 == 0 ? 1.0 : -1.0) * dt / patch.dx, 1.0 / (ipow(3.0, D - 1) * steps), add);
  }
}

template class FluxCorrection<2>;
template class FluxCorrection<3>;

}  // namespace meander::mesh
