// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tasks/enclave_sweep.hpp"

#include <atomic>
#include <chrono>
#include <optional>
#include <thread>

#include "base/trace.hpp"

namespace meander::tasks {
namespace {

// A look at the messages costs about a microsecond.
class Looks {
 public:
  bool due() {
    constexpr std::int64_t nanoseconds = 10'000;
    const std::int64_t now = steady_nanoseconds();
    if (now - last_ < nanoseconds) return false;
    last_ = now;
    return true;
  }

 private:
  std::int64_t last_ = 0;
};

// In traces: what a thread does that works off the pool, or waits because there is nothing in it for it.
class Doing {
 public:
  void work() {
    waiting_.reset();
    if (!working_) working_.emplace("enclaves");
  }
  void wait() {
    working_.reset();
    if (!waiting_) waiting_.emplace("wait for batches");
  }

 private:
  std::optional<trace::Scope> working_, waiting_;
};

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
  call_ = {&solver_, mesh_.layout(), stage, t, dt, mesh_.place().space};
  status_ = status;
  updates_ += static_cast<std::int64_t>(mesh_.size());
  split_.begin(mesh_.size() - mesh_.border());
  under_way_before_ = engine_.batches().time(1).under_way;
  engine_.begin(
      call_,
      [this](const EnclaveTask& task, double seconds) {
        split_.landed(seconds);
        done(task, seconds);
      },
      &messages_);
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
bool EnclaveSweep<D>::offload() {
  if (pool_.size() == 0 || !split_.reserve_batch()) return false;
  if (engine_.offload(pool_)) return true;
  split_.not_taken();
  return false;
}

template <int D>
void EnclaveSweep<D>::update(const EnclaveTask& task) {
  Hiding hiding(messages_, &engine_.batches());
  solver_.update({task.patch, 1}, call_.layout, call_.stage, call_.t, call_.dt, {task.status, 1});
  const double seconds = hiding.end();
  split_.updated(seconds);
  done(task, seconds);
}

// False if there is none, or none for threads unless for `whoever` is there.
template <int D>
bool EnclaveSweep<D>::update_next(bool whoever) {
  const std::size_t waiting = pool_.size();
  if (waiting == 0) return false;
  const auto batch = static_cast<std::size_t>(engine_.options().batch);
  if (!split_.reserve_patch(waiting, batch * static_cast<std::size_t>(engine_.in_flight()))) {
    if (!whoever && waiting >= batch) return false;
    split_.force();
  }
  const auto next = pool_.take();
  if (next) update(*next);
  return next.has_value();
}

template <int D>
void EnclaveSweep<D>::done(const EnclaveTask& task, double seconds) const {
  const auto place = static_cast<std::size_t>(task.place);
  mesh_.exchange_updated(place, update_order(place));
  if (mesh_.measures_cost()) mesh_.add_cost(static_cast<std::size_t>(mesh_.order()[place]), seconds);
}

template <int D>
void EnclaveSweep<D>::traverse() {
  const std::size_t border = mesh_.border();
  const bool poll = mesh_.has_messages();
  team_.for_chunks(mesh_.size() - border, [&](int, std::size_t begin, std::size_t end) {
    const trace::Scope scope("traversal", static_cast<std::int64_t>(end - begin));
    Looks looks;
    for (std::size_t i = begin; i < end; ++i) {
      const EnclaveTask next = task(border + i);
      if (is_enclave(static_cast<std::size_t>(mesh_.order()[border + i]))) {
        pool_.put(next);
        split_.put();
        offload();
        continue;
      }
      update(next);
      engine_.complete();
      if (poll && looks.due() && mesh_.poll()) messages_.end();
    }
  });
}

template <int D>
void EnclaveSweep<D>::work_while_messages_travel() {
  std::atomic<bool> arrived = mesh_.poll();
  if (!arrived) {
    team_.run(team_.size(), [&](int) {
      Doing doing;
      Looks looks;
      Patience patience;
      while (!arrived) {
        if (looks.due() && mesh_.poll()) arrived = true;
        const bool alone = engine_.in_flight() == 0;
        if (engine_.complete() || offload() || update_next(alone)) {
          doing.work();
          patience.renew();
        } else if (alone) {
          return;
        } else {
          doing.wait();
          patience.wait();
        }
      }
    });
  }
  if (arrived) messages_.end();
}

template <int D>
void EnclaveSweep<D>::finish() {
  const bool poll = mesh_.has_messages();
  team_.run(team_.size(), [&](int) {
    Doing doing;
    Looks looks;
    Patience patience;
    for (;;) {
      if (poll && looks.due() && mesh_.poll()) messages_.end();
      // Who takes a batch from the pool counts as in flight before, and puts back before he does no more.
      const bool alone = engine_.in_flight() == 0;
      if (engine_.complete() || offload() || update_next(alone)) {
        doing.work();
        patience.renew();
      } else if (alone) {
        return;
      } else {
        doing.wait();
        patience.wait();
      }
    }
  });
  enclaves_ += static_cast<std::int64_t>(split_.enclaves());
  split_.end(engine_.batches().time(1).under_way - under_way_before_);
  engine_.tend();
}

template class EnclaveSweep<2>;
template class EnclaveSweep<3>;

}  // namespace meander::tasks
