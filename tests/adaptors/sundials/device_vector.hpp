// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// An N_Vector whose array is a SUNMemory of any type: allocated and deallocated in the order of a queue through a
// clone of the helper, as NVECTOR_CUDA does. Its operations are kernels of an emulated device; for
// SUNMEMTYPE_HOST, which the device cannot access, they run in place.

#include <sundials/sundials_nvector.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "adaptors/sun_memory_helper.hpp"
#include "gpu/device.hpp"

namespace meander::gpu::test {

// What the vectors of an integration share. All members outlive the vectors.
struct VectorSpace {
  SUNMemoryHelper helper;
  SUNMemoryType type;
  sunindextype length;
  Device& device;
  Queue& queue;
  bool failed = false;  // no memory for a vector
};

class DeviceVector {
 public:
  // Null if there is no memory.
  static N_Vector make(VectorSpace& space) {
    SUNMemoryHelper helper = SUNMemoryHelper_Clone(space.helper);
    SUNMemory memory = nullptr;
    const std::size_t bytes = static_cast<std::size_t>(space.length) * sizeof(double);
    if (SUNMemoryHelper_Alloc(helper, &memory, bytes, space.type, &space.queue) != 0) {
      SUNMemoryHelper_Destroy(helper);
      space.failed = true;
      return nullptr;
    }
    return make(space, helper, memory);
  }
  static DeviceVector& of(N_Vector vector) { return *static_cast<DeviceVector*>(vector->content); }
  SUNMemory memory() const { return memory_; }

  // Submits function(i, target, sources...) for each index i, with pointers to the arrays. No effect if a vector
  // has no memory.
  template <class Function, class... Sources>
  static void for_each(N_Vector target, Function function, Sources... sources) {
    const DeviceVector& self = of(target);
    if (self.memory_ == nullptr || ((of(sources).memory_ == nullptr) || ...)) return;
    const std::array<double*, 1 + sizeof...(Sources)> arrays{self.array(), of(sources).array()...};
    self.submit([length = self.space_.length, function, arrays](auto&& address) {
      const auto usable =
          std::apply([&](auto... pointers) { return std::make_tuple(address(pointers, length)...); }, arrays);
      for (sunindextype i = 0; i < length; ++i)
        std::apply([&](auto... pointers) { function(i, pointers...); }, usable);
    });
  }
  // As for_each, without a target; waits, and returns the result, which the function changes.
  template <class Function, class... Sources>
  static double reduce(double initial, Function function, N_Vector first, Sources... sources) {
    double result = initial;
    const auto change = [&result, function](sunindextype i, auto... pointers) {
      function(result, i, pointers...);
    };
    for_each(first, change, sources...);
    of(first).wait();
    return result;
  }
  void wait() const {
    if (space_.type != SUNMEMTYPE_HOST) space_.device.wait(space_.device.record(space_.queue));
  }

 private:
  DeviceVector(VectorSpace& space, SUNMemoryHelper helper, SUNMemory memory)
      : space_(space), helper_(helper), memory_(memory) {}

  static N_Vector make(VectorSpace& space, SUNMemoryHelper helper, SUNMemory memory) {
    N_Vector vector = N_VNewEmpty(space.helper->sunctx);
    vector->content = new DeviceVector(space, helper, memory);
    set_operations(*vector->ops);
    return vector;
  }
  double* array() const { return static_cast<double*>(memory_->ptr); }

  template <class Kernel>
  void submit(Kernel kernel) const {
    if (space_.type == SUNMEMTYPE_HOST) {
      kernel([](double* pointer, sunindextype) { return pointer; });
      return;
    }
    space_.device.launch(space_.queue, "vector operation", [kernel](const Execution& execution) {
      kernel([&](double* pointer, sunindextype count) {
        return execution.address(pointer, static_cast<std::size_t>(count));
      });
    });
  }

