// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "parallel/window.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <new>
#include <utility>

#include "base/error.hpp"

namespace meander::parallel {

struct Window::Header {
  std::int64_t serial;  // tells windows apart that have the same process and file, one after the other
  std::atomic<int> users;
  std::atomic<unsigned> releases;  // so far; fences would do, but ThreadSanitizer does not know them
};

namespace {

// Where there is no memory later, the first access would end the process. In pieces, each until no signal interrupts it.
void allocate(int file, off_t size) {
  constexpr off_t most = off_t{1} << 24;
  for (off_t at = 0; at < size;) {
    const off_t piece = std::min(size - at, most);
    const int error = posix_fallocate(file, at, piece);
    if (error == 0)
      at += piece;
    else if (error != EINTR)
      throw std::bad_alloc();
  }
}

}  // namespace

Window::Window(std::size_t bytes) : Window() {
  static_assert(sizeof(Header) <= header_bytes && std::atomic<int>::is_always_lock_free);
  static std::atomic<std::int64_t> serials{0};
  const auto size = static_cast<off_t>(header_bytes + bytes);
  handle_ = {getpid(), memfd_create("meander-window", MFD_CLOEXEC), size, ++serials};
  const int file = static_cast<int>(handle_.file);
  if (file < 0 || ftruncate(file, size) != 0) throw std::bad_alloc();
  allocate(file, size);
  map(file, header_bytes + bytes);
  new (base_) Header{handle_.serial, 0, 0};
}

Window::Window(const Handle& handle) : Window() {
  const std::string name = fmt::format("/proc/{}/fd/{}", handle.process, handle.file);
  const int file = open(name.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) throw Failure("the window of another rank is not found: " + name);
  handle_.file = file;  // until it is mapped
  struct stat facts {};
  if (fstat(file, &facts) != 0 || facts.st_size != handle.bytes)
    throw Failure("not the window of another rank: " + name);
  map(file, static_cast<std::size_t>(handle.bytes));
  if (header().serial != handle.serial) throw Failure("not the window of another rank: " + name);
  close(static_cast<int>(std::exchange(handle_, {}).file));
  ++header().users;
}

Window::~Window() {
  if (base_ != nullptr) munmap(base_, mapped_);
  if (handle_.file >= 0) close(static_cast<int>(handle_.file));
}

void Window::map(int file, std::size_t bytes) {
  void* const base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, 0);
  if (base == MAP_FAILED) throw std::bad_alloc();
  base_ = static_cast<std::byte*>(base);
  mapped_ = bytes;
}

int Window::users() const {
  return header().users;
}

void Window::release() {
  header().releases.fetch_add(1, std::memory_order_release);
}

void Window::acquire() const {
  static_cast<void>(header().releases.load(std::memory_order_acquire));
}

void Window::swap(Window& other) noexcept {
  std::swap(base_, other.base_);
  std::swap(mapped_, other.mapped_);
  std::swap(handle_, other.handle_);
}

}  // namespace meander::parallel
