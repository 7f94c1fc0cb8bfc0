// SPDX-License-Identifier: Apache-2.0
#include "formats/images/tiff_layout.hpp"

#include <algorithm>  // min
#include <array>
#include <set>
#include <span>

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

bool holds_whole_numbers(const tiff_entry& entry) {
  return entry.type == type_short || entry.type == type_long || entry.type == type_ifd ||
         entry.type == type_long8 || entry.type == type_ifd8;
}

std::uint64_t load_number(std::span<const std::byte> bytes, std::endian order) {
  switch (bytes.size()) {
    case 1: return load<std::uint8_t>(bytes.data(), order);
    case 2: return load<std::uint16_t>(bytes.data(), order);
    case 4: return load<std::uint32_t>(bytes.data(), order);
    default: return load<std::uint64_t>(bytes.data(), order);
  }
}

}  // namespace

tiff_layout::tiff_layout(const byte_source& content) : content_(content) {
  constexpr std::uint64_t big_version = 43;
  if (number_at(0, 1) == 'M') order_ = std::endian::big;
  is_big_ = number_at(2, 2) == big_version;
}

std::uint64_t tiff_layout::number_at(std::uint64_t offset, std::size_t n_bytes) const {
  std::array<std::byte, 8> bytes = {};
  const auto wanted = std::span{bytes}.first(n_bytes);
  return content_.read_some(offset, wanted) < n_bytes ? 0 : load_number(wanted, order_);
}

tiff_directory tiff_layout::directory(std::uint64_t offset) const {
  // A directory is a count, entries of tag, type, count and value or offset, and the next offset.
  constexpr std::uint64_t max_entries = 4096;  // as of libtiff
  const std::size_t count_bytes = is_big_ ? 8 : 2, offset_bytes = is_big_ ? 8 : 4;
  const std::size_t entry_bytes = 4 + 2 * offset_bytes;
  tiff_directory found = {};
  const std::uint64_t n_entries = number_at(offset, count_bytes);
  if (n_entries > max_entries) return found;
  offset += count_bytes;
  std::vector<std::byte> bytes(n_entries * entry_bytes + offset_bytes);
  bytes.resize(content_.read_some(offset, bytes));
  found.n_bytes = count_bytes + bytes.size();
  const auto number = [&](std::size_t place, std::size_t n_bytes) {
    return load_number(std::span{bytes}.subspan(place, n_bytes), order_);
  };
  std::size_t place = 0;
  for (; place + entry_bytes <= bytes.size(); place += entry_bytes) {
    tiff_entry entry{.tag = static_cast<std::uint16_t>(number(place, 2)),
                     .type = static_cast<std::uint16_t>(number(place + 2, 2)),
                     .n_values = number(place + 4, offset_bytes),
                     .n_bytes = 0,
                     .offset = offset + place + 4 + offset_bytes};
    const std::uint64_t value_bytes = bytes_of_type(entry.type);
    if (value_bytes == 0 || entry.n_values > content_.size() / value_bytes) continue;
    entry.n_bytes = entry.n_values * value_bytes;
    if (entry.n_bytes > offset_bytes) entry.offset = number(place + 4 + offset_bytes, offset_bytes);
    if (entry.offset <= content_.size() - entry.n_bytes) found.entries.push_back(entry);
  }
  if (place + offset_bytes == bytes.size()) found.next = number(place, offset_bytes);
  return found;
}

void tiff_layout::give_numbers(const tiff_entry& entry, const number_sink& take) const {
  if (!holds_whole_numbers(entry)) return;
  const std::uint64_t value_bytes = bytes_of_type(entry.type);
  read_pieces(content_, entry.offset, entry.n_bytes, value_bytes, [&](auto piece, std::size_t) {
    for (; !piece.empty(); piece = piece.subspan(value_bytes)) {
      take(load_number(piece.first(value_bytes), order_));
    }
  });
}

std::string tiff_layout::text(const tiff_entry& entry, std::size_t most) const {
  std::string bytes(std::min<std::uint64_t>(entry.n_bytes, most), '\0');
  bytes.resize(content_.read_some(entry.offset, std::as_writable_bytes(std::span{bytes})));
  return bytes;
}

void tiff_layout::give_named_offsets(const number_sink& take) const {
  std::set<std::uint64_t> visited;
  std::vector<std::uint64_t> waiting{number_at(is_big_ ? 8 : 4, is_big_ ? 8 : 4)};
  std::uint64_t n_left = content_.size();  // bytes that may still be read
  while (!waiting.empty()) {
    const std::uint64_t offset = waiting.back();
    waiting.pop_back();
    if (offset == 0 || !visited.insert(offset).second) continue;
    const tiff_directory found = directory(offset);
    if (found.n_bytes > n_left) return;
    n_left -= found.n_bytes;
    take(offset);
    for (const tiff_entry& entry : found.entries) {
      take(entry.offset);
      const bool has_directories = holds_directories(entry);
      if (!has_directories && !holds_offsets(entry)) continue;
      const bool is_inside = entry.offset - offset < found.n_bytes;
      if (!is_inside && entry.n_bytes > n_left) continue;
      if (!is_inside) n_left -= entry.n_bytes;
      give_numbers(entry, [&](std::uint64_t value) {
        take(value);
        if (has_directories) waiting.push_back(value);
      });
    }
    waiting.push_back(found.next);  // before what is within the directory
  }
}

}  // namespace wingbeat::formats
