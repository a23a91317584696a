// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "parallel/communicator.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <climits>
#include <exception>
#include <new>

#include "gpu/resource.hpp"
#include "parallel/message_tags.hpp"
#include "parallel/window.hpp"

namespace meander::parallel {

std::string mpi_reason(int code) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) return "error " + std::to_string(code);
  return {text, static_cast<std::size_t>(length)};
}

Communicator Communicator::duplicate(MPI_Comm of) {
  Communicator result;
  int size = 1;
  mpi_check(MPI_Comm_size(of, &size), "MPI_Comm_size");
  if (size == 1) return result;
  MPI_Comm copy = MPI_COMM_NULL;
  mpi_check(MPI_Comm_dup(of, &copy), "MPI_Comm_dup");
  result.shared_ = std::shared_ptr<Shared>(new Shared{copy}, [](Shared* shared) {
    int finalized = 0;
    if (MPI_Finalized(&finalized) == MPI_SUCCESS && finalized == 0) MPI_Comm_free(&shared->comm);
    delete shared;
  });
  mpi_check(MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  mpi_check(MPI_Comm_rank(copy, &result.rank_), "MPI_Comm_rank");
  result.size_ = size;
  return result;
}

Communicator Communicator::world() {
  return duplicate(MPI_COMM_WORLD);
}

Communicator Communicator::of_node() const {
  if (size_ == 1) return {};
  MPI_Comm node = MPI_COMM_NULL;
  mpi_check(MPI_Comm_split_type(get(), MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node),
            "MPI_Comm_split_type");
  Communicator result = duplicate(node);
  mpi_check(MPI_Comm_free(&node), "MPI_Comm_free");
  return result;
}

Communicator Communicator::split(int color) const {
  if (size_ == 1) return {};
  MPI_Comm part = MPI_COMM_NULL;
  mpi_check(MPI_Comm_split(get(), color, rank_, &part), "MPI_Comm_split");
  Communicator result = duplicate(part);
  mpi_check(MPI_Comm_free(&part), "MPI_Comm_free");
  return result;
}

namespace {

// A limit on the size of files, which windows are, too.
bool has_file_limit() {
  rlimit limit{};
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY;
}

// The other ranks of `near`, by the numbers that they give, ascending, if all find the windows of all; else none.
std::vector<int> find_windows(const Communicator& near, int number) {
  if (near.size() == 1) return {};
  bool finds_all = !has_file_limit();
  Window own;
  try {
    own = Window(sizeof(double));
  } catch (const std::bad_alloc&) {
    finds_all = false;
  }
  for (const Window::Handle& handle : near.all_gather(own.handle())) {
    try {
      finds_all = finds_all && !Window(handle).is_empty();
    } catch (const std::exception&) {
      finds_all = false;
    }
  }
  std::vector<int> ranks;
  if (near.any(!finds_all)) return ranks;
  for (const int rank : near.all_gather(number)) {
    if (rank != number) ranks.push_back(rank);
  }
  std::ranges::sort(ranks);
  return ranks;
}

}  // namespace

Communicator Communicator::with_windows(int group) const {
  std::vector<int> ranks;
  if (size_ > 1) ranks = find_windows(of_node().split(group), rank_);
  Communicator result = *this;
  result.windows_ = std::make_shared<const std::vector<int>>(std::move(ranks));
  return result;
}

namespace {

template <class T>
T reduced(const Communicator& communicator, T value, MPI_Datatype type, MPI_Op op) {
  if (communicator.size() == 1) return value;
  T result = value;
  mpi_check(MPI_Allreduce(&value, &result, 1, type, op, communicator.get()), "MPI_Allreduce");
  return result;
}

template <class T>
void reduce(const Communicator& communicator, std::span<T> values, MPI_Datatype type, MPI_Op op) {
  if (communicator.size() == 1) return;
  constexpr std::size_t most = INT_MAX;
  for (std::size_t begin = 0; begin < values.size(); begin += most) {
    const int count = static_cast<int>(std::min(most, values.size() - begin));
    mpi_check(MPI_Allreduce(MPI_IN_PLACE, values.data() + begin, count, type, op, communicator.get()),
              "MPI_Allreduce");
  }
}

// The number of bytes as MPI takes it.
int message_size(std::size_t bytes) {
  if (bytes > INT_MAX)
    throw Failure("a message of " + std::to_string(bytes) + " bytes is longer than MPI sends");
  return static_cast<int>(bytes);
}

}  // namespace

double Communicator::min(double value) const {
  return reduced(*this, value, MPI_DOUBLE, MPI_MIN);
}
double Communicator::max(double value) const {
  return reduced(*this, value, MPI_DOUBLE, MPI_MAX);
}
std::int64_t Communicator::min(std::int64_t value) const {
  return reduced(*this, value, MPI_INT64_T, MPI_MIN);
}
std::int64_t Communicator::max(std::int64_t value) const {
  return reduced(*this, value, MPI_INT64_T, MPI_MAX);
}
std::int64_t Communicator::sum(std::int64_t value) const {
  return reduced(*this, value, MPI_INT64_T, MPI_SUM);
}
bool Communicator::any(bool value) const {
  return max(std::int64_t{value}) != 0;
}
void Communicator::sum(std::span<std::uint64_t> values) const {
  reduce(*this, values, MPI_UINT64_T, MPI_SUM);
}
void Communicator::sum(std::span<std::int64_t> values) const {
  reduce(*this, values, MPI_INT64_T, MPI_SUM);
}
void Communicator::max(std::span<double> values) const {
  reduce(*this, values, MPI_DOUBLE, MPI_MAX);
}
void Communicator::max(std::span<std::int64_t> values) const {
  reduce(*this, values, MPI_INT64_T, MPI_MAX);
}

std::int64_t Communicator::sum_of_lower_ranks(std::int64_t value) const {
  if (size_ == 1) return 0;
  std::int64_t result = 0;
  mpi_check(MPI_Exscan(&value, &result, 1, MPI_INT64_T, MPI_SUM, get()), "MPI_Exscan");
  return rank_ == 0 ? 0 : result;
}

void Communicator::barrier() const {
  if (size_ > 1) mpi_check(MPI_Barrier(get()), "MPI_Barrier");
}

std::vector<std::byte> Communicator::all_gather_bytes(std::span<const std::byte> bytes) const {
  if (size_ == 1) return {bytes.begin(), bytes.end()};
  const auto ranks = static_cast<std::size_t>(size_);
  const int count = message_size(bytes.size());
  std::vector<int> counts(ranks), begins(ranks, 0);
  mpi_check(MPI_Allgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, get()), "MPI_Allgather");
  std::int64_t total = counts[0];
  for (std::size_t r = 1; r < ranks; ++r) {
    begins[r] = begins[r - 1] + counts[r - 1];
    total += counts[r];
  }
  if (total > INT_MAX) throw Failure("more than 2 GB in one all-gather");
  std::vector<std::byte> all(static_cast<std::size_t>(total));
  mpi_check(MPI_Allgatherv(bytes.data(), count, MPI_BYTE, all.data(), counts.data(), begins.data(), MPI_BYTE,
                           get()),
            "MPI_Allgatherv");
  return all;
}

