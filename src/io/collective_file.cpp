// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/collective_file.hpp"

namespace meander::io {

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
  rows_.emplace(temporary_name(path), path, communicator_);
}

void CollectiveFile::flush_and_rename(const std::function<void(RawFile&)>& finish) {
  communicator_.agree([&] {
    if (!temporary_) return;
    if (finish) finish(rows_->raw());
    temporary_->flush_and_rename();
  });
}

}  // namespace meander::io
