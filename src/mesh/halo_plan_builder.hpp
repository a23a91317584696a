// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Construction of a HaloPlan: the reads of coarse slots and the operations that fill own leaves and ghost patches
// (halo_plan_builder.cpp), the outgoing data and all offsets in messages (halo_plan_messages.cpp).

#include <map>
#include <unordered_map>
#include <vector>

#include "mesh/coarse_reads.hpp"
#include "mesh/halo_plan.hpp"
#include "mesh/halo_reads.hpp"

namespace meander::mesh {

template <int D>
class HaloPlan<D>::Builder {
 public:
  Builder(HaloPlan& plan, const DistributedTree<D>& tree, const LocalView<D>& view,
          const solvers::PatchLayout& layout, const HaloNeeds& needs);
  void build(const ThreadTeam& team);

 private:
  using Kind = typename HaloOp<D>::Kind;

  // A message to or from one rank: its size so far, and its offset in the buffer.
  struct Message {
    std::size_t doubles = 0, begin = 0;
    // Appends `size` doubles and returns their offset in the message.
    std::size_t take(std::size_t size) {
      doubles += size;
      return doubles - size;
    }
  };
  // A coarse read that arrives by message: the number of the operation, or of the part, whose offset must be
  // set.
  struct Expected {
    std::size_t read, index;
    bool is_part;
  };
  // The operations of some leaves in succession. Numbers of operations and parts, and offsets in messages count from the
  // beginning of these lists. Threads make lists of their own.
  struct Lists {
    std::vector<HaloOp<D>> ops;
    std::vector<FineSource<D>> parts;
    std::vector<std::size_t> ends;         // of groups of operations
    std::vector<std::size_t> restricting;  // numbers of the operations with parts
    std::vector<std::size_t> doubles;      // of messages from peers
    std::vector<Expected> expected;
    // Of one leaf, until they are appended to ops.
    std::vector<FineSource<D>> sources;
    std::vector<HaloOp<D>> late, second;

    void end_group() { ends.push_back(ops.size()); }
    void append(const std::vector<HaloOp<D>>& more) {
      for (std::size_t i = 0; i < more.size(); ++i) {
        if (more[i].kind == Kind::restrict_parts) restricting.push_back(ops.size() + i);
      }
      ops.insert(ops.end(), more.begin(), more.end());
    }
    std::size_t take(std::size_t peer, std::size_t size) {
      doubles[peer] += size;
      return doubles[peer] - size;
    }
  };
  // A question to another rank about one of its leaves, and the answer.
  struct Query {
    Key<D> coarse;
    solvers::Box<D> box;
  };
  struct Answer {
    std::size_t query;
    CoarseRead<D> read;
  };
  // The origin of a query.
  struct Asked {
    std::int32_t coarse;
    int direction;
  };
  struct Questions {
    std::vector<Query> queries;
    std::vector<Asked> asked;
  };
  // A coarse read as requested from its sender; in indices of the coarse leaf, as CoarseRead.
  struct Request {
    Key<D> source;
    bool is_finer;
    Index<D> child;
    solvers::Box<D> box;
    Index<D> shift;
  };

  std::size_t peer(int rank);
  std::size_t peer_of(std::int32_t leaf) const { return peer_of_.at(view_.rank(leaf)); }
  bool fills(std::int32_t leaf) const {
    return needs_.marked.empty() || needs_.marked[static_cast<std::size_t>(leaf)] != 0;
  }
  bool is_finer(std::int32_t leaf) const;
  std::int32_t own_leaf(Key<D> key) const;
  bool is_wanted(const CoarseRead<D>& read) const;

  void collect_coarse_reads();
  void ask(const std::map<int, Questions>& questions);
  void add_read(const CoarseRead<D>& read, int direction);
  Lists new_lists() const;
  void list_own(const ThreadTeam& team);
  void list_own(std::size_t leaf, Lists& to);
  void list_ghosts();
  // Appends lists to the plan, and the ends of their groups to `ends`.
  void append(Lists& lists, std::vector<std::size_t>& ends);
  void add_parts(std::size_t leaf, HaloOp<D>& op, std::vector<FineSource<D>>& sources, Lists& to);
  void add_coarse_reads(std::int32_t leaf, Lists& to);
  void add_boundaries(std::int32_t leaf, Lists& to);
  void repeat_boundaries(std::int32_t leaf, std::size_t first, Lists& to);
  HaloOp<D> boundary_op(std::int32_t leaf, int face) const;
  void list_parts_by_leaf();
  void list_second_phase();

  void list_outgoing();
  void send_to_ghost(std::size_t peer, const HaloOp<D>& op, const std::vector<FineSource<D>>& sources);
  void request_coarse_reads();
  void send_requested(std::size_t peer, const Request& request);
  void send_volumes(std::size_t peer, std::int32_t leaf, const solvers::Box<D>& box);
  void send_part(std::size_t peer, std::int32_t leaf, const Index<D>& child,
                 const solvers::Restriction<D>& restriction);
  void set_message_offsets();
  template <class Items>
  void sort_by_leaf(Items& outgoing) const;
  void list_border();

  HaloPlan& plan_;
  const DistributedTree<D>& tree_;
  const Domain<D>& domain_;
  const LocalView<D>& view_;
  const solvers::PatchLayout& layout_;
  HaloNeeds needs_;
  bool two_phases_;
  HaloRegions<D> regions_;
  std::unordered_map<int, std::size_t> peer_of_;
  std::vector<Message> incoming_, outgoing_;                    // by peer
  std::vector<std::size_t> peers_of_volumes_, peers_of_parts_;  // by outgoing item
  CoarseReads<D> reads_;
  std::unordered_map<std::int32_t, std::vector<std::size_t>> reads_of_;  // by coarse leaf
  std::vector<Expected> expected_;                                       // in the order of reads_
  std::vector<std::size_t> restricting_;                                 // numbers of operations of the plan
  std::vector<char> corrected_, is_finer_;                               // by own leaf
  std::vector<FineSource<D>> sources_;
};

}  // namespace meander::mesh