void Communicator::all_gather_equal(std::span<const std::byte> own, std::span<std::byte> all) const {
  if (size_ == 1) return;
  const int count = static_cast<int>(own.size());
  mpi_check(MPI_Allgather(own.data(), count, MPI_BYTE, all.data(), count, MPI_BYTE, get()), "MPI_Allgather");
}

std::int64_t Communicator::broadcast_count(std::int64_t count) const {
  if (size_ > 1) mpi_check(MPI_Bcast(&count, 1, MPI_INT64_T, 0, get()), "MPI_Bcast");
  return count;
}

void Communicator::broadcast_bytes(std::span<std::byte> bytes) const {
  if (size_ == 1) return;
  constexpr std::size_t most = INT_MAX;
  for (std::size_t begin = 0; begin < bytes.size(); begin += most) {
    const int count = static_cast<int>(std::min(most, bytes.size() - begin));
    mpi_check(MPI_Bcast(bytes.data() + begin, count, MPI_BYTE, 0, get()), "MPI_Bcast");
  }
}

void Communicator::broadcast(std::string& text) const {
  text.resize(static_cast<std::size_t>(broadcast_count(static_cast<std::int64_t>(text.size()))));
  broadcast_bytes(std::as_writable_bytes(std::span(text.data(), text.size())));
}

void Communicator::agree(const std::function<void()>& body) const {
  if (size_ == 1) return body();
  std::string message;
  std::int64_t outcome = exit_done;
  try {
    body();
  } catch (const InputError& error) {
    outcome = exit_input_error;
    message = error.what();
  } catch (const gpu::OutOfMemory& error) {
    outcome = exit_failure;
    message = error.what();
  } catch (const std::bad_alloc&) {
    outcome = exit_failure;
    message = "out of memory";
  } catch (const std::exception& error) {
    outcome = exit_failure;
    message = error.what();
  }
  const std::int64_t failed = min(outcome == exit_done ? std::int64_t{size_} : std::int64_t{rank_});
  if (failed == size_) return;
  const int root = static_cast<int>(failed);
  std::int64_t head[2] = {outcome, static_cast<std::int64_t>(message.size())};
  mpi_check(MPI_Bcast(head, 2, MPI_INT64_T, root, get()), "MPI_Bcast");
  outcome = head[0];
  message.resize(static_cast<std::size_t>(head[1]));
  mpi_check(MPI_Bcast(message.data(), static_cast<int>(head[1]), MPI_BYTE, root, get()), "MPI_Bcast");
  if (outcome == exit_input_error) throw AgreedInputError(message);
  throw AgreedFailure(message);
}

