// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/image_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "io/collective_file.hpp"
#include "io/hdf5.hpp"
#include "io/leaf_tables.hpp"

namespace meander::io {

namespace {

constexpr std::uint8_t vtk_line = 3, vtk_quad = 9;
constexpr const char* image_level = "/VTKHDF/Level0";

// A file whose datasets are declared first and written when all of them have their place.
class VtkFile {
 public:
  VtkFile(std::span<const ImageField> fields, const ImageMeta& meta, const PlotOptions& options)
      : fields_(fields), meta_(meta), options_(options) {}

  // Adds what belongs to the mesh, before the fields.
  using Declare = std::function<void(hdf5::Writer&, const hdf5::Handle& root)>;
  // Adds attributes to the group /meta.
  using Describe = std::function<void(hdf5::Writer&, const hdf5::Handle& meta)>;

  // `folder`: the group of the fields' groups. items: values of a field of one component.
  void write(const std::string& path, const std::string& folder, std::int64_t items, const Declare& declare,
             const Describe& describe) {
    const parallel::Communicator alone;
    CollectiveFile file(path, alone, 0, [&](hdf5::Writer& writer) {
      const hdf5::Handle root = writer.create_group("/VTKHDF");
      const std::array<std::int64_t, 2> version = {1, 0};
      writer.attribute(root, "Version", std::span<const std::int64_t>(version));
      declare(writer, root);
      for (const char* empty : {"/PointData", "/FieldData"}) writer.create_group(folder + empty);
      const hdf5::Handle data = writer.create_group(folder + "/CellData");
      for (const ImageField& field : fields_)
        field_offsets_.push_back(writer.allocate(data, field.name, type_of(field), items,
                                                 field.components == 1 ? 0 : field.components));
      const hdf5::Handle group = create_origin_group(writer, meta_.step, meta_.time);
      writer.attribute(group, "dimensions", std::int64_t{meta_.dimensions});
      writer.attribute(group, "kind", meta_.kind);
      writer.attribute(group, "name", meta_.name);
      describe(writer, group);
    });
    for (std::size_t n = 0; n < own_.size(); ++n) file.raw().write(own_[n].offset, own_[n].bytes);
    for (std::size_t f = 0; f < fields_.size(); ++f) write_field(file.raw(), field_offsets_[f], fields_[f]);
    file.flush_and_rename();
  }

  // A dataset of the mesh. The items must outlive the call of write().
  template <class T>
  void dataset(hdf5::Writer& writer, const hdf5::Handle& group, const std::string& name, hid_t type,
               std::span<const T> items, int columns = 0) {
    const auto rows = static_cast<std::int64_t>(items.size()) / (columns == 0 ? 1 : columns);
    own_.push_back({writer.allocate(group, name, type, rows, columns), std::as_bytes(items)});
  }

 private:
  hid_t type_of(const ImageField& field) const {
    return field.integer ? H5T_STD_I32LE : options_.float64 ? H5T_IEEE_F64LE : H5T_IEEE_F32LE;
  }

  void write_field(RawFile& file, std::int64_t offset, const ImageField& field) const {
    if (field.integer) return write_as<std::int32_t>(file, offset, field.values);
    if (options_.float64) return file.write(offset, std::as_bytes(std::span(field.values)));
    write_as<float>(file, offset, field.values);
  }
  template <class T>
  static void write_as(RawFile& file, std::int64_t offset, std::span<const double> values) {
    constexpr std::size_t at_once = std::size_t{1} << 18;
    std::vector<T> block;
    for (std::size_t begin = 0; begin < values.size(); begin += at_once) {
      const auto part = values.subspan(begin, std::min(at_once, values.size() - begin));
      block.assign(part.begin(), part.end());
      file.write(offset + static_cast<std::int64_t>(begin * sizeof(T)), std::as_bytes(std::span(block)));
    }
  }

