// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/halo_plan.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "base/assert.hpp"
#include "mesh/halo_reads.hpp"
#include "solvers/prolongation.hpp"

namespace meander::mesh {

template <int D>
solvers::Box<D> HaloOp<D>::box() const {
  solvers::Box<D> result;
  for (int a = 0; a < D; ++a) {
    result.lower[a] = lower[a];
    result.extent[a] = extent[a];
  }
  return result;
}

template <int D>
Index<D> HaloOp<D>::shifts() const {
  Index<D> result{};
  for (int a = 0; a < D; ++a) result[a] = shift[a];
  return result;
}

template <int D>
HaloOp<D> HaloOp<D>::reversed(std::int32_t leaf) const {
  HaloOp result = *this;
  for (int a = 0; a < D; ++a) {
    // The source's halo lies on the other side: as far outside there as this one's outside here.
    if (shift[a] > 0) result.lower[a] = static_cast<std::int16_t>(shift[a]);
    if (shift[a] < 0) result.lower[a] = static_cast<std::int16_t>(-extent[a]);
    result.shift[a] = static_cast<std::int16_t>(-shift[a]);
  }
  result.source = leaf;
  return result;
}

namespace {

// Of one message: how much of it is known so far, and the coarse volumes that will be appended.
template <int D>
struct Message {
  struct Coarse {
    std::int32_t leaf;
    Index<D> lower, upper;  // [lower, upper)
  };
  std::size_t doubles = 0, begin = 0;  // begin: in the buffer
  std::vector<Coarse> coarse;
  std::unordered_map<std::uint64_t, std::size_t>
      which;  // of `coarse`, by leaf and the direction it is read from

  // Takes the next `size` doubles of the message.
  std::size_t take(std::size_t size) {
    doubles += size;
    return doubles - size;
  }

  void read_coarse(const solvers::PatchLayout& layout, const HaloOp<D>& op, int direction) {
    const auto box = solvers::prolongation_support<D>(layout, op.box(), op.shifts());
    Index<D> upper = box.lower;
    for (int a = 0; a < D; ++a) upper[a] += box.extent[a];
    const auto key =
        static_cast<std::uint64_t>(op.source) * children<D> + static_cast<std::uint64_t>(direction);
    const auto [found, is_new] = which.try_emplace(key, coarse.size());
    if (is_new) return coarse.push_back({op.source, box.lower, upper});
    Coarse& known = coarse[found->second];
    for (int a = 0; a < D; ++a) {
      known.lower[a] = std::min(known.lower[a], box.lower[a]);
      known.upper[a] = std::max(known.upper[a], upper[a]);
    }
  }

  // Calls body(leaf, box, offset in the message) for the coarse volumes, which come last.
  template <class Body>
  void append_coarse(int unknowns, const Body& body) {
    for (const Coarse& item : coarse) {
      solvers::Box<D> box{item.lower, {}};
      for (int a = 0; a < D; ++a) box.extent[a] = item.upper[a] - item.lower[a];
      body(item.leaf, box, take(box.volumes() * static_cast<std::size_t>(unknowns)));
    }
  }
};

}  // namespace

template <int D>
class HaloPlan<D>::Builder {
 public:
  Builder(HaloPlan& plan, const Domain<D>& domain, const LocalView<D>& view,
          const solvers::PatchLayout& layout, solvers::HaloShape shape)
      : plan_(plan), domain_(domain), view_(view), layout_(layout), shape_(shape) {
    const auto& neighbours = view.ghosts().neighbours;
    incoming_.resize(neighbours.size());
    outgoing_.resize(neighbours.size());
    for (std::size_t i = 0; i < neighbours.size(); ++i) peer_of_[neighbours[i].rank] = i;
  }

  void build() {
    plan_.border_.assign(view_.own(), 0);
    plan_.receives_.assign(view_.own(), 0);
    corrected_.resize(view_.own());
    for (std::size_t leaf = 0; leaf < view_.own(); ++leaf) corrected_[leaf] = is_corrected(leaf);
    plan_.begin_.reserve(2 * view_.own() + 1);
    plan_.begin_.push_back(0);
    plan_.ops_.reserve(view_.own() * 2 * D);
    for (std::size_t leaf = 0; leaf < view_.own(); ++leaf) list_own(leaf);
    list_parts_by_leaf();
    list_outgoing();
    place_messages();
    sort_by_leaf(plan_.outgoing_volumes_);
    sort_by_leaf(plan_.outgoing_parts_);
    list_border();
  }

