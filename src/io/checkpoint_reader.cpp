// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/assert.hpp"
#include "io/byte_archive.hpp"
#include "io/checkpoint_file.hpp"
#include "io/checksum.hpp"
#include "io/chombo_layout.hpp"

namespace meander::io {

namespace {

constexpr std::int64_t block_bytes = std::int64_t{1} << 22;

// Describes a file that does not start like a checkpoint.
std::string describe_other_file(std::string_view start) {
  constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
  const auto signed_at = [&](std::size_t at) {
    return start.size() > at && start.substr(at).starts_with(signature);
  };
  if (start.empty()) return "is empty";
  if (signed_at(0)) {
    if (start.find("VTKHDF") != std::string_view::npos) {
      return "is a plot file (VTKHDF), which holds chosen fields in single precision: restart from a "
             "chk_*.hdf5";
    }
    return "is HDF5 of another program, no checkpoint";
  }
  if (!signed_at(head_bytes)) return "is no HDF5 file";
  if (start.substr(0, head_bytes).find_first_not_of('\0') == std::string_view::npos)
    return "is a checkpoint whose writing was never finished";
  return "is damaged (its head), or HDF5 of another program";
}

// Reads and verifies the head, and checks the length of the file.
CheckpointHead head_of(const RawFile& file) {
  const std::int64_t size = file.size();
  std::string start(static_cast<std::size_t>(std::min(size, std::int64_t{1} << 20)), '\0');
  file.read(0, std::as_writable_bytes(std::span(start)));
  if (!CheckpointHead::starts(start)) throw InputError(describe_other_file(start));
  if (size < head_bytes)
    throw InputError(fmt::format("is truncated: it holds {} bytes; it ends within its head", size));
  const CheckpointHead head = CheckpointHead::parse(start.substr(0, head_bytes));
  if (size < head.length) {
    throw InputError(fmt::format("is truncated: it holds {} of {} bytes; it ends within {}", size,
                                 head.length, part_at(head, size)));
  }
  if (size > head.length)
    throw InputError(fmt::format("is damaged: it holds {} bytes instead of {}", size, head.length));
  return head;
}

void unpack(const solvers::PatchLayout& layout, const std::byte* in, double* slot) {
  const std::size_t bytes = static_cast<std::size_t>(layout.p) * sizeof(double);
  for (int u = 0; u < layout.unknowns; ++u) {
    for (int k = 0; k < (layout.dim == 3 ? layout.p : 1); ++k) {
      for (int j = 0; j < layout.p; ++j, in += bytes) std::memcpy(slot + layout.at(u, 0, j, k), in, bytes);
    }
  }
}

}  // namespace

struct CheckpointReader::Content {
  std::string path;
  parallel::Communicator communicator;
  std::unique_ptr<RawFile> file;
  CheckpointContent found;
  std::vector<std::uint64_t> checksums;  // of the levels

  // Runs the body on every rank and throws its failures as InputError. Collective.
  void verify(const std::function<void()>& body) const {
    communicator.agree([&] {
      try {
        body();
      } catch (const InputError& error) {
        throw InputError(fmt::format("{}: {}", path, error.what()));
      } catch (const Failure& failure) {
        throw InputError(failure.what());
      }
    });
  }

  std::vector<std::int32_t> read_table(std::int64_t place, std::int64_t begin, std::int64_t end,
                                       int columns) const {
    std::vector<std::int32_t> values(static_cast<std::size_t>((end - begin) * columns));
    file->read(place + begin * columns * std::int64_t{sizeof(std::int32_t)},
               std::as_writable_bytes(std::span(values)));
    return values;
  }

  std::int64_t leaves() const {
    return std::accumulate(found.leaves.begin(), found.leaves.end(), std::int64_t{0});
  }

