// SPDX-License-Identifier: Apache-2.0
// TCP for the control server: a listening socket, and connections that never block.
#pragma once

#include <cstddef>  // size_t
#include <cstdint>  // uint16_t
#include <optional>
#include <string>
#include <string_view>

#include "control/message.hpp"
#include "control/network_list.hpp"  // ip_address
#include "system/file_descriptor.hpp"

namespace wingbeat::control {

/// A socket that listens at a host and port.
class listener {
 public:
  /// `host` is a name or address of this machine; empty listens on all of its addresses. With port
  /// 0, the system chooses one. Throws std::runtime_error, naming both.
  listener(const std::string& host, std::uint16_t port);

  [[nodiscard]] int descriptor() const noexcept { return socket_.get(); }
  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }

  struct accepted {
    file_descriptor socket;
    std::string address;  ///< "127.0.0.1:53600"
    ip_address ip = {};
  };

  /// Returns a waiting client, if there is one.
  [[nodiscard]] std::optional<accepted> accept() const;

 private:
  file_descriptor socket_;
  std::uint16_t port_ = 0;
};

/// A client's connection: receives lines, sends bytes.
class connection {
 public:
  connection(listener::accepted client, std::size_t max_line_bytes);

  [[nodiscard]] int descriptor() const noexcept { return socket_.get(); }
  [[nodiscard]] const std::string& address() const noexcept { return address_; }
  [[nodiscard]] line_buffer& lines() noexcept { return lines_; }

  /// Reads the bytes that have arrived, up to 64 KiB.
  void receive();

  /// Queues a line; `flush` sends it.
  void send(std::string_view line);
  void flush();

  [[nodiscard]] std::size_t backlog_bytes() const noexcept { return out_.size() - sent_; }

  /// Returns whether the client will send nothing more, although it may still read.
  [[nodiscard]] bool has_ended() const noexcept { return has_ended_; }

  /// Returns whether the connection failed or was dropped.
  [[nodiscard]] bool is_lost() const noexcept { return is_lost_; }
  void drop() noexcept { is_lost_ = true; }

 private:
  file_descriptor socket_;
  std::string address_;
  line_buffer lines_;
  std::string out_;
  std::size_t sent_ = 0;  ///< bytes of `out_`
  bool has_ended_ = false;
  bool is_lost_ = false;
};

}  // namespace wingbeat::control
