// SPDX-License-Identifier: Apache-2.0
// Sends many datagrams per call: sendmmsg, whose messages may each hold several datagrams of one
// length (UDP generic segmentation offload).
#pragma once

#include <netinet/in.h>  // sockaddr_in
#include <sys/socket.h>  // mmsghdr
#include <sys/uio.h>     // iovec

#include <cstddef>  // size_t
#include <cstdint>  // uint32_t
#include <memory>   // shared_ptr
#include <span>
#include <utility>  // move
#include <vector>

#include "net/capture_writer.hpp"  // capture_writer
#include "net/endpoint.hpp"        // endpoint
#include "net/socket_buffers.hpp"
#include "system/file_descriptor.hpp"  // file_descriptor

namespace wingbeat::net {

/// Limits of a message of several datagrams.
inline constexpr std::size_t max_message_bytes = 65507, max_segments = 64;

/// One datagram, or several for one destination.
struct outgoing_message {
  endpoint destination = {};
  std::span<const iovec> pieces = {};
  std::size_t segment_bytes = 0;  ///< Bytes of each datagram but the last; 0: there is one
                                  ///< datagram.
};

class udp_sender {
 public:
  /// Makes a socket that sends through the interface with this address (0: the system's choice).
  /// `ttl` is for multicast. Throws `file_error` in one sentence.
  udp_sender(std::uint32_t interface_address, std::size_t buffer_bytes, unsigned ttl);

  /// Has what is sent also written to a file.
  void copy_to(std::shared_ptr<capture_writer> copy) { copy_ = std::move(copy); }

  /// Sends the messages in order, and returns how many the system took. If it took fewer, the next
  /// message failed, and `fault()` says why. Waits at most a second for room in the buffer.
  std::size_t send(std::span<const outgoing_message> messages);

  /// Returns the number of the last fault.
  [[nodiscard]] int fault() const { return fault_; }
  [[nodiscard]] const socket_buffers& buffers() const { return buffers_; }

 private:
  std::size_t send_all(std::span<const outgoing_message> messages);
  [[nodiscard]] bool send_segments(const outgoing_message& message);
  [[nodiscard]] bool send_datagram(const endpoint& destination, std::span<const iovec> pieces);
  void prepare(std::span<const outgoing_message> messages);

  file_descriptor socket_;
  socket_buffers buffers_;
  std::shared_ptr<capture_writer> copy_ = {};
  bool has_segmentation_ = true;
  int fault_ = 0;
  std::vector<mmsghdr> headers_;
  std::vector<sockaddr_in> addresses_;
  std::vector<unsigned char> controls_;
};

}  // namespace wingbeat::net
