// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Continues history.csv as a restart does: the file is rejected, or cut to complete rows; a second restart then leaves
// it unchanged.
#include "base/error.hpp"
#include "io/files.hpp"
#include "io/row_files.hpp"
#include "tests/fuzz/scratch_file.hpp"

namespace {

std::string contents(const std::string& path) {
  using namespace meander::io;
  const RawFile file(path, RawFile::Access::read, path);
  std::string text(static_cast<std::size_t>(file.size()), '\0');
  file.read(0, std::as_writable_bytes(std::span(text)));
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace meander;
  static const fuzz::ScratchDirectory scratch;
  const std::vector<io::Column> columns = {{"step", ""}, {"time", "time"}, {"mass", ""}};
  constexpr std::int64_t last = 3;
  const std::string path = scratch.write("history.csv", fuzz::text_of(data, size));
  try {
    io::History(path, columns, last);
  } catch (const InputError&) {
    return 0;
  }
  const std::string once = contents(path);
  io::History(path, columns, last);
  fuzz::require(contents(path) == once, "a second restart leaves the history unchanged");
  return 0;
}
