// SPDX-License-Identifier: Apache-2.0
// Images that lie in a file as plain numbers, one after another.
#pragma once

#include <bit>      // endian
#include <cstddef>  // byte, size_t
#include <span>
#include <utility>  // move
#include <vector>

#include "formats/files/byte_source.hpp"  // byte_source
#include "formats/images/format.hpp"      // image_sink

namespace wingbeat::formats {

/// How numbers lie in a file.
struct packed_numbers {
  number_type type;
  std::endian order;
  bool is_halved = false;  ///< Two of 4 bits in a byte, the first in the lower; rows are bytes.

  [[nodiscard]] std::size_t row_bytes(std::size_t row_numbers) const {
    return is_halved ? (row_numbers + 1) / 2 : row_numbers * bytes_of(type);
  }
};

/// Images [image][y][x][channel] from byte `start` of the file on, which has them all.
class packed_images final : public image_source {
 public:
  packed_images(const byte_source& source, std::size_t start, packed_numbers stored,
                image_stack shape)
      : image_source(std::move(shape)), from_(source), start_(start), stored_(stored) {}

  [[nodiscard]] image_samples read(std::size_t first, std::size_t count) override {
    const std::size_t row_numbers = shape().width * shape().n_channels;
    const std::size_t row_bytes = stored_.row_bytes(row_numbers), height = shape().height;
    const std::size_t item_bytes = stored_.is_halved ? row_bytes : bytes_of(stored_.type);
    image_samples samples = zeros(stored_.type, count * height * row_numbers);
    std::size_t n_decoded = 0;
    read_pieces(from_, start_ + first * height * row_bytes, count * height * row_bytes, item_bytes,
                [&](std::span<const std::byte> piece, std::size_t) {
                  const auto numbers = stored_.is_halved ? spread(piece, row_numbers) : piece;
                  decode(numbers, stored_.type, stored_.order, samples, {n_decoded, 1});
                  n_decoded += numbers.size() / bytes_of(stored_.type);
                });
    return samples;
  }

 private:
  /// Returns whole rows of halved bytes as bytes.
  std::span<const std::byte> spread(std::span<const std::byte> rows, std::size_t row_numbers) {
    spread_.clear();
    for (; !rows.empty(); rows = rows.subspan(stored_.row_bytes(row_numbers))) {
      for (std::size_t i = 0; i < row_numbers; ++i) {
        spread_.push_back(rows[i / 2] >> (4 * (i % 2)) & std::byte{15});
      }
    }
    return spread_;
  }

  const byte_source& from_;
  std::size_t start_;
  packed_numbers stored_;
  std::vector<std::byte> spread_;
};

/// Writes the samples of images as they come.
class packed_sink : public image_sink {
 public:
  packed_sink(atomic_file& file, packed_numbers stored) : to_(file), stored_(stored) {}

  void add(const image_samples& samples) override {
    write_samples(to_, samples, stored_.type, stored_.order);
  }

 private:
  atomic_file& to_;
  packed_numbers stored_;
};

}  // namespace wingbeat::formats
