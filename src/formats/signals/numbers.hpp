// SPDX-License-Identifier: Apache-2.0
// Samples that are plain numbers in a file: arrays, and raw I and Q.
#pragma once

#include <cstddef>  // byte, size_t
#include <memory>   // shared_ptr, unique_ptr
#include <optional>
#include <string_view>

#include "formats/files/byte_source.hpp"      // byte_source
#include "formats/files/npy_header.hpp"       // npy_type
#include "formats/signals/sample_reader.hpp"  // sample_reader

namespace wingbeat::formats {

/// Where the numbers of a signal lie, and what they mean.
struct number_layout {
  npy_type type = {};
  std::size_t begin = 0;  ///< Of the first sample in the file.
  /// From a frame to the next, and from a channel to the next; one of them is a sample's bytes.
  std::size_t frame_bytes = 0, channel_bytes = 0;
  double zero = 0, scale = 1;  ///< A sample is (number - zero) scale, exactly.
};

/// Returns the numbers as samples of a signal of this shape. The source must hold all of them.
[[nodiscard]] std::unique_ptr<sample_reader> open_numbers(std::shared_ptr<const byte_source> source,
                                                          const number_layout& layout,
                                                          signal shape);

/// Returns what raw samples mean that SigMF calls `name`, such as cf32_le, ci16 or ru8: "r" or "c",
/// "f", "i" or "u", bits, and maybe the order of bytes. Integers are of full scale 1; unsigned ones
/// are 0 in the middle. Nothing for another name.
[[nodiscard]] std::optional<number_layout> raw_layout_of(std::string_view name);

/// Opens raw frames, one sample of each channel of the shape, from byte `layout.begin` to `end`.
/// The shape gets its length and the type of its samples. Throws `file_error` unless there are
/// whole frames.
[[nodiscard]] std::unique_ptr<sample_reader> open_raw(std::shared_ptr<const byte_source> source,
                                                      number_layout layout, std::size_t end,
                                                      signal shape);

}  // namespace wingbeat::formats
