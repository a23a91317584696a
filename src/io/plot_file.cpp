// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/plot_file.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>

#include "base/vec.hpp"
#include "io/collective_file.hpp"
#include "io/level_rows.hpp"
#include "io/meta_group.hpp"

namespace meander::io {

namespace {

class PlotFile {
 public:
  PlotFile(const PlotMesh& mesh, std::span<const PlotField> fields, std::span<const LevelRows> levels,
           const PlotOptions& options)
      : mesh_(mesh), fields_(fields), levels_(levels), options_(options) {}

  // Creates everything but the rows that the ranks write, and keeps the offsets of these.
  void create(hdf5::Writer& file, const PlotMeta& meta) {
    const hdf5::Handle root = file.create_group("/VTKHDF");
    const std::array<std::int64_t, 2> version = {1, 0};
    file.attribute(root, "Version", std::span<const std::int64_t>(version));
    file.attribute(root, "Type", std::string("OverlappingAMR"));
    file.attribute(root, "GridDescription", std::string("XYZ"));
    const std::array<double, 3> origin = {mesh_.lower[0], mesh_.lower[1], dim() == 3 ? mesh_.lower[2] : 0.0};
    file.attribute(root, "Origin", std::span<const double>(origin));
    for (std::size_t n = 0; n < levels_.size(); ++n) {
      const std::string name = fmt::format("/VTKHDF/Level{}", n);
      const hdf5::Handle group = file.create_group(name);
      write_spacing(file, group, levels_[n].level);
      offsets_.push_back(file.allocate(group, "AMRBox", H5T_STD_I32LE, levels_[n].all, 6));
      // ParaView 5.11 reports a missing group as an error, on each opening.
      for (const char* empty : {"/PointData", "/FieldData"}) file.create_group(name + empty);
      const hdf5::Handle data = file.create_group(name + "/CellData");
      for (const PlotField& field : fields_) {
        offsets_.push_back(file.allocate(data, field.name, type_of(field),
                                         levels_[n].all * mesh_.layout.volumes(), width(field) == 1 ? 0 : 3));
      }
    }
    create_meta_group(file, mesh_, levels_, meta, tables_);
  }

  // Broadcasts the offsets from create() on the root. Collective.
  void share(const parallel::Communicator& communicator) {
    communicator.broadcast(offsets_);
    communicator.broadcast(tables_);
  }

  // Writes the rows of all ranks. Collective.
  void write(ParallelFile& file, const parallel::Communicator& communicator) const {
    auto offset = offsets_.begin();
    for (const LevelRows& level : levels_) {
      write_boxes(file, *offset++, level);
      for (const PlotField& field : fields_) {
        if (field.integer) {
          write_field<std::int32_t>(file, *offset++, field, level);
        } else if (options_.float64) {
          write_field<double>(file, *offset++, field, level);
        } else {
          write_field<float>(file, *offset++, field, level);
        }
      }
    }
    write_patch_tables(file, mesh_, tables_, communicator);
  }

 private:
  int dim() const { return mesh_.layout.dim; }
  int p() const { return mesh_.layout.p; }
  static int width(const PlotField& field) { return field.components == 1 ? 1 : 3; }
  hid_t type_of(const PlotField& field) const {
    return field.integer ? H5T_STD_I32LE : options_.float64 ? H5T_IEEE_F64LE : H5T_IEEE_F32LE;
  }

  void write_spacing(hdf5::Writer& file, const hdf5::Handle& group, int level) const {
    const double dx = mesh_.spacing(level);
    // In 2D VTK requires the same spacing along z on all levels.
    const std::array<double, 3> values = {dx, dx, dim() == 3 ? dx : mesh_.spacing(levels_.front().level)};
    file.attribute(group, "Spacing", std::span<const double>(values));
  }

  void write_boxes(ParallelFile& file, std::int64_t offset, const LevelRows& level) const {
    std::array<std::int32_t, 6> box{};
    file.write_rows(offset, sizeof(box), level.first, level.rows(), [&](std::int64_t row, std::byte* out) {
      const PlotLeaf& leaf = mesh_.leaves[level.leaves[static_cast<std::size_t>(row)]];
      for (std::size_t a = 0; a < static_cast<std::size_t>(dim()); ++a) {
        box[2 * a] = leaf.at[a] * p();
        box[2 * a + 1] = box[2 * a] + p() - 1;
      }
      std::memcpy(out, box.data(), sizeof(box));
    });
  }

  template <class T>
  void write_field(ParallelFile& file, std::int64_t offset, const PlotField& field,
                   const LevelRows& level) const {
    const auto volumes = static_cast<std::size_t>(mesh_.layout.volumes());
    const auto columns = static_cast<std::size_t>(width(field));
    std::vector<double> values(volumes);
    std::vector<T> row_values(volumes * columns);
    const std::size_t bytes = row_values.size() * sizeof(T);
    file.write_rows(offset, static_cast<std::int64_t>(bytes), level.first, level.rows(),
                    [&](std::int64_t row, std::byte* out) {
                      for (int c = 0; c < field.components; ++c) {
                        field.fill(level.leaves[static_cast<std::size_t>(row)], c, values);
                        for (std::size_t v = 0; v < volumes; ++v) {
                          row_values[v * columns + static_cast<std::size_t>(c)] = static_cast<T>(values[v]);
                        }
                      }
                      std::memcpy(out, row_values.data(), bytes);
                    });
  }

  const PlotMesh& mesh_;
  std::span<const PlotField> fields_;
  std::span<const LevelRows> levels_;
  PlotOptions options_;
  std::vector<std::int64_t> offsets_;  // level by level: of its boxes, then of its fields
  PatchTables tables_;
};

}  // namespace

double PlotMesh::spacing(int level) const {
  const int depth = level - base_level;
  const double scale = ipow(3.0, depth >= 0 ? depth : -depth);
  return (depth >= 0 ? base_width / scale : base_width * scale) / layout.p;
}

std::string plot_name(int number) {
  return fmt::format("plot_{:06}.vtkhdf", number);
}

void write_plot(const std::string& path, const parallel::Communicator& communicator, const PlotMesh& mesh,
                std::span<const PlotField> fields, const PlotMeta& meta, const PlotOptions& options) {
  const std::vector<LevelRows> levels = level_rows(path, mesh.leaves, communicator);
  PlotFile plot(mesh, fields, levels, options);
  CollectiveFile file(path, communicator, 0, [&](hdf5::Writer& writer) { plot.create(writer, meta); });
  plot.share(communicator);
  plot.write(file.rows(), communicator);
  file.rows().flush();
  file.flush_and_rename();
}

}  // namespace meander::io
