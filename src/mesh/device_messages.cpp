// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/device_messages.hpp"

namespace meander::mesh {

void DeviceMessages::rebuild(parallel::NeighbourMessages& messages) {
  messages_ = &messages;
  received_.resize(in_.queue, messages.received_bytes() / sizeof(double));
  sent_.resize(out_.queue, messages.sent_bytes() / sizeof(double));
}

void DeviceMessages::expect() {
  if (is_empty()) return;
  in_.wait(copied_in_);
  messages_->start_receives();
}

void DeviceMessages::copy_out() {
  if (is_empty()) return;
  out_.copy_out(messages_->send_buffer(), sent_.data(), sent_.size());
  copied_out_ = out_.device.record(out_.queue);
}

void DeviceMessages::send() {
  if (is_empty()) return;
  out_.wait(copied_out_);
  messages_->start_sends();
}

void DeviceMessages::receive(const WaitForRanks& wait) {
  if (is_empty()) return;
  wait(*messages_);
  in_.copy_in(received_.data(), messages_->receive_buffer(), received_.size());
  copied_in_ = in_.device.record(in_.queue);
}

}  // namespace meander::mesh
