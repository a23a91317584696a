// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "study.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "gpu/strategy.hpp"
#include "study_kernels.hpp"

namespace meander::bench {

namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

enum class Mode { allocate_always, allocate_once, once_and_touched };
constexpr const char* mode_names[] = {"allocate-always", "allocate-once", "once-and-touched"};

template <class Kernel>
class Experiment {
 public:
  Experiment(gpu::Device& device, gpu::Strategy& strategy, std::size_t n)
      : device_(device),
        strategy_(strategy),
        queue_(device.create_queue()),
        n_(n),
        source_(n * Kernel::inputs) {
    for (std::size_t i = 0; i < source_.size(); ++i)
      source_[i] = static_cast<float>(i * 7919 % 10007) / 10007.0f;
  }
  ~Experiment() { device_.destroy_queue(queue_); }

  StudyRow run(Mode mode, int iterations) {
    std::vector<double> kernel, total;
    gpu::Buffer buffer;
    if (mode != Mode::allocate_always) {
      buffer = strategy_.acquire(queue_, bytes());
      fill(buffer);
    }
    for (int i = 0; i < iterations; ++i) {
      const auto begin = Clock::now();
      if (mode == Mode::allocate_always) buffer = strategy_.acquire(queue_, bytes());
      if (mode != Mode::allocate_once) fill(buffer);
      device_.synchronize(queue_);
      const auto launched = Clock::now();
      launch(buffer);
      device_.synchronize(queue_);
      kernel.push_back(milliseconds_since(launched));
      if (mode != Mode::allocate_once || i + 1 == iterations) read(buffer);
      if (mode == Mode::allocate_always) {
        strategy_.release(queue_, buffer);
        strategy_.trim();
      }
      total.push_back(milliseconds_since(begin));
    }
    if (mode != Mode::allocate_always) strategy_.release(queue_, buffer);
    return {Kernel::name,   strategy_.name(), mode_names[static_cast<int>(mode)],
            median(kernel), median(total),    {}};
  }

  const std::vector<float>& result() const { return result_; }

 private:
  std::size_t input_bytes() const { return source_.size() * sizeof(float); }
  std::size_t output_bytes() const { return n_ * Kernel::outputs * sizeof(float); }
  std::size_t bytes() const { return input_bytes() + output_bytes(); }

  void fill(const gpu::Buffer& buffer) {
    if (Kernel::inputs == 0) return;
    std::memcpy(buffer.host, source_.data(), input_bytes());
    strategy_.send(queue_, buffer, 0, input_bytes());
  }

  void launch(const gpu::Buffer& buffer) {
    auto* in = static_cast<float*>(buffer.device);
    float* out = in + source_.size();
    const std::size_t n = n_, in_count = source_.size();
    device_.launch(queue_, Kernel::name, [=](const gpu::Execution& execution) {
      const float* from = in_count > 0 ? execution.address(in, in_count) : nullptr;
      float* to = execution.address(out, n * Kernel::outputs);
      if (execution.on_host()) {
        for (std::size_t i = 0; i < n; ++i) Kernel::item(i, n, from, to);
      } else {
#ifdef MEANDER_CUDA
        launch_study_kernel<Kernel>(execution.native_queue(), n, from, to);
#endif
      }
    });
  }

  void read(const gpu::Buffer& buffer) {
    strategy_.fetch(queue_, buffer, input_bytes(), output_bytes());
    device_.synchronize(queue_);
    result_.resize(n_ * Kernel::outputs);
    std::memcpy(result_.data(), static_cast<const char*>(buffer.host) + input_bytes(), output_bytes());
  }

  gpu::Device& device_;
  gpu::Strategy& strategy_;
  const gpu::Queue queue_;
  const std::size_t n_;
  std::vector<float> source_, result_;
};

template <class Kernel>
void add_rows(gpu::Device& device, const StudyLoad& load, PageCounters* counters,
              std::vector<StudyRow>& rows) {
  std::vector<float> expected;
  for (const char* name : {"pooled", "zero-copy", "unified", "unified-prefetch"}) {
    if (std::string(name).starts_with("unified") && !device.properties().managed) continue;
    const auto strategy = gpu::make_strategy(name, device);
    for (const Mode mode : {Mode::allocate_always, Mode::allocate_once, Mode::once_and_touched}) {
      Experiment<Kernel> experiment(device, *strategy, Kernel::quadratic ? load.quadratic_items : load.items);
      if (counters != nullptr) counters->take();
      rows.push_back(experiment.run(mode, load.iterations));
      if (counters != nullptr) rows.back().pages = counters->take();
      if (expected.empty()) expected = experiment.result();
      const auto& result = experiment.result();
      if (std::memcmp(result.data(), expected.data(), expected.size() * sizeof(float)) != 0)
        throw Failure(std::string(Kernel::name) + " with " + name +
                      " memory gives different results than pooled");
    }
  }
}

}  // namespace

std::vector<StudyRow> study(gpu::Device& device, const StudyLoad& load, PageCounters* counters) {
  std::vector<StudyRow> rows;
  add_rows<Saxpy>(device, load, counters, rows);
  add_rows<WriteConstant>(device, load, counters, rows);
  add_rows<BlackAndWhite>(device, load, counters, rows);
  add_rows<Hilbert>(device, load, counters, rows);
  add_rows<MonteCarlo>(device, load, counters, rows);
  add_rows<BlackScholes>(device, load, counters, rows);
  add_rows<Dft>(device, load, counters, rows);
  add_rows<NBody>(device, load, counters, rows);
  return rows;
}

}  // namespace meander::bench
