// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/openmp_device.hpp"

#ifdef MEANDER_OPENMP
#include <dlfcn.h>
#include <fmt/format.h>
#include <omp.h>
#include <unistd.h>

#include <mutex>
#include <unordered_map>

#include "base/log.hpp"
#include "gpu/threaded_device.hpp"

namespace meander::gpu {

namespace {

// OpenMP 5 has no query for the memory size. The plugin of the runtime for NVIDIA GPUs has loaded the CUDA
// driver, which numbers devices in the same order. Without that driver the limit is unknown.
std::size_t memory_of_gpu(int number) {
  std::size_t bytes = std::size_t{1} << 48;
  void* const driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (driver == nullptr) return bytes;
  using Get = int (*)(int*, int);
  using TotalMemory = int (*)(std::size_t*, int);
  const auto get = reinterpret_cast<Get>(dlsym(driver, "cuDeviceGet"));
  const auto total = reinterpret_cast<TotalMemory>(dlsym(driver, "cuDeviceTotalMem_v2"));
  int device = 0;
  std::size_t found = 0;
  if (get != nullptr && total != nullptr && get(&device, number) == 0 && total(&found, device) == 0)
    bytes = found;
  dlclose(driver);
  return bytes;
}

std::size_t memory_of_host() {
  return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

class OpenMpExecution final : public Execution {
 public:
  explicit OpenMpExecution(int number) : number_(number) {}
  bool on_host() const noexcept override { return false; }
  void* native_queue() const noexcept override { return nullptr; }
  int openmp_device() const noexcept override { return number_; }

 protected:
  void* translate(void* pointer, std::size_t) const override { return pointer; }

 private:
  int number_;
};

class OpenMpDevice final : public ThreadedDevice {
 public:
  // `number`: an OpenMP device number, including that of the initial device.
  explicit OpenMpDevice(int number) : number_(number), host_(omp_get_initial_device()) {
    const bool on_host = number == host_;
    properties_.kind = "openmp";
    properties_.name = on_host ? "openmp: host fallback" : fmt::format("openmp:{}", number);
    properties_.number = on_host ? 0 : number;
    properties_.memory = on_host ? memory_of_host() : memory_of_gpu(number);
    properties_.reads_pinned = on_host;
  }
  ~OpenMpDevice() override {
    stop_queues();
    for (const auto& [pointer, block] : blocks_) omp_target_free(block.base, block.number);
  }

  void* allocate(Space space, std::size_t bytes) override {
    begin_call();
    if (space == Space::host || !properties_.supports(space))
      fail(fmt::format("the device has no {} memory", gpu::name(space)));
    if (bytes == 0) return nullptr;
    // The runtime has no pinned memory; memory of the initial device replaces it.
    const int number = space == Space::device ? number_ : host_;
    reserve(space, bytes);
    // The runtime aligns allocations on GPUs to 256 bytes, but not those of the initial device.
    const std::size_t spare = number == host_ ? alignment : 0;
    void* const base = omp_target_alloc(bytes + spare, number);
    if (base == nullptr) {
      in_use_.fetch_sub(bytes);
      throw out_of_memory(space, bytes);
    }
    const auto address = reinterpret_cast<std::size_t>(base);
    void* const pointer = static_cast<char*>(base) + (spare > 0 ? alignment - address % alignment : 0);
    const std::lock_guard lock(mutex_);
    blocks_[pointer] = {base, number, bytes, space};
    return pointer;
  }

  void deallocate(Space space, void* pointer) noexcept override {
    if (pointer == nullptr) return;
    Block block;
    {
      const std::lock_guard lock(mutex_);
      const auto found = blocks_.find(pointer);
      if (found != blocks_.end() && found->second.space == space) {
        block = found->second;
        blocks_.erase(found);
      }
    }
    if (block.base == nullptr) {
      log::error(fmt::format("{}: free of {}, which is not a block of {} memory of the device",
                             properties_.name, pointer, gpu::name(space)));
      return;
    }
    omp_target_free(block.base, block.number);
    in_use_.fetch_sub(block.bytes);
  }

  void* allocate_ordered(Queue, std::size_t) override { fail("no stream-ordered memory pool"); }
  void deallocate_ordered(Queue, void*) noexcept override {}
  std::size_t available() noexcept override { return properties_.memory - in_use_.load(); }

  void copy(Queue queue, Copy direction, void* to, const void* from, std::size_t bytes) override {
    if (bytes == 0) return;
    const int target = direction == Copy::out ? host_ : number_;
    const int source = direction == Copy::in ? host_ : number_;
    constexpr const char* names[] = {"copy in", "copy out", "copy"};
    const char* const name = names[static_cast<int>(direction)];
    submit(queue, name, [=, this] {
      if (omp_target_memcpy(to, from, bytes, 0, 0, target, source) != 0)
        fail(fmt::format("{} of {} bytes failed", name, bytes));
    });
  }

  // The thread of the queue enters the target region and waits for its end. Asynchronous target tasks would
  // not do: OpenMP orders dependent tasks only if they are siblings, which tasks of different threads are
  // not.
  void launch(Queue queue, const char* name, Work work) override {
    submit(queue, name, [this, work = std::move(work)] { work(OpenMpExecution(number_)); });
  }

  void prefetch(Queue, void*, std::size_t, Side) override {}

 private:
  static constexpr std::size_t alignment = 256;
  struct Block {
    void* base = nullptr;  // address from the runtime
    int number = 0;
    std::size_t bytes = 0;
    Space space = Space::device;
  };

  OutOfMemory out_of_memory(Space space, std::size_t bytes) const {
    return {bytes, in_use_.load(), {space, properties_.number}, 0, properties_.memory};
  }

  // Checks the size of the memory, because a host overcommits and later kills the process.
  void reserve(Space space, std::size_t bytes) {
    std::size_t used = in_use_.load();
    do {
      if (bytes > properties_.memory - used) throw out_of_memory(space, bytes);
    } while (!in_use_.compare_exchange_weak(used, used + bytes));
  }

  const int number_, host_;
  std::mutex mutex_;
  std::unordered_map<void*, Block> blocks_;
  std::atomic<std::size_t> in_use_{0};
};

}  // namespace

std::string why_no_openmp() {
  return "";
}

std::vector<std::unique_ptr<Device>> make_openmp_devices() {
  std::vector<std::unique_ptr<Device>> devices;
  for (int number = 0; number < omp_get_num_devices(); ++number)
    devices.push_back(std::make_unique<OpenMpDevice>(number));
  if (devices.empty()) devices.push_back(std::make_unique<OpenMpDevice>(omp_get_initial_device()));
  return devices;
}

}  // namespace meander::gpu
#endif
