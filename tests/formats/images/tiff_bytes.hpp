// SPDX-License-Identifier: Apache-2.0
// TIFF files, spelled out:  header . (blocks . longer values . directory) of each page.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "formats/images/bytes.hpp"  // number

namespace wingbeat::test {

namespace tiff_tag {
constexpr unsigned kind = 254, width = 256, height = 257, bits = 258, compression = 259,
                   meaning = 262, strip_offsets = 273, channels = 277, rows_per_strip = 278,
                   strip_bytes = 279, x_resolution = 282, y_resolution = 283, planes = 284,
                   unit = 296, predictor = 317, palette = 320, fill_order = 266, description = 270,
                   extra = 338, depth = 32997, metamorph = 33629, tile_width = 322,
                   tile_height = 323, tile_offsets = 324, tile_bytes = 325, format = 339;
}  // namespace tiff_tag

/// Values of one tag; `n_bytes` is 1 for text, 2 for shorts, 4 for longs, 8 for rationals.
struct tiff_values {
  int n_bytes = 2;
  std::vector<std::uint64_t> values;
};

struct tiff_page_bytes {
  std::map<unsigned, tiff_values> fields;
  std::vector<std::string> blocks;  ///< Strips, or tiles if there is a tile width.
};

/// One grey strip of unsigned bytes; tests change what they are about.
inline tiff_page_bytes tiff_page(std::uint64_t width, std::uint64_t height,
                                 std::vector<std::string> blocks, std::uint64_t bits = 8,
                                 std::uint64_t format = 1) {
  return {{{tiff_tag::width, {4, {width}}},
           {tiff_tag::height, {4, {height}}},
           {tiff_tag::bits, {2, {bits}}},
           {tiff_tag::compression, {2, {1}}},
           {tiff_tag::meaning, {2, {1}}},
           {tiff_tag::channels, {2, {1}}},
           {tiff_tag::rows_per_strip, {4, {height}}},
           {tiff_tag::format, {2, {format}}}},
          std::move(blocks)};
}

/// Returns a field's values as bytes. A rational is its numerator over 1.
inline std::string tiff_value_bytes(const tiff_values& field, std::endian order) {
  std::string bytes;
  for (const std::uint64_t value : field.values) {
    bytes += field.n_bytes == 8 ? number(value, 4, order) + number(1, 4, order)
                                : number(value, field.n_bytes, order);
  }
  return bytes;
}

inline std::string tiff(std::vector<tiff_page_bytes> pages,
                        std::endian order = std::endian::little) {
  const auto put = [&](std::uint64_t value, int n_bytes) { return number(value, n_bytes, order); };
  std::string file = order == std::endian::little ? "II" : "MM";
  file += put(42, 2);
  std::size_t link = file.size();  // where the offset of the next directory goes
  file += put(0, 4);
  for (tiff_page_bytes& page : pages) {
    tiff_values offsets{4, {}}, sizes{4, {}};
    for (const std::string& block : page.blocks) {
      offsets.values.push_back(file.size());
      sizes.values.push_back(block.size());
      file += block;
    }
    const bool has_tiles = page.fields.contains(tiff_tag::tile_width);
    page.fields.emplace(has_tiles ? tiff_tag::tile_offsets : tiff_tag::strip_offsets, offsets);
    page.fields.emplace(has_tiles ? tiff_tag::tile_bytes : tiff_tag::strip_bytes, sizes);
    std::string directory = put(page.fields.size(), 2);
    for (const auto& [tag, field] : page.fields) {
      std::string bytes = tiff_value_bytes(field, order);
      const unsigned type = field.n_bytes == 1   ? 2
                            : field.n_bytes == 2 ? 3
                            : field.n_bytes == 4 ? 4
                                                 : 5;
      directory += put(tag, 2) + put(type, 2) + put(field.values.size(), 4);
      if (bytes.size() > 4) {
        file += std::string(file.size() % 2, '\0');
        const std::size_t offset = file.size();
        file += bytes;
        bytes = put(offset, 4);
      }
      bytes.resize(4, '\0');
      directory += bytes;
    }
    file += std::string(file.size() % 2, '\0');
    file.replace(link, 4, put(file.size(), 4));
    file += directory;
    link = file.size();
    file += put(0, 4);
  }
  return file;
}

/// PackBits of literal runs alone.
inline std::string packbits(const std::string& data) {
  std::string packed;
  for (std::size_t offset = 0; offset < data.size(); offset += 128) {
    const std::string run = data.substr(offset, 128);
    packed += static_cast<char>(run.size() - 1) + run;
  }
  return packed;
}

/// LZW of literal codes alone, of 9 bits: 256 clears the table, 257 ends. For up to 250 bytes.
inline std::string lzw(const std::string& data) {
  std::vector<unsigned> codes = {256};
  for (const char c : data) codes.push_back(static_cast<unsigned char>(c));
  codes.push_back(257);
  std::string packed;
  std::uint64_t bits = 0;
  int n_bits = 0;
  for (const unsigned code : codes) {
    bits = bits << 9 | code;
    for (n_bits += 9; n_bits >= 8; n_bits -= 8) packed += static_cast<char>(bits >> (n_bits - 8));
  }
  return packed + static_cast<char>(bits << (8 - n_bits));
}

}  // namespace wingbeat::test
