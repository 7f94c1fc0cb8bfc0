// SPDX-License-Identifier: Apache-2.0
// Images that commands compute with: finite numbers, as colours or as grey, and files that can hold
// a result.
#pragma once

#include <cstddef>  // size_t
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/images/image.hpp"   // image_stack
#include "formats/images/reader.hpp"  // image_reader
#include "wingbeat/plan.hpp"          // precision

namespace wingbeat::cli {

/// Returns `count` images from `first` on; messages name them as `file`. Throws `file_error` as
/// `formats::image_reader` does, and for a sample that is NaN, infinite, or larger than the
/// precision holds, and for complex samples unless they are taken.
[[nodiscard]] formats::image_stack read_finite(formats::image_reader& images,
                                               const std::string& file, std::size_t first,
                                               std::size_t count, precision real,
                                               bool takes_complex = false);

/// Returns which image of a file is taken: the frame that was asked for, or the only image.
/// Throws `plan_error` for one that is not there, and for several without a frame.
[[nodiscard]] std::size_t frame_of(const std::string& file, const formats::image_stack& images,
                                   std::optional<std::size_t> frame);

/// Returns one image to search, grey, with NaN where a pixel is not there: where it is NaN in the
/// file. Throws as `read_finite` does for other samples.
[[nodiscard]] formats::image_stack read_searched(formats::image_reader& images,
                                                 const std::string& file, std::size_t number,
                                                 precision real);

/// Makes pixels NaN where the mask is 0. Throws `plan_error` unless the mask is one image of the
/// size of `image`, which is grey, and as `read_finite` does.
void apply_mask(const std::string& file, formats::image_stack& image);

/// Returns how many pixels are NaN.
[[nodiscard]] std::size_t count_absent(const formats::image_stack& image);

/// Returns the images as grey ones: of colours the luminance
/// 0.2126 R + 0.7152 G + 0.0722 B of the numbers as they are; alpha is left out.
[[nodiscard]] formats::image_stack to_grey(formats::image_stack images);

/// Returns grey images of grey and alpha ones, RGB of RGBA, and others as they are.
[[nodiscard]] formats::image_stack without_alpha(formats::image_stack images);

/// Returns what images of `n_channels` have beside grey: "alpha", "colours", "colours and alpha".
[[nodiscard]] std::string_view channels_text(std::size_t n_channels);

/// Returns "480 x 640", height first.
[[nodiscard]] std::string size_text(std::size_t height, std::size_t width);

/// Returns the numbers in which a file stores results of the precision: fp64 where that is asked
/// for and the format has it, otherwise the format's own.
[[nodiscard]] std::optional<formats::number_type> float_type_of(const std::string& file,
                                                                precision real);

/// Writes the images, in numbers as `float_type_of` has them unless the options name others.
void write_result(const std::string& file, const formats::image_stack& images, precision real,
                  const formats::image_write_options& options = {});

}  // namespace wingbeat::cli
