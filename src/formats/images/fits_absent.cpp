// SPDX-License-Identifier: Apache-2.0
// Stands in for the source of FITS in a build without cfitsio.
#include "formats/images/fits.hpp"
#include "text/formatted.hpp"  // formatted
#include "wingbeat/error.hpp"  // plan_error

namespace wingbeat::formats {

bool has_cfitsio() noexcept {
  return false;
}

std::unique_ptr<image_source> open_fits(const byte_source& source, std::size_t) {
  throw plan_error(formatted(
      "{} cannot be read: this build has no cfitsio; use .npy, or build it with WINGBEAT_FITS=ON",
      source.name()));
}

}  // namespace wingbeat::formats
