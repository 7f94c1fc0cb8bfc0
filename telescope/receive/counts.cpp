// SPDX-License-Identifier: Apache-2.0
#include "receive/counts.hpp"

#include <algorithm>  // max
#include <numeric>    // accumulate

namespace wingbeat::receive {

void receive_counts::add(const receive_counts& more) {
  for (std::size_t p = 0; p < polarisations.size(); ++p) {
    for (const auto& [name, count] : polarisation_fields) {
      polarisations[p].*count += more.polarisations[p].*count;
    }
  }
  for (std::size_t i = 0; i < undecodable.size(); ++i) undecodable[i] += more.undecodable[i];
  datagrams += more.datagrams;
  for (const auto& [name, count] : receive_fields) this->*count += more.*count;
  other_address_bytes = std::max(other_address_bytes, more.other_address_bytes);
}

std::uint64_t receive_counts::n_undecodable() const {
  return std::accumulate(undecodable.begin(), undecodable.end(), std::uint64_t{0});
}

std::uint64_t receive_counts::rejected() const {
  std::uint64_t n = without_samples();
  for (const auto& reject : reject_fields) n += sum(reject.count);
  return n;
}

}  // namespace wingbeat::receive
