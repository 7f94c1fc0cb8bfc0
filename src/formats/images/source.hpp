// SPDX-License-Identifier: Apache-2.0
// What each format does to return the images of a stack a few at a time.
#pragma once

#include <cstddef>  // size_t
#include <utility>  // move

#include "formats/images/image.hpp"  // image_stack, image_samples

namespace wingbeat::formats {

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

 protected:
  explicit image_source(image_stack shape = {}) : shape_(std::move(shape)) {}

  /// Of a source whose constructor reads the header.
  void set_shape(image_stack shape) { shape_ = std::move(shape); }

 private:
  image_stack shape_;
};

}  // namespace wingbeat::formats
