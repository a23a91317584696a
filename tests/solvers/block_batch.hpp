// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A batch of patches for Solver::launch in host memory, and the result of Solver::update for the same
// patches.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "solvers/device_batch.hpp"
#include "tests/solvers/patches.hpp"

namespace meander::solvers::test {

// A queue of work in the memory of this process.
class HostExecution final : public gpu::Execution {
 public:
  bool on_host() const noexcept override { return true; }
  void* native_queue() const noexcept override { return nullptr; }

 protected:
  void* translate(void* pointer, std::size_t) const override { return pointer; }
};

inline std::uint64_t bits(double value) {
  std::uint64_t result = 0;
  std::memcpy(&result, &value, sizeof result);
  return result;
}

// Patches, their stage blocks and flux buffers. Patch n requests the fluxes of its faces f with (n + f) % 3 =
// 0, and has level n % 3. If the solver radiates, the upper x faces of patches 1, 3, ... and the lower z
// faces of patches 2, 3, 6, 7, ... are radiative.
class Batch {
 public:
  template <class Fill>
  Batch(const Solver& owner, int p, int count, const Fill& fill) : solver(owner) {
    const Traits& traits = solver.traits();
    layout = traits.layout(p);
    for (int n = 0; n < count; ++n) {
      fill(slots.emplace_back(layout), static_cast<unsigned>(n));
      const auto nan = std::numeric_limits<double>::quiet_NaN();
      stages.emplace_back(static_cast<std::size_t>(traits.stage_blocks * layout.stage_block_size()), nan);
      next.emplace_back(static_cast<std::size_t>(layout.volumes() * layout.unknowns), nan);
      for (int face = 0; face < 6; ++face) {
        const bool asked = traits.conservative && face < 2 * traits.dim && (n + face) % 3 == 0;
        fluxes.emplace_back(asked ? static_cast<std::size_t>(layout.face_flux_size()) : 0, nan);
      }
    }
    status.resize(slots.size());
  }

  // The tasks for Solver::update.
  std::vector<PatchTask> tasks() {
    std::vector<PatchTask> all;
    for (std::size_t n = 0; n < slots.size(); ++n) {
      PatchTask& task = all.emplace_back(slots[n].task(dx(n)));
      place(n, task.lower);
      task.stages = stages[n].empty() ? nullptr : stages[n].data();
      task.radiative = radiative(n);
      for (std::size_t face = 0; face < 6; ++face) task.flux[face] = flux(n, face);
    }
    return all;
  }
  void update(int stage, double t, double dt) { solver.update(tasks(), layout, stage, t, dt, status); }

  // The arrays of a launch; finish() copies its results to the slots.
  DeviceBatch launch(int stage, double t, double dt) {
    patches.clear();
    for (std::size_t n = 0; n < slots.size(); ++n) {
      DevicePatch& patch = patches.emplace_back();
      patch.q = slots[n].q;
      if (!in_place || solver.kernels_of_launch().stage_new_interior) patch.next = next[n].data();
      if (in_place) patch.slot = slots[n].q;
      patch.stages = stages[n].empty() ? nullptr : stages[n].data();
      place(n, patch.lower);
      patch.dx = dx(n);
      patch.radiative = radiative(n);
      for (std::size_t face = 0; face < 6; ++face) patch.flux[face] = flux(n, face);
    }
    const int count = static_cast<int>(slots.size());
    scratch.assign(solver.scratch_bytes(layout, count), std::byte{0xff});
    DeviceBatch batch;
    batch.count = count;
    batch.patches = patches.data();
    batch.status = status.data();
    batch.layout = layout;
    batch.in_place = in_place;
    batch.stage = stage;
    batch.t = t;
    batch.dt = dt;
    for (const DevicePatch& patch : patches) batch.radiates |= patch.radiative != 0;
    if (!solver.step_bytes().empty()) batch.step_data = solver.step_bytes().data();
    if (!scratch.empty()) batch.scratch = scratch.data();
    return batch;
  }
  void finish() {
    if (in_place) return;
    for (std::size_t n = 0; n < slots.size(); ++n) {
      std::size_t at = 0;
      for (int u = 0; u < layout.unknowns; ++u)
        for_volumes(layout, 0, [&](int i, int j, int k) { slots[n].at(u, i, j, k) = next[n][at++]; });
    }
  }

