// SPDX-License-Identifier: Apache-2.0
// Stands in for the sources of PNG, JPEG, TIFF and gzip in a build without their libraries.
#include "formats/files/gzip.hpp"     // inflated
#include "formats/files/refusal.hpp"  // refuse_absent
#include "formats/images/format.hpp"  // open_png, png_sink ..

namespace wingbeat::formats {
namespace {

constexpr std::string_view libraries =
    "libpng, libjpeg, libtiff and zlib; use .npy or .mrc, or build it with WINGBEAT_IMAGES=ON";

std::unique_ptr<image_source> refuse_to_open(const byte_source& source) {
  refuse_absent(source.name(), "read", libraries);
}

std::unique_ptr<image_sink> refuse_to_write(const atomic_file& file) {
  refuse_absent(file.path().string(), "written", libraries);
}

}  // namespace

bool has_image_libraries() noexcept {
  return false;
}

std::unique_ptr<byte_source> inflated(const byte_source& packed, std::size_t) {
  std::byte magic[2] = {};
  if (packed.read_some(0, magic) == 2 && magic[0] == std::byte{0x1F} &&
      magic[1] == std::byte{0x8B}) {
    refuse_absent(packed.name(), "unpacked", libraries);
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
