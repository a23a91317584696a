// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/plot_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/assert.hpp"
#include "base/vec.hpp"
#include "io/atomic_file.hpp"
#include "io/fields.hpp"
#include "io/hdf5.hpp"
#include "io/provenance.hpp"

namespace meander::io {

namespace {

constexpr std::int64_t block_values = std::int64_t{1} << 19;  // values held in memory at a time
constexpr std::int64_t chunk_values = std::int64_t{1} << 15;

// The leaves of one level, in curve order, and which they are among all.
struct LevelLeaves {
  int level = 0;
  std::vector<std::size_t> leaves;
};

std::vector<LevelLeaves> by_level(std::span<const PlotLeaf> leaves) {
  const auto [coarsest, finest] = std::minmax_element(
      leaves.begin(), leaves.end(), [](const PlotLeaf& a, const PlotLeaf& b) { return a.level < b.level; });
  std::vector<LevelLeaves> levels(static_cast<std::size_t>(finest->level - coarsest->level + 1));
  for (std::size_t i = 0; i < levels.size(); ++i) levels[i].level = coarsest->level + static_cast<int>(i);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    levels[static_cast<std::size_t>(leaves[i].level - coarsest->level)].leaves.push_back(i);
  }
  return levels;
}

class PlotFile {
 public:
  PlotFile(const std::string& path, const std::string& shown, const PlotMesh& mesh,
           const PlotOptions& options)
      : file_(path, shown), mesh_(mesh), options_(options), levels_(by_level(mesh.leaves)) {
    // VTK's readers go wrong at a level without boxes.
    for ([[maybe_unused]] const LevelLeaves& level : levels_) MEANDER_ASSERT(!level.leaves.empty());
  }

  void write(std::span<const PlotField> fields, const PlotMeta& meta) {
    write_header();
    for (std::size_t n = 0; n < levels_.size(); ++n) {
      const std::string name = fmt::format("/VTKHDF/Level{}", n);
      const hdf5::Handle level = file_.create_group(name);
      write_spacing(level, levels_[n].level);
      write_boxes(level, levels_[n]);
      const hdf5::Handle data = file_.create_group(name + "/CellData");
      for (const PlotField& field : fields) write_field(data, field, levels_[n]);
    }
    write_meta(meta);
    file_.close();
  }

 private:
  int dim() const { return mesh_.layout.dim; }
  int p() const { return mesh_.layout.p; }

  void write_header() {
    const hdf5::Handle root = file_.create_group("/VTKHDF");
    const std::array<std::int64_t, 2> version = {1, 0};
    file_.attribute(root, "Version", std::span<const std::int64_t>(version));
    file_.attribute(root, "Type", std::string("OverlappingAMR"));
    file_.attribute(root, "GridDescription", std::string("XYZ"));
    const std::array<double, 3> origin = {mesh_.lower[0], mesh_.lower[1], dim() == 3 ? mesh_.lower[2] : 0.0};
    file_.attribute(root, "Origin", std::span<const double>(origin));
  }

  double spacing(int level) const {
    const int depth = level - mesh_.base_level;
    const double scale = ipow(3.0, depth >= 0 ? depth : -depth);
    return (depth >= 0 ? mesh_.base_width / scale : mesh_.base_width * scale) / p();
  }

  void write_spacing(const hdf5::Handle& group, int level) {
    const double dx = spacing(level);
    // A plane has no thickness to refine: VTK wants one spacing across it for all levels.
    const std::array<double, 3> values = {dx, dx, dim() == 3 ? dx : spacing(levels_.front().level)};
    file_.attribute(group, "Spacing", std::span<const double>(values));
  }

  void write_boxes(const hdf5::Handle& group, const LevelLeaves& level) {
    std::vector<std::int32_t> boxes;
    boxes.reserve(level.leaves.size() * 6);
    for (const std::size_t leaf : level.leaves) {
      for (int a = 0; a < 3; ++a) {
        const int first = a < dim() ? mesh_.leaves[leaf].at[a] * p() : 0;
        boxes.push_back(first);
        boxes.push_back(a < dim() ? first + p() - 1 : 0);
      }
    }
    const auto rows = static_cast<std::int64_t>(level.leaves.size());
    const hdf5::Handle dataset = file_.create_dataset(group, "AMRBox", H5T_STD_I32LE, rows, 6);
    file_.write_rows(dataset, H5T_NATIVE_INT32, 0, rows, boxes.data());
  }

  void write_field(const hdf5::Handle& group, const PlotField& field, const LevelLeaves& level) {
    if (field.integer) return write_field<std::int32_t>(group, field, level, H5T_STD_I32LE, H5T_NATIVE_INT32);
    if (options_.float64) return write_field<double>(group, field, level, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE);
    write_field<float>(group, field, level, H5T_IEEE_F32LE, H5T_NATIVE_FLOAT);
  }

