// SPDX-License-Identifier: Apache-2.0
#include "convolving/epilogue.hpp"

#include "formatted.hpp"  // formatted

namespace wingbeat::convolving {
namespace {

/// The request's functor, called with other numbers.
std::string wrapper_of(const fused_store& store, std::size_t rows, std::size_t row_elements) {
  const bool has_parameters = !store.source.parameters.empty();
  const bool has_operands = !store.operands.empty();
  const std::string types =
      formatted("{}{}", has_parameters ? "  using parameters = yours::parameters;\n" : "",
                has_operands ? "  using operands = yours::operands;\n" : "");
  const std::string taken =
      formatted("{}{}", has_parameters ? "WINGBEAT_GLOBAL const parameters& with, " : "",
                has_operands ? "operands given, " : "");
  const std::string given =
      formatted("{}{}", has_parameters ? "with, " : "", has_operands ? "given, " : "");
  const std::string head = formatted(
      "\nstruct wingbeat_epilogue {{\n"
      "  using size = wingbeat::device::size;\n"
      "  using yours = {};\n"
      "  using element = yours::element;\n{}",
      store.source.type, types);
  const std::string numbers = formatted("row / {0}, row % {0} * {1} + i", rows, row_elements);
  if (store.partial_bytes == 0) {
    return head + formatted(
                      "  template <class Value>\n"
                      "  WINGBEAT_FN static void store(WINGBEAT_GLOBAL element* out, {}size row, "
                      "size i, Value z) {{\n"
                      "    yours::store(out, {}{}, z);\n  }}\n}};\n",
                      taken, given, numbers);
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
                    taken, given, numbers, rows);
}

/// Calls a callable of any form with other numbers.
struct renumbered {
  std::size_t rows, row_elements;

  host_store operator()(std::monostate none) const { return none; }
  template <class Value>
  host_store operator()(const run_writer<Value>& yours) const {
    return run_writer<Value>{[yours, at = *this](void* out, std::size_t row, std::size_t first,
                                                 std::span<const Value> some) {
      yours(out, row / at.rows, row % at.rows * at.row_elements + first, some);
    }};
  }
  template <class Value>
  host_store operator()(const operand_writer<Value>& yours) const {
    return operand_writer<Value>{[yours, at = *this](void* out, const host_arguments& given,
                                                     std::size_t row, std::size_t first,
                                                     std::span<const Value> some) {
      yours(out, given, row / at.rows, row % at.rows * at.row_elements + first, some);
    }};
  }
};

}  // namespace

fused_store store_of_rows(const fused_store& store, std::size_t rows, std::size_t row_elements) {
  if (rows == 1) return store;
  fused_store made = store;
  if (store.source.is_given()) {
    made.source.text += wrapper_of(store, rows, row_elements);
    made.source.type = "wingbeat_epilogue";
  }
  made.callable = std::visit(renumbered{rows, row_elements}, store.callable);
  return made;
}

}  // namespace wingbeat::convolving
