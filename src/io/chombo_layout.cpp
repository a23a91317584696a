// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/chombo_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "base/error.hpp"
#include "base/vec.hpp"
#include "io/hdf5.hpp"

namespace meander::io {

namespace {

// A compound of contiguous int32.
hdf5::Handle integers_type(const std::vector<std::string>& names) {
  hdf5::Handle type(H5Tcreate(H5T_COMPOUND, names.size() * sizeof(std::int32_t)), H5Tclose);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (H5Tinsert(type.get(), names[i].c_str(), i * sizeof(std::int32_t), H5T_STD_I32LE) < 0)
      throw Failure("HDF5 cannot make a compound type");
  }
  return type;
}

std::vector<std::string> for_axes(int dim, const std::string& prefix) {
  std::vector<std::string> names;
  for (int a = 0; a < dim; ++a) names.push_back(prefix + "ijk"[a]);
  return names;
}

hdf5::Handle box_type(int dim) {
  auto names = for_axes(dim, "lo_");
  const auto upper = for_axes(dim, "hi_");
  names.insert(names.end(), upper.begin(), upper.end());
  return integers_type(names);
}

std::string group_name(std::size_t n) {
  return fmt::format("/level_{}", n);
}

class Layout {
 public:
  Layout(hdf5::Writer& file, const CheckpointMesh& mesh, std::span<const LevelRows> levels,
         const CheckpointState& state)
      : file_(file), mesh_(mesh), levels_(levels), state_(state), layout_(mesh.mesh.layout) {}

  CheckpointOffsets create() {
    write_root();
    write_meta();
    for (std::size_t n = 0; n < levels_.size(); ++n) create_level(n);
    return std::move(offsets_);
  }

 private:
  void write_root() {
    const hdf5::Handle root = file_.root();
    file_.attribute(root, "filetype", std::string("VanillaAMRFileType"));
    file_.attribute(root, "num_components", std::int64_t{layout_.saved()});
    for (std::size_t u = 0; u < mesh_.unknowns.size(); ++u)
      file_.attribute(root, fmt::format("component_{}", u), mesh_.unknowns[u]);
    file_.attribute(root, "num_levels", static_cast<std::int64_t>(levels_.size()));
    file_.attribute(root, "max_level", static_cast<std::int64_t>(levels_.size()) - 1);
    file_.attribute(root, "iteration", state_.step);
    file_.attribute(root, "time", state_.time);
    const hdf5::Handle global = file_.create_group("/Chombo_global");
    file_.attribute(global, "SpaceDim", std::int64_t{layout_.dim});
    file_.attribute(global, "testReal", 0.0);
  }

  void write_meta() {
    const hdf5::Handle meta = create_meta_group(file_, mesh_.mesh, levels_,
                                                {state_.input, state_.step, state_.time}, offsets_.tables);
    const auto axes = static_cast<std::size_t>(layout_.dim);
    file_.attribute(meta, "dt", state_.dt);
    file_.attribute(meta, "equation", state_.equation);
    file_.attribute(meta, "origin", std::span(mesh_.mesh.lower).first(axes));
    file_.attribute(meta, "base_level", std::int64_t{mesh_.mesh.base_level});
    file_.attribute(meta, "base_width", mesh_.mesh.base_width);
    const std::vector<std::int64_t> cells(mesh_.base_cells, mesh_.base_cells + axes);
    const std::vector<std::int64_t> periodic(mesh_.periodic, mesh_.periodic + axes);
    file_.attribute(meta, "base_cells", std::span(cells));
    file_.attribute(meta, "periodic", std::span(periodic));
    offsets_.checksums =
        file_.allocate(meta, "level_checksum", H5T_STD_U64LE, static_cast<std::int64_t>(levels_.size()));
    const hdf5::Handle counters = file_.create_group("/meta/counters");
    for (const auto& [name, value] : state_.counters) file_.attribute(counters, name, value);
  }

  void create_level(std::size_t n) {
    const LevelRows& level = levels_[n];
    const hdf5::Handle group = file_.create_group(group_name(n));
    file_.attribute(group, "dx", mesh_.mesh.spacing(level.level));
    file_.attribute(group, "dt", state_.dt);
    file_.attribute(group, "time", state_.time);
    file_.attribute(group, "ref_ratio", std::int64_t{3});
    const hdf5::Handle box = box_type(layout_.dim);
    std::vector<std::int32_t> domain(2 * static_cast<std::size_t>(layout_.dim));
    for (int a = 0; a < layout_.dim; ++a) {
      const int depth = level.level - mesh_.mesh.base_level;
      const int cells =
          depth >= 0 ? mesh_.base_cells[a] * ipow(3, depth) : mesh_.base_cells[a] / ipow(3, -depth);
      domain[static_cast<std::size_t>(layout_.dim + a)] = cells * layout_.p - 1;
      file_.attribute(group, fmt::format("is_periodic_{}", a), std::int64_t{mesh_.periodic[a]});
    }
    file_.attribute(group, "prob_domain", box.get(), domain.data());

    const hdf5::Handle attributes = file_.create_group(group_name(n) + "/data_attributes");
    const hdf5::Handle vector = integers_type(for_axes(layout_.dim, "intvect"));
    const std::array<std::int32_t, 3> none{};
    file_.attribute(attributes, "comps", std::int64_t{layout_.saved()});
    file_.attribute(attributes, "ghost", vector.get(), none.data());
    file_.attribute(attributes, "outputGhost", vector.get(), none.data());
    file_.attribute(attributes, "objectType", std::string("FArrayBox"));

    CheckpointOffsets::Level offsets;
    offsets.boxes = file_.allocate(group, "boxes", box.get(), level.all);
    offsets.processors = file_.allocate(group, "Processors", H5T_STD_I32LE, level.all);
    offsets.patch_starts = file_.allocate(group, "data:offsets=0", H5T_STD_I64LE, level.all + 1);
    offsets.patches =
        file_.allocate(group, "data:datatype=0", H5T_IEEE_F64LE, level.all * patch_values(layout_));
    offsets_.levels.push_back(offsets);
  }

