// SPDX-License-Identifier: Apache-2.0
#include "kernel_text/operands.hpp"

#include "text/formatted.hpp"  // formatted

namespace wingbeat::kernel_text {

std::string declared(const kernel_parameter& parameter, std::string_view name) {
  if (!parameter.is_memory()) return formatted("ends::value_bytes<{}> {}", parameter.bytes(), name);
  return formatted("WINGBEAT_GLOBAL {0}char* {1}, size {1}_first",
                   parameter.is_written() ? "" : "const ", name);
}

std::string operand_type(const kernel_parameter& parameter) {
  return formatted("wingbeat::device::ends::{}_operand<{}>",
                   !parameter.is_memory()   ? "value"
                   : parameter.is_written() ? "output"
                                            : "input",
                   parameter.bytes());
}

std::string operand(const kernel_parameter& parameter, std::string_view name) {
  const std::string first =
      parameter.is_memory() ? formatted(" + {}_first * {}", name, parameter.bytes()) : "";
  return formatted("{}{{{}{}}}", operand_type(parameter), name, first);
}

}  // namespace wingbeat::kernel_text
