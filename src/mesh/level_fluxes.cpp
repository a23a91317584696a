// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/level_fluxes.hpp"

#include <algorithm>

#include "mesh/flux_mean.hpp"
#include "parallel/message_tags.hpp"

namespace meander::mesh {

template <int D>
LevelFluxes<D>::LevelFluxes(const LocalView<D>& view, const solvers::PatchLayout& layout, int coarse_level,
                            const parallel::Communicator& communicator)
    : layout_(layout),
      register_size_(static_cast<std::size_t>(layout.face_flux_size())),
      correction_(view, layout, coarse_level),
      messages_(communicator, parallel::tag_of_level_fluxes, correction_.peers(), "fluxes of a level") {
  std::size_t doubles = 0;
  for (const auto& entry : correction_.registers()) {
    sums_offset_.push_back(doubles);
    const Cell<D>& cell = view.neighbours().cells()[static_cast<std::size_t>(entry.leaf)];
    if (cell.level == coarse_level) continue;
    FineFace face{entry.leaf, {}, entry.offset, doubles};
    for (int a = 0, t = 0; a < D; ++a) {
      if (a != entry.face / 2)
        face.sub_face[static_cast<std::size_t>(t++)] = static_cast<std::int8_t>(cell.at[a] % 3);
    }
    doubles += correction_.part_doubles(face.sub_face);
    fine_faces_.push_back(face);
  }
  sums_.resize(doubles);
}

template <int D>
template <class Body>
void LevelFluxes<D>::for_blocks_of(const SubFace& sub_face, const Body& body) const {
  for_blocks(layout_.p, sub_face[0], D == 3 ? sub_face[D - 2] : 0, D == 3, body);
}

template <int D>
void LevelFluxes<D>::add_step(std::int32_t leaf, int substep) {
  const int p = layout_.p;
  for (auto face = std::ranges::lower_bound(fine_faces_, leaf, {}, &FineFace::leaf);
       face != fine_faces_.end() && face->leaf == leaf; ++face) {
    const double* fluxes = correction_.fluxes(face->fluxes);
    double* sums = sums_.data() + face->sums;
    for (int u = 0; u < layout_.unknowns; ++u, fluxes += layout_.face_volumes()) {
      for_blocks_of(face->sub_face, [&](const Block& block) {
        if (substep == 0) {
          sums[0] = fluxes[block.y * p + block.x];
          sums[1] = 0;
        }
        sums[1] = sum_of_differences(fluxes, p, block, sums[0], sums[1]);
        sums += 2;
      });
    }
  }
}

template <int D>
void LevelFluxes<D>::start_exchange(ThreadTeam& team) {
  if (messages_.is_empty()) return;
  messages_.start_receives();
  const auto outgoing = correction_.outgoing_parts();
  team.for_chunks(outgoing.size(), [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      std::copy_n(sums_of(outgoing[i].fine), correction_.part_doubles(outgoing[i].sub_face),
                  messages_.send_buffer() + outgoing[i].offset);
    }
  });
  messages_.start_sends();
}

template <int D>
void LevelFluxes<D>::correct(std::size_t i, const solvers::PatchTask& patch, double dt, int steps) const {
  const double weight = 1.0 / (ipow(3.0, D - 1) * steps);
  for (const auto& face : correction_.faces(i)) {
    const auto add = [&](int u, FaceMean* mean) {
      for (const auto& part : correction_.parts(face)) {
        const double* sums = part.received ? messages_.receive_buffer() + part.offset : sums_of(part.offset);
        sums += correction_.part_doubles(part.sub_face) / static_cast<std::size_t>(layout_.unknowns) *
                static_cast<std::size_t>(u);
        for_blocks_of(part.sub_face, [&](const Block& block) {
          mean[block.coarse].add(sums[0], sums[1], block.count() * steps);
          sums += 2;
        });
      }
    };
    replace_flux<D>(layout_, face.face, correction_.fluxes(face.own), patch.q,
                    (face.face % 2 == 0 ? 1.0 : -1.0) * dt / patch.dx, weight, add);
  }
}

template class LevelFluxes<2>;
template class LevelFluxes<3>;

}  // namespace meander::mesh
