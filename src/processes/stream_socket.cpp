// SPDX-License-Identifier: Apache-2.0
#include "processes/stream_socket.hpp"

#include <netdb.h>  // getaddrinfo, getnameinfo
#include <netinet/in.h>
#include <netinet/tcp.h>  // TCP_NODELAY
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>  // gethostname

#include <algorithm>  // max
#include <array>
#include <cerrno>
#include <cstring>  // strerror
#include <memory>   // unique_ptr
#include <thread>   // sleep_for
#include <vector>

#include "text/formatted.hpp"  // formatted
#include "text/number.hpp"     // number_from
#include "text/reject.hpp"     // reject
#include "wingbeat/error.hpp"  // device_error, plan_error

namespace wingbeat::processes {
namespace {

constexpr std::chrono::milliseconds retry_after{20};

void set_option(const file_descriptor& socket, int level, int option) {
  const int value = 1;
  ::setsockopt(socket.get(), level, option, &value, sizeof value);
}

using addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

addresses addresses_of(const host_port& place, int flags) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags;
  addrinfo* found = nullptr;
  const int failure = ::getaddrinfo(place.host.c_str(), place.port.c_str(), &hints, &found);
  if (failure == 0) return {found, ::freeaddrinfo};
  reject("'{}' is no host, or '{}' no port: {}; give host:port of rank 0", place.host, place.port,
         ::gai_strerror(failure));
}

file_descriptor opened(const addrinfo& address) {
  return file_descriptor(::socket(
      address.ai_family, address.ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, address.ai_protocol));
}

/// Returns whether one of these events came until the deadline.
bool is_ready(const file_descriptor& socket, short events, const deadline& until) {
  pollfd watched{socket.get(), events, 0};
  return ::poll(&watched, 1, until.left_ms()) > 0;
}

bool is_retried(int reason) {
  return reason == EAGAIN || reason == EWOULDBLOCK || reason == EINTR;
}

/// Returns whether a text is a port number: getaddrinfo takes other numbers modulo 2^16.
bool is_port(const std::string& text) {
  const auto number = number_from<std::size_t>(text);
  return number && *number >= 1 && *number <= last_port;
}

}  // namespace

int deadline::left_ms() const {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(end_ - clock::now());
  return static_cast<int>(std::max<std::chrono::milliseconds::rep>(left.count(), 0));
}

host_port parsed(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  const bool has_both = colon != std::string::npos && colon > 0 && colon + 1 < address.size();
  reject_if(!has_both, "'{}' is no address of rank 0; give host:port", address);
  std::string host = address.substr(0, colon);
  if (host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  std::string port = address.substr(colon + 1);
  reject_if(!is_port(port), "'{}' is no address of rank 0: its port is a number from 1 to {}",
            address, last_port);
  return {std::move(host), std::move(port)};
}

host_port own_end(const file_descriptor& socket) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  auto* const raw = reinterpret_cast<sockaddr*>(&address);
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
  ::getsockname(socket.get(), raw, &length);
  ::getnameinfo(raw, length, host.data(), host.size(), port.data(), port.size(),
                NI_NUMERICHOST | NI_NUMERICSERV);
  return {host.data(), port.data()};
}

file_descriptor listening_at(const host_port& place) {
  const addresses found = addresses_of(place, AI_PASSIVE);
  int reason = 0;
  for (const addrinfo* each = found.get(); each != nullptr; each = each->ai_next) {
    file_descriptor socket = opened(*each);
    set_option(socket, SOL_SOCKET, SO_REUSEADDR);
    constexpr int backlog = 64;
    if (socket.is_open() && ::bind(socket.get(), each->ai_addr, each->ai_addrlen) == 0 &&
        ::listen(socket.get(), backlog) == 0) {
      return socket;
    }
    reason = errno;
  }
  throw device_error(
      formatted("cannot listen at {}:{}: {}; give an address of this machine and a "
                "free port",
                place.host, place.port, std::strerror(reason)));
}

