// SPDX-License-Identifier: Apache-2.0
#include "receive/counts.hpp"

#include <algorithm>  // max
#include <numeric>    // accumulate

namespace wingbeat::receive {

void receive_counts::add(const receive_counts& more) {
  for (std::size_t p = 0; p < polarisations.size(); ++p) {
    polarisation_counts& to = polarisations[p];
    const polarisation_counts& from = more.polarisations[p];
    to.packets += from.packets;
    to.bytes += from.bytes;
    to.samples += from.samples;
    to.saturated_samples += from.saturated_samples;
    to.missing_packets += from.missing_packets;
    to.misaligned += from.misaligned;
    to.late += from.late;
    to.duplicates += from.duplicates;
    to.implausible += from.implausible;
    to.starved += from.starved;
    to.samples_alone += from.samples_alone;
  }
  for (std::size_t i = 0; i < undecodable.size(); ++i) undecodable[i] += more.undecodable[i];
  datagrams += more.datagrams;
  truncated += more.truncated;
  wrong_size += more.wrong_size;
  foreign += more.foreign;
  descriptors += more.descriptors;
  stops += more.stops;
  chunks += more.chunks;
  incomplete_chunks += more.incomplete_chunks;
  restarts += more.restarts;
  socket_drops += more.socket_drops;
  other_destinations += more.other_destinations;
  other_frames += more.other_frames;
  cut_frames += more.cut_frames;
  other_address_bytes = std::max(other_address_bytes, more.other_address_bytes);
}

std::uint64_t receive_counts::n_undecodable() const {
  return std::accumulate(undecodable.begin(), undecodable.end(), std::uint64_t{0});
}

std::uint64_t receive_counts::rejected() const {
  return n_undecodable() + truncated + wrong_size + foreign + descriptors + stops + misaligned() +
         late() + duplicates() + implausible() + starved();
}

}  // namespace wingbeat::receive
