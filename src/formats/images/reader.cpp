// SPDX-License-Identifier: Apache-2.0
#include "formats/images/reader.hpp"

#include <array>
#include <new>        // bad_alloc
#include <stdexcept>  // logic_error
#include <string_view>

#include "formats/files/refusal.hpp"  // printable, refuse
#include "formats/images/format.hpp"  // image_formats

namespace wingbeat::formats {

std::unique_ptr<image_source> open_images(const byte_source& source, std::size_t limit_bytes) {
  std::array<std::byte, 8> first;
  const std::string_view head{reinterpret_cast<const char*>(first.data()),
                              source.read_some(0, first)};
  for (const image_format_entry& each : image_formats()) {
    if (each.is_format_of(source, head)) return each.open(source, limit_bytes);
  }
  refuse(source.name(),
         "starts with '{}' and is no PNG, TIFF, MRC or .npy file; convert it to one of them",
         printable(head));
}

image_reader::image_reader(const std::filesystem::path& file, std::size_t limit_bytes)
    : from_(file, limit_bytes), images_(open_images(from_, limit_bytes)) {}

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
