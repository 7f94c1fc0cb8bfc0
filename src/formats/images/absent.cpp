// SPDX-License-Identifier: Apache-2.0
// Stands in for the sources of PNG, JPEG, TIFF and gzip in a build without their libraries.
#include "formats/files/gzip.hpp"
#include "formats/images/jpeg.hpp"
#include "formats/images/png.hpp"
#include "formats/images/tiff.hpp"
#include "text/formatted.hpp"  // formatted
#include "wingbeat/error.hpp"  // plan_error

namespace wingbeat::formats {
namespace {

[[noreturn]] void refuse_absent(std::string_view name, std::string_view verb) {
  throw plan_error(
      formatted("{} cannot be {}: this build has no libpng, libjpeg, libtiff and zlib; use .npy or "
                ".mrc, or build it with WINGBEAT_IMAGES=ON",
                name, verb));
}

std::unique_ptr<image_source> refuse_to_open(const byte_source& source) {
  refuse_absent(source.name(), "read");
}

std::unique_ptr<image_sink> refuse_to_write(const atomic_file& file) {
  refuse_absent(file.path().string(), "written");
}

}  // namespace

bool has_image_libraries() noexcept {
  return false;
}

std::unique_ptr<byte_source> inflated(const byte_source& packed, std::size_t) {
  std::byte magic[2] = {};
  if (packed.read_some(0, magic) == 2 && magic[0] == std::byte{0x1F} &&
      magic[1] == std::byte{0x8B}) {
    refuse_absent(packed.name(), "unpacked");
  }
  return nullptr;
}

std::unique_ptr<image_source> open_png(const byte_source& source, std::size_t) {
  return refuse_to_open(source);
}
std::unique_ptr<image_source> open_jpeg(const byte_source& source, std::size_t) {
  return refuse_to_open(source);
}
std::unique_ptr<image_source> open_tiff(const byte_source& source, std::size_t) {
  return refuse_to_open(source);
}

std::unique_ptr<image_sink> png_sink(atomic_file& file, const image_stack&,
                                     const image_write_options&) {
  return refuse_to_write(file);
}
std::unique_ptr<image_sink> jpeg_sink(atomic_file& file, const image_stack&,
                                      const image_write_options&) {
  return refuse_to_write(file);
}
std::unique_ptr<image_sink> tiff_sink(atomic_file& file, const image_stack&,
                                      const image_write_options&, std::uint64_t) {
  return refuse_to_write(file);
}

}  // namespace wingbeat::formats
