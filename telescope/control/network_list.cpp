// SPDX-License-Identifier: Apache-2.0
#include "control/network_list.hpp"

#include <arpa/inet.h>   // inet_pton
#include <netinet/in.h>  // sockaddr_in, sockaddr_in6

#include <algorithm>  // any_of, copy_n

#include "text/number.hpp"  // number_from
#include "text/reject.hpp"  // reject

namespace wingbeat::control {
namespace {

constexpr unsigned n_address_bits = 128, n_mapped_bits = 96;

ip_address mapped(const in_addr& address) {
  ip_address result{};
  result[10] = result[11] = 0xff;
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(&address);
  std::copy_n(bytes, sizeof address, result.begin() + n_mapped_bits / 8);
  return result;
}

/// Returns the address with all bits after the first `n_bits` set to 0.
ip_address prefix_of(ip_address address, unsigned n_bits) {
  for (unsigned i = 0; i < address.size(); ++i) {
    const unsigned n_kept = n_bits > 8 * i ? std::min(n_bits - 8 * i, 8U) : 0;
    address[i] = static_cast<std::uint8_t>(address[i] & ~(0xffU >> n_kept));
  }
  return address;
}

/// Returns the number after the '/', if it is at most `max_bits`.
std::optional<unsigned> parse_bits(std::string_view text, unsigned max_bits) {
  const auto n_bits = number_from<unsigned>(text);
  return n_bits && *n_bits <= max_bits ? n_bits : std::nullopt;
}

}  // namespace

std::optional<ip_address> parse_ip_address(std::string_view text) {
  const std::string terminated{text};
  in_addr v4{};
  if (::inet_pton(AF_INET, terminated.c_str(), &v4) == 1) return mapped(v4);
  ip_address v6{};
  if (::inet_pton(AF_INET6, terminated.c_str(), v6.data()) == 1) return v6;
  return std::nullopt;
}

ip_address ip_address_of(const sockaddr& address) {
  ip_address result{};
  if (address.sa_family == AF_INET) {
    result = mapped(reinterpret_cast<const sockaddr_in&>(address).sin_addr);
  } else if (address.sa_family == AF_INET6) {
    const in6_addr& v6 = reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
    std::copy_n(v6.s6_addr, result.size(), result.begin());
  }
  return result;
}

bool is_loopback(const ip_address& address) {
  static const std::string networks[] = {"127.0.0.0/8", "::1"};
  static const network_list loopback{"", networks};
  return loopback.contains(address);
}

network_list::network_list(std::string_view option, std::span<const std::string> texts) {
  for (const std::string_view text : texts) {
    const std::size_t slash = text.find('/');
    const auto address = parse_ip_address(text.substr(0, slash));
    const bool is_v4 = text.substr(0, slash).find(':') == std::string_view::npos;
    const unsigned max_bits = is_v4 ? n_address_bits - n_mapped_bits : n_address_bits;
    const auto n_bits =
        slash == std::string_view::npos ? max_bits : parse_bits(text.substr(slash + 1), max_bits);
    reject_if(!address || !n_bits,
              "{} '{}' is no address and no network; give such as 10.0.0.1, "
              "10.0.0.0/8 or 2001:db8::/32",
              option, text);
    const network parsed{*address, is_v4 ? n_mapped_bits + *n_bits : *n_bits};
    if (prefix_of(*address, parsed.n_bits) != *address) {
      reject(
          "{} '{}' has bits behind the first {}; set them to 0, or give the "
          "address without '/{}'",
          option, text, *n_bits, *n_bits);
    }
    networks_.push_back(parsed);
  }
}

bool network_list::contains(const ip_address& address) const {
  return std::any_of(networks_.begin(), networks_.end(), [&](const network& each) {
    return prefix_of(address, each.n_bits) == each.address;
  });
}

}  // namespace wingbeat::control
