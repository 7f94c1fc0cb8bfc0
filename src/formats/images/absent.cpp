// SPDX-License-Identifier: Apache-2.0
// Stands in for the sources of PNG and TIFF in a build without libpng and libtiff.
#include "formats/images/png.hpp"
#include "formats/images/tiff.hpp"
#include "text/formatted.hpp"  // formatted
#include "wingbeat/error.hpp"  // plan_error

namespace wingbeat::formats {
namespace {

[[noreturn]] void refuse_absent(std::string_view name, std::string_view verb) {
  throw plan_error(
      formatted("{} cannot be {}: this build has no libpng and libtiff; use .npy or .mrc, or build "
                "it with WINGBEAT_IMAGES=ON",
                name, verb));
}

}  // namespace

bool has_image_libraries() noexcept {
  return false;
}

std::unique_ptr<image_source> open_png(const byte_source& source, std::size_t) {
  refuse_absent(source.name(), "read");
}

std::unique_ptr<image_source> open_tiff(const byte_source& source, std::size_t) {
  refuse_absent(source.name(), "read");
}

std::unique_ptr<image_sink> png_sink(atomic_file& file, const image_stack&,
                                     const image_write_options&) {
  refuse_absent(file.path().string(), "written");
}

}  // namespace wingbeat::formats
