// SPDX-License-Identifier: Apache-2.0
#include "planner/functor.hpp"

#include "kernel_text/constants.hpp"  // policy, assignments
#include "request/resolved.hpp"       // moved_bytes
#include "text/formatted.hpp"         // formatted

namespace wingbeat::planner {
namespace {

std::string_view name_of(end which) {
  return which == end::load ? "load" : "store";
}

template <class Given>
functor functor_from(end serves, const Given& given, std::size_t buffer_bytes, bool is_real) {
  functor result;
  result.serves = serves;
  result.text = given.source.text;
  result.type = given.source.type;
  result.parameters = given.source.parameters;
  result.buffer_bytes = buffer_bytes;
  result.moved_bytes = request::moved_bytes(given);
  result.element_bytes = given.element_bytes;
  result.is_real = is_real;
  result.operands = given.operands;
  return result;
}

}  // namespace

std::size_t functor::block_bytes() const {
  constexpr std::size_t step = device::ends::block_alignment;
  return (parameters.size() + step - 1) / step * step;
}

std::string functor::parameters_text() const {
  std::string list;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const std::string name = formatted("{}_{}", name_of(serves), i);
    if (operands[i].is_memory()) {
      list += formatted(", WINGBEAT_GLOBAL {}char* {}, size {}_first",
                        operands[i].is_written() ? "" : "const ", name, name);
    } else {
      list += formatted(", ends::value_bytes<{}> {}", operands[i].bytes(), name);
    }
  }
  return list;
}

std::string functor::arguments_text() const {
  std::string list;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const std::string name = formatted("{}_{}", name_of(serves), i);
    if (operands[i].is_memory()) {
      list += formatted(", ends::{}_operand<{}>{{{} + {}_first * {}}}",
                        operands[i].is_written() ? "output" : "input", operands[i].bytes(), name,
                        name, operands[i].bytes());
    } else {
      list += formatted(", ends::value_operand<{}>{{{}}}", operands[i].bytes(), name);
    }
  }
  return list;
}

std::string functor::quoted_text() const {
  // The empty line ends a last line that a backslash continues.
  return formatted("#line 1 \"your {} functor\"\n{}\n\n", name_of(serves), text);
}

std::string functor::alias_text() const {
  return formatted("#line 1 \"type of your {0} functor\"\nusing wingbeat_{0}_functor = {1};\n",
                   name_of(serves), type);
}

std::string functor::end_text(std::string_view name, const fused_numbers& rows,
                              std::size_t block_at) const {
  const std::string_view mine = name_of(serves);
  fused_numbers numbers = rows;
  numbers.is_real = is_real;
  numbers.has_parameters = !parameters.empty();
  numbers.block_at = block_at;
  numbers.n_operands = static_cast<unsigned>(operands.size());
  std::string result =
      kernel_text::policy(formatted("{}_policy", name), "  using real = policy::real;\n",
                          "ends::fused_numbers", kernel_text::assignments(numbers));
  result += formatted(
      "using {0} = ends::fused_{1}<wingbeat_{2}_functor, ends::fused_as<{0}_policy>>;\n", name,
      keeps               ? "keep"
      : partial_bytes > 0 ? "reduce"
                          : mine,
      mine);
  result += formatted(
      "static_assert(sizeof({}::element) == {}, \"the element of your {} functor has another size "
      "than {}.element_bytes, which is {}\");\n",
      name, element_bytes, mine, mine, element_bytes);
  for (const kernel_parameter& each : operands) {
    // clang 15 takes complete types alone as a kernel's parameters, and completes none.
    if (!each.is_memory()) {
      result += formatted("static_assert(sizeof(ends::value_bytes<{0}>) == {0});\n", each.bytes());
    }
  }
  if (partial_bytes > 0) {
    result += formatted(
        "static_assert(sizeof({}::partial) == {}, \"the partial result of your store functor has "
        "another size than store.partial_bytes, which is {}\");\n",
        name, partial_bytes, partial_bytes);
  }
  if (!parameters.empty()) {
    result += formatted(
        "static_assert(sizeof({}::parameters) == {}, \"the parameters of your {} "
        "functor have another size than {}.source.parameters, which holds {} bytes\");\n",
        name, parameters.size(), mine, mine, parameters.size());
  }
  return result;
}

functor functor_of(const fused_load& load, bool is_real) {
  return functor_from(end::load, load, load.in_bytes, is_real);
}

functor functor_of(const fused_store& store, bool is_real) {
  functor result = functor_from(end::store, store, store.out_bytes, is_real);
  result.partial_bytes = store.partial_bytes;
  return result;
}

}  // namespace wingbeat::planner
