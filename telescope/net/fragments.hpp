// SPDX-License-Identifier: Apache-2.0
// Joins the fragments that IPv4 cut datagrams into.
#pragma once

#include <cstddef>  // byte, size_t
#include <cstdint>  // uint16_t, uint32_t
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "net/ethernet.hpp"  // frame

namespace wingbeat::net {

class fragment_joiner {
 public:
  /// The most datagrams of which fragments are kept, for others that are still to come.
  static constexpr std::size_t most_datagrams = 64;

  /// Takes a fragment. Returns whether its datagram is whole, which `fragment` then is, valid until
  /// the next call.
  [[nodiscard]] bool add(frame& fragment);

  /// Returns how many fragments the last whole datagram had.
  [[nodiscard]] std::size_t count() const { return n_joined_; }

 private:
  struct datagram {
    std::vector<std::byte> bytes = {};
    std::set<std::size_t> offsets = {};
    std::size_t n_bytes = 0, end = 0;  ///< Received; where the last fragment ends, 0: unknown.
    std::size_t age = 0;
  };
  using key = std::tuple<std::uint32_t, std::uint32_t, std::uint16_t>;

  std::map<key, datagram> datagrams_;
  datagram whole_;
  std::size_t n_begun_ = 0, n_joined_ = 0;
};

}  // namespace wingbeat::net
