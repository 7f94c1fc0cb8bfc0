// SPDX-License-Identifier: Apache-2.0
#include "net/udp_receiver.hpp"

#include <linux/sock_diag.h>  // SK_MEMINFO_DROPS
#include <netinet/in.h>
#include <netinet/udp.h>  // UDP_GRO
#include <pthread.h>      // pthread_setaffinity_np
#include <sched.h>        // cpu_set_t

#include <array>
#include <cstring>  // memcpy

#include "net/socket_option.hpp"  // refuse_socket, set_buffer, set_option
#include "text/reject.hpp"        // reject

#ifndef UDP_GRO
#define UDP_GRO 104
#endif

namespace wingbeat::net {

datagram_batch::datagram_batch(std::size_t n_messages)
    : bytes_(n_messages * message_bytes),
      control_(n_messages * control_bytes),
      pieces_(n_messages),
      headers_(n_messages) {
  for (std::size_t i = 0; i < n_messages; ++i) {
    pieces_[i] = {&bytes_[i * message_bytes], message_bytes};
  }
}

std::size_t datagram_batch::memory_bytes(std::size_t n_messages) {
  return n_messages * (message_bytes + control_bytes + sizeof(iovec) + sizeof(mmsghdr));
}

/// Sets the headers again, because the system overwrites them.
void datagram_batch::prepare() {
  for (std::size_t i = 0; i < headers_.size(); ++i) {
    headers_[i] = {};
    headers_[i].msg_hdr.msg_iov = &pieces_[i];
    headers_[i].msg_hdr.msg_iovlen = 1;
    headers_[i].msg_hdr.msg_control = &control_[i * control_bytes];
    headers_[i].msg_hdr.msg_controllen = control_bytes;
  }
}

std::size_t datagram_batch::segment_bytes(std::size_t message) const {
  // The macros need a mutable header.
  msghdr header = headers_[message].msg_hdr;
  for (cmsghdr* c = CMSG_FIRSTHDR(&header); c != nullptr; c = CMSG_NXTHDR(&header, c)) {
    if (c->cmsg_level != SOL_UDP || c->cmsg_type != UDP_GRO) continue;
    int segment = 0;
    std::memcpy(&segment, CMSG_DATA(c), sizeof segment);
    if (segment > 0) return static_cast<std::size_t>(segment);
  }
  return message_bytes;
}

udp_receiver::udp_receiver(const endpoint& source, std::uint32_t interface_address,
                           std::size_t buffer_bytes)
    : source_(source), socket_(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
  if (socket_.get() < 0) refuse_socket(source_, "make a socket");
  const int number = socket_.get();
  const int on = 1, off = 0;
  if (source.is_multicast() && !set_option(number, SOL_SOCKET, SO_REUSEADDR, on)) {
    refuse_socket(source_, "share the port");
  }
  // If this fails, datagrams arrive one by one.
  (void)set_option(number, SOL_UDP, UDP_GRO, on);
  buffers_ = set_buffer(number, SO_RCVBUF, SO_RCVBUFFORCE, buffer_bytes);
  sockaddr_in address = to_socket_address(source);
  if (::bind(number, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    refuse_socket(source_, "bind");
  }
  socklen_t length = sizeof address;
  (void)::getsockname(number, reinterpret_cast<sockaddr*>(&address), &length);
  source_ = from_socket_address(address);
  if (!source.is_multicast()) return;
  ip_mreqn group{};
  group.imr_multiaddr = address.sin_addr;
  group.imr_address.s_addr = htonl(interface_address);
  if (!set_option(number, IPPROTO_IP, IP_ADD_MEMBERSHIP, group)) {
    refuse_socket(source_, "join the group");
  }
  // Excludes groups that other programs of this machine have joined.
  (void)set_option(number, IPPROTO_IP, IP_MULTICAST_ALL, off);
}

std::size_t udp_receiver::receive(datagram_batch& batch) {
  batch.prepare();
  const int count = ::recvmmsg(socket_.get(), batch.headers_.data(),
                               static_cast<unsigned>(batch.headers_.size()), MSG_DONTWAIT, nullptr);
  batch.n_received_ = count > 0 ? static_cast<std::size_t>(count) : 0;
  return batch.n_received_;
}

std::uint64_t udp_receiver::n_dropped() const {
  std::array<std::uint32_t, SK_MEMINFO_VARS> values{};
  socklen_t length = sizeof values;
  if (::getsockopt(socket_.get(), SOL_SOCKET, SO_MEMINFO, values.data(), &length) != 0) return 0;
  return values[SK_MEMINFO_DROPS];
}

void require_processor(int processor) {
  if (processor == -1) return;
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  (void)sched_getaffinity(0, sizeof allowed, &allowed);
  if (processor >= 0 && processor < CPU_SETSIZE && CPU_ISSET(processor, &allowed)) return;
  reject(
      "a thread cannot run on processor {}; give the number of one that this process may "
      "use, or -1 "
      "for any",
      processor);
}

void pin_thread(int processor) {
  if (processor == -1) return;
  require_processor(processor);
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  (void)pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

}  // namespace wingbeat::net