std::optional<file_descriptor> accepted(const file_descriptor& listener, const deadline& until) {
  while (is_ready(listener, POLLIN, until)) {
    file_descriptor socket(
        ::accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!socket.is_open()) continue;
    set_option(socket, IPPROTO_TCP, TCP_NODELAY);
    return socket;
  }
  return std::nullopt;
}

std::optional<file_descriptor> connected_to(const host_port& place, const deadline& until) {
  const addresses found = addresses_of(place, 0);
  while (until.left_ms() > 0) {
    for (const addrinfo* each = found.get(); each != nullptr; each = each->ai_next) {
      file_descriptor socket = opened(*each);
      if (!socket.is_open()) continue;
      const bool is_made = ::connect(socket.get(), each->ai_addr, each->ai_addrlen) == 0;
      if (!is_made && (errno != EINPROGRESS || !is_ready(socket, POLLOUT, until))) continue;
      int failure = 0;
      socklen_t length = sizeof failure;
      ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &failure, &length);
      if (failure != 0) continue;
      set_option(socket, IPPROTO_TCP, TCP_NODELAY);
      return socket;
    }
    std::this_thread::sleep_for(retry_after);
  }
  return std::nullopt;
}

progress send_some(const file_descriptor& socket, std::span<const std::byte> bytes,
                   std::size_t& done_bytes) {
  while (done_bytes < bytes.size()) {
    const ssize_t n =
        ::send(socket.get(), bytes.data() + done_bytes, bytes.size() - done_bytes, MSG_NOSIGNAL);
    if (n < 0) return is_retried(errno) ? progress::going_on : progress::lost;
    done_bytes += static_cast<std::size_t>(n);
  }
  return progress::done;
}

progress receive_some(const file_descriptor& socket, std::span<std::byte> bytes,
                      std::size_t& done_bytes) {
  while (done_bytes < bytes.size()) {
    const ssize_t n = ::recv(socket.get(), bytes.data() + done_bytes, bytes.size() - done_bytes, 0);
    if (n == 0) return progress::lost;
    if (n < 0) return is_retried(errno) ? progress::going_on : progress::lost;
    done_bytes += static_cast<std::size_t>(n);
  }
  return progress::done;
}

bool send_all(const file_descriptor& socket, std::span<const std::byte> bytes,
              const deadline& until) {
  std::size_t done_bytes = 0;
  for (;;) {
    const progress so_far = send_some(socket, bytes, done_bytes);
    if (so_far != progress::going_on) return so_far == progress::done;
    if (!is_ready(socket, POLLOUT, until)) return false;
  }
}

bool receive_all(const file_descriptor& socket, std::span<std::byte> bytes, const deadline& until) {
  std::size_t done_bytes = 0;
  for (;;) {
    const progress so_far = receive_some(socket, bytes, done_bytes);
    if (so_far != progress::going_on) return so_far == progress::done;
    if (!is_ready(socket, POLLIN, until)) return false;
  }
}

std::string machine_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::string free_port() {
  return own_end(listening_at({"127.0.0.1", "0"})).port;
}

bool is_at_end(const file_descriptor& socket) {
  char next = 0;
  const ssize_t n = ::recv(socket.get(), &next, 1, MSG_PEEK | MSG_DONTWAIT);
  return n == 0 || (n < 0 && !is_retried(errno));
}

void finish(const file_descriptor& socket, const deadline& until) {
  ::shutdown(socket.get(), SHUT_WR);
  std::vector<std::byte> dropped(std::size_t{1} << 16);
  for (;;) {
    std::size_t done_bytes = 0;
    const progress so_far = receive_some(socket, dropped, done_bytes);
    if (so_far == progress::lost) return;
    if (so_far == progress::going_on && !is_ready(socket, POLLIN, until)) return;
  }
}

}  // namespace wingbeat::processes