  // Block by block, so that memory stays small however many leaves there are.
  template <class T>
  void write_field(const hdf5::Handle& group, const PlotField& field, const LevelLeaves& level,
                   hid_t file_type, hid_t memory_type) {
    const std::int64_t volumes = mesh_.layout.volumes();
    const int width = field.components == 1 ? 1 : 3;
    const auto patches = static_cast<std::int64_t>(level.leaves.size());
    const std::int64_t chunk = std::max<std::int64_t>(1, chunk_values / (volumes * width)) * volumes;
    const hdf5::Handle dataset = file_.create_dataset(group, field.name, file_type, patches * volumes,
                                                      width == 1 ? 0 : width, chunk, options_.deflate);
    const std::int64_t block = std::max<std::int64_t>(1, block_values / (volumes * width));
    std::vector<double> values(static_cast<std::size_t>(volumes));
    std::vector<T> buffer(static_cast<std::size_t>(std::min(block, patches) * volumes * width));
    for (std::int64_t begin = 0; begin < patches; begin += block) {
      const std::int64_t end = std::min(patches, begin + block);
      for (std::int64_t i = begin; i < end; ++i) {
        T* out = buffer.data() + (i - begin) * volumes * width;
        for (int c = 0; c < field.components; ++c) {
          field.fill(level.leaves[static_cast<std::size_t>(i)], c, values);
          for (std::size_t v = 0; v < values.size(); ++v) {
            out[v * static_cast<std::size_t>(width) + static_cast<std::size_t>(c)] =
                static_cast<T>(values[v]);
          }
        }
      }
      file_.write_rows(dataset, memory_type, begin * volumes, (end - begin) * volumes, buffer.data());
    }
  }

  void write_meta(const PlotMeta& meta) {
    const Provenance& program = provenance();
    const hdf5::Handle group = file_.create_group("/meta");
    file_.attribute(group, "version", program.version);
    file_.attribute(group, "git_hash", program.git_hash);
    file_.attribute(group, "git_modified", std::int64_t{program.modified});
    file_.attribute(group, "compiler", program.compiler);
    file_.attribute(group, "options", program.options);
    file_.attribute(group, "architecture", program.architecture);
    file_.attribute(group, "build_type", program.build_type);
    file_.attribute(group, "step", meta.step);
    file_.attribute(group, "time", meta.time);
    file_.attribute(group, "level_offset", std::int64_t{levels_.front().level});
    file_.attribute(group, "dimensions", std::int64_t{dim()});
    file_.attribute(group, "patch_size", std::int64_t{p()});
    file_.text(group, "input", meta.input);
    std::vector<std::int32_t> level, index, rank;
    for (const PlotLeaf& leaf : mesh_.leaves) {
      level.push_back(leaf.level);
      index.insert(index.end(), leaf.at, leaf.at + dim());
      rank.push_back(leaf.rank);
    }
    const auto rows = static_cast<std::int64_t>(mesh_.leaves.size());
    const auto column = [&](const char* name, const std::vector<std::int32_t>& values, int columns) {
      const hdf5::Handle dataset =
          file_.create_dataset(group, name, H5T_STD_I32LE, rows, columns, chunk_values, options_.deflate);
      file_.write_rows(dataset, H5T_NATIVE_INT32, 0, rows, values.data());
    };
    column("patch_level", level, 0);
    column("patch_index", index, dim());
    column("patch_rank", rank, 0);
  }

  hdf5::Writer file_;
  const PlotMesh& mesh_;
  PlotOptions options_;
  std::vector<LevelLeaves> levels_;
};

}  // namespace

std::string plot_name(int number) {
  return fmt::format("plot_{:06}.vtkhdf", number);
}

void write_plot(const std::string& path, const PlotMesh& mesh, std::span<const PlotField> fields,
                const PlotMeta& meta, const PlotOptions& options) {
  TemporaryFile temporary(path);
  PlotFile(temporary.name(), path, mesh, options).write(fields, meta);
  temporary.publish();
}

void PlotSeries::add(const std::string& name, double time) {
  files_.emplace_back(name, time);
  std::string text = "{\n  \"file-series-version\": \"1.0\",\n  \"files\": [\n";
  for (std::size_t i = 0; i < files_.size(); ++i) {
    text += fmt::format("    {{\"name\": {}, \"time\": {}}}{}\n", toml_text(files_[i].first),
                        files_[i].second, i + 1 < files_.size() ? "," : "");
  }
  write_whole(directory_ + "/plot.vtkhdf.series", text + "  ]\n}\n");
}

}  // namespace meander::io
