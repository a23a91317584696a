// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// All cells of one level, leaves and refined ones, each with a patch and a halo of one layer: the grids of a multigrid
// method. A refined cell belongs to the rank of its first leaf.
//
// Cells exchange halos within the level. From the next coarser level they read the slot of their parent, with its halo: all
// cells around a refined cell exist, because the tree is balanced over edges and corners. To the coarser level they give
// parts of restrictions.
//
// Every exchange is one message a neighbour rank. Both sides enumerate the receiving cells in curve order. All levels share
// a tag: exchanges take place in the same order on all ranks.

#include <functional>
#include <memory_resource>
#include <span>
#include <vector>

#include "mesh/distributed_tree.hpp"
#include "mesh/patch_pool.hpp"
#include "mesh/residence.hpp"
#include "parallel/neighbour_messages.hpp"
#include "solvers/boxes.hpp"
#include "solvers/restriction.hpp"

namespace meander {
class ThreadTeam;
}

namespace meander::mesh {

// The volume of the cell's own size beyond a face: a cell of the level, both refined or both not (equal); a refined one
// beside this leaf (refined); a leaf beside this refined cell (leaf); part of a coarser leaf; outside the domain.
enum class Beyond : std::uint8_t { equal, refined, leaf, coarser, outside };

// A tree cut off below a level: its leaves of that level are the cells of the level.
template <int D>
struct CutLevel {
  DistributedTree<D> tree;
  int level = 0;
  std::vector<char> is_refined;  // by own leaf of the tree
};

// The cuts of a balanced tree at all its levels, the base level first. The domain's base cells are united to coarser ones
// while all axes have a multiple of 3. Collective.
template <int D>
std::vector<CutLevel<D>> cut_at_all_levels(const DistributedTree<D>& tree);

template <int D>
class CellLevel {
 public:
  struct Patch {
    Key<D> key;
    Cell<D> cell;
    bool is_refined = false;
    Vec<Beyond, 2 * D> beyond{};  // by face
    // The slots beyond faces of cells of the level on this rank, except across the wrap of a periodic axis, where the colours of
    // volumes may be equal; else null.
    Vec<const double*, 2 * D> beside{};
    Vec<std::int32_t, 2 * D> number_beside;  // of their cells, or -1
    bool reads_far = false;                  // halos of other ranks or across a wrap
    double* slot = nullptr;                  // all zero at first; its address on a device
    const double* coarse = nullptr;          // slot of the parent or a copy; null on the coarsest level
    Index<D> child{};                        // position in the parent
  };
  // faces: of all cells; edges: edges and corners of refined cells; planes: what a leaf reads of the halo of a refined cell
  // at their common face.
  enum class Halo : std::uint8_t { faces, edges, planes };

  // layout: a halo of one layer; its unknowns are numbers a volume of any meaning. coarser: the next coarser level or null;
  // it outlives this. memory: of the residence; on a device the caller sets all slots to zero, and carries out the plans below, with
  // its addresses. Throws gpu::OutOfMemory (several ranks: parallel::AgreedFailure). Collective.
  CellLevel(CutLevel<D> cut, CellLevel* coarser, const solvers::PatchLayout& layout, gpu::Resource& memory,
            Residence residence = Residence::host,
            std::pmr::memory_resource& message_memory = *std::pmr::new_delete_resource());
  // Parcels hold pointers to slots.
  CellLevel(const CellLevel&) = delete;
  CellLevel& operator=(const CellLevel&) = delete;

  int level() const { return cut_.level; }
  const Domain<D>& domain() const { return cut_.tree.domain(); }
  const parallel::Communicator& communicator() const { return cut_.tree.communicator(); }
  // Own cells in curve order.
  std::span<const Patch> patches() const { return patches_; }
  // Calls body(patch) for all of them, concurrently if they are enough for that to be faster.
  void for_patches(ThreadTeam& team, const std::function<void(const Patch&)>& body) const;

