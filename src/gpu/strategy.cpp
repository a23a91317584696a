// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/strategy.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gpu/device_resources.hpp"

namespace meander::gpu {

namespace {

CacheTraits for_windows(const CacheTraits& traits) {
  CacheTraits result;
  result.alignment = traits.alignment;
  result.trim_after = traits.trim_after;
  return result;
}

constexpr std::size_t raw_alignment = 256;  // of allocations from devices and from the host

// Separate memory on both sides, with copies between them.
class CopyingStrategy final : public Strategy {
 public:
  CopyingStrategy(std::string name, Device& device, std::unique_ptr<Resource> memory, MemoryCache* cache,
                  std::unique_ptr<MemoryCache> windows, std::size_t alignment)
      : name_(std::move(name)),
        device_(device),
        memory_(std::move(memory)),
        cache_(cache),
        alignment_(cache != nullptr ? alignment : raw_alignment),
        window_alignment_(windows ? alignment : raw_alignment),
        window_cache_(std::move(windows)),
        windows_(window_cache_ ? static_cast<Resource&>(*window_cache_) : host_memory()) {}

  const std::string& name() const noexcept override { return name_; }
  bool shares_memory() const noexcept override { return false; }
  Resource& memory() noexcept override { return *memory_; }

  Buffer acquire(Queue queue, std::size_t bytes, HostWindow window) override {
    Buffer buffer{memory_->allocate(queue, bytes, alignment_), nullptr, bytes};
    if (window == HostWindow::none || bytes == 0) return buffer;
    try {
      // Synchronous, because the host writes to the window immediately.
      buffer.host = windows_.allocate_sync(bytes, window_alignment_);
    } catch (...) {
      memory_->deallocate(queue, buffer.device, bytes, alignment_);
      throw;
    }
    return buffer;
  }

  void release(Queue queue, const Buffer& buffer) noexcept override {
    windows_.deallocate(queue, buffer.host, buffer.bytes, window_alignment_);
    memory_->deallocate(queue, buffer.device, buffer.bytes, alignment_);
  }

  void send(Queue queue, const Buffer& buffer, std::size_t offset, std::size_t bytes) override {
    device_.copy(queue, Copy::in, static_cast<char*>(buffer.device) + offset,
                 static_cast<const char*>(buffer.host) + offset, bytes);
  }

  void fetch(Queue queue, const Buffer& buffer, std::size_t offset, std::size_t bytes) override {
    device_.copy(queue, Copy::out, static_cast<char*>(buffer.host) + offset,
                 static_cast<const char*>(buffer.device) + offset, bytes);
  }

  Stats stats() const noexcept override {
    Stats all = memory_->stats();
    if (window_cache_) all += window_cache_->stats();
    return all;
  }
  std::size_t maintain() override {
    return (cache_ != nullptr ? cache_->maintain() : memory_->trim()) +
           (window_cache_ ? window_cache_->maintain() : 0);
  }
  std::size_t trim() override { return memory_->trim() + (window_cache_ ? window_cache_->trim() : 0); }

 private:
  const std::string name_;
  Device& device_;
  const std::unique_ptr<Resource> memory_;
  MemoryCache* const cache_;  // memory_, if it is one
  const std::size_t alignment_, window_alignment_;
  const std::unique_ptr<MemoryCache> window_cache_;
  Resource& windows_;
};

// One memory that both sides access.
class SharingStrategy final : public Strategy {
 public:
  enum class Prefetch : std::uint8_t { no, yes };
  SharingStrategy(std::string name, Device& device, Space space, Prefetch prefetch, const CacheTraits& traits)
      : name_(std::move(name)),
        device_(device),
        managed_(space == Space::managed),
        prefetch_(prefetch == Prefetch::yes),
        emulated_(device.properties().kind == "host"),
        alignment_(traits.alignment),
        cache_(device, space, traits) {}

