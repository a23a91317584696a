// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A vector with uninitialised elements, for large tables that are filled immediately. Large vectors request
// huge pages: the page faults of small pages would take longer than filling the table.

#include <sys/mman.h>

#include <cstdlib>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace meander::mesh {

template <class T>
struct UninitializedAllocator : std::allocator<T> {
  template <class U>
  struct rebind {
    using other = UninitializedAllocator<U>;
  };
  T* allocate(std::size_t n) {
    const std::size_t bytes = n * sizeof(T);
    if (bytes < large) return std::allocator<T>::allocate(n);
    void* memory = std::aligned_alloc(huge_page, (bytes + huge_page - 1) / huge_page * huge_page);
    if (memory == nullptr) throw std::bad_alloc();
    // Failure is harmless: small pages work as well.
    static_cast<void>(madvise(memory, bytes, MADV_HUGEPAGE));
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t n) {
    if (n * sizeof(T) < large) return std::allocator<T>::deallocate(memory, n);
    std::free(memory);
  }
  template <class U>
  void construct(U* element) {
    ::new (static_cast<void*>(element)) U;
  }
  template <class U, class... Arguments>
  void construct(U* element, Arguments&&... arguments) {
    ::new (static_cast<void*>(element)) U(std::forward<Arguments>(arguments)...);
  }

 private:
  static constexpr std::size_t huge_page = std::size_t{1} << 21;
  static constexpr std::size_t large = 4 * huge_page;  // smaller blocks reuse pages of the allocator
};

template <class T>
using UninitializedVector = std::vector<T, UninitializedAllocator<T>>;

}  // namespace meander::mesh
