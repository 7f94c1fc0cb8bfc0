// SPDX-License-Identifier: Apache-2.0
#include "formats/images/tiff_claims.hpp"

#include <algorithm>  // all_of, any_of, min
#include <charconv>   // from_chars
#include <iterator>   // prev
#include <map>
#include <string>
#include <string_view>
#include <system_error>  // errc

#include "formats/files/refusal.hpp"       // refuse
#include "formats/images/tiff_layout.hpp"  // tiff_layout
#include "text/counted.hpp"                // counted

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

/// Returns whether so many bytes are what a writer leaves between parts of a file.
bool is_padding(const byte_source& content, std::uint64_t begin, std::uint64_t n_bytes) {
  constexpr std::uint64_t most = 65536;
  if (n_bytes >= most) return false;
  std::vector<std::byte> gap(n_bytes);
  content.read(begin, gap);
  return std::all_of(gap.begin(), gap.end(), [](std::byte b) { return b == std::byte{0}; });
}

}  // namespace

image_claim claimed_images(const tiff_source& source, const byte_source& content,
                           std::size_t n_numbers) {
  constexpr std::uint32_t metamorph_planes = 33629;
  constexpr std::size_t max_text_bytes = std::size_t{1} << 20;
  std::uint32_t n_planes = 0;
  const void* planes = nullptr;
  if (TIFFGetField(source.handle(), metamorph_planes, &n_planes, &planes) != 0) {
    return {n_planes, true};
  }
  // Of equal tags libtiff shows one.
  const tiff_layout layout{content};
  for (const tiff_entry& entry : layout.directory(TIFFCurrentDirOffset(source.handle())).entries) {
    if (entry.tag != TIFFTAG_IMAGEDESCRIPTION) continue;
    const image_claim claim = claim_of(layout.text(entry, max_text_bytes), n_numbers);
    if (claim.n_images > 0) return claim;
  }
  return {0, false};
}

void refuse_images_without_pages(std::span<const tiff_extent> pages, const byte_source& content) {
  const auto leaves_room = [&](const tiff_extent& page) {
    return page.n_bytes > 0 && page.end < content.size() &&
           content.size() - page.end >= page.n_bytes;
  };
  std::map<std::uint64_t, std::uint64_t>
      begins;  // behind the end of a page, before that of another
  for (const tiff_extent& page : pages) {
    if (leaves_room(page)) begins.emplace(page.end, content.size());
  }
  if (begins.empty()) return;
  tiff_layout{content}.give_named_offsets([&](std::uint64_t offset) {
    const auto behind = begins.upper_bound(offset);
    if (behind == begins.begin()) return;
    std::uint64_t& first = std::prev(behind)->second;
    first = std::min(first, offset);
  });
  for (std::size_t i = 0; i < pages.size(); ++i) {
    if (!leaves_room(pages[i])) continue;
    const std::uint64_t end = pages[i].end;
    std::uint64_t gap = content.size() - end;
    for (auto place = begins.find(end); place != begins.end(); ++place) {
      gap = std::min(gap, place->second - end);
    }
    if (gap < pages[i].n_bytes || is_padding(content, end, gap)) continue;
    refuse(content.name(),
           "has {}, and behind the numbers of page {} room for {} of its size without a page; save "
           "each image as a page",
           counted(pages.size(), "page"), i, counted(gap / pages[i].n_bytes, "image"));
  }
}

}  // namespace wingbeat::formats
