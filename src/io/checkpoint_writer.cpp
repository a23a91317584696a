// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/checkpoint_file.hpp"

#include <fmt/format.h>

#include <cstring>

#include "io/byte_archive.hpp"
#include "io/checksum.hpp"
#include "io/chombo_layout.hpp"
#include "io/collective_file.hpp"

namespace meander::io {

namespace {

void pack(const solvers::PatchLayout& layout, const double* slot, std::byte* out) {
  const std::size_t bytes = static_cast<std::size_t>(layout.p) * sizeof(double);
  for (int u = 0; u < layout.unknowns; ++u) {
    for (int k = 0; k < (layout.dim == 3 ? layout.p : 1); ++k) {
      for (int j = 0; j < layout.p; ++j, out += bytes) std::memcpy(out, slot + layout.at(u, 0, j, k), bytes);
    }
  }
}

class CheckpointWriter {
 public:
  CheckpointWriter(ParallelFile& file, const parallel::Communicator& communicator, const CheckpointMesh& mesh,
                   const std::vector<LevelRows>& levels, const CheckpointOffsets& offsets)
      : file_(file), communicator_(communicator), mesh_(mesh), levels_(levels), offsets_(offsets) {}

  // Writes and flushes everything but the head. Returns the head.
  CheckpointHead write(std::span<const double* const> patches) {
    write_patch_tables(file_, mesh_.mesh, offsets_.tables, communicator_);
    std::vector<std::uint64_t> checksums;
    for (std::size_t n = 0; n < levels_.size(); ++n) {
      write_tables(levels_[n], offsets_.levels[n]);
      checksums.push_back(write_patches(levels_[n], offsets_.levels[n], patches));
    }
    communicator_.sum(std::span(checksums));
    file_.write_rows(offsets_.checksums, sizeof(std::uint64_t), 0,
                     communicator_.is_root() ? std::ssize(levels_) : 0,
                     [&](std::int64_t row, std::byte* out) {
                       std::memcpy(out, &checksums[static_cast<std::size_t>(row)], sizeof(std::uint64_t));
                     });
    file_.flush();
    return head();
  }

 private:
  const PlotLeaf& leaf(const LevelRows& level, std::int64_t row) const {
    return mesh_.mesh.leaves[level.leaves[static_cast<std::size_t>(row)]];
  }

  void write_tables(const LevelRows& level, const CheckpointOffsets::Level& offsets) {
    const solvers::PatchLayout& layout = mesh_.mesh.layout;
    const auto axes = static_cast<std::size_t>(layout.dim);
    std::int32_t box[6];
    const std::size_t box_bytes = 2 * axes * sizeof(std::int32_t);
    file_.write_rows(offsets.boxes, static_cast<std::int64_t>(box_bytes), level.first, level.rows(),
                     [&](std::int64_t row, std::byte* out) {
                       for (std::size_t a = 0; a < axes; ++a) {
                         box[a] = leaf(level, row).at[a] * layout.p;
                         box[axes + a] = box[a] + layout.p - 1;
                       }
                       std::memcpy(out, box, box_bytes);
                     });
    file_.write_rows(offsets.processors, sizeof(std::int32_t), level.first, level.rows(),
                     [&](std::int64_t row, std::byte* out) {
                       std::memcpy(out, &leaf(level, row).rank, sizeof(std::int32_t));
                     });
    // The last entry is the end of the last patch.
    const bool last = communicator_.is_root();
    const auto write_offsets = [&](std::int64_t first, std::int64_t rows) {
      file_.write_rows(offsets.patch_starts, sizeof(std::int64_t), first, rows,
                       [&](std::int64_t row, std::byte* out) {
                         const std::int64_t offset = (first + row) * patch_values(layout);
                         std::memcpy(out, &offset, sizeof(offset));
                       });
    };
    write_offsets(level.first, level.rows());
    write_offsets(level.all, last ? 1 : 0);
  }

  // Returns the sum of this rank's checksums.
  std::uint64_t write_patches(const LevelRows& level, const CheckpointOffsets::Level& offsets,
                              std::span<const double* const> patches) {
    const solvers::PatchLayout& layout = mesh_.mesh.layout;
    const auto bytes = static_cast<std::size_t>(patch_values(layout)) * sizeof(double);
    std::uint64_t sum = 0;
    file_.write_rows(offsets.patches, static_cast<std::int64_t>(bytes), level.first, level.rows(),
                     [&](std::int64_t row, std::byte* out) {
                       pack(layout, patches[level.leaves[static_cast<std::size_t>(row)]], out);
                       sum += checksum({out, bytes}, static_cast<std::uint64_t>(level.first + row));
                     });
    return sum;
  }

  CheckpointHead head() {
    CheckpointHead result;
    const std::int64_t patch_bytes = patch_values(mesh_.mesh.layout) * std::int64_t{sizeof(double)};
    for (std::size_t n = 0; n < levels_.size(); ++n)
      result.levels.push_back({offsets_.levels[n].patches, levels_[n].all * patch_bytes});
    communicator_.agree([&] {
      result.length = file_.raw().size();
      result.rest = checksum_of_rest(file_.raw(), result, communicator_.rank(), communicator_.size());
    });
    communicator_.sum(std::span(&result.rest, 1));
    return result;
  }

  ParallelFile& file_;
  const parallel::Communicator& communicator_;
  const CheckpointMesh& mesh_;
  const std::vector<LevelRows>& levels_;
  const CheckpointOffsets& offsets_;
};

}  // namespace

std::string checkpoint_name(std::int64_t step) {
  return fmt::format("chk_{:06}.hdf5", step);
}

void write_checkpoint(const std::string& path, const parallel::Communicator& communicator,
                      const CheckpointMesh& mesh, std::span<const double* const> patches,
                      const CheckpointState& state) {
  const std::vector<LevelRows> levels = level_rows(path, mesh.mesh.leaves, communicator);
  communicator.agree([&] {
    if (levels.size() > max_checkpoint_levels)
      throw Failure(
          fmt::format("{}: cannot write: more than {} levels have leaves", path, max_checkpoint_levels));
  });
  CheckpointOffsets offsets;
  CollectiveFile file(path, communicator, head_bytes, [&](hdf5::Writer& writer) {
    offsets = create_checkpoint(writer, mesh, levels, state);
  });
  broadcast_archive(communicator, offsets);
  const CheckpointHead head =
      CheckpointWriter(file.rows(), communicator, mesh, levels, offsets).write(patches);
  const std::string text = head.text();
  file.flush_and_rename([&](RawFile& raw) { raw.write(0, std::as_bytes(std::span(text))); });
}

}  // namespace meander::io
