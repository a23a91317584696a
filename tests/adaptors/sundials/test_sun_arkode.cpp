// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// ARKODE integrates on vectors whose memory comes through the helper: at the order of its method, to the same bits
// in each memory type, with all memory given back, also when allocations fail.
#include <arkode/arkode_arkstep.h>
#include <gtest/gtest.h>
#include <sunlinsol/sunlinsol_spgmr.h>

#include <cmath>
#include <vector>

#include "gpu/host_device.hpp"
#include "tests/adaptors/sundials/device_vector.hpp"
#include "tests/adaptors/sundials/failing_resource.hpp"
#include "tests/adaptors/sundials/sun_helper.hpp"

// SUNDIALS 7.1 has one set of functions for all steppers.
#if MEANDER_SUNDIALS_VERSION >= 701
#define MEANDER_ARK(function) ARKode##function
#else
#define MEANDER_ARK(function) ARKStep##function
#endif

namespace meander::gpu {
namespace {

using test::DeviceVector;
using test::FailingResource;
using test::SunHelper;

constexpr sunindextype length = 50;

// y_i' = -rate_i (y_i - atan(t + c_i)) + 1 / (1 + (t + c_i)^2) has the solution y_i = atan(t + c_i): the scalar
// problem of ARKODE's example ark_analytic.c.
double shift(sunindextype i) {
  return 0.1 * static_cast<double>(i) - 2.5;
}
double rate(sunindextype i) {
  return 0.5 + 0.05 * static_cast<double>(i);
}
double solution(double t, sunindextype i) {
  return std::atan(t + shift(i));
}
int right_hand_side(sunrealtype t, N_Vector y, N_Vector derivative, void* space) {
  if (static_cast<test::VectorSpace*>(space)->failed) return -1;  // see DeviceVector::clone
  DeviceVector::for_each(
      derivative,
      [t](sunindextype i, double* f, const double* q) {
        const double s = t + shift(i);
        f[i] = -rate(i) * (q[i] - std::atan(s)) + 1 / (1 + s * s);
      },
      y);
  return 0;
}
double error_of(N_Vector y, double t) {
  return DeviceVector::reduce(
      0,
      [t](double& most, sunindextype i, const double* q) {
        most = std::max(most, std::abs(q[i] - solution(t, i)));
      },
      y);
}

enum class Method { explicit_, implicit };

// One integration. `valid()` is false if SUNDIALS could not allocate what it requires.
class Integration {
 public:
  Integration(SUNContext context, SUNMemoryHelper helper, SUNMemoryType type, Device& device, Queue& queue,
              Method method = Method::explicit_)
      : space_{helper, type, length, device, queue}, y_(DeviceVector::make(space_)) {
    if (y_ == nullptr) return;
    set_solution(0);
    const bool is_explicit = method == Method::explicit_;
    ark_ = ARKStepCreate(is_explicit ? right_hand_side : nullptr, is_explicit ? nullptr : right_hand_side, 0,
                         y_, context);
    if (ark_ == nullptr) return;
    EXPECT_EQ(MEANDER_ARK(SetUserData)(ark_, &space_), 0);
    if (is_explicit) return;
    krylov_ = SUNLinSol_SPGMR(y_, SUN_PREC_NONE, 5, context);
    linear_ = krylov_ != nullptr && MEANDER_ARK(SetLinearSolver)(ark_, krylov_, nullptr) == 0;
  }
  ~Integration() {
    if (ark_ != nullptr) MEANDER_ARK(Free)(&ark_);
    if (krylov_ != nullptr) SUNLinSolFree(krylov_);
    if (y_ != nullptr) N_VDestroy(y_);
  }
  Integration(const Integration&) = delete;
  Integration& operator=(const Integration&) = delete;

  bool valid() const { return ark_ != nullptr && linear_ && !space_.failed; }
  void* ark() { return ark_; }
  N_Vector y() { return y_; }

