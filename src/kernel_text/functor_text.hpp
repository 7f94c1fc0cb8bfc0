// SPDX-License-Identifier: Apache-2.0
// Functors in texts: those of requests as they are quoted, and those of device/functors, whose
// numbers and operands are named.
#pragma once

#include <cstddef>  // size_t
#include <string>
#include <string_view>

#include "text/formatted.hpp"   // formatted
#include "wingbeat/fusion.hpp"  // fused_source
#include "wingbeat/plan.hpp"    // precision

namespace wingbeat::kernel_text {

/// Returns the text of a functor of a request, which messages call by its end and whose lines they
/// count from 1.
[[nodiscard]] std::string quoted(std::string_view end, std::string_view text);

/// Returns the declaration of its type under a name of ours.
[[nodiscard]] std::string alias(std::string_view end, std::string_view name, std::string_view type);

/// Returns the text that checks the size of its parameters; empty for 0 bytes.
[[nodiscard]] std::string parameters_check(std::string_view end, std::string_view type,
                                           std::size_t bytes);

/// Returns how sources call what a number is stored as.
[[nodiscard]] std::string_view type_name(precision stored);

/// Returns how they call a class, from the name that the compiler has for its type_info.
[[nodiscard]] std::string type_name(const char* mangled);

/// What the text of a functor of device/functors says.
struct functor_parts {
  std::string type = {};
  std::string constants = {};  ///< Assignments to its numbers.
  std::string members = {};    ///< Declarations of its operands.
  std::string completed = {};  ///< Assignments to them.

  /// Adds an operand that the functor has by the same name.
  void add_operand(std::string_view name) {
    members += formatted("    decltype(functor::operands::{0}) {0};\n", name);
    completed += formatted("    all.{0} = given.{0};\n", name);
  }
};

[[nodiscard]] fused_source functor_source(const functor_parts& parts);

}  // namespace wingbeat::kernel_text
