// SPDX-License-Identifier: Apache-2.0
// Samples of any size as the numbers of a picture.
#pragma once

#include <bit>      // endian
#include <cstddef>  // byte
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/files/atomic_file.hpp"  // atomic_file
#include "formats/images/format.hpp"      // image_sink
#include "formats/images/image.hpp"       // value_range

namespace wingbeat::formats {

/// Returns the least and the largest finite sample but those of alpha, {0, 0} without any.
[[nodiscard]] value_range range_of(const image_samples& samples, std::size_t n_channels = 1);

/// Returns the number of a sample: 0 for black, below, NaN and in an empty range, `most` for white
/// and above, and between them linearly, rounded.
[[nodiscard]] unsigned scaled(double value, value_range range, unsigned most);

/// Returns samples first .. first + n_samples - 1, of images of the shape, as numbers of 8 or 16
/// bits. Alpha has the scale that `image_write_options` describes.
[[nodiscard]] std::vector<std::byte> picture_numbers(const image_samples& samples,
                                                     std::size_t first, std::size_t n_samples,
                                                     const image_stack& shape, value_range range,
                                                     number_type type, std::endian order);

/// Writes numbers [y][x][channel] of 8 or 16 bits, the latter big-endian, as a file of the shape.
using picture_encoder = void (*)(atomic_file& file, const image_stack& shape, number_type type,
                                 std::span<const std::byte> numbers);

/// The one image of a file, which is written when it is there.
class picture_sink final : public image_sink {
 public:
  picture_sink(atomic_file& file, const image_stack& shape, const image_write_options& options,
               picture_encoder encode)
      : to_(file), shape_(shape_of(shape)), options_(options), encode_(encode) {}

  void add(const image_samples& samples) override;
  std::optional<value_range> finish() override { return options_.range; }

 private:
  atomic_file& to_;
  image_stack shape_;
  image_write_options options_;
  picture_encoder encode_;
};

/// Throws `plan_error` naming `name` unless both ends are finite and black is below white.
void check_range(value_range range, const std::string& name);

}  // namespace wingbeat::formats
