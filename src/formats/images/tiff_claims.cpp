// SPDX-License-Identifier: Apache-2.0
#include "formats/images/tiff_claims.hpp"

#include <algorithm>  // max, min
#include <charconv>   // from_chars
#include <set>
#include <string>
#include <string_view>
#include <system_error>  // errc
#include <vector>

#include "formats/files/refusal.hpp"  // refuse
#include "text/counted.hpp"           // counted

namespace wingbeat::formats {
namespace {

/// Cuts a number off the front, behind blanks; 0 where there is none.
std::size_t take_number(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  std::size_t number = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<std::size_t>(result.ptr - text.data()));
  return result.ec == std::errc{} ? number : 0;
}

/// Returns the product of a list such as `5, 480, 640]`, or 0 where it is none.
std::size_t product_of(std::string_view list) {
  for (std::size_t product = 1;;) {
    const std::size_t length = take_number(list);
    if (length == 0 || product > SIZE_MAX / length || list.empty()) return 0;
    product *= length;
    if (list.front() == ']' || list.front() == ')') return product;
    list.remove_prefix(1);
  }
}

image_claim claim_of(std::string_view description, std::size_t n_numbers) {
  const auto behind = [&](std::string_view key) {
    const std::size_t found = description.find(key);
    return found == description.npos ? std::string_view{} : description.substr(found + key.size());
  };
  if (description.starts_with("ImageJ=")) {
    std::string_view images = behind("\nimages=");
    return {take_number(images), true};
  }
  // As tifffile writes it, and as it did before 2018.
  const std::string_view list =
      description.starts_with("shape=(") ? behind("shape=(") : behind("\"shape\": [");
  return {product_of(list) / n_numbers, behind("\"truncated\": true").data() != nullptr};
}

}  // namespace

image_claim claimed_images(TIFF* handle, std::size_t n_numbers) {
  constexpr std::uint32_t metamorph_planes = 33629;
  std::uint32_t n_planes = 0;
  const void* planes = nullptr;
  if (TIFFGetField(handle, metamorph_planes, &n_planes, &planes) != 0) return {n_planes, true};
  const char* description = nullptr;
  if (TIFFGetField(handle, TIFFTAG_IMAGEDESCRIPTION, &description) == 0) return {0, false};
  return claim_of(description, n_numbers);
}

void refuse_images_without_pages(TIFF* handle, const byte_source& content) {
  constexpr std::size_t max_judged_pages = 64;  // who writes images without pages writes few pages
  constexpr std::uint64_t least_bytes = 4096;   // of what is no padding
  struct extent {
    std::uint64_t n_bytes = 0, end = 0;
  };
  std::set<std::uint64_t> named{content.size()};
  std::vector<extent> pages;
  bool has_next = TIFFSetDirectory(handle, 0) != 0;
  for (; has_next; has_next = TIFFLastDirectory(handle) == 0 && TIFFReadDirectory(handle) != 0) {
    if (pages.size() == max_judged_pages) return;
    named.insert(TIFFCurrentDirOffset(handle));
    std::uint16_t compression = COMPRESSION_NONE, n_smaller = 0;
    TIFFGetFieldDefaulted(handle, TIFFTAG_COMPRESSION, &compression);
    std::uint64_t* smaller = nullptr;
    if (TIFFGetField(handle, TIFFTAG_SUBIFD, &n_smaller, &smaller) != 0) {
      named.insert(smaller, smaller + n_smaller);
    }
    extent& page = pages.emplace_back();
    const std::uint32_t n_blocks =
        TIFFIsTiled(handle) != 0 ? TIFFNumberOfTiles(handle) : TIFFNumberOfStrips(handle);
    for (std::uint32_t i = 0; i < n_blocks; ++i) {
      const std::uint64_t begin = TIFFGetStrileOffset(handle, i);
      const std::uint64_t n_bytes = TIFFGetStrileByteCount(handle, i);
      named.insert(begin);
      if (compression != COMPRESSION_NONE) continue;
      page.n_bytes += n_bytes;
      page.end = std::max(page.end, begin + n_bytes);
    }
  }
  for (std::size_t i = 0; i < pages.size(); ++i) {
    const auto& [n_bytes, end] = pages[i];
    if (n_bytes == 0 || end >= content.size()) continue;
    const std::uint64_t gap = *named.lower_bound(end) - end;
    if (gap < std::max(n_bytes, least_bytes)) continue;
    refuse(content.name(),
           "has {}, and behind the numbers of page {} room for {} of its size without a page; save "
           "each image as a page",
           counted(pages.size(), "page"), i, counted(gap / n_bytes, "image"));
  }
}

}  // namespace wingbeat::formats