namespace {

void start_send(const Parcel<std::byte>& parcel, bool synchronous, int tag, MPI_Comm comm,
                MPI_Request& request) {
  const int bytes = message_size(parcel.items.size());
  const auto send = synchronous ? MPI_Issend : MPI_Isend;
  mpi_check(send(parcel.items.data(), bytes, MPI_BYTE, parcel.rank, tag, comm, &request),
            synchronous ? "MPI_Issend" : "MPI_Isend");
}

Parcel<std::byte> receive_probed(const MPI_Status& status, int tag, MPI_Comm comm) {
  int bytes = 0;
  mpi_check(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
  if (bytes == MPI_UNDEFINED) throw Failure("a message is longer than MPI counts");
  Parcel<std::byte> parcel{status.MPI_SOURCE, std::vector<std::byte>(static_cast<std::size_t>(bytes))};
  mpi_check(MPI_Recv(parcel.items.data(), bytes, MPI_BYTE, parcel.rank, tag, comm, MPI_STATUS_IGNORE),
            "MPI_Recv");
  return parcel;
}

std::vector<Parcel<std::byte>> exchange_with_partners(MPI_Comm comm,
                                                      const std::vector<Parcel<std::byte>>& out) {
  const int tag = tag_of_symmetric_exchange;
  std::vector<MPI_Request> sends(out.size(), MPI_REQUEST_NULL);
  for (std::size_t i = 0; i < out.size(); ++i) start_send(out[i], false, tag, comm, sends[i]);
  std::vector<Parcel<std::byte>> in;
  for (const auto& partner : out) {
    MPI_Status status;
    mpi_check(MPI_Probe(partner.rank, tag, comm, &status), "MPI_Probe");
    in.push_back(receive_probed(status, tag, comm));
  }
  mpi_check(MPI_Waitall(static_cast<int>(sends.size()), sends.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  return in;
}

}  // namespace

std::vector<Parcel<std::byte>> exchange_bytes(const Communicator& communicator, Partners partners,
                                              const std::vector<Parcel<std::byte>>& out) {
  if (communicator.size() == 1) return out;
  if (communicator.transport_ != nullptr) return communicator.transport_->exchange(communicator.rank(), out);
  const MPI_Comm comm = communicator.get();
  if (partners == Partners::symmetric) return exchange_with_partners(comm, out);
  // Two successive exchanges use different tags: a rank that has left the first may send for the second while
  // another rank still receives. It cannot be two exchanges ahead, because the barrier of the second requires
  // all ranks.
  const int tag = tag_of_sparse_exchange + (communicator.shared_->exchanges++ & 1);
  std::vector<MPI_Request> sends(out.size(), MPI_REQUEST_NULL);
  for (std::size_t i = 0; i < out.size(); ++i) start_send(out[i], true, tag, comm, sends[i]);
  std::vector<Parcel<std::byte>> in;
  MPI_Request barrier = MPI_REQUEST_NULL;
  bool all_sent = false;
  for (int done = 0; done == 0;) {
    int arrived = 0;
    MPI_Status status;
    mpi_check(MPI_Iprobe(MPI_ANY_SOURCE, tag, comm, &arrived, &status), "MPI_Iprobe");
    if (arrived != 0) in.push_back(receive_probed(status, tag, comm));
    if (all_sent) {
      mpi_check(MPI_Test(&barrier, &done, MPI_STATUS_IGNORE), "MPI_Test");
      continue;
    }
    int sent = 0;
    mpi_check(MPI_Testall(static_cast<int>(sends.size()), sends.data(), &sent, MPI_STATUSES_IGNORE),
              "MPI_Testall");
    if (sent != 0) {
      mpi_check(MPI_Ibarrier(comm, &barrier), "MPI_Ibarrier");
      all_sent = true;
    }
  }
  std::sort(in.begin(), in.end(), [](const auto& a, const auto& b) { return a.rank < b.rank; });
  return in;
}

MaxReduction::MaxReduction(const Communicator& communicator, std::span<double> values)
    : is_empty_(communicator.size() == 1) {
  if (is_empty_) return;
  mpi_check(MPI_Iallreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_MAX,
                           communicator.get(), &request_),
            "MPI_Iallreduce");
  has_arrived_ = false;
}

MaxReduction::~MaxReduction() {
  if (!is_empty_) MPI_Wait(&request_, MPI_STATUS_IGNORE);
}

bool MaxReduction::poll() {
  if (has_arrived_) return true;
  int is_main = 0, done = 0;
  if (MPI_Is_thread_main(&is_main) != MPI_SUCCESS || is_main == 0) return false;
  mpi_check(MPI_Test(&request_, &done, MPI_STATUS_IGNORE), "MPI_Test");
  if (done != 0) has_arrived_ = true;
  return done != 0;
}

void MaxReduction::wait() {
  if (!is_empty_) mpi_check(MPI_Wait(&request_, MPI_STATUS_IGNORE), "MPI_Wait");
  has_arrived_ = true;
}

}  // namespace meander::parallel
