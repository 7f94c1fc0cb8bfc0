// SPDX-License-Identifier: Apache-2.0
// What image files are made of: numbers in either byte order, zlib without compression.
#pragma once

#include <algorithm>  // min
#include <bit>        // bit_cast, endian
#include <cstdint>
#include <memory>  // unique_ptr
#include <string>
#include <vector>

#include "formats/files/byte_source.hpp"  // byte_source
#include "formats/images/format.hpp"      // image_source
#include "formats/images/image.hpp"       // image_stack
#include "formats/message.hpp"            // as_bytes, little_endian

namespace wingbeat::test {

inline std::string number(std::uint64_t value, int n_bytes,
                          std::endian order = std::endian::little) {
  const std::string bytes = little_endian(value, n_bytes);
  return order == std::endian::little ? bytes : std::string(bytes.rbegin(), bytes.rend());
}

inline std::string float_bytes(float value, std::endian order = std::endian::little) {
  return number(std::bit_cast<std::uint32_t>(value), 4, order);
}

/// A zlib stream of stored blocks:  78 01 . (last, length, its complement, bytes) ... . Adler-32.
inline std::string zlib(const std::string& data) {
  constexpr std::size_t most = 65535;
  std::string stream = "\x78\x01";
  std::size_t offset = 0;
  do {
    const std::size_t length = std::min(most, data.size() - offset);
    stream += offset + length == data.size() ? '\1' : '\0';
    stream += number(length, 2) + number(~length, 2) + data.substr(offset, length);
    offset += length;
  } while (offset < data.size());
  std::uint32_t a = 1, b = 0;
  for (const char c : data) {
    a = (a + static_cast<unsigned char>(c)) % 65521;
    b = (b + a) % 65521;
  }
  return stream + number(b << 16 | a, 4, std::endian::big);
}

/// Returns all samples of the stack, in double.
inline std::vector<double> samples_of(const formats::image_stack& stack) {
  return formats::to_doubles(stack.samples);
}

/// Returns all images of a file's content, by a function that opens the format.
inline formats::image_stack read_by(
    std::unique_ptr<formats::image_source> (*open)(const formats::byte_source&, std::size_t),
    const std::string& content, const std::string& name, std::size_t limit_bytes) {
  const formats::byte_source source{as_bytes(content), name};
  const auto images = open(source, limit_bytes);
  formats::image_stack stack = images->shape();
  stack.samples = images->read(0, stack.n_images);
  return stack;
}

inline formats::image_stack grey_image(std::size_t height, std::size_t width,
                                       std::vector<float> samples) {
  formats::image_stack stack;
  stack.height = height;
  stack.width = width;
  stack.samples = std::move(samples);
  return stack;
}

}  // namespace wingbeat::test
