// SPDX-License-Identifier: Apache-2.0
#include "spead/digitiser_packet.hpp"

namespace wingbeat::spead {
namespace {

constexpr unsigned has_timestamp = 1, has_id = 2, has_samples = 4, is_whole = 7;

}  // namespace

digitiser_verdict decode(std::span<const std::byte> datagram, std::size_t n_bytes,
                         digitiser_packet& found, packet_fault& fault) {
  unsigned seen = 0, n_addressed = 0;
  std::uint64_t status = 0, offset = 0;
  packet whole;
  fault = decode(datagram, whole, [&](item_pointer next) {
    if (!next.is_immediate()) ++n_addressed;
    if (next.id() == digitiser_item::timestamp && next.is_immediate()) {
      found.timestamp = next.value();
      seen |= has_timestamp;
    } else if (next.id() == digitiser_item::id && next.is_immediate()) {
      found.polarisation = next.value() & 1;
      seen |= has_id;
    } else if (next.id() == digitiser_item::status && next.is_immediate()) {
      status = next.value();
    } else if (next.id() == digitiser_item::samples && !next.is_immediate()) {
      offset = next.value();
      seen |= has_samples;
    }
  });
  if (fault != packet_fault::none) return digitiser_verdict::undecodable;
  if (seen != is_whole) {
    if (whole.is_stop) return digitiser_verdict::stop;
    return whole.has_descriptor ? digitiser_verdict::descriptors : digitiser_verdict::foreign;
  }
  if (!whole.is_whole_heap()) return digitiser_verdict::wrong_size;
  // Other items may accompany the samples, as descriptors do.
  const bool is_alone = n_addressed == 1 && offset == 0 && whole.heap_length == n_bytes;
  if (!is_alone && (offset > whole.heap_length || whole.end_of_item(offset) - offset != n_bytes)) {
    return digitiser_verdict::wrong_size;
  }
  found.heap_id = whole.heap_id;
  found.saturated = static_cast<std::uint16_t>(status >> 32);
  found.is_saturated = (status >> 1 & 1) != 0;
  found.samples = whole.payload.subspan(offset, n_bytes);
  return digitiser_verdict::good;
}

std::array<std::byte, digitiser_preamble_bytes> preamble_of(const digitiser_packet& packet) {
  std::array<std::byte, digitiser_preamble_bytes> bytes;
  std::byte* position = bytes.data();
  const auto put = [&position](std::uint64_t word) {
    store_big_endian(position, word);
    position += pointer_bytes;
  };
  const std::size_t length = packet.samples.size();
  const std::uint64_t status =
      std::uint64_t{packet.saturated} << 32 | (packet.is_saturated ? 2u : 0u);
  put(header_magic << 16 | 8);
  put(item_pointer::immediate(item::heap_id, packet.heap_id).word());
  put(item_pointer::immediate(item::heap_length, length).word());
  put(item_pointer::immediate(item::payload_offset, 0).word());
  put(item_pointer::immediate(item::payload_length, length).word());
  put(item_pointer::immediate(digitiser_item::timestamp, packet.timestamp).word());
  put(item_pointer::immediate(digitiser_item::id, packet.polarisation).word());
  put(item_pointer::immediate(digitiser_item::status, status).word());
  put(item_pointer::addressed(digitiser_item::samples, 0).word());
  return bytes;
}

std::vector<descriptor> digitiser_descriptors(std::size_t packet_samples, unsigned sample_bits) {
  return {immediate_descriptor(digitiser_item::timestamp, "timestamp",
                               "Time of the first sample, in ADC samples since the sync time"),
          immediate_descriptor(digitiser_item::id, "digitiser_id", "Bit 0: polarisation"),
          immediate_descriptor(digitiser_item::status, "digitiser_status",
                               "Bits 47 to 32: saturated samples; bit 1: some are"),
          {.id = digitiser_item::samples,
           .name = "adc_samples",
           .description = "Samples, the most significant bit first",
           .shape = {packet_samples},
           .format = {{'i', static_cast<std::uint16_t>(sample_bits)}},
           .numpy_header = {}}};
}

}  // namespace wingbeat::spead