 private:
  using Kind = typename HaloOp<D>::Kind;

  std::size_t doubles(const HaloOp<D>& op) const {
    return op.box().volumes() * static_cast<std::size_t>(layout_.unknowns);
  }
  std::size_t peer(std::int32_t leaf) const { return peer_of_.at(view_.rank(leaf)); }

  // Whether a leaf has finer neighbours across a face, so that its state changes once more after its update.
  bool is_corrected(std::size_t leaf) const {
    for (int face = 0; face < 2 * D; ++face) {
      Index<D> offset{};
      offset[face / 2] = 2 * (face % 2) - 1;
      const auto neighbour = view_.neighbours().of(static_cast<std::int32_t>(leaf), direction_of<D>(offset));
      if (neighbour.is_refined()) return true;
    }
    return false;
  }

  void list_own(std::size_t leaf) {
    auto& late = late_;
    late.clear();
    visit_reads<D>(view_, static_cast<std::int32_t>(leaf), layout_, shape_, sources_,
                   [&](int direction, HaloOp<D> op, std::vector<FineSource<D>>& sources) {
                     bool early = false;
                     if (op.kind == Kind::restrict_parts) {
                       add_parts(leaf, op, sources);
                     } else if (!view_.is_own(op.source)) {
                       plan_.receives_[leaf] = 1;
                       Message<D>& message = incoming_[peer(op.source)];
                       if (op.kind == Kind::prolong) {
                         message.read_coarse(layout_, op, direction);
                       } else {
                         op.kind = Kind::receive;
                         op.offset = message.take(doubles(op));
                       }
                     } else {
                       early = op.kind == Kind::copy && !corrected_[leaf] &&
                               !corrected_[static_cast<std::size_t>(op.source)];
                     }
                     (early ? plan_.ops_ : late).push_back(op);
                   });
    plan_.begin_.push_back(plan_.ops_.size());
    add_boundaries(leaf);
    plan_.ops_.insert(plan_.ops_.end(), late.begin(), late.end());
    plan_.begin_.push_back(plan_.ops_.size());
  }

  void add_parts(std::size_t leaf, HaloOp<D>& op, std::vector<FineSource<D>>& sources) {
    op.source = static_cast<std::int32_t>(plan_.parts_.size());
    op.parts = static_cast<std::int16_t>(sources.size());
    for (FineSource<D>& source : sources) {
      if (view_.is_own(source.leaf)) continue;
      plan_.receives_[leaf] = 1;
      source.offset = incoming_[peer(source.leaf)].take(
          solvers::part_size<D>(layout_, source.position(), op.restriction()));
    }
    plan_.parts_.insert(plan_.parts_.end(), sources.begin(), sources.end());
  }

  void add_boundaries(std::size_t leaf) {
    const Cell<D>& cell = view_.neighbours().cells()[leaf];
    const int p = layout_.p, h = layout_.h;
    for (int a = 0; a < D; ++a) {
      if (domain_.periodic[a]) continue;
      for (int side = 0; side < 2; ++side) {
        if (cell.at[a] != (side == 0 ? 0 : domain_.cells(cell.level, a) - 1)) continue;
        HaloOp<D> op;
        op.kind = Kind::boundary;
        op.face = static_cast<std::uint8_t>(2 * a + side);
        Index<D> offset{};
        offset[a] = 2 * side - 1;
        set_region<D>(op, offset, p, h);
        if (shape_ != solvers::HaloShape::faces) {
          // Across edges too: continue what the halos beside this side already hold.
          for (int b = 0; b < D; ++b) {
            if (b == a) continue;
            op.lower[b] = static_cast<std::int16_t>(-h);
            op.extent[b] = static_cast<std::int16_t>(p + 2 * h);
          }
        }
        late_.push_back(op);
      }
    }
  }

