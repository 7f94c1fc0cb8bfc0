// SPDX-License-Identifier: Apache-2.0
#include "net/fragments.hpp"

#include <algorithm>  // copy, max, ranges::min_element
#include <utility>    // move

namespace wingbeat::net {

bool fragment_joiner::add(frame& fragment) {
  constexpr std::size_t max_bytes = 65535;
  const key name{fragment.source.address, fragment.destination.address, fragment.number};
  const auto [found, is_begun] = datagrams_.try_emplace(name);
  datagram& each = found->second;
  if (is_begun) each.age = n_begun_++;
  const std::size_t end = fragment.offset + fragment.payload.size();
  if (end > max_bytes) return false;
  if (each.offsets.insert(fragment.offset).second) {
    each.n_bytes += fragment.payload.size();
    each.bytes.resize(std::max(each.bytes.size(), end));
    std::copy(fragment.payload.begin(), fragment.payload.end(),
              each.bytes.begin() + static_cast<std::ptrdiff_t>(fragment.offset));
    if (fragment.is_last) each.end = end;
  }
  if (each.end > 0 && each.n_bytes == each.end && each.bytes.size() == each.end) {
    whole_ = std::move(each);
    n_joined_ = whole_.offsets.size();
    datagrams_.erase(found);
    fragment.payload = whole_.bytes;
    return true;
  }
  if (datagrams_.size() > most_datagrams) {
    datagrams_.erase(std::ranges::min_element(datagrams_, {},
                                              [](const auto& entry) { return entry.second.age; }));
  }
  return false;
}

}  // namespace wingbeat::net
