// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Checkpoints with valid checksums and arbitrary contents. Checksums would stop a fuzzer early, so the values
// are changed first and the checksums recomputed.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "io/checkpoint_file.hpp"
#include "io/checksum.hpp"
#include "io/hdf5.hpp"
#include "simulation/config/config.hpp"
#include "simulation/module.hpp"
#include "simulation/simulation.hpp"
#include "tests/fuzz/scratch_file.hpp"

namespace meander::fuzz {

inline constexpr const char* forged_input = R"([domain]
dimensions = 2
[mesh]
patch-size = 3
min-level = 1
max-level = 2
[[refinement]]
kind = "ball"
radius = 0.1
[scenario]
name = "uniform"
)";

// One change of the file: 12 bytes of fuzzer input. feature: of HDF5, see ForgedCheckpoint::Feature.
struct Change {
  std::uint8_t place = 0, feature = 0;
  std::uint16_t element = 0;
  std::uint64_t value = 0;
  static constexpr std::size_t bytes = 12;

  static Change read(const std::uint8_t* data) {
    Change change;
    change.place = data[0];
    change.feature = data[1];
    std::memcpy(&change.element, data + 2, sizeof(change.element));
    std::memcpy(&change.value, data + 4, sizeof(change.value));
    return change;
  }
};

