// SPDX-License-Identifier: Apache-2.0
#include "transmit/batch_packets.hpp"

#include <algorithm>  // copy

namespace wingbeat::transmit {

void batch_packets::prepare(std::span<const spead::outgoing_heap> heaps,
                            std::span<const net::endpoint> destinations,
                            const spead::packet_shape& shape, std::size_t in_succession) {
  std::vector<spead::packetiser> sources;
  std::size_t n_packets = 0, n_preamble_bytes = 0;
  for (const spead::outgoing_heap& next : heaps) {
    sources.emplace_back(next, shape);
    n_packets += sources.back().n_packets();
    // Header, the packet's four pointers, the heap's pointers, and one for heaps without payload.
    n_preamble_bytes += sources.back().n_packets() *
                        (spead::header_bytes + (5 + next.pointers.size()) * spead::pointer_bytes);
  }
  // Messages point to these, so they must not move.
  preambles_.resize(n_preamble_bytes);
  pieces_.clear();
  pieces_.reserve(2 * n_packets);
  messages_.clear();
  std::byte* free = preambles_.data();
  for (std::size_t n_done = 0; n_done < n_packets;) {
    for (std::size_t h = 0; h < sources.size(); ++h) {
      if (sources[h].is_done()) continue;
      queued_message message{.message = {.destination = destinations[h]}, .heap = h};
      const std::size_t first = pieces_.size();
      for (; message.n_packets < in_succession && !sources[h].is_done(); ++message.n_packets) {
        const auto [preamble, payload] = sources[h].next();
        std::copy(preamble.begin(), preamble.end(), free);
        pieces_.push_back({free, preamble.size()});
        pieces_.push_back({const_cast<std::byte*>(payload.data()), payload.size()});
        free += preamble.size();
        message.n_bytes += preamble.size() + payload.size();
      }
      message.message.pieces = std::span(pieces_).subspan(first);
      // All but the last packet of a heap have the length of the first.
      if (message.n_packets > 1) {
        message.message.segment_bytes = pieces_[first].iov_len + pieces_[first + 1].iov_len;
      }
      n_done += message.n_packets;
      messages_.push_back(message);
    }
  }
}

}  // namespace wingbeat::transmit