  void expect_same_bits(const Batch& other) const {
    for (std::size_t n = 0; n < slots.size(); ++n) {
      int differ = 0;
      for (int u = 0; u < layout.unknowns; ++u) {
        for_volumes(layout, 0, [&](int i, int j, int k) {
          if (bits(slots[n].at(u, i, j, k)) == bits(other.slots[n].at(u, i, j, k)) || differ++ > 0) return;
          ADD_FAILURE() << "patch " << n << ", unknown " << u << " of volume " << i << " " << j << " " << k
                        << ": " << slots[n].at(u, i, j, k) << " and " << other.slots[n].at(u, i, j, k);
        });
      }
      EXPECT_EQ(differ, 0) << "numbers of patch " << n;
      EXPECT_EQ(bits(status[n].max_rate), bits(other.status[n].max_rate)) << "patch " << n;
      EXPECT_EQ(status[n].first_order, other.status[n].first_order) << "patch " << n;
      EXPECT_EQ(status[n].floored, other.status[n].floored) << "patch " << n;
      EXPECT_EQ(status[n].strayed, other.status[n].strayed) << "patch " << n;
      EXPECT_EQ(status[n].breach.bound, other.status[n].breach.bound) << "patch " << n;
      EXPECT_EQ(status[n].breach.volume, other.status[n].breach.volume) << "patch " << n;
      EXPECT_EQ(bits(status[n].breach.value), bits(other.status[n].breach.value)) << "patch " << n;
      EXPECT_EQ(status[n].admissible, other.status[n].admissible) << "patch " << n;
      for (std::size_t face = 0; face < 6; ++face) {
        const auto &mine = fluxes[6 * n + face], &others = other.fluxes[6 * n + face];
        EXPECT_TRUE(mine.empty() ||
                    std::memcmp(mine.data(), others.data(), mine.size() * sizeof(double)) == 0)
            << "fluxes through face " << face << " of patch " << n;
      }
      // Blocks end with padding.
      for (std::size_t at = 0; at < stages[n].size();
           at += static_cast<std::size_t>(layout.stage_block_size())) {
        const auto bytes = static_cast<std::size_t>(layout.volumes() * layout.unknowns) * sizeof(double);
        EXPECT_EQ(std::memcmp(&stages[n][at], &other.stages[n][at], bytes), 0)
            << "stage block " << at << " of patch " << n;
      }
    }
  }

  static double dx(std::size_t n) { return n % 3 == 0 ? 0.1 : n % 3 == 1 ? 0.1 / 3 : 0.1 / 9; }
  static void place(std::size_t n, double* lower) {
    for (int a = 0; a < 3; ++a) lower[a] = 0.1 * static_cast<double>(n) - 0.05 * a;
  }
  std::uint8_t radiative(std::size_t n) const {
    constexpr std::uint8_t upper_x = 1U << 1, lower_z = 1U << 4;
    if (!solver.traits().radiates) return 0;
    return static_cast<std::uint8_t>((n & 1) != 0 ? upper_x : 0) |
           static_cast<std::uint8_t>((n & 2) != 0 ? lower_z : 0);
  }
  double* flux(std::size_t n, std::size_t face) {
    auto& own = fluxes[6 * n + face];
    return own.empty() ? nullptr : own.data();
  }

  const Solver& solver;
  PatchLayout layout;
  std::vector<Patch> slots;
  std::vector<std::vector<double>> stages, next, fluxes;
  std::vector<PatchStatus> status;
  std::vector<DevicePatch> patches;
  std::vector<std::byte> scratch;
  bool in_place = false;  // DeviceBatch::in_place
};

}  // namespace meander::solvers::test
