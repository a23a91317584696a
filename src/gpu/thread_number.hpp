// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace meander::gpu {

namespace detail {
inline thread_local int thread_number = -1;
int assign_thread_number();
}  // namespace detail

// A small number of the calling thread, unlike that of any other running thread. Numbers of threads that have
// ended are given out again, the least first.
inline int thread_number() {
  const int number = detail::thread_number;
  return number >= 0 ? number : detail::assign_thread_number();
}

}  // namespace meander::gpu
