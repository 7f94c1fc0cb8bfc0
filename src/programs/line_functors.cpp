// SPDX-License-Identifier: Apache-2.0
#include "programs/line_functors.hpp"

#include <string>

#include "formatted.hpp"       // formatted
#include "wingbeat/error.hpp"  // plan_error

namespace wingbeat::programs {
namespace {

/// Returns what a functor of a request is called in texts.
std::string alias_of(const fused_text& text) {
  return formatted("wingbeat_{}_of_lines", text.end);
}

bool reduces(const fused_text& text) {
  return text.memory == "fused_reducer";
}

/// Returns the text of the request, once where both ends of a kernel have it.
std::string quoted(const fused_text& text) {
  std::string lines = formatted("#line 1 \"your {} functor\"\n{}\n\n", text.end, text.yours.text);
  if (!text.shares_text) return lines;
  return formatted("#ifndef WINGBEAT_LINES_TEXT\n#define WINGBEAT_LINES_TEXT\n{}#endif\n", lines);
}

/// Returns the type of `functor::operands::yours` in the policy, each operand as it comes.
std::string operand_type(const kernel_parameter& operand) {
  if (!operand.is_memory()) {
    return formatted("wingbeat::device::ends::value_operand<{}>", operand.bytes());
  }
  return formatted("wingbeat::device::ends::{}_operand<{}>",
                   operand.is_written() ? "output" : "input", operand.bytes());
}

functor_parts parts_of(const fused_text& text) {
  const bool has_parameters = !text.yours.parameters.empty();
  functor_parts parts{.constants = constants_of(text.lines)};
  const std::string traits = formatted(
      "wingbeat::device::ends::fused_as<{}, {}, false, true, {}, 0, {}, 0, "
      "wingbeat::device::ends::reals::unpaired>",
      text.real, text.row_elements, has_parameters, text.operands.size());
  const std::string memory =
      formatted("wingbeat::device::functors::fused<wingbeat::device::functors::{}, {}, {}>",
                text.memory, alias_of(text), traits);
  parts.type = text.stored.empty()
                   ? formatted("wingbeat::device::functors::{}<{}, {}, {}>", text.functor,
                               text.reduction, memory, text.real)
                   : formatted("wingbeat::device::functors::{}<{}, {}, {}, {}, {}>", text.functor,
                               text.reduction, text.stored, text.real, alias_of(text), traits);
  if (text.lines.has_roots) add_operand(parts, "roots");
  if (has_parameters) add_operand(parts, "blocks");
  std::string list;
  for (std::size_t i = 0; i < text.operands.size(); ++i) {
    parts.members += formatted("    {} yours_{};\n", operand_type(text.operands[i]), i);
    list += formatted("{}given.yours_{}", i == 0 ? "" : ", ", i);
  }
  if (!list.empty()) {
    parts.completed +=
        formatted("    all.yours = decltype(functor::operands::yours){{{}}};\n", list);
  }
  if (reduces(text)) parts.form = "fixed_reduction";
  if (text.gathers) parts.form = "fixed_gathering";
  return parts;
}

}  // namespace

line_numbers lines_of(const arrays::array& memory, std::size_t axis,
                      const std::vector<index_range>& ranges) {
  const arrays::axis& along = memory.axes[axis];
  line_numbers result{.length = along.length,
                      .stride = along.stride,
                      .origin = along.placed.first,
                      .first = along.valid.first,
                      .end = along.valid.end};
  const auto add = [&](std::size_t count, std::size_t stride) {
    if (count == 1) return;
    if (result.depth > 0) {
      device::functors::line_loop& inner = result.loops[result.depth - 1];
      if (stride == inner.count * inner.stride) {
        inner.count *= count;
        return;
      }
    }
    if (result.depth == device::functors::max_line_loops) {
      throw plan_error(
          formatted("axes and batch have more than {} dimensions beside one axis that "
                    "do not follow one another in memory; give the batch fewer",
                    device::functors::max_line_loops));
    }
    result.loops[result.depth++] = {count, stride};
  };
  for (std::size_t a = memory.axes.size(); a-- > 0;) {
    if (a == axis) continue;
    const arrays::axis& other = memory.axes[a];
    add(ranges[a].end - ranges[a].first, other.stride);
    result.base += (ranges[a].first - other.placed.first) * other.stride;
  }
  for (std::size_t b = memory.batches.size(); b-- > 0;) {
    add(memory.batches[b].count, memory.batches[b].distance);
  }
  return result;
}

fused_source source_of(const fused_text& text) {
  fused_source own = functor_source(parts_of(text));
  std::string prefix = quoted(text);
  prefix += formatted(
      "#line 1 \"type of your {0} functor\"\nusing {1} = {2};\n"
      "#include \"wingbeat/device/functors/{3}_lines.hpp\"\n",
      text.end, alias_of(text), text.yours.type, reduces(text) ? "reduced" : "fused");
  if (!text.yours.parameters.empty()) {
    prefix += formatted(
        "static_assert(sizeof({0}::parameters) == {2}, \"the parameters of your {1} functor have "
        "another size than {1}.source.parameters, which holds {2} bytes\");\n",
        alias_of(text), text.end, text.yours.parameters.size());
  }
  own.text = prefix + own.text;
  return own;
}

}  // namespace wingbeat::programs
