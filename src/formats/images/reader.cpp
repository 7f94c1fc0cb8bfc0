// SPDX-License-Identifier: Apache-2.0
#include "formats/images/reader.hpp"

#include <array>
#include <new>        // bad_alloc
#include <stdexcept>  // logic_error
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/gzip.hpp"       // inflated
#include "formats/files/refusal.hpp"    // printable, refuse
#include "formats/files/signature.hpp"  // signed_content
#include "formats/images/format.hpp"    // image_formats
#include "text/formatted.hpp"           // formatted
#include "text/listed.hpp"              // listed

namespace wingbeat::formats {

std::unique_ptr<image_source> open_images(const byte_source& source, std::size_t limit_bytes) {
  std::array<std::byte, 512> first = {};
  const std::string_view head{reinterpret_cast<const char*>(first.data()),
                              source.read_some(0, first)};
  const std::string_view content = signed_content(first);
  std::vector<std::string_view> names;
  for (const image_format_entry& each : image_formats()) {
    if (each.content == content) return each.open(source, limit_bytes);
    names.push_back(each.endings[0]);
  }
  if (is_mrc(source)) return open_mrc(source, limit_bytes);  // an old one, without a mark
  refuse(source.name(), "is {}, no file of {}; convert it to one of them",
         content.empty() ? formatted("a file that starts with '{}'", printable(head.substr(0, 8)))
                         : std::string(content),
         listed(names));
}

image_reader::image_reader(const std::filesystem::path& file, std::size_t limit_bytes)
    : from_(file, limit_bytes),
      inflated_(inflated(from_, limit_bytes)),
      images_(open_images(inflated_ ? *inflated_ : from_, limit_bytes)) {}

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
