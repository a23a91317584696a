// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Reads a plot file as `meander info` does. The input is the bytes of a file; after a first byte 'F', changes of a
// valid file, four bytes each (position, three bytes, and value); after 'A', other values of the attributes of a
// valid file, nine bytes each (attribute and value). Reading succeeds or throws InputError or Failure, also if HDF5
// crashes in its process. A file with other attributes is valid HDF5 and is also read in this process, where the fuzzer
// sees coverage and errors.
#include <pthread.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "base/error.hpp"
#include "io/files.hpp"
#include "io/hdf5.hpp"
#include "io/plot_file.hpp"
#include "simulation/report/info.hpp"
#include "tests/fuzz/scratch_file.hpp"

// Symbols of the linker and the sanitizer in a fuzzer build. The compiler uses these names in every file too.
[[gnu::weak]] extern std::uint8_t first_counter[] asm("__start___sancov_cntrs");
[[gnu::weak]] extern std::uint8_t end_of_counters[] asm("__stop___sancov_cntrs");
extern "C" [[gnu::weak]] void __sanitizer_set_death_callback(void (*callback)());

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

bool hdf5_may_fail = true;

struct Attribute {
  const char *object, *name;
  bool integer;
};
constexpr Attribute attributes[] = {
    {"/meta", "git_modified", true},      {"/meta", "step", true},       {"/meta", "time", false},
    {"/meta", "dimensions", true},        {"/meta", "patch_size", true}, {"/meta", "level_offset", true},
    {"/VTKHDF/Level0", "Spacing", false},
};
constexpr std::size_t change_bytes = 9;

void change_attribute(const std::string& path, const std::uint8_t* change) {
  const Attribute& which = attributes[change[0] % std::size(attributes)];
  const io::hdf5::Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
  // HDF5 1.10 does not write to an attribute that was opened by the name of its object.
  const io::hdf5::Handle object(H5Oopen(file.get(), which.object, H5P_DEFAULT), H5Oclose);
  const io::hdf5::Handle attribute(H5Aopen(object.get(), which.name, H5P_DEFAULT), H5Aclose);
  std::uint64_t values[3] = {};
  const hid_t type = which.integer ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE;
  fuzz::require(H5Aread(attribute.get(), type, values) >= 0, "the attribute to change is there");
  std::memcpy(values, change + 1, sizeof(values[0]));
  fuzz::require(H5Awrite(attribute.get(), type, values) >= 0, "the attribute is changed");
}

// A crash of HDF5 in a child process, or its excess of the memory limit, is no finding: without this the
// fuzzer would store an input for it, in a folder relative to the current one.
void be_quiet_in_children() {
  pthread_atfork(nullptr, nullptr, [] {
    if (!hdf5_may_fail) return;
    if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(nullptr);
    if (chdir("/proc") != 0 || std::freopen("/dev/null", "w", stderr) == nullptr) std::abort();
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::ScratchDirectory scratch;
  static const std::string good = good_plot(scratch);
  static const bool prepared = (be_quiet_in_children(), true);
  static_cast<void>(prepared);
  std::string bytes(fuzz::text_of(data, size));
  if (size > 0 && data[0] == 'F') {
    bytes = good;
    for (std::size_t at = 1; at + 4 <= size; at += 4) {
      const std::size_t place = data[at] + 256u * data[at + 1] + 65536u * data[at + 2];
      bytes[place % bytes.size()] = static_cast<char>(data[at + 3]);
    }
  }
  hdf5_may_fail = size == 0 || data[0] != 'A';
  if (!hdf5_may_fail) bytes = good;
  const std::string path = scratch.write("plot_000000.vtkhdf", bytes);
  if (!hdf5_may_fail) {
    for (std::size_t at = 1; at + change_bytes <= size; at += change_bytes) change_attribute(path, data + at);
  }
  try {
    if (!hdf5_may_fail) io::read_plot_facts(path);
    fuzz::require(!simulation::info(path).empty(), "info() returns text for an accepted file");
  } catch (const InputError&) {
  } catch (const Failure&) {
  }
  return 0;
}
