// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// SUNMemoryHelper of SUNDIALS on memory resources: vectors, matrices and solvers of SUNDIALS allocate from a
// MemoryCache. Implements all operations of the interface, for SUNDIALS 6.0 and later:
// https://sundials.readthedocs.io/en/latest/sunmemory/SUNMemory_Description_link.html
//
// Public interface. Meander itself does not use it: it serves programs that integrate with SUNDIALS beside
// Meander's solvers, in the same device memory. It requires the headers of SUNDIALS, and the program links
// them, for instance SUNDIALS::arkode:
//
//   MemoryCache managed(device, Space::managed);
//   SUNMemoryHelper helper = make_sun_memory_helper(context, {.device = &device, .managed = &managed});
//   SUNMemory memory = nullptr;
//   SUNMemoryHelper_Alloc(helper, &memory, bytes, SUNMEMTYPE_UVM, nullptr);
//
// No operation throws. Each returns 0, or a code of sun_error and sets sun_memory_message(); then it has
// changed nothing: a failed allocation leaves the caller's SUNMemory as it was, and a failed deallocation
// keeps it allocated.
//
// Threads: one thread at a time uses a helper. A helper and its clones may be used by different threads at
// the same time.

#include <sundials/sundials_memory.h>

#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

#include "adaptors/sun_memory_family.hpp"

// SUNDIALS 6.4 is 604.
#define MEANDER_SUNDIALS_VERSION (100 * SUNDIALS_VERSION_MAJOR + SUNDIALS_VERSION_MINOR)

