// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The Euler terms on a CUDA device are bitwise equal to those on the host.

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "physics/euler/terms.hpp"
#include "solvers/limiters.hpp"

namespace meander::solvers::test {
namespace {

// All results of the terms in one volume: auxiliaries, flux and eigenvalue for each axis, both halves of the source, primitive
// variables, a predicted state, limited slopes, admissibility.
template <int D>
inline constexpr int outputs = (D + 2) + D*(D + 3) + 6 * (D + 2) + 1;

template <int D>
__host__ __device__ void evaluate(const euler::Terms<D>& terms, const euler::Gravity& gravity,
                                  const double* q, double* out) {
  constexpr int N = D + 2;
  double a[N], x[D], slopes[D * N];
  terms.auxiliary(q, a);
  for (int n = 0; n < N; ++n) *out++ = a[n];
  for (int axis = 0; axis < D; ++axis) {
    terms.flux(q, a, axis, out);
    out += N;
    *out++ = terms.max_eigenvalue(q, a, axis);
  }
  for (int axis = 0; axis < D; ++axis) x[axis] = q[axis];
  double* const before = out;
  double* const after = out + N;
  for (int n = 0; n < N; ++n) before[n] = after[n] = q[n];
  const euler::Kick<D> kick = terms.split_source(gravity, 0.01);
  double first[D], kept[2];
  const auto field = [q](int f) { return q[f]; };
  kick.at(x, true, field, first, kept);
  kick.before(before, first);
  kick.after(after, x, field, kept);
  out += 2 * N;
  double* w = out;
  terms.primitive(q, w);
  out += N;
  terms.conserved(w, out);
  out += N;
  for (int n = 0; n < D * N; ++n) slopes[n] = 0.1 * q[n % N] - 0.03 * n;
  for (int n = 0; n < N; ++n) out[n] = w[n];
  for (int a = 0; a < D; ++a) terms.add_quasilinear(w, slopes + a * N, a, out);
  out += N;
  for (int n = 0; n < N; ++n) *out++ = MonotonizedCentral::limit(q[n], q[(n + 1) % N]);
  *out++ = terms.admissible(q) ? 1.0 : 0.0;
}

template <int D>
__global__ void evaluate_all(euler::Terms<D> terms, const euler::Gravity* gravity, const double* q,
                             double* out, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) evaluate<D>(terms, *gravity, q + i * (D + 2), out + i * outputs<D>);
}

template <int D>
void expect_the_same_bits(euler::ExternalGravity::Kind external) {
  constexpr int N = D + 2, count = 4096;
  const euler::Terms<D> terms(euler::Parameters{.gamma = 5.0 / 3});
  euler::Gravity gravity;
  gravity.radial = true;
  gravity.dim = D;
  gravity.bins = 32;
  gravity.dr = 0.04;
  gravity.strength = 0.3;
  gravity.excess_total = 2.5;
  gravity.strength_rate = -0.4;
  for (int i = 0; i <= gravity.bins; ++i) gravity.table[i] = gravity.table_rate[i] = 5.0 / (1 + i);
  gravity.upper[0] = gravity.upper[1] = 0.8;
  gravity.beyond[1] = euler::Gravity::Beyond::periodic;
  gravity.beyond[3] = euler::Gravity::Beyond::mirrored;
  gravity.external = {external, {0.31, -0.52, 0.23}, 0.2, 1e-3};
  std::mt19937 engine(17);
  std::uniform_real_distribution<double> positive(0.01, 3.0), velocity(-3.0, 3.0);
  std::vector<double> q;
  for (int i = 0; i < count; ++i) {
    const double rho = positive(engine);
    double kinetic = 0;
    q.push_back(rho);
    for (int a = 0; a < D; ++a) {
      const double u = velocity(engine);
      q.push_back(rho * u);
      kinetic += 0.5 * rho * u * u;
    }
    q.push_back(positive(engine) + kinetic);
  }
  std::vector<double> expected(static_cast<std::size_t>(count * outputs<D>)), found(expected.size());
  for (int i = 0; i < count; ++i) evaluate<D>(terms, gravity, &q[i * N], &expected[i * outputs<D>]);

  double *device_q = nullptr, *device_out = nullptr;
  euler::Gravity* device_gravity = nullptr;
  ASSERT_EQ(cudaMalloc(&device_q, q.size() * sizeof(double)), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&device_out, found.size() * sizeof(double)), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&device_gravity, sizeof gravity), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(device_q, q.data(), q.size() * sizeof(double), cudaMemcpyHostToDevice), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(device_gravity, &gravity, sizeof gravity, cudaMemcpyHostToDevice), cudaSuccess);
  evaluate_all<D><<<(count + 127) / 128, 128>>>(terms, device_gravity, device_q, device_out, count);
  ASSERT_EQ(cudaGetLastError(), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(found.data(), device_out, found.size() * sizeof(double), cudaMemcpyDeviceToHost),
            cudaSuccess);
  cudaFree(device_q);
  cudaFree(device_out);
  cudaFree(device_gravity);
  for (std::size_t i = 0; i < found.size(); ++i) {
    std::uint64_t a, b;
    std::memcpy(&a, &found[i], sizeof a);
    std::memcpy(&b, &expected[i], sizeof b);
    ASSERT_EQ(a, b) << "output " << i % outputs<D> << " of volume " << i / outputs<D> << ": " << found[i]
                    << " on the device, " << expected[i] << " on the host";
  }
}

TEST(EulerTermsOnCuda, AreBitwiseEqualToTheHost) {
  int devices = 0;
  const cudaError_t error = cudaGetDeviceCount(&devices);
  if (error != cudaSuccess || devices == 0) {
    GTEST_SKIP() << "no CUDA device: " << (error != cudaSuccess ? cudaGetErrorString(error) : "none found");
  }
  using Kind = euler::ExternalGravity::Kind;
  for (const Kind external : {Kind::none, Kind::uniform, Kind::point}) {
    expect_the_same_bits<2>(external);
    expect_the_same_bits<3>(external);
  }
}

}  // namespace
}  // namespace meander::solvers::test