class ForgedCheckpoint {
 public:
  explicit ForgedCheckpoint(const ScratchDirectory& scratch) : path_(scratch.path() + "/base.hdf5") {
    const auto config =
        simulation::load_config_text(forged_input, "forged.toml", {}, simulation::scenarios(), 1e9);
    const auto simulation = simulation::make_simulation(config, 1);
    io::CheckpointMesh mesh;
    io::CheckpointState state;
    simulation->save(mesh, state);
    const auto view = simulation->view();
    const auto indices = simulation->leaf_indices();
    std::vector<io::PlotLeaf> leaves(indices.size());
    std::vector<const double*> slots;
    for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
      leaves[leaf] = {.level = view.levels[leaf], .at = {indices[leaf][0], indices[leaf][1], 0}};
      slots.push_back(view.patches[leaf].q);
    }
    mesh.mesh.leaves = leaves;
    io::write_checkpoint(path_, {}, mesh, slots, state);
    leaves_ = static_cast<std::int64_t>(leaves.size());
    patch_bytes_ = std::int64_t{sizeof(double)} * 9 * view.layout.unknowns;
    const io::RawFile file(path_, io::RawFile::Access::read, path_);
    bytes_.resize(static_cast<std::size_t>(file.size()));
    file.read(0, std::as_writable_bytes(std::span(bytes_)));
    const io::hdf5::Reader reader(path_, path_);
    for (const char* table : {"/meta/patch_level", "/meta/patch_index", "/meta/patch_rank"})
      tables_.push_back(reader.offset(table));
    checksums_ = reader.offset("/meta/level_checksum");
    input_ = reader.offset("/meta/input");
    input_bytes_ = static_cast<std::int64_t>(state.input.size());
  }

  // Features that are never written, for the dataset number `element`.
  enum Feature : std::uint8_t {
    external_storage = 0xe1,
    external_link = 0xe2,
    filter = 0xe3,
    no_storage = 0xe4
  };

  static constexpr std::size_t number_of_datasets = 5;

  // Change::place of an attribute.
  static std::uint8_t place_of(std::string_view name) {
    for (std::size_t n = 0; n < number_of_attributes; ++n) {
      if (attributes[n].name == name) return static_cast<std::uint8_t>(n);
    }
    std::abort();
  }

  // Writes the file with all changes and valid checksums.
  void forge(const std::string& path, std::span<const Change> changes) const {
    write(path, bytes_);
    change_attributes(path, changes);
    io::RawFile file(path, io::RawFile::Access::write, path);
    std::string head_text(io::head_bytes, '\0');
    file.read(0, std::as_writable_bytes(std::span(head_text)));
    io::CheckpointHead head = io::CheckpointHead::parse(head_text);
    for (const Change& change : changes) {
      if (!is_feature(change)) change_bytes(file, head, change);
    }
    // A dataset that was replaced may have been the last of the file.
    for (auto& level : head.levels) {
      level.offset = std::min(level.offset, file.size());
      if (level.bytes > file.size() - level.offset) level.bytes = 0;
    }
    for (std::size_t n = 0; n < head.levels.size(); ++n) {
      std::uint64_t sum = 0;
      std::vector<std::byte> patch(static_cast<std::size_t>(patch_bytes_));
      for (std::int64_t row = 0; row < head.levels[n].bytes / patch_bytes_; ++row) {
        file.read(head.levels[n].offset + row * patch_bytes_, patch);
        sum += io::checksum(patch, static_cast<std::uint64_t>(row));
      }
      file.write(checksums_ + 8 * static_cast<std::int64_t>(n), std::as_bytes(std::span(&sum, 1)));
    }
    head.length = file.size();
    head.rest = io::checksum_of_rest(file, head, 0, 1);
    const std::string text = head.text();
    file.write(0, std::as_bytes(std::span(text)));
  }

 private:
  struct Attribute {
    const char *object, *name;
    int values;
    bool integer;
  };
  static constexpr Attribute attributes[] = {
      {"/", "num_components", 1, true},
      {"/meta", "step", 1, true},
      {"/meta", "time", 1, false},
      {"/meta", "dt", 1, false},
      {"/meta", "level_offset", 1, true},
      {"/meta", "dimensions", 1, true},
      {"/meta", "patch_size", 1, true},
      {"/meta", "origin", 2, false},
      {"/meta", "base_level", 1, true},
      {"/meta", "base_width", 1, false},
      {"/meta", "base_cells", 2, true},
      {"/meta", "periodic", 2, true},
      {"/meta/counters", "volume-updates", 1, true},
  };
  static constexpr std::size_t number_of_attributes = std::size(attributes);
  static constexpr std::size_t places = number_of_attributes + 5;

  static void write(const std::string& path, std::string_view bytes) {
    std::FILE* stream = std::fopen(path.c_str(), "wb");
    if (stream == nullptr || std::fwrite(bytes.data(), 1, bytes.size(), stream) != bytes.size() ||
        std::fclose(stream) != 0) {
      std::abort();
    }
  }

  static constexpr const char* datasets[number_of_datasets] = {"/meta/input", "/meta/patch_level",
                                                               "/meta/level_checksum", "/level_0/boxes",
                                                               "/level_0/data:datatype=0"};

  static bool is_feature(const Change& change) {
    return change.feature >= external_storage && change.feature <= no_storage;
  }

  // Replaces a dataset by one of the same type and size with another storage.
  static void change_feature(hid_t file, const Change& change) {
    using io::hdf5::Handle;
    const char* name = datasets[change.element % std::size(datasets)];
    if (H5Lexists(file, name, H5P_DEFAULT) <= 0) return;
    const Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    Handle type, space;
    {
      const Handle old(H5Dopen2(file, name, H5P_DEFAULT), H5Dclose);
      if (old.get() < 0) return;  // changed twice
      type = Handle(H5Dget_type(old.get()), H5Tclose);
      space = Handle(H5Dget_space(old.get()), H5Sclose);
    }
    require(H5Ldelete(file, name, H5P_DEFAULT) >= 0, "the dataset to replace is there");
    if (change.feature == external_link) {
      H5Lcreate_external("/proc/self/exe", "/meta/input", file, name, H5P_DEFAULT, H5P_DEFAULT);
      return;
    }
    if (change.feature == external_storage)
      H5Pset_external(creation.get(), "/etc/hostname", 0, H5F_UNLIMITED);
    if (change.feature == filter && H5Sget_simple_extent_type(space.get()) == H5S_SIMPLE) {
      hsize_t chunk[H5S_MAX_RANK];
      const int rank = H5Sget_simple_extent_dims(space.get(), chunk, nullptr);
      H5Pset_chunk(creation.get(), rank, chunk);
      H5Pset_fletcher32(creation.get());
    }
    if (change.feature == no_storage) {
      const hsize_t huge = hsize_t{1} << (change.value % 60);
      space = Handle(H5Screate_simple(1, &huge, nullptr), H5Sclose);
    }
    const Handle created(
        H5Dcreate2(file, name, type.get(), space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT), H5Dclose);
  }

  void change_attributes(const std::string& path, std::span<const Change> changes) const {
    const auto is_here = [](const Change& change) {
      return is_feature(change) || change.place % places < number_of_attributes;
    };
    if (std::none_of(changes.begin(), changes.end(), is_here)) return;
    const io::hdf5::Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
    for (const Change& change : changes) {
      if (is_feature(change)) change_feature(file.get(), change);
      if (is_feature(change) || change.place % places >= number_of_attributes) continue;
      const Attribute& which = attributes[change.place % places];
      // HDF5 1.10 does not write to an attribute that was opened by the name of its object.
      const io::hdf5::Handle object(H5Oopen(file.get(), which.object, H5P_DEFAULT), H5Oclose);
      const io::hdf5::Handle attribute(H5Aopen(object.get(), which.name, H5P_DEFAULT), H5Aclose);
      std::uint64_t values[2] = {};
      const hid_t type = which.integer ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE;
      require(H5Aread(attribute.get(), type, values) >= 0, "the attribute to change is there");
      values[change.element % which.values] = change.value;
      require(H5Awrite(attribute.get(), type, values) >= 0, "the attribute is changed");
    }
  }

  void change_bytes(io::RawFile& file, io::CheckpointHead& head, const Change& change) const {
    const std::size_t place = change.place % places;
    if (place < number_of_attributes) return;
    const auto put = [&](std::int64_t offset, std::int64_t size) {
      file.write(offset, std::as_bytes(std::span(&change.value, 1)).first(static_cast<std::size_t>(size)));
    };
    const std::int64_t element = change.element;
    switch (place - number_of_attributes) {
      case 0:
        return put(tables_[0] + 4 * (element % leaves_), 4);
      case 1:
        return put(tables_[1] + 4 * (element % (2 * leaves_)), 4);
      case 2:
        return put(input_ + element % input_bytes_, 1);
      case 3: {
        const auto& level = head.levels[static_cast<std::size_t>(element) % head.levels.size()];
        if (level.bytes < 8) return;
        return put(level.offset + 8 * (element % (level.bytes / 8)), 8);
      }
      default: {
        // A region outside the tables; its checksum must cover existing bytes.
        auto& level = head.levels[static_cast<std::size_t>(element) % head.levels.size()];
        const std::int64_t most = level.bytes / patch_bytes_;
        level.bytes =
            patch_bytes_ * static_cast<std::int64_t>(change.value % static_cast<std::uint64_t>(most + 1));
        return;
      }
    }
  }

  std::string path_;
  std::string bytes_;
  std::int64_t leaves_ = 0, patch_bytes_ = 0, checksums_ = 0, input_ = 0, input_bytes_ = 0;
  std::vector<std::int64_t> tables_;
};

}  // namespace meander::fuzz
