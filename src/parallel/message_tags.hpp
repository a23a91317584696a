// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// All tags of point-to-point messages, in one place so that no two uses share a tag.

namespace meander::parallel {

enum MessageTag : int {
  tag_of_fluxes = 1,
  tag_of_halos,
  tag_of_whole_halos,
  tag_of_slots,
  tag_of_level_fluxes,            // of all levels, which exchange in the same order on all ranks
  tag_of_level_halos,             // likewise
  tag_of_cell_levels,             // likewise
  tag_of_sparse_exchange = 1000,  // and 1001: exchange_sparsely alternates between two tags
  tag_of_leaves = 1100,
  tag_of_symmetric_exchange,
  tag_of_ghost_values
};

}  // namespace meander::parallel
