// SPDX-License-Identifier: Apache-2.0
#include "net/udp_sender.hpp"

#include <netinet/in.h>
#include <netinet/udp.h>  // UDP_SEGMENT
#include <sys/time.h>     // timeval

#include <algorithm>  // min
#include <cerrno>
#include <cstring>  // memcpy

#include "net/socket_option.hpp"  // refuse_socket, set_buffer, set_option

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif

namespace wingbeat::net {
namespace {

constexpr std::size_t control_bytes = CMSG_SPACE(sizeof(std::uint16_t));
constexpr std::size_t max_messages = 64;  // per call

/// Returns whether the system refuses a message because of its segments, not its destination.
bool refuses_segmentation(int fault) {
  return fault == EIO || fault == EINVAL || fault == EOPNOTSUPP;
}

}  // namespace

udp_sender::udp_sender(std::uint32_t interface_address, std::size_t buffer_bytes, unsigned ttl)
    : socket_(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
  const endpoint own{interface_address, 0};
  if (socket_.get() < 0) refuse_socket(own, "make a socket");
  const int number = socket_.get();
  buffers_ = set_buffer(number, SO_SNDBUF, SO_SNDBUFFORCE, buffer_bytes);
  const int hops = static_cast<int>(ttl);
  if (!set_option(number, IPPROTO_IP, IP_MULTICAST_TTL, hops)) refuse_socket(own, "set the TTL");
  const timeval patience{.tv_sec = 1, .tv_usec = 0};
  (void)set_option(number, SOL_SOCKET, SO_SNDTIMEO, patience);
  if (interface_address == 0) return;
  ip_mreqn through{};
  through.imr_address.s_addr = htonl(interface_address);
  if (!set_option(number, IPPROTO_IP, IP_MULTICAST_IF, through)) {
    refuse_socket(own, "send through this interface");
  }
  const sockaddr_in address = to_socket_address(own);
  if (::bind(number, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    refuse_socket(own, "bind");
  }
}

void udp_sender::prepare(std::span<const outgoing_message> messages) {
  headers_.assign(messages.size(), {});
  addresses_.resize(messages.size());
  controls_.assign(messages.size() * control_bytes, 0);
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const outgoing_message& next = messages[i];
    msghdr& header = headers_[i].msg_hdr;
    addresses_[i] = to_socket_address(next.destination);
    header.msg_name = &addresses_[i];
    header.msg_namelen = sizeof addresses_[i];
    header.msg_iov = const_cast<iovec*>(next.pieces.data());
    header.msg_iovlen = next.pieces.size();
    if (next.segment_bytes == 0) continue;
    header.msg_control = &controls_[i * control_bytes];
    header.msg_controllen = control_bytes;
    cmsghdr* control = CMSG_FIRSTHDR(&header);
    control->cmsg_level = SOL_UDP;
    control->cmsg_type = UDP_SEGMENT;
    control->cmsg_len = CMSG_LEN(sizeof(std::uint16_t));
    const auto segment = static_cast<std::uint16_t>(next.segment_bytes);
    std::memcpy(CMSG_DATA(control), &segment, sizeof segment);
  }
}

std::size_t udp_sender::send(std::span<const outgoing_message> messages) {
  const std::size_t n_sent = send_all(messages);
  if (!copy_) return n_sent;
  sockaddr_in address{};
  socklen_t n_bytes = sizeof address;
  (void)::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&address), &n_bytes);
  const endpoint source{ntohl(address.sin_addr.s_addr), ntohs(address.sin_port)};
  for (const outgoing_message& next : messages.first(n_sent)) {
    copy_->add(source, next.destination, next.pieces, next.segment_bytes);
  }
  return n_sent;
}

std::size_t udp_sender::send_all(std::span<const outgoing_message> messages) {
  std::size_t n_sent = 0;
  while (n_sent < messages.size()) {
    const auto rest = messages.subspan(n_sent, std::min(max_messages, messages.size() - n_sent));
    if (!has_segmentation_ && rest[0].segment_bytes != 0) {
      if (!send_segments(rest[0])) return n_sent;
      ++n_sent;
      continue;
    }
    // up to the first message that must be cut here
    std::size_t count = rest.size();
    if (!has_segmentation_) {
      count = 1;
      while (count < rest.size() && rest[count].segment_bytes == 0) ++count;
    }
    prepare(rest.first(count));
    const int taken =
        ::sendmmsg(socket_.get(), headers_.data(), static_cast<unsigned>(count), MSG_NOSIGNAL);
    if (taken > 0) {
      n_sent += static_cast<std::size_t>(taken);
    } else if (errno == EINTR) {
      continue;
    } else if (has_segmentation_ && rest[0].segment_bytes != 0 && refuses_segmentation(errno)) {
      has_segmentation_ = false;
    } else {
      fault_ = errno;
      return n_sent;
    }
  }
  return n_sent;
}

/// Sends a message's datagrams one by one, for an interface that cannot segment it.
bool udp_sender::send_segments(const outgoing_message& message) {
  std::vector<iovec> pieces;
  std::size_t room = message.segment_bytes;
  for (iovec rest : message.pieces) {
    while (rest.iov_len > 0) {
      const std::size_t length = std::min(room, rest.iov_len);
      pieces.push_back({rest.iov_base, length});
      rest = {static_cast<char*>(rest.iov_base) + length, rest.iov_len - length};
      room -= length;
      if (room > 0) continue;
      if (!send_datagram(message.destination, pieces)) return false;
      pieces.clear();
      room = message.segment_bytes;
    }
  }
  return pieces.empty() || send_datagram(message.destination, pieces);
}

bool udp_sender::send_datagram(const endpoint& destination, std::span<const iovec> pieces) {
  const outgoing_message datagram{.destination = destination, .pieces = pieces};
  prepare(std::span(&datagram, 1));
  while (::sendmsg(socket_.get(), &headers_[0].msg_hdr, MSG_NOSIGNAL) < 0) {
    if (errno == EINTR) continue;
    fault_ = errno;
    return false;
  }
  return true;
}

}  // namespace wingbeat::net
