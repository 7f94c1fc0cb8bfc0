// SPDX-License-Identifier: Apache-2.0
// What a run gives to a kernel, as parameters of its entry point and as what these become: see
// device/ends/operands.hpp.
#pragma once

#include <string>
#include <string_view>

#include "wingbeat/arguments.hpp"  // kernel_parameter

namespace wingbeat::kernel_text {

/// Returns how an entry point, in wingbeat::device, takes a parameter.
[[nodiscard]] std::string declared(const kernel_parameter& parameter, std::string_view name);

/// Returns the type of the operand that it becomes.
[[nodiscard]] std::string operand_type(const kernel_parameter& parameter);

/// Returns that operand, of the entry point's parameter.
[[nodiscard]] std::string operand(const kernel_parameter& parameter, std::string_view name);

}  // namespace wingbeat::kernel_text
