// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Refluxing (Berger & Colella 1989): where a coarse leaf touches finer ones, its own face flux is replaced by
// the mean of the fine fluxes, so that the amount leaving one side enters the other. The mean is over the
// volume faces and over the steps that the finer leaves take in one of the coarse leaf: one with global steps.
//
// A fine face adds up its part of that mean over these steps: for each coarse volume face, the first flux f_0
// of its first step and the sum of differences to it. The coarse flux is replaced by
// f_0 + sum / (steps * 3^(D-1)), so equal fluxes are reproduced exactly. Fine leaves of other ranks send their
// parts, one message per neighbour rank. Parts are added in curve order, on whatever rank they were summed, so
// no bit depends on rank or thread.

#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <vector>

#include "base/thread_team.hpp"
#include "mesh/local_view.hpp"
#include "parallel/neighbour_messages.hpp"
#include "solvers/solver.hpp"

namespace meander::mesh {

template <int D>
class FluxCorrection {
 public:
  using SubFace = Vec<std::int8_t, D - 1>;  // of a fine leaf on the coarse face: 0, 1, 2 along each axis
  struct Register {
    std::int32_t leaf;
    std::uint8_t face;
    std::size_t offset;
  };
  // A face of a fine leaf: offsets of its register, and of its sums in a block of sums() doubles.
  struct FineFace {
    std::size_t fluxes, sums;
    SubFace sub_face{};
  };
  struct MeanPart {
    std::size_t offset;  // of the fine leaf's register, or in the receive buffer
    SubFace sub_face{};
    bool received = false;
    std::size_t sums = 0;        // own fine leaf: offset of the sums of its face
    std::size_t of_unknown = 0;  // doubles of the part for each unknown
  };
  struct CoarseFace {
    std::uint8_t face;
    std::size_t own;  // offset of the coarse leaf's register
    std::size_t first_part, parts;
  };
  struct Outgoing {
    std::size_t fine;  // offset of the register
    SubFace sub_face{};
    std::size_t offset;  // in the send buffer
    std::size_t sums;    // offset of the sums of the face
  };

  FluxCorrection() = default;
  // coarse_level: only the faces between leaves of that level and the next finer one; default: all.
  FluxCorrection(const LocalView<D>& view, const solvers::PatchLayout& layout,
                 std::optional<int> coarse_level = {});
  // Makes messages() and their buffers, in `memory`. The ranks of the ghost layer make the matching ones.
  void connect(const parallel::Communicator& communicator, int tag, const char* name,
               std::pmr::memory_resource& memory = *std::pmr::new_delete_resource());

  // For patches that are updated on the host: makes registers and sums, and points the flux blocks of all faces at such a
  // resolution jump to their registers. add_step(), start_sends() and apply() require them.
  void attach(std::span<solvers::PatchTask> patches);

  // Own leaves with at least one coarse face, in curve order.
  std::span<const std::int32_t> coarse_leaves() const { return coarse_leaves_; }

  // One message to and one from every rank of the ghost layer, in its order.
  std::span<const parallel::NeighbourMessages::Peer> peers() const { return peers_; }
  // After the update of a leaf, while its registers are in cache: adds the fluxes of its step number `substep`
  // within the step of the next coarser level to its sums; number 0 begins them. Calls for different leaves
  // may run concurrently.
  void add_step(std::size_t leaf, int substep);
  // After the last add_step() of all leaves and messages().start_receives(): sends the sums at rank borders.
  // To be called by the thread that initialised MPI.
  void start_sends(ThreadTeam& team);
  parallel::NeighbourMessages& messages() { return messages_; }
  const parallel::NeighbourMessages& messages() const { return messages_; }
  // Corrects the interior of coarse_leaves()[i] for its step dt, in which its finer neighbours took `steps`
  // steps, after messages().wait(). Calls for different i may run concurrently.
  void apply(std::size_t i, const solvers::PatchTask& patch, double dt, int steps) const;

  // The plan, for work on devices: the registers, each a block of PatchLayout::face_flux_size() doubles, the
  // fine faces by leaf, the coarse faces of coarse_leaves()[i], their parts, and the parts that are sent.
  std::span<const Register> registers() const { return table_; }
  std::span<const FineFace> fine_faces() const { return fine_faces_; }
  std::span<const CoarseFace> faces(std::size_t i) const {
    return std::span(faces_).subspan(face_begin_[i], face_begin_[i + 1] - face_begin_[i]);
  }
  std::span<const MeanPart> parts(const CoarseFace& face) const {
    return std::span(parts_).subspan(face.first_part, face.parts);
  }
  std::span<const Outgoing> outgoing_parts() const { return outgoing_; }
  std::size_t register_doubles() const {
    return table_.size() * static_cast<std::size_t>(layout_.face_flux_size());
  }
  std::size_t sums() const { return sum_doubles_; }

  // Memory of registers and sums, which is of a device where the patches live on one; of all that is on the host.
  std::size_t register_bytes() const { return (register_doubles() + sums()) * sizeof(double); }
  std::size_t bytes() const {
    return (registers_.size() + sums_.size()) * sizeof(double) + 2 * messages_.sent_bytes();
  }
  // Memory of the plan.
  std::size_t plan_bytes() const;

 private:
  struct FineLeaf {
    std::int32_t leaf;
    SubFace sub_face{};
  };

  void make_registers(const LocalView<D>& view);
  void list_outgoing(const LocalView<D>& view);
  bool corrects(int coarse_level) const { return !coarse_level_ || *coarse_level_ == coarse_level; }
  // The fine leaves across a face, in curve order; empty without finer neighbour that corrects it.
  std::vector<FineLeaf> fine_leaves(const LocalView<D>& view, std::int32_t leaf, int face) const;
  std::size_t register_of(std::int32_t leaf, int face) const;
  std::size_t sums_of(std::size_t register_offset) const;
  // Length of a part: for each coarse volume face that the fine face touches and each unknown, two.
  std::size_t part_doubles(const SubFace& sub_face) const;

  solvers::PatchLayout layout_;
  std::optional<int> coarse_level_;
  std::vector<double> registers_;         // empty before attach()
  std::vector<Register> table_;           // of all faces at a jump, sorted by leaf and face
  std::vector<FineFace> fine_faces_;      // in the order of the table
  std::vector<std::int32_t> fine_begin_;  // fine_faces_ of a leaf: fine_begin_[leaf] .. fine_begin_[leaf + 1]
  std::size_t sum_doubles_ = 0;
  std::vector<double> sums_;  // empty before attach()
  std::vector<CoarseFace> faces_;
  std::vector<MeanPart> parts_;
  std::vector<std::int32_t> coarse_leaves_;
  std::vector<std::size_t> face_begin_;  // faces of coarse leaf i: face_begin_[i] .. face_begin_[i + 1]
  std::vector<Outgoing> outgoing_;
  std::vector<parallel::NeighbourMessages::Peer> peers_;
  parallel::NeighbourMessages messages_;
};

}  // namespace meander::mesh
