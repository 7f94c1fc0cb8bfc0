// SPDX-License-Identifier: Apache-2.0
// Images that lie in a file as plain numbers, one after another.
#pragma once

#include <bit>      // endian
#include <cstddef>  // byte, size_t
#include <span>
#include <utility>  // move

#include "formats/files/byte_source.hpp"  // byte_source
#include "formats/images/source.hpp"      // image_source

namespace wingbeat::formats {

/// Images [image][y][x][channel] of one type from byte `start` of the file on, which has them all.
class packed_images final : public image_source {
 public:
  packed_images(const byte_source& source, std::size_t start, number_type type, std::endian order,
                image_stack shape)
      : image_source(std::move(shape)), from_(source), start_(start), type_(type), order_(order) {}

  [[nodiscard]] image_samples read(std::size_t first, std::size_t count) override {
    const std::size_t points = shape().height * shape().width * shape().n_channels;
    const std::size_t number_bytes = bytes_of(type_);
    image_samples samples = zeros(type_, count * points);
    read_pieces(from_, start_ + first * points * number_bytes, count * points * number_bytes,
                number_bytes, [&](std::span<const std::byte> piece, std::size_t offset) {
                  decode(piece, type_, order_, samples, {offset / number_bytes, 1});
                });
    return samples;
  }

 private:
  const byte_source& from_;
  std::size_t start_;
  number_type type_;
  std::endian order_;
};

}  // namespace wingbeat::formats
