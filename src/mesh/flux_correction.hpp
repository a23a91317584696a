// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Refluxing (Berger & Colella 1989): where a coarse leaf touches finer ones, its own face flux is replaced by
// the mean of the fine fluxes, so that the amount leaving one side enters the other. Fine leaves of other
// ranks send their part of that mean, one message a neighbour rank. Parts are added in curve order, on
// whatever rank they were summed.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

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

  // Points the flux blocks of all faces at such a resolution jump to their registers.
  void attach(std::span<solvers::PatchTask> patches);

  // Own leaves with at least one coarse face, in curve order.
  std::span<const std::int32_t> coarse_leaves() const { return coarse_leaves_; }

  // One message to and one from every rank of the ghost layer, in its order.
  std::span<const parallel::NeighbourMessages::Peer> peers() const { return peers_; }
  // Number of faces whose parts are sent.
  std::size_t outgoing() const { return outgoing_.size(); }
  // Sums the parts of coarse faces that a leaf contributes: after its update, while its registers are in cache. Calls for
  // different leaves may run concurrently.
  void sum_parts(std::size_t leaf);
  // Copies outgoing part i, after sum_parts() of its leaf. Calls for different i may run concurrently.
  void pack(std::size_t i, double* send_buffer) const;

  // Corrects the interior of coarse_leaves()[i] for the step dt that wrote the registers, after sum_parts() of all
  // leaves. The receive buffer holds the parts of other ranks. Calls for different i may run concurrently.
  void apply(std::size_t i, const solvers::PatchTask& patch, double dt, const double* receive_buffer) const;

  // The plan, for work on devices: the registers, each a block of PatchLayout::face_flux_size() doubles, the
  // coarse faces of coarse_leaves()[i], their parts, and the parts that are sent.
  std::span<const Register> registers() const { return table_; }
  std::span<const CoarseFace> faces(std::size_t i) const {
    return std::span(faces_).subspan(face_begin_[i], face_begin_[i + 1] - face_begin_[i]);
  }
  std::span<const MeanPart> parts(const CoarseFace& face) const {
    return std::span(parts_).subspan(face.first_part, face.parts);
  }
  std::span<const Outgoing> outgoing_parts() const { return outgoing_; }
  std::size_t register_doubles() const { return registers_.size(); }
  // The register at an offset.
  const double* fluxes(std::size_t offset) const { return registers_.data() + offset; }
  // Length of a part: for each coarse volume face that the fine face touches and each unknown, two.
  std::size_t part_doubles(const SubFace& sub_face) const;

  std::size_t bytes() const { return (registers_.size() + sums_.size()) * sizeof(double); }
  // Memory of the plan, without registers.
  std::size_t plan_bytes() const;

 private:
  struct FineFace {
    std::int32_t leaf;
    SubFace sub_face{};
  };

  void make_registers(const LocalView<D>& view);
  void list_outgoing(const LocalView<D>& view);
  bool corrects(int coarse_level) const { return !coarse_level_ || *coarse_level_ == coarse_level; }
  // The fine leaves across a face, in curve order; empty without finer neighbour that corrects it.
  std::vector<FineFace> fine_faces(const LocalView<D>& view, std::int32_t leaf, int face) const;
  std::size_t register_of(std::int32_t leaf, int face) const;
  std::size_t sums_of(std::size_t register_offset) const;

  solvers::PatchLayout layout_;
  std::optional<int> coarse_level_;
  std::vector<double> registers_;
  std::vector<Register> table_;  // of all faces at a jump, sorted by leaf and face
  // Of faces on the fine side: the part of the coarse face, as sums.
  struct FaceSums {
    std::size_t fluxes, sums;  // offsets of register and sums
    SubFace sub_face{};
  };
  std::vector<FaceSums> face_sums_;       // in the order of the table
  std::vector<std::int32_t> sums_begin_;  // face_sums_ of a leaf: sums_begin_[leaf] .. sums_begin_[leaf + 1]
  std::vector<double> sums_;
  std::vector<CoarseFace> faces_;
  std::vector<MeanPart> parts_;
  std::vector<std::int32_t> coarse_leaves_;
  std::vector<std::size_t> face_begin_;  // faces of coarse leaf i: face_begin_[i] .. face_begin_[i + 1]
  std::vector<Outgoing> outgoing_;
  std::vector<parallel::NeighbourMessages::Peer> peers_;
};

}  // namespace meander::mesh
