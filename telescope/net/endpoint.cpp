// SPDX-License-Identifier: Apache-2.0
#include "net/endpoint.hpp"

#include <arpa/inet.h>  // htonl, inet_pton
#include <ifaddrs.h>    // getifaddrs
#include <netinet/in.h>

#include <memory>  // unique_ptr
#include <optional>
#include <set>

#include "text/formatted.hpp"
#include "text/number.hpp"  // number_from
#include "text/reject.hpp"  // reject

namespace wingbeat::net {
namespace {

constexpr std::size_t max_endpoints = 65536;

/// Returns the text with everything but printable ASCII replaced by '?'.
std::string printable(std::string_view text) {
  std::string shown(text.substr(0, 60));
  for (char& c : shown) {
    if (c < ' ' || c > '~') c = '?';
  }
  return shown;
}

std::optional<std::uint32_t> address_of(std::string_view text) {
  in_addr found{};
  if (inet_pton(AF_INET, std::string(text).c_str(), &found) != 1) return {};
  return ntohl(found.s_addr);
}

std::size_t parse_number(std::string_view text, std::size_t most, std::string_view list) {
  const auto value = number_from<std::size_t>(text);
  if (value && *value <= most) return *value;
  reject("'{}' in the endpoints '{}' is no number up to {}", printable(text), printable(list),
         most);
}

void parse_endpoint(std::string_view text, std::uint16_t port, std::string_view list,
                    std::vector<endpoint>& endpoints) {
  if (const auto colon = text.rfind(':'); colon != text.npos) {
    port = static_cast<std::uint16_t>(parse_number(text.substr(colon + 1), 65535, list));
    text = text.substr(0, colon);
  }
  reject_if(port == 0, "the endpoints '{}' have port 0; ports are 1 to 65535", printable(list));
  std::size_t n_more = 0;
  if (const auto plus = text.rfind('+'); plus != text.npos) {
    n_more = parse_number(text.substr(plus + 1), max_endpoints - 1, list);
    text = text.substr(0, plus);
  }
  const auto first = address_of(text);
  reject_if(!first,
            "'{}' in the endpoints '{}' is no IPv4 address; write them as "
            "239.10.10.10+7:7148, with commas between several",
            printable(text), printable(list));
  reject_if(*first + n_more > 0xffffffff,
            "the endpoints '{}' go on behind 255.255.255.255; give fewer of them", printable(list));
  reject_if(endpoints.size() + n_more + 1 > max_endpoints,
            "the endpoints '{}' are too many; at most {} are possible", printable(list),
            max_endpoints);
  for (std::size_t i = 0; i <= n_more; ++i) {
    endpoints.push_back({static_cast<std::uint32_t>(*first + i), port});
  }
}

}  // namespace

std::string to_string(const endpoint& place) {
  const std::uint32_t a = place.address;
  return formatted("{}.{}.{}.{}:{}", a >> 24, a >> 16 & 255, a >> 8 & 255, a & 255, place.port);
}

std::vector<endpoint> parse_endpoints(std::string_view list, std::uint16_t port) {
  std::vector<endpoint> endpoints;
  std::string_view rest = list;
  while (true) {
    const auto comma = rest.find(',');
    parse_endpoint(rest.substr(0, comma), port, list, endpoints);
    if (comma == rest.npos) return endpoints;
    rest = rest.substr(comma + 1);
  }
}

namespace {

/// Returns name and address of an interface, found by either.
std::pair<std::string, std::uint32_t> find_interface(const std::string& name) {
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) first = nullptr;
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(first, &freeifaddrs);
  const auto given = address_of(name);
  std::set<std::string> names;
  for (const ifaddrs* i = first; i != nullptr; i = i->ifa_next) {
    if (i->ifa_addr == nullptr || i->ifa_addr->sa_family != AF_INET) continue;
    const auto* socket_address = reinterpret_cast<const sockaddr_in*>(i->ifa_addr);
    const std::uint32_t address = ntohl(socket_address->sin_addr.s_addr);
    if (name == i->ifa_name || given == address) return {i->ifa_name, address};
    names.insert(i->ifa_name);
  }
  reject("'{}' is no interface of this machine with an IPv4 address; it has {}", printable(name),
         names.empty() ? "none" : joined(names, ", "));
}

}  // namespace

std::uint32_t interface_address(const std::string& name) {
  return find_interface(name).second;
}

std::string interface_name(const std::string& name) {
  const std::string label = find_interface(name).first;
  return label.substr(0, label.find(':'));  // the name without an alias, such as eth0:1
}

sockaddr_in to_socket_address(const endpoint& place) {
  sockaddr_in result{};
  result.sin_family = AF_INET;
  result.sin_port = htons(place.port);
  result.sin_addr.s_addr = htonl(place.address);
  return result;
}

endpoint from_socket_address(const sockaddr_in& address) {
  return {ntohl(address.sin_addr.s_addr), ntohs(address.sin_port)};
}

}  // namespace wingbeat::net
