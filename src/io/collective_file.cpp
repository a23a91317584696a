// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/collective_file.hpp"

#include <algorithm>
#include <vector>

namespace meander::io {

namespace {

constexpr std::int64_t most_bytes_at_once = std::int64_t{1} << 22;

}  // namespace

void CollectiveFile::write_rows(std::int64_t offset, std::int64_t row_bytes, std::int64_t first,
                                std::int64_t rows, const Fill& fill) {
  communicator_.agree([&] {
    const std::int64_t block =
        std::clamp<std::int64_t>(most_bytes_at_once / row_bytes, 1, std::max<std::int64_t>(1, rows));
    std::vector<std::byte> bytes(static_cast<std::size_t>(rows > 0 ? block * row_bytes : 0));
    for (std::int64_t begin = 0; begin < rows; begin += block) {
      const std::int64_t end = std::min(rows, begin + block);
      for (std::int64_t row = begin; row < end; ++row) fill(row, bytes.data() + (row - begin) * row_bytes);
      file_->write(offset + (first + begin) * row_bytes,
                   std::span(bytes).first(static_cast<std::size_t>((end - begin) * row_bytes)));
    }
  });
}

void CollectiveFile::flush() {
  communicator_.agree([&] { file_->flush(); });
}

CollectiveFile::CollectiveFile(const std::string& path, const parallel::Communicator& communicator,
                               int user_block, const std::function<void(hdf5::Writer&)>& create)
    : communicator_(communicator) {
  if (communicator_.is_root()) temporary_.emplace(path);
  communicator_.agree([&] {
    if (!temporary_) return;
    hdf5::Writer writer(temporary_->name(), path, user_block);
    create(writer);
    writer.close();
    RawFile(temporary_->name(), RawFile::Access::write, path).reserve();
  });
  communicator_.agree([&] { file_.emplace(temporary_name(path), RawFile::Access::write, path); });
}

void CollectiveFile::flush_and_rename(const std::function<void(RawFile&)>& finish) {
  communicator_.agree([&] {
    if (!temporary_) return;
    if (finish) finish(*file_);
    temporary_->flush_and_rename();
  });
}

}  // namespace meander::io
