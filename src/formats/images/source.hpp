// SPDX-License-Identifier: Apache-2.0
// What each format does to return the images of a stack a few at a time.
#pragma once

#include <algorithm>  // min
#include <cstddef>    // size_t
#include <utility>    // move

#include "formats/images/image.hpp"  // image_stack, image_samples

namespace wingbeat::formats {

/// The most that samples may take in memory: those of one image, or of all.
struct image_limit {
  std::size_t bytes = default_image_limit_bytes;
  bool is_of_one = false;

  /// Returns how many images of a stack are in memory at once, for the limit's sake.
  [[nodiscard]] std::size_t n_images_of(std::size_t stack) const {
    return is_of_one ? std::min<std::size_t>(stack, 1) : stack;
  }
};

/// Decodes images of one file, whose shape is known and was checked.
class image_source {
 public:
  image_source(const image_source&) = delete;
  image_source& operator=(const image_source&) = delete;
  virtual ~image_source() = default;

  /// Returns the stack without its samples.
  [[nodiscard]] const image_stack& shape() const noexcept { return shape_; }

  /// Returns the samples of `count` images from `first` on, which must exist.
  /// Throws `file_error` for bytes that cannot be decoded.
  [[nodiscard]] virtual image_samples read(std::size_t first, std::size_t count) = 0;

  /// Returns the whole stack.
  [[nodiscard]] image_stack read_all() {
    image_stack stack = shape_;
    stack.samples = read(0, stack.n_images);
    return stack;
  }

 protected:
  explicit image_source(image_stack shape) : shape_(std::move(shape)) {}

 private:
  image_stack shape_;
};

}  // namespace wingbeat::formats
