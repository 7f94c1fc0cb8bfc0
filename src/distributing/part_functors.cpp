// SPDX-License-Identifier: Apache-2.0
#include "distributing/part_functors.hpp"

#include <string>
#include <type_traits>  // is_same_v

#include "functors/callables.hpp"     // wrapped
#include "kernel_text/constants.hpp"  // assignments, policy
#include "text/formatted.hpp"         // formatted

namespace wingbeat::distributing {
namespace {

/// Returns the text of a struct that renumbers elements and calls the caller's functor.
std::string text_of(const fused_source& source, bool has_operands, const array_part& part,
                    bool is_load) {
  const bool has_parameters = !source.parameters.empty();
  const std::string_view end = is_load ? "load" : "store";
  std::string text = formatted(
      "\n#include \"wingbeat/device/ends/array_part.hpp\"\n{}"
      "struct wingbeat_part_{} {{\n"
      "  using whole = {};\n"
      "  using element = whole::element;\n",
      kernel_text::policy(formatted("wingbeat_part_of_{}", end), "",
                          "wingbeat::device::ends::array_part", kernel_text::assignments(part)),
      end, source.type);
  if (has_parameters) text += "  using parameters = whole::parameters;\n";
  if (has_operands) text += "  using operands = whole::operands;\n";
  if (is_load) text += "  static constexpr bool in_order = false;\n";
  text += is_load ? "  WINGBEAT_FN static auto load(WINGBEAT_GLOBAL const element* memory"
                  : "  template <class Value>\n"
                    "  WINGBEAT_FN static void store(WINGBEAT_GLOBAL element* memory";
  if (has_parameters) text += ", WINGBEAT_GLOBAL const parameters& block";
  if (has_operands) text += ", operands given";
  text += ", wingbeat::device::size row, wingbeat::device::size i";
  if (!is_load) text += ", Value value";
  text += formatted(
      ") {{\n"
      "    constexpr wingbeat::device::ends::array_part part = wingbeat_part_of_{}::numbers();\n"
      "    const wingbeat::device::ends::array_spot spot = part.spot(row, i);\n"
      "    {}(memory",
      end, is_load ? "return whole::load" : "whole::store");
  if (has_parameters) text += ", block";
  if (has_operands) text += ", given";
  return text +
         (is_load ? ", spot.row, spot.i);\n  }\n};\n" : ", spot.row, spot.i, value);\n  }\n};\n");
}

template <class Functor>
Functor of_part(const Functor& functor, const array_part& part) {
  constexpr bool is_load = std::is_same_v<Functor, fused_load>;
  Functor result = functor;
  if (functor.source.is_given()) {
    result.source.text += text_of(functor.source, !functor.operands.empty(), part, is_load);
    result.source.type = is_load ? "wingbeat_part_load" : "wingbeat_part_store";
  }
  // Calls the functor for each run of neighbours in the whole array.
  result.callable = wrapped(
      functor.callable, [part](const auto& call, std::size_t row, std::size_t first, auto values) {
        for (std::size_t begin = 0, end = 0; begin < values.size(); begin = end) {
          const auto spot = part.spot(row, first + begin);
          do ++end;
          while (end < values.size() && part.spot(row, first + end).i == spot.i + end - begin);
          call(spot.row, spot.i, values.subspan(begin, end - begin));
        }
      });
  result.moved_bytes = 0;
  return result;
}

}  // namespace

fused_load load_of_part(const fused_load& load, const array_part& part, std::size_t bytes) {
  fused_load result = of_part(load, part);
  result.in_bytes = bytes;
  return result;
}

fused_store store_of_part(const fused_store& store, const array_part& part, std::size_t bytes) {
  fused_store result = of_part(store, part);
  result.out_bytes = bytes;
  return result;
}

void join_texts(fused_load& load, fused_store& store, const std::string& text) {
  load.source.text += store.source.text.substr(text.size());
  store.source.text = load.source.text;
}

}  // namespace wingbeat::distributing
