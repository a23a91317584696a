// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Plot files, read back with the HDF5 library alone.
#include "io/plot_file.hpp"

#include <gtest/gtest.h>
#include <hdf5.h>

#include <array>
#include <cmath>
#include <map>

#include "base/error.hpp"
#include "base/vec.hpp"
#include "io/files.hpp"
#include "tests/io/scratch.hpp"

namespace meander::io {
namespace {

using testing_io::contents;
using testing_io::FileSizeLimit;
using testing_io::message_of;
using testing_io::Scratch;

// A tree over 2 x 1 (x 1) base cells of level 1, of which the first is refined, and the first child of that
// again. The leaves are not in Peano order, which the writer does not require.
std::vector<PlotLeaf> make_leaves(int dim) {
  std::vector<PlotLeaf> leaves;
  const auto refine = [&](const PlotLeaf& parent) {
    for (int child = 0; child < ipow(3, dim); ++child) {
      PlotLeaf leaf{.level = parent.level + 1};
      for (int a = 0, rest = child; a < dim; ++a, rest /= 3) leaf.at[a] = 3 * parent.at[a] + rest % 3;
      leaves.push_back(leaf);
    }
  };
  refine({.level = 2});
  refine({.level = 1});
  leaves.erase(leaves.begin() + ipow(3, dim));  // the refined child itself
  leaves.push_back({.level = 1, .at = {1, 0, 0}});
  return leaves;
}

template <class T>
std::vector<T> read(hid_t file, const std::string& name, hid_t type, std::vector<hsize_t>* shape = nullptr) {
  const hid_t dataset = H5Dopen2(file, name.c_str(), H5P_DEFAULT);
  EXPECT_GE(dataset, 0) << name;
  const hid_t space = H5Dget_space(dataset);
  std::vector<hsize_t> size(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
  H5Sget_simple_extent_dims(space, size.data(), nullptr);
  std::vector<T> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  EXPECT_GE(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  H5Sclose(space);
  H5Dclose(dataset);
  if (shape != nullptr) *shape = size;
  return values;
}

template <class T>
std::vector<T> attribute(hid_t file, const std::string& object, const char* name, hid_t type) {
  const hid_t id = H5Aopen_by_name(file, object.c_str(), name, H5P_DEFAULT, H5P_DEFAULT);
  EXPECT_GE(id, 0) << object << " " << name;
  const hid_t space = H5Aget_space(id);
  std::vector<T> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  EXPECT_GE(H5Aread(id, type, values.data()), 0);
  H5Sclose(space);
  H5Aclose(id);
  return values;
}

std::string text(hid_t file, const std::string& object, const char* name, bool is_attribute) {
  const hid_t id = is_attribute ? H5Aopen_by_name(file, object.c_str(), name, H5P_DEFAULT, H5P_DEFAULT)
                                : H5Dopen2(file, (object + "/" + name).c_str(), H5P_DEFAULT);
  EXPECT_GE(id, 0) << object << " " << name;
  const hid_t type = is_attribute ? H5Aget_type(id) : H5Dget_type(id);
  EXPECT_EQ(H5Tis_variable_str(type), 0) << "VTK wants strings of fixed length";
  std::string value(H5Tget_size(type), '\0');
  EXPECT_GE(is_attribute ? H5Aread(id, type, value.data())
                         : H5Dread(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value.data()),
            0);
  H5Tclose(type);
  is_attribute ? H5Aclose(id) : H5Dclose(id);
  return value;
}

struct PlotCase {
  int dim, p;
  bool float64;
};

class PlotFileOf : public testing::TestWithParam<PlotCase> {
 protected:
  PlotFileOf() : leaves(make_leaves(GetParam().dim)) {
    mesh.layout = {GetParam().dim, GetParam().p, 1, GetParam().dim + 2};
    mesh.lower[0] = -1;
    mesh.lower[1] = 0.5;
    mesh.lower[2] = 7;
    mesh.base_level = 1;
    mesh.base_width = 2;
    mesh.leaves = leaves;
  }

  double width(int level) const { return mesh.base_width / std::pow(3.0, level - mesh.base_level); }

  // A quadratic function of the volume's centre, with different values in volumes that could be interchanged.
  double value(std::size_t leaf, std::int64_t volume, int component) const {
    double sum = component;
    const int p = GetParam().p;
    const double dx = width(leaves[leaf].level) / p;
    for (int a = 0; a < GetParam().dim; ++a, volume /= p) {
      const double x = mesh.lower[a] + leaves[leaf].at[a] * width(leaves[leaf].level) +
                       (static_cast<double>(volume % p) + 0.5) * dx;
      sum += (a + 1) * x * x + x;
    }
    return sum;
  }

  std::vector<PlotField> fields() const {
    const auto fill = [this](std::size_t leaf, int component, std::span<double> values) {
      for (std::size_t v = 0; v < values.size(); ++v) {
        values[v] = value(leaf, static_cast<std::int64_t>(v), component);
      }
    };
    const auto order = [](std::size_t leaf, int, std::span<double> values) {
      std::fill(values.begin(), values.end(), static_cast<double>(leaf));
    };
    return {{.name = "density", .fill = fill},
            {.name = "velocity", .components = GetParam().dim, .fill = fill},
            {.name = "curve_index", .integer = true, .fill = order}};
  }

  void write(const std::string& path) const {
    write_plot(path, {}, mesh, fields(), {.input = "[mesh]\n# \xc3\xa4\n", .step = 12, .time = -0.25},
               {.float64 = GetParam().float64});
  }

  Scratch scratch;
  std::vector<PlotLeaf> leaves;
  PlotMesh mesh;
};

TEST_P(PlotFileOf, HoldsEveryVolumeAtItsPlace) {
  const auto [dim, p, float64] = GetParam();
  write(scratch.file("plot.vtkhdf"));
  EXPECT_EQ(scratch.names(), std::vector<std::string>{"plot.vtkhdf"}) << "no temporary file is left";
  const hid_t file = H5Fopen(scratch.file("plot.vtkhdf").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  ASSERT_GE(file, 0);

  EXPECT_EQ(attribute<std::int64_t>(file, "/VTKHDF", "Version", H5T_NATIVE_INT64),
            (std::vector<std::int64_t>{1, 0}));
  EXPECT_EQ(text(file, "/VTKHDF", "Type", true), "OverlappingAMR");
  EXPECT_EQ(text(file, "/VTKHDF", "GridDescription", true), "XYZ");
  EXPECT_EQ(attribute<double>(file, "/VTKHDF", "Origin", H5T_NATIVE_DOUBLE),
            (std::vector<double>{-1, 0.5, dim == 3 ? 7.0 : 0.0}));

  const auto volumes = static_cast<std::size_t>(mesh.layout.volumes());
  const double tolerance = float64 ? 0 : 1e-6;
  double volume_sum = 0;
  for (int n = 0; n < 3; ++n) {
    const std::string level = "/VTKHDF/Level" + std::to_string(n);
    const double dx = width(n + 1) / p;
    EXPECT_EQ(attribute<double>(file, level, "Spacing", H5T_NATIVE_DOUBLE),
              (std::vector<double>{dx, dx, dim == 3 ? dx : width(1) / p}));
    std::vector<std::size_t> members;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      if (leaves[i].level == n + 1) members.push_back(i);
    }
    const auto boxes = read<std::int32_t>(file, level + "/AMRBox", H5T_NATIVE_INT32);
    ASSERT_EQ(boxes.size(), 6 * members.size());
    std::vector<hsize_t> shape;
    const auto density = read<double>(file, level + "/CellData/density", H5T_NATIVE_DOUBLE, &shape);
    EXPECT_EQ(shape, std::vector<hsize_t>{members.size() * volumes});
    const auto velocity = read<double>(file, level + "/CellData/velocity", H5T_NATIVE_DOUBLE, &shape);
    EXPECT_EQ(shape, (std::vector<hsize_t>{members.size() * volumes, 3}));
    const auto order = read<std::int32_t>(file, level + "/CellData/curve_index", H5T_NATIVE_INT32);
    ASSERT_EQ(order.size(), members.size() * volumes);
    for (std::size_t m = 0; m < members.size(); ++m) {
      for (std::size_t a = 0; a < 3; ++a) {
        const bool real = a < static_cast<std::size_t>(dim);
        const int first = real ? leaves[members[m]].at[a] * p : 0;
        EXPECT_EQ(boxes[6 * m + 2 * a], first);
        EXPECT_EQ(boxes[6 * m + 2 * a + 1], real ? first + p - 1 : 0);
      }
      for (std::size_t v = 0; v < volumes; ++v) {
        const std::size_t row = m * volumes + v;
        const double expected = value(members[m], static_cast<std::int64_t>(v), 0);
        ASSERT_NEAR(density[row], expected, tolerance * std::abs(expected));
        for (int c = 0; c < 3; ++c) {
          const double component = c < dim ? expected + c : 0;
          ASSERT_NEAR(velocity[3 * row + static_cast<std::size_t>(c)], component,
                      1e-15 + 2 * std::max(tolerance, 1e-15) * std::abs(component));
        }
        ASSERT_EQ(order[row], static_cast<int>(members[m]));
      }
    }
    volume_sum += static_cast<double>(density.size()) * std::pow(dx, dim);
  }
  EXPECT_NEAR(volume_sum, 2 * std::pow(2.0, dim), 1e-12) << "the leaves fill the domain once";
  EXPECT_EQ(H5Lexists(file, "/VTKHDF/Level3", H5P_DEFAULT), 0);
  H5Fclose(file);
}

TEST_P(PlotFileOf, NamesItsOrigin) {
  write(scratch.file("plot.vtkhdf"));
  const hid_t file = H5Fopen(scratch.file("plot.vtkhdf").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  ASSERT_GE(file, 0);
  EXPECT_EQ(text(file, "/meta", "input", false), "[mesh]\n# \xc3\xa4\n");
  for (const char* name : {"git_hash", "compiler", "options", "version", "architecture", "build_type"}) {
    EXPECT_FALSE(text(file, "/meta", name, true).empty()) << name;
  }
  EXPECT_EQ(attribute<std::int64_t>(file, "/meta", "step", H5T_NATIVE_INT64).at(0), 12);
  EXPECT_EQ(attribute<double>(file, "/meta", "time", H5T_NATIVE_DOUBLE).at(0), -0.25);
  EXPECT_EQ(attribute<std::int64_t>(file, "/meta", "level_offset", H5T_NATIVE_INT64).at(0), 1);
  const auto level = read<std::int32_t>(file, "/meta/patch_level", H5T_NATIVE_INT32);
  const auto index = read<std::int32_t>(file, "/meta/patch_index", H5T_NATIVE_INT32);
  const auto dim = static_cast<std::size_t>(GetParam().dim);
  ASSERT_EQ(level.size(), leaves.size());
  ASSERT_EQ(index.size(), leaves.size() * dim);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    EXPECT_EQ(level[i], leaves[i].level);
    for (std::size_t a = 0; a < dim; ++a) EXPECT_EQ(index[i * dim + a], leaves[i].at[a]);
  }
  H5Fclose(file);
}

INSTANTIATE_TEST_SUITE_P(Shapes, PlotFileOf,
                         testing::Values(PlotCase{2, 3, false}, PlotCase{2, 17, true}, PlotCase{3, 4, false},
                                         PlotCase{3, 9, true}, PlotCase{2, 5, true}, PlotCase{3, 3, false}),
                         [](const auto& instance) {
                           const PlotCase& c = instance.param;
                           return std::to_string(c.dim) + "d_p" + std::to_string(c.p) +
                                  (c.float64 ? "_float64" : "_float32");
                         });

class PlotFileFailure : public testing::Test {
 protected:
  PlotFileFailure() : leaves(make_leaves(3)) {
    mesh.layout = {3, 9, 1, 5};
    mesh.base_level = 1;
    mesh.leaves = leaves;
    field.name = "density";
    field.fill = [this](std::size_t leaf, int, std::span<double> values) {
      for (std::size_t v = 0; v < values.size(); ++v) values[v] = factor * std::sin(double(leaf) + double(v));
    };
  }
  void write(const std::string& path) const {
    write_plot(path, {}, mesh, {&field, 1}, {}, {.float64 = true});
  }

  Scratch scratch;
  std::vector<PlotLeaf> leaves;
  PlotMesh mesh;
  PlotField field;
  double factor = 1;
};

TEST_F(PlotFileFailure, FullDiskLeavesEarlierFilesIntact) {
  write(scratch.file("plot_0.vtkhdf"));
  const std::string before = contents(scratch.file("plot_0.vtkhdf"));
  factor = 2;
  // Small limits fail in the data, larger ones when the file is flushed.
  for (const std::size_t limit :
       {std::size_t{100}, std::size_t{5000}, std::size_t{100000}, before.size() - 2000}) {
    const FileSizeLimit full(limit);
    for (const char* name : {"plot_0.vtkhdf", "plot_1.vtkhdf"}) {
      const std::string what = message_of<Failure>([&] { write(scratch.file(name)); });
      EXPECT_EQ(what.substr(0, what.find(": ")), scratch.file(name));
      EXPECT_NE(what.find("File too large"), std::string::npos) << what;
    }
    EXPECT_EQ(scratch.names(), std::vector<std::string>{"plot_0.vtkhdf"});
    EXPECT_EQ(contents(scratch.file("plot_0.vtkhdf")), before);
  }
  write(scratch.file("plot_1.vtkhdf"));
  EXPECT_EQ(contents(scratch.file("plot_1.vtkhdf")).size(), before.size());
}

TEST_F(PlotFileFailure, NoDirectory) {
  const std::string path = scratch.file("none/plot_0.vtkhdf");
  EXPECT_EQ(message_of<Failure>([&] { write(path); }), path + ": cannot create: No such file or directory");
}

}  // namespace
}  // namespace meander::io
