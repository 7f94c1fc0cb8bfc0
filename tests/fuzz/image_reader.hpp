// SPDX-License-Identifier: Apache-2.0
// What every reader of images promises, whatever it is given.
#pragma once

#include "formats/files/byte_source.hpp"  // byte_source
#include "formats/images/image.hpp"       // image_stack
#include "fuzz/reader.hpp"                // check_message, require

namespace wingbeat::fuzz {

inline void check_images(const formats::image_stack& stack, std::size_t limit_bytes) {
  require(stack.n_images >= 1 && stack.height >= 1 && stack.width >= 1);
  require(stack.n_channels >= 1 && stack.n_channels <= 4);
  const std::size_t n_samples = formats::size_of(stack.samples);
  require(n_samples == stack.n_images * stack.height * stack.width * stack.n_channels);
  require(n_samples * sizeof(float) <= limit_bytes);
  const auto& pixel = stack.pixel_angstrom;
  require(pixel.x >= 0 && pixel.y >= 0 && pixel.z >= 0);
}

template <class Open>
void check_image_reader(Open open, std::span<const std::byte> content) {
  constexpr std::size_t limit_bytes = std::size_t{1} << 22;
  const formats::byte_source source{content, "fuzz"};
  try {
    const auto images = open(source, limit_bytes);
    require(images->shape().n_images >= 1);
    formats::image_stack first = images->shape();
    first.n_images = 1;
    first.samples = images->read(0, 1);
    check_images(first, limit_bytes);
  } catch (const file_error& refused) {
    check_message(refused.what());
  }
}

}  // namespace wingbeat::fuzz
