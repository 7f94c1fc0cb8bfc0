// SPDX-License-Identifier: Apache-2.0
#include "spead/channel_heap.hpp"

namespace wingbeat::spead {
namespace {

/// Bits of one of the two parts of a complex value.
std::size_t part_bits(heap_sample samples) {
  switch (samples) {
    case heap_sample::int4: return 4;
    case heap_sample::int8: return 8;
    case heap_sample::int16:
    case heap_sample::fp16: return 16;
    case heap_sample::fp32: return 32;
  }
  return 0;
}

const char* numpy_type(heap_sample samples) {
  switch (samples) {
    case heap_sample::int4: return "";
    case heap_sample::int8: return "|i1";
    case heap_sample::int16: return "<i2";
    case heap_sample::fp16: return "<f2";
    case heap_sample::fp32: return "<f4";
  }
  return "";
}

}  // namespace

std::size_t channel_heap_format::heap_bytes() const {
  return channels * spectra * polarisations * 2 * part_bits(samples) / 8;
}

std::vector<descriptor> descriptors_of(const channel_heap_format& format) {
  std::vector<descriptor> result{
      immediate_descriptor(channel_item::timestamp, "timestamp",
                           "Time of the first spectrum, in ADC samples since the sync time"),
      immediate_descriptor(channel_item::engine, "feng_id", "Number of the F-engine"),
      immediate_descriptor(channel_item::first_channel, "frequency",
                           "Number of the first channel in the heap")};
  if (format.has_missing) {
    result.push_back(immediate_descriptor(channel_item::missing, "missing",
                                          "Bit p: missing samples of polarisation p count as 0"));
  }
  const std::string text = "Channelised voltages [channel][spectrum][polarisation][re, im]";
  const std::vector<std::size_t> shape{format.channels, format.spectra, format.polarisations, 2};
  if (format.samples == heap_sample::int4) {
    result.push_back({.id = channel_item::voltages,
                      .name = "feng_raw",
                      .description = text,
                      .shape = {shape.begin(), shape.end()},
                      .format = {{'i', 4}},
                      .numpy_header = {}});
  } else {
    result.push_back(array_descriptor(channel_item::voltages, "feng_raw", text,
                                      numpy_type(format.samples), shape));
  }
  return result;
}

outgoing_heap outgoing(const channel_heap& heap, const channel_heap_format& format,
                       std::uint64_t heap_id) {
  outgoing_heap result{.id = heap_id, .pointers = {}, .payload = heap.voltages};
  const auto add = [&](std::uint16_t id, std::uint64_t value) {
    result.pointers.push_back(item_pointer::immediate(id, value));
  };
  add(channel_item::timestamp, heap.timestamp & max_address);
  add(channel_item::engine, heap.engine);
  add(channel_item::first_channel, heap.first_channel);
  if (format.has_missing) add(channel_item::missing, heap.missing);
  result.pointers.push_back(item_pointer::addressed(channel_item::voltages, 0));
  return result;
}

std::optional<channel_heap> channel_heap_of(const heap& received) {
  const auto timestamp = received.value(channel_item::timestamp);
  const auto engine = received.value(channel_item::engine);
  const auto first = received.value(channel_item::first_channel);
  const heap_item* voltages = received.find(channel_item::voltages);
  if (!timestamp || !engine || !first || voltages == nullptr || voltages->is_immediate) return {};
  return channel_heap{.timestamp = *timestamp,
                      .engine = *engine,
                      .first_channel = *first,
                      .missing = received.value(channel_item::missing).value_or(0),
                      .voltages = voltages->bytes};
}

}  // namespace wingbeat::spead
