// SPDX-License-Identifier: Apache-2.0
// The packets of a batch's heaps in the order in which one interface sends them: a few of each
// substream in turn.
#pragma once

#include <sys/uio.h>  // iovec

#include <cstddef>  // byte, size_t
#include <span>
#include <vector>

#include "net/udp_sender.hpp"    // outgoing_message
#include "spead/packetiser.hpp"  // outgoing_heap, packet_shape

namespace wingbeat::transmit {

/// A message and the index of its heap.
struct queued_message {
  net::outgoing_message message = {};
  std::size_t heap = 0;
  std::size_t n_packets = 0, n_bytes = 0;
};

/// The memory of a batch's messages, reused for the next batch.
class batch_packets {
 public:
  /// Cuts the heaps, whose payload must outlive the messages. Each message has `in_succession`
  /// packets of one heap; messages of all heaps take turns.
  void prepare(std::span<const spead::outgoing_heap> heaps,
               std::span<const net::endpoint> destinations, const spead::packet_shape& shape,
               std::size_t in_succession);

  [[nodiscard]] std::span<const queued_message> messages() const { return messages_; }

 private:
  std::vector<std::byte> preambles_;
  std::vector<iovec> pieces_;
  std::vector<queued_message> messages_;
};

}  // namespace wingbeat::transmit
