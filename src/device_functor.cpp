// SPDX-License-Identifier: Apache-2.0
#include "device_functor.hpp"

#include "formatted.hpp"  // formatted

namespace wingbeat {

fused_source functor_source(std::string_view name, std::string_view types,
                            const functor_lines& lines) {
  return {.text = formatted("#include \"wingbeat/device/functors/{0}.hpp\"\n"
                            "struct wingbeat_{0}_policy {{\n"
                            "  using functor = wingbeat::device::functors::{0}<{1}>;\n"
                            "  WINGBEAT_FN static constexpr functor::numbers numbers() {{\n"
                            "    functor::numbers n{{}};\n{2}"
                            "    return n;\n  }}\n"
                            "  struct operands {{\n{3}  }};\n"
                            "  WINGBEAT_FN static functor::operands completed(operands{4}) {{\n"
                            "    functor::operands all{{}};\n{5}"
                            "    return all;\n  }}\n}};\n",
                            name, types, lines.constants, lines.members,
                            lines.members.empty() ? "" : " given", lines.completed),
          .type = formatted("wingbeat::device::functors::fixed<wingbeat_{}_policy>", name)};
}

}  // namespace wingbeat
