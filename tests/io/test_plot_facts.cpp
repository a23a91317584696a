// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Plot files with valid tables and invalid attributes.
#include "io/plot_file.hpp"

#include <gtest/gtest.h>
#include <hdf5.h>

#include <cstdint>
#include <limits>

#include "base/error.hpp"
#include "io/hdf5.hpp"
#include "tests/io/scratch.hpp"

namespace meander::io {
namespace {

using testing_io::message_of;
using testing_io::Scratch;

class FactsOfAPlot : public testing::Test {
 protected:
  FactsOfAPlot() : path_(scratch_.file("plot.vtkhdf")) {
    const std::vector<PlotLeaf> leaves = {{.level = 0, .at = {0, 0, 0}}};
    PlotMesh mesh;
    mesh.layout = {2, 3, 0, 1};
    mesh.leaves = leaves;
    const auto constant = [](std::size_t, int, std::span<double> values) {
      std::fill(values.begin(), values.end(), 1.5);
    };
    const std::vector<PlotField> fields = {{.name = "density", .fill = constant}};
    write_plot(path_, {}, mesh, fields, {"input", 7, 0.25});
  }

  void change(const char* name, std::int64_t value) const {
    const hdf5::Handle file(H5Fopen(path_.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
    // HDF5 1.10 does not write to an attribute that was opened by the name of its object.
    const hdf5::Handle object(H5Oopen(file.get(), "/meta", H5P_DEFAULT), H5Oclose);
    const hdf5::Handle attribute(H5Aopen(object.get(), name, H5P_DEFAULT), H5Aclose);
    ASSERT_GE(H5Awrite(attribute.get(), H5T_NATIVE_INT64, &value), 0);
  }

  Scratch scratch_;
  std::string path_;
};

TEST_F(FactsOfAPlot, AreThoseOfTheFile) {
  const auto facts = read_plot_facts(path_);
  EXPECT_EQ(facts.step, 7);
  EXPECT_EQ(facts.input, "input");
  ASSERT_EQ(facts.fields.size(), 1u);
  EXPECT_EQ(facts.fields[0].max, 1.5);
}

TEST_F(FactsOfAPlot, RefuseNumbersThatNoMeshHas) {
  constexpr std::int64_t large = std::numeric_limits<int>::max();
  const struct {
    const char* name;
    std::int64_t good, bad;
  } cases[] = {
      {"dimensions", 2, large}, {"patch_size", 3, 0}, {"level_offset", 0, large}, {"level_offset", 0, -1}};
  for (const auto& each : cases) {
    change(each.name, each.bad);
    EXPECT_EQ(message_of<InputError>([&] { read_plot_facts(path_); }),
              path_ + ": " + each.name + " = " + std::to_string(each.bad) + " is invalid; is it damaged?");
    change(each.name, each.good);
  }
  EXPECT_NO_THROW(read_plot_facts(path_));
}

// The reader's buffer holds one text.
TEST_F(FactsOfAPlot, RefuseSeveralTextsWhereOneBelongs) {
  {
    const hdf5::Handle file(H5Fopen(path_.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
    const hsize_t many = 4000;
    const hdf5::Handle space(H5Screate_simple(1, &many, nullptr), H5Sclose);
    ASSERT_GE(H5Adelete_by_name(file.get(), "/meta", "compiler", H5P_DEFAULT), 0);
    const hdf5::Handle attribute(H5Acreate_by_name(file.get(), "/meta", "compiler", H5T_C_S1, space.get(),
                                                   H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                                 H5Aclose);
    ASSERT_GE(H5Awrite(attribute.get(), H5T_C_S1, std::string(many, 'x').c_str()), 0);
  }
  EXPECT_EQ(message_of<InputError>([&] { read_plot_facts(path_); }),
            path_ + ": HDF5 cannot read compiler; is it damaged?");
}

}  // namespace
}  // namespace meander::io
