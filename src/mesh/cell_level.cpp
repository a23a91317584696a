// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/cell_level.hpp"

#include <algorithm>
#include <map>

#include "base/assert.hpp"
#include "base/thread_team.hpp"
#include "mesh/local_view.hpp"
#include "parallel/message_tags.hpp"
#include "solvers/patch_copy.hpp"
#include "solvers/poisson.hpp"

namespace meander::mesh {
namespace {

template <int D>
bool is_beyond_domain(const Domain<D>& domain, const Cell<D>& cell, const Index<D>& offset) {
  for (int a = 0; a < D; ++a) {
    const int at = cell.at[a] + offset[a];
    if (!domain.periodic[a] && (at < 0 || at >= domain.cells(cell.level, a))) return true;
  }
  return false;
}

template <int D>
int axes_of(const Index<D>& offset) {
  return static_cast<int>(D - std::ranges::count(offset, 0));
}

// From a volume of the halo to its place in the slot beyond, if that is `width` volumes away.
template <int D>
Index<D> shift_to(int width, const Index<D>& offset) {
  Index<D> shift = offset;
  for (int& s : shift) s *= -width;
  return shift;
}

template <int D>
solvers::Box<D> shifted(solvers::Box<D> box, const Index<D>& shift) {
  for (int a = 0; a < D; ++a) box.lower[a] += shift[a];
  return box;
}

template <int D>
int face_of(const Index<D>& offset) {
  for (int a = 0; a < D; ++a)
    if (offset[a] != 0) return 2 * a + (offset[a] > 0 ? 1 : 0);
  return -1;
}

}  // namespace

template <int D>
std::vector<CutLevel<D>> cut_at_all_levels(const DistributedTree<D>& tree) {
  Domain<D> domain = tree.domain();
  while (domain.base_level > 0 && std::ranges::all_of(domain.base_cells, [](int n) { return n % 3 == 0; })) {
    --domain.base_level;
    domain.base_width *= 3;
    for (int& n : domain.base_cells) n /= 3;
  }
  std::vector<Key<D>> leaves(tree.curve().leaves().begin(), tree.curve().leaves().end());
  int finest = domain.base_level;
  for (const Key<D> key : leaves) finest = std::max(finest, key.level());
  finest = static_cast<int>(tree.communicator().max(std::int64_t{finest}));
  std::vector<CutLevel<D>> cuts;
  for (int level = finest;; --level) {
    DistributedTree<D> cut(domain, leaves, tree.communicator());
    if (tree.is_placed()) cut = cut.placed(*tree.cuts());
    std::vector<char> is_refined;
    for (const Key<D> key : cut.leaves())
      is_refined.push_back(std::ranges::binary_search(tree.leaves(), key) ? 0 : 1);
    cuts.push_back({std::move(cut), level, std::move(is_refined)});
    if (level == domain.base_level) break;
    std::vector<Key<D>> coarser;
    for (const Key<D> key : leaves) {
      const bool united = key.level() == level;
      if (!united || position_of(key.parent()) == position_of(key))
        coarser.push_back(united ? key.parent() : key);
    }
    leaves = std::move(coarser);
  }
  std::ranges::reverse(cuts);
  return cuts;
}

template <int D>
CellLevel<D>::CellLevel(CutLevel<D> cut, CellLevel* coarser, const solvers::PatchLayout& layout,
                        gpu::Resource& memory, Residence residence, std::pmr::memory_resource& message_memory)
    : cut_(std::move(cut)),
      residence_(residence),
      message_memory_(message_memory),
      coarser_(coarser),
      layout_(layout),
      pool_(memory, static_cast<std::size_t>(layout.slot_size())) {
  for (std::size_t i = 0; i < cut_.tree.size(); ++i) {
    const Key<D> key = cut_.tree.leaves()[i];
    if (key.level() != cut_.level) continue;
    Patch& patch = patches_.emplace_back();
    patch.key = key;
    patch.cell = cell_of(key);
    patch.is_refined = cut_.is_refined[i] != 0;
    patch.number_beside.fill(-1);
    patch.child = position_in_parent<D>(key);
  }
  communicator().agree([&] {
    pool_.reserve(patches_.size() + copies_of_parents());
    for (Patch& patch : patches_) patch.slot = new_slot();
  });
  plan_halos();
  if (coarser_ != nullptr) plan_parents();
}

// Children of one parent follow each other.
template <int D>
std::size_t CellLevel<D>::copies_of_parents() const {
  std::size_t copies = 0;
  for (std::size_t i = 0; coarser_ != nullptr && i < patches_.size(); ++i) {
    const Key<D> parent = patches_[i].key.parent();
    if (i > 0 && patches_[i - 1].key.parent() == parent) continue;
    if (coarser_->cut_.tree.owner(parent) != communicator().rank()) ++copies;
  }
  return copies;
}

template <int D>
double* CellLevel<D>::new_slot() {
  double* const slot = pool_[pool_.acquire()];
  if (residence_ == Residence::host) std::fill_n(slot, layout_.slot_size(), 0.0);
  return slot;
}

// Offsets of the parcels, which were listed by receiving cell, in messages in the order of ranks.
template <int D>
void CellLevel<D>::Mail::connect(const parallel::Communicator& communicator,
                                 std::pmr::memory_resource& memory) {
  std::map<int, parallel::NeighbourMessages::Peer> peers;
  for (auto* const list : {&sent, &received}) {
    std::ranges::stable_sort(*list, {}, &Parcel::rank);
    std::size_t offset = 0;
    for (Parcel& parcel : *list) {
      parcel.offset = offset;
      offset += parcel.doubles;
      auto& peer =
          peers.try_emplace(parcel.rank, parallel::NeighbourMessages::Peer{parcel.rank, 0, 0}).first->second;
      (list == &sent ? peer.send : peer.receive) += parcel.doubles;
    }
  }
  std::vector<parallel::NeighbourMessages::Peer> list;
  for (const auto& [rank, peer] : peers) list.push_back(peer);
  messages = parallel::NeighbourMessages(communicator, parallel::tag_of_cell_levels, list,
                                         "halos and parts of cell levels", memory);
}

template <int D>
void CellLevel<D>::plan_halos() {
  const LocalView<D> view(cut_.tree);
  const auto cells = view.neighbours().cells();
  std::vector<char> is_refined = cut_.is_refined;
  is_refined.resize(view.size(), 0);
  const auto of_ghosts =
      view.ghosts().template exchange<char>(communicator(), std::span<const char>(cut_.is_refined));
  for (std::size_t i = 0; i < of_ghosts.size(); ++i)
    is_refined[static_cast<std::size_t>(view.ghost(i))] = of_ghosts[i];
  std::vector<std::int32_t> number(view.own(), -1);  // of own leaves of the tree among the patches
  for (std::size_t i = 0, n = 0; i < view.own(); ++i)
    if (cells[i].level == level()) number[i] = static_cast<std::int32_t>(n++);

  // Calls body(offset, neighbour) for the cells of the level from which a cell reads halos, and missing(offset) for the
  // faces without one.
  const auto for_neighbours = [&](std::int32_t leaf, const auto& body, const auto& missing) {
    const Cell<D>& cell = cells[static_cast<std::size_t>(leaf)];
    for (int direction = 0; direction < children<D>; ++direction) {
      const Index<D> offset = offset_of<D>(direction);
      const int axes = axes_of<D>(offset);
      if (axes == 0 || (axes > 1 && is_refined[static_cast<std::size_t>(leaf)] == 0)) continue;
      const Neighbour other = view.neighbours().of(leaf, direction);
      if (!is_beyond_domain(domain(), cell, offset) && other.is_leaf() &&
          cells[static_cast<std::size_t>(other.leaf())].level == level()) {
        body(offset, other.leaf());
      } else if (axes == 1) {
        missing(offset);
      }
    }
  };
  const int p = layout_.p;
  for (std::size_t i = 0; i < view.own(); ++i) {
    if (number[i] < 0) continue;
    Patch& patch = patches_[static_cast<std::size_t>(number[i])];
    for (HaloPlan& plan : halos_) plan.first.push_back(plan.copies.size());
    const auto read = [&](Halo halo, const Index<D>& offset, std::int32_t other, int width) {
      const auto box = solvers::halo_box<D>(p, offset);
      if (view.is_own(other)) {
        double* const from = patches_[static_cast<std::size_t>(number[static_cast<std::size_t>(other)])].slot;
        plan_of(halo).copies.push_back({patch.slot, from, box, shift_to<D>(width, offset)});
      } else {
        plan_of(halo).mail.received.push_back({view.rank(other), box.volumes(), patch.slot, box});
      }
    };
    // A face: beside, if the cell beyond is of this rank and not across a wrap.
    const auto read_face = [&](const Index<D>& offset, std::int32_t other) {
      bool is_far = !view.is_own(other);
      for (int a = 0; a < D && !is_far; ++a)
        is_far = cells[static_cast<std::size_t>(other)].at[a] != patch.cell.at[a] + offset[a];
      if (is_far) {
        patch.reads_far = true;
        return read(Halo::faces, offset, other, p);
      }
      const auto face = static_cast<std::size_t>(face_of<D>(offset));
      patch.number_beside[face] = number[static_cast<std::size_t>(other)];
      patch.beside[face] = patches_[static_cast<std::size_t>(patch.number_beside[face])].slot;
    };
    for_neighbours(
        static_cast<std::int32_t>(i),
        [&](const Index<D>& offset, std::int32_t other) {
          if (axes_of<D>(offset) > 1) return read(Halo::edges, offset, other, p);
          read_face(offset, other);
          const bool other_refined = is_refined[static_cast<std::size_t>(other)] != 0;
          patch.beyond[static_cast<std::size_t>(face_of<D>(offset))] = other_refined == patch.is_refined
                                                                           ? Beyond::equal
                                                                       : patch.is_refined ? Beyond::leaf
                                                                                          : Beyond::refined;
          if (other_refined && !patch.is_refined) read(Halo::planes, offset, other, p + 1);
        },
        [&](const Index<D>& offset) {
          patch.beyond[static_cast<std::size_t>(face_of<D>(offset))] =
              is_beyond_domain(domain(), patch.cell, offset) ? Beyond::outside : Beyond::coarser;
        });
  }
  for (HaloPlan& plan : halos_) plan.first.push_back(plan.copies.size());
  // What the ghosts read, in the order of their ranks.
  const auto& ghosts = view.ghosts();
  for (std::size_t g = 0; g < ghosts.leaves.size(); ++g) {
    const std::int32_t leaf = view.ghost(g);
    if (cells[static_cast<std::size_t>(leaf)].level != level()) continue;
    for_neighbours(
        leaf,
        [&](const Index<D>& offset, std::int32_t own) {
          if (!view.is_own(own)) return;
          Patch& patch = patches_[static_cast<std::size_t>(number[static_cast<std::size_t>(own)])];
          const auto give = [&](Halo halo, int width) {
            const auto box = shifted<D>(solvers::halo_box<D>(p, offset), shift_to<D>(width, offset));
            plan_of(halo).mail.sent.push_back({view.rank(leaf), box.volumes(), patch.slot, box});
          };
          if (axes_of<D>(offset) > 1) return give(Halo::edges, p);
          give(Halo::faces, p);
          if (patch.is_refined && is_refined[static_cast<std::size_t>(leaf)] == 0) give(Halo::planes, p + 1);
        },
        [](const Index<D>&) {});
  }
  for (HaloPlan& plan : halos_) plan.mail.connect(communicator(), message_memory_);
}

template <int D>
void CellLevel<D>::plan_parents() {
  const int rank = communicator().rank();
  const auto find = [](const std::vector<Patch>& patches, Key<D> key) {
    const auto found = std::ranges::lower_bound(patches, key, {}, &Patch::key);
    return found != patches.end() && found->key == key ? static_cast<std::int32_t>(found - patches.begin())
                                                       : -1;
  };
  Key<D> last;
  for (std::size_t i = 0; i < patches_.size(); ++i) {
    Patch& patch = patches_[i];
    const Key<D> parent = patch.key.parent();
    const int owner = coarser_->cut_.tree.owner(parent);
    if (owner == rank) {
      patch.coarse = coarser_->patches_[static_cast<std::size_t>(find(coarser_->patches_, parent))].slot;
      continue;
    }
    double* const copy = i > 0 && last == parent ? parents_.received.back().slot : new_slot();
    last = parent;
    patch.coarse = copy;
    Vec<Beyond, 2 * D> of_parent;
    for (std::size_t face = 0; face < 2 * D; ++face)
      of_parent[face] = patch.beyond[face] == Beyond::coarser ? Beyond::leaf : Beyond::equal;
    parts_.sent.push_back(
        {owner, part_doubles(patch.child, of_parent), nullptr, {}, static_cast<std::int32_t>(i)});
    const auto box = solvers::poisson::prolongation_support<D>(layout_, patch.child);
    parents_.received.push_back({owner, box.volumes(), copy, box});
  }
  for (std::size_t i = 0; i < coarser_->patches_.size(); ++i) {
    const Patch& parent = coarser_->patches_[i];
    if (!parent.is_refined) continue;
    refined_.push_back(static_cast<std::int32_t>(i));
    for (int digit = 0; digit < children<D>; ++digit) {
      const Key<D> key = parent.key.child(digit);
      Child& child = children_.emplace_back(Child{-1, position_in_parent<D>(key)});
      const int owner = cut_.tree.owner(key);
      if (owner == rank) {
        child.patch = find(patches_, key);
        continue;
      }
      const auto box = solvers::poisson::prolongation_support<D>(layout_, child.position);
      parents_.sent.push_back({owner, box.volumes(), parent.slot, box});
      // For now its number among the children.
      parts_.received.push_back({owner,
                                 part_doubles(child.position, parent.beyond),
                                 nullptr,
                                 {},
                                 static_cast<std::int32_t>(children_.size() - 1)});
    }
  }
  parents_.connect(communicator(), message_memory_);
  parts_.connect(communicator(), message_memory_);
  for (std::size_t i = 0; i < parts_.received.size(); ++i)
    children_[static_cast<std::size_t>(parts_.received[i].patch)].received = i;
}

template <int D>
solvers::Restriction<D> CellLevel<D>::whole(const solvers::PatchLayout& layout) {
  solvers::Restriction<D> restriction;
  restriction.box = solvers::interior_box<D>(layout.p);
  return restriction;
}

// Volume -1 of the parent's halo takes the mean that belongs to volume 0, and p that of volume p - 1.
template <int D>
solvers::Restriction<D> CellLevel<D>::plane(const solvers::PatchLayout& layout, int face) {
  solvers::Restriction<D> restriction = whole(layout);
  restriction.box.lower[face / 2] = face % 2 == 0 ? -1 : layout.p;
  restriction.box.extent[face / 2] = 1;
  restriction.shift[face / 2] = face % 2 == 0 ? 1 : -1;
  return restriction;
}

template <int D>
std::size_t CellLevel<D>::part_doubles(const Index<D>& child, const Vec<Beyond, 2 * D>& of_parent) const {
  const solvers::PatchLayout one(D, layout_.p, 1, 1);
  std::size_t doubles = solvers::part_size<D>(one, child, whole(one));
  for (int face = 0; face < 2 * D; ++face) {
    if (of_parent[static_cast<std::size_t>(face)] == Beyond::leaf && touches(child, face))
      doubles += solvers::part_size<D>(one, child, plane(one, face));
  }
  return doubles;
}

template <int D>
void CellLevel<D>::send(Mail& mail, int unknown, ThreadTeam& team) {
  const solvers::PatchLayout one(D, layout_.p, 1, 1);
  mail.messages.start_receives();
  team.for_chunks(mail.sent.size(), [&](int, std::size_t begin, std::size_t end) {
    for (const Parcel& parcel : std::span(mail.sent).subspan(begin, end - begin))
      solvers::pack<D>(one, parcel.slot + of_unknown(unknown), parcel.box,
                       mail.messages.send_buffer() + parcel.offset);
  });
  mail.messages.start_sends();
}

template <int D>
void CellLevel<D>::receive(Mail& mail, int unknown, ThreadTeam& team) {
  const solvers::PatchLayout one(D, layout_.p, 1, 1);
  mail.messages.wait();
  team.for_chunks(mail.received.size(), [&](int, std::size_t begin, std::size_t end) {
    for (const Parcel& parcel : std::span(mail.received).subspan(begin, end - begin))
      solvers::unpack<D>(one, parcel.slot + of_unknown(unknown), parcel.box,
                         mail.messages.received(parcel.offset));
  });
}

template <int D>
void CellLevel<D>::for_patches(ThreadTeam& team, const std::function<void(const Patch&)>& body) const {
  if (is_small()) {
    for (const Patch& patch : patches_) body(patch);
    return;
  }
  team.for_chunks(patches_.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) body(patches_[i]);
  });
}

