// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// A plot file, as `meander info` reads it: the bytes of a file as they are, or behind a first byte 'F'
// changes of a good one, four bytes each: where (three) and what. It is told of, or refused with an
// InputError or a Failure, whatever becomes of HDF5 in its process.
#include "base/error.hpp"
#include "io/plot_file.hpp"
#include "io/raw_file.hpp"
#include "simulation/info.hpp"
#include "tests/fuzz/scratch_file.hpp"

namespace {

using namespace meander;

constexpr const char* input =
    "[domain]\ndimensions = 2\n[mesh]\npatch-size = 3\n[scenario]\nname = \"uniform\"\n";

std::string good_plot(const fuzz::ScratchDirectory& scratch) {
  const std::string path = scratch.path() + "/good.vtkhdf";
  const std::vector<io::PlotLeaf> leaves = {{.level = 0, .at = {0, 0, 0}}};
  io::PlotMesh mesh;
  mesh.layout = {2, 3, 0, 1};
  mesh.leaves = leaves;
  const auto constant = [](std::size_t, int, std::span<double> values) {
    std::fill(values.begin(), values.end(), 1.5);
  };
  const std::vector<io::PlotField> fields = {{.name = "density", .fill = constant},
                                             {.name = "velocity", .components = 2, .fill = constant}};
  io::write_plot(path, {}, mesh, fields, {input, 7, 0.25});
  const io::RawFile file(path, io::RawFile::Access::read, path);
  std::string bytes(static_cast<std::size_t>(file.size()), '\0');
  file.read(0, std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::ScratchDirectory scratch;
  static const std::string good = good_plot(scratch);
  std::string bytes(fuzz::text_of(data, size));
  if (size > 0 && data[0] == 'F') {
    bytes = good;
    for (std::size_t at = 1; at + 4 <= size; at += 4) {
      const std::size_t place = data[at] + 256u * data[at + 1] + 65536u * data[at + 2];
      bytes[place % bytes.size()] = static_cast<char>(data[at + 3]);
    }
  }
  const std::string path = scratch.write("plot_000000.vtkhdf", bytes);
  try {
    fuzz::require(!simulation::info(path).empty(), "something is told of a file that is not refused");
  } catch (const InputError&) {
  } catch (const Failure&) {
  }
  return 0;
}
