// SPDX-License-Identifier: Apache-2.0
#include "formats/images/tiff_layout.hpp"

#include <algorithm>  // min
#include <array>
#include <bit>  // endian

#include "formats/files/byte_order.hpp"  // load

namespace wingbeat::formats {
namespace {

constexpr std::uint16_t type_short = 3, type_long = 4, type_ifd = 13, type_long8 = 16,
                        type_ifd8 = 18;

std::uint64_t bytes_of_type(std::uint16_t type) {
  constexpr std::array<std::uint8_t, 19> n_bytes{0, 1, 1, 2, 4, 8, 1, 1, 2, 4,
                                                 8, 4, 8, 4, 0, 0, 8, 8, 8};
  return type < n_bytes.size() ? n_bytes[type] : 0;
}

/// Returns whether the values are offsets of directories.
bool holds_directories(const tiff_entry& entry) {
  constexpr std::uint16_t sub_ifds = 330, exif = 34665, gps = 34853, interoperability = 40965;
  return entry.type == type_ifd || entry.type == type_ifd8 || entry.tag == sub_ifds ||
         entry.tag == exif || entry.tag == gps || entry.tag == interoperability;
}

/// Returns whether the values are offsets of blocks or of other bytes.
bool holds_offsets(const tiff_entry& entry) {
  constexpr std::uint16_t strips = 273, free = 288, tiles = 324, jpeg = 513;
  return entry.tag == strips || entry.tag == free || entry.tag == tiles || entry.tag == jpeg;
}

}  // namespace

tiff_layout::tiff_layout(const byte_source& content)
    : content_(content), is_big_endian_(false), is_big_(false) {
  constexpr std::uint64_t big_version = 43;
  is_big_endian_ = number_at(0, 1) == 'M';
  is_big_ = number_at(2, 2) == big_version;
}

std::uint64_t tiff_layout::number_at(std::uint64_t offset, std::size_t n_bytes) const {
  const std::endian order = is_big_endian_ ? std::endian::big : std::endian::little;
  std::array<std::byte, 8> bytes = {};
  if (content_.read_some(offset, std::span{bytes}.first(n_bytes)) < n_bytes) return 0;
  switch (n_bytes) {
    case 1: return load<std::uint8_t>(bytes.data(), order);
    case 2: return load<std::uint16_t>(bytes.data(), order);
    case 4: return load<std::uint32_t>(bytes.data(), order);
    default: return load<std::uint64_t>(bytes.data(), order);
  }
}

tiff_directory tiff_layout::directory(std::uint64_t offset) const {
  // A directory is a count, entries of tag, type, count and value or offset, and the next offset.
  const std::size_t count_bytes = is_big_ ? 8 : 2, offset_bytes = is_big_ ? 8 : 4;
  const std::size_t entry_bytes = 4 + 2 * offset_bytes;
  tiff_directory found{.entries = {}, .next = 0};
  if (offset >= content_.size()) return found;
  const std::uint64_t n_entries =
      std::min(number_at(offset, count_bytes), (content_.size() - offset) / entry_bytes);
  offset += count_bytes;
  for (std::uint64_t i = 0; i < n_entries; ++i, offset += entry_bytes) {
    tiff_entry entry{.tag = static_cast<std::uint16_t>(number_at(offset, 2)),
                     .type = static_cast<std::uint16_t>(number_at(offset + 2, 2)),
                     .n_values = number_at(offset + 4, offset_bytes),
                     .n_bytes = 0,
                     .offset = offset + 4 + offset_bytes};
    const std::uint64_t value_bytes = bytes_of_type(entry.type);
    if (value_bytes == 0 || entry.n_values > content_.size() / value_bytes) continue;
    entry.n_bytes = entry.n_values * value_bytes;
    if (entry.n_bytes > offset_bytes) entry.offset = number_at(entry.offset, offset_bytes);
    if (entry.offset <= content_.size() - entry.n_bytes) found.entries.push_back(entry);
  }
  found.next = number_at(offset, offset_bytes);
  return found;
}

std::vector<std::uint64_t> tiff_layout::numbers(const tiff_entry& entry) const {
  const bool is_whole = entry.type == type_short || entry.type == type_long ||
                        entry.type == type_ifd || entry.type == type_long8 ||
                        entry.type == type_ifd8;
  std::vector<std::uint64_t> values;
  if (!is_whole) return values;
  const std::uint64_t value_bytes = bytes_of_type(entry.type);
  for (std::uint64_t i = 0; i < entry.n_values; ++i) {
    values.push_back(number_at(entry.offset + i * value_bytes, value_bytes));
  }
  return values;
}

std::string tiff_layout::text(const tiff_entry& entry, std::size_t most) const {
  std::string bytes(std::min<std::uint64_t>(entry.n_bytes, most), '\0');
  bytes.resize(content_.read_some(entry.offset, std::as_writable_bytes(std::span{bytes})));
  return bytes;
}

std::set<std::uint64_t> tiff_layout::named_offsets() const {
  constexpr std::size_t max_directories = 4096;
  std::set<std::uint64_t> named;
  std::set<std::uint64_t> visited;
  std::vector<std::uint64_t> waiting{number_at(is_big_ ? 8 : 4, is_big_ ? 8 : 4)};
  while (!waiting.empty() && visited.size() < max_directories) {
    const std::uint64_t offset = waiting.back();
    waiting.pop_back();
    if (offset == 0 || !visited.insert(offset).second) continue;
    named.insert(offset);
    const tiff_directory found = directory(offset);
    waiting.push_back(found.next);
    for (const tiff_entry& entry : found.entries) {
      named.insert(entry.offset);
      if (!holds_directories(entry) && !holds_offsets(entry)) continue;
      for (const std::uint64_t value : numbers(entry)) {
        named.insert(value);
        if (holds_directories(entry)) waiting.push_back(value);
      }
    }
  }
  return named;
}

}  // namespace wingbeat::formats