  // Numbers of leaves by level: of this rank, and of the ranks whose leaves precede this rank's.
  struct Counts {
    std::vector<std::int64_t> own, before;
  };
  Counts count(std::int64_t begin, std::int64_t end, std::span<const std::int32_t> levels) const;
};

CheckpointReader::Content::Counts CheckpointReader::Content::count(
    std::int64_t begin, std::int64_t end, std::span<const std::int32_t> levels) const {
  const std::size_t n_levels = found.leaves.size();
  // begin, end, then the leaves of each level, rank after rank.
  std::vector<std::int64_t> own(2 + n_levels);
  own[0] = begin;
  own[1] = end;
  for (const std::int32_t level : levels) ++own[2 + static_cast<std::size_t>(level - found.coarsest_level)];
  const auto all = communicator.all_gather<std::int64_t>(own);
  Counts counts{{own.begin() + 2, own.end()}, std::vector<std::int64_t>(n_levels)};
  [[maybe_unused]] std::int64_t asked = 0;
  for (auto row = all.begin(); row != all.end(); row += static_cast<std::ptrdiff_t>(own.size())) {
    asked += row[1] - row[0];
    if (row[0] >= begin) continue;
    for (std::size_t n = 0; n < n_levels; ++n) counts.before[n] += row[2 + static_cast<std::ptrdiff_t>(n)];
  }
  MEANDER_ASSERT(asked == leaves());
  return counts;
}

CheckpointReader::CheckpointReader(const std::string& path, const parallel::Communicator& communicator)
    : content_(std::make_unique<Content>()) {
  Content& content = *content_;
  content.path = path;
  content.communicator = communicator;
  CheckpointHead head;
  // The root reads first, so that a missing file is reported once.
  content.verify([&] {
    if (communicator.is_root()) head = head_of(RawFile(path, RawFile::Access::read, path));
  });
  broadcast_archive(communicator, head);
  std::uint64_t rest = 0;
  content.verify([&] {
    content.file = std::make_unique<RawFile>(path, RawFile::Access::read, path);
    rest = checksum_of_rest(*content.file, head, communicator.rank(), communicator.size());
  });
  communicator.sum(std::span(&rest, 1));
  content.verify([&] {
    if (rest != head.rest) throw InputError("is damaged (its tables)");
    if (!communicator.is_root()) return;
    content.found = read_checkpoint(path);
    const auto& levels = content.found.offsets.levels;
    const bool agree =
        std::equal(levels.begin(), levels.end(), head.levels.begin(), head.levels.end(),
                   [](const auto& offsets, const auto& level) { return offsets.patches == level.offset; });
    if (!agree) throw InputError("is damaged (its head and its tables disagree)");
  });
  broadcast_archive(communicator, content.found);
  content.found.state.file = path;
  content.verify([&] {
    content.checksums.resize(content.found.leaves.size());
    content.file->read(content.found.offsets.checksums, std::as_writable_bytes(std::span(content.checksums)));
  });
}

CheckpointReader::~CheckpointReader() = default;

const CheckpointState& CheckpointReader::state() const {
  return content_->found.state;
}

const CheckpointMesh& CheckpointReader::mesh() const {
  return content_->found.mesh;
}

std::int64_t CheckpointReader::leaves() const {
  return content_->leaves();
}

int CheckpointReader::finest_level() const {
  return content_->found.coarsest_level + static_cast<int>(content_->found.leaves.size()) - 1;
}

std::vector<PlotLeaf> CheckpointReader::read_leaves(std::int64_t begin, std::int64_t end) {
  const Content& content = *content_;
  std::vector<PlotLeaf> leaves(static_cast<std::size_t>(end - begin));
  content.communicator.agree([&] {
    const int dim = content.found.mesh.mesh.layout.dim;
    const PatchTables& tables = content.found.offsets.tables;
    const auto level = content.read_table(tables.level, begin, end, 1);
    const auto index = content.read_table(tables.index, begin, end, dim);
    const auto rank = content.read_table(tables.rank, begin, end, 1);
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      leaves[i].level = level[i];
      leaves[i].rank = rank[i];
      std::copy_n(index.begin() + static_cast<std::ptrdiff_t>(i) * dim, dim, leaves[i].at);
    }
  });
  return leaves;
}

void CheckpointReader::read_patches(std::int64_t begin, std::int64_t end, const solvers::PatchLayout& layout,
                                    std::span<double* const> patches) {
  const Content& content = *content_;
  const CheckpointContent& found = content.found;
  MEANDER_ASSERT(patches.size() == static_cast<std::size_t>(end - begin));
  MEANDER_ASSERT(layout.dim == found.mesh.mesh.layout.dim && layout.p == found.mesh.mesh.layout.p &&
                 layout.unknowns == found.mesh.mesh.layout.unknowns);
  std::vector<std::int32_t> levels;
  content.verify([&] {
    levels = content.read_table(found.offsets.tables.level, begin, end, 1);
    for (const std::int32_t level : levels) {
      if (level < found.coarsest_level || level > finest_level()) throw InputError("is damaged (its tables)");
    }
  });
  const Content::Counts counts = content.count(begin, end, levels);

  std::vector<std::uint64_t> sums(found.leaves.size());
  content.communicator.agree([&] {
    const std::int64_t patch_bytes = patch_values(layout) * std::int64_t{sizeof(double)};
    const std::int64_t block = std::max<std::int64_t>(1, block_bytes / patch_bytes);
    std::vector<std::byte> buffer;
    for (std::size_t n = 0; n < sums.size(); ++n) {
      const std::int64_t own = counts.own[n], before = counts.before[n];
      std::size_t leaf = 0;
      for (std::int64_t row = 0; row < own; ++row) {
        if (row % block == 0) {
          buffer.resize(static_cast<std::size_t>(std::min(block, own - row) * patch_bytes));
          content.file->read(found.offsets.levels[n].patches + (before + row) * patch_bytes, buffer);
        }
        const std::byte* patch = buffer.data() + row % block * patch_bytes;
        sums[n] += checksum({patch, static_cast<std::size_t>(patch_bytes)},
                            static_cast<std::uint64_t>(before + row));
        while (levels[leaf] - found.coarsest_level != static_cast<int>(n)) ++leaf;
        unpack(layout, patch, patches[leaf++]);
      }
    }
  });
  content.communicator.sum(std::span(sums));
  for (std::size_t n = 0; n < sums.size(); ++n) {
    if (sums[n] != content.checksums[n]) {
      throw parallel::AgreedInputError(
          fmt::format("{}: is damaged (the patches of level_{})", content.path, n));
    }
  }
}

}  // namespace meander::io