  struct Dataset {
    std::int64_t offset;
    std::span<const std::byte> bytes;
  };
  std::span<const ImageField> fields_;
  const ImageMeta& meta_;
  PlotOptions options_;
  std::vector<Dataset> own_;
  std::vector<std::int64_t> field_offsets_;
};

}  // namespace

std::size_t ImageMesh::along(std::size_t axis) const {
  return pixels[axis] == 0 ? 1 : static_cast<std::size_t>(pixels[axis]);
}

std::size_t ImageMesh::size() const {
  return along(0) * along(1) * along(2);
}

std::string image_name(const std::string& stem, std::int64_t step) {
  return fmt::format("{}_{:06}.vtkhdf", stem, step);
}

void write_image(const std::string& path, const ImageMesh& mesh, std::span<const ImageField> fields,
                 const ImageMeta& meta, const PlotOptions& options) {
  double thickness = std::numeric_limits<double>::infinity();
  for (std::size_t a = 0; a < 3; ++a) {
    if (mesh.pixels[a] > 0) thickness = std::min(thickness, mesh.spacing[a]);
  }
  std::array<double, 3> lower = mesh.lower, spacing = mesh.spacing;
  std::array<std::int32_t, 6> box{};
  for (std::size_t a = 0; a < 3; ++a) {
    box[2 * a + 1] = static_cast<std::int32_t>(mesh.along(a)) - 1;
    if (mesh.pixels[a] > 0) continue;
    spacing[a] = thickness;
    lower[a] -= thickness / 2;
  }
  VtkFile file(fields, meta, options);
  const auto declare = [&](hdf5::Writer& writer, const hdf5::Handle& root) {
    writer.attribute(root, "Type", std::string("OverlappingAMR"));
    writer.attribute(root, "GridDescription", std::string("XYZ"));
    writer.attribute(root, "Origin", std::span<const double>(lower));
    const hdf5::Handle level = writer.create_group(image_level);
    writer.attribute(level, "Spacing", std::span<const double>(spacing));
    file.dataset(writer, level, "AMRBox", H5T_STD_I32LE, std::span<const std::int32_t>(box), 6);
  };
  const auto describe = [&](hdf5::Writer& writer, const hdf5::Handle& group) {
    writer.attribute(group, "pixels", std::span<const std::int64_t>(mesh.pixels));
    writer.attribute(group, "lower", std::span<const double>(mesh.lower));
    writer.attribute(group, "spacing", std::span<const double>(mesh.spacing));
  };
  file.write(path, image_level, static_cast<std::int64_t>(mesh.size()), declare, describe);
}

void write_cells(const std::string& path, const CellMesh& mesh, std::span<const ImageField> fields,
                 const ImageMeta& meta, const PlotOptions& options) {
  const auto cells = static_cast<std::int64_t>(mesh.size()),
             points = static_cast<std::int64_t>(mesh.points.size());
  std::vector<std::int64_t> connectivity(mesh.points.size()), offsets(mesh.size() + 1);
  for (std::size_t n = 0; n < connectivity.size(); ++n) connectivity[n] = static_cast<std::int64_t>(n);
  for (std::size_t n = 0; n < offsets.size(); ++n) offsets[n] = static_cast<std::int64_t>(n) * mesh.corners;
  const std::vector<std::uint8_t> types(mesh.size(), mesh.corners == 2 ? vtk_line : vtk_quad);
  VtkFile file(fields, meta, options);
  const auto declare = [&](hdf5::Writer& writer, const hdf5::Handle& root) {
    writer.attribute(root, "Type", std::string("UnstructuredGrid"));
    const std::span<const double> coordinates(mesh.points.front().data(), 3 * mesh.points.size());
    file.dataset(writer, root, "NumberOfPoints", H5T_STD_I64LE, std::span(&points, 1));
    file.dataset(writer, root, "NumberOfCells", H5T_STD_I64LE, std::span(&cells, 1));
    file.dataset(writer, root, "NumberOfConnectivityIds", H5T_STD_I64LE, std::span(&points, 1));
    file.dataset(writer, root, "Points", H5T_IEEE_F64LE, coordinates, 3);
    file.dataset(writer, root, "Connectivity", H5T_STD_I64LE, std::span<const std::int64_t>(connectivity));
    file.dataset(writer, root, "Offsets", H5T_STD_I64LE, std::span<const std::int64_t>(offsets));
    file.dataset(writer, root, "Types", H5T_STD_U8LE, std::span<const std::uint8_t>(types));
  };
  file.write(path, "/VTKHDF", cells, declare, [](hdf5::Writer&, const hdf5::Handle&) {});
}

bool is_image_file(const std::string& path) {
  try {
    const hdf5::Reader file(path, path);
    if (!file.has("/VTKHDF") || !file.has("/meta")) return false;
    const std::vector<std::string> names = file.attribute_names("/meta");
    return std::ranges::find(names, "kind") != names.end();
  } catch (const Failure&) {
    return false;  // damaged: the reader of plot files says so
  }
}

namespace {

ImageFacts facts_of_image(const std::string& path) {
  const hdf5::Reader file(path, path);
  ImageFacts facts;
  facts.origin = read_file_origin(path);
  facts.meta = {file.text("/meta", "kind"), file.text("/meta", "name"),
                file.integer("/meta", "dimensions", 2, 3), file.integer("/meta", "step"),
                file.number("/meta", "time")};
  const bool has_pixels = file.text("/VTKHDF", "Type") == "OverlappingAMR";
  std::size_t items = 1;
  if (has_pixels) {
    const std::vector<std::int64_t> pixels = file.integers("/meta", "pixels", 3);
    for (std::size_t a = 0; a < 3; ++a) {
      facts.pixels[a] = pixels[a];
      items *= static_cast<std::size_t>(std::max<std::int64_t>(1, pixels[a]));
    }
  } else {
    facts.cells = file.rows("/VTKHDF/Types");
    items = static_cast<std::size_t>(facts.cells);
  }
  const std::string folder = fmt::format("{}/CellData", has_pixels ? image_level : "/VTKHDF");
  for (const std::string& name : file.names(folder)) {
    const std::vector<double> values = file.values(folder + "/" + name);
    FieldFacts& field = facts.fields.emplace_back(FieldFacts::empty(name, values.size() > items ? 3 : 1));
    field.include(values);
  }
  return facts;
}

}  // namespace

ImageFacts read_image_facts(const std::string& path) {
  return read_facts(path, facts_of_image);
}

}  // namespace meander::io
