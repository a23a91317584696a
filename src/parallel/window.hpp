// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Memory of one rank that other processes of the node map. It is a file without a name, which the system removes when the last
// process that maps it ends, also if that is killed. No call is collective, unlike those of shared_window.hpp, which needs no
// permission to open files of other processes. Linux only; elsewhere no process finds a window.

#include <cstddef>
#include <cstdint>

namespace meander::parallel {

class Window {
 public:
  // What another process finds it by, as long as the owner lives.
  struct Handle {
    std::int64_t process = 0, file = -1, bytes = 0, serial = 0;
  };

  Window() = default;
  // Own memory, zero. Throws std::bad_alloc.
  explicit Window(std::size_t bytes);
  // That of another process. Throws Failure if it is not found.
  explicit Window(const Handle& handle);
  ~Window();
  Window(Window&& other) noexcept { swap(other); }
  Window& operator=(Window&& other) noexcept {
    Window(static_cast<Window&&>(other)).swap(*this);
    return *this;
  }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  // Aligned to 64 bytes. Concurrent accesses of several processes require atomics, or messages between them.
  double* data() const { return reinterpret_cast<double*>(base_ + header_bytes); }
  bool is_empty() const { return base_ == nullptr; }
  // Of own memory.
  const Handle& handle() const { return handle_; }
  int users() const;  // processes that have found it so far
  // A message that the owner sends after release() tells of all that it wrote into the window before; who receives it calls
  // acquire() before it reads. MPI promises that of its own buffers only.
  void release();
  void acquire() const;
  // Other processes may find it until this one ends: for an owner that does not know whether all have.
  void keep_findable() { handle_.file = -1; }

 private:
  struct Header;
  static constexpr std::size_t header_bytes = 64;
  Header& header() const { return *reinterpret_cast<Header*>(base_); }
  void map(int file, std::size_t bytes);
  void swap(Window& other) noexcept;

  std::byte* base_ = nullptr;
  std::size_t mapped_ = 0;  // bytes
  Handle handle_;           // file: -1 unless it is to be closed
};

}  // namespace meander::parallel
