// SPDX-License-Identifier: Apache-2.0
#define FMT_HEADER_ONLY  // so that users of the library need not link with fmt
#include "text/formatted.hpp"

namespace wingbeat {

std::string formatted_from(fmt::string_view text, fmt::format_args arguments) {
  return fmt::vformat(text, arguments);
}

}  // namespace wingbeat
