// SPDX-License-Identifier: Apache-2.0
// Images written one after another, so that they are never in memory together.
#pragma once

#include <cstddef>  // size_t
#include <filesystem>
#include <memory>  // unique_ptr
#include <optional>

#include "formats/files/atomic_file.hpp"  // atomic_file
#include "formats/images/format.hpp"      // image_sink
#include "formats/images/image.hpp"       // image_stack, image_write_options, value_range

namespace wingbeat::formats {

/// Writes one stack as `write_images` does; without `commit` no file appears.
class image_writer {
 public:
  /// Opens the file. `shape` has no samples, and as many images as will be added.
  /// Throws as `write_images` does.
  image_writer(const std::filesystem::path& file, image_stack shape,
               const image_write_options& options = {});

  /// Appends the samples of one or more whole images.
  void add(const image_samples& samples);

  /// Completes the file, and returns the range of a PNG. Throws `std::logic_error` unless all
  /// images were added.
  std::optional<value_range> commit();

 private:
  image_stack shape_;
  image_write_options options_;  ///< Checked before the file is opened.
  atomic_file to_;
  std::unique_ptr<image_sink> sink_;
  std::size_t n_left_;  ///< Samples.
};

}  // namespace wingbeat::formats
