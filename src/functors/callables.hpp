// SPDX-License-Identifier: Apache-2.0
// Callables of functors in this process, with operands or without: called, and called by others.
#pragma once

#include <cstddef>  // size_t
#include <span>
#include <type_traits>  // conditional_t, is_same_v, remove_const_t
#include <variant>      // get, get_if, monostate, visit

#include "wingbeat/fusion.hpp"  // host_load, host_store

namespace wingbeat {

/// Loads or stores values by the callable of their type. Callable: host_load or host_store.
template <class Callable, class Memory, class Value>
void call(const Callable& callable, Memory* memory, const host_arguments& given, std::size_t row,
          std::size_t first, std::span<Value> values) {
  constexpr bool loads = std::is_same_v<Callable, host_load>;
  using number = std::remove_const_t<Value>;
  using plain = std::conditional_t<loads, run_reader<number>, run_writer<number>>;
  using with_operands = std::conditional_t<loads, operand_reader<number>, operand_writer<number>>;
  if (const auto* const own = std::get_if<plain>(&callable)) {
    return (*own)(memory, row, first, values);
  }
  std::get<with_operands>(callable)(memory, given, row, first, values);
}

/// Calls work(call, row, first, values) in place of a callable, which call(row, first, values) runs
/// on the same memory with the same operands.
template <class Call, class Work>
struct wrapped_callable {
  Call own;
  Work work;

  template <class Memory, class Value>
  void operator()(Memory* memory, std::size_t row, std::size_t first,
                  std::span<Value> values) const {
    work([&](auto r, auto f, auto v) { own(memory, r, f, v); }, row, first, values);
  }
  template <class Memory, class Value>
  void operator()(Memory* memory, const host_arguments& given, std::size_t row, std::size_t first,
                  std::span<Value> values) const {
    work([&](auto r, auto f, auto v) { own(memory, given, r, f, v); }, row, first, values);
  }
};

template <class Callable, class Work>
[[nodiscard]] Callable wrapped(const Callable& callable, const Work& work) {
  return std::visit(
      [&]<class Call>(const Call& own) -> Callable {
        if constexpr (std::is_same_v<Call, std::monostate>) {
          return {};
        } else {
          return Call{wrapped_callable<Call, Work>{own, work}};
        }
      },
      callable);
}

}  // namespace wingbeat
