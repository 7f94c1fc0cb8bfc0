// SPDX-License-Identifier: Apache-2.0
#include "kernel_text/constants.hpp"

namespace wingbeat::kernel_text {

std::string policy(std::string_view name, std::string_view members, std::string_view type,
                   std::string_view assignments) {
  return formatted(
      "struct {} {{\n{}"
      "  WINGBEAT_FN static constexpr {} numbers() {{\n"
      "    {} n{{}};\n{}"
      "    return n;\n  }}\n}};\n",
      name, members, type, type, assignments);
}

}  // namespace wingbeat::kernel_text
