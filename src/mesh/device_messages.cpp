// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/device_messages.hpp"

namespace meander::mesh {

void DeviceMessages::rebuild(parallel::NeighbourMessages& messages) {
  messages_ = &messages;
  received_.resize(launches_.queue, messages.received_bytes() / sizeof(double));
  sent_.resize(launches_.queue, messages.sent_bytes() / sizeof(double));
}

void DeviceMessages::expect() {
  if (is_empty()) return;
  launches_.wait(copied_in_);
  messages_->start_receives();
}

void DeviceMessages::copy_out() {
  if (is_empty()) return;
  launches_.copy_out(messages_->send_buffer(), sent_.data(), sent_.size());
  copied_out_ = launches_.device.record(launches_.queue);
}

void DeviceMessages::send() {
  if (is_empty()) return;
  launches_.wait(copied_out_);
  messages_->start_sends();
}

void DeviceMessages::receive(const WaitForRanks& wait) {
  if (is_empty()) return;
  wait(*messages_);
  launches_.copy_in(received_.data(), messages_->receive_buffer(), received_.size());
  copied_in_ = launches_.device.record(launches_.queue);
}

}  // namespace meander::mesh
