// SPDX-License-Identifier: Apache-2.0
#include "control/connection.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>  // strerror
#include <memory>   // unique_ptr
#include <stdexcept>
#include <utility>  // move

#include "text/formatted.hpp"

namespace wingbeat::control {
namespace {

void set_option(int socket, int level, int option, int value) {
  ::setsockopt(socket, level, option, &value, sizeof value);
}

std::string text_of(const sockaddr* address, socklen_t length) {
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> service{};
  if (::getnameinfo(address, length, host.data(), host.size(), service.data(), service.size(),
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return "unknown:0";
  }
  const bool is_v6 = address->sa_family == AF_INET6;
  return is_v6 ? formatted("[{}]:{}", host.data(), service.data())
               : formatted("{}:{}", host.data(), service.data());
}

std::uint16_t port_of(int socket) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length);
  const auto port = address.ss_family == AF_INET6
                        ? reinterpret_cast<const sockaddr_in6&>(address).sin6_port
                        : reinterpret_cast<const sockaddr_in&>(address).sin_port;
  return ntohs(port);
}

/// Returns a listening socket; or none, with the reason in errno.
file_descriptor listen_at(const addrinfo& address) {
  file_descriptor socket(::socket(
      address.ai_family, address.ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, address.ai_protocol));
  if (!socket.is_open()) return socket;
  set_option(socket.get(), SOL_SOCKET, SO_REUSEADDR, 1);
  if (address.ai_family == AF_INET6) set_option(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, 0);
  constexpr int backlog = 128;
  if (::bind(socket.get(), address.ai_addr, address.ai_addrlen) != 0 ||
      ::listen(socket.get(), backlog) != 0) {
    const int reason = errno;
    socket = file_descriptor();
    errno = reason;
  }
  return socket;
}

}  // namespace

listener::listener(const std::string& host, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const std::string service = std::to_string(port);
  const int failure =
      ::getaddrinfo(host.empty() ? nullptr : host.c_str(), service.c_str(), &hints, &found);
  if (failure != 0) {
    throw std::runtime_error(
        formatted("cannot listen at '{}': {}; give a name or address of this "
                  "machine",
                  host, ::gai_strerror(failure)));
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> addresses(found, ::freeaddrinfo);
  for (const addrinfo* address = found; address != nullptr && !socket_.is_open();
       address = address->ai_next) {
    socket_ = listen_at(*address);
  }
  if (!socket_.is_open()) {
    throw std::runtime_error(
        formatted("cannot listen at '{}', port {}: {}", host, port, std::strerror(errno)));
  }
  port_ = port_of(socket_.get());
}

std::optional<listener::accepted> listener::accept() const {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  auto* const raw = reinterpret_cast<sockaddr*>(&address);
  file_descriptor socket(::accept4(socket_.get(), raw, &length, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!socket.is_open()) return std::nullopt;
  set_option(socket.get(), IPPROTO_TCP, TCP_NODELAY, 1);
  // Detects after two minutes that a client's machine is gone.
  set_option(socket.get(), SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(socket.get(), IPPROTO_TCP, TCP_KEEPIDLE, 60);
  set_option(socket.get(), IPPROTO_TCP, TCP_KEEPINTVL, 15);
  set_option(socket.get(), IPPROTO_TCP, TCP_KEEPCNT, 4);
  return accepted{std::move(socket), text_of(raw, length), ip_address_of(*raw)};
}

connection::connection(listener::accepted client, std::size_t max_line_bytes)
    : socket_(std::move(client.socket)),
      address_(std::move(client.address)),
      lines_(max_line_bytes) {}

void connection::receive() {
  std::array<char, 65536> bytes;
  const ssize_t n_read = ::recv(socket_.get(), bytes.data(), bytes.size(), 0);
  if (n_read > 0) {
    lines_.append({bytes.data(), static_cast<std::size_t>(n_read)});
  } else if (n_read == 0) {
    has_ended_ = true;
  } else if (errno != EAGAIN && errno != EINTR) {
    is_lost_ = true;
  }
}

void connection::send(std::string_view line) {
  out_ += line;
}

void connection::flush() {
  while (!is_lost_ && sent_ < out_.size()) {
    const ssize_t n_sent =
        ::send(socket_.get(), out_.data() + sent_, out_.size() - sent_, MSG_NOSIGNAL);
    if (n_sent >= 0) {
      sent_ += static_cast<std::size_t>(n_sent);
    } else if (errno == EAGAIN) {
      break;
    } else if (errno != EINTR) {
      is_lost_ = true;
    }
  }
  constexpr std::size_t kept_bytes = 65536;
  if (sent_ == out_.size()) {
    out_.clear();
    if (out_.capacity() > kept_bytes) out_.shrink_to_fit();
    sent_ = 0;
  } else if (sent_ > out_.size() / 2) {
    out_.erase(0, sent_);
    sent_ = 0;
  }
}

}  // namespace wingbeat::control
