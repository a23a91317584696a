// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tasks/enclave_sweep.hpp"

#include <chrono>
#include <thread>

#include "base/trace.hpp"

namespace meander::tasks {
namespace {

using Clock = std::chrono::steady_clock;

// Leaves between two looks at the messages: a look costs about a microsecond.
constexpr std::size_t leaves_a_poll = 8;

// Ever longer, while a thread finds nothing to do: devices that are emulated need the processors too.
class Patience {
 public:
  void wait() {
    constexpr int yields = 64;
    constexpr auto nap = std::chrono::microseconds(20);
    if (++turns_ < yields) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(nap);
    }
  }
  void renew() { turns_ = 0; }

 private:
  int turns_ = 0;
};

}  // namespace

template <int D>
void EnclaveSweep<D>::begin(int stage, double t, double dt, std::span<solvers::PatchStatus> status) {
  call_ = {&solver_, mesh_.layout(), stage, t, dt};
  status_ = status;
  updates_ += static_cast<std::int64_t>(mesh_.size());
  engine_.begin(call_, [this](const EnclaveTask& task, double seconds) { done(task, seconds); });
}

template <int D>
bool EnclaveSweep<D>::is_enclave(std::size_t leaf) const {
  const auto& neighbours = mesh_.view().neighbours();
  for (int direction = 0; direction < mesh::children<D>; ++direction) {
    const auto neighbour = neighbours.of(static_cast<std::int32_t>(leaf), direction);
    if (neighbour.is_refined()) return false;
    if (neighbour.is_leaf() &&
        neighbours.cells()[static_cast<std::size_t>(neighbour.leaf())].level != mesh_.levels()[leaf])
      return false;
  }
  return true;
}

template <int D>
EnclaveTask EnclaveSweep<D>::task(std::size_t place) const {
  const auto leaf = static_cast<std::size_t>(mesh_.order()[place]);
  return {&mesh_.patches()[leaf], &status_[leaf], static_cast<std::int32_t>(place)};
}

template <int D>
void EnclaveSweep<D>::update(const EnclaveTask& task) const {
  const bool measure = mesh_.measures_cost();
  const auto start = measure ? Clock::now() : Clock::time_point();
  solver_.update({task.patch, 1}, call_.layout, call_.stage, call_.t, call_.dt, {task.status, 1});
  done(task, measure ? std::chrono::duration<double>(Clock::now() - start).count() : 0);
}

template <int D>
void EnclaveSweep<D>::done(const EnclaveTask& task, double seconds) const {
  const auto place = static_cast<std::size_t>(task.place);
  mesh_.exchange_updated(place, chunk_of(place));
  if (mesh_.measures_cost()) mesh_.add_cost(static_cast<std::size_t>(mesh_.order()[place]), seconds);
}

template <int D>
void EnclaveSweep<D>::traverse(double left) {
  const std::size_t border = mesh_.border();
  const bool poll = mesh_.has_messages();
  team_.for_chunks(mesh_.size() - border, [&](int, std::size_t begin, std::size_t end) {
    const trace::Scope scope("traverse", static_cast<std::int64_t>(end - begin));
    for (std::size_t i = begin; i < end; ++i) {
      const EnclaveTask next = task(border + i);
      if (is_enclave(static_cast<std::size_t>(mesh_.order()[border + i]))) {
        pool_.put(next);
        engine_.offload(pool_);
        continue;
      }
      update(next);
      engine_.complete();
      if (poll && (i - begin) % leaves_a_poll == leaves_a_poll - 1) mesh_.poll();
    }
  });
  const auto remain = static_cast<std::size_t>(left * static_cast<double>(pool_.size()));
  team_.run(team_.size(), [&](int) {
    const trace::Scope scope("enclaves");
    for (std::size_t n = 1; pool_.size() > remain; ++n) {
      if (engine_.complete()) engine_.offload(pool_);
      if (const auto next = pool_.take()) update(*next);
      if (poll && n % leaves_a_poll == 0) mesh_.poll();
    }
  });
}

template <int D>
void EnclaveSweep<D>::finish() {
  const bool poll = mesh_.has_messages();
  team_.run(team_.size(), [&](int) {
    const trace::Scope scope("enclaves");
    Patience patience;
    for (std::size_t n = 1;; ++n) {
      if (poll && n % leaves_a_poll == 0) mesh_.poll();
      // Who takes a batch from the pool counts as in flight before, and puts back before he does no more.
      const bool alone = engine_.in_flight() == 0;
      if (engine_.complete() || engine_.offload(pool_)) {
        patience.renew();
      } else if (const auto next = pool_.take()) {
        update(*next);
        patience.renew();
      } else if (alone) {
        return;
      } else {
        patience.wait();
      }
    }
  });
  engine_.tend();
}

template class EnclaveSweep<2>;
template class EnclaveSweep<3>;

}  // namespace meander::tasks
