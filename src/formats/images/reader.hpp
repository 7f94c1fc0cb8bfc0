// SPDX-License-Identifier: Apache-2.0
// Images of a file read one after another, so that they are never in memory together.
#pragma once

#include <cstddef>  // size_t
#include <filesystem>
#include <memory>  // unique_ptr

#include "formats/files/byte_source.hpp"  // byte_source
#include "formats/images/format.hpp"      // image_source
#include "formats/images/image.hpp"       // image_stack, image_samples

namespace wingbeat::formats {

/// Reads the formats of `image_formats`, which their content tells, not their names, all of them
/// compressed by gzip, too. A stack may exceed the memory.
class image_reader {
 public:
  /// Opens the file and reads its header. A file that is no regular one, such as a pipe, is read
  /// into memory as it is. No allocation exceeds `limit_bytes`, for the samples of one image.
  /// Throws `file_error` naming the file: unreadable, truncated, malformed, above the limit or of a
  /// kind that is not read; and `plan_error` where the build lacks the library.
  explicit image_reader(const std::filesystem::path& file,
                        std::size_t limit_bytes = default_image_limit_bytes);

  /// Returns the stack without its samples.
  [[nodiscard]] const image_stack& shape() const noexcept { return images_->shape(); }

  /// Returns the bytes of a pipe's content, which stay in memory; 0 of a file.
  [[nodiscard]] std::size_t kept_bytes() const noexcept { return from_.kept_bytes(); }

  /// Returns the samples of `count` images from `first` on, [image][y][x][channel].
  /// Throws `std::logic_error` for images that are not there, and as the constructor does.
  [[nodiscard]] image_samples read(std::size_t first, std::size_t count);

 private:
  byte_source from_;
  std::unique_ptr<byte_source> inflated_;
  std::unique_ptr<image_source> images_;
};

/// Returns the images that the content is, as the first bytes tell. Throws as `image_reader` does.
[[nodiscard]] std::unique_ptr<image_source> open_images(const byte_source& source,
                                                        std::size_t limit_bytes);

}  // namespace wingbeat::formats
