// SPDX-License-Identifier: Apache-2.0
// The formats of images: another one is a file with its source and sink, and a line of the table.
#pragma once

#include <filesystem>
#include <memory>  // unique_ptr
#include <span>
#include <string_view>
#include <vector>

#include "formats/files/atomic_file.hpp"  // atomic_file
#include "formats/files/byte_source.hpp"  // byte_source
#include "formats/images/image.hpp"       // image_stack, image_write_options
#include "formats/images/sink.hpp"        // image_sink
#include "formats/images/source.hpp"      // image_source

namespace wingbeat::formats {

struct image_format_entry {
  std::vector<std::string_view> endings;  ///< Of files that are written, the first the name.
  std::string_view channels;              ///< The digits of the numbers of channels it holds.
  bool holds_stacks;
  std::vector<number_type> types;  ///< Of numbers that it holds, the first unless asked otherwise.
  /// Returns whether a file, which begins with the bytes of `head`, is of the format.
  bool (*is_format_of)(const byte_source& source, std::string_view head);
  /// Opens a file, which must outlive the result. `limit_bytes` holds for the samples of one image.
  /// Throws as `image_reader` does.
  std::unique_ptr<image_source> (*open)(const byte_source& source, std::size_t limit_bytes);
  /// Returns what writes a stack that the format holds, of which it takes the shape alone; the
  /// options have a type. Throws as `write_images` does.
  std::unique_ptr<image_sink> (*create)(atomic_file& file, const image_stack& shape,
                                        const image_write_options& options);
};

/// Returns the table; formats with a mark come first.
[[nodiscard]] std::span<const image_format_entry> image_formats();

/// Returns the format that a name's extension chooses. Throws `plan_error` for one that none
/// has; .npy is that of a pipe, a device or stdout ("-") without extension.
[[nodiscard]] const image_format_entry& entry_of(const std::filesystem::path& file);

}  // namespace wingbeat::formats
