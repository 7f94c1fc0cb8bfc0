// SPDX-License-Identifier: Apache-2.0
// TCP between processes, with deadlines: sockets do not block.
#pragma once

#include <chrono>
#include <cstddef>  // byte, size_t
#include <optional>
#include <span>
#include <string>

#include "system/file_descriptor.hpp"  // file_descriptor

namespace wingbeat::processes {

class deadline {
 public:
  explicit deadline(double seconds)
      : end_(clock::now() +
             std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(seconds))) {}
  /// Returns the milliseconds left, rounded up; 0 after the deadline.
  [[nodiscard]] int left_ms() const;
  [[nodiscard]] double left_s() const { return left_ms() / 1e3; }

 private:
  using clock = std::chrono::steady_clock;
  clock::time_point end_;
};

inline constexpr std::size_t last_port = 65535;

struct host_port {
  std::string host, port;
};

/// Returns the parts of "host:port" or "[address]:port". Throws `plan_error` for another text.
[[nodiscard]] host_port parsed(const std::string& address);

/// Returns the address and the port of a socket's own end.
[[nodiscard]] host_port own_end(const file_descriptor& socket);

/// Returns a listening socket; port "0" is any free port. Throws `device_error`.
[[nodiscard]] file_descriptor listening_at(const host_port& place);

/// Returns the name of this machine; or a port of it that is free now. Throws `device_error`.
[[nodiscard]] std::string machine_name();
[[nodiscard]] std::string free_port();

/// Returns a connection, or none if nobody connects, or listens, until the deadline. Throws
/// `plan_error` for an unknown host.
[[nodiscard]] std::optional<file_descriptor> accepted(const file_descriptor& listener,
                                                      const deadline& until);
[[nodiscard]] std::optional<file_descriptor> connected_to(const host_port& place,
                                                          const deadline& until);

/// The state of a transfer.
enum class progress { going_on, done, lost };

/// Send or receive as much as possible now, from `done_bytes` on, which they advance.
[[nodiscard]] progress send_some(const file_descriptor& socket, std::span<const std::byte> bytes,
                                 std::size_t& done_bytes);
[[nodiscard]] progress receive_some(const file_descriptor& socket, std::span<std::byte> bytes,
                                    std::size_t& done_bytes);

/// Send or receive all until the deadline. Return false if the other end is lost or too slow.
[[nodiscard]] bool send_all(const file_descriptor& socket, std::span<const std::byte> bytes,
                            const deadline& until);
[[nodiscard]] bool receive_all(const file_descriptor& socket, std::span<std::byte> bytes,
                               const deadline& until);

/// Returns whether the other end has gone and left nothing to be received.
[[nodiscard]] bool is_at_end(const file_descriptor& socket);

/// Ends sending, and drops what still arrives until the other end ends too or the deadline passes:
/// a socket that is closed with unread data takes back what it sent.
void finish(const file_descriptor& socket, const deadline& until);

}  // namespace wingbeat::processes
