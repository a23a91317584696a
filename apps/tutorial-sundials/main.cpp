// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// CVODE integrates oscillators y'' = -w^2 y on vectors in Meander's memory.
//   usage: tutorial-sundials [DEVICE]      (default: host, the emulated device)
#include <cvode/cvode.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <sundials/sundials_context.hpp>

#include "gpu/memory_cache.hpp"
#include "managed_vector.hpp"

namespace {

constexpr sunindextype count = 1000;
double frequency(sunindextype i) {
  return 1 + 0.001 * static_cast<double>(i);
}

// (y, y')' = (y', -w^2 y)
int right_hand_side(sunrealtype, N_Vector state, N_Vector derivative, void*) {
  const double* y = N_VGetArrayPointer(state);
  double* rate = N_VGetArrayPointer(derivative);
  for (sunindextype i = 0; i < count; ++i) {
    rate[i] = y[count + i];
    rate[count + i] = -frequency(i) * frequency(i) * y[i];
  }
  return 0;
}

// Returns the error against cos(w t) at the end, or -1 after a message.
double integrate(SUNContext context, SUNMemoryHelper helper, double end) {
  N_Vector state = make_managed_vector(2 * count, helper);
  if (state == nullptr) {
    std::fprintf(stderr, "%s\n", meander::gpu::sun_memory_message(helper).c_str());
    return -1;
  }
  double* y = N_VGetArrayPointer(state);
  for (sunindextype i = 0; i < count; ++i) {
    y[i] = 1;
    y[count + i] = 0;
  }
  void* cvode = CVodeCreate(CV_ADAMS, context);
  CVodeInit(cvode, right_hand_side, 0, state);
  CVodeSStolerances(cvode, 1e-10, 1e-10);
  CVodeSetMaxNumSteps(cvode, 100'000);
  SUNNonlinearSolver solver = SUNNonlinSol_FixedPoint(state, 0, context);
  CVodeSetNonlinearSolver(cvode, solver);
  double reached = 0, error = -1;
  if (CVode(cvode, end, state, &reached, CV_NORMAL) == CV_SUCCESS) {
    error = 0;
    for (sunindextype i = 0; i < count; ++i)
      error = std::fmax(error, std::abs(y[i] - std::cos(frequency(i) * end)));
  }
  CVodeFree(&cvode);
  SUNNonlinSolFree(solver);
  N_VDestroy(state);
  return error;
}

}  // namespace

int main(int argc, char** argv) try {
  using namespace meander::gpu;
  const auto devices = make_devices(argc > 1 ? argv[1] : "host");
  if (devices.empty()) return 1;
  MemoryCache managed(*devices.front(), Space::managed);
  const sundials::Context context;
  SUNMemoryHelper helper =
      make_sun_memory_helper(context, {.device = devices.front().get(), .managed = &managed});
  bool good = helper != nullptr;
  for (int run = 1; good && run <= 2; ++run) {
    const double error = integrate(context, helper, 10);
    good = error >= 0 && error < 1e-6;
    const Stats stats = managed.stats();
    std::printf("run %d: error %.1e; %zu vectors so far, %zu allocations from the device, %zu bytes live\n",
                run, error, stats.allocations, stats.device_allocations, stats.live_bytes);
  }
  if (helper != nullptr) good = SUNMemoryHelper_Destroy(helper) == 0 && good;
  return good ? 0 : 1;
} catch (const std::exception& failure) {
  std::fprintf(stderr, "%s\n", failure.what());
  return 1;
}
