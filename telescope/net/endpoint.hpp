// SPDX-License-Identifier: Apache-2.0
// Addresses of UDP over IPv4.
#pragma once

#include <compare>
#include <cstdint>  // uint16_t, uint32_t
#include <string>
#include <string_view>
#include <vector>

struct sockaddr_in;

namespace wingbeat::net {

struct endpoint {
  std::uint32_t address = 0;  ///< 127.0.0.1 is 0x7f000001.
  std::uint16_t port = 0;

  /// Returns whether this is a multicast group: 224.0.0.0 to 239.255.255.255.
  [[nodiscard]] bool is_multicast() const { return address >> 28 == 0xe; }
  auto operator<=>(const endpoint&) const = default;
};

inline constexpr std::uint16_t default_port = 7148;

/// Returns "127.0.0.1:7148".
[[nodiscard]] std::string to_string(const endpoint& place);

/// Returns the endpoints of a list, separated by commas. "239.10.10.10+7:7148" are eight groups
/// from 239.10.10.10 on; without a port, it is `port`. Throws `plan_error` for other texts and for
/// more than 65,536 endpoints.
[[nodiscard]] std::vector<endpoint> parse_endpoints(std::string_view list,
                                                    std::uint16_t port = default_port);

/// Returns the IPv4 address of a network interface given by its name or by its address. Throws
/// `plan_error` that lists the interfaces of this machine.
[[nodiscard]] std::uint32_t interface_address(const std::string& name);

/// Returns the name of such an interface, given by either. Throws as above.
[[nodiscard]] std::string interface_name(const std::string& name);

/// Convert to and from the form of the socket functions.
[[nodiscard]] sockaddr_in to_socket_address(const endpoint& place);
[[nodiscard]] endpoint from_socket_address(const sockaddr_in& address);

}  // namespace wingbeat::net
