// SPDX-License-Identifier: Apache-2.0
// Images that a TIFF holds behind those of its pages, without pages of their own.
#pragma once

#include <cstddef>  // size_t
#include <cstdint>  // uint64_t
#include <span>

#include "formats/files/byte_source.hpp"   // byte_source
#include "formats/images/tiff_source.hpp"  // tiff_source

namespace wingbeat::formats {

/// How many images a page says lie one behind the other from its first strip on.
struct image_claim {
  std::size_t n_images;  ///< 0: it says nothing.
  bool is_certain;       ///< Else they may as well have pages, or have been left behind by a copy.
};

/// Returns what the current page claims, of `n_numbers` each, by the fields of MetaMorph and the
/// descriptions of ImageJ (above 4 GiB) and tifffile, also where it has several.
[[nodiscard]] image_claim claimed_images(const tiff_source& source, const byte_source& content,
                                         std::size_t n_numbers);

/// Where the uncompressed blocks of a page lie; 0 bytes: nowhere.
struct tiff_extent {
  std::uint64_t n_bytes = 0, end = 0;
};

/// Who writes images without pages writes few pages, one for each series.
inline constexpr std::size_t max_judged_pages = 64;

/// Throws `file_error` where few pages have room behind one of them for another of its size that
/// no directory names, unless that is padding.
void refuse_images_without_pages(std::span<const tiff_extent> pages, const byte_source& content);

}  // namespace wingbeat::formats