  void set_steps(int order, double step) {
    EXPECT_EQ(MEANDER_ARK(SetOrder)(ark_, order), 0);
    EXPECT_EQ(MEANDER_ARK(SetFixedStep)(ark_, step), 0);
    EXPECT_EQ(MEANDER_ARK(SStolerances)(ark_, 1e-9, 1e-9), 0);
  }
  // To `end` by steps, without interpolation. Returns the code of SUNDIALS.
  int advance(double end) {
    EXPECT_EQ(MEANDER_ARK(SetStopTime)(ark_, end), 0);
    double reached = 0;
    return MEANDER_ARK(Evolve)(ark_, end + 1, y_, &reached, ARK_NORMAL);
  }
  void set_solution(double t) {
    DeviceVector::for_each(y_, [t](sunindextype i, double* q) { q[i] = solution(t, i); });
  }

 private:
  test::VectorSpace space_;
  N_Vector y_;
  void* ark_ = nullptr;
  SUNLinearSolver krylov_ = nullptr;
  bool linear_ = true;
};

class SunArkode : public ::testing::TestWithParam<SUNMemoryType> {
 protected:
  SUNMemoryType type() const { return GetParam(); }
  // All memory that the caches have handed out, with that of the host.
  std::size_t live() {
    std::size_t bytes = 0;
    for (const SUNMemoryType one : test::sun_memory_types) bytes += helper.resource(one).stats().live_bytes;
    return bytes;
  }
  std::vector<double> values(N_Vector y) {
    DeviceVector::of(y).wait();
    return helper.read(DeviceVector::of(y).memory(), length);
  }
  void copy_state(SUNMemory to, SUNMemory from) {
    EXPECT_EQ(SUNMemoryHelper_CopyAsync(helper.get(), to, from, length * sizeof(double), &queue), 0);
    // Vectors in host memory do not use the queue.
    if (type() == SUNMEMTYPE_HOST) device.synchronize(queue);
  }
  double error(int order, double step, Method method) {
    Integration run(helper.context(), helper.get(), type(), device, queue, method);
    EXPECT_TRUE(run.valid());
    run.set_steps(order, step);
    EXPECT_EQ(run.advance(1), ARK_TSTOP_RETURN);
    return error_of(run.y(), 1);
  }