  void list_parts_by_leaf() {
    auto& begin = plan_.job_begin_;
    begin.assign(view_.own() + 1, 0);
    for (const FineSource<D>& part : plan_.parts_) {
      if (view_.is_own(part.leaf)) ++begin[static_cast<std::size_t>(part.leaf) + 1];
    }
    for (std::size_t leaf = 0; leaf < view_.own(); ++leaf) begin[leaf + 1] += begin[leaf];
    plan_.jobs_.resize(begin.back());
    std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
    for (std::size_t o = 0; o < plan_.ops_.size(); ++o) {
      const HaloOp<D>& op = plan_.ops_[o];
      if (op.kind != Kind::restrict_parts) continue;
      for (std::int32_t k = op.source; k < op.source + op.parts; ++k) {
        FineSource<D>& part = plan_.parts_[static_cast<std::size_t>(k)];
        if (!view_.is_own(part.leaf)) continue;
        part.offset = plan_.part_doubles_;
        plan_.part_doubles_ += solvers::part_size<D>(layout_, part.position(), op.restriction());
        plan_.jobs_[next[static_cast<std::size_t>(part.leaf)]++] = {static_cast<std::int32_t>(o), k};
      }
    }
  }

  // What the ghosts' halos read of this rank's leaves, as their ranks list it in list_own().
  void list_outgoing() {
    const auto& ghosts = view_.ghosts();
    for (std::size_t i = 0; i < ghosts.neighbours.size(); ++i) {
      Message<D>& message = outgoing_[i];
      first_volumes_.push_back(plan_.outgoing_volumes_.items.size());
      first_part_.push_back(plan_.outgoing_parts_.items.size());
      for (std::size_t g = ghosts.neighbours[i].begin; g < ghosts.neighbours[i].end; ++g) {
        visit_reads<D>(view_, view_.ghost(g), layout_, shape_, sources_,
                       [&](int direction, const HaloOp<D>& op, const std::vector<FineSource<D>>& sources) {
                         send_to_ghost(message, direction, op, sources);
                       });
      }
      message.append_coarse(layout_.unknowns,
                            [&](std::int32_t leaf, const solvers::Box<D>& box, std::size_t offset) {
                              plan_.outgoing_volumes_.items.push_back({leaf, box, offset});
                            });
    }
    first_volumes_.push_back(plan_.outgoing_volumes_.items.size());
    first_part_.push_back(plan_.outgoing_parts_.items.size());
  }

  void send_to_ghost(Message<D>& message, int direction, const HaloOp<D>& op,
                     const std::vector<FineSource<D>>& sources) {
    if (op.kind == Kind::restrict_parts) {
      for (const FineSource<D>& source : sources) {
        if (!view_.is_own(source.leaf)) continue;
        const std::size_t size = solvers::part_size<D>(layout_, source.position(), op.restriction());
        plan_.outgoing_parts_.items.push_back(
            {source.leaf, source.position(), op.restriction(), message.take(size)});
      }
    } else if (view_.is_own(op.source)) {
      if (op.kind == Kind::prolong) return message.read_coarse(layout_, op, direction);
      solvers::Box<D> box = op.box();
      for (int a = 0; a < D; ++a) box.lower[a] += op.shift[a];
      plan_.outgoing_volumes_.items.push_back({op.source, box, message.take(doubles(op))});
    }
  }

  // Gives the messages their places in the buffers, and with them all that was counted from their beginnings.
  void place_messages() {
    const auto& neighbours = view_.ghosts().neighbours;
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
      incoming_[i].begin = i == 0 ? 0 : incoming_[i - 1].begin + incoming_[i - 1].doubles;
      outgoing_[i].begin = i == 0 ? 0 : outgoing_[i - 1].begin + outgoing_[i - 1].doubles;
      incoming_[i].append_coarse(layout_.unknowns,
                                 [&](std::int32_t leaf, const solvers::Box<D>& box, std::size_t offset) {
                                   plan_.ghost_volumes_.push_back({leaf, box, incoming_[i].begin + offset});
                                   plan_.ghost_patches_.push_back(leaf);
                                 });
      for (std::size_t k = first_volumes_[i]; k < first_volumes_[i + 1]; ++k) {
        plan_.outgoing_volumes_.items[k].offset += outgoing_[i].begin;
      }
      for (std::size_t k = first_part_[i]; k < first_part_[i + 1]; ++k) {
        plan_.outgoing_parts_.items[k].offset += outgoing_[i].begin;
      }
      plan_.peers_.push_back({neighbours[i].rank, outgoing_[i].doubles, incoming_[i].doubles});
    }
    auto& ghosts = plan_.ghost_patches_;
    std::sort(ghosts.begin(), ghosts.end());
    ghosts.erase(std::unique(ghosts.begin(), ghosts.end()), ghosts.end());
    for (HaloOp<D>& op : plan_.ops_) {
      if (op.kind == Kind::receive) op.offset += incoming_[peer(op.source)].begin;
    }
    for (FineSource<D>& part : plan_.parts_) {
      if (!view_.is_own(part.leaf)) part.offset += incoming_[peer(part.leaf)].begin;
    }
  }

