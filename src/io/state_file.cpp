// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/state_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/error.hpp"
#include "base/join.hpp"
#include "io/byte_archive.hpp"
#include "io/checkpoint_file.hpp"
#include "io/checksum.hpp"
#include "io/chombo_layout.hpp"
#include "io/hdf5.hpp"
#include "io/subprocess.hpp"

namespace meander::io {

namespace {

constexpr std::string_view hdf5_signature = "\x89HDF\r\n\x1a\n";
constexpr const char* axes_of_arrays[] = {"x", "y", "z"};
constexpr std::int32_t tile_edge = 32;  // volumes of an array that are read together, along an axis
// Of a width: differences between centres and an equidistant axis, which may be of float32.
constexpr double axis_tolerance = 1e-3;
// Coordinates in volumes are exact as double, and sums of two of them do not overflow.
constexpr std::int32_t most_coordinate = 1 << 30;
constexpr double most_volumes = 1e15;

std::string tables_defect(const std::string& what) {
  return fmt::format("is damaged ({})", what);
}

// The file under its own name in messages.
[[noreturn]] void refuse_file(const std::string& path, const std::string& why) {
  throw InputError(fmt::format("{}: {}", path, why));
}

double checked_width(double width) {
  if (!(width > 0) || !std::isfinite(width)) throw InputError(tables_defect("the widths of its volumes"));
  return width;
}

// Adds a field with `columns` numbers a volume of which the first `dim` count.
void add_columns(StateTables& tables, const std::string& name, std::int64_t columns) {
  if (columns == 1) {
    tables.names.push_back(name);
    return;
  }
  for (int a = 0; a < tables.dim; ++a) tables.names.push_back(fmt::format("{}_{}", name, axes_of_arrays[a]));
}

// Numbers a volume of a dataset of a plot file: 1, 3, or 0 for one that has no state.
std::int64_t columns_in_plot(const hdf5::Reader::Stored& stored, std::int64_t volumes) {
  if (stored.float_bytes == 0 || stored.shape.empty() || stored.shape[0] != volumes) return 0;
  if (stored.shape.size() == 1) return 1;
  return stored.shape.size() == 2 && stored.shape[1] == 3 ? 3 : 0;
}

void read_level_of_plot(const hdf5::Reader& file, int n, StateTables& tables) {
  const std::string level = fmt::format("/VTKHDF/Level{}", n), data = level + "/CellData";
  const double width = checked_width(file.numbers(level, "Spacing", 3)[0]);
  tables.widths.push_back({width, width, width});
  const std::vector<double> boxes = file.values(level + "/AMRBox");
  const std::int64_t rows = file.rows(level + "/AMRBox");
  if (static_cast<std::int64_t>(boxes.size()) != 6 * rows) throw InputError(tables_defect("its boxes"));
  std::int64_t volumes = 1;
  for (int a = 0; a < tables.dim; ++a) volumes *= tables.size[static_cast<std::size_t>(a)];
  // So that sizes in bytes do not overflow.
  if (static_cast<double>(rows) * static_cast<double>(volumes) > most_volumes)
    throw InputError(tables_defect("its boxes"));
  for (std::int64_t row = 0; row < rows; ++row) {
    StateTables::Block block{n, {0, 0, 0}, row};
    for (int a = 0; a < tables.dim; ++a) {
      const double* bounds = &boxes[static_cast<std::size_t>(6 * row + 2 * a)];
      const bool fits = bounds[0] >= 0 && bounds[1] < most_coordinate &&
                        bounds[1] - bounds[0] + 1 == tables.size[static_cast<std::size_t>(a)];
      if (!fits) throw InputError(tables_defect("its boxes"));
      block.origin[a] = static_cast<std::int32_t>(bounds[0]);
    }
    tables.blocks.push_back(block);
  }
  std::vector<std::string> before;
  std::swap(before, tables.names);
  for (const std::string& name : file.names(data)) {
    const hdf5::Reader::Stored stored = file.stored(data + "/" + name);
    const std::int64_t columns = columns_in_plot(stored, rows * volumes);
    if (columns == 0) {
      if (stored.float_bytes != 0)
        throw InputError(tables_defect(fmt::format("{} has another number of values than its boxes", name)));
      continue;  // "level" and "curve_index"
    }
    StateTables::Source source{stored.offset, 0, {columns * stored.float_bytes, 0, 0}, stored.float_bytes};
    source.stride[1] = source.stride[0] * tables.size[0];
    source.stride[2] = source.stride[1] * tables.size[1];
    source.of_block = source.stride[0] * volumes;
    add_columns(tables, name, columns);
    for (int column = 0; column < (columns == 1 ? 1 : tables.dim); ++column) {
      tables.sources.push_back(source);
      source.offset += stored.float_bytes;
    }
  }
  if (n > 0 && tables.names != before) throw InputError(tables_defect("its levels have different fields"));
}

StateTables tables_of_plot(const hdf5::Reader& file) {
  StateTables tables;
  tables.kind = StateTables::Kind::plot;
  tables.dim = file.integer("/meta", "dimensions", 2, 3);
  const auto lower = file.numbers("/VTKHDF", "Origin", 3);
  std::copy_n(lower.begin(), 3, tables.lower.begin());
  const int p = file.integer("/meta", "patch_size", 1, hdf5::Reader::most);
  tables.size = {p, p, tables.dim == 3 ? p : 1};
  for (int n = 0; file.has(fmt::format("/VTKHDF/Level{}", n)); ++n) read_level_of_plot(file, n, tables);
  return tables;
}

StateTables tables_of_checkpoint(const std::string& path) {
  CheckpointReader reader(path, {});  // verifies everything but the values
  const CheckpointContent content = read_checkpoint(path);
  const PlotMesh& mesh = content.mesh.mesh;
  StateTables tables;
  tables.kind = StateTables::Kind::checkpoint;
  tables.dim = mesh.layout.dim;
  std::copy_n(mesh.lower, tables.dim, tables.lower.begin());
  const std::int32_t p = mesh.layout.p;
  tables.size = {p, p, tables.dim == 3 ? p : 1};
  tables.names = content.mesh.unknowns;
  const std::int64_t number = sizeof(double);
  const std::int64_t of_unknown = number * tables.size[0] * tables.size[1] * tables.size[2];
  const auto unknowns = static_cast<std::int64_t>(tables.names.size());
  for (std::size_t n = 0; n < content.leaves.size(); ++n) {
    const double width = checked_width(mesh.spacing(content.coarsest_level + static_cast<int>(n)));
    tables.widths.push_back({width, width, width});
    for (std::int64_t u = 0; u < unknowns; ++u) {
      tables.sources.push_back({content.offsets.levels[n].patches + u * of_unknown,
                                unknowns * of_unknown,
                                {number, number * p, number * p * p},
                                8});
    }
  }
  std::vector<std::int64_t> rows(content.leaves.size());
  for (const PlotLeaf& leaf : reader.read_leaves(0, reader.leaves())) {
    const int level = leaf.level - content.coarsest_level;
    if (level < 0 || level >= static_cast<int>(rows.size())) throw InputError(tables_defect("its tables"));
    StateTables::Block block{level, {0, 0, 0}, rows[static_cast<std::size_t>(level)]++};
    for (int a = 0; a < tables.dim; ++a) {
      const std::int64_t origin = std::int64_t{leaf.at[a]} * p;
      if (origin < 0 || origin + p > most_coordinate) throw InputError(tables_defect("its tables"));
      block.origin[a] = static_cast<std::int32_t>(origin);
    }
    tables.blocks.push_back(block);
  }
  if (rows != content.leaves) throw InputError(tables_defect("its tables"));
  const RawFile raw(path, RawFile::Access::read, path);
  tables.checksums.resize(content.leaves.size());
  raw.read(content.offsets.checksums, std::as_writable_bytes(std::span(tables.checksums)));
  return tables;
}

// Sets lower corner, width and number of volumes along an axis by their centres.
void read_axis(const hdf5::Reader& file, int axis, StateTables& tables) {
  const auto a = static_cast<std::size_t>(axis);
  const std::string name = axes_of_arrays[a];
  const auto shape = file.stored("/" + name).shape;
  if (shape.size() != 1 || shape[0] < 2 || shape[0] > most_coordinate)
    throw InputError(fmt::format("{} must be a list of at least two centres of volumes", name));
  const std::vector<double> centres = file.values("/" + name);
  const auto last = static_cast<double>(centres.size() - 1);
  const double width = (centres.back() - centres.front()) / last;
  if (!(width > 0) || !std::isfinite(width))
    throw InputError(
        fmt::format("{} must ascend, but runs from {} to {}", name, centres.front(), centres.back()));
  for (std::size_t i = 0; i < centres.size(); ++i) {
    const double expected = centres.front() + static_cast<double>(i) * width;
    if (!(std::abs(centres[i] - expected) <= axis_tolerance * width)) {
      throw InputError(fmt::format("{} must be equidistant, but {}[{}] is {} instead of {}", name, name, i,
                                   centres[i], expected));
    }
  }
  tables.lower[a] = centres.front() - 0.5 * width;
  tables.widths[0][a] = width;
  tables.extent[a] = static_cast<std::int32_t>(centres.size());
}

StateTables tables_of_array(const hdf5::Reader& file) {
  StateTables tables;
  tables.kind = StateTables::Kind::array;
  tables.dim = file.has("/z") ? 3 : 2;
  tables.widths.push_back({1, 1, 1});
  for (int a = 0; a < tables.dim; ++a) read_axis(file, a, tables);
  tables.size = {tile_edge, tile_edge, tables.dim == 3 ? tile_edge : 1};
  std::vector<std::int64_t> shape;
  for (int a = tables.dim - 1; a >= 0; --a) shape.push_back(tables.extent[static_cast<std::size_t>(a)]);
  for (const std::string& name : file.names("/")) {
    if (std::ranges::find(axes_of_arrays, name) != std::end(axes_of_arrays)) continue;
    try {
      const hdf5::Reader::Stored stored = file.stored("/" + name);
      if (stored.shape != shape) {
        throw Failure(fmt::format("{} has the shape ({}), but the axes give ({})", name,
                                  join(stored.shape, ", "), join(shape, ", ")));
      }
      if (stored.float_bytes == 0)
        throw Failure(
            fmt::format("{} must hold little-endian floating-point numbers of 32 or 64 bits", name));
      StateTables::Source source{stored.offset, 0, {stored.float_bytes, 0, 0}, stored.float_bytes};
      source.stride[1] = source.stride[0] * tables.extent[0];
      source.stride[2] = source.stride[1] * tables.extent[1];
      tables.names.push_back(name);
      tables.sources.push_back(source);
    } catch (const Failure& failure) {
      // Told only if the state requires it.
      tables.unfit.emplace_back(name, failure.what());
    }
  }
  return tables;
}

// Cuts an array into blocks, x fastest.
void cut_array(StateTables& tables) {
  const auto& n = tables.extent;
  for (std::int32_t k = 0; k < (tables.dim == 3 ? n[2] : 1); k += tile_edge) {
    for (std::int32_t j = 0; j < n[1]; j += tile_edge) {
      for (std::int32_t i = 0; i < n[0]; i += tile_edge) tables.blocks.push_back({0, {i, j, k}, 0});
    }
  }
}

StateTables read_tables(const std::string& path) {
  const std::string start = read_start(path, head_bytes + hdf5_signature.size());
  if (start.empty()) throw InputError("is empty");
  if (CheckpointHead::starts(start)) return tables_of_checkpoint(path);
  if (!start.starts_with(hdf5_signature))
    throw InputError("is no HDF5 file: a plot file, a checkpoint or an array with its axes is needed");
  const hdf5::Reader file(path, path);
  if (file.has("/VTKHDF") && file.has("/meta")) return tables_of_plot(file);
  if (file.has("/x") && file.has("/y")) return tables_of_array(file);
  throw InputError(
      "is HDF5 of another program: it has neither the groups of a plot file nor the axes x and y of an "
      "array");
}

}  // namespace

StateFile::StateFile(std::string path, const parallel::Communicator& communicator) : path_(std::move(path)) {
  ByteArchive out;
  communicator.agree([&] {
    if (!communicator.is_root()) return;
    try {
      out.bytes() = run_in_subprocess(path_, [&] {
        StateTables tables;
        try {
          tables = read_tables(path_);
        } catch (const InputError& error) {
          // Some name the file.
          const std::string what = error.what();
          if (what.starts_with(path_)) throw;
          refuse_file(path_, what);
        } catch (const std::length_error&) {
          refuse_file(path_, tables_defect("its tables"));
        }
        ByteArchive bytes;
        tables.archive(bytes);
        return bytes.bytes();
      });
    } catch (const Failure& failure) {
      throw InputError(failure.what());
    }
  });
  communicator.broadcast(out.bytes());
  ByteArchive in(std::move(out.bytes()));
  tables_.archive(in);
  const bool has_fields = !tables_.names.empty();
  if (tables_.kind == StateTables::Kind::array && has_fields) cut_array(tables_);
  communicator.agree([&] {
    if (tables_.blocks.empty() && has_fields) refuse_file(path_, tables_defect("it has no volumes"));
    for (const double lower : tables_.lower) {
      if (!std::isfinite(lower)) refuse_file(path_, tables_defect("its lower corner"));
    }
    try {
      file_ = std::make_unique<RawFile>(path_, RawFile::Access::read, path_);
    } catch (const Failure& failure) {
      throw InputError(failure.what());
    }
  });
}

StateFile::Geometry StateFile::geometry(std::size_t block) const {
  const StateTables::Block& from = tables_.blocks[block];
  const auto& widths = tables_.widths[static_cast<std::size_t>(from.level)];
  Geometry geometry;
  for (std::size_t a = 0; a < static_cast<std::size_t>(tables_.dim); ++a) {
    geometry.width[a] = widths[a];
    geometry.lower[a] = tables_.lower[a] + from.origin[a] * widths[a];
    geometry.size[a] = tables_.size[a];
    if (tables_.extent[a] > 0)
      geometry.size[a] = std::min(geometry.size[a], tables_.extent[a] - from.origin[a]);
  }
  return geometry;
}

void StateFile::read(std::size_t block, std::span<const std::size_t> fields, std::span<double> values) const {
  const StateTables::Block& from = tables_.blocks[block];
  const Geometry box = geometry(block);
  const bool is_array = tables_.kind == StateTables::Kind::array;
  std::vector<std::byte> bytes;
  for (std::size_t n = 0; n < fields.size(); ++n) {
    const StateTables::Source& source =
        tables_.sources[static_cast<std::size_t>(from.level) * tables_.names.size() + fields[n]];
    std::int64_t first = source.offset + from.row * source.of_block;
    for (int a = 0; is_array && a < tables_.dim; ++a) first += from.origin[a] * source.stride[a];
    // The values of a patch are read at once, those of an array row by row.
    const std::int64_t of_row = (box.size[0] - 1) * source.stride[0] + source.bytes;
    const std::int64_t of_block =
        (box.size[2] - 1) * source.stride[2] + (box.size[1] - 1) * source.stride[1] + of_row;
    bytes.resize(static_cast<std::size_t>(is_array ? of_row : of_block));
    if (!is_array) file_->read(first, bytes);
    double* out = values.data() + n;
    for (int k = 0; k < box.size[2]; ++k) {
      for (int j = 0; j < box.size[1]; ++j) {
        const std::int64_t row = k * source.stride[2] + j * source.stride[1];
        if (is_array) file_->read(first + row, bytes);
        const std::byte* in = bytes.data() + (is_array ? 0 : row);
        for (int i = 0; i < box.size[0]; ++i, in += source.stride[0], out += fields.size()) {
          if (source.bytes == 8) {
            std::memcpy(out, in, 8);
          } else {
            float value = 0;
            std::memcpy(&value, in, 4);
            *out = value;
          }
        }
      }
    }
  }
}

void StateFile::verify(const parallel::Communicator& communicator) const {
  if (tables_.kind != StateTables::Kind::checkpoint || tables_.names.empty()) return;
  std::vector<std::uint64_t> sums(tables_.widths.size());
  communicator.agree([&] {
    std::vector<std::byte> bytes;
    for (auto b = static_cast<std::size_t>(communicator.rank()); b < blocks();
         b += static_cast<std::size_t>(communicator.size())) {
      const StateTables::Block& block = tables_.blocks[b];
      const auto level = static_cast<std::size_t>(block.level);
      const StateTables::Source& source = tables_.sources[level * tables_.names.size()];
      bytes.resize(static_cast<std::size_t>(source.of_block));
      file_->read(source.offset + block.row * source.of_block, bytes);
      sums[level] += checksum(bytes, static_cast<std::uint64_t>(block.row));
    }
  });
  communicator.sum(std::span(sums));
  communicator.agree([&] {
    for (std::size_t n = 0; n < sums.size(); ++n) {
      if (sums[n] != tables_.checksums[n])
        refuse_file(path_, tables_defect(fmt::format("the patches of level_{}", n)));
    }
  });
}

}  // namespace meander::io