  HostDevice device;
  Queue queue = device.create_queue();
  SunHelper helper{device};
};

TEST_P(SunArkode, ExplicitMethodsHaveTheirOrder) {
  const std::size_t before = live();
  for (const int order : {2, 3, 4, 5}) {
    const double coarse = error(order, 0.1, Method::explicit_), fine = error(order, 0.05, Method::explicit_);
    EXPECT_GT(std::log2(coarse / fine), order - 0.3) << "order " << order;
    EXPECT_LT(std::log2(coarse / fine), order + 1.2) << "order " << order;
    EXPECT_LT(fine, 1e-3);
  }
  EXPECT_EQ(live(), before);
}

TEST_P(SunArkode, ImplicitMethodsHaveTheirOrder) {
  const std::size_t before = live();
  for (const int order : {2, 3, 4}) {
    const double coarse = error(order, 0.1, Method::implicit), fine = error(order, 0.05, Method::implicit);
    EXPECT_GT(std::log2(coarse / fine), order - 0.3) << "order " << order;
    EXPECT_LT(fine, 1e-3);
  }
  EXPECT_EQ(live(), before);
}

TEST_P(SunArkode, AdaptiveStepsMeetTheTolerance) {
  Integration run(helper.context(), helper.get(), type(), device, queue);
  ASSERT_TRUE(run.valid());
  EXPECT_EQ(MEANDER_ARK(SStolerances)(run.ark(), 1e-9, 1e-9), 0);
  EXPECT_EQ(run.advance(2), ARK_TSTOP_RETURN);
  EXPECT_LT(error_of(run.y(), 2), 1e-7);
  // The dense output, from the stages that ARKODE keeps in vectors of its own.
  double last = 0;
  EXPECT_EQ(MEANDER_ARK(GetLastStep)(run.ark(), &last), 0);
  const N_Vector between = N_VClone(run.y());
  EXPECT_EQ(MEANDER_ARK(GetDky)(run.ark(), 2 - last / 2, 0, between), 0);
  EXPECT_LT(error_of(between, 2 - last / 2), 1e-6);
  N_VDestroy(between);
}

TEST_P(SunArkode, BitsDoNotDependOnTheMemory) {
  std::vector<std::vector<double>> results;
  for (const SUNMemoryType one : {SUNMEMTYPE_HOST, type()}) {
    Integration run(helper.context(), helper.get(), one, device, queue);
    ASSERT_TRUE(run.valid());
    EXPECT_EQ(MEANDER_ARK(SStolerances)(run.ark(), 1e-6, 1e-6), 0);
    EXPECT_EQ(run.advance(1.5), ARK_TSTOP_RETURN);
    results.push_back(values(run.y()));
  }
  EXPECT_EQ(results[0], results[1]);
}

TEST_P(SunArkode, ARunFromACheckpointGivesTheSameBits) {
  for (const SUNMemoryType kept : test::sun_memory_types) {
    Integration run(helper.context(), helper.get(), type(), device, queue);
    ASSERT_TRUE(run.valid());
    run.set_steps(4, 0.05);
    const SUNMemory state = DeviceVector::of(run.y()).memory();
    const SUNMemory checkpoint = helper.allocate(kept, length * sizeof(double), &queue);
    EXPECT_EQ(run.advance(0.5), ARK_TSTOP_RETURN);
    copy_state(checkpoint, state);
    EXPECT_EQ(run.advance(1), ARK_TSTOP_RETURN);
    const std::vector<double> first = values(run.y());
    copy_state(state, checkpoint);
    EXPECT_LT(error_of(run.y(), 0.5), 1e-5);
    EXPECT_EQ(MEANDER_ARK(Reset)(run.ark(), 0.5, run.y()), 0);
    EXPECT_EQ(run.advance(1), ARK_TSTOP_RETURN);
    EXPECT_EQ(values(run.y()), first);
    helper.deallocate(checkpoint, &queue);
  }
}

TEST_P(SunArkode, ASecondRunAllocatesNothingFromTheDevice) {
  const auto allocations = [&] { return helper.resource(type()).stats().allocations; };
  const std::size_t at_begin = allocations();
  error(4, 0.1, Method::implicit);
  const std::size_t of_a_run = allocations() - at_begin;
  const std::uint64_t from_device = device.allocations();
  EXPECT_GT(of_a_run, 20u);  // the vectors of ARKODE and of the Krylov space
  EXPECT_EQ(from_device > 0, type() != SUNMEMTYPE_HOST);
  error(4, 0.1, Method::implicit);
  EXPECT_EQ(allocations(), at_begin + 2 * of_a_run);
  EXPECT_EQ(device.allocations(), from_device);
}

TEST_P(SunArkode, AFailedAllocationFailsTheRunAndLosesNothing) {
  for (const Method method : {Method::explicit_, Method::implicit}) {
    bool done = false;
    int failing = 0;
    while (!done) {
      ASSERT_LT(++failing, 200);
      Resource& cache = helper.resource(type());
      const std::size_t before = cache.stats().live_bytes;
      FailingResource resource(cache, failing, [&] { throw OutOfMemory(8, 0, cache.place()); });
      SunMemoryResources resources = helper.resources();
      (type() == SUNMEMTYPE_HOST     ? resources.host
       : type() == SUNMEMTYPE_PINNED ? resources.pinned
       : type() == SUNMEMTYPE_DEVICE ? resources.device_memory
                                     : resources.managed) = &resource;
      const SUNMemoryHelper failing_helper = make_sun_memory_helper(helper.context(), resources);
      {
        Integration run(helper.context(), failing_helper, type(), device, queue, method);
        if (run.valid()) {
          run.set_steps(method == Method::explicit_ ? 4 : 3, 0.25);
          done = run.advance(1) == ARK_TSTOP_RETURN && resource.allocations() < failing;
        }
        EXPECT_EQ(done, resource.allocations() < failing);
      }
      EXPECT_EQ(SUNMemoryHelper_Destroy(failing_helper), 0) << "allocation " << failing;
      EXPECT_EQ(cache.stats().live_bytes, before) << "allocation " << failing;
    }
    EXPECT_GT(failing, 10);  // ARKODE has more vectors than that
  }
}

INSTANTIATE_TEST_SUITE_P(Types, SunArkode, ::testing::ValuesIn(test::sun_memory_types),
                         [](const auto& test) { return test::name(test.param); });

}  // namespace
}  // namespace meander::gpu