  // Copies halos of one unknown from the cells beside. Halos outside the domain or beside coarser leaves are left as they
  // are, and across faces those of which Patch::beside has the slots. Collective among neighbours.
  void exchange(Halo halo, int unknown, ThreadTeam& team);
  // Calls step(patch, n) for n = 0 .. steps - 1 for each patch, concurrently: when each patch beside it has taken its step n - 1 and
  // not yet its step n + 1, with what exchange() of faces copies. Several steps are taken while patches are in cache. A step must not
  // write what the step of the same number reads of patches beside.
  void for_steps(int steps, int unknown, ThreadTeam& team,
                 const std::function<void(const Patch&, int)>& step);
  // Makes `coarse` of all patches current as far as their restrictions and prolongations reach. Collective among neighbours.
  void read_parents(int unknown, ThreadTeam& team);

  // A restriction to the refined cells of the coarser level. write(patch, part) writes the part of a patch,
  // part_doubles(patch) numbers; combine(parent, parts) gets those of all children in curve order. Both may be called
  // concurrently. Collective among neighbours.
  using Write = std::function<void(const Patch&, double* part)>;
  using Combine = std::function<void(const Patch& parent, std::span<const solvers::RestrictedPart<D>> parts)>;
  void restrict_to_parents(const Write& write, const Combine& combine, ThreadTeam& team);

  // The layout of a part: of the whole patch, then of the planes of the parent beyond faces with a leaf, by face; of one
  // unknown.
  static solvers::Restriction<D> whole(const solvers::PatchLayout& layout);
  static solvers::Restriction<D> plane(const solvers::PatchLayout& layout, int face);
  // Whether a child touches a face of its parent.
  static bool touches(const Index<D>& child, int face) { return child[face / 2] == face % 2 * 2; }

  std::size_t bytes() const;

  // ---- The plans of these operations.
  // A box of a slot, or the part of a patch, in a message.
  struct Parcel {
    int rank = 0;
    std::size_t doubles = 0;
    double* slot = nullptr;
    solvers::Box<D> box{};
    std::int32_t patch = 0;
    std::size_t offset = 0;
  };
  struct Mail {
    std::vector<Parcel> sent, received;
    parallel::NeighbourMessages messages;
    void connect(const parallel::Communicator& communicator, std::pmr::memory_resource& memory);
  };
  // Volume i of the box is volume i + shift there.
  struct Copy {
    double* to;
    const double* from;
    solvers::Box<D> box;
    Index<D> shift;
  };
  struct HaloPlan {
    std::vector<Copy> copies;        // in the order of their patches
    std::vector<std::size_t> first;  // of each patch, and the end
    Mail mail;
  };
  // A child of a refined cell of the coarser level.
  struct Child {
    std::int32_t patch = -1;  // -1: of another rank
    Index<D> position{};
    std::size_t received = 0;  // number of the parcel
  };
  HaloPlan& plan_of(Halo halo) { return halos_[static_cast<std::size_t>(halo)]; }
  Mail& parents() { return parents_; }
  Mail& parts() { return parts_; }
  // Refined cells of the coarser level, by number, and the children of each, in curve order.
  std::span<const std::int32_t> refined() const { return refined_; }
  std::span<const Child> children_of_refined() const { return children_; }

 private:
  // Of parents on other ranks.
  std::size_t copies_of_parents() const;
  double* new_slot();
  bool is_small() const {
    constexpr std::ptrdiff_t few_volumes = 2000;  // threads take longer to start than to sweep them
    return std::ssize(patches_) * layout_.volumes() < few_volumes;
  }
  static constexpr std::size_t halos = 3;
  void plan_halos();
  void plan_parents();
  std::size_t part_doubles(const Index<D>& child, const Vec<Beyond, 2 * D>& of_parent) const;
  void send(Mail& mail, int unknown, ThreadTeam& team);
  void receive(Mail& mail, int unknown, ThreadTeam& team);
  std::ptrdiff_t of_unknown(int unknown) const { return unknown * layout_.unknown_stride(); }

  CutLevel<D> cut_;
  Residence residence_;
  std::pmr::memory_resource& message_memory_;
  CellLevel* coarser_;
  solvers::PatchLayout layout_;
  PatchPool pool_;
  std::vector<Patch> patches_;
  HaloPlan halos_[halos];
  Mail parents_, parts_;
  std::vector<std::int32_t> refined_;
  std::vector<Child> children_;
};

}  // namespace meander::mesh
