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

class ByteWriter {
 public:
  template <class T>
  void operator()(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(T));
  }
  void operator()(const std::string& text) {
    (*this)(text.size());
    bytes_ += text;
  }
  template <class T>
  void operator()(const std::vector<T>& values) {
    (*this)(values.size());
    for (const T& value : values) (*this)(value);
  }
  template <class A, class B>
  void operator()(const std::pair<A, B>& pair) {
    (*this)(pair.first);
    (*this)(pair.second);
  }

  std::string& bytes() { return bytes_; }

 private:
  std::string bytes_;
};

// Reads the values of a ByteWriter in the order of writing.
class ByteReader {
 public:
  explicit ByteReader(std::string bytes) : bytes_(std::move(bytes)) {}

  template <class T>
  void operator()(T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    MEANDER_ASSERT(at_ + sizeof(T) <= bytes_.size());
    std::memcpy(&value, bytes_.data() + at_, sizeof(T));
    at_ += sizeof(T);
  }
  void operator()(std::string& text) {
    const std::size_t size = count();
    text = bytes_.substr(at_, size);
    at_ += size;
  }
  template <class T>
  void operator()(std::vector<T>& values) {
    values.resize(count());
    for (T& value : values) (*this)(value);
  }
  template <class A, class B>
  void operator()(std::pair<A, B>& pair) {
    (*this)(pair.first);
    (*this)(pair.second);
  }

 private:
  std::size_t count() {
    std::size_t result = 0;
    (*this)(result);
    return result;
  }

  std::string bytes_;
  std::size_t at_ = 0;
};

// Broadcasts the root's value. T::archive(archive) calls archive(member) for each member. Collective.
template <class T>
void broadcast_archive(const parallel::Communicator& communicator, T& value) {
  ByteWriter out;
  if (communicator.is_root()) value.archive(out);
  communicator.broadcast(out.bytes());
  ByteReader in(std::move(out.bytes()));
  if (!communicator.is_root()) value.archive(in);
}

}  // namespace meander::io
