// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/checkpoint_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <sstream>

#include "base/assert.hpp"
#include "base/error.hpp"
#include "io/byte_archive.hpp"
#include "io/checksum.hpp"
#include "io/chombo_layout.hpp"
#include "io/collective_file.hpp"

namespace meander::io {

namespace {

constexpr std::string_view magic = "MEANDER CHECKPOINT ";
constexpr std::int64_t piece_bytes = std::int64_t{1} << 16;
constexpr std::size_t last_line = 22;  // "head ", 16 digits, end of line

std::string last_line_for(std::string_view above) {
  return fmt::format("head {:016x}\n", checksum(std::as_bytes(std::span(above)), 0));
}

// Calls piece(number, offset, bytes) for pieces that cover the file except its head and its patches.
void for_rest(
    const CheckpointHead& head,
    const std::function<void(std::int64_t number, std::int64_t offset, std::int64_t bytes)>& piece) {
  std::vector<CheckpointHead::Region> levels = head.levels;
  std::sort(levels.begin(), levels.end(), [](const auto& a, const auto& b) { return a.offset < b.offset; });
  levels.push_back({head.length, 0});
  std::int64_t number = 0, at = head_bytes;
  for (const auto& level : levels) {
    for (; at < level.offset; at = std::min(level.offset, at + piece_bytes)) {
      piece(number++, at, std::min(piece_bytes, level.offset - at));
    }
    at = level.offset + level.bytes;
  }
}

}  // namespace

std::string CheckpointHead::text() const {
  MEANDER_ASSERT(levels.size() <= max_checkpoint_levels);
  std::string text = fmt::format("{}{}\nlength {}\nrest {:016x}\n", magic, checkpoint_format, length, rest);
  for (const Region& level : levels) text += fmt::format("data {} {}\n", level.offset, level.bytes);
  MEANDER_ASSERT(text.size() < head_bytes - last_line);
  text.resize(head_bytes - last_line - 1, ' ');
  text += '\n';
  return text + last_line_for(text);
}

bool CheckpointHead::starts(std::string_view block) {
  return !block.empty() && block.substr(0, magic.size()) == magic.substr(0, block.size());
}

CheckpointHead CheckpointHead::parse(std::string_view block) {
  MEANDER_ASSERT(block.size() == head_bytes);
  const std::string_view above = block.substr(0, head_bytes - last_line);
  if (block.substr(above.size()) != last_line_for(above)) throw InputError("is damaged (its head)");
  CheckpointHead head;
  std::istringstream lines{std::string(above.substr(magic.size()))};
  int version = 0;
  lines >> version;
  if (version != checkpoint_format) {
    throw InputError(fmt::format("is a checkpoint of format {}; this program reads format {}", version,
                                 checkpoint_format));
  }
  std::string word;
  while (lines >> word) {
    if (word == "length") {
      lines >> head.length;
    } else if (word == "rest") {
      lines >> std::hex >> head.rest >> std::dec;
    } else if (word == "data") {
      Region& level = head.levels.emplace_back();
      lines >> level.offset >> level.bytes;
    }
  }
  return head;
}

std::uint64_t checksum_of_rest(const RawFile& file, const CheckpointHead& head, int part, int parts) {
  std::uint64_t sum = 0;
  std::vector<std::byte> buffer;
  for_rest(head, [&](std::int64_t number, std::int64_t offset, std::int64_t bytes) {
    if (number % parts != part) return;
    buffer.resize(static_cast<std::size_t>(bytes));
    file.read(offset, buffer);
    sum += checksum(buffer, static_cast<std::uint64_t>(number));
  });
  return sum;
}

std::string part_at(const CheckpointHead& head, std::int64_t offset) {
  if (offset < head_bytes) return "its head";
  for (std::size_t n = 0; n < head.levels.size(); ++n) {
    const auto& level = head.levels[n];
    if (offset >= level.offset && offset < level.offset + level.bytes)
      return fmt::format("the patches of level_{}", n);
  }
  return "its tables";
}

namespace {

void pack(const solvers::PatchLayout& layout, const double* slot, std::byte* out) {
  const std::size_t bytes = static_cast<std::size_t>(layout.p) * sizeof(double);
  for (int n = 0; n < layout.saved(); ++n) {
    const int u = layout.saved_row(n);
    for (int k = 0; k < (layout.dim == 3 ? layout.p : 1); ++k) {
      for (int j = 0; j < layout.p; ++j, out += bytes) std::memcpy(out, slot + layout.at(u, 0, j, k), bytes);
    }
  }
}

class CheckpointWriter {
 public:
  CheckpointWriter(CollectiveFile& file, const parallel::Communicator& communicator,
                   const CheckpointMesh& mesh, const std::vector<LevelRows>& levels,
                   const CheckpointOffsets& offsets)
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

  CollectiveFile& file_;
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
  const CheckpointHead head = CheckpointWriter(file, communicator, mesh, levels, offsets).write(patches);
  const std::string text = head.text();
  file.flush_and_rename([&](RawFile& raw) { raw.write(0, std::as_bytes(std::span(text))); });
}

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
  for (int n = 0; n < layout.saved(); ++n) {
    const int u = layout.saved_row(n);
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
                 layout.saved() == found.mesh.mesh.layout.unknowns);
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
