// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Small numbers of threads, to select shards.

namespace meander::gpu {

namespace detail {
inline thread_local int thread_number = -1;
int assign_thread_number();
}  // namespace detail

// Number of the calling thread, unique among running threads. Numbers of ended threads are reused, the
// smallest first.
inline int thread_number() {
  const int number = detail::thread_number;
  return number >= 0 ? number : detail::assign_thread_number();
}

}  // namespace meander::gpu
