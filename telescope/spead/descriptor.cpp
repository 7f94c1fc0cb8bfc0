// SPDX-License-Identifier: Apache-2.0
#include "spead/descriptor.hpp"

#include <utility>  // move

#include "spead/heap.hpp"        // heap
#include "spead/packet.hpp"      // decode
#include "spead/packetiser.hpp"  // heap_builder
#include "text/formatted.hpp"
#include "text/reject.hpp"  // reject

namespace wingbeat::spead {
namespace {

constexpr std::size_t field_bytes = 3;    // a character, and bits in two bytes
constexpr std::size_t axis_bytes = 7;     // a flag, and a length in six bytes
constexpr std::size_t max_pointers = 64;  // of a descriptor when read

std::string text_of(const heap& source, std::uint16_t id) {
  const heap_item* found = source.find(id);
  if (found == nullptr || found->is_immediate) return {};
  return {reinterpret_cast<const char*>(found->bytes.data()), found->bytes.size()};
}

std::vector<std::byte> format_bytes(const std::vector<format_field>& fields) {
  std::vector<std::byte> bytes(fields.size() * field_bytes);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    bytes[i * field_bytes] = static_cast<std::byte>(fields[i].type);
    store_big_endian(&bytes[i * field_bytes + 1], fields[i].bits, 2);
  }
  return bytes;
}

std::vector<std::byte> shape_bytes(const descriptor& item) {
  std::vector<std::byte> bytes(item.shape.size() * axis_bytes);
  for (std::size_t i = 0; i < item.shape.size(); ++i) {
    const std::size_t length = item.shape[i].value_or(0);
    reject_if(length > max_address,
              "axis {} of item {} has {} elements; an axis has at most 2^48 - 1 of them", i,
              item.name, length);
    bytes[i * axis_bytes] = static_cast<std::byte>(item.shape[i].has_value() ? 0 : 1);
    store_big_endian(&bytes[i * axis_bytes + 1], length, axis_bytes - 1);
  }
  return bytes;
}

bool read_format(const heap& from, descriptor& to) {
  const heap_item* found = from.find(item::format);
  if (found == nullptr) return true;
  if (found->is_immediate || found->bytes.size() % field_bytes != 0) return false;
  for (std::size_t i = 0; i < found->bytes.size(); i += field_bytes) {
    to.format.push_back({std::to_integer<char>(found->bytes[i]),
                         static_cast<std::uint16_t>(load_big_endian(&found->bytes[i + 1], 2))});
  }
  return true;
}

bool read_shape(const heap& from, descriptor& to) {
  const heap_item* found = from.find(item::shape);
  if (found == nullptr) return true;
  if (found->is_immediate || found->bytes.size() % axis_bytes != 0) return false;
  for (std::size_t i = 0; i < found->bytes.size(); i += axis_bytes) {
    const auto flag = std::to_integer<unsigned>(found->bytes[i]);
    if (flag > 1) return false;
    const std::size_t length = load_big_endian(&found->bytes[i + 1], axis_bytes - 1);
    to.shape.push_back(flag == 0 ? std::optional(length) : std::nullopt);
  }
  return true;
}

}  // namespace

descriptor immediate_descriptor(std::uint16_t id, std::string name, std::string description) {
  return {.id = id,
          .name = std::move(name),
          .description = std::move(description),
          .shape = {},
          .format = {{'u', 48}},
          .numpy_header = {}};
}

descriptor array_descriptor(std::uint16_t id, std::string name, std::string description,
                            const std::string& numpy_type, const std::vector<std::size_t>& shape) {
  const std::string lengths = joined(shape, ", ") + (shape.size() == 1 ? "," : "");
  return {.id = id,
          .name = std::move(name),
          .description = std::move(description),
          .shape = {shape.begin(), shape.end()},
          .format = {},
          .numpy_header = formatted("{{'descr': '{}', 'fortran_order': False, 'shape': ({})}}",
                                    numpy_type, lengths)};
}

std::vector<std::byte> encode(const descriptor& item) {
  heap_builder items;
  items.add_immediate(item::id, item.id);
  items.add(item::name, item.name);
  items.add(item::description, item.description);
  items.add(item::format, format_bytes(item.format));
  items.add(item::shape, shape_bytes(item));
  if (!item.numpy_header.empty()) items.add(item::numpy_header, item.numpy_header);
  // One packet of any length, because it is a part of another one.
  const outgoing_heap whole = items.heap(1);
  return packets_of(whole, {.packet_bytes = whole.payload.size() + 128}).front();
}

heap_builder descriptor_heap(const std::vector<descriptor>& descriptors) {
  heap_builder items;
  for (const descriptor& next : descriptors) items.add(item::descriptor, encode(next));
  return items;
}

std::optional<descriptor> decode_descriptor(std::span<const std::byte> bytes) {
  packet found;
  if (decode(bytes, found) != packet_fault::none || !found.is_whole_heap() ||
      found.n_pointers() > max_pointers) {
    return {};
  }
  std::vector<item_pointer> pointers;
  for (std::size_t i = 0; i < found.n_pointers(); ++i) pointers.push_back(found.pointer(i));
  const heap items(found.heap_id, std::move(pointers),
                   {found.payload.begin(), found.payload.end()});
  const auto id = items.value(item::id);
  if (!items.is_valid() || !id || *id > 0x7fff) return {};
  descriptor result{.id = static_cast<std::uint16_t>(*id),
                    .name = text_of(items, item::name),
                    .description = text_of(items, item::description),
                    .shape = {},
                    .format = {},
                    .numpy_header = text_of(items, item::numpy_header)};
  // An empty item has the offset of the next item, and so appears to hold that item's bytes: the
  // format those of the shape, and the shape those of a numpy header.
  const bool has_shape = read_shape(items, result);
  if (!result.numpy_header.empty()) {
    if (!has_shape) result.shape.clear();
    return result;
  }
  if (!has_shape || !read_format(items, result)) return {};
  return result;
}

}  // namespace wingbeat::spead