  template <class Outgoing>
  void sort_by_leaf(Outgoing& outgoing) const {
    const std::size_t own = view_.own();
    const auto group = [&](const auto& item) {
      const auto leaf = static_cast<std::size_t>(item.leaf);
      return corrected_[leaf] != 0 ? own : leaf;
    };
    std::ranges::stable_sort(outgoing.items, {}, group);
    outgoing.begin.assign(own + 1, 0);
    for (const auto& item : outgoing.items) {
      if (const std::size_t leaf = group(item); leaf < own) ++outgoing.begin[leaf + 1];
    }
    std::partial_sum(outgoing.begin.begin(), outgoing.begin.end(), outgoing.begin.begin());
  }

  // Leaves that are sent, and those without which they cannot be corrected; and since these are corrected
  // with them, those without which these cannot be.
  void list_border() {
    auto& border = plan_.border_;
    for (const auto& item : plan_.outgoing_volumes_.items) border[static_cast<std::size_t>(item.leaf)] = 1;
    for (const auto& item : plan_.outgoing_parts_.items) border[static_cast<std::size_t>(item.leaf)] = 1;
    std::vector<std::int32_t> open;
    for (std::size_t leaf = 0; leaf < view_.own(); ++leaf) {
      if (border[leaf] != 0) open.push_back(static_cast<std::int32_t>(leaf));
    }
    while (!open.empty()) {
      const std::int32_t leaf = open.back();
      open.pop_back();
      if (!corrected_[static_cast<std::size_t>(leaf)]) continue;
      for (int face = 0; face < 2 * D; ++face) {
        Index<D> offset{};
        offset[face / 2] = 2 * (face % 2) - 1;
        const auto neighbour = view_.neighbours().of(leaf, direction_of<D>(offset));
        if (!neighbour.is_refined()) continue;
        touching_children<D>(view_, neighbour.refined_cell(), offset, sources_);
        for (const FineSource<D>& fine : sources_) {
          if (!view_.is_own(fine.leaf) || border[static_cast<std::size_t>(fine.leaf)] != 0) continue;
          border[static_cast<std::size_t>(fine.leaf)] = 1;
          open.push_back(fine.leaf);
        }
      }
    }
  }

  HaloPlan& plan_;
  const Domain<D>& domain_;
  const LocalView<D>& view_;
  const solvers::PatchLayout& layout_;
  solvers::HaloShape shape_;
  std::unordered_map<int, std::size_t> peer_of_;
  std::vector<Message<D>> incoming_, outgoing_;
  std::vector<std::size_t> first_volumes_, first_part_;  // by peer
  std::vector<char> corrected_;
  std::vector<FineSource<D>> sources_;
  std::vector<HaloOp<D>> late_;
};

template <int D>
HaloPlan<D>::HaloPlan(const Domain<D>& domain, const LocalView<D>& view, const solvers::PatchLayout& layout,
                      solvers::HaloShape shape) {
  Builder(*this, domain, view, layout, shape).build();
}

template <int D>
Index<D> FineSource<D>::position() const {
  Index<D> result{};
  for (int a = 0; a < D; ++a) result[a] = child[a];
  return result;
}

#define MEANDER_INSTANTIATE(D)   \
  template struct FineSource<D>; \
  template struct HaloOp<D>;     \
  template class HaloPlan<D>;
MEANDER_INSTANTIATE(2)
MEANDER_INSTANTIATE(3)
#undef MEANDER_INSTANTIATE

}  // namespace meander::mesh
