// SPDX-License-Identifier: Apache-2.0
// Any datagram is a packet whose parts lie within it, or has a fault; so for a digitiser's packet
// and a descriptor.
#include "spead/packet.hpp"

#include "fuzz/reader.hpp"             // require
#include "spead/descriptor.hpp"        // decode_descriptor, encode
#include "spead/digitiser_packet.hpp"  // digitiser_packet

namespace {

using namespace wingbeat::spead;
using wingbeat::fuzz::require;

void check_within(std::span<const std::byte> part, std::span<const std::byte> whole) {
  require(part.empty() || (part.data() >= whole.data() &&
                           part.data() + part.size() <= whole.data() + whole.size()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t n_bytes) {
  const std::span datagram{reinterpret_cast<const std::byte*>(data), n_bytes};
  packet found;
  const packet_fault fault = decode(datagram, found);
  if (fault == packet_fault::none) {
    check_within(found.pointers, datagram);
    check_within(found.payload, datagram);
    require(found.payload_offset + found.payload.size() <= found.heap_length);
  }
  digitiser_packet samples;
  packet_fault again{};
  const digitiser_verdict verdict = decode(datagram, 64, samples, again);
  require(again == fault);
  require((verdict == digitiser_verdict::undecodable) == (fault != packet_fault::none));
  if (verdict == digitiser_verdict::good) {
    require(samples.samples.size() == 64 && samples.timestamp <= max_address);
    check_within(samples.samples, datagram);
    require(samples.polarisation <= 1);
  }
  const auto described = decode_descriptor(datagram);
  // Empty items appear to hold the bytes of the next one.
  if (described && !described->name.empty() && !described->description.empty() &&
      (described->numpy_header.empty() ? !described->format.empty()
                                       : described->numpy_header[0] == '{')) {
    require(decode_descriptor(encode(*described)) == described);
  }
  return 0;
}
