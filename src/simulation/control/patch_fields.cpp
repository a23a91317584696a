// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/control/patch_fields.hpp"

#include <algorithm>
#include <cstddef>

namespace meander::simulation {

template <int D>
double PatchFields<D>::update(mesh::PatchMesh<D>& mesh, const Equation& equation, ThreadTeam& team) {
  const auto leaves = mesh.tree().leaves();
  std::vector<double> largest(leaves.size());
  std::vector<std::size_t> fresh;
  for (std::size_t leaf = 0, old = 0; leaf < leaves.size(); ++leaf) {
    while (old < leaves_.size() && leaves_[old] < leaves[leaf]) ++old;
    if (old < leaves_.size() && leaves_[old] == leaves[leaf])
      largest[leaf] = largest_[old];
    else
      fresh.push_back(leaf);
  }
  leaves_.clear();  // none are known if this fails
  mesh.communicator().agree([&] {
    team.for_chunks(fresh.size(), [&](int, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        largest[fresh[i]] = equation.set_fields(mesh.patches()[fresh[i]], mesh.layout());
    });
  });
  mesh.residence().send_fields(fresh);
  leaves_.assign(leaves.begin(), leaves.end());
  largest_ = std::move(largest);
  return mesh.communicator().max(largest_.empty() ? 0.0 : *std::ranges::max_element(largest_));
}

template class PatchFields<2>;
template class PatchFields<3>;

}  // namespace meander::simulation
