// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Serialization of values to bytes, for broadcasts. One member function archive() lists the members for
// writing and for reading.

#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "parallel/communicator.hpp"

namespace meander::io {

// Appends the values to its bytes, or sets them from bytes in the order of writing.
class ByteArchive {
 public:
  ByteArchive() = default;  // for writing
  explicit ByteArchive(std::string bytes) : bytes_(std::move(bytes)), reads_(true) {}

  template <class T>
  void operator()(T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    copy(&value, sizeof(T));
  }
  void operator()(std::string& text) {
    resize(text);
    copy(text.data(), text.size());
  }
  template <class T>
  void operator()(std::vector<T>& values) {
    resize(values);
    for (T& value : values) (*this)(value);
  }
  template <class A, class B>
  void operator()(std::pair<A, B>& pair) {
    (*this)(pair.first);
    (*this)(pair.second);
  }

  std::string& bytes() { return bytes_; }

 private:
  template <class List>
  void resize(List& list) {
    std::size_t size = list.size();
    (*this)(size);
    list.resize(size);
  }
  void copy(void* value, std::size_t size) {
    if (reads_) {
      MEANDER_ASSERT(at_ + size <= bytes_.size());
      std::memcpy(value, bytes_.data() + at_, size);
    } else {
      bytes_.append(static_cast<const char*>(value), size);
    }
    at_ += size;
  }

  std::string bytes_;
  bool reads_ = false;
  std::size_t at_ = 0;
};

// Broadcasts the root's value. T::archive(archive) calls archive(member) for each member. Collective.
template <class T>
void broadcast_archive(const parallel::Communicator& communicator, T& value) {
  ByteArchive out;
  if (communicator.is_root()) value.archive(out);
  communicator.broadcast(out.bytes());
  ByteArchive in(std::move(out.bytes()));
  if (!communicator.is_root()) value.archive(in);
}

}  // namespace meander::io
