// SPDX-License-Identifier: Apache-2.0
#include "convolving/renumbered.hpp"

#include <algorithm>  // max

#include "formatted.hpp"  // formatted

namespace wingbeat::convolving {
namespace {

/// What the functions of a functor take beside their own arguments, as text.
struct given_text {
  std::string types;  ///< Declarations.
  std::string taken;  ///< Parameters, each with a comma behind it.
  std::string given;  ///< Arguments, likewise.
};

template <class Functor>
given_text text_of(const Functor& functor) {
  given_text text;
  if (!functor.source.parameters.empty()) {
    text.types += "  using parameters = yours::parameters;\n";
    text.taken += "WINGBEAT_GLOBAL const parameters& with, ";
    text.given += "with, ";
  }
  if (!functor.operands.empty()) {
    text.types += "  using operands = yours::operands;\n";
    text.taken += "operands given, ";
    text.given += "given, ";
  }
  return text;
}

std::string numbers_of(const row_parts& parts) {
  return formatted("row / {0}, (row % {0} + {1}) * {2} + i", parts.rows, parts.first,
                   parts.elements);
}

/// Returns the beginning of a struct that calls the request's functor.
template <class Functor>
std::string head_of(std::string_view name, const Functor& functor, const given_text& text) {
  return formatted(
      "\nstruct {} {{\n"
      "  using size = wingbeat::device::size;\n"
      "  using yours = {};\n"
      "  using element = yours::element;\n{}",
      name, functor.source.type, text.types);
}

constexpr std::string_view load_name = "wingbeat_signal_load", store_name = "wingbeat_result_store";

std::string load_text(const fused_load& load, const row_parts& parts) {
  const given_text text = text_of(load);
  return head_of(load_name, load, text) + formatted(
                                              "  WINGBEAT_FN static auto load(WINGBEAT_GLOBAL "
                                              "const element* in, {}size row, size i) "
                                              "{{\n"
                                              "    return yours::load(in, {}{});\n  }}\n}};\n",
                                              text.taken, text.given, numbers_of(parts));
}

std::string store_text(const fused_store& store, const row_parts& parts) {
  const given_text text = text_of(store);
  const std::string head = head_of(store_name, store, text), numbers = numbers_of(parts);
  if (store.partial_bytes == 0) {
    return head + formatted(
                      "  template <class Value>\n"
                      "  WINGBEAT_FN static void store(WINGBEAT_GLOBAL element* out, {}size row, "
                      "size i, Value z) {{\n"
                      "    yours::store(out, {}{}, z);\n  }}\n}};\n",
                      text.taken, text.given, numbers);
  }
  return head + formatted(
                    "  using partial = yours::partial;\n"
                    "  WINGBEAT_FN static partial start() {{ return yours::start(); }}\n"
                    "  template <class Value>\n"
                    "  WINGBEAT_FN static void add(partial& sum, {0}size row, size i, Value z) {{\n"
                    "    yours::add(sum, {1}{2}, z);\n  }}\n"
                    "  WINGBEAT_FN static void combine(partial& sum, partial other) {{\n"
                    "    yours::combine(sum, other);\n  }}\n"
                    "  WINGBEAT_FN static void finish(WINGBEAT_GLOBAL element* out, {0}size row, "
                    "partial sum) {{\n"
                    "    yours::finish(out, {1}row / {3}, sum);\n  }}\n}};\n",
                    text.taken, text.given, numbers, parts.rows);
}

/// Calls a callable of any form with other numbers.
struct renumbered {
  row_parts parts;

  [[nodiscard]] std::size_t signal(std::size_t row) const { return row / parts.rows; }
  [[nodiscard]] std::size_t element(std::size_t row, std::size_t i) const {
    return (row % parts.rows + parts.first) * parts.elements + i;
  }

  template <class Variant>
  Variant operator()(std::monostate none, const Variant&) const {
    return none;
  }
  template <class Value, class Variant>
  Variant operator()(const run_reader<Value>& yours, const Variant&) const {
    return run_reader<Value>{[yours, at = *this](const void* in, std::size_t row, std::size_t first,
                                                 std::span<Value> into) {
      yours(in, at.signal(row), at.element(row, first), into);
    }};
  }
  template <class Value, class Variant>
  Variant operator()(const operand_reader<Value>& yours, const Variant&) const {
    return operand_reader<Value>{[yours, at = *this](const void* in, const host_arguments& given,
                                                     std::size_t row, std::size_t first,
                                                     std::span<Value> into) {
      yours(in, given, at.signal(row), at.element(row, first), into);
    }};
  }
  template <class Value, class Variant>
  Variant operator()(const run_writer<Value>& yours, const Variant&) const {
    return run_writer<Value>{[yours, at = *this](void* out, std::size_t row, std::size_t first,
                                                 std::span<const Value> values) {
      yours(out, at.signal(row), at.element(row, first), values);
    }};
  }
  template <class Value, class Variant>
  Variant operator()(const operand_writer<Value>& yours, const Variant&) const {
    return operand_writer<Value>{[yours, at = *this](void* out, const host_arguments& given,
                                                     std::size_t row, std::size_t first,
                                                     std::span<const Value> values) {
      yours(out, given, at.signal(row), at.element(row, first), values);
    }};
  }
};

template <class Functor>
Functor with_numbers(const Functor& functor, const row_parts& parts, std::string_view name,
                     const std::string& text) {
  Functor result = functor;
  if (functor.source.is_given()) {
    result.source.text += text;
    result.source.type = name;
  }
  result.callable =
      std::visit([&](const auto& yours) { return renumbered{parts}(yours, functor.callable); },
                 functor.callable);
  return result;
}

/// Returns the share of bytes that some of the rows have, rounded down.
std::size_t share_of(std::size_t bytes, const row_parts& parts) {
  return bytes / parts.of_rows * parts.rows + bytes % parts.of_rows * parts.rows / parts.of_rows;
}

}  // namespace

fused_load load_of_rows(const fused_load& load, const row_parts& parts) {
  if (parts.are_signals()) return load;
  return with_numbers(load, parts, load_name, load_text(load, parts));
}

fused_store store_of_rows(const fused_store& store, const row_parts& parts) {
  if (parts.are_signals()) return store;
  fused_store result = with_numbers(store, parts, store_name, store_text(store, parts));
  if (parts.of_rows != 0) result.moved_bytes = share_of(store.moved_bytes, parts);
  if (parts.of_rows != 0 && store.partial_bytes == 0 && !store.clears_output) {
    result.out_bytes = std::max(store.out_bytes / parts.of_rows * parts.rows, store.element_bytes);
  }
  return result;
}

}  // namespace wingbeat::convolving
