// SPDX-License-Identifier: Apache-2.0
// Addresses and networks of IPv4 and IPv6; finds out whether an address is in one of them.
#pragma once

#include <array>
#include <cstdint>  // uint8_t
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct sockaddr;

namespace wingbeat::control {

/// 16 bytes, the highest first. IPv4 addresses are mapped: 10.0.0.1 is ::ffff:10.0.0.1.
using ip_address = std::array<std::uint8_t, 16>;

/// Returns the address of "10.0.0.1" or "2001:db8::1", if the text is one.
[[nodiscard]] std::optional<ip_address> parse_ip_address(std::string_view text);

/// Returns the address of a socket's other end; all zeros for other families than these two.
[[nodiscard]] ip_address ip_address_of(const sockaddr& address);

/// Returns whether the address reaches no other machine: 127.0.0.0/8 or ::1.
[[nodiscard]] bool is_loopback(const ip_address& address);

class network_list {
 public:
  network_list() = default;

  /// Reads addresses, such as "10.0.0.1", and networks in CIDR form, such as "10.0.0.0/8" and
  /// "2001:db8::/32". Throws `plan_error`, with the option in the sentence, for other texts and for
  /// addresses with bits set after the network's.
  network_list(std::string_view option, std::span<const std::string> texts);

  [[nodiscard]] bool is_empty() const noexcept { return networks_.empty(); }
  [[nodiscard]] bool contains(const ip_address& address) const;

 private:
  struct network {
    ip_address address = {};
    unsigned n_bits = 0;  ///< Of the network; the other bits of `address` are 0.
  };
  std::vector<network> networks_;
};

}  // namespace wingbeat::control