  // SUNDIALS does not survive the null of a failed clone: before 7.1 N_VClone writes to it, and ARKodeFree of 7.5
  // crashes if a vector of the interpolation is missing. Hence a vector without memory, and VectorSpace::failed.
  static N_Vector clone(N_Vector vector) {
    VectorSpace& space = of(vector).space_;
    N_Vector made = make(space);
    return made != nullptr ? made : make(space, nullptr, nullptr);
  }
  static void destroy(N_Vector vector) {
    const std::unique_ptr<DeviceVector> self(&of(vector));
    if (self->helper_ != nullptr) {
      SUNMemoryHelper_Dealloc(self->helper_, self->memory_, &self->space_.queue);
      SUNMemoryHelper_Destroy(self->helper_);
    }
    N_VFreeEmpty(vector);
  }

  static void set_operations(_generic_N_Vector_Ops& ops);

  VectorSpace& space_;
  SUNMemoryHelper helper_;
  SUNMemory memory_;
};

inline void DeviceVector::set_operations(_generic_N_Vector_Ops& ops) {
  using Index = sunindextype;
  ops.nvgetvectorid = [](N_Vector) { return SUNDIALS_NVEC_CUSTOM; };
  ops.nvclone = clone;
  ops.nvdestroy = destroy;
  ops.nvgetlength = [](N_Vector x) { return of(x).space_.length; };
  ops.nvspace = [](N_Vector x, Index* reals, Index* integers) {
    *reals = of(x).space_.length;
    *integers = 0;
  };
  ops.nvlinearsum = [](double a, N_Vector x, double b, N_Vector y, N_Vector z) {
    for_each(
        z, [a, b](Index i, double* r, double* p, double* q) { r[i] = a * p[i] + b * q[i]; }, x, y);
  };
  ops.nvconst = [](double c, N_Vector z) { for_each(z, [c](Index i, double* r) { r[i] = c; }); };
  ops.nvprod = [](N_Vector x, N_Vector y, N_Vector z) {
    for_each(
        z, [](Index i, double* r, double* p, double* q) { r[i] = p[i] * q[i]; }, x, y);
  };
  ops.nvdiv = [](N_Vector x, N_Vector y, N_Vector z) {
    for_each(
        z, [](Index i, double* r, double* p, double* q) { r[i] = p[i] / q[i]; }, x, y);
  };
  ops.nvscale = [](double c, N_Vector x, N_Vector z) {
    for_each(
        z, [c](Index i, double* r, double* p) { r[i] = c * p[i]; }, x);
  };
  ops.nvabs = [](N_Vector x, N_Vector z) {
    for_each(
        z, [](Index i, double* r, double* p) { r[i] = std::abs(p[i]); }, x);
  };
  ops.nvinv = [](N_Vector x, N_Vector z) {
    for_each(
        z, [](Index i, double* r, double* p) { r[i] = 1 / p[i]; }, x);
  };
  ops.nvaddconst = [](N_Vector x, double b, N_Vector z) {
    for_each(
        z, [b](Index i, double* r, double* p) { r[i] = p[i] + b; }, x);
  };
  ops.nvdotprod = [](N_Vector x, N_Vector y) {
    return reduce(
        0, [](double& sum, Index i, double* p, double* q) { sum += p[i] * q[i]; }, x, y);
  };
  ops.nvmaxnorm = [](N_Vector x) {
    return reduce(
        0, [](double& most, Index i, double* p) { most = std::max(most, std::abs(p[i])); }, x);
  };
  ops.nvmin = [](N_Vector x) {
    return reduce(
        INFINITY, [](double& least, Index i, double* p) { least = std::min(least, p[i]); }, x);
  };
  ops.nvwrmsnorm = [](N_Vector x, N_Vector w) {
    const double sum = reduce(
        0, [](double& all, Index i, double* p, double* q) { all += p[i] * q[i] * p[i] * q[i]; }, x, w);
    return std::sqrt(sum / static_cast<double>(of(x).space_.length));
  };
}

}  // namespace meander::gpu::test
