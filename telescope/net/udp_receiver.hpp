// SPDX-License-Identifier: Apache-2.0
// Receives many datagrams per call: recvmmsg, whose messages may each hold several datagrams of one
// length (UDP generic receive offload).
#pragma once

#include <sys/socket.h>  // mmsghdr

#include <algorithm>  // min
#include <cstddef>    // byte, size_t
#include <cstdint>    // uint64_t
#include <span>
#include <vector>

#include "net/endpoint.hpp"  // endpoint
#include "net/socket_buffers.hpp"
#include "system/file_descriptor.hpp"  // file_descriptor

namespace wingbeat::net {

/// Room for the messages of one call.
class datagram_batch {
 public:
  static constexpr std::size_t message_bytes = 65536;

  explicit datagram_batch(std::size_t n_messages);
  datagram_batch(const datagram_batch&) = delete;
  datagram_batch& operator=(const datagram_batch&) = delete;

  /// Returns the bytes of a batch of `n_messages` messages.
  [[nodiscard]] static std::size_t memory_bytes(std::size_t n_messages);

  /// Calls `visit(datagram, is_truncated)` for each datagram received, in order.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t i = 0; i < n_received_; ++i) {
      std::span<const std::byte> rest(&bytes_[i * message_bytes], headers_[i].msg_len);
      const bool is_truncated = (headers_[i].msg_hdr.msg_flags & MSG_TRUNC) != 0;
      const std::size_t segment = segment_bytes(i);
      do {
        const auto datagram = rest.first(std::min(segment, rest.size()));
        rest = rest.subspan(datagram.size());
        visit(datagram, is_truncated && rest.empty());
      } while (!rest.empty());
    }
  }

 private:
  friend class udp_receiver;
  static constexpr std::size_t control_bytes = 64;

  void prepare();
  [[nodiscard]] std::size_t segment_bytes(std::size_t message) const;

  std::size_t n_received_ = 0;
  std::vector<std::byte> bytes_, control_;
  std::vector<iovec> pieces_;
  std::vector<mmsghdr> headers_;
};

/// One socket: a port of one address of this machine, or a multicast group.
class udp_receiver {
 public:
  /// Binds the socket and joins the group on the interface with this address (0: the system's
  /// choice). A unicast endpoint with port 0 gets a free port. Throws `file_error` in one sentence.
  udp_receiver(const endpoint& source, std::uint32_t interface_address, std::size_t buffer_bytes);

  /// Receives what has arrived, at most a batch, without waiting. Returns the number of messages.
  std::size_t receive(datagram_batch& batch);

  [[nodiscard]] int descriptor() const { return socket_.get(); }

  /// Returns the endpoint, with its port.
  [[nodiscard]] const endpoint& source() const { return source_; }

  [[nodiscard]] const socket_buffers& buffers() const { return buffers_; }

  /// Returns how many messages the system has dropped because the socket's buffer was full. A
  /// message that joins several datagrams counts once.
  [[nodiscard]] std::uint64_t n_dropped() const;

 private:
  endpoint source_;
  file_descriptor socket_;
  socket_buffers buffers_;
};

/// Throws `plan_error` if this process may not use the processor; -1 stands for any.
void require_processor(int processor);

/// Restricts the calling thread to this processor; -1 changes nothing. Throws `plan_error` as
/// above.
void pin_thread(int processor);

}  // namespace wingbeat::net
