// SPDX-License-Identifier: Apache-2.0
#include "receive/chunk.hpp"

#include "text/reject.hpp"  // reject

namespace wingbeat::receive {

std::size_t chunk_geometry::chunk_bytes() const {
  return polarisations *
         (plane_bytes() + packets() * (sizeof(std::uint8_t) + sizeof(std::uint16_t)));
}

void check(const chunk_geometry& g) {
  constexpr std::size_t max_packet_bytes = 65000, max_chunk_samples = std::size_t{1} << 29;
  reject_if(g.sample_bits < 2 || g.sample_bits > 16, "samples of {} bits were given; give 2 to 16",
            g.sample_bits);
  reject_if(g.polarisations < 1 || g.polarisations > 2, "{} polarisations were given; give 1 or 2",
            g.polarisations);
  reject_if(g.packet_samples == 0 || g.packet_samples * g.sample_bits % 8 != 0 ||
                g.packet_bytes() > max_packet_bytes,
            "packets of {} samples of {} bits were given; they have 1 to {} whole bytes",
            g.packet_samples, g.sample_bits, max_packet_bytes);
  reject_if(g.chunk_samples == 0 || g.chunk_samples % g.packet_samples != 0 ||
                g.chunk_samples > max_chunk_samples,
            "chunks of {} samples were given; give whole packets of {} samples, at most {} samples",
            g.chunk_samples, g.packet_samples, max_chunk_samples);
}

}  // namespace wingbeat::receive