template <int D>
void CellLevel<D>::exchange(Halo halo, int unknown, ThreadTeam& team) {
  const solvers::PatchLayout one(D, layout_.p, 1, 1);
  HaloPlan& plan = plan_of(halo);
  send(plan.mail, unknown, team);
  if (!plan.copies.empty()) {
    for_patches(team, [&](const Patch& patch) {
      const auto i = static_cast<std::size_t>(&patch - patches_.data());
      for (std::size_t c = plan.first[i]; c < plan.first[i + 1]; ++c) {
        const Copy& copy = plan.copies[c];
        solvers::copy<D>(one, copy.to + of_unknown(unknown), copy.from + of_unknown(unknown), copy.box,
                         copy.shift);
      }
    });
  }
  receive(plan.mail, unknown, team);
}

template <int D>
void CellLevel<D>::for_steps(int steps, int unknown, ThreadTeam& team,
                             const std::function<void(const Patch&, int)>& step) {
  std::vector<int> done(patches_.size(), 0);
  for (int round = 0; round < steps; ++round) {
    exchange(Halo::faces, unknown, team);
    // All patches have done `round` steps or more. Those of other threads may be doing more now.
    const auto advance = [&](std::size_t begin, std::size_t end) {
      const auto is_here = [&](std::int32_t other) {
        return static_cast<std::size_t>(other) >= begin && static_cast<std::size_t>(other) < end;
      };
      const auto can_step = [&](std::size_t i) {
        const Patch& patch = patches_[i];
        const int next = done[i];
        if (next == steps || (next > round && patch.reads_far)) return false;
        return std::ranges::all_of(patch.number_beside, [&](std::int32_t other) {
          return other < 0 || (is_here(other) ? done[static_cast<std::size_t>(other)] : round) >= next;
        });
      };
      std::vector<std::size_t> candidates;
      for (std::size_t i = begin; i < end; ++i) {
        candidates.push_back(i);
        while (!candidates.empty()) {
          const std::size_t now = candidates.back();
          if (!can_step(now)) {
            candidates.pop_back();
            continue;
          }
          step(patches_[now], done[now]);
          ++done[now];
          for (const std::int32_t other : patches_[now].number_beside) {
            if (other >= 0 && is_here(other) && static_cast<std::size_t>(other) <= i)
              candidates.push_back(static_cast<std::size_t>(other));
          }
        }
      }
    };
    if (is_small())
      advance(0, patches_.size());
    else
      team.for_chunks(patches_.size(), [&](int, std::size_t begin, std::size_t end) { advance(begin, end); });
  }
}

