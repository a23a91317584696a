// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// NVECTOR_SERIAL with its array in managed memory of the helper, which kernels can access, too.
#include <nvector/nvector_serial.h>

#include <cstdlib>

#include "adaptors/sun_memory_helper.hpp"

// Begins with the content of NVECTOR_SERIAL, so that its operations apply. That of SUNDIALS is allocated with malloc.
struct ManagedContent : _N_VectorContent_Serial {
  SUNMemoryHelper helper;
  SUNMemory memory;
};

// Null if there is no memory. The helper outlives the vector.
inline N_Vector make_managed_vector(sunindextype length, SUNMemoryHelper helper) {
  const auto content_of = [](N_Vector vector) { return static_cast<ManagedContent*>(vector->content); };
  SUNMemory memory = nullptr;
  const auto bytes = static_cast<std::size_t>(length) * sizeof(sunrealtype);
  if (SUNMemoryHelper_Alloc(helper, &memory, bytes, SUNMEMTYPE_UVM, nullptr) != 0) return nullptr;
  N_Vector vector = N_VNewEmpty_Serial(length, helper->sunctx);
  vector->content = std::realloc(vector->content, sizeof(ManagedContent));
  content_of(vector)->helper = helper;
  content_of(vector)->memory = memory;
  N_VSetArrayPointer(static_cast<sunrealtype*>(memory->ptr), vector);
  vector->ops->nvclone = [](N_Vector other) {
    return make_managed_vector(N_VGetLength(other), static_cast<ManagedContent*>(other->content)->helper);
  };
  vector->ops->nvdestroy = [](N_Vector old) {
    const auto* content = static_cast<ManagedContent*>(old->content);
    SUNMemoryHelper_Dealloc(content->helper, content->memory, nullptr);
    N_VDestroy_Serial(old);
  };
  return vector;
}