  hdf5::Writer& file_;
  const CheckpointMesh& mesh_;
  std::span<const LevelRows> levels_;
  const CheckpointState& state_;
  const solvers::PatchLayout& layout_;
  CheckpointOffsets offsets_;
};

}  // namespace

std::int64_t patch_values(const solvers::PatchLayout& layout) {
  return layout.saved() * std::int64_t{layout.volumes()};
}

CheckpointOffsets create_checkpoint(hdf5::Writer& file, const CheckpointMesh& mesh,
                                    std::span<const LevelRows> levels, const CheckpointState& state) {
  return Layout(file, mesh, levels, state).create();
}

namespace {

// Bytes of a patch, as a number that cannot overflow.
double patch_bytes_of(const solvers::PatchLayout& layout) {
  return sizeof(double) * layout.saved() * std::pow(layout.p, layout.dim);
}

}  // namespace

CheckpointContent read_checkpoint(const std::string& path) {
  const hdf5::Reader file(path, path);
  CheckpointContent content;
  CheckpointState& state = content.state;
  state.input = file.text("/meta/input");
  state.equation = file.text("/meta", "equation");
  state.step = file.integer("/meta", "step");
  state.time = file.number("/meta", "time");
  state.dt = file.number("/meta", "dt");
  if (!std::isfinite(state.time) || !std::isfinite(state.dt) || state.dt < 0)
    throw InputError("is damaged (its time)");
  for (const std::string& name : file.attribute_names("/meta/counters"))
    state.counters.emplace_back(name, file.integer("/meta/counters", name));

  CheckpointMesh& mesh = content.mesh;
  constexpr int most = hdf5::Reader::most;
  const int unknowns = file.integer("/", "num_components", 1, most);
  mesh.mesh.layout = {file.integer("/meta", "dimensions", 2, 3), file.integer("/meta", "patch_size", 1, most),
                      0, unknowns};
  for (int u = 0; u < unknowns; ++u) mesh.unknowns.push_back(file.text("/", fmt::format("component_{}", u)));
  const auto axes = static_cast<std::size_t>(mesh.mesh.layout.dim);
  const auto lower = file.numbers("/meta", "origin", axes);
  const auto cells = file.integers("/meta", "base_cells", axes);
  const auto periodic = file.integers("/meta", "periodic", axes);
  for (std::size_t a = 0; a < axes; ++a) {
    mesh.mesh.lower[a] = lower[a];
    mesh.base_cells[a] = static_cast<int>(cells[a]);
    mesh.periodic[a] = periodic[a] != 0;
  }
  mesh.mesh.base_level = file.integer("/meta", "base_level", 0, most);
  mesh.mesh.base_width = file.number("/meta", "base_width");

  content.coarsest_level = file.integer("/meta", "level_offset", 0, most);
  content.offsets.tables = {file.offset("/meta/patch_level"), file.offset("/meta/patch_index"),
                            file.offset("/meta/patch_rank")};
  content.offsets.checksums = file.offset("/meta/level_checksum");
  const std::int64_t levels = file.rows("/meta/level_checksum");
  for (std::size_t n = 0; n < static_cast<std::size_t>(levels); ++n) {
    const std::string group = group_name(n);
    content.leaves.push_back(file.rows(group + "/boxes"));
    content.offsets.levels.push_back({file.offset(group + "/boxes"), file.offset(group + "/Processors"),
                                      file.offset(group + "/data:offsets=0"),
                                      file.offset(group + "/data:datatype=0")});
    // Memory is allocated by these sizes.
    const double values =
        static_cast<double>(content.leaves.back()) * patch_bytes_of(mesh.mesh.layout) / sizeof(double);
    if (static_cast<double>(file.rows(group + "/data:datatype=0")) != values)
      throw InputError("is damaged (its numbers of patches and values disagree)");
  }
  const std::int64_t leaves = std::accumulate(content.leaves.begin(), content.leaves.end(), std::int64_t{0});
  for (const char* table : {"/meta/patch_level", "/meta/patch_index", "/meta/patch_rank"}) {
    if (file.rows(table) != leaves)
      throw InputError("is damaged (its tables have other lengths than its levels)");
  }
  return content;
}

}  // namespace meander::io
