// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tasks/enclave_sweep.hpp"

#include <atomic>
#include <chrono>
#include <optional>
#include <thread>

#include "base/process.hpp"
#include "base/trace.hpp"
#include "tasks/poll_interval.hpp"

namespace meander::tasks {
namespace {

// A thread at the pool: shows in traces whether it works or waits. The waits grow, since emulated devices
// need the processors too.
class PoolWorker {
 public:
  // Returns after a wait if there was nothing to do; false if all is done.
  bool goes_on(PoolProgress progress) {
    if (progress == PoolProgress::all_done) return false;
    if (progress == PoolProgress::worked) {
      turns_ = 0;
      waiting_.reset();
      if (!working_) working_.emplace("enclaves");
    } else {
      working_.reset();
      if (!waiting_) waiting_.emplace("wait for batches");
      wait();
    }
    return true;
  }

 private:
  void wait() {
    constexpr int yields = 64;
    constexpr auto nap = std::chrono::microseconds(20);
    if (++turns_ < yields) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(nap);
    }
  }

  std::optional<trace::Scope> working_, waiting_;
  int turns_ = 0;
};

}  // namespace

template <int D>
void EnclaveSweep<D>::begin(const SweepCall& call) {
  call_ = {&context_.solver, mesh_.layout(), call.stage, call.t, call.dt, mesh_.place().space};
  status_ = call.status;
  is_traversed_ = false;
  updates_ += static_cast<std::int64_t>(mesh_.size());
  split_.begin(mesh_.size() - exchange_.border());
  batch_seconds_before_ = engine_.batch_overlap().time(1).under_way;
  engine_.begin(
      call_,
      [this](const offload::EnclaveTask& task, double seconds) {
        split_.returned(seconds);
        after_update(task, seconds);
      },
      &context_.messages);
}

template <int D>
void EnclaveSweep<D>::during_flux_exchange() {
  traverse();
  if (exchange_.has_flux_messages()) work_while_fluxes_travel();
}

template <int D>
void EnclaveSweep<D>::finish() {
  if (!is_traversed_) traverse();
  const bool polls = exchange_.has_messages();
  context_.team.run(context_.team.size(), [&](int) {
    PollInterval interval;
    PoolWorker worker;
    do {
      if (polls && interval.is_over() && exchange_.poll()) context_.messages.end();
    } while (worker.goes_on(work()));
  });
  enclaves_ += static_cast<std::int64_t>(split_.enclaves());
  split_.end(engine_.batch_overlap().time(1).under_way - batch_seconds_before_);
  engine_.tend();
}

// Traverses the interior: skeletons are updated, enclaves go to the pool.
template <int D>
void EnclaveSweep<D>::traverse() {
  is_traversed_ = true;
  const std::size_t border = exchange_.border();
  const bool polls = exchange_.has_messages();
  context_.team.for_chunks(mesh_.size() - border, [&](int, std::size_t begin, std::size_t end) {
    const trace::Scope scope("traversal", static_cast<std::int64_t>(end - begin));
    PollInterval interval;
    for (std::size_t index = border + begin; index < border + end; ++index) {
      const offload::EnclaveTask next = task(index);
      if (is_enclave(static_cast<std::size_t>(exchange_.order()[index]))) {
        pool_.put(next);
        split_.put();
        offload();
        continue;
      }
      update(next);
      engine_.complete();
      if (polls && interval.is_over() && exchange_.poll()) context_.messages.end();
    }
  });
}

// Works off enclaves until a thread notices that the fluxes of the other ranks have arrived.
template <int D>
void EnclaveSweep<D>::work_while_fluxes_travel() {
  std::atomic<bool> arrived = exchange_.poll();
  if (!arrived) {
    context_.team.run(context_.team.size(), [&](int) {
      PollInterval interval;
      PoolWorker worker;
      while (!arrived) {
        if (interval.is_over() && exchange_.poll()) arrived = true;
        if (!worker.goes_on(work())) return;
      }
    });
  }
  if (arrived) context_.messages.end();
}

// One piece of work of a thread: writes back a batch, offloads one, or updates an enclave.
template <int D>
PoolProgress EnclaveSweep<D>::work() {
  // in_flight() is raised before tasks leave the pool and lowered only after any put_back(): if it is 0 here
  // and the pool is found empty afterwards, no task is left.
  const bool none_in_flight = engine_.in_flight() == 0;
  if (engine_.complete() || offload() || update_next(none_in_flight ? Take::any : Take::share))
    return PoolProgress::worked;
  return none_in_flight ? PoolProgress::all_done : PoolProgress::waiting;
}

template <int D>
bool EnclaveSweep<D>::offload() {
  const std::size_t reserved = pool_.size() == 0 ? 0 : split_.reserve_batch();
  if (reserved == 0) return false;
  const std::size_t tasks = engine_.offload(pool_);
  split_.sent(reserved, tasks);
  return tasks > 0;
}

// False if the pool is empty, or if all its tasks are reserved for devices.
template <int D>
bool EnclaveSweep<D>::update_next(Take take) {
  const std::size_t waiting = pool_.size();
  if (waiting == 0) return false;
  const auto batch = static_cast<std::size_t>(engine_.options().batch);
  if (!split_.reserve_patch(waiting, batch * static_cast<std::size_t>(engine_.in_flight()))) {
    if (take == Take::share && waiting >= batch) return false;
    split_.force();
  }
  const auto next = pool_.take();
  if (next) update(*next);
  return next.has_value();
}

template <int D>
void EnclaveSweep<D>::update(const offload::EnclaveTask& task) {
  const double start = mesh_.measures_cost() ? thread_processor_seconds() : 0;
  OverlapScope overlap(&context_.messages, &engine_.batch_overlap());
  // Enclaves, which may be in batches on devices, have no coarser neighbours.
  exchange_.halos().finish_deferred(
      static_cast<std::size_t>(exchange_.order()[static_cast<std::size_t>(task.order_index)]));
  context_.solver.update({task.patch, 1}, call_.layout, call_.stage, call_.t, call_.dt, {task.status, 1});
  split_.updated(overlap.end());
  after_update(task, mesh_.measures_cost() ? thread_processor_seconds() - start : 0);
}

template <int D>
void EnclaveSweep<D>::after_update(const offload::EnclaveTask& task, double seconds) const {
  const auto index = static_cast<std::size_t>(task.order_index);
  const auto leaf = static_cast<std::size_t>(exchange_.order()[index]);
  context_.observe_updated(leaf, call_.stage);
  exchange_.exchange_updated(index, update_order(index, {}, {}));
  if (mesh_.measures_cost()) mesh_.add_cost(leaf, seconds / context_.team.size());
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
offload::EnclaveTask EnclaveSweep<D>::task(std::size_t index) const {
  const auto leaf = static_cast<std::size_t>(exchange_.order()[index]);
  return {&mesh_.patches()[leaf], &status_[leaf], static_cast<std::int32_t>(index)};
}

template class EnclaveSweep<2>;
template class EnclaveSweep<3>;

}  // namespace meander::tasks
