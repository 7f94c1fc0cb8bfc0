// SPDX-License-Identifier: Apache-2.0
// Images that a TIFF holds behind those of its pages, without pages of their own.
#pragma once

#include <tiffio.h>

#include <cstddef>  // size_t

#include "formats/files/byte_source.hpp"  // byte_source

namespace wingbeat::formats {

/// How many images a page says lie one behind the other from its first strip on.
struct image_claim {
  std::size_t n_images;  ///< 0: it says nothing.
  bool is_certain;       ///< Else they may as well have pages, or have been left behind by a copy.
};

/// Returns what the current page claims, of `n_numbers` each, by the fields of MetaMorph and the
/// descriptions of ImageJ (above 4 GiB) and tifffile.
[[nodiscard]] image_claim claimed_images(TIFF* handle, std::size_t n_numbers);

/// Throws `file_error` where one of few pages is not compressed and has room behind it for another
/// of its size, 4 KiB at least, in which no page begins. Leaves another page the current one.
void refuse_images_without_pages(TIFF* handle, const byte_source& content);

}  // namespace wingbeat::formats
