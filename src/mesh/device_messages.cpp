// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/device_messages.hpp"

#include "base/assert.hpp"

namespace meander::mesh {

void DeviceMessages::rebuild(parallel::NeighbourMessages& messages) {
  messages_in_place_ = {};
  messages_ = &messages;
  received_.resize(in_.queue, messages.received_bytes() / sizeof(double));
  sent_.resize(out_.queue, messages.sent_bytes() / sizeof(double));
  if (!in_place() || messages.is_empty()) return;
  const auto address = [](gpu::Device& device, const gpu::DeviceArray<double>& of) {
    void* const found =
        of.size() > 0 ? device.address_for_messages(of.data(), of.size() * sizeof(double)) : nullptr;
    MEANDER_ASSERT(found != nullptr || of.size() == 0);
    return static_cast<double*>(found);
  };
  messages_in_place_ = messages.with_buffers(address(out_.device, sent_), address(in_.device, received_));
  messages_ = &messages_in_place_;
}

void DeviceMessages::expect() {
  if (is_empty()) return;
  if (in_place()) {
    read_ = in_.device.record(in_.queue);
  } else {
    in_.wait(read_);
    messages_->start_receives();
  }
}

void DeviceMessages::copy_out() {
  if (is_empty()) return;
  if (!in_place()) out_.copy_out(messages_->send_buffer(), sent_.data(), sent_.size());
  packed_ = out_.device.record(out_.queue);
}

void DeviceMessages::send() {
  if (is_empty()) return;
  out_.wait(packed_);
  if (in_place()) {
    in_.wait(read_);
    messages_->start_receives();
  }
  messages_->start_sends();
}

void DeviceMessages::receive(const WaitForRanks& wait) {
  if (is_empty()) return;
  wait(*messages_);
  if (in_place()) return;
  in_.copy_in(received_.data(), messages_->receive_buffer(), received_.size());
  read_ = in_.device.record(in_.queue);
}

}  // namespace meander::mesh
