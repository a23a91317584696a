// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/plot_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>

#include "base/error.hpp"
#include "base/vec.hpp"
#include "io/collective_file.hpp"
#include "io/files.hpp"
#include "io/hdf5.hpp"
#include "io/key_table.hpp"
#include "io/leaf_tables.hpp"

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
  void write(CollectiveFile& file, const parallel::Communicator& communicator) const {
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

  void write_boxes(CollectiveFile& file, std::int64_t offset, const LevelRows& level) const {
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
  void write_field(CollectiveFile& file, std::int64_t offset, const PlotField& field,
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
  plot.write(file, communicator);
  file.flush();
  file.flush_and_rename();
}

namespace {

constexpr std::size_t axes_of_vtk = 3;

FileOrigin origin_of(const hdf5::Reader& file) {
  FileOrigin origin;
  origin.version = file.text("/meta", "version");
  origin.git_hash = file.text("/meta", "git_hash");
  origin.compiler = file.text("/meta", "compiler");
  origin.build_type = file.text("/meta", "build_type");
  origin.modified = file.integer("/meta", "git_modified") != 0;
  return origin;
}

}  // namespace

FieldFacts FieldFacts::empty(const std::string& name, int components) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return {.name = name, .components = components, .min = infinity, .max = -infinity};
}

void FieldFacts::include(const std::vector<double>& values) {
  const auto width = static_cast<std::size_t>(components);
  for (std::size_t v = 0; v + width <= values.size(); v += width) {
    double value = values[v];
    if (width > 1) {
      double sum = 0;
      for (std::size_t c = 0; c < width; ++c) sum += values[v + c] * values[v + c];
      value = std::sqrt(sum);
    }
    if (!std::isfinite(value)) {
      ++not_finite;
      continue;
    }
    min = std::min(min, value);
    max = std::max(max, value);
  }
}

std::string FileOrigin::line() const {
  return fmt::format("meander {} ({}{}), {}, {}", version, git_hash.substr(0, 10),
                     modified ? ", modified" : "", compiler, build_type);
}

FileOrigin read_file_origin(const std::string& path) {
  return origin_of(hdf5::Reader(path, path));
}

namespace {

PlotFacts facts_of(const std::string& path) {
  const hdf5::Reader file(path, path);
  if (!file.has("/VTKHDF") || !file.has("/meta"))
    throw InputError(fmt::format("{}: is HDF5 of another program, no plot file", path));
  PlotFacts facts;
  facts.origin = origin_of(file);
  facts.input = file.text("/meta/input");
  facts.step = file.integer("/meta", "step");
  facts.time = file.number("/meta", "time");
  facts.dimensions = file.integer("/meta", "dimensions", 2, 3);
  facts.patch_size = file.integer("/meta", "patch_size", 1, hdf5::Reader::most);
  const int coarsest = file.integer("/meta", "level_offset", 0, hdf5::Reader::most);
  for (int n = 0; file.has(fmt::format("/VTKHDF/Level{}", n)); ++n) {
    const std::string level = fmt::format("/VTKHDF/Level{}", n), data = level + "/CellData";
    const std::int64_t leaves = file.rows(level + "/AMRBox");
    facts.levels.push_back({coarsest + n, leaves, file.numbers(level, "Spacing").at(0)});
    double volumes = static_cast<double>(leaves);
    for (int a = 0; a < facts.dimensions; ++a) volumes *= facts.patch_size;
    for (const std::string& name : file.names(data)) {
      const std::vector<double> values = file.values(data + "/" + name);
      auto field = std::find_if(facts.fields.begin(), facts.fields.end(),
                                [&](const FieldFacts& f) { return f.name == name; });
      if (field == facts.fields.end()) {
        const bool vector = static_cast<double>(values.size()) > volumes;
        field = facts.fields.insert(field, FieldFacts::empty(name, vector ? int{axes_of_vtk} : 1));
      }
      field->include(values);
    }
  }
  return facts;
}

}  // namespace

PlotFacts read_plot_facts(const std::string& path) {
  return read_facts(path, facts_of);
}

namespace {

constexpr std::string_view head = "{\n  \"file-series-version\": \"1.0\",\n  \"files\": [\n",
                           foot = "  ]\n}\n", before_name = "    {\"name\": \"",
                           before_time = "\", \"time\": ";

// Parses a file of write(); false if write() did not write it.
bool parse(std::string_view text, std::vector<std::pair<std::string, double>>& files) {
  if (!text.starts_with(head) || !text.ends_with(foot)) return false;
  text.remove_prefix(head.size());
  text.remove_suffix(foot.size());
  while (!text.empty()) {
    const std::string line(text.substr(0, text.find('\n')));
    if (!line.starts_with(before_name)) return false;
    const std::size_t middle = line.find(before_time);
    if (middle == std::string::npos) return false;
    const char* number = line.c_str() + middle + before_time.size();
    char* end = nullptr;
    const double time = std::strtod(number, &end);
    if (end == number || *end != '}') return false;
    const std::string name = line.substr(before_name.size(), middle - before_name.size());
    if (toml_text(name).size() != name.size() + 2) return false;  // names of add() contain no escapes
    files.emplace_back(name, time);
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return true;
}

}  // namespace

std::string PlotSeries::path() const {
  return fmt::format("{}/{}.vtkhdf.series", directory_, stem_);
}

std::vector<std::pair<std::string, double>> PlotSeries::read(const std::string& path) {
  const std::string text = read_text_file(path);
  std::vector<std::pair<std::string, double>> files;
  if (!parse(text, files)) throw InputError(path + ": is no series of plot files of this program");
  return files;
}

void PlotSeries::keep_until(double time) {
  files_.clear();
  if (!std::filesystem::exists(path())) return;
  files_ = read(path());
  std::erase_if(files_, [&](const auto& entry) { return entry.second > time; });
}

void PlotSeries::cut() const {
  if (std::filesystem::exists(path())) write();
}

void PlotSeries::resume(double time) {
  keep_until(time);
  cut();
}

void PlotSeries::add(const std::string& name, double time) {
  if (last() == name) files_.pop_back();
  files_.emplace_back(name, time);
  write();
}

void PlotSeries::write() const {
  std::string text(head);
  for (std::size_t i = 0; i < files_.size(); ++i) {
    text += fmt::format("    {{\"name\": {}, \"time\": {}}}{}\n", toml_text(files_[i].first),
                        files_[i].second, i + 1 < files_.size() ? "," : "");
  }
  text += foot;
  write_whole(path(), text);
}

}  // namespace meander::io
