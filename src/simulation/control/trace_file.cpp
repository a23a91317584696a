// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/control/trace_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "base/log.hpp"

namespace meander::simulation {
namespace {

constexpr std::size_t piece = std::size_t{1} << 24;  // bytes of a message

}  // namespace

TraceFile::TraceFile(const std::string& path, const parallel::Communicator& communicator)
    : path_(path), communicator_(communicator) {
  if (path_.empty()) return;
  communicator_.agree([&] {
    if (!communicator_.is_root()) return;
    try {
      writer_.emplace(path_);
    } catch (const Failure& failure) {
      throw InputError(fmt::format("meander: --trace: {}", failure.what()));
    }
  });
  // The ranks of a node share a clock; the clocks of different nodes are aligned by a barrier.
  const parallel::Communicator node = communicator_.of_node();
  communicator_.barrier();
  origin_ = trace::now();
  node.broadcast(origin_);
  trace::name_thread("thread 0 (main)");
  trace::start();
}

TraceFile::~TraceFile() {
  trace::stop();
}

void TraceFile::finish() {
  if (path_.empty()) return;
  trace::stop();
  const std::string own =
      trace::events(communicator_.rank(),
                    fmt::format("rank {} of {}", communicator_.rank(), communicator_.size()), origin_);
  const std::int64_t dropped = communicator_.sum(static_cast<std::int64_t>(trace::dropped()));
  trace::clear();
  for (int rank = 0; rank < communicator_.size(); ++rank) add_events_of(rank, own);
  const std::string note = dropped == 0 ? ""
                                        : fmt::format("{} events are missing: a row keeps its first {}",
                                                      dropped, trace::default_events_a_row);
  communicator_.agree([&] {
    if (!communicator_.is_root()) return;
    writer_->finish(note);
    log::info(fmt::format("trace: {} (ui.perfetto.dev, or scripts/plot-trace {})", path_, path_));
    if (dropped > 0) log::warning(fmt::format("trace: {}; time.max-steps shortens a run", note));
  });
}

void TraceFile::add_events_of(int rank, const std::string& own) {
  const bool mine = rank == communicator_.rank();
  const auto size =
      static_cast<std::size_t>(communicator_.max(static_cast<std::int64_t>(mine ? own.size() : 0)));
  for (std::size_t begin = 0; begin < size; begin += piece) {
    std::vector<parallel::Parcel<char>> out, in;
    if (mine)
      out.push_back({0,
                     {own.begin() + static_cast<std::ptrdiff_t>(begin),
                      own.begin() + static_cast<std::ptrdiff_t>(std::min(size, begin + piece))}});
    in = parallel::exchange_sparsely(communicator_, out);
    communicator_.agree([&] {
      for (const auto& parcel : in) writer_->add({parcel.items.data(), parcel.items.size()});
    });
  }
}

}  // namespace meander::simulation