  const std::string& name() const noexcept override { return name_; }
  bool shares_memory() const noexcept override { return true; }
  Resource& memory() noexcept override { return cache_; }

  Buffer acquire(Queue, std::size_t bytes, HostWindow) override {
    void* pointer = cache_.allocate_sync(bytes, alignment_);
    return {pointer, pointer, bytes};
  }
  void release(Queue queue, const Buffer& buffer) noexcept override {
    cache_.deallocate(queue, buffer.device, buffer.bytes, alignment_);
  }

  void send(Queue queue, const Buffer& buffer, std::size_t offset, std::size_t bytes) override {
    void* part = static_cast<char*>(buffer.device) + offset;
    if (managed_) device_.host_touched(part, bytes);
    if (prefetch_) device_.prefetch(queue, part, bytes, Side::device);
  }

  void fetch(Queue queue, const Buffer& buffer, std::size_t offset, std::size_t bytes) override {
    void* part = static_cast<char*>(buffer.device) + offset;
    if (prefetch_) {
      device_.prefetch(queue, part, bytes, Side::host);
    } else if (managed_ && emulated_) {
      device_.call_host(queue, [this, part, bytes] { device_.host_touched(part, bytes); });
    }
  }

  Stats stats() const noexcept override { return cache_.stats(); }
  std::size_t maintain() override { return cache_.maintain(); }
  std::size_t trim() override { return cache_.trim(); }

 private:
  const std::string name_;
  Device& device_;
  const bool managed_, prefetch_, emulated_;
  const std::size_t alignment_;
  MemoryCache cache_;
};

bool exists_on(const std::string& name, const DeviceProperties& device) {
  if (name.starts_with("unified")) return device.managed;
  if (name == "zero-copy") return device.reads_pinned;
  return name != "cuda-async" || device.ordered;
}

}  // namespace

const std::vector<std::string>& strategy_names() {
  static const std::vector<std::string> names{"map",       "pooled",    "unified", "unified-prefetch",
                                              "zero-copy", "cuda-async"};
  return names;
}

std::unique_ptr<Strategy> make_strategy(const std::string& name, Device& device, const CacheTraits& traits) {
  const DeviceProperties& properties = device.properties();
  const auto& names = strategy_names();
  if (std::find(names.begin(), names.end(), name) == names.end() || !exists_on(name, properties)) {
    std::string available;
    for (const std::string& other : names) {
      if (exists_on(other, properties))
        available += fmt::format("{}\"{}\"", available.empty() ? "" : ", ", other);
    }
    throw InputError(fmt::format("memory strategy \"{}\" does not exist on {}; available: {}", name,
                                 properties.name, available));
  }
  if (name == "unified")
    return std::make_unique<SharingStrategy>(name, device, Space::managed, SharingStrategy::Prefetch::no,
                                             traits);
  if (name == "unified-prefetch")
    return std::make_unique<SharingStrategy>(name, device, Space::managed, SharingStrategy::Prefetch::yes,
                                             traits);
  if (name == "zero-copy")
    return std::make_unique<SharingStrategy>(name, device, Space::pinned, SharingStrategy::Prefetch::no,
                                             traits);
  if (name == "map") {
    return std::make_unique<CopyingStrategy>(name, device,
                                             std::make_unique<DirectMemory>(device, Space::device), nullptr,
                                             nullptr, traits.alignment);
  }
  auto windows = std::make_unique<MemoryCache>(device, Space::pinned, for_windows(traits));
  if (name == "cuda-async") {
    return std::make_unique<CopyingStrategy>(name, device, std::make_unique<OrderedMemory>(device), nullptr,
                                             std::move(windows), traits.alignment);
  }
  auto cache = std::make_unique<MemoryCache>(device, Space::device, traits);
  MemoryCache* pooled = cache.get();
  return std::make_unique<CopyingStrategy>(name, device, std::move(cache), pooled, std::move(windows),
                                           traits.alignment);
}

}  // namespace meander::gpu
