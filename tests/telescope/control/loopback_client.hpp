// SPDX-License-Identifier: Apache-2.0
// A client over loopback that sends lines as they are and reads what comes, with a time limit.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "control/message.hpp"
#include "system/file_descriptor.hpp"

namespace wingbeat::test {

/// How long clients wait for what must come, on a loaded machine and under a sanitizer too.
inline constexpr double patience_s = 60.0;

class loopback_client {
 public:
  /// Connects from `source`, one of the addresses of the loopback network.
  explicit loopback_client(std::uint16_t port, const char* source = "127.0.0.1")
      : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = ::inet_addr(source);
    EXPECT_EQ(::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address),
              0);
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    is_connected_ =
        ::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }

  [[nodiscard]] bool is_connected() const { return is_connected_; }

  /// Sends the bytes; false once the server has closed.
  bool send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t n = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n < 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
  }

  void end() const { ::shutdown(socket_.get(), SHUT_WR); }

  /// Returns the next line without its end; none at the connection's end or after `limit_s`.
  std::optional<std::string> line(double limit_s = patience_s) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::duration<double>(limit_s);
    while (true) {
      if (const std::size_t end = received_.find('\n'); end != std::string::npos) {
        std::string found = received_.substr(0, end);
        received_.erase(0, end + 1);
        return found;
      }
      const std::chrono::duration<double> left = limit - std::chrono::steady_clock::now();
      pollfd polled{socket_.get(), POLLIN, 0};
      const int wait_ms = left.count() > 0.0 ? static_cast<int>(left.count() * 1e3) + 1 : 0;
      if (::poll(&polled, 1, wait_ms) <= 0) return std::nullopt;
      char bytes[65536];
      const ssize_t n = ::recv(socket_.get(), bytes, sizeof bytes, 0);
      if (n <= 0) {
        has_ended_ = true;
        return std::nullopt;
      }
      received_.append(bytes, static_cast<std::size_t>(n));
    }
  }

  /// Returns all bytes until the server closes.
  std::string rest(double limit_s = patience_s) {
    std::string text;
    while (const auto next = line(limit_s)) text += *next + "\n";
    return text + std::exchange(received_, {});
  }

  /// Returns the next message; fails the test where none comes.
  control::message message(double limit_s = patience_s) {
    const auto text = line(limit_s);
    if (!text) {
      ADD_FAILURE() << "no message";
      return {};
    }
    return control::parse_message(*text);
  }

  struct answer {
    std::vector<control::message> informs;  ///< Those of the request's own name.
    control::message reply;
  };

  /// Sends a request line and returns what it is answered.
  answer request(std::string_view text) {
    EXPECT_TRUE(send(std::string(text) + "\n"));
    const std::string name = control::parse_message(text).name;
    answer found;
    while (true) {
      const control::message next = message();
      if (next.name.empty()) return found;
      if (next.name != name) {
        others_.push_back(next);
      } else if (next.kind == control::message_kind::reply) {
        found.reply = next;
        return found;
      } else {
        found.informs.push_back(next);
      }
    }
  }

  /// Returns the reply's arguments, joined by blanks.
  std::string reply(std::string_view text) {
    std::string joined;
    for (const std::string& argument : request(text).reply.arguments) {
      joined += (joined.empty() ? "" : " ") + argument;
    }
    return joined;
  }

  /// Messages that came between those of requests.
  std::vector<control::message>& others() { return others_; }

  /// Returns whether the server closes the connection within the limit.
  bool is_closed(double limit_s = patience_s) {
    while (line(limit_s)) {
    }
    return has_ended_;
  }

 private:
  file_descriptor socket_;
  bool is_connected_ = false;
  bool has_ended_ = false;
  std::string received_;
  std::vector<control::message> others_;
};

}  // namespace wingbeat::test