template <int D>
void CellLevel<D>::read_parents(int unknown, ThreadTeam& team) {
  send(parents_, unknown, team);
  receive(parents_, unknown, team);
}

template <int D>
void CellLevel<D>::restrict_to_parents(const Write& write, const Combine& combine, ThreadTeam& team) {
  parts_.messages.start_receives();
  team.for_chunks(parts_.sent.size(), [&](int, std::size_t begin, std::size_t end) {
    for (const Parcel& parcel : std::span(parts_.sent).subspan(begin, end - begin))
      write(patches_[static_cast<std::size_t>(parcel.patch)], parts_.messages.send_buffer() + parcel.offset);
  });
  parts_.messages.start_sends();
  parts_.messages.wait();
  team.for_chunks(refined_.size(), [&](int, std::size_t begin, std::size_t end) {
    std::vector<double> own;
    for (std::size_t i = begin; i < end; ++i) {
      const Patch& parent = coarser_->patches_[static_cast<std::size_t>(refined_[i])];
      const auto family = std::span(children_).subspan(i * children<D>, children<D>);
      std::size_t doubles = 0;
      for (const Child& child : family) doubles += part_doubles(child.position, parent.beyond);
      own.resize(doubles);
      solvers::RestrictedPart<D> parts[children<D>];
      double* next = own.data();
      for (std::size_t c = 0; c < children<D>; ++c) {
        const Child& child = family[c];
        parts[c] = {next, child.position};
        if (child.patch < 0) {
          parts[c].part = parts_.messages.received(parts_.received[child.received].offset);
          continue;
        }
        write(patches_[static_cast<std::size_t>(child.patch)], next);
        next += part_doubles(child.position, parent.beyond);
      }
      combine(parent, parts);
    }
  });
}

template <int D>
std::size_t CellLevel<D>::bytes() const {
  std::size_t copies = 0, buffers = parents_.messages.sent_bytes() + parts_.messages.sent_bytes();
  for (const HaloPlan& plan : halos_) {
    copies += plan.copies.size();
    buffers += plan.mail.messages.sent_bytes();
  }
  return pool_.capacity() * pool_.slot_doubles() * sizeof(double) + 2 * buffers + copies * sizeof(Copy) +
         patches_.size() * sizeof(Patch) + children_.size() * sizeof(Child);
}

#define MEANDER_INSTANTIATE(D)                                                            \
  template std::vector<CutLevel<D>> cut_at_all_levels<D>(const DistributedTree<D>& tree); \
  template class CellLevel<D>;
MEANDER_INSTANTIATE(2)
MEANDER_INSTANTIATE(3)
#undef MEANDER_INSTANTIATE

}  // namespace meander::mesh
