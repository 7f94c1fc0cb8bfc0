// SPDX-License-Identifier: Apache-2.0
#include "kernel_text/line_text.hpp"

#include <string>

#include "kernel_text/constants.hpp"         // assignments, policy
#include "kernel_text/functor_text.hpp"      // functor_parts, functor_source, quoted, alias
#include "kernel_text/operands.hpp"          // operand_type
#include "text/formatted.hpp"                // formatted
#include "wingbeat/device/ends/functor.hpp"  // fused_numbers

namespace wingbeat::kernel_text {
namespace {

/// Returns what the request's functor is called.
std::string alias_of(const line_functor& functor) {
  return formatted("wingbeat_{}_of_lines", functor.end);
}

/// Returns the parts of a functor whose lines are stored as the text says; `more` are further
/// arguments of its class.
functor_parts parts_of(const line_text& text, std::string_view stored, std::string_view more = "") {
  functor_parts parts{
      .type = formatted("wingbeat::device::functors::{}<{}, {}, {}{}>", text.functor,
                        text.reduction, stored, type_name(text.real), more),
      .constants = assignments(text.lines)};
  if (text.lines.has_roots) parts.add_operand("roots");
  return parts;
}

functor_parts parts_of(const line_text& text, const line_functor& functor) {
  const std::string alias = alias_of(functor);
  const std::string rows = formatted("wingbeat::device::ends::fused_as<{}_policy>", alias);
  const std::string memory =
      formatted("wingbeat::device::functors::fused<wingbeat::device::functors::{}, {}, {}>",
                functor.memory, alias, rows);
  functor_parts parts = functor.memory.empty() ? parts_of(text, type_name(text.stored),
                                                          formatted(", {}, {}", alias, rows))
                                               : parts_of(text, memory);
  if (!functor.source.parameters.empty()) parts.add_operand("blocks");
  std::vector<std::string> list;
  for (const kernel_parameter& each : functor.operands) {
    const std::string name = formatted("yours_{}", list.size());
    parts.members += formatted("    {} {};\n", operand_type(each), name);
    list.push_back("given." + name);
  }
  if (!list.empty()) {
    parts.completed += formatted("    all.yours = decltype(functor::operands::yours){{{}}};\n",
                                 joined(list, ", "));
  }
  return parts;
}

/// Returns the policy of what the request's functor works on.
std::string rows_of(const line_text& text, const line_functor& functor) {
  const device::ends::fused_numbers rows{
      .length = functor.row_elements,
      .is_real = true,
      .taken = device::ends::reals::unpaired,
      .has_parameters = !functor.source.parameters.empty(),
      .n_operands = static_cast<unsigned>(functor.operands.size())};
  return policy(alias_of(functor) + "_policy",
                formatted("  using real = {};\n", type_name(text.real)),
                "wingbeat::device::ends::fused_numbers", assignments(rows));
}

}  // namespace

fused_source source_of(const line_text& text) {
  return functor_source(parts_of(text, type_name(text.stored)));
}

fused_source source_of(const line_text& text, const line_functor& functor) {
  fused_source own = functor_source(parts_of(text, functor));
  std::string lines = quoted(functor.end, functor.source.text);
  if (functor.shares_text) {
    lines =
        formatted("#ifndef WINGBEAT_LINES_TEXT\n#define WINGBEAT_LINES_TEXT\n{}#endif\n", lines);
  }
  own.text = lines + alias(functor.end, alias_of(functor), functor.source.type) +
             formatted("#include \"wingbeat/device/functors/{}_lines.hpp\"\n",
                       functor.memory == "fused_reducer" ? "reduced" : "fused") +
             parameters_check(functor.end, alias_of(functor), functor.source.parameters.size()) +
             rows_of(text, functor) + own.text;
  return own;
}

}  // namespace wingbeat::kernel_text
