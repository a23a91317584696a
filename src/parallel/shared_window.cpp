// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "parallel/shared_window.hpp"

#include <cstdint>
#include <cstring>
#include <exception>

#include "parallel/communicator.hpp"

namespace meander::parallel {

SharedWindow::SharedWindow(const Communicator& node, std::size_t bytes) : node_(node) {
  const std::size_t lines = (bytes + sizeof(Line) - 1) / sizeof(Line);
  if (node_.size() == 1) {
    own_.resize(lines);
    data_ = own_.data();
    return;
  }
  // One line more, because MPI does not guarantee alignment.
  const std::size_t room = (lines + 1) * sizeof(Line);
  void* base = nullptr;
  mpi_check(MPI_Win_allocate_shared(node_.is_root() ? static_cast<MPI_Aint>(room) : 0, 1, MPI_INFO_NULL,
                                    node_.get(), &base, &window_),
            "MPI_Win_allocate_shared");
  MPI_Aint size = 0;
  int unit = 0;
  mpi_check(MPI_Win_shared_query(window_, 0, &size, &unit, &base), "MPI_Win_shared_query");
  // The address differs between processes, but its offset within a page does not.
  const std::size_t off = reinterpret_cast<std::uintptr_t>(base) % sizeof(Line);
  data_ = static_cast<char*>(base) + (off == 0 ? 0 : sizeof(Line) - off);
  if (node_.is_root()) std::memset(data_, 0, lines * sizeof(Line));
  node_.barrier();
}

SharedWindow::~SharedWindow() {
  int finalized = 0;
  if (window_ == MPI_WIN_NULL || std::uncaught_exceptions() > 0) return;
  if (MPI_Finalized(&finalized) == MPI_SUCCESS && finalized == 0) MPI_Win_free(&window_);
}

}  // namespace meander::parallel