namespace meander::gpu {

// Operations, with the contracts of SUNDIALS and these additions.
//
// queue: null, or a pointer to a gpu::Queue (a Queue* as void*), whose order the operation keeps as
// Resource::allocate and Resource::deallocate do. SUNMemoryHelper_SetDefaultQueue (SUNDIALS 7.3) replaces
// null. With SunMemoryResources::wait_for it is a queue of the caller instead.
// Alloc: 0 bytes give a null pointer, and count as no allocation.
// Dealloc: without a queue it waits for the asynchronous copies that were submitted through the helper or its
// clones; the caller guarantees that nothing else uses the memory. Any helper of the family of clones may
// deallocate what another one has allocated.
// Copy, CopyAsync: in the order of the queue. Copy has ended on return; so has CopyAsync without a queue.
// Otherwise the caller must keep both sides allocated until the queue has completed the copy.
// Clone: a helper of the same resources, with statistics of its own.
// Destroy: always frees the helper. sun_error::live_memory if it is the last one of its family and memory is
// still allocated: the memory stays with its resources, which report it as a leak at their end.
// GetAllocStats (SUNDIALS 6.5): see sun_memory_statistics().

// A helper of these resources. Null if the context is null, if there is no memory, or if the resources do not
// fit: one is in another space or on another device than its member says, or the device is missing.
inline SUNMemoryHelper make_sun_memory_helper(SUNContext context,
                                              const SunMemoryResources& resources) noexcept;

// Of the memory that the helper has allocated; deallocation counts here, too, if a clone does it. Zero for
// types without a resource.
inline SunMemoryStatistics sun_memory_statistics(SUNMemoryHelper helper, SUNMemoryType type) noexcept;

// Reason for the last failure of an operation of this helper; "" if none has failed.
inline const std::string& sun_memory_message(SUNMemoryHelper helper) noexcept;

namespace sun_memory {  // the operations

struct Content {
  std::shared_ptr<SunMemoryFamily> family;
  std::shared_ptr<SunMemoryCounts> counts;
  std::string message;
};
struct Free {
  void operator()(void* pointer) const { std::free(pointer); }  // SUNDIALS allocates with malloc
};

inline Content& content(SUNMemoryHelper helper) {
  return *static_cast<Content*>(helper->content);
}

inline int failed(SUNMemoryHelper helper, int code, const char* message) noexcept {
  try {
    content(helper).message = message;
  } catch (const std::bad_alloc&) {
    content(helper).message.clear();
  }
  return code;
}

// Calls the function and turns exceptions into codes, because the callers are written in C.
template <class Function>
int guarded(SUNMemoryHelper helper, Function&& function) noexcept {
  try {
    function();
    return sun_error::success;
  } catch (const SunMemoryFailure& failure) {
    return failed(helper, failure.code, failure.what());
  } catch (const std::bad_alloc& failure) {  // OutOfMemory is one
    return failed(helper, sun_error::out_of_memory, failure.what());
  } catch (const DeviceError& failure) {
    return failed(helper, sun_error::device_failure, failure.what());
  } catch (const std::exception& failure) {
    return failed(helper, sun_error::generic, failure.what());
  } catch (...) {
    return failed(helper, sun_error::generic, "unknown exception");
  }
}

inline void* queue_or_default([[maybe_unused]] SUNMemoryHelper helper, void* queue) noexcept {
#if MEANDER_SUNDIALS_VERSION >= 703
  if (queue == nullptr) return helper->queue;
#endif
  return queue;
}

inline SUNMemory new_memory([[maybe_unused]] SUNMemoryHelper helper) {
#if MEANDER_SUNDIALS_VERSION >= 700
  SUNMemory memory = SUNMemoryNewEmpty(helper->sunctx);
#else
  SUNMemory memory = SUNMemoryNewEmpty();
#endif
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

inline int allocate(SUNMemoryHelper helper, SUNMemory* memory, std::size_t bytes, SUNMemoryType type,
                    void* queue) noexcept {
  return guarded(helper, [&] {
    if (memory == nullptr) throw SunMemoryFailure(sun_error::corrupt, "null instead of a SUNMemory*");
    std::unique_ptr<std::remove_pointer_t<SUNMemory>, Free> made(new_memory(helper));
    const Content& own = content(helper);
    made->ptr = own.family->allocate(type, bytes, queue_or_default(helper, queue), own.counts);
    made->type = type;
    made->own = SUNTRUE;
#if MEANDER_SUNDIALS_VERSION >= 605
    made->bytes = bytes;
#endif
    *memory = made.release();
  });
}

inline int deallocate(SUNMemoryHelper helper, SUNMemory memory, void* queue) noexcept {
  if (memory == nullptr) return sun_error::success;
  return guarded(helper, [&] {
    if (memory->own && memory->ptr != nullptr)
      content(helper).family->deallocate(memory->type, memory->ptr, queue_or_default(helper, queue));
    Free()(memory);
  });
}

inline int copy(SUNMemoryHelper helper, SUNMemory to, SUNMemory from, std::size_t bytes,
                void* queue) noexcept {
  return guarded(helper, [&] {
    content(helper).family->copy(to, from, bytes, queue_or_default(helper, queue),
                                 SunMemoryFamily::End::on_return);
  });
}

inline int copy_async(SUNMemoryHelper helper, SUNMemory to, SUNMemory from, std::size_t bytes,
                      void* queue) noexcept {
  return guarded(helper, [&] {
    content(helper).family->copy(to, from, bytes, queue_or_default(helper, queue),
                                 SunMemoryFamily::End::in_queue);
  });
}

#if MEANDER_SUNDIALS_VERSION >= 703
inline int allocate_strided(SUNMemoryHelper helper, SUNMemory* memory, std::size_t bytes, std::size_t stride,
                            SUNMemoryType type, void* queue) noexcept {
  const int code = allocate(helper, memory, bytes, type, queue);
  if (code == sun_error::success) (*memory)->stride = stride;
  return code;
}
#endif

#if MEANDER_SUNDIALS_VERSION >= 605
inline int statistics(SUNMemoryHelper helper, SUNMemoryType type, unsigned long* allocations,
                      unsigned long* deallocations, std::size_t* bytes, std::size_t* peak_bytes) noexcept {
  return guarded(helper, [&] {
    const Content& own = content(helper);
    const SunMemoryStatistics now = own.family->statistics(*own.counts, type);
    *allocations = now.allocations;
    *deallocations = now.deallocations;
    *bytes = now.bytes;
    *peak_bytes = now.peak_bytes;
  });
}
#endif

inline int destroy(SUNMemoryHelper helper) noexcept {
  if (helper == nullptr) return sun_error::success;
  const std::unique_ptr<Content> own(static_cast<Content*>(helper->content));
  std::free(helper->ops);
  std::free(helper);
  return own->family->leave() ? sun_error::live_memory : sun_error::success;
}

inline SUNMemoryHelper clone(SUNMemoryHelper helper) noexcept;

// Null if there is no memory.
inline SUNMemoryHelper helper_of(std::shared_ptr<SunMemoryFamily> family, SUNContext context) {
  auto own = std::make_unique<Content>(Content{std::move(family), std::make_shared<SunMemoryCounts>(), {}});
  SUNMemoryHelper helper = SUNMemoryHelper_NewEmpty(context);
  if (helper == nullptr) return nullptr;
  helper->ops->alloc = allocate;
  helper->ops->dealloc = deallocate;
  helper->ops->copy = copy;
  helper->ops->copyasync = copy_async;
  helper->ops->clone = clone;
  helper->ops->destroy = destroy;
#if MEANDER_SUNDIALS_VERSION >= 605
  helper->ops->getallocstats = statistics;
#endif
#if MEANDER_SUNDIALS_VERSION >= 703
  helper->ops->allocstrided = allocate_strided;
#endif
  own->family->join();
  helper->content = own.release();
  return helper;
}

inline SUNMemoryHelper clone(SUNMemoryHelper helper) noexcept {
  SUNMemoryHelper made = nullptr;
  guarded(helper, [&] { made = helper_of(content(helper).family, helper->sunctx); });
#if MEANDER_SUNDIALS_VERSION >= 703
  if (made != nullptr) made->queue = helper->queue;
#endif
  return made;
}

}  // namespace sun_memory

inline SUNMemoryHelper make_sun_memory_helper(SUNContext context,
                                              const SunMemoryResources& resources) noexcept {
  try {
    return sun_memory::helper_of(std::make_shared<SunMemoryFamily>(resources), context);
  } catch (const std::exception&) {
    return nullptr;
  }
}

inline SunMemoryStatistics sun_memory_statistics(SUNMemoryHelper helper, SUNMemoryType type) noexcept {
  SunMemoryStatistics result;
  sun_memory::guarded(helper, [&] {
    const sun_memory::Content& own = sun_memory::content(helper);
    result = own.family->statistics(*own.counts, type);
  });
  return result;
}

inline const std::string& sun_memory_message(SUNMemoryHelper helper) noexcept {
  return sun_memory::content(helper).message;
}

}  // namespace meander::gpu
