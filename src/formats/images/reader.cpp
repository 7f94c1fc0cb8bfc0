// SPDX-License-Identifier: Apache-2.0
#include "formats/images/reader.hpp"

#include <array>
#include <new>        // bad_alloc
#include <stdexcept>  // logic_error
#include <string_view>

#include "formats/files/refusal.hpp"  // printable, refuse
#include "formats/images/mrc.hpp"     // is_mrc, open_mrc
#include "formats/images/npy.hpp"     // open_npy_images
#include "formats/images/png.hpp"     // open_png
#include "formats/images/tiff.hpp"    // open_tiff

namespace wingbeat::formats {

std::unique_ptr<image_source> open_images(const byte_source& from, image_limit limit) {
  using namespace std::string_view_literals;
  std::array<std::byte, 8> first;
  const std::string_view text{reinterpret_cast<const char*>(first.data()),
                              from.read_some(0, first)};
  if (text.starts_with("\x93NUMPY")) return open_npy_images(from, limit);
  if (text.starts_with("\x89PNG\r\n\x1A\n")) return open_png(from, limit);
  for (const auto magic : {"II*\0"sv, "MM\0*"sv, "II+\0"sv, "MM\0+"sv}) {
    if (text.starts_with(magic)) return open_tiff(from, limit);
  }
  if (is_mrc(from)) return open_mrc(from, limit);
  refuse(from.name(),
         "starts with '{}' and is no PNG, TIFF, MRC or .npy file; convert it to one of them",
         printable(text));
}

image_reader::image_reader(const std::filesystem::path& file, std::size_t limit_bytes)
    : from_(file, limit_bytes),
      images_(open_images(from_, {.bytes = limit_bytes, .is_of_one = true})) {}

image_samples image_reader::read(std::size_t first, std::size_t count) try {
  const std::size_t n_images = shape().n_images;
  if (count == 0 || first >= n_images || count > n_images - first) {
    throw std::logic_error("images are read that the file does not have");
  }
  return images_->read(first, count);
} catch (const std::bad_alloc&) {
  refuse(from_.name(), "does not fit into memory; split or crop it");
}

}  // namespace wingbeat::formats
