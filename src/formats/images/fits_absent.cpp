// SPDX-License-Identifier: Apache-2.0
// Stands in for the source of FITS in a build without cfitsio.
#include "formats/files/refusal.hpp"  // refuse_absent
#include "formats/images/format.hpp"  // open_fits

namespace wingbeat::formats {

bool has_cfitsio() noexcept {
  return false;
}

std::unique_ptr<image_source> open_fits(const byte_source& source, std::size_t) {
  refuse_absent(source.name(), "read", "cfitsio; use .npy, or build it with WINGBEAT_FITS=ON");
}

}  // namespace wingbeat::formats
