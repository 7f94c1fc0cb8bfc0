// SPDX-License-Identifier: Apache-2.0
#include "kernel_text/pass_text.hpp"

#include <algorithm>  // max

#include "kernel_text/constants.hpp"     // assignment, assignments, policy
#include "kernel_text/functor_text.hpp"  // quoted, alias, parameters_check, type_name
#include "kernel_text/operands.hpp"      // declared, operand
#include "planner/fields.hpp"            // each_field
#include "text/formatted.hpp"            // formatted

namespace wingbeat::kernel_text {
namespace {

using planner::functor;
using planner::fused_numbers;
using planner::pass;
using planner::pass_side;

std::string_view name_of(const functor& fused) {
  return fused.serves == planner::end::load ? "load" : "store";
}

std::string alias_of(const functor& fused) {
  return formatted("wingbeat_{}_functor", name_of(fused));
}

/// Returns what the functors' texts become at global scope, before the policy.
std::string functor_text(const pass_side& in, const pass_side& out) {
  std::string text;
  if (!in.fused && !out.fused) return text;
  text += "#include \"wingbeat/device/ends/functor.hpp\"\n";
  if (out.fused && out.fused->partial_bytes > 0) {
    text += "#include \"wingbeat/device/ends/reduce.hpp\"\n";
  }
  if (out.fused && out.fused->keeps) text += "#include \"wingbeat/device/ends/keep.hpp\"\n";
  const bool is_one_text = in.fused && out.fused && in.fused->text == out.fused->text;
  if (in.fused) text += quoted("load", in.fused->text);
  if (out.fused && !is_one_text) text += quoted("store", out.fused->text);
  for (const auto* fused : {&in.fused, &out.fused}) {
    if (*fused) text += alias(name_of(**fused), alias_of(**fused), (*fused)->type);
  }
  return text + "#line 1 \"wingbeat_policy.cpp\"\n";
}

/// Returns the declaration of `name`, an end of a pass, and the checks of the request's statements.
/// The pass decides its `rows` and the place of its parameter block in the table.
std::string end_text(const functor& fused, std::string_view name, const fused_numbers& rows,
                     std::size_t block_at) {
  const std::string_view mine = name_of(fused);
  fused_numbers numbers = rows;
  numbers.is_real = fused.is_real;
  numbers.has_parameters = !fused.parameters.empty();
  numbers.block_at = block_at;
  numbers.n_operands = static_cast<unsigned>(fused.operands.size());
  numbers.outputs = fused.row_outputs;
  std::string result = policy(formatted("{}_policy", name), "  using real = policy::real;\n",
                              "ends::fused_numbers", assignments(numbers));
  result += formatted("using {0} = ends::fused_{1}<{2}, ends::fused_as<{0}_policy>>;\n", name,
                      fused.keeps               ? "keep"
                      : fused.partial_bytes > 0 ? "reduce"
                                                : mine,
                      alias_of(fused));
  result += formatted(
      "static_assert(sizeof({}::element) == {}, \"the element of your {} functor has another size "
      "than {}.element_bytes, which is {}\");\n",
      name, fused.element_bytes, mine, mine, fused.element_bytes);
  for (const kernel_parameter& each : fused.operands) {
    // clang 15 takes complete types alone as a kernel's parameters, and completes none.
    if (!each.is_memory()) {
      result += formatted("static_assert(sizeof(ends::value_bytes<{0}>) == {0});\n", each.bytes());
    }
  }
  if (fused.partial_bytes > 0) {
    result += formatted(
        "static_assert(sizeof({}::partial) == {}, \"the partial result of your store functor has "
        "another size than store.partial_bytes, which is {}\");\n",
        name, fused.partial_bytes, fused.partial_bytes);
  }
  return result + parameters_check(mine, name, fused.parameters.size());
}

/// Returns the declaration of `input` or `output`.
std::string end_text(const pass_side& side, std::string_view verb, std::string_view name,
                     std::size_t block_at) {
  if (side.fused) return end_text(*side.fused, name, side.rows, block_at);
  if (side.is_real()) {
    return formatted("using {} = ends::real_{}<{}, policy::real>;\n", name, verb,
                     type_name(side.stored));
  }
  if (side.has_parts) {
    return formatted("using {} = ends::parts_{}<{}, policy::real, {}>;\n", name, verb,
                     type_name(side.stored), side.parts_distance);
  }
  return formatted("using {} = ends::complex_{}<{}, policy::real, ends::use::{}>;\n", name, verb,
                   type_name(side.stored), side.streams ? "once" : "again");
}

/// Returns the numbers that differ from their defaults, as assignments.
std::string numbers_text(const planner::pass_numbers& numbers) {
  std::string text;
  planner::each_field(numbers,
                      [&](const std::string& name, const auto& value, const auto& default_value) {
                        if (value != default_value) text += assignment(name, value);
                      });
  return text;
}

std::string policy_text(const pass& stored_by) {
  return policy("policy",
                formatted("  using real = {};\n"
                          "  static constexpr direction dir = direction::{};\n",
                          type_name(stored_by.real), stored_by.is_forward ? "forward" : "inverse"),
                "grid::pass_numbers", numbers_text(stored_by.numbers));
}

/// Threads in a row of the workgroup.
unsigned columns_of(const planner::tile_shape& shape) {
  return shape.lanes_across ? shape.lanes : shape.threads() / shape.lanes;
}

/// Whether the workgroup is declared without its rows. On processors PoCL (3.1) keeps a number of
/// each thread in an array of rows and columns and stores vectors in it as if each row began at a
/// multiple of 16 bytes: where rows do not, it would crash.
bool is_in_sequence(const pass& stored_by) {
  const planner::tile_shape& shape = stored_by.shape();
  const unsigned columns = columns_of(shape);
  const unsigned real_bytes = stored_by.real == precision::fp64 ? 8 : 4;
  const bool has_rows = columns > 1 && columns < shape.threads();
  return shape.bank_bytes == 0 && has_rows && columns * real_bytes % 16 != 0;
}

/// How the entry point is declared.
std::string kernel_macro(const pass& stored_by) {
  const planner::tile_shape& shape = stored_by.shape();
  const unsigned threads = shape.threads();
  const unsigned columns = columns_of(shape);
  if (shape.workgroups > 1) {
    return formatted("WINGBEAT_KERNEL_CLUSTER({}, {}, {})", threads,
                     std::max(stored_by.resident, 1u), shape.workgroups);
  }
  if (shape.is_cluster()) {
    return formatted("WINGBEAT_KERNEL_RESIDENT({}, {})", threads, std::max(stored_by.resident, 1u));
  }
  if (is_in_sequence(stored_by)) return formatted("WINGBEAT_KERNEL({})", threads);
  if (stored_by.resident > 0) {
    return formatted("WINGBEAT_KERNEL_IN_ROWS_RESIDENT({}, {}, {})", columns, threads / columns,
                     stored_by.resident);
  }
  return formatted("WINGBEAT_KERNEL_IN_ROWS({}, {})", columns, threads / columns);
}

/// Returns the macros by which the entry point takes the functors' operands and hands them on.
std::string operands_text(const pass_side& in, const pass_side& out, bool has_filter) {
  const auto listed = [](const pass_side& side, auto text) {
    std::string list;
    if (!side.fused) return list;
    for (std::size_t i = 0; i < side.fused->operands.size(); ++i) {
      list += ", " + text(side.fused->operands[i], formatted("{}_{}", name_of(*side.fused), i));
    }
    return list;
  };
  return formatted(
      "#define WINGBEAT_OPERAND_PARAMETERS {}{}{}\n"
      "#define WINGBEAT_LOAD_OPERANDS {}\n"
      "#define WINGBEAT_STORE_OPERANDS {}\n"
      "#define WINGBEAT_FILTER {}\n",
      has_filter ? ", WINGBEAT_GLOBAL const filter::element* filter_at, size filter_first" : "",
      listed(in, declared), listed(out, declared), listed(in, operand), listed(out, operand),
      has_filter ? "filter_at + filter_first" : "");
}

/// Returns the declaration of `filter`: what a body multiplies by.
std::string filter_text(const std::optional<pass_side>& side) {
  if (!side) return "using filter = ends::no_filter;\n";
  // clang 15 takes pointers to complete types alone as a kernel's parameters, and completes none.
  return formatted(
      "using filter = ends::complex_load<{}, policy::real>;\n"
      "static_assert(sizeof(filter::element) > 0, \"elements are complete\");\n",
      type_name(side->stored));
}

/// The header in wingbeat/device/bodies, and the class in it.
std::string_view body_name(planner::body makes) {
  switch (makes) {
    case planner::body::transform: return "transform";
    case planner::body::convolve: return "convolve";
    case planner::body::rader: return "rader";
    case planner::body::halved_rader: return "halved_rader";
    case planner::body::real_rader: return "real_rader";
    case planner::body::correlate: return "correlate";
    case planner::body::real_row: return "real_row";
    case planner::body::diagonal_row: return "diagonal_row";
    case planner::body::line:
    case planner::body::plane: return "cluster_transform";
  }
  return "";
}

}  // namespace

std::string pass_text(const pass& stored_by) {
  const std::string_view body = body_name(stored_by.shape().makes);
  const std::size_t store_at = stored_by.in.fused ? stored_by.in.fused->block_bytes() : 0;
  return formatted(
      "#include \"wingbeat/device/bodies/{0}.hpp\"\n"
      "#include \"wingbeat/device/ends/memory.hpp\"\n{1}"
      "#define WINGBEAT_PASS_KERNEL {2}\n{6}"
      "namespace wingbeat::device {{\n{3}{4}{5}{7}"
      "using body = bodies::{0}<policy{8}>;\n}}\n"
      "#include \"backend/kernels/pass.hpp\"\n",
      body, functor_text(stored_by.in, stored_by.out), kernel_macro(stored_by),
      policy_text(stored_by), end_text(stored_by.in, "load", "input", 0),
      end_text(stored_by.out, "store", "output", store_at),
      operands_text(stored_by.in, stored_by.out, stored_by.filter.has_value()),
      filter_text(stored_by.filter), is_in_sequence(stored_by) ? ", group" : "");
}

}  // namespace wingbeat::kernel_text
