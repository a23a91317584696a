// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The kernels of Fumero et al. (MPLR 2023) for one item, with the same code on host and device. Each kernel
// reads `inputs` contiguous arrays of n floats and writes `outputs` such arrays.

#include <cmath>
#include <cstddef>
#include <cstdint>

#ifdef __CUDACC__
#define MEANDER_STUDY_FUNCTION __host__ __device__
#else
#define MEANDER_STUDY_FUNCTION
#endif

namespace meander::bench {

struct Saxpy {
  static constexpr const char* name = "saxpy";
  static constexpr int inputs = 2, outputs = 1;
  static constexpr bool quadratic = false;
  MEANDER_STUDY_FUNCTION static void item(std::size_t i, std::size_t n, const float* in, float* out) {
    out[i] = 2.0f * in[i] + in[n + i];
  }
};

struct WriteConstant {
  static constexpr const char* name = "write-constant";
  static constexpr int inputs = 0, outputs = 1;
  static constexpr bool quadratic = false;
  MEANDER_STUDY_FUNCTION static void item(std::size_t i, std::size_t, const float*, float* out) {
    out[i] = 4.0f;
  }
};

struct BlackAndWhite {
  static constexpr const char* name = "black-and-white";
  static constexpr int inputs = 3, outputs = 1;
  static constexpr bool quadratic = false;
  MEANDER_STUDY_FUNCTION static void item(std::size_t i, std::size_t n, const float* in, float* out) {
    out[i] = 0.299f * in[i] + 0.587f * in[n + i] + 0.114f * in[2 * n + i];
  }
};

struct Hilbert {
  static constexpr const char* name = "hilbert";
  static constexpr int inputs = 0, outputs = 1;
  static constexpr bool quadratic = false;
  MEANDER_STUDY_FUNCTION static void item(std::size_t i, std::size_t, const float*, float* out) {
    constexpr std::size_t columns = 1024;
    out[i] = 1.0f / static_cast<float>(i / columns + i % columns + 1);
  }
};

struct MonteCarlo {
  static constexpr const char* name = "monte-carlo";
  static constexpr int inputs = 1, outputs = 1;
  static constexpr bool quadratic = false;
  MEANDER_STUDY_FUNCTION static void item(std::size_t i, std::size_t, const float* in, float* out) {
    constexpr int samples = 32;
    auto state = static_cast<std::uint32_t>(1.0e6f * in[i]) + 1u;
    int inside = 0;
    for (int k = 0; k < samples; ++k) {
      float x[2];
      for (float& coordinate : x) {
        state = 1664525u * state + 1013904223u;
        coordinate = static_cast<float>(state >> 8) * (1.0f / 16777216.0f);
      }
      inside += x[0] * x[0] + x[1] * x[1] < 1.0f ? 1 : 0;
    }
    out[i] = 4.0f * static_cast<float>(inside) / samples;
  }
};

struct BlackScholes {
  static constexpr const char* name = "black-scholes";
  static constexpr int inputs = 1, outputs = 2;
  static constexpr bool quadratic = false;
  MEANDER_STUDY_FUNCTION static float normal(float x) { return 0.5f * erfcf(-0.70710678f * x); }
  MEANDER_STUDY_FUNCTION static void item(std::size_t i, std::size_t n, const float* in, float* out) {
    const float price = 10.0f + 90.0f * in[i], strike = 110.0f - price, years = 1.0f + 9.0f * in[i];
    constexpr float rate = 0.05f, volatility = 0.3f;
    const float spread = volatility * sqrtf(years);
    const float d1 = (logf(price / strike) + (rate + 0.5f * volatility * volatility) * years) / spread;
    const float d2 = d1 - spread, discounted = strike * expf(-rate * years);
    out[i] = price * normal(d1) - discounted * normal(d2);
    out[n + i] = discounted * normal(-d2) - price * normal(-d1);
  }
};

struct Dft {
  static constexpr const char* name = "dft";
  static constexpr int inputs = 2, outputs = 2;
  static constexpr bool quadratic = true;
  MEANDER_STUDY_FUNCTION static void item(std::size_t i, std::size_t n, const float* in, float* out) {
    float real = 0, imaginary = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const float angle = 6.2831853f * static_cast<float>(i * k % n) / static_cast<float>(n);
      const float c = cosf(angle), s = sinf(angle);
      real += in[k] * c + in[n + k] * s;
      imaginary += in[n + k] * c - in[k] * s;
    }
    out[i] = real;
    out[n + i] = imaginary;
  }
};

struct NBody {
  static constexpr const char* name = "n-body";
  static constexpr int inputs = 3, outputs = 3;
  static constexpr bool quadratic = true;
  MEANDER_STUDY_FUNCTION static void item(std::size_t i, std::size_t n, const float* in, float* out) {
    float force[3] = {};
    for (std::size_t k = 0; k < n; ++k) {
      float distance[3], squared = 0.01f;
      for (std::size_t a = 0; a < 3; ++a) {
        distance[a] = in[a * n + k] - in[a * n + i];
        squared += distance[a] * distance[a];
      }
      const float scale = 1.0f / (squared * sqrtf(squared));
      for (std::size_t a = 0; a < 3; ++a) force[a] += distance[a] * scale;
    }
    for (std::size_t a = 0; a < 3; ++a) out[a * n + i] = force[a];
  }
};

// Runs Kernel for all items on a CUDA stream.
template <class Kernel>
void launch_study_kernel(void* stream, std::size_t n, const float* in, float* out);

}  // namespace meander::bench
